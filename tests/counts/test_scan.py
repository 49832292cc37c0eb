"""Scans against lists of rows: what adds up, which rows are drawn, how they become a table."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from bnsieve.counts import Scan
from bnsieve.table import Table

NAMES = ("colour", "size", "amount")
BINS = {"amount": ("low", "high")}
# Rows of three columns, the last of which was cut from numbers; None is a missing cell.
ROWS = [
    ("red", 10, "high"),
    (None, 2, "low"),
    ("blue", 2, "low"),
    ("green", None, None),
    ("blue", 10, "high"),
    ("red", 30, "low"),
    ("green", 2, "low"),
]
VALUES = [9.5, 1.0, 2.0, np.nan, 8.0, 1.5, 0.5]
RANKS = [50, 10, 40, 20, 40, 60, 30]


def scan(first: int, end: int) -> Scan:
    """Read some of the rows, as they come, and draw them all."""
    counts: tuple[dict[object, int], ...] = ({}, {}, {})
    codes = []
    for row in ROWS[first:end]:
        for own, label in zip(counts, row, strict=True):
            own[label] = own.get(label, 0) + 1
        codes.append([list(own).index(label) for own, label in zip(counts, row, strict=True)])
    n_rows = end - first
    return Scan(
        NAMES,
        counts,
        np.array(RANKS[first:end], np.uint64),
        np.arange(first, end),
        np.array(codes, np.int32).reshape(n_rows, 3).T.copy(),
        n_rows,
        BINS,
        {"amount": np.array(VALUES[first:end])},
    )


def labels_of(table: Table) -> list[tuple[object, ...]]:
    """Rows of labels, None where a cell is missing."""
    columns = [
        [
            None if v in table.missing and table.missing[v][row] else table.categories[v][code]
            for row, code in enumerate(codes)
        ]
        for v, codes in enumerate(table.codes)
    ]
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize("cuts", [(), (3,), (1, 4), (0, 3), (6, 7)])
def test_scans_of_parts_add_up_to_that_of_all_rows(cuts):
    places = [0, *cuts, len(ROWS)]
    whole, *others = [scan(a, b) for a, b in pairwise(places)]
    for other in others:
        whole = whole + other
    assert whole.n_rows == len(ROWS)
    assert whole.bins == BINS
    for column, own in enumerate(whole.counts):
        expected = pd.Series([row[column] for row in ROWS], dtype=object)
        assert own == {
            label: sum(one is label or one == label for one in expected) for label in set(expected)
        }
        found = [list(own)[code] for code in whole.codes[column]]
        assert found == list(expected)
    assert whole.categories() == (("blue", "green", "red"), (2, 10, 30), ("low", "high"))
    assert labels_of(whole.sample(100)) == ROWS


@pytest.mark.parametrize("n", range(1, 9))
def test_the_rows_of_lowest_rank_are_drawn(n):
    # Of two rows of one rank the earlier comes first.
    drawn = sorted(sorted(range(len(ROWS)), key=lambda row: (RANKS[row], row))[:n])
    whole = scan(3, 7) + scan(0, 3)  # whatever was read first
    table = whole.sample(n)
    assert labels_of(table) == [ROWS[row] for row in drawn]
    np.testing.assert_array_equal(table.numbers[2], [VALUES[row] for row in drawn])
    lowest = whole.lowest(n)
    assert sorted(lowest.rows.tolist()) == drawn
    assert sorted(lowest.ranks.tolist()) == sorted(RANKS[row] for row in drawn)
    assert lowest.n_rows == len(ROWS)


def test_levels_of_a_sample_are_those_that_it_holds():
    # Ranks 10, 20 and 30: rows 1, 3 and 6.
    table = (scan(0, 4) + scan(4, 7)).sample(3)
    assert table.names == NAMES
    assert table.categories == (("green",), (2,), ("low",))
    assert {v: flags.tolist() for v, flags in table.missing.items()} == {
        0: [True, False, False],
        1: [False, True, False],
        2: [False, True, False],
    }


def test_a_column_of_which_the_sample_holds_no_cell_has_its_first_level():
    table = scan(0, 7).sample(1)
    assert table.categories == (("blue",), (2,), ("low",))
    assert table.missing[0].tolist() == [True]
    assert table.codes.tolist() == [[0], [0], [0]]


def test_a_column_without_any_cell_is_named():
    with pytest.raises(ValueError, match="column 'size' is missing in every row: drop it"):
        scan(3, 4).sample(1)


@pytest.mark.parametrize(("n_labels", "dtype"), [(256, np.uint8), (257, np.uint16)])
def test_codes_are_as_small_as_the_labels_of_the_sample_allow(n_labels, dtype):
    rows = np.arange(300)
    labels = {f"{row:03d}": 1 for row in rows}
    whole = Scan(
        ("a",), (labels,), rows.astype(np.uint64), rows, rows[np.newaxis].astype(np.int32), 300, {}
    )
    table = whole.sample(n_labels)
    assert table.codes.dtype == dtype
    assert table.categories == (tuple(f"{row:03d}" for row in range(n_labels)),)
    assert table.codes.tolist() == [list(range(n_labels))]
