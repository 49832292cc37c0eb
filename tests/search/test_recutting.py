"""Numbers cut again given a network."""

import numpy as np
import pandas as pd
import pytest

from bnsieve.counts import covariance_of
from bnsieve.search import Evidence, first_cuts, recut, with_cuts
from bnsieve.search.evidence import turned_towards
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
    cuts = recut(thresholds, PARENTS)
    assert any(abs(cut - 2.0) < 0.15 for cut in cuts[0])
    assert len(cuts[0]) <= 2
    for v in (2, 3):
        assert any(abs(cut - 1.0) < 0.15 for cut in cuts[v])


def test_first_cuts_see_pairs(thresholds):
    assert any(abs(cut - 2.0) < 0.2 for cut in first_cuts(thresholds)[0])


def test_cuts_depend_on_ranks_alone(thresholds):
    numbers = {thresholds.names[v]: np.exp(3 * x) for v, x in thresholds.numbers.items()}
    curved = thresholds.with_numbers(numbers)
    for way in (first_cuts, lambda table: recut(table, PARENTS)):
        one, other = with_cuts(thresholds, way(thresholds)), with_cuts(curved, way(curved))
        np.testing.assert_array_equal(one.codes, other.codes)


def test_bins_lie_between_the_cuts(thresholds):
    table = with_cuts(thresholds, {0: (0.5, 2.0)})
    assert table.levels[0] == ("< 0.5", "[0.5, 2)", ">= 2")
    x = thresholds.numbers[0]
    np.testing.assert_array_equal(table.codes[0], (x >= 0.5).astype(int) + (x >= 2))
    np.testing.assert_array_equal(table.codes[1:], thresholds.codes[1:])


def test_rows_speak_for_the_network_that_drew_them(thresholds):
    evidence = Evidence(thresholds, covariance_of(thresholds), 1.0)
    lines = [(), (0,), (), (), ()]  # w hangs on neither of its parents alone
    bins = with_cuts(thresholds, recut(thresholds, PARENTS))
    other = with_cuts(thresholds, recut(thresholds, lines))
    assert evidence.compare(PARENTS, bins, lines, other) > 300
    assert evidence.compare(PARENTS, bins, PARENTS, bins) == 0


def test_a_needless_parent_is_a_loss():
    rng = np.random.default_rng(1)
    x, y, noise = rng.normal(size=(3, 1_000))
    table = table_of(pd.DataFrame({"x": x, "y": x + y, "noise": noise}))
    evidence = Evidence(table, covariance_of(table), 1.0)
    plain, more = [(), (0,), ()], [(), (0, 2), ()]
    assert 2 < evidence.compare(plain, table, more, table) < 20


def test_equivalent_graphs_are_not_told_apart():
    """0 -> 1 -> 2, 0 -> 2 and its reversal; and a chain; a collider keeps its arrows."""
    full, reversed_full = [(), (0,), (0, 1)], [(1, 2), (2,), ()]
    assert turned_towards(full, reversed_full) == reversed_full
    assert turned_towards([(), (0,), (1,)], [(1,), (2,), ()]) == [(1,), (2,), ()]
    collider = [(), (0, 2), ()]
    assert turned_towards(collider, [(1,), (), (1,)]) == collider
