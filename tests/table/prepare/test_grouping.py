"""Grouping of many categories: what stays, what goes together, and that noise stays noise."""

import itertools
from collections import Counter

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve import TsetlinSieve
from bnsieve.table.prepare.grouping import (
    AssociationCounts,
    group_by_prefix,
    group_categories,
    prefixes_of,
)

N_ROWS = 40_000


def drawn(probabilities, rng):
    """Draw a level per row from each row's distribution."""
    return (probabilities.cumsum(axis=1) > rng.random((len(probabilities), 1))).argmax(axis=1)


def noise(rng, n_columns=10, n_rows=N_ROWS):
    return {f"noise{i}": rng.integers(0, 4, n_rows).astype(str) for i in range(n_columns)}


def grouped(column, grouping):
    return pd.Series(column).map(lambda label: grouping.groups.get(label, grouping.other))


def associations(column, others):
    """Count a column with others: codes of texts in their order, or numbers."""
    codes = pd.Categorical(column)
    coded = {
        name: values if np.asarray(values).dtype.kind == "f" else pd.Categorical(values).codes
        for name, values in others.items()
    }
    return AssociationCounts.of(codes.codes.astype(np.int64), list(codes.categories), coded)


@pytest.mark.parametrize(("n_labels", "rows"), [(50, 100), (100, 1), (200, 20)])
def test_labels_that_rows_support_or_that_are_few_stay(n_labels, rows):
    found = group_categories({f"l{i}": rows for i in range(n_labels)})
    assert found.how == "kept"
    assert found.groups == {}
    assert found.rule.startswith(f"{n_labels} categories")


def test_the_most_frequent_stay_and_the_rest_are_one():
    counts = {f"rare{i}": 3 for i in range(300)} | {f"often{i}": 25 for i in range(90)}
    found = group_categories(counts)
    assert found.how == "frequent"
    assert found.groups == {label: label for label in counts if label.startswith("often")}
    assert found.other == "other"
    assert found.rule == (
        "390 categories in 91 groups: one for each of the most frequent; 300 rarer ones are 'other'"
    )


def test_other_is_spelled_like_no_label():
    counts = {f"rare{i}": 5 for i in range(300)} | {"Other": 900, "(other)": 800}
    found = group_categories(counts)
    assert found.other == "((other))"
    assert found.groups == {"Other": "Other", "(other)": "(other)"}


@pytest.mark.parametrize(("n_labels", "rows"), [(1_000, 1), (3_000, 10)])
def test_identifiers_are_left_out(n_labels, rows):
    found = group_categories(dict.fromkeys(map(str, range(n_labels)), rows))
    assert found.how == "left out"
    assert "identifier" in found.rule


def test_labels_of_noise_are_not_grouped_by_it():
    rng = np.random.default_rng(0)
    column = rng.integers(0, 2_000, N_ROWS).astype(str)
    counted = associations(column, noise(rng, 30))
    assert len(counted.first) == 0
    assert group_categories(Counter(column.tolist()), counted).how in ("frequent", "left out")


def test_labels_that_say_the_same_go_together():
    rng = np.random.default_rng(1)
    kind_of = rng.integers(0, 4, 400)
    codes = rng.integers(0, 400, N_ROWS)
    distributions = np.array([[7, 1, 1, 1], [1, 7, 1, 1], [1, 1, 7, 1], [1, 1, 1, 7]]) / 10
    column = np.array(["".join(chr(97 + int(d)) for d in str(c)) for c in codes], dtype=object)
    others = noise(rng) | {"told": drawn(distributions[kind_of[codes]], rng).astype(str)}
    found = group_categories(Counter(column.tolist()), associations(column, others))
    assert found.how == "alike"
    table = pd.crosstab(grouped(column, found), kind_of[codes]).to_numpy()
    assert table.shape == (4, 4)
    assert table.max(axis=1).sum() > 0.98 * N_ROWS
    assert (table > 0.5 * table.sum(axis=1, keepdims=True)).any(axis=0).all()


