"""Codes of a hierarchy: their prefixes, and the best cut of a hierarchy by brute force."""

import itertools

import numpy as np
import pytest

from bnsieve.table.prepare.codes import group_by_prefix, prefixes_of
from bnsieve.table.prepare.evidence import Evidence


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["J45.9", "J4"], [("J", "J4", "J45", "J45."), ("J",)]),
        (["/shop/cart/12", "/shop/"], None),
        (["/shop/cart/12", "/blog/a"], [("/shop/", "/shop/cart/"), ("/blog/",)]),
        (["red", "green"], None),
        ([10115, 20095], [("1", "10", "101", "1011"), ("2", "20", "200", "2009")]),
    ],
)
def test_prefixes(labels, expected):
    assert prefixes_of(labels) == expected


def test_no_other_cut_of_the_hierarchy_is_better():
    rng = np.random.default_rng(0)
    for _ in range(20):
        labels = [f"{a}{b}{c}" for a in "12" for b in "12" for c in "12"]
        shares = rng.dirichlet([0.7] * 3, 8)
        counts = np.array([rng.multinomial(12, one) for one in shares], dtype=float)
        evidence = Evidence(tuple(labels), counts, np.array([0]), 96)
        groups, gain = group_by_prefix(dict.fromkeys(labels, 12), evidence, 1)
        values = {}
        for cut in cuts(labels):
            parts = [counts[[labels.index(one) for one in part]].sum(axis=0) for part in cut]
            values[cut] = evidence.gain(np.array(parts)) - (len(cut) - 1) * np.log(2)
        found = {}
        for label, group in groups.items():
            found.setdefault(group, []).append(label)
        assert gain == pytest.approx(max(values.values()))
        assert values[frozenset(map(tuple, found.values()))] == pytest.approx(gain)


def cuts(labels, depth=0):
    """Return all ways to cut the hierarchy below some labels, as sets of groups."""
    whole = frozenset([tuple(labels)])
    if len(labels) == 1:
        return {whole}
    parts = [list(group) for _, group in itertools.groupby(labels, key=lambda one: one[depth])]
    below = [cuts(part, depth + 1) for part in parts]
    return {whole} | {frozenset().union(*choice) for choice in itertools.product(*below)}


def test_what_is_rare_goes_with_the_rest_of_its_prefix():
    rng = np.random.default_rng(1)
    rows = {"A1": 400, "A2": 400, "A3": 4, "A4": 3, "B1": 400, "C1": 2}
    shares = {"A1": [9, 1], "A2": [1, 9], "A3": [5, 5], "A4": [5, 5], "B1": [5, 5], "C1": [5, 5]}
    counts = [rng.multinomial(n, np.array(shares[k]) / 10) for k, n in rows.items()]
    evidence = Evidence(tuple(rows), np.array(counts, dtype=float), np.array([0]), 1209)
    groups, _ = group_by_prefix(rows, evidence, 20)
    assert groups["A1"] == "A1"
    assert groups["A2"] == "A2"
    assert groups["A3"] == groups["A4"] == "A*"
    assert groups["C1"] is None
