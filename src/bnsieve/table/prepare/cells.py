"""One column of any kind -> its values, and for each row which one.

In: a pandas Series, a narwhals Series or an Arrow array. Out: `Cells`, the same for the same data
whatever it comes in. All that is found out about a column, and all that is done to it, is found and
done on these.
"""

import contextlib
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bnsieve.table import as_series

Kind = Literal["text", "number", "boolean", "label", "time", "other", "empty"]
"""What cells are: "label" is a declared category of something else than text; "time" a date or a
time of any type; "other" what can be no category, such as lists or bytes."""

_SCALARS = (str, int, float, bool, np.generic)
# Integers that span no more have few different values, of which each row takes the place: a
# quarter of the memory.
_SMALL_SPAN = 1 << 12


@dataclass(frozen=True, eq=False)
class Cells:
    """Some rows of one column.

    Attributes
    ----------
    kind : Kind
    values : ndarray, shape (n_values,)
        Text as Python strings, numbers as int64, uint64 or float64, times as datetime64[s]; none
        is missing. They may repeat, and not all need occur.
    indices : ndarray of int, shape (n_rows,), or None
        The place of each row's cell among the values, -1 if it is missing; None: row by row.
    type_name : str
        What the cells are, if they can be no categories.
    as_text : bool
        Whether cells of several types were written as text.
    """

    kind: Kind
    values: NDArray[Any]
    indices: NDArray[Any] | None = None
    type_name: str = ""
    as_text: bool = False

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.values) if self.indices is None else len(self.indices)

    def spread(self, of_values: NDArray[Any], missing: Any) -> NDArray[Any]:
        """Return row by row what stands for the values, and another thing where cells are missing.

        Parameters
        ----------
        of_values : ndarray, shape (n_values,)
        missing
            Of the same type.
        """
        if self.indices is None:
            return of_values
        padded = np.append(of_values, np.array([missing], dtype=of_values.dtype))
        spread: NDArray[Any] = padded[self.indices]
        return spread

    def take(self, rows: NDArray[np.intp]) -> "Cells":
        """Return some of the rows."""
        if self.indices is None:
            return replace(self, values=self.values[rows])
        places, indices = np.unique(self.indices[rows], return_inverse=True)
        missing = int(len(places) > 0 and places[0] < 0)
        return replace(self, values=self.values[places[missing:]], indices=indices - missing)

    def without(self, texts: Collection[str]) -> "Cells":
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
        place = np.cumsum(~gone) - 1
        place[gone] = -1
        indices = self.spread(place, -1)
        return Cells(self.kind, self.values[~gone], indices, as_text=self.as_text)


def numbers_among(texts: Collection[str]) -> list[float]:
    """Return the numbers that some texts say."""
    found = []
    for text in texts:
        with contextlib.suppress(ValueError):
            found.append(float(text))
    return found


def cells_of(column: Any) -> Cells:
    """Read a column.

    Parameters
    ----------
    column : numpy.ndarray, pandas.Series, narwhals.Series, pyarrow.Array or pyarrow.ChunkedArray
    """
    if isinstance(column, np.ndarray):
        column = as_series(column)
    if isinstance(column, pd.Series):
        return _of_pandas(column)
    if hasattr(column, "to_arrow"):
        # Without its name, which says nothing here: a zero byte in it makes polars panic.
        column = column.alias("").to_arrow()
    return _of_arrow(column)


def _of_pandas(series: "pd.Series[Any]") -> Cells:
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _of_categories(series.cat.categories, series.cat.codes.to_numpy())
    if isinstance(dtype, pd.ArrowDtype):
        return _of_arrow(series.array.__arrow_array__())
    if isinstance(dtype, pd.SparseDtype):
        series = pd.Series(np.asarray(series))
        dtype = series.dtype
    if isinstance(dtype, pd.PeriodDtype):
        series = series.dt.to_timestamp()
    if pd.api.types.is_datetime64_any_dtype(series.dtype):
        return _of_times(series)
    if pd.api.types.is_timedelta64_dtype(dtype):
        series = series.dt.total_seconds()
        dtype = series.dtype
    if isinstance(dtype, pd.StringDtype):
        return _of_texts(series)
    if pd.api.types.is_bool_dtype(dtype):
        return _of_booleans(series)
    if pd.api.types.is_integer_dtype(dtype) or pd.api.types.is_float_dtype(dtype):
        return _of_numbers(series)
    return _of_objects(series)


