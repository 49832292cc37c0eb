"""`Column`: some rows of one column, as its different values and for each row which one.

Every step that works on a column takes it in this form: preparation, tables, passes over files.
`bnsieve.table.dtypes` reads the columns of other libraries into it.
"""

import contextlib
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Never, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

MAX_CATEGORIES = 65_536
"""Codes are at most 16 bits wide; a column with more categories is an identifier."""

# Integers that span no more have few different values, of which each row takes the place.
SMALL_SPAN = 1 << 12
# Below this span a table indexed by value is faster than hashing, and costs a megabyte at most.
_DENSE_SPAN = 1 << 20

Codes: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16]
Floats: TypeAlias = NDArray[np.float64]

Kind = Literal["text", "number", "boolean", "label", "time", "other", "empty"]
"""What cells are: "label" is a declared category of something else than text; "time" a date or a
time of any type; "other" what can be no category, such as lists or bytes."""


@dataclass(frozen=True, eq=False)
class Column:
    """Some rows of one column.

    Attributes
    ----------
    kind : Kind
    values : ndarray, shape (n_values,)
        Text and categories as Python objects, numbers as int64, uint64 or float64, times as
        datetime64[s]; none is missing. They may repeat, and not all need occur.
    codes : ndarray of int, shape (n_rows,), or None
        The place of each row's cell among the values, -1 if it is missing; None: row by row.
    type_name : str
        What the cells are, if they can be no categories.
    as_text : bool
        Whether cells of several types were written as text.
    is_ordered : bool
        Whether the order of the values was declared; otherwise categories are sorted.
    """

    kind: Kind
    values: NDArray[Any]
    codes: NDArray[Any] | None = None
    type_name: str = ""
    as_text: bool = False
    is_ordered: bool = False

    @classmethod
    def of_categories(cls, categories: Sequence[Hashable], codes: NDArray[Any]) -> "Column":
        """Return a column of categories that are known, in their order; -1: missing."""
        types = {type(category) for category in categories}
        if types == {int}:
            return cls("number", np.array(categories, dtype=np.int64), codes, is_ordered=True)
        kind: Kind = "text" if types <= {str} else "label"
        return cls(kind, objects(categories), codes, is_ordered=True)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.values) if self.codes is None else len(self.codes)

    @property
    def places(self) -> NDArray[Any]:
        """The place of each row's cell among the values, -1 if it is missing."""
        return np.arange(len(self.values)) if self.codes is None else self.codes

    @property
    def missing(self) -> NDArray[np.bool_]:
        """The missing cells, shape (n_rows,)."""
        missing: NDArray[np.bool_] = self.places < 0
        return missing

    @property
    def texts(self) -> NDArray[Any]:
        """The values, those of categories that are no text written as text."""
        if self.kind in ("boolean", "label"):
            return objects([str(value) for value in self.values])
        return self.values

    def spread(self, of_values: NDArray[Any], missing: Any) -> NDArray[Any]:
        """Return row by row what stands for the values, and for missing cells."""
        if self.codes is None:
            return of_values
        padded = np.append(of_values, np.array([missing], dtype=of_values.dtype))
        spread: NDArray[Any] = padded[self.codes]
        return spread

    def take(self, rows: NDArray[np.intp]) -> "Column":
        """Return some of the rows."""
        if self.codes is None:
            return replace(self, values=self.values[rows])
        codes = self.codes[rows]
        # The spare last place is the one that -1 refers to.
        gone = np.ones(len(self.values) + 1, dtype=np.bool_)
        gone[codes] = False
        gone[-1] = True
        return replace(self, values=self.values[~gone[:-1]], codes=places_of(gone)[codes])

    def without(self, texts: Collection[str]) -> "Column":
        """Return the same with blank text, and some other texts, as missing cells.

        A text such as "-999" is the number in a column of numbers, as it would be in a CSV file.
        """
        if self.kind == "text":
            gone = np.array([not v or v.isspace() or v in texts for v in self.values], dtype=bool)
        elif self.kind == "number" and (numbers := numbers_among(texts)):
            gone = np.isin(self.values, numbers)
        else:
            return self
        if not gone.any():
            return self
        return replace(self, values=self.values[~gone], codes=self.spread(places_of(gone), -1))

    @staticmethod
    def joined(parts: Sequence["Column"]) -> "Column":
        """Return the rows of several parts of one column, one below the other."""
        known = [part for part in parts if len(part.values)] or list(parts[:1])
        values = np.concatenate([part.values for part in known])
        codes, start = [], 0
        for part in parts:
            codes.append(np.where(part.missing, -1, part.places + start))
            start += len(part.values)
        as_text = any(part.as_text for part in parts)
        return replace(known[0], values=values, codes=np.concatenate(codes), as_text=as_text)

    def indexed(self) -> tuple[list[Hashable], NDArray[np.int32]]:
        """Return the values, None behind them if cells are missing, and each row's place there."""
        column = self._distinct()
        labels, codes = column.values.tolist(), column.places
        if len(codes) and codes.min() < 0:
            codes = np.where(codes < 0, len(labels), codes)
            labels.append(None)
        return labels, np.ascontiguousarray(codes, dtype=np.int32)

    def _distinct(self) -> "Column":
        """Return the same with each of many numbers once among the values."""
        if self.kind != "number" or (self.codes is not None and len(self.values) <= SMALL_SPAN):
            return self
        values, codes = distinct_integers(self.values)
        return replace(self, values=values, codes=self.spread(codes, -1))

    def observed(self, name: str) -> "Column":
        """Return the same with the categories that occur, in their order, as values.

        The order is the declared one, or that of the values: it does not depend on the rows.

        Raises
        ------
        ValueError
            If no cell is observed, or there are more than `MAX_CATEGORIES` categories.
        """
        column = self._distinct()
        positions = column.places
        categories = column.values.tolist()
        # The spare last place is the one that -1 refers to.
        seen = np.zeros(len(categories) + 1, dtype=np.bool_)
        seen[positions] = True
        order = np.flatnonzero(seen[:-1]).tolist()
        if not order:
            refuse_empty(name)
        if not self.is_ordered:
            order.sort(key=categories.__getitem__)
        # An Arrow dictionary may list an entry twice.
        distinct = {categories[i]: None for i in order}
        number = {category: code for code, category in enumerate(distinct)}
        if len(number) > MAX_CATEGORIES:
            raise ValueError(
                f"column {name!r} has {len(number):,} different categories, more than the "
                f"{MAX_CATEGORIES:,} supported: drop it if it is an identifier, or group its "
                "categories"
            )
        code_of = np.full(len(seen), -1, dtype=np.int16 if len(number) < 1 << 15 else np.int32)
        code_of[order] = [number[categories[i]] for i in order]
        return replace(column, values=objects(list(number)), codes=code_of[positions])


