"""Sums of products of all columns, and the covariance matrix from which parent sets are scored.

`Moments` are sums over rows of the columns of real numbers that variables become (`Embedding`), and
add up: of blocks, of files, of days. In a row with missing values the other values count. From
these comes a `Covariance` of the columns that are kept. A variable has the same block in every
family, so that equivalent graphs score alike.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts.embedding import Embedding, columns_of
from bnsieve.counts.heavy_tails import fourth_moments, supported
from bnsieve.table import Column, Floats, Table

# Rows at a time: bounds the memory. Sums of blocks are added up, so that a thousand million rows
# lose no more than a few digits of sixteen.
_BLOCK_ROWS = 1 << 13
# Places of categories are widened for so many rows at a time.
_PIECE_ROWS = 1 << 18
# Added to the diagonal of correlations: columns may be functions of others.
_RIDGE = 1e-7
# More rows count as so many. They would show how far sums of functions are from the truth, and fill
# the graph with edges that make up for it.
MOST_SCORED_ROWS = 20_000
# Bartlett's correction: the likelihood ratio of two independent normal columns follows its limit
# most closely if so many rows do not count. Of ten rows, chance correlations gain too much.
_ROWS_NOT_COUNTED = 2.5
# A function that has no more of its variance to itself is one of the lower ones.
_LEAST_OWN = 1e-6
# Correlations are rounded, far below their chance error in any number of rows, so that the order in
# which rows were added up has no say in ties.
_DECIMALS = 9


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over rows of embedded columns; those of two sets of rows add up.

    Attributes
    ----------
    n_rows : ndarray of float64, shape (n_variables, n_variables)
        In how many rows each two variables are known.
    sums : ndarray of float64, shape (n_columns, n_variables)
        Of each column, over the rows in which each variable is known.
    products : ndarray of float64, shape (n_columns, n_columns)
    """

    n_rows: Floats
    sums: Floats
    products: Floats

    def __add__(self, other: "Moments") -> "Moments":
        """Return the moments of the rows of both."""
        return Moments(
            self.n_rows + other.n_rows, self.sums + other.sums, self.products + other.products
        )

    def correlations(self, first: NDArray[np.int64]) -> Floats:
        """Return the correlation of each two columns, over the rows in which both are known.

        Parameters
        ----------
        first : ndarray of int64, shape (n_variables + 1,)
            Where the columns of each variable begin.
        """
        owner = np.repeat(np.arange(len(first) - 1), np.diff(first))
        n_rows = np.maximum(self.n_rows[np.ix_(owner, owner)], 1.0)
        means = self.sums[:, owner] / n_rows
        covariance = self.products / n_rows - means * means.T
        deviations = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        # A column without variance tells nothing.
        scale = np.divide(1.0, deviations, out=np.zeros_like(deviations), where=deviations > 1e-9)
        found: Floats = covariance * scale * scale[:, np.newaxis]
        np.fill_diagonal(found, 1.0)
        return found


@dataclass(frozen=True, eq=False)
class Summed:
    """Moments of all rows, and of which columns they are.

    Attributes
    ----------
    embedding : Embedding
    moments : Moments
    """

    embedding: Embedding
    moments: Moments

    def select(self, names: Sequence[str]) -> "Summed":
        """Return those of some variables, in the order given."""
        place = {name: v for v, name in enumerate(self.embedding.names)}
        chosen = np.array([place[name] for name in names], dtype=np.int64)
        first = self.embedding.first
        columns = np.concatenate([np.arange(first[v], first[v + 1]) for v in chosen])
        own = self.moments
        return Summed(
            self.embedding.select(chosen.tolist()),
            Moments(
                own.n_rows[np.ix_(chosen, chosen)],
                own.sums[np.ix_(columns, chosen)],
                own.products[np.ix_(columns, columns)],
            ),
        )