def _of_objects(series: "pd.Series[Any]") -> Cells:
    # One sign for all missing cells: None, NaN and NaT together are of no type that pandas knows.
    cells = series.to_numpy(dtype=object, copy=True)
    cells[series.isna().to_numpy()] = None
    series = pd.Series(cells, dtype=object)
    kind = pd.api.types.infer_dtype(series, skipna=True)
    if kind == "empty":
        return _empty(len(series))
    if kind == "string":
        return _of_texts(series)
    if kind == "boolean":
        return _of_booleans(series)
    if kind in ("integer", "floating", "mixed-integer-float", "decimal"):
        try:
            return _of_numbers(series.astype("Int64" if kind == "integer" else "float64"))
        except (OverflowError, TypeError, ValueError):  # beyond 64 bits: no numbers to count with
            return _of_texts(series.map(str, na_action="ignore"), as_text=True)
    if kind in ("date", "datetime", "datetime64"):
        return _of_times(pd.to_datetime(series, errors="coerce"))
    known = series.dropna()
    if kind in ("mixed", "mixed-integer") and all(isinstance(one, _SCALARS) for one in known):
        # As objects: strings of pandas cannot hold a lone surrogate.
        texts = [None if one is None else _text_of(one) for one in series]
        return _of_texts(pd.Series(texts, dtype=object), as_text=True)
    if kind == "time":
        return _of_texts(series.map(str, na_action="ignore"), as_text=True)
    name = "bytes" if kind == "bytes" else type(known.iloc[0]).__name__
    return Cells("other", np.zeros(0), _missing_or_not(series), name)


def _text_of(cell: Any) -> str:
    """Write a cell as text: a whole number of fractional type as the integer it is."""
    if isinstance(cell, float | np.floating) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def _of_texts(series: "pd.Series[Any]", as_text: bool = False) -> Cells:
    codes, values = pd.factorize(series)
    return Cells("text", np.asarray(values, dtype=object), codes, as_text=as_text)


def _of_booleans(series: "pd.Series[Any]") -> Cells:
    codes, values = pd.factorize(series)
    return Cells("boolean", np.array([str(bool(v)) for v in values], dtype=object), codes)


def _of_numbers(series: "pd.Series[Any]") -> Cells:
    missing = series.isna().to_numpy()
    n_missing = int(missing.sum())
    if n_missing == len(series):
        return _empty(len(series))
    known = series[~missing] if n_missing else series
    if pd.api.types.is_float_dtype(series.dtype):
        values: NDArray[Any] = known.to_numpy(dtype=np.float64)
    elif pd.api.types.is_unsigned_integer_dtype(series.dtype):
        values = known.to_numpy(dtype=np.uint64)
    else:
        values = known.to_numpy(dtype=np.int64)
    return Cells("number", values, _positions(missing) if n_missing else None)


def _of_times(series: "pd.Series[Any]") -> Cells:
    """Read times as a clock on the wall shows them."""
    if getattr(series.dt, "tz", None) is not None:
        series = series.dt.tz_localize(None)
    times = series.to_numpy().astype("datetime64[s]")
    missing = np.isnat(times)
    if missing.all():
        return _empty(len(series))
    if not missing.any():
        return Cells("time", times)
    return Cells("time", times[~missing], _positions(missing))


def _of_categories(categories: "pd.Index[Any]", codes: NDArray[Any]) -> Cells:
    if not len(categories) or (codes < 0).all():
        return _empty(len(codes))
    kind = pd.api.types.infer_dtype(categories)
    texts = np.array([str(one) for one in categories], dtype=object)
    return Cells("text" if kind == "string" else "label", texts, codes)


