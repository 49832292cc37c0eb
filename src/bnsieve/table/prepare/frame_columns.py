"""The columns of a table in memory, as far as it must be known what they are."""

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bnsieve.table import LIMITS, MAX_ROWS, Column, drawn_rows, named_columns, read_column
from bnsieve.table.prepare.facts import ColumnFacts

# Different odd cells that are told apart.
MAX_ODD = 1000
# Half a surrogate pair: Python allows it in a string, UTF-8 has no such.
HALF = re.compile("[\ud800-\udfff]")

IsOdd = Callable[[NDArray[Any]], NDArray[np.bool_]]
# The first row, from 1 on, and how many cells, by what is odd.
OddFound = dict[str, tuple[int, int]]


class Columns(Protocol):
    """The columns of a table, wherever it lies."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    def facts(self, names: Sequence[str], missing: Collection[str]) -> dict[str, ColumnFacts]:
        """Look at all rows of some columns; some texts stand for a missing cell."""

    def sample(self, names: Sequence[str], missing: Collection[str]) -> dict[str, Column]:
        """Return some rows of some columns: all rows if they are few."""

    def odd(self, name: str, is_odd: IsOdd, missing: Collection[str]) -> OddFound:
        """Look for odd cells in all rows of a column."""


class FrameColumns:
    """A table in memory as `Columns`.

    Parameters
    ----------
    data : DataFrame, Arrow table or array
    seed : int
        Of the rows that are drawn where they are many.
    """

    def __init__(self, data: Any, seed: int) -> None:
        names, columns, self.n_rows = named_columns(data)
        for name in names:
            if HALF.search(name):
                raise ValueError(
                    f"the column name {name!r} holds half a character, which no file can hold: "
                    "rename the column"
                )
        self.names = tuple(names)
        self._columns = dict(zip(names, columns, strict=True))
        self._seed = seed

    def facts(self, names: Sequence[str], missing: Collection[str]) -> dict[str, ColumnFacts]:
        """Look at all rows of some columns."""
        return {name: ColumnFacts.of(self._cells(name, missing)) for name in names}

    def sample(self, names: Sequence[str], missing: Collection[str]) -> dict[str, Column]:
        """Return some rows of some columns: all rows if they are few."""
        n_wanted = min(MAX_ROWS, LIMITS.drawn // max(1, len(names)))
        if self.n_rows <= n_wanted:
            return {name: self._cells(name, missing) for name in names}
        rows = drawn_rows(self.n_rows, n_wanted, self._seed)
        return {name: self._cells(name, missing).take(rows) for name in names}

    def odd(self, name: str, is_odd: IsOdd, missing: Collection[str]) -> OddFound:
        """Look for odd cells in all rows of a column."""
        return odd_in(self._cells(name, missing), is_odd, 0)

    def _cells(self, name: str, missing: Collection[str]) -> Column:
        return read_column(self._columns[name]).without(missing)


def odd_in(cells: Column, is_odd: IsOdd, first_row: int) -> OddFound:
    """Return the odd cells of some rows, of which the first has that number, from 0 on."""
    if not len(cells.values):
        return {}
    odd = is_odd(cells.values)
    rows = np.flatnonzero(cells.spread(odd, False))
    places = rows if cells.codes is None else cells.codes[rows]
    found: OddFound = {}
    for row, place in zip(rows.tolist(), places.tolist(), strict=True):
        value = str(cells.values[place])
        if value in found:
            found[value] = (found[value][0], found[value][1] + 1)
        elif len(found) < MAX_ODD:
            found[value] = (first_row + row + 1, 1)
    return found
