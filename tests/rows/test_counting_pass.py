"""Many tables counted together: the same as one by one, whatever rows are counted where."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from bnsieve import _native


def random_codes(radices, n_rows, seed, dtype=np.uint8):
    rng = np.random.default_rng(seed)
    # Skewed, as data are: few configurations are common, many are rare.
    return np.array(
        [rng.integers(0, r, n_rows) * (rng.random(n_rows) < 0.5) for r in radices], dtype
    )


def configurations(keys, radices):
    rows = []
    for radix in reversed(radices):
        keys, row = np.divmod(keys, np.uint64(radix))
        rows.append(row)
    return np.array(rows[::-1], dtype=np.int64)


def longest_within(codes, columns, limit):
    """The slow version: drop the last column until the table is small enough."""
    while True:
        found, counts = reference.count_joint(codes, columns, None, {})
        if len(counts) <= limit or len(columns) == 1:
            return columns, found, counts
        columns = columns[:-1]


# Radices of the columns and the tables, and why the kernel has a path for them.
KINDS = {
    "few cells": ([2, 3, 4], [[0, 1, 2], [2], [1, 0]]),
    "as many cells as keys of 16 bits": ([256, 16, 16], [[0, 1, 2], [2, 1, 0]]),
    "more cells than keys of 16 bits": ([241, 16, 17], [[0, 1, 2], [2, 1, 0]]),
    "more cells than the plain array holds": ([300, 200, 100, 2], [[0, 1, 2, 3], [3, 0]]),
    "nearly 63 bits": ([60000] * 3 + [30000], [[0, 1, 2, 3], [3, 2, 1, 0]]),
    "one level": ([1, 1], [[0, 1], [1]]),
}


@pytest.mark.parametrize("limit", [1, 40, 10**9])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("kind", KINDS)
def test_tables_are_those_of_the_slow_version(simd_level, kind, dtype, limit):
    radices, tables = KINDS[kind]
    if dtype == np.uint8 and max(radices) > 256:
        pytest.skip("codes of eight bits")
    codes = random_codes(radices, 5000, seed=1, dtype=dtype)
    tally = _native.Tally(tables, radices, limit)
    for start in range(0, 5000, 1300):
        tally.add(np.ascontiguousarray(codes[:, start : start + 1300]))
    for number, columns in enumerate(tables):
        depth, keys, counts = tally.counted(number)
        kept, found, expected = longest_within(codes, columns, limit)
        assert depth == len(kept)
        np.testing.assert_array_equal(configurations(keys, [radices[c] for c in kept]), found)
        np.testing.assert_array_equal(counts, expected)


@given(
    radices=st.lists(st.integers(1, 5), min_size=1, max_size=5),
    cuts=st.lists(st.integers(0, 200), max_size=4),
    limit=st.integers(1, 60),
    seed=st.integers(0, 5),
)
def test_parts_add_up_to_the_whole_in_any_grouping(radices, cuts, limit, seed):
    codes = random_codes(radices, 200, seed)
    columns = list(range(len(radices)))
    parts = []
    for start, stop in zip([0, *sorted(cuts)], [*sorted(cuts), 200], strict=True):
        tally = _native.Tally([columns], radices, limit)
        tally.add(np.ascontiguousarray(codes[:, start:stop]))
        parts.append(tally.counted(0))
    order = np.random.default_rng(seed).permutation(len(parts))
    total = parts[order[0]]
    for i in order[1:]:
        total = _native.add_counted(radices, limit, *total, *parts[i])
    kept, found, expected = longest_within(codes, columns, limit)
    assert total[0] == len(kept)
    np.testing.assert_array_equal(configurations(total[1], [radices[c] for c in kept]), found)
    np.testing.assert_array_equal(total[2], expected)


def test_a_code_too_large_is_refused_and_leaves_no_trace():
    tally = _native.Tally([[0, 1]], [2, 2], 100)
    with pytest.raises(ValueError, match="not below its variable's number of levels"):
        tally.add(np.array([[0, 1], [0, 2]], np.uint8))
    tally.add(np.array([[0, 1], [0, 1]], np.uint8))
    assert tally.counted(0)[2].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("tables", "radices", "message"),
    [
        ([[0, 2]], [2, 2], "out of range"),
        ([[0]], [0], "1 .. 65536"),
        ([[]], [2], "needs columns"),
        ([[0, 1, 2, 3]], [65536] * 4, "2\\^63"),
    ],
)
def test_impossible_tables_are_refused(tables, radices, message):
    with pytest.raises(ValueError, match=message):
        _native.Tally(tables, radices, 10)


def test_wrong_shapes_are_refused():
    tally = _native.Tally([[0]], [2], 10)
    with pytest.raises(ValueError, match="one row per column"):
        tally.add(np.zeros((2, 3), np.uint8))
    with pytest.raises(IndexError):
        tally.counted(1)
    keys, counts = np.zeros(1, np.uint64), np.ones(2, np.int64)
    with pytest.raises(ValueError, match="same length"):
        _native.add_counted([2], 10, 1, keys, counts, 1, keys, counts)
    with pytest.raises(ValueError, match="depth"):
        _native.add_counted([2], 10, 2, keys, counts[:1], 1, keys, counts[:1])
    with pytest.raises(ValueError, match="radix"):
        _native.add_counted([0], 10, 1, keys, counts[:1], 1, keys, counts[:1])


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("n_labels", [1, 7, 16, 17, 200])
@pytest.mark.parametrize("n_rows", [0, 1, 1001, 5000])
def test_recoding_and_counting_indices(simd_level, dtype, n_labels, n_rows):
    rng = np.random.default_rng(0)
    indices = rng.integers(0, n_labels, n_rows).astype(np.int32)
    code_of = rng.permutation(n_labels).astype(dtype)
    codes = np.empty(n_rows, dtype)
    _native.recode(indices, code_of, codes)
    np.testing.assert_array_equal(codes, code_of[indices])
    np.testing.assert_array_equal(
        _native.count_indices(indices, n_labels + 2), np.bincount(indices, minlength=n_labels + 2)
    )


@pytest.mark.parametrize("wrong", [-1, 3])
def test_indices_outside_the_dictionary_are_refused(wrong):
    indices = np.array([0, wrong], np.int32)
    with pytest.raises(ValueError, match="outside its dictionary"):
        _native.recode(indices, np.zeros(3, np.uint8), np.zeros(2, np.uint8))
    with pytest.raises(ValueError, match="outside its dictionary"):
        _native.count_indices(indices, 3)
    with pytest.raises(ValueError, match="same length"):
        _native.recode(indices, np.zeros(3, np.uint8), np.zeros(1, np.uint8))
