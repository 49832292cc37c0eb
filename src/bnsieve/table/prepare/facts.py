"""Facts about columns, additive over pieces of rows, in bounded memory.

In: the columns of a table, as `Columns`. Out: `ColumnFacts`, the same whatever the pieces of rows
and their order. Missing values are counted. Different values are counted too, with their
frequencies, as long as they are no more than a bound. Beyond it those with the lowest hashes are
kept: a sample of the different values that depends on nothing but these, each with its frequency in
all rows. From that sample their number is estimated (Bar-Yossef et al., 2002).
"""

import heapq
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.table import (
    EXACT,
    LIMITS,
    MAX_CATEGORIES,
    MAX_ROWS,
    Column,
    Kind,
    drawn_rows,
    named_columns,
    read_column,
)
from bnsieve.table.prepare.missing import without_missing
from bnsieve.table.prepare.parsing import are_infinite

# Different numbers that are counted: of more, only whether they repeat is of interest.
_NUMBERS = 1 << 14
# Rows that are counted together.
_PIECE = 1 << 16
# Different odd cells that are told apart.
_MAX_ODD = 1000
# Half a surrogate pair: Python allows it in a string, UTF-8 has no such.
HALF = re.compile("[\ud800-\udfff]")

IsOdd = Callable[[NDArray[Any]], NDArray[np.bool_]]
# The first row, from 1 on, and how many cells, by what is odd.
OddFound = dict[str, tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Distinct:
    """Different values and how often each occurs, those with the lowest hashes.

    Attributes
    ----------
    hashes : ndarray of uint64, shape (n,)
        Ascending.
    values : ndarray, shape (n,)
    counts : ndarray of int64, shape (n,)
    bound : int
        At most so many are kept.
    more : bool
        Whether there are more.
    """

    hashes: NDArray[np.uint64]
    values: NDArray[Any]
    counts: NDArray[np.int64]
    bound: int
    more: bool = False

    @classmethod
    def none(cls, kind: Kind) -> "Distinct":
        """Return no values of a kind."""
        bound = _NUMBERS if kind in ("number", "time") else MAX_CATEGORIES
        return cls(np.zeros(0, np.uint64), np.zeros(0, object), np.zeros(0, np.int64), bound)

    def plus(self, cells: Column) -> "Distinct":
        """Count some more rows."""
        values = cells.texts
        if cells.codes is not None:
            counts = np.bincount(cells.codes + 1, minlength=len(values) + 1)[1:]
            if len(counts) > len(values):
                raise ValueError(
                    f"a cell names category {len(counts):,} of {len(values):,}: the file may be "
                    "damaged"
                )
            values, counts = values[counts > 0], counts[counts > 0]
            return self._with(_hashes(values), values, counts, self.more)
        distinct, start = self, 0
        # Piece by piece takes less time: the first ones tell how few others must be told apart.
        while start < cells.n_rows:
            piece = values[start:] if distinct.more else values[start : start + _PIECE]
            start += len(piece)
            if distinct.more:
                piece = piece[_hashes(piece) <= distinct.hashes[-1]]
            places, piece = pd.factorize(piece)
            counts = np.bincount(places, minlength=len(piece))
            distinct = distinct._with(_hashes(piece), piece, counts, distinct.more)
        return distinct

    def __add__(self, other: "Distinct") -> "Distinct":
        """Return the values of both."""
        return self._with(other.hashes, other.values, other.counts, self.more or other.more)

    def _with(
        self,
        hashes: NDArray[np.uint64],
        values: NDArray[Any],
        counts: NDArray[np.int64],
        more: bool,
    ) -> "Distinct":
        if self.more and len(self.hashes) == self.bound:
            near = hashes <= self.hashes[-1]
            hashes, values, counts = hashes[near], values[near], counts[near]
        found, first, place = np.unique(
            np.concatenate([self.hashes, hashes]), return_index=True, return_inverse=True
        )
        weights = np.concatenate([self.counts, counts])
        sums = np.bincount(place, weights=weights, minlength=len(found)).astype(np.int64)
        both = np.concatenate([self.values, values]) if len(self.values) else values
        kept = slice(self.bound)
        more = more or len(found) > self.bound
        return Distinct(found[kept], both[first][kept], sums[kept], self.bound, more)

    @property
    def n_categories(self) -> int:
        """Number of different values, an estimate if there are more than the bound."""
        n = len(self.hashes)
        return round((n - 1) / (float(self.hashes[-1]) / 2.0**64)) if self.more else n


@dataclass(frozen=True, eq=False)
class ColumnFacts:
    """Facts about a column.

    Attributes
    ----------
    kind : Kind
    n_rows, n_missing : int
    distinct : Distinct
    type_name : str
        The type of its cells, if they can be no categories.
    as_text : bool
        Whether cells of several types were written as text.
    """

    kind: Kind
    n_rows: int
    n_missing: int
    distinct: Distinct
    type_name: str = ""
    as_text: bool = False

    @classmethod
    def of(cls, cells: Column, before: Distinct | None = None) -> "ColumnFacts":
        """Return the facts of some rows, with the different values of earlier ones."""
        n_missing = 0 if cells.codes is None else int((cells.codes < 0).sum())
        distinct = before or Distinct.none(cells.kind)
        if cells.kind not in ("other", "empty"):
            distinct = distinct.plus(cells)
        kind = "empty" if n_missing == cells.n_rows else cells.kind
        return cls(kind, cells.n_rows, n_missing, distinct, cells.type_name, cells.as_text)

    def plus(self, cells: Column) -> "ColumnFacts":
        """Return the facts with those of more rows; faster than adding these."""
        if self.kind in ("empty", "other") or cells.kind != self.kind:
            return self + ColumnFacts.of(cells)
        later = ColumnFacts.of(cells, self.distinct)
        return self._summed(self, later, later.distinct)

    def __add__(self, other: "ColumnFacts") -> "ColumnFacts":
        """Return the facts of both pieces of rows."""
        if self.kind == "empty" or other.kind == "empty":
            known = other if self.kind == "empty" else self
            return self._summed(known, other, known.distinct)
        return self._summed(self, other, self.distinct + other.distinct)

    def _summed(
        self, known: "ColumnFacts", other: "ColumnFacts", distinct: Distinct
    ) -> "ColumnFacts":
        n_rows, n_missing = self.n_rows + other.n_rows, self.n_missing + other.n_missing
        as_text = self.as_text or other.as_text
        return ColumnFacts(known.kind, n_rows, n_missing, distinct, known.type_name, as_text)

    def without(self, lost: NDArray[np.bool_]) -> "ColumnFacts":
        """Return the facts with some of the different values missing."""
        own = self.distinct
        left = replace(
            own, hashes=own.hashes[~lost], values=own.values[~lost], counts=own.counts[~lost]
        )
        n_missing = self.n_missing + int(own.counts[lost].sum())
        return replace(self, n_missing=n_missing, distinct=left)

    @property
    def n_known(self) -> int:
        """Number of cells that are not missing."""
        return self.n_rows - self.n_missing

    @property
    def n_categories(self) -> int:
        """Number of different values; an estimate is no more than the cells there are."""
        return min(self.distinct.n_categories, self.n_known)

    def most_frequent(self, n: int) -> list[tuple[Any, int]]:
        """Return the most frequent of the values that were kept, and how often each occurs."""
        values, counts = self.distinct.values, self.distinct.counts
        if 0 < n < len(counts):
            chosen = counts >= np.partition(counts, -n)[-n]
            values, counts = values[chosen], counts[chosen]
        if values.dtype.kind in "fiu":
            first = np.lexsort((values, -counts))[:n]
            return list(zip(values[first].tolist(), counts[first].tolist(), strict=True))
        # Python has no dates before year 1 or after 9999.
        cells = list(values) if values.dtype.kind == "M" else values.tolist()
        ranked = heapq.nsmallest(n, zip((-counts).tolist(), map(str, cells), cells, strict=True))
        return [(value, -count) for count, _, value in ranked]


def _hashes(values: NDArray[Any]) -> NDArray[np.uint64]:
    """Hash values so that equal ones have equal hashes, whatever their type and process."""
    if values.dtype == object:
        try:
            return pd.util.hash_array(values, categorize=False)
        except UnicodeEncodeError:  # a lone surrogate, which Python strings may hold
            texts = [text.encode("utf-8", "surrogatepass").decode("latin-1") for text in values]
            return pd.util.hash_array(np.array(texts, dtype=object), categorize=False)
    if values.dtype.kind == "f":
        whole = values == np.floor(values)
        bits = values.astype(np.float64).view(np.uint64)
        if whole.any():
            whole &= np.abs(values) < EXACT
            integers = np.where(whole, values, 0).astype(np.int64)
            bits = np.where(whole, integers.view(np.uint64), bits)
        hashes = pd.util.hash_array(bits, categorize=False)
        finite = np.isfinite(values)
        # What is not finite is never lost: it is among the lowest.
        return hashes if finite.all() else np.where(finite, hashes, (values > 0).astype(np.uint64))
    if values.dtype.kind == "M":
        seconds = values.astype(np.int64)
        hashes = pd.util.hash_array(seconds.view(np.uint64), categorize=False)
        infinite = are_infinite(values)
        return np.where(infinite, (seconds > 0).astype(np.uint64), hashes)
    bits = values.astype(np.int64 if values.dtype.kind == "i" else np.uint64).view(np.uint64)
    return pd.util.hash_array(bits, categorize=False)


class Columns(Protocol):
    """The columns of a table, in memory or in files."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    def facts(self, names: Sequence[str], missing: Collection[str]) -> dict[str, ColumnFacts]:
        """Return the facts of some columns, from all rows; some texts mean a missing value."""

    def sample(self, names: Sequence[str], missing: Collection[str]) -> dict[str, Column]:
        """Return some rows of some columns: all rows if they are few."""

    def odd(self, name: str, is_odd: IsOdd, missing: Collection[str]) -> OddFound:
        """Return the odd cells of a column, from all rows."""


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
        """Return the facts of some columns."""
        return {name: ColumnFacts.of(self._cells(name, missing)) for name in names}

    def sample(self, names: Sequence[str], missing: Collection[str]) -> dict[str, Column]:
        """Return some rows of some columns: all rows if they are few."""
        n_wanted = min(MAX_ROWS, LIMITS.drawn // max(1, len(names)))
        if self.n_rows <= n_wanted:
            return {name: self._cells(name, missing) for name in names}
        rows = drawn_rows(self.n_rows, n_wanted, self._seed)
        return {name: self._cells(name, missing).take(rows) for name in names}

    def odd(self, name: str, is_odd: IsOdd, missing: Collection[str]) -> OddFound:
        """Return the odd cells of a column."""
        return odd_in(self._cells(name, missing), is_odd, 0)

    def _cells(self, name: str, missing: Collection[str]) -> Column:
        return without_missing(read_column(self._columns[name]), name, missing)


def odd_in(cells: Column, is_odd: IsOdd, first_row: int) -> OddFound:
    """Return the odd cells of some rows, of which the first has that number, from 0 on."""
    if not len(cells.values):
        return {}
    rows = np.flatnonzero(cells.spread(is_odd(cells.values), False))
    places = rows if cells.codes is None else cells.codes[rows]
    found: OddFound = {}
    for row, place in zip(rows.tolist(), places.tolist(), strict=True):
        # The only odd ones among dates of a date type are infinite.
        value = "infinity" if cells.kind == "time" else str(cells.values[place])
        if value in found or len(found) < _MAX_ODD:
            first, n = found.get(value, (first_row + row + 1, 0))
            found[value] = (first, n + 1)
    return found