class Summer:
    """Sums rows as they come.

    Parameters
    ----------
    embedding : Embedding
    """

    def __init__(self, embedding: Embedding) -> None:
        self._embedding = embedding
        self._size, self._n_variables = int(embedding.first[-1]), len(embedding.names)
        # Below the columns a row of ones, and below that where incomplete variables are known:
        # products with these are sums and numbers of rows.
        self._room = np.empty((self._size + 1 + self._n_variables) * _BLOCK_ROWS)
        self._n_rows = np.zeros((self._n_variables, self._n_variables))
        self._sums = np.zeros((self._size, self._n_variables))
        self._products = np.zeros((self._size, self._size))

    def add(self, columns: Sequence[Column | Floats], n_rows: int) -> None:
        """Sum some rows.

        Parameters
        ----------
        columns : sequence of Column or ndarray of float64
            Of each variable.
        n_rows : int
        """
        for start in range(0, n_rows, _PIECE_ROWS):
            self._add_piece(columns, range(start, min(start + _PIECE_ROWS, n_rows)))

    def _add_piece(self, columns: Sequence[Column | Floats], rows: range) -> None:
        functions, missing = self._embedding.functions_of(columns, rows)
        incomplete = sorted(missing)
        height = self._size + 1 + len(incomplete)
        of_block, products = np.empty((height, height)), np.zeros((height, height))
        for start in range(0, len(rows), _BLOCK_ROWS):
            here = min(_BLOCK_ROWS, len(rows) - start)
            block = self._room[: height * here].reshape(height, here)
            functions.fill(start, block[: self._size])
            block[self._size] = 1.0
            for known, v in zip(block[self._size + 1 :], incomplete, strict=True):
                np.logical_not(missing[v][start : start + here], out=known, casting="unsafe")
            products += np.matmul(block, block.T, out=of_block)
        self._add_products(products, incomplete)

    def _add_products(self, products: Floats, incomplete: list[int]) -> None:
        size = self._size
        self._products += products[:size, :size]
        sums = np.repeat(products[:size, size : size + 1], self._n_variables, axis=1)
        sums[:, incomplete] = products[:size, size + 1 :]
        self._sums += sums
        # Of a complete pair all rows count, else those in which the incomplete one is known.
        known = np.zeros(self._n_variables, dtype=np.int64)
        known[incomplete] = 1 + np.arange(len(incomplete))
        self._n_rows += products[size:, size:][np.ix_(known, known)]

    def result(self) -> Moments:
        """Return the sums so far."""
        return Moments(self._n_rows.copy(), self._sums.copy(), self._products.copy())


def moments_of(table: Table, embedding: Embedding) -> Moments:
    """Sum the rows of a table."""
    summer = Summer(embedding)
    summer.add(columns_of(table), table.n_rows)
    return summer.result()


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
        How many rows it counts for: the mean over pairs of those in which both are known, with
        Bartlett's correction for few rows.
    kept : ndarray of bool, shape (n_embedded,)
        Which columns of the embedding it has, in their order; empty if it was not made from one.
    n_summed : float
        How many rows were summed, which may be more than it counts for; 0 if that is not known.
    """

    matrix: Floats
    first: NDArray[np.int64]
    n_rows: float
    kept: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=bool))
    n_summed: float = 0.0

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.first) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of columns of each variable."""
        return np.diff(self.first)


def covariance_of(table: Table) -> Covariance:
    """Return the covariance of the kept functions and the indicators of a table's columns."""
    embedding = Embedding.of(table)
    return kept_covariance(moments_of(table, embedding), embedding)


