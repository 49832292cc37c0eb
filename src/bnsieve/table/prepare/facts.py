"""Facts about a column, additive over pieces of rows, in bounded memory.

In: columns, piece by piece, in any order. Out: `ColumnFacts`, the same whatever the pieces. Missing
cells are counted. Different values are counted too, with their frequencies, as long as they are no
more than a bound. Beyond it those with the lowest hashes are kept: a sample of the different values
that depends on nothing but these, each with how often it occurs in all rows. From that sample their
number is estimated (Bar-Yossef et al., 2002).
"""

import heapq
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.table import EXACT, MAX_CATEGORIES, Column, Kind

# Different numbers that are counted: of more, only whether they repeat is of interest.
_NUMBERS = 1 << 14
# Rows that are looked at together.
_PIECE = 1 << 16


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
        """Return what is known before any row was looked at."""
        bound = _NUMBERS if kind in ("number", "time") else MAX_CATEGORIES
        return cls(np.zeros(0, np.uint64), np.zeros(0, object), np.zeros(0, np.int64), bound)

    def plus(self, cells: Column) -> "Distinct":
        """Look at some more rows."""
        if cells.codes is None and cells.n_rows > _PIECE:
            # The same result in less time: the first say how few others must be told apart.
            found = self
            for start in range(0, cells.n_rows, _PIECE):
                found = found.plus(replace(cells, values=cells.values[start : start + _PIECE]))
            return found
        values, hashes = cells.texts, None
        if cells.codes is None and self.more:
            # Of many different numbers few have to be told apart.
            hashes = _hashes(values)
            near = hashes <= self.hashes[-1]
            values, hashes = values[near], hashes[near]
        if cells.codes is None:
            places, first = _told_apart(values)
            counts = np.bincount(places, minlength=len(first))
            values = values[first]
            hashes = None if hashes is None else hashes[first]
        else:
            counts = np.bincount(cells.codes + 1, minlength=len(values) + 1)[1:]
            values, counts = values[counts > 0], counts[counts > 0]
        return self._with(_hashes(values) if hashes is None else hashes, values, counts)

    def __add__(self, other: "Distinct") -> "Distinct":
        """Return the values of both."""
        joined = self._with(other.hashes, other.values, other.counts)
        if other.more and not joined.more:
            return Distinct(joined.hashes, joined.values, joined.counts, self.bound, more=True)
        return joined

    def _with(
        self, hashes: NDArray[np.uint64], values: NDArray[Any], counts: NDArray[np.int64]
    ) -> "Distinct":
        more = self.more
        if more and len(self.hashes) == self.bound:
            near = hashes <= self.hashes[-1]
            hashes, values, counts = hashes[near], values[near], counts[near]
        found, first, place = np.unique(
            np.concatenate([self.hashes, hashes]), return_index=True, return_inverse=True
        )
        both = np.concatenate([self.counts, counts])
        sums = np.bincount(place, weights=both, minlength=len(found)).astype(np.int64)
        kept = slice(self.bound)
        own = values if not len(self.values) else np.concatenate([self.values, values])
        return Distinct(
            found[kept],
            own[first][kept],
            sums[kept],
            self.bound,
            more or len(found) > self.bound,
        )

    @property
    def n_categories(self) -> int:
        """How many different values there are, an estimate if there are more than the bound."""
        n = len(self.hashes)
        if not self.more:
            return n
        return round((n - 1) / (float(self.hashes[-1]) / 2.0**64))


@dataclass(frozen=True, eq=False)
class ColumnFacts:
    """What is known of a column.

    Attributes
    ----------
    kind : Kind
    n_rows, n_missing : int
    distinct : Distinct
    type_name : str
        What its cells are, if they can be no categories.
    as_text : bool
        Whether cells of several types were written as text.
    """

    kind: Kind
    n_rows: int
    n_missing: int
    distinct: Distinct
    type_name: str = ""
    as_text: bool = False

    def plus(self, cells: Column) -> "ColumnFacts":
        """Look at some more rows; the same as adding the facts of these, in less time."""
        if self.kind in ("empty", "other") or cells.kind != self.kind:
            return self + ColumnFacts.of(cells)
        n_missing = 0 if cells.codes is None else int((cells.codes < 0).sum())
        return ColumnFacts(
            self.kind,
            self.n_rows + cells.n_rows,
            self.n_missing + n_missing,
            self.distinct.plus(cells),
            self.type_name,
            self.as_text or cells.as_text,
        )

    @classmethod
    def of(cls, cells: Column) -> "ColumnFacts":
        """Look at some rows."""
        n_missing = 0 if cells.codes is None else int((cells.codes < 0).sum())
        distinct = Distinct.none(cells.kind)
        if cells.kind not in ("other", "empty"):
            distinct = distinct.plus(cells)
        kind = "empty" if n_missing == cells.n_rows else cells.kind
        return cls(kind, cells.n_rows, n_missing, distinct, cells.type_name, cells.as_text)

    @property
    def n_known(self) -> int:
        """Cells that are not missing."""
        return self.n_rows - self.n_missing

    def __add__(self, other: "ColumnFacts") -> "ColumnFacts":
        """Return the facts of both pieces of rows."""
        if self.kind == "empty" or other.kind == "empty":
            one = other if self.kind == "empty" else self
            distinct = one.distinct
        else:
            one, distinct = self, self.distinct + other.distinct
        return ColumnFacts(
            one.kind,
            self.n_rows + other.n_rows,
            self.n_missing + other.n_missing,
            distinct,
            one.type_name,
            self.as_text or other.as_text,
        )

    def most_frequent(self, n: int) -> list[tuple[Any, int]]:
        """Return some of the values that were kept and how often each occurs."""
        values, counts = self.distinct.values, self.distinct.counts
        if 0 < n < len(counts):
            # Most are too rare, and need no text to be told apart by.
            chosen = counts >= np.partition(counts, -n)[-n]
            values, counts = values[chosen], counts[chosen]
        texts = map(str, values.tolist())
        by_text = zip((-counts).tolist(), texts, range(len(counts)), strict=True)
        found = [(i, -count) for count, _, i in heapq.nsmallest(n, by_text)]
        return [(values[i : i + 1].tolist()[0], count) for i, count in found]


def _told_apart(values: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return which of the different values each is, and where each of these comes first."""
    places, different = pd.factorize(values)
    first = np.empty(len(different), dtype=np.intp)
    first[places[::-1]] = np.arange(len(places))[::-1]
    return places, first


def _hashes(values: NDArray[Any]) -> NDArray[np.uint64]:
    """Hash values so that equal ones have equal hashes, whatever their type and process."""
    if values.dtype == object:
        try:
            return pd.util.hash_array(values, categorize=False)
        except UnicodeEncodeError:  # a lone surrogate, which Python strings may hold
            texts = [text.encode("utf-8", "surrogatepass").decode("latin-1") for text in values]
            return pd.util.hash_array(np.array(texts, dtype=object), categorize=False)
    if values.dtype.kind == "f":
        whole = (values == np.floor(values)) & (np.abs(values) < EXACT)
        as_integers = np.where(whole, values, 0).astype(np.int64).view(np.uint64)
        bits = np.where(whole, as_integers, values.astype(np.float64).view(np.uint64))
        hashes = pd.util.hash_array(bits, categorize=False)
        # What is not finite is never lost: it is among the lowest.
        return np.where(np.isfinite(values), hashes, (values > 0).astype(np.uint64))
    bits = values.astype(np.int64 if values.dtype.kind in "iM" else np.uint64).view(np.uint64)
    return pd.util.hash_array(bits, categorize=False)
