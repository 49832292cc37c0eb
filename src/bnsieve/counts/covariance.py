"""One covariance matrix of all columns, each a block, from which every parent set is scored.

In: `Moments` of all functions of ranks and all indicators. Out: a `Covariance` of those that are
worth keeping. A column has the same block in every family, so that equivalent graphs score alike.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts.embedding import Embedding
from bnsieve.counts.moments import Moments, moments_of
from bnsieve.table import Table

Floats = NDArray[np.float64]

# Added to the diagonal of correlations: columns may be functions of others.
_RIDGE = 1e-7
# More rows count as so many. They would show how far sums of functions are from the truth, and fill
# the graph with edges that make up for it.
_MOST_ROWS = 20_000.0
# A function that has no more of its variance to itself is one of the lower ones.
_LEAST_OWN = 1e-6
# Correlations are rounded, far below their chance error in any number of rows, so that the order in
# which rows were added up has no say in ties.
_DECIMALS = 9


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


def sampled_embedding(sample: Table, levels: Mapping[str, Sequence[Hashable]]) -> Embedding:
    """Return how the columns of a sample, and of all rows, become columns of real numbers.

    Of the higher functions those are left out that tell no more in the sample than chance would:
    sums over all rows take time by the square of their number. Which of the others are kept is
    decided in all rows.

    Parameters
    ----------
    sample : Table
    levels : mapping from str to sequence of labels
        Of all rows.
    """
    embedding = Embedding.of(sample, levels)
    first, numbers = embedding.first, sorted(embedding.rank_maps)
    moments = moments_of(sample, embedding)
    correlations, own = _orthogonal(moments.correlations(first), first, numbers)
    kept = _kept(correlations, own, first, numbers, _mean_rows(moments), sure=False)
    functions = {
        v: tuple(f for f, keep in zip(one, kept[first[v] : first[v + 1]], strict=True) if keep)
        for v, one in embedding.functions.items()
    }
    return replace(embedding, functions=functions)


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
    rounded = np.round(moments.correlations(first), _DECIMALS)
    correlations, own = _orthogonal(rounded, first, numbers)
    n_rows = _mean_rows(moments)
    kept = _kept(correlations, own, first, numbers, n_rows, sure=True)
    sizes = np.add.reduceat(kept.astype(np.int64), first[:-1])
    matrix = correlations[np.ix_(kept, kept)]
    if (moments.n_rows != moments.n_rows.flat[0]).any():
        matrix = _positive(matrix)
    matrix += _RIDGE * np.eye(len(matrix))
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Covariance(np.ascontiguousarray(matrix), starts, n_rows, kept)


def _mean_rows(moments: Moments) -> float:
    """Return in how many rows two variables are known, the mean over pairs; no more than count."""
    off = ~np.eye(len(moments.n_rows), dtype=bool)
    mean = float(moments.n_rows[off].mean() if off.any() else moments.n_rows[0, 0])
    return min(mean, _MOST_ROWS)


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
    *,
    sure: bool,
) -> NDArray[np.bool_]:
    """Tell which columns are kept: all indicators, all first functions, and others that tell.

    If not `sure`, what chance seldom gives is enough.
    """
    higher = np.zeros(len(correlations), dtype=bool)
    for v in numbers:
        higher[first[v] + 1 : first[v + 1]] = True
    owner = np.repeat(np.arange(len(first) - 1), np.diff(first))
    squares = np.minimum(correlations[:, ~higher] ** 2, 1 - 1e-9)
    squares[owner[:, np.newaxis] == owner[~higher]] = 0.0
    told = -0.5 * n_rows * np.log1p(-squares.max(axis=1, initial=0.0))
    least = 2 * np.log(len(first) - 1) + (0.5 * np.log(max(n_rows, 2.0)) if sure else 0.0)
    kept: NDArray[np.bool_] = ~higher | ((told > least) & own)
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