def code_dtype(n_categories: int) -> np.dtype[Any]:
    """Return the narrowest unsigned integer type that can number `n_categories`."""
    return np.dtype(np.uint8 if n_categories <= 256 else np.uint16)


def numbers_among(texts: Collection[str]) -> list[float]:
    """Return the numbers that some texts say."""
    numbers = []
    for text in texts:
        with contextlib.suppress(ValueError):
            numbers.append(float(text))
    return numbers


def distinct_integers(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the different integers, ascending, and the place of each value among them."""
    low, high = values.min(), values.max()
    if int(high) - int(low) >= _DENSE_SPAN:
        codes, distinct = pd.factorize(values, sort=True)
        return distinct, codes
    offsets = (values - low).astype(np.intp, copy=False)
    seen = np.zeros(int(high) - int(low) + 1, dtype=np.bool_)
    seen[offsets] = True
    code_of = (np.cumsum(seen) - 1).astype(np.int32)
    return np.flatnonzero(seen).astype(values.dtype) + low, code_of[offsets]


def places_of(missing: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the place of each cell among those that are not missing; -1 if it is."""
    place = np.cumsum(~missing) - 1
    place[missing] = -1
    return place


def objects(values: Sequence[Any]) -> NDArray[np.object_]:
    """Return an array of Python objects, whatever these are."""
    return np.fromiter(values, dtype=object, count=len(values))


class EmptyColumnError(ValueError):
    """A column without any value, where one was needed."""

    def __init__(self, name: str) -> None:
        super().__init__(f"column {name!r} is missing in every row: drop it")
        self.name = name


def refuse_empty(name: str) -> Never:
    """Refuse a column without any value."""
    raise EmptyColumnError(name)
