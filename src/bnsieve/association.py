"""Marginal association of every pair of variables: a table in, matrices out.

One matrix product of the variables' indicators counts all pairs of levels at once. The
likelihood-ratio statistic G of a pair is zero if the pair is exactly independent in the data; what
chance alone gives it on average is its degrees of freedom. A row counts for a pair if both of its
cells are known.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsieve.table import Table
from bnsieve.tsetlin.literals import Layout

# Rows at a time: bounds the memory; their counts are exact in float32.
_BLOCK_ROWS = 1 << 13
# Levels on one side of the product at a time: bounds the memory for wide tables.
_BLOCK_LEVELS = 512


@dataclass(frozen=True, eq=False)
class Associations:
    """How strongly each two variables go together.

    Attributes
    ----------
    g : ndarray of float64, shape (n_variables, n_variables)
        The likelihood-ratio statistic; on the diagonal that of a variable with itself.
    df : ndarray of float64, shape (n_variables, n_variables)
        Degrees of freedom, which are the statistic's mean under independence.
    n_rows : ndarray of float64, shape (n_variables, n_variables)
        Rows in which both are known.
    """

    g: NDArray[np.float64]
    df: NDArray[np.float64]
    n_rows: NDArray[np.float64]

    @property
    def excess(self) -> NDArray[np.float64]:
        """Return G less what independence would give, zero on the diagonal."""
        excess = self.g - self.df
        np.fill_diagonal(excess, 0.0)
        return excess

    def originals(self) -> NDArray[np.int64]:
        """Return for each variable the first one of which it is a copy, or its own number.

        A copy has other labels for the same thing, row by row: each of its levels goes with
        exactly one level of the original. Nothing in the data can tell the two apart.
        """
        own = np.diag(self.g)
        same = np.isclose(self.g, own[:, np.newaxis], rtol=1e-9, atol=0.0)
        whole = self.n_rows == np.diag(self.n_rows)[:, np.newaxis]
        copy = same & same.T & whole & whole.T
        first: NDArray[np.int64] = np.argmax(copy, axis=1)
        return first


def associations(table: Table) -> Associations:
    """Count all pairs of levels and return the pairs' association."""
    first = Layout.of(table.n_levels).first
    starts = first[:-1]
    shape = (table.n_variables, table.n_variables)
    joint, margins, n_rows = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for lower, upper in _level_blocks(first):
        counts = _level_counts(table, first, lower, upper)
        rows = starts[lower:upper] - first[lower]
        # Of each level of the first variable: in how many rows it occurs and the second is known.
        seen = np.add.reduceat(counts, starts, axis=1)
        n_rows[lower:upper] = np.add.reduceat(seen, rows, axis=0)
        margins[lower:upper] = np.add.reduceat(_n_log_n(seen), rows, axis=0)
        cells = np.add.reduceat(_n_log_n(counts), starts, axis=1)
        joint[lower:upper] = np.add.reduceat(cells, rows, axis=0)
    g = 2 * (joint - margins - margins.T + _n_log_n(n_rows))
    df = np.outer(table.n_levels - 1, table.n_levels - 1).astype(np.float64)
    return Associations(np.maximum(g, 0.0), df, n_rows)


def _n_log_n(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    product: NDArray[np.float64] = counts * np.log(np.maximum(counts, 1.0))
    return product


def _level_blocks(first: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Cut the variables into runs of about `_BLOCK_LEVELS` levels."""
    n_blocks = max(1, int(first[-1]) // _BLOCK_LEVELS)
    cuts = np.unique(np.searchsorted(first, np.linspace(0, first[-1], n_blocks + 1)))
    return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))


def _level_counts(
    table: Table, first: NDArray[np.int64], lower: int, upper: int
) -> NDArray[np.float64]:
    """Count the rows in which each level of variables `lower` .. `upper` occurs with each level."""
    counts = np.zeros((first[upper] - first[lower], first[-1]))
    for start in range(0, table.n_rows, _BLOCK_ROWS):
        codes = table.codes[:, start : start + _BLOCK_ROWS]
        n_rows = codes.shape[1]
        indicators = np.zeros((first[-1], n_rows), dtype=np.float32)
        indicators[codes + first[:-1, np.newaxis], np.arange(n_rows)] = 1
        for variable, mask in table.missing.items():
            hidden = mask[start : start + n_rows]
            indicators[first[variable] : first[variable + 1], hidden] = 0
        counts += indicators[first[lower] : first[upper]] @ indicators.T
    return counts
