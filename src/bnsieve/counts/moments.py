"""Sums of products of the columns of real numbers that variables become.

`Moments` are sums over rows, and add up: of blocks, of files, of days. In a row with a missing cell
the other cells count.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts.embedding import Column, Embedding, Filler, columns_of
from bnsieve.table import Table

Floats = NDArray[np.float64]

# Rows at a time: bounds the memory. Sums of blocks are added up, so that a thousand million rows
# lose no more than a few digits of sixteen.
_BLOCK_ROWS = 1 << 13


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
        self._filler = Filler(embedding)
        self._size, self._n_variables = int(embedding.first[-1]), len(embedding.names)
        # Below the columns a row of ones, and below that where the variables with gaps are known:
        # products with these are sums and numbers of rows.
        self._room = np.empty((self._size + 1 + self._n_variables) * _BLOCK_ROWS)
        self._n_rows = np.zeros((self._n_variables, self._n_variables))
        self._sums = np.zeros((self._size, self._n_variables))
        self._products = np.zeros((self._size, self._size))

    def add(self, columns: Sequence[Column], n_rows: int) -> None:
        """Sum some rows.

        Parameters
        ----------
        columns : sequence of Column
            Of each variable.
        n_rows : int
        """
        prepared = self._filler.prepared(columns)
        for start in range(0, n_rows, _BLOCK_ROWS):
            here = min(_BLOCK_ROWS, n_rows - start)
            rows = slice(start, start + here)
            height = self._size + 1 + self._n_variables
            room = self._room[: height * here].reshape(height, here)
            missing = self._filler.fill_prepared(prepared, rows, room[: self._size])
            self._add_block(room, missing)

    def _add_block(self, room: Floats, missing: dict[int, NDArray[np.bool_]]) -> None:
        size, gaps = self._size, sorted(missing)
        room[size] = 1.0
        for i, v in enumerate(gaps):
            np.logical_not(missing[v], out=room[size + 1 + i], casting="unsafe")
        block = room[: size + 1 + len(gaps)]
        products = block @ block.T
        self._products += products[:size, :size]
        sums = np.repeat(products[:size, size : size + 1], self._n_variables, axis=1)
        sums[:, gaps] = products[:size, size + 1 :]
        self._sums += sums
        # Of a pair without gaps all rows count, of one gap those that one has.
        known = np.zeros(self._n_variables, dtype=np.int64)
        known[gaps] = 1 + np.arange(len(gaps))
        self._n_rows += products[size:, size:][np.ix_(known, known)]

    def result(self) -> Moments:
        """Return the sums so far."""
        return Moments(self._n_rows.copy(), self._sums.copy(), self._products.copy())


def moments_of(table: Table, embedding: Embedding) -> Moments:
    """Sum the rows of a table."""
    summer = Summer(embedding)
    summer.add(columns_of(table), table.n_rows)
    return summer.result()