def test_codes_go_by_the_prefix_that_tells():
    rng = np.random.default_rng(2)
    chapter, rest = rng.integers(0, 8, N_ROWS), rng.integers(0, 300, N_ROWS)
    column = np.array(
        [f"{chr(65 + a)}{b // 10:02d}.{b % 10}" for a, b in zip(chapter, rest, strict=True)]
    )
    told = drawn(rng.dirichlet([0.5] * 3, 8)[chapter], rng)
    others = noise(rng) | {"told": told.astype(str)}
    found = group_categories(Counter(column.tolist()), associations(column, others))
    assert found.how == "prefix"
    assert {(label[0], level) for label, level in found.groups.items()} == {
        (letter, f"{letter}*") for letter in "ABCDEFGH"
    }


def test_order_of_rows_and_columns_does_not_matter():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 300, 8_000)
    told = drawn(rng.dirichlet([0.5] * 3, 300)[codes], rng)
    frame = pd.DataFrame({"code": [f"k{c}" for c in codes], "told": told} | noise(rng, 3, 8_000))
    shuffled = frame.sample(frac=1, random_state=0)[["noise2", "told", "code", "noise0", "noise1"]]
    found = [
        group_categories(
            Counter(one["code"].tolist()),
            associations(one["code"], {n: one[n] for n in one if n != "code"}),
        )
        for one in (frame, shuffled)
    ]
    assert found[0].how in ("alike", "prefix")
    assert found[0] == found[1]


def test_numbers_and_missing_values_count_too():
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 150, N_ROWS)
    amount = np.where(codes < 75, 0.0, 2.0) + rng.normal(size=N_ROWS)
    amount[::7] = np.nan
    column = np.array([f"Z{c:03d}" for c in codes], dtype=object)
    column[::11] = None
    counted = associations(column, {"amount": amount} | noise(rng, 5))
    assert len(counted.first) == 1
    assert counted.n_rows == sum(label is not None for label in column)


@pytest.mark.slow
def test_grouped_noise_has_no_edges():
    rng = np.random.default_rng(5)
    n_rows = 20_000
    frame = pd.DataFrame(noise(rng, 30, n_rows))
    frame["many"] = [f"l{i}" for i in rng.zipf(1.4, n_rows) % 2_000]
    learner = TsetlinSieve(random_state=0).fit(frame)
    assert learner.graph_.n_edges == 0
    (many,) = [one for one in learner.preparation_.columns if one.name == "many"]
    assert many.outputs[0].groups is not None


@pytest.mark.parametrize(("n_told", "how"), [(3, "alike"), (8, "frequent")])
def test_prefixes_that_tell_no_more_than_their_codes_are_not_taken(n_told, how):
    # Each label says something of its own; one is too rare to stand for itself. To split the
    # hierarchy down to the labels costs more than to list these. Of eight kinds no two labels
    # are alike; of three some are.
    rng = np.random.default_rng(6)
    codes = np.repeat(np.arange(149), 300)
    told = drawn(rng.dirichlet([0.3] * n_told, 149)[codes], rng)
    column = np.append([f"k{code:03d}" for code in codes], ["k999"] * 5)
    counted = associations(column, {"told": np.append(told, [0] * 5).astype(str)})
    found = group_categories(Counter(column.tolist()), counted)
    assert found.how == how
    assert counted.counts.shape == (150, n_told)


def test_rare_levels_of_another_column_count_as_one():
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 120, 20_000)
    level = (codes % 20) * (rng.random(20_000) < 0.9)
    counted = associations([f"l{code}" for code in codes], {"told": level.astype(str)})
    assert counted.counts.shape == (120, 16)
    counts = pd.Series(level).value_counts().to_numpy()
    assert counted.counts.sum(axis=0).tolist() == [*counts[:15].tolist(), counts[15:].sum()]
    few = associations([f"l{code}" for code in codes], {"told": (level % 5).astype(str)})
    assert few.counts.shape == (120, 5)
    assert few.price == pytest.approx(0.5 * 4 * np.log(20_000))


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["J45.9", "J4"], [("J", "J4", "J45", "J45."), ("J",)]),
        (["/shop/cart/12", "/shop/"], None),
        (["/shop/cart/12", "/blog/a"], [("/shop/", "/shop/cart/"), ("/blog/",)]),
        (["red", "green"], None),
        (["10115", "20095"], [("1", "10", "101", "1011"), ("2", "20", "200", "2009")]),
    ],
)
def test_prefixes(labels, expected):
    assert prefixes_of(labels) == expected


