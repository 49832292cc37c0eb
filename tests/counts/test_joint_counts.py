"""Joint tables: the kernel against its twin, and the laws that counts obey."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import reference
from bnsieve.counts import JointCounts, ScannedCounts, count
from bnsieve.counts.joint_counts import NeighbourhoodCounts
from bnsieve.table import Table
from coded_tables import coded, random_table
from reference import dense


def check_against_twin(table: Table, variables: list[int]) -> JointCounts:
    counted = count(table, variables)
    configurations, counts = reference.count_joint(
        table.codes, variables, table.n_categories, table.missing
    )
    assert_array_equal(counted.configurations, configurations)
    assert_array_equal(counted.counts, counts)
    assert counted.n_categories == tuple(table.n_categories[variables])
    return counted


@st.composite
def tables(draw: st.DrawFn) -> Table:
    n_categories = draw(st.lists(st.integers(1, 6), min_size=1, max_size=5))
    n_rows = draw(st.integers(0, 60))
    missing = tuple(v for v in range(len(n_categories)) if draw(st.booleans()))
    return random_table(n_categories, n_rows, draw(st.integers(0, 1000)), missing)


KINDS = {
    "one binary variable": [2],
    "a small dense pair": [3, 4],
    "a large dense table": [10, 20, 15],
    "sparse": [50, 40, 30, 20],
    "nearly every row its own configuration": [200, 250, 256, 199],
    "sixteen-bit codes": [300, 5, 65536, 2],
    "the widest single key": [2] * 62,
    "keys wider than 64 bits": [3] * 50,
    "several stages": [65536] * 8 + [2, 60000],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("with_missing", [False, True])
def test_kernel_agrees_with_its_twin(kind: str, with_missing: bool, simd_level: str) -> None:
    n_categories = KINDS[kind]
    missing = tuple(v for v in range(0, len(n_categories), 2) if n_categories[v] < 65536)
    table = random_table(n_categories, 5000, missing=missing if with_missing else ())
    check_against_twin(table, list(range(len(n_categories))))


def test_growing_table_agrees_with_its_twin(simd_level: str) -> None:
    check_against_twin(random_table([250, 250, 250, 250], 60_000), [3, 0, 1, 2])


def test_full_dense_range_agrees_with_its_twin(simd_level: str) -> None:
    check_against_twin(random_table([32, 32], 20_001), [0, 1])
    check_against_twin(random_table([25, 41], 20_001), [1, 0])


def test_hundreds_of_variables_agree_with_the_twin() -> None:
    table = random_table([3] * 300, 40, missing=(7, 299))
    joint = check_against_twin(table, list(range(300)))
    assert joint.marginal(range(300)) == joint


@given(table=tables())
@settings(max_examples=60, deadline=None)
def test_counts_add_up_and_are_sorted(table: Table) -> None:
    counted = check_against_twin(table, list(range(len(table.n_categories))))
    assert counted.total == table.codes.shape[1]
    assert (counted.counts > 0).all()


@given(table=tables(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_marginal_is_what_counting_would_give(table: Table, data: st.DataObject) -> None:
    variables = list(range(len(table.n_categories)))
    subset = data.draw(st.permutations(variables))[: data.draw(st.integers(0, len(variables)))]
    smaller = subset[: data.draw(st.integers(0, len(subset)))]
    joint = count(table, variables)
    assert joint.marginal(subset) == count(table, subset)
    assert joint.marginal(subset).marginal(smaller) == joint.marginal(smaller)


def rows_of(table: Table, rows: slice | np.ndarray) -> Table:
    """Some rows, with the categories of all."""
    missing = {v: flags[rows] for v, flags in table.missing.items()}
    return coded(table.codes[:, rows], list(table.n_categories), missing)


@given(table=tables(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_blocks_add_up_and_row_order_does_not_matter(table: Table, data: st.DataObject) -> None:
    variables = list(range(len(table.n_categories)))
    n_rows = table.codes.shape[1]
    cut = data.draw(st.integers(0, n_rows))
    whole = count(table, variables)
    first, second = rows_of(table, slice(0, cut)), rows_of(table, slice(cut, n_rows))
    assert count(first, variables) + count(second, variables) == whole
    order = np.random.default_rng(0).permutation(n_rows)
    assert count(rows_of(table, order), variables) == whole


def test_rows_with_missing_cells_add_up_with_rows_without() -> None:
    whole = random_table([2, 3], 60)
    hidden = random_table([2, 3], 40, seed=1, missing=(1,))
    for both in (
        count(whole, [0, 1]) + count(hidden, [0, 1]),
        count(hidden, [0, 1]) + count(whole, [0, 1]),
    ):
        assert both.has_missing == (False, True)
        assert both.total == 100
        assert both.complete().total == 100 - np.count_nonzero(hidden.missing[1])


def test_wide_keys_add_up_too() -> None:
    table = random_table([7] * 40, 4000)
    variables = list(range(40))
    parts = (slice(0, 1500), slice(1500, 4000))
    first, second = (count(rows_of(table, part), variables) for part in parts)
    assert first + second == second + first == count(table, variables)


def test_rows_with_missing_cells_among_the_variables_read_are_left_out() -> None:
    # x: 0 1 ? 1 1, y: 0 ? 1 1 1, z: ? 0 0 0 1
    codes = np.array([[0, 1, 0, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 0, 1]], dtype=np.uint8)
    missing = {v: np.arange(5) == hole for v, hole in enumerate([2, 1, 0])}
    joint = count(coded(codes, [2, 2, 2], missing), [0, 1, 2])
    assert_array_equal(dense(joint, [0]), [1, 3])
    assert_array_equal(dense(joint, [0, 1]), [[1, 0], [0, 2]])
    assert_array_equal(dense(joint), [[[0, 0], [0, 0]], [[0, 0], [1, 1]]])
    assert joint.total == 5
    assert joint.has_missing == (True, True, True)


def test_smaller_tables_follow_the_order_asked_for() -> None:
    joint = count(random_table([2, 3, 4], 200), [0, 1, 2])
    assert_array_equal(dense(joint, [2, 0]), dense(joint, [0, 2]).T)
    assert_array_equal(dense(joint, [1]), dense(joint).sum(axis=(0, 2)))


def test_a_full_variable_with_missing_cells_needs_wider_codes() -> None:
    table = random_table([256, 2], 3000, missing=(0,))
    joint = check_against_twin(table, [0, 1])
    assert joint.configurations.dtype == np.uint16


def test_sources_agree() -> None:
    table = random_table([2, 3, 4, 2], 500, missing=(1,))
    neighbourhoods = {0: count(table, [0, 1, 2]), 3: count(table, [3, 2])}
    counted, scanned = NeighbourhoodCounts(neighbourhoods), ScannedCounts(table)
    for variables in [(0, 1), (2, 1, 0), (3, 2), (2, 0)]:
        expected, strata = count(table, variables).complete(), scanned.strata(variables)
        assert counted.strata(variables) == expected
        assert strata.joint.complete() == expected
    with pytest.raises(ValueError, match=r"no counted neighbourhood holds .* \(1, 3\)"):
        counted.strata((1, 3))


def test_results_cannot_be_changed() -> None:
    joint = count(random_table([2, 2], 10), [0, 1])
    with pytest.raises(ValueError, match="read-only"):
        joint.counts[0] = 7
    with pytest.raises(AttributeError):
        joint.counts = joint.counts  # type: ignore[misc]


def test_errors_say_what_is_wrong() -> None:
    table = random_table([2, 3], 10)
    joint = count(table, [0, 1])
    with pytest.raises(ValueError, match="one variable twice"):
        count(table, [1, 1])
    with pytest.raises(ValueError, match=r"\[5\] are not in this table"):
        joint.marginal([0, 5])
    with pytest.raises(ValueError, match="same variables"):
        _ = joint + count(table, [1, 0])
    with pytest.raises(ValueError, match="not below its variable's number of levels"):
        count(coded(table.codes + np.uint8(2), [2, 3]), [0, 1])
    with pytest.raises(ValueError, match="more than 65536"):
        count(random_table([65536, 2], 10, missing=(0,)), [0, 1])
