"""Columns of labels and numbers as columns of real numbers, and their sums of products.

A number becomes a few functions of its rank, a label one indicator per level but one. `Embedding`
says how, and is made from some rows; `Moments` are sums over rows, and add up: of blocks, of files,
of days. In a row with a missing cell the other cells count.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bnsieve.table import N_FUNCTIONS, Codes, RankMap, Table

Floats = NDArray[np.float64]

# Of a variable of more levels the most frequent have indicators; the others share what is left.
MAX_INDICATORS = 32
# Of more columns than the first a number is its normal score only; more than the second are
# refused. A matrix of all pairs takes 0.3 and 3 GB.
_MANY_COLUMNS, _MAX_COLUMNS = 6_000, 20_000
# Rows at a time: bounds the memory.
_BLOCK_ROWS = 1 << 13


@dataclass(frozen=True, eq=False)
class Embedding:
    """Which columns of real numbers each variable becomes.

    Attributes
    ----------
    names : tuple of str
        The variables.
    rank_maps : mapping from int to RankMap
        Of each variable of numbers, by its position.
    indicated : mapping from int to ndarray of int64
        Of each other variable the codes of the levels that have an indicator.
    n_functions : int
        How many functions of its rank a number becomes.
    """

    names: tuple[str, ...]
    rank_maps: Mapping[int, RankMap]
    indicated: Mapping[int, NDArray[np.int64]]
    n_functions: int = N_FUNCTIONS

    @classmethod
    def of(cls, table: Table) -> "Embedding":
        """Make ranks and indicators of the rows of a table.

        Raises
        ------
        MemoryError
            If the columns are too many for a matrix of all pairs.
        """
        maps = {v: RankMap.of(values) for v, values in table.numbers.items()}
        labels = [v for v in range(table.n_variables) if v not in maps]
        made = cls(table.names, maps, {v: _most_frequent(table, v) for v in labels})
        if made.first[-1] > _MANY_COLUMNS:
            made = replace(made, n_functions=1)
        if made.first[-1] > _MAX_COLUMNS:
            raise MemoryError(
                f"{len(maps):,} columns of numbers and {len(labels):,} of labels are too many to "
                "learn from as numbers: give the learner discretize='auto'"
            )
        return made

    @property
    def first(self) -> NDArray[np.int64]:
        """Where the columns of each variable begin, and where the last ones end."""
        sizes = [
            self.n_functions if v in self.rank_maps else len(self.indicated[v])
            for v in range(len(self.names))
        ]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def columns(
        self, codes: Codes, numbers: Mapping[int, Floats], missing: Mapping[int, NDArray[np.bool_]]
    ) -> Floats:
        """Return some rows as real numbers, 0 where a cell is missing; shape (n_columns, n_rows).

        Parameters
        ----------
        codes, numbers, missing
            As those of a `Table`.
        """
        first = self.first
        found = np.zeros((int(first[-1]), codes.shape[1]))
        for v in range(len(self.names)):
            own = found[first[v] : first[v + 1]]
            if v in self.rank_maps:
                own[:] = self.rank_maps[v].functions(numbers[v])[: self.n_functions]
            else:
                np.equal(codes[v], self.indicated[v][:, np.newaxis], out=own, casting="unsafe")
            if v in missing:
                own[:, missing[v]] = 0.0
        return found


def _most_frequent(table: Table, variable: int) -> NDArray[np.int64]:
    n_levels = int(table.n_levels[variable])
    if n_levels <= MAX_INDICATORS + 1:
        return np.arange(max(1, n_levels - 1))
    counts = np.bincount(table.codes[variable], minlength=n_levels)
    if variable in table.missing:
        counts[0] -= np.count_nonzero(table.missing[variable])
    return np.sort(np.argsort(-counts, kind="stable")[:MAX_INDICATORS])


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


def moments_of(table: Table, embedding: Embedding) -> Moments:
    """Sum the rows of a table, block by block."""
    size, n_variables = int(embedding.first[-1]), table.n_variables
    total = Moments(
        np.zeros((n_variables, n_variables)),
        np.zeros((size, n_variables)),
        np.zeros((size, size)),
    )
    for start in range(0, table.n_rows, _BLOCK_ROWS):
        rows = slice(start, start + _BLOCK_ROWS)
        total += block_moments(
            embedding,
            table.codes[:, rows],
            {v: values[rows] for v, values in table.numbers.items()},
            {v: mask[rows] for v, mask in table.missing.items()},
        )
    return total


def block_moments(
    embedding: Embedding,
    codes: Codes,
    numbers: Mapping[int, Floats],
    missing: Mapping[int, NDArray[np.bool_]],
) -> Moments:
    """Sum some rows; parameters are those of `Embedding.columns`."""
    columns = embedding.columns(codes, numbers, missing)
    n_variables, n_rows = len(embedding.names), columns.shape[1]
    products = columns @ columns.T
    n_known = np.full((n_variables, n_variables), float(n_rows))
    sums = np.repeat(columns.sum(axis=1)[:, np.newaxis], n_variables, axis=1)
    gaps = sorted(v for v, mask in missing.items() if mask.any())
    if gaps:
        known = np.ones((n_variables, n_rows))
        for v in gaps:
            known[v, missing[v]] = 0.0
        n_known = known @ known.T
        sums[:, gaps] = columns @ known[gaps].T
    return Moments(n_known, sums, products)
