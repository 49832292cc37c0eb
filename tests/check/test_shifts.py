"""Tests of margins and mechanisms: expected values from SciPy, and from changes that were made."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from bnsieve.check.checking import holm
from bnsieve.check.shifts import find_shift, number_shift
from bnsieve.counts import JointCounts


def counted(table: np.ndarray) -> JointCounts:
    """Return a dense table as joint counts."""
    places = np.array(np.nonzero(table)).astype(np.uint8)
    n = tuple(table.shape)
    counts = table[np.nonzero(table)].astype(np.int64)
    return JointCounts(tuple(range(len(n))), n, (False,) * len(n), places, counts)


STATES = {"x": ("a", "b", "c"), "y": ("no", "yes")}


def test_a_margin_is_tested_as_a_table_of_two_lines() -> None:
    before, after = np.array([500, 300, 200]), np.array([110, 60, 30])
    found = find_shift(counted(before), counted(after), ["x"], STATES, 0.05)
    expected = chi2_contingency(np.array([before, after]), correction=False).pvalue
    # The product's statistic is damped a little, and its distribution is that of fixed margins.
    assert found.p_value == pytest.approx(expected, rel=0.1)


def test_the_cell_that_moved_is_named() -> None:
    before = np.array([[500, 300, 200], [100, 100, 800]])
    after = np.array([[50, 30, 20], [50, 10, 40]])
    found = find_shift(counted(before), counted(after), ["y", "x"], STATES, 0.05)
    assert found.p_value < 1e-10
    assert found.cell is not None
    assert (found.cell.state, found.cell.given) == ("a", {"y": "yes"})
    assert (found.cell.before, found.cell.after) == (0.1, 0.5)
    assert (found.cell.n_before, found.cell.n_after) == (1000, 100)


def test_parents_that_moved_change_no_mechanism() -> None:
    before = np.array([[900, 100, 0], [10, 20, 70]])
    after = np.array([[90, 10, 0], [100, 200, 700]])
    found = find_shift(counted(before), counted(after), ["y", "x"], STATES, 0.05)
    assert found.p_value > 0.5
    assert found.size == 0.0


def test_the_size_is_half_the_sum_of_the_differences() -> None:
    before, after = np.array([500_000, 300_000, 200_000]), np.array([400_000, 300_000, 300_000])
    found = find_shift(counted(before), counted(after), ["x"], STATES, 0.05)
    assert found.size == pytest.approx(0.1, abs=0.002)


def test_numbers_are_compared_in_ranges() -> None:
    rng = np.random.default_rng(0)
    same = number_shift("x", rng.normal(size=5000), rng.normal(size=2000), 0.05)
    moved = number_shift("x", rng.normal(size=5000), rng.normal(0.3, size=2000), 0.05)
    assert same.p_value > 0.01
    assert moved.p_value < 1e-8


def test_holm_corrects_from_the_smallest_on() -> None:
    # By hand: 3 * 0.01, then 2 * 0.02, then 1 * 0.5; a later one is never smaller.
    assert holm([0.5, 0.01, 0.02]) == pytest.approx([0.5, 0.03, 0.04])
    assert holm([0.03, 0.02]) == pytest.approx([0.04, 0.04])
    assert holm([]) == []
