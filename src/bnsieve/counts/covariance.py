"""One covariance matrix of all columns, each a block, from which every parent set is scored.

In: `Moments` of all functions of ranks and all indicators. Out: a `Covariance` of those that are
worth keeping. A column has the same block in every family, so that equivalent graphs score alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts.moments import Embedding, Moments, moments_of
from bnsieve.table import Table

Floats = NDArray[np.float64]

# Added to the diagonal of correlations: columns may be functions of others.
_RIDGE = 1e-7
# A function that has no more of its variance to itself is one of the lower ones.
_LEAST_OWN = 1e-6


@dataclass(frozen=True, eq=False)
class Covariance:
    """The covariance of variables, each of which is a block of columns.

    Attributes
    ----------
    matrix : ndarray of float64, shape (n_columns, n_columns)
        Positive definite.
    first : ndarray of int64, shape (n_variables + 1,)
        Where the columns of each variable begin, and where the last ones end.
    n_rows : float
        How many rows it is worth: the mean over pairs of those in which both are known.
    kept : ndarray of bool, shape (n_embedded,)
        Which columns of the embedding it has, in their order; empty if it was not made from one.
    """

    matrix: Floats
    first: NDArray[np.int64]
    n_rows: float
    kept: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=bool))

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.first) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of columns of each variable."""
        return np.diff(self.first)

    def select(self, variables: Sequence[int]) -> "Covariance":
        """Return the covariance of some variables, in the order given."""
        columns = np.concatenate(
            [np.arange(self.first[v], self.first[v + 1]) for v in variables]
        ).astype(np.int64)
        first = np.concatenate([[0], np.cumsum(self.sizes[list(variables)])]).astype(np.int64)
        return Covariance(self.matrix[np.ix_(columns, columns)], first, self.n_rows)


def covariance_of(table: Table) -> Covariance:
    """Return the covariance of the kept functions and the indicators of a table's columns."""
    embedding = Embedding.of(table)
    return kept_covariance(moments_of(table, embedding), embedding)


def kept_covariance(moments: Moments, embedding: Embedding) -> Covariance:
    """Choose which functions of each number are kept, and return the covariance of those.

    Functions are made orthogonal to the lower ones of their column. If two columns are jointly
    normal after some increasing transform of each, a higher function of one has no correlation with
    the normal score of the other. One that has, with some other column, shows that something is
    neither linear nor a matter of scale; it is kept. Chance correlations are many: each pair of
    columns has some, so that those are kept that outweigh twice the logarithm of the number of
    columns beside the usual half logarithm of rows.
    """
    first = embedding.first
    numbers = sorted(embedding.rank_maps)
    correlations, own = _orthogonal(moments.correlations(first), first, numbers)
    n_variables = len(embedding.names)
    off = ~np.eye(n_variables, dtype=bool)
    n_rows = float(moments.n_rows[off].mean() if n_variables > 1 else moments.n_rows[0, 0])
    kept = _kept(correlations, own, first, numbers, n_rows)
    sizes = np.add.reduceat(kept.astype(np.int64), first[:-1])
    matrix = correlations[np.ix_(kept, kept)]
    if (moments.n_rows != moments.n_rows.flat[0]).any():
        matrix = _positive(matrix)
    matrix += _RIDGE * np.eye(len(matrix))
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Covariance(np.ascontiguousarray(matrix), starts, n_rows, kept)


def _orthogonal(
    correlations: Floats, first: NDArray[np.int64], numbers: Sequence[int]
) -> tuple[Floats, NDArray[np.bool_]]:
    """Take out of each function of a number what lower ones say; tell which have something left."""
    size = len(correlations)
    change = np.eye(size)
    own = np.ones(size, dtype=bool)
    for v in numbers:
        block = slice(first[v], first[v + 1])
        change[block, block], own[block] = _whitening(correlations[block, block])
    return change @ correlations @ change.T, own


def _whitening(block: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the lower triangular matrix that makes columns orthogonal, one after another."""
    size = len(block)
    change, own = np.zeros((size, size)), np.zeros(size, dtype=bool)
    for k in range(size):
        row = np.zeros(size)
        row[k] = 1.0
        for j in range(k):
            if own[j]:
                row -= (change[j] @ block[k]) * change[j]
        variance = float(row @ block @ row)
        if variance > _LEAST_OWN:
            change[k], own[k] = row / np.sqrt(variance), True
    return change, own


def _kept(
    correlations: Floats,
    own: NDArray[np.bool_],
    first: NDArray[np.int64],
    numbers: Sequence[int],
    n_rows: float,
) -> NDArray[np.bool_]:
    """Tell which columns are kept: all indicators, all first functions, and others that tell."""
    higher = np.zeros(len(correlations), dtype=bool)
    for v in numbers:
        higher[first[v] + 1 : first[v + 1]] = True
    owner = np.repeat(np.arange(len(first) - 1), np.diff(first))
    squares = np.minimum(correlations[:, ~higher] ** 2, 1 - 1e-9)
    squares[owner[:, np.newaxis] == owner[~higher]] = 0.0
    told = -0.5 * n_rows * np.log1p(-squares.max(axis=1, initial=0.0))
    enough = told > 0.5 * np.log(max(n_rows, 2.0)) + 2 * np.log(len(first) - 1)
    kept: NDArray[np.bool_] = ~higher | (enough & own)
    return kept


def _positive(matrix: Floats) -> Floats:
    """Return the nearest correlations that are possible: those of pairs may contradict."""
    values, vectors = np.linalg.eigh(matrix)
    if values[0] > _LEAST_OWN:
        return matrix
    repaired = (vectors * np.maximum(values, _LEAST_OWN)) @ vectors.T
    scale = 1 / np.sqrt(np.diag(repaired))
    found: Floats = repaired * scale * scale[:, np.newaxis]
    return found