def sampled_embedding(sample: Table, categories: Mapping[str, Sequence[Hashable]]) -> Embedding:
    """Return how the columns of a sample, and of all rows, become columns of real numbers.

    Of the higher functions those are left out that tell no more in the sample than chance would:
    sums over all rows take time by the square of their number. Which of the others are kept is
    decided in all rows.

    Parameters
    ----------
    sample : Table
    categories : mapping from str to sequence of categories
        Of all rows.
    """
    embedding = Embedding.of(sample, categories)
    first, moments = embedding.first, moments_of(sample, embedding)
    _, kept = _kept(moments.correlations(first), moments, embedding, strict=False)
    # The normal score stays, the first of the functions.
    higher = {
        v: kept[first[v + 1] - len(own) + 1 : first[v + 1]]
        for v, own in embedding.functions.items()
    }
    functions = {
        v: (*own[:1], *np.array(own[1:], dtype=np.int64)[higher[v]].tolist())
        for v, own in embedding.functions.items()
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
    n_rows, first = _rows_counted(moments), embedding.first
    rounded = np.round(moments.correlations(first), _DECIMALS)
    correlations, kept = _kept(rounded, moments, embedding, strict=True)
    matrix = correlations.matrix[np.ix_(kept, kept)]
    if correlations.is_changed or (moments.n_rows != moments.n_rows.flat[0]).any():
        matrix = _positive(matrix)
    matrix += _RIDGE * np.eye(len(matrix))
    starts = np.concatenate([[0], np.cumsum(kept)])[first].astype(np.int64)
    return Covariance(np.ascontiguousarray(matrix), starts, n_rows, kept, _rows_summed(moments))


def _rows_counted(moments: Moments) -> float:
    """Return for how many rows two variables count, the mean over pairs."""
    return min(max(_rows_summed(moments) - _ROWS_NOT_COUNTED, 1.0), MOST_SCORED_ROWS)


def _rows_summed(moments: Moments) -> float:
    """Return in how many rows two variables are known, the mean over pairs."""
    off = ~np.eye(len(moments.n_rows), dtype=bool)
    return float(moments.n_rows[off].mean() if off.any() else moments.n_rows[0, 0])


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


class _Orthogonal(NamedTuple):
    """Correlations of orthogonal functions, and whether some were lowered to their evidence."""

    matrix: Floats
    is_changed: bool


def _kept(
    correlations: Floats, moments: Moments, embedding: Embedding, *, strict: bool
) -> tuple[_Orthogonal, NDArray[np.bool_]]:
    """Take out of each function of a number what lower ones say; tell which columns are kept.

    Kept are all indicators, all first functions, and others that tell. If not `strict`, what
    chance seldom gives is enough.
    """
    first, n_rows = embedding.first, _rows_counted(moments)
    change = np.eye(len(correlations))
    has_variance, higher = np.ones(len(change), dtype=bool), np.zeros(len(change), dtype=bool)
    for v in sorted(embedding.rank_maps):
        block = slice(first[v], first[v + 1])
        change[block, block], has_variance[block] = _whitening(correlations[block, block])
        higher[first[v] + 1 : first[v + 1]] = True
    orthogonal = change @ correlations @ change.T
    owner = np.repeat(np.arange(len(first) - 1), np.diff(first))
    own_rows = np.maximum(np.diag(moments.n_rows)[owner], 1.0)
    means = moments.sums[np.arange(len(owner)), owner] / own_rows
    tails = fourth_moments(embedding, means, change)
    lowered = supported(orthogonal, tails, n_rows, len(first) - 1)
    if is_changed := lowered is not orthogonal:
        orthogonal = np.where(owner[:, np.newaxis] == owner, orthogonal, lowered)
    squares = np.minimum(orthogonal[:, ~higher] ** 2, 1 - 1e-9)
    squares[owner[:, np.newaxis] == owner[~higher]] = 0.0
    gains = -0.5 * n_rows * np.log1p(-squares.max(axis=1, initial=0.0))
    least = 2 * np.log(len(first) - 1) + (0.5 * np.log(max(n_rows, 2.0)) if strict else 0.0)
    return _Orthogonal(orthogonal, is_changed), ~higher | ((gains > least) & has_variance)


def _positive(matrix: Floats) -> Floats:
    """Return the nearest correlations that are possible: those of pairs may contradict."""
    values, vectors = np.linalg.eigh(matrix)
    if values[0] > _LEAST_OWN:
        return matrix
    repaired = (vectors * np.maximum(values, _LEAST_OWN)) @ vectors.T
    scale = 1 / np.sqrt(np.diag(repaired))
    found: Floats = repaired * scale * scale[:, np.newaxis]
    return found