def test_no_other_split_of_the_hierarchy_is_better():
    rng = np.random.default_rng(0)
    for _ in range(20):
        labels = [f"{a}{b}{c}" for a in "12" for b in "12" for c in "12"]
        shares = rng.dirichlet([0.7] * 3, 8)
        counts = np.array([rng.multinomial(12, one) for one in shares], dtype=float)
        counted = AssociationCounts(tuple(labels), counts, np.array([0]), 96)
        groups, gain = group_by_prefix(dict.fromkeys(labels, 12), counted, 1)
        values = {}
        for split in splits(labels):
            parts = [counts[[labels.index(one) for one in part]].sum(axis=0) for part in split]
            values[split] = counted.gain(np.array(parts)) - (len(split) - 1) * np.log(2)
        found = {}
        for label in labels:
            found.setdefault(groups.get(label), []).append(label)
        assert gain == pytest.approx(max(values.values()))
        assert values[frozenset(map(tuple, found.values()))] == pytest.approx(gain)


def splits(labels, depth=0):
    """Return all ways to split the hierarchy below some labels, as sets of groups."""
    whole = frozenset([tuple(labels)])
    if len(labels) == 1:
        return {whole}
    parts = [list(group) for _, group in itertools.groupby(labels, key=lambda one: one[depth])]
    below = [splits(part, depth + 1) for part in parts]
    return {whole} | {frozenset().union(*choice) for choice in itertools.product(*below)}


def test_what_is_rare_goes_with_the_rest_of_its_prefix():
    rng = np.random.default_rng(1)
    rows = {"A1": 400, "A2": 400, "A3": 4, "A4": 3, "B1": 400, "C1": 2}
    shares = {"A1": [9, 1], "A2": [1, 9], "A3": [5, 5], "A4": [5, 5], "B1": [5, 5], "C1": [5, 5]}
    counts = [rng.multinomial(n, np.array(shares[k]) / 10) for k, n in rows.items()]
    counted = AssociationCounts(tuple(rows), np.array(counts, dtype=float), np.array([0]), 1209)
    groups, _ = group_by_prefix(rows, counted, 20)
    assert groups["A1"] == "A1"
    assert groups["A2"] == "A2"
    assert groups["A3"] == groups["A4"] == "A*"
    assert "C1" not in groups


def frame_of_paths(n_rows=6_000):
    rng = np.random.default_rng(0)
    section = rng.integers(0, 3, n_rows)
    page = rng.integers(0, 300, n_rows)
    return pd.DataFrame(
        {
            "path": [f"/{'abc'[s]}/{p}" for s, p in zip(section, page, strict=True)],
            "told": np.where(rng.random(n_rows) < 0.9, section, 0).astype(str),
            "session": [f"s{i:05d}" for i in rng.integers(0, 2_900, n_rows)],
            "noise": rng.choice(["x", "y"], n_rows),
        }
    )


def test_paths_become_sections_and_sessions_are_left_out():
    plan = bn.prepare(frame_of_paths())
    path, _, session, _ = plan.columns
    assert {label[:3] for label in path.outputs[0].groups} == {"/a/", "/b/", "/c/"}
    assert set(path.outputs[0].groups.values()) == {"/a/*", "/b/*", "/c/*"}
    assert f"{frame_of_paths()['path'].nunique()} categories in 3 groups" in path.what
    assert (session.role, session.outputs) == ("identifier", ())
    assert "identifier" in session.why


def test_labels_that_come_later_are_others():
    plan = bn.prepare(frame_of_paths())
    later = frame_of_paths().head(3).assign(path=["/a/1", "/never/seen", None])
    found = plan.apply(later)["path"]
    assert found.tolist()[:2] == ["/a/*", "other"]
    assert found.isna().tolist() == [False, False, True]


def test_an_identifier_that_is_kept_stays_as_it_is():
    plan = bn.prepare(frame_of_paths(), keep=["session"])
    assert plan.columns[2].outputs[0].groups is None


def test_the_order_of_rows_does_not_matter():
    frame = frame_of_paths()
    shuffled = frame.sample(frac=1, random_state=1)
    assert bn.prepare(frame).outputs == bn.prepare(shuffled).outputs
