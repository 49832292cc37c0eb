"""Pieces of CSV files in little memory, so that many rows need not be taken apart twice.

In: a frame of some rows, as pandas reads it. Out: a `CsvPiece`. Whole numbers, with or without
missing cells, take as few bytes as they need. What else is few different values takes codes. Needs
no optional package.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.table import EXACT

# What a different text takes, about: its place, its characters and what Python adds.
_TEXT_BYTES = 80


class WholeNumbers(NamedTuple):
    """Whole numbers of some rows.

    Attributes
    ----------
    values : ndarray of int8, int16, int32 or int64, shape (n_rows,)
        The lowest number of the type stands for a missing cell.
    has_missing : bool
    """

    values: NDArray[Any]
    has_missing: bool

    @classmethod
    def of(cls, numbers: NDArray[Any]) -> "WholeNumbers | None":
        """Return numbers in the fewest bytes; None if not all are whole and exact.

        Parameters
        ----------
        numbers : ndarray of int64 or float64, shape (n_rows,)
            NaN is a missing cell.
        """
        if not len(numbers):
            return None
        if numbers.dtype.kind == "i":
            return cls(numbers.astype(_narrowest(numbers.min(), numbers.max())), False)
        missing = np.isnan(numbers)
        has_missing = bool(missing.any())
        filled = np.where(missing, 0.0, numbers) if has_missing else numbers
        low, high = filled.min(), filled.max()
        if not -EXACT < low <= high < EXACT:
            return None
        dtype = _narrowest(low, high)
        values = filled.astype(dtype)
        if not (values == filled).all():
            return None
        if has_missing:
            values[missing] = np.iinfo(dtype).min
        return cls(values, has_missing)

    @property
    def is_exact(self) -> bool:
        """Whether all numbers would be the same as fractions."""
        if self.values.itemsize < 8:
            return True
        return bool(self.values.min() > -EXACT) and bool(self.values.max() < EXACT)

    @property
    def missing(self) -> NDArray[np.bool_] | None:
        """Which cells are missing; None if none is."""
        if not self.has_missing:
            return None
        mask: NDArray[np.bool_] = self.values == np.iinfo(self.values.dtype).min
        return mask

    @property
    def series(self) -> "pd.Series[Any]":
        """The numbers as pandas reads them: fractions beside missing cells, else integers."""
        missing = self.missing
        if missing is None:
            return pd.Series(self.values.astype(np.int64))
        return pd.Series(np.where(missing, np.nan, self.values.astype(np.float64)))


SmallColumn: TypeAlias = "WholeNumbers | pd.Series[Any]"


@dataclass(frozen=True, eq=False)
class CsvPiece:
    """Some rows.

    Attributes
    ----------
    columns : dict of str to WholeNumbers or pandas.Series
    n_rows : int
    """

    columns: dict[str, SmallColumn]
    n_rows: int

    @classmethod
    def of(cls, frame: pd.DataFrame) -> "CsvPiece":
        """Keep the rows of a frame in little memory."""
        return cls({str(name): small_column(column) for name, column in frame.items()}, len(frame))

    @property
    def n_bytes(self) -> int:
        """Memory that the rows take, about."""
        return sum(map(_bytes_of, self.columns.values()))

    def series(self, name: str) -> "pd.Series[Any]":
        """Return a column as pandas reads it."""
        column = self.columns[name]
        if isinstance(column, WholeNumbers):
            return column.series
        if isinstance(column.dtype, pd.CategoricalDtype):
            return column.astype(column.dtype.categories.dtype)
        return column


def _narrowest(low: Any, high: Any) -> type[np.signedinteger[Any]]:
    for dtype in (np.int8, np.int16, np.int32):
        if np.iinfo(dtype).min < low and high <= np.iinfo(dtype).max:
            return dtype
    return np.int64


def small_column(column: "pd.Series[Any]") -> SmallColumn:
    """Keep some rows of a column in little memory."""
    if column.dtype in (np.int64, np.float64):
        numbers = WholeNumbers.of(column.to_numpy())
        return column if numbers is None else numbers
    if isinstance(column.dtype, pd.StringDtype):
        codes, texts = pd.factorize(column)
        return pd.Series(pd.Categorical.from_codes(codes, texts))
    return column


def _bytes_of(column: SmallColumn) -> int:
    if isinstance(column, WholeNumbers):
        return column.values.nbytes
    if isinstance(column.dtype, pd.CategoricalDtype):
        n_texts = len(column.dtype.categories)
        return int(column.cat.codes.to_numpy().nbytes) + _TEXT_BYTES * n_texts
    return _TEXT_BYTES * len(column) if column.dtype == object else int(column.nbytes)
