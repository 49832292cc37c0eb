"""Bins given a network, and networks of bins and numbers compared."""

import numpy as np
import pandas as pd
import pytest

from bnsieve.counts import covariance_of
from bnsieve.search import NetworkComparison, first_bin_edges, rebin, with_bin_edges
from bnsieve.search.rebinning import reverse_covered_edges
from bnsieve.table import Table


def table_of(frame: pd.DataFrame) -> Table:
    """Cut the numbers of a frame at their medians, and keep them."""
    numbers = {name: frame[name].to_numpy() for name in frame if frame[name].dtype.kind == "f"}
    bins = frame.assign(
        **{name: np.where(own < np.median(own), "low", "up") for name, own in numbers.items()}
    )
    return Table.from_data(bins).with_numbers(numbers)


@pytest.fixture
def thresholds() -> Table:
    """Return x -> label by the threshold 2.0, and the exclusive or of the signs of y and z -> w."""
    rng = np.random.default_rng(0)
    x, y, z = rng.normal(1.0, 1.0, (3, 2_000))
    label = np.where((x > 2.0) ^ (rng.random(2_000) < 0.05), "yes", "no")
    w = 2.0 * ((y > 1) ^ (z > 1)) + rng.normal(0, 0.5, 2_000)
    return table_of(pd.DataFrame({"x": x, "label": label, "y": y, "z": z, "w": w}))


PARENTS = [(), (0,), (), (), (2, 3)]


def test_a_threshold_is_found(thresholds):
    edges = rebin(thresholds, PARENTS)
    assert any(abs(edge - 2.0) < 0.15 for edge in edges[0])
    assert len(edges[0]) <= 2
    for v in (2, 3):
        assert any(abs(edge - 1.0) < 0.15 for edge in edges[v])


def test_first_bin_edges_see_pairs(thresholds):
    assert any(abs(edge - 2.0) < 0.2 for edge in first_bin_edges(thresholds)[0])


def test_bins_depend_on_ranks_alone(thresholds):
    numbers = {thresholds.names[v]: np.exp(3 * x) for v, x in thresholds.numbers.items()}
    curved = thresholds.with_numbers(numbers)
    for find in (first_bin_edges, lambda table: rebin(table, PARENTS)):
        one, other = (
            with_bin_edges(thresholds, find(thresholds)),
            with_bin_edges(curved, find(curved)),
        )
        np.testing.assert_array_equal(one.codes, other.codes)


def test_bins_lie_between_their_edges(thresholds):
    table = with_bin_edges(thresholds, {0: (0.5, 2.0)})
    assert table.categories[0] == ("< 0.5", "[0.5, 2)", ">= 2")
    x = thresholds.numbers[0]
    np.testing.assert_array_equal(table.codes[0], (x >= 0.5).astype(int) + (x >= 2))
    np.testing.assert_array_equal(table.codes[1:], thresholds.codes[1:])


def test_the_data_favour_the_network_that_drew_them(thresholds):
    comparison = NetworkComparison(thresholds, covariance_of(thresholds), 1.0)
    lines = [(), (0,), (), (), ()]  # w hangs on neither of its parents alone
    bins = with_bin_edges(thresholds, rebin(thresholds, PARENTS))
    other = with_bin_edges(thresholds, rebin(thresholds, lines))
    assert comparison.log_ratio(PARENTS, bins, lines, other) > 300
    assert comparison.log_ratio(PARENTS, bins, PARENTS, bins) == 0


def test_a_needless_parent_is_a_loss():
    rng = np.random.default_rng(1)
    x, y, noise = rng.normal(size=(3, 1_000))
    table = table_of(pd.DataFrame({"x": x, "y": x + y, "noise": noise}))
    comparison = NetworkComparison(table, covariance_of(table), 1.0)
    plain, more = [(), (0,), ()], [(), (0, 2), ()]
    assert 2 < comparison.log_ratio(plain, table, more, table) < 20


def test_equivalent_graphs_are_not_told_apart():
    """0 -> 1 -> 2, 0 -> 2 and its reversal; and a chain; a collider keeps its arrows."""
    full, reversed_full = [(), (0,), (0, 1)], [(1, 2), (2,), ()]
    assert reverse_covered_edges(full, reversed_full) == reversed_full
    assert reverse_covered_edges([(), (0,), (1,)], [(1,), (2,), ()]) == [(1,), (2,), ()]
    collider = [(), (0, 2), ()]
    assert reverse_covered_edges(collider, [(1,), (), (1,)]) == collider
