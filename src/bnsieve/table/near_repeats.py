"""Rows that equal another but for a cell or two, more than their columns lead one to expect.

In: a `Table`. Out: how many rows are nearly copies, and in how many columns they may differ. A copy
with a time of its own, or one corrected cell, equals no other row, and inflates counts as a
copy does. Where rows are alike by nature, more pairs differ in two columns than in one, and the
more so the fewer: the numbers of pairs by the columns in which they differ are log-concave, as of
independent columns (Newton's inequalities). Copies are pairs beyond that, next to rows that are
equal: a gap parts them from the pairs that differ by nature.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsieve.table.table import Table

# Fewer columns tell too little about a pair of rows; of more, some are looked at.
_FEWEST_COLUMNS, _MOST_COLUMNS = 8, 100
# Copies differ in at most one column of so many, and in no more than two.
_ONE_IN, _MOST_DIFFERENT = 8, 2
# Cells that are compared.
_CELLS = 30_000_000
# Rows with a copy, and how many times the pairs of nearly equal rows are those to be expected.
_FEWEST, _TIMES = 8, 2.0
# Steps from which the number of pairs is extrapolated: copies of columns differ together.
_STEPS = 3


class NearRepeats(NamedTuple):
    """Rows that are nearly copies of another.

    Attributes
    ----------
    n_rows : int
        An estimate where some rows were looked at.
    n_different : int
        In at most so many columns they differ.
    """

    n_rows: int
    n_different: int


class Distances(NamedTuple):
    """In how many columns pairs of rows differ.

    Attributes
    ----------
    pairs : ndarray of float64
        By the number of columns, how many pairs; with zeros beyond the last column. The first of
        each pair is one of the rows that were compared with all others.
    nearest : ndarray of int
        Of each row that was compared with all others, the number of columns to the nearest.
    """

    pairs: NDArray[np.float64]
    nearest: NDArray[np.int64]


def distances(table: Table) -> Distances:
    """Compare rows, or some of many, with all others."""
    n_columns, cells = table.n_variables, _cells(table)
    n_anchors = min(table.n_rows, max(50, _CELLS // cells.size))
    anchors = np.random.default_rng(0).choice(table.n_rows, n_anchors, replace=False)
    pairs = np.zeros(n_columns + 2 * (_MOST_DIFFERENT + _STEPS) + 1)
    nearest = np.full(n_anchors, n_columns)
    for i, row in enumerate(np.sort(anchors).tolist()):
        different = (cells != cells[:, row, np.newaxis]).sum(axis=0)
        different[row] = n_columns
        pairs[: n_columns + 1] += np.bincount(different, minlength=n_columns + 1)
        nearest[i] = different.min()
    pairs[n_columns] -= n_anchors
    return Distances(pairs, nearest)


def find_near_repeats(table: Table) -> NearRepeats | None:
    """Look for rows that nearly repeat others, beyond what their columns lead one to expect."""
    n_columns = table.n_variables
    most = min(_MOST_DIFFERENT, n_columns // _ONE_IN)
    if n_columns < _FEWEST_COLUMNS or table.n_rows < 2 * _FEWEST:
        return None
    pairs, nearest = distances(table)
    for k in range(1, most + 1):
        n_near = int((nearest <= k).sum())
        expected = sum(_expected(pairs, j, k) for j in range(k + 1))
        if n_near >= _FEWEST and pairs[: k + 1].sum() > _TIMES * expected:
            return NearRepeats(round(n_near / len(nearest) * table.n_rows / 2), k)
    return None


def _expected(pairs: NDArray[np.float64], j: int, k: int) -> float:
    """Return an upper bound on the pairs that differ in j columns, from those beyond k."""
    steps = range(k - j + 1, k - j + 1 + _STEPS)
    return float(max((pairs[j + step] + 1) ** 2 / (pairs[j + 2 * step] + 1) for step in steps))


def _cells(table: Table) -> NDArray[np.int32]:
    """Return a number for each cell, equal where cells are; shape (n_columns, n_rows)."""
    n = min(table.n_variables, _MOST_COLUMNS)
    cells = np.empty((n, table.n_rows), dtype=np.int32)
    for i in range(n):
        v = i * table.n_variables // n
        if v in table.numbers:
            cells[i] = np.unique(table.numbers[v], return_inverse=True)[1]
            continue
        cells[i] = table.codes[v]
        if v in table.missing:
            cells[i][table.missing[v]] = -1
    return cells
