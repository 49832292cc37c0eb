"""Grouping of many labels: what stays, what goes together, and that noise stays noise."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from bnsieve import TsetlinSieve
from bnsieve.table.prepare.categories import group_categories
from bnsieve.table.prepare.evidence import Evidence

N_ROWS = 40_000


def drawn(probabilities, rng):
    """Draw a level per row from each row's distribution."""
    return (probabilities.cumsum(axis=1) > rng.random((len(probabilities), 1))).argmax(axis=1)


def noise(rng, n_columns=10, n_rows=N_ROWS):
    return {f"noise{i}": rng.integers(0, 4, n_rows).astype(str) for i in range(n_columns)}


def grouped(column, grouping):
    return pd.Series(column).map(lambda label: grouping.mapping.get(label, grouping.other))


@pytest.mark.parametrize(("n_labels", "rows"), [(50, 100), (100, 1), (200, 20)])
def test_labels_that_rows_support_or_that_are_few_stay(n_labels, rows):
    found = group_categories({f"l{i}": rows for i in range(n_labels)})
    assert found.how == "kept"
    assert found.mapping == {}
    assert found.n_categories == n_labels


def test_the_most_frequent_stay_and_the_rest_are_one():
    counts = {f"rare{i}": 3 for i in range(300)} | {f"often{i}": 25 for i in range(90)}
    found = group_categories(counts)
    assert found.how == "frequent"
    assert found.mapping == {label: label for label in counts if label.startswith("often")}
    assert found.other == "other"
    assert (found.n_categories, found.n_grouped_labels, found.n_grouped_rows) == (91, 300, 900)
    assert "'other'" in found.rule


def test_other_is_spelled_like_no_label():
    counts = {f"rare{i}": 5 for i in range(300)} | {"Other": 900, "(other)": 800}
    found = group_categories(counts)
    assert found.other == "((other))"
    assert found.mapping == {"Other": "Other", "(other)": "(other)"}


@pytest.mark.parametrize(("n_labels", "rows"), [(1_000, 1), (3_000, 10)])
def test_identifiers_are_left_out(n_labels, rows):
    found = group_categories(dict.fromkeys(range(n_labels), rows))
    assert found.how == "left out"
    assert "identifier" in found.rule


def test_labels_of_noise_are_not_grouped_by_it():
    rng = np.random.default_rng(0)
    column = rng.integers(0, 2_000, N_ROWS).astype(str)
    evidence = Evidence.of(column, noise(rng, 30))
    assert len(evidence.first) == 0
    assert group_categories(Counter(column.tolist()), evidence).how in ("frequent", "left out")


def test_labels_that_say_the_same_go_together():
    rng = np.random.default_rng(1)
    kind_of = rng.integers(0, 4, 400)
    codes = rng.integers(0, 400, N_ROWS)
    distributions = np.array([[7, 1, 1, 1], [1, 7, 1, 1], [1, 1, 7, 1], [1, 1, 1, 7]]) / 10
    column = np.array(["".join(chr(97 + int(d)) for d in str(c)) for c in codes], dtype=object)
    others = noise(rng) | {"told": drawn(distributions[kind_of[codes]], rng).astype(str)}
    found = group_categories(Counter(column.tolist()), Evidence.of(column, others))
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
    found = group_categories(Counter(column.tolist()), Evidence.of(column, others))
    assert found.how == "prefix"
    assert {(label[0], level) for label, level in found.mapping.items()} == {
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
            Evidence.of(one["code"], {n: one[n] for n in one if n != "code"}),
        )
        for one in (frame, shuffled)
    ]
    assert found[0].how in ("alike", "prefix")
    assert found[0] == found[1]


def test_numbers_and_missing_cells_are_evidence_too():
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 150, N_ROWS)
    amount = np.where(codes < 75, 0.0, 2.0) + rng.normal(size=N_ROWS)
    amount[::7] = np.nan
    column = np.array([f"Z{c:03d}" for c in codes], dtype=object)
    column[::11] = None
    evidence = Evidence.of(column, {"amount": amount} | noise(rng, 5))
    assert len(evidence.first) == 1
    assert evidence.n_rows == sum(label is not None for label in column)


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
    evidence = Evidence.of(column, {"told": np.append(told, [0] * 5).astype(str)})
    found = group_categories(Counter(column.tolist()), evidence)
    assert found.how == how
    assert evidence.counts.shape == (150, n_told)


def test_rare_levels_of_another_column_count_as_one():
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 120, 20_000)
    level = (codes % 20) * (rng.random(20_000) < 0.9)
    evidence = Evidence.of([f"l{code}" for code in codes], {"told": level.astype(str)})
    assert evidence.counts.shape == (120, 16)
    counts = pd.Series(level).value_counts().to_numpy()
    assert evidence.counts.sum(axis=0).tolist() == [*counts[:15].tolist(), counts[15:].sum()]
    few = Evidence.of([f"l{code}" for code in codes], {"told": (level % 5).astype(str)})
    assert few.counts.shape == (120, 5)
    assert few.n_free == 4
    assert few.price == pytest.approx(0.5 * 4 * np.log(20_000))