def _of_arrow(column: Any) -> Cells:
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):  # of no rows
        array = pa.array([], array.type)
    types, kind = pa.types, array.type
    if types.is_dictionary(kind):
        inside = kind.value_type
        if inside in (pa.string(), pa.large_string(), pa.string_view()):
            return _of_dictionary(array, "text")
        return _of_dictionary(array, "label")
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        plain = array.cast(pa.large_string()) if types.is_string_view(kind) else array
        return _of_dictionary(plain.dictionary_encode(), "text")
    if types.is_null(kind) or array.null_count == len(array):
        return _empty(len(array))
    if types.is_boolean(kind):
        return _of_dictionary(array.dictionary_encode(), "boolean")
    if types.is_integer(kind):
        return _of_bytes(array) if kind.bit_width == 8 else _of_integers(array)
    if types.is_floating(kind) or types.is_decimal(kind):
        return _of_numbers(array.cast(pa.float64()).to_pandas())
    if types.is_timestamp(kind) or types.is_date(kind):
        return _of_times(pd.Series(array.to_pandas(date_as_object=False)))
    if types.is_duration(kind):
        return _of_pandas(array.to_pandas())
    if types.is_time(kind):
        return _of_texts(array.to_pandas().map(str, na_action="ignore"), as_text=True)
    known = array.is_valid().to_numpy(zero_copy_only=False)
    return Cells("other", np.zeros(0), np.where(known, 0, -1), str(kind))


def _of_integers(array: Any) -> Cells:
    span = pc.min_max(array).as_py()
    unsigned = pa.types.is_unsigned_integer(array.type)
    if span["max"] - span["min"] >= _SMALL_SPAN:
        nullable = {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}
        exact = array.cast(pa.uint64() if unsigned else pa.int64())
        return _of_numbers(exact.to_pandas(types_mapper=nullable.get))
    encoded = array.dictionary_encode()
    values = encoded.dictionary.to_numpy().astype(np.uint64 if unsigned else np.int64)
    indices = encoded.indices.fill_null(-1) if array.null_count else encoded.indices
    return Cells("number", values, indices.to_numpy())


def _of_bytes(array: Any) -> Cells:
    """Read integers of one byte, of which wide files have many: there are only 256."""
    known = array.drop_null() if array.null_count else array
    cells = known.to_numpy()
    seen = np.flatnonzero(np.bincount(cells.view(np.uint8), minlength=256))
    place = np.zeros(256, dtype=np.int32)
    place[seen] = np.arange(len(seen))
    indices = place[cells.view(np.uint8)]
    if array.null_count:
        found = np.full(len(array), -1, dtype=np.int32)
        found[array.is_valid().to_numpy(zero_copy_only=False)] = indices
        indices = found
    values = seen.astype(np.uint8).view(cells.dtype)
    return Cells("number", values.astype(f"{cells.dtype.kind}8"), indices)


def _of_dictionary(array: Any, kind: Kind) -> Cells:
    """Read an Arrow dictionary, which may list a null or an entry twice."""
    entries = array.dictionary.to_pylist()
    places = array.indices
    if places.null_count:
        # Signed, whatever they are stored as, so that -1 can be among them.
        places = places.cast("int64").fill_null(-1)
    indices = places.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    absent = np.array([entry is None for entry in entries], dtype=bool)
    if absent.any():
        indices = np.append(np.where(absent, -1, np.arange(len(entries))), -1)[indices]
        entries = ["" if entry is None else entry for entry in entries]
    if not (indices >= 0).any():
        return _empty(len(indices))
    return Cells(kind, np.array([str(entry) for entry in entries], dtype=object), indices)


def _empty(n_rows: int) -> Cells:
    return Cells("empty", np.zeros(0), np.full(n_rows, -1))


def _positions(missing: NDArray[np.bool_]) -> NDArray[np.int64]:
    place = np.cumsum(~missing) - 1
    place[missing] = -1
    return place


def _missing_or_not(series: "pd.Series[Any]") -> NDArray[np.int64]:
    return np.where(series.isna().to_numpy(), -1, 0)
