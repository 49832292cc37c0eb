"""One column of any library -> `Column`: its different values, and for each row which one.

This module alone knows the types of pandas, NumPy, Arrow and polars. `read_column` reads whatever a
column holds, the same for the same data whatever it comes in. `read_categories` takes only what are
categories as they stand (strings, booleans, integers, declared categories; and a few whole numbers
in a pandas column of fractional type, because pandas makes that of integers where a cell is
missing) and refuses any other column with its name and the cure.
"""

import contextlib
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Never, TypeAlias

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

MAX_CATEGORIES = 65_536
"""Codes are at most 16 bits wide; a column with more categories is an identifier."""

FEW_NUMBERS = 20
"""Whole numbers of no more different values are categories, even in a column of fractional type."""

# From here on not every integer is a float.
EXACT = 2.0**53
# Integers that span no more have few different values, of which each row takes the place.
_SMALL_SPAN = 1 << 12
# Below this span a table indexed by value is faster than hashing, and costs a megabyte at most.
_DENSE_SPAN = 1 << 20
_SCALARS = (str, int, float, bool, np.generic)

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
        """Return a column of texts or integers that are known, in their order; -1: missing."""
        if categories and not isinstance(categories[0], str):
            return cls("number", np.array(categories, dtype=np.int64), codes, is_ordered=True)
        return cls("text", _objects(categories), codes, is_ordered=True)

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
            return _objects([str(value) for value in self.values])
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
        places, codes = np.unique(self.codes[rows], return_inverse=True)
        missing = int(len(places) > 0 and places[0] < 0)
        return replace(self, values=self.values[places[missing:]], codes=codes - missing)

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
        return replace(self, values=self.values[~gone], codes=self.spread(_places(gone), -1))

    def observed(self, name: str) -> "Column":
        """Return the same with the categories that occur, in their order, as values.

        The order is the declared one, or that of the values: it does not depend on the rows.

        Raises
        ------
        ValueError
            If no cell is observed, or there are more than `MAX_CATEGORIES` categories.
        """
        column = self
        if self.kind == "number" and (self.codes is None or len(self.values) > _SMALL_SPAN):
            values, codes = _distinct_integers(self.values)
            column = replace(self, values=values, codes=self.spread(codes, -1))
        positions = column.places
        categories = column.values.tolist()
        # The spare last place is the one that -1 refers to.
        seen = np.zeros(len(categories) + 1, dtype=np.bool_)
        seen[positions] = True
        order = np.flatnonzero(seen[:-1]).tolist()
        if not order:
            _refuse_empty(name)
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
        return replace(column, values=_objects(list(number)), codes=code_of[positions])


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


def whole_numbers(column: "pd.Series[Any]") -> "pd.Series[Any] | None":
    """Return a column of fractional type as Int64, its missing cells kept, if it holds no other.

    pandas turns integers into fractions where a cell is missing.

    None if a number is no integer, or too large to be exact.
    """
    numbers = column.dropna().to_numpy(dtype=np.float64)
    if numbers.size and (np.abs(numbers) < EXACT).all() and (numbers == np.floor(numbers)).all():
        return column.astype("Int64")
    return None


def read_column(raw: Any) -> Column:
    """Read a column, whatever it holds.

    Parameters
    ----------
    raw : numpy.ndarray, pandas.Series, narwhals.Series, pyarrow.Array or pyarrow.ChunkedArray
        One-dimensional.
    """
    if isinstance(raw, nw.Series):
        if isinstance(raw.dtype, nw.Object):
            return _of_objects(raw.to_numpy())
        # Without its name, which says nothing here: a zero byte in it makes polars panic.
        column = _of_arrow(raw.alias("").to_arrow())
        return replace(column, is_ordered=isinstance(raw.dtype, nw.Enum))
    if isinstance(raw, np.ndarray):
        raw = _as_series(raw)
    return _of_pandas(raw) if isinstance(raw, pd.Series) else _of_arrow(raw)


def read_categories(name: str, raw: Any, column: Column | None = None) -> Column:
    """Read a column of categories, and number those that occur.

    Parameters
    ----------
    name : str
        The column's name, for error messages.
    raw : numpy.ndarray, pandas.Series or narwhals.Series
        One-dimensional, with at least one row.
    column : Column, optional
        What `read_column` returns of it, if it was read before.

    Returns
    -------
    Column
        As `Column.observed` returns it.

    Raises
    ------
    TypeError
        If the values are not strings, booleans, integers or categories.
    ValueError
        If no cell is observed, or there are more than `MAX_CATEGORIES` categories.
    """
    if isinstance(raw, pd.Series):
        if isinstance(raw.dtype, pd.ArrowDtype):
            require_whole(name, pa.chunked_array(pa.array(raw)))
        elif pd.api.types.is_float_dtype(raw.dtype):
            integers = whole_numbers(raw)
            raw = integers if integers is not None and integers.nunique() <= FEW_NUMBERS else raw
    elif isinstance(raw, nw.Series) and isinstance(raw.dtype, nw.Int128 | nw.UInt128):
        _refuse_type(name, str(raw.dtype))
    column = column or read_column(raw)
    if column.kind == "empty":
        _refuse_empty(name)
    if column.as_text:
        if _types_in(raw) != ["int"]:
            _refuse(name, raw, None)
        # Integers beyond 64 bits.
        values = _objects([int(value) for value in column.values])
        return replace(column, values=values).observed(name)
    is_fraction = column.kind == "number" and column.values.dtype.kind == "f"
    if column.kind in ("time", "other") or is_fraction:
        _refuse(name, raw, column.values if is_fraction else None)
    if column.kind == "label" and not column.is_ordered:
        types = sorted({type(value).__name__ for value in column.values})
        if not {*types} <= {"str", "int", "bool"}:
            numbers = column.values.astype(np.float64) if types == ["float"] else None
            _refuse(name, raw, numbers)
    return column.observed(name)


def _as_series(array: NDArray[Any]) -> "pd.Series[Any]":
    """Return a NumPy vector as a pandas Series that holds the same values exactly."""
    values = np.asarray(array)
    missing = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    kind = values.dtype.kind
    if kind in "UTO":
        # As objects: strings of pandas cannot hold a lone surrogate.
        objects = values.astype(object)
        if missing is not None:
            objects[missing] = None
        return pd.Series(objects, dtype=object)
    if missing is not None and missing.any() and kind in "iu":
        # pandas would make fractions of them, which large integers do not survive.
        exact = values.astype(values.dtype.newbyteorder("="))
        return pd.Series(pd.arrays.IntegerArray(exact, np.ascontiguousarray(missing)))
    return pd.Series(array)


def _of_pandas(series: "pd.Series[Any]") -> Column:
    dtype = series.dtype
    types = pd.api.types
    if isinstance(dtype, pd.CategoricalDtype):
        return _of_declared(series.cat.categories, series.cat.codes.to_numpy())
    if isinstance(dtype, pd.ArrowDtype):
        return _of_arrow(series.array.__arrow_array__())
    if isinstance(dtype, pd.SparseDtype):
        return _of_pandas(pd.Series(np.asarray(series)))
    if isinstance(dtype, pd.PeriodDtype):
        return _of_times(series.dt.to_timestamp())
    if types.is_datetime64_any_dtype(dtype):
        return _of_times(series)
    if types.is_timedelta64_dtype(dtype):
        return _of_numbers(series.dt.total_seconds())
    if isinstance(dtype, pd.StringDtype):
        return _of_texts(series)
    if types.is_bool_dtype(dtype):
        return _of_booleans(series)
    if types.is_integer_dtype(dtype) or types.is_float_dtype(dtype):
        return _of_numbers(series)
    return _of_objects(series.to_numpy(dtype=object))


def _of_objects(values: NDArray[np.object_]) -> Column:
    # One sign for all missing cells: None, NaN and NaT together are of no type that pandas knows.
    cells = values.copy()
    cells[pd.isna(cells)] = None
    series = pd.Series(cells, dtype=object)
    kind = pd.api.types.infer_dtype(series, skipna=True)
    if kind == "empty":
        return _empty(len(series))
    if kind == "string":
        return _of_texts(series)
    if kind == "boolean":
        return _of_booleans(series.astype("boolean"))
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
    return Column("other", np.zeros(0), np.where(series.isna().to_numpy(), -1, 0), name)


def _text_of(cell: Any) -> str:
    """Write a cell as text: a whole number of fractional type as the integer it is."""
    if isinstance(cell, float | np.floating) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def _of_texts(series: "pd.Series[Any]", as_text: bool = False) -> Column:
    codes, values = pd.factorize(series)
    return Column("text", np.asarray(values, dtype=object), codes, as_text=as_text)


def _of_booleans(series: "pd.Series[Any]") -> Column:
    missing = series.isna().to_numpy()
    truth = series.to_numpy(dtype=np.bool_, na_value=False)
    # In memory of other programs a "true" may be any byte but zero.
    codes = (truth.view(np.uint8) != 0).astype(np.int32)
    codes[missing] = -1
    return Column("boolean", _BOOLEANS, codes)


def _of_numbers(series: "pd.Series[Any]") -> Column:
    missing = series.isna().to_numpy()
    n_missing = int(missing.sum())
    if n_missing == len(series):
        return _empty(len(series))
    known = series[~missing] if n_missing else series
    if pd.api.types.is_float_dtype(series.dtype):
        values: NDArray[Any] = known.to_numpy(dtype=np.float64)
        return Column("number", values, _places(missing) if n_missing else None)
    is_unsigned = pd.api.types.is_unsigned_integer_dtype(series.dtype)
    values = known.to_numpy(dtype=np.uint64 if is_unsigned else np.int64)
    return _of_integers(values, missing if n_missing else None)


def _of_integers(values: NDArray[Any], missing: NDArray[np.bool_] | None) -> Column:
    """Read integers of 64 bits, without the missing ones."""
    codes = None
    if int(values.max()) - int(values.min()) < _SMALL_SPAN:
        values, codes = _distinct_integers(values)
    if missing is None:
        return Column("number", values, codes)
    if codes is None:
        return Column("number", values, _places(missing))
    spread = np.full(len(missing), -1, dtype=np.int32)
    spread[~missing] = codes
    return Column("number", values, spread)


def _distinct_integers(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
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


def _of_times(series: "pd.Series[Any]") -> Column:
    """Read times as a clock on the wall shows them."""
    if getattr(series.dt, "tz", None) is not None:
        series = series.dt.tz_localize(None)
    times = series.to_numpy().astype("datetime64[s]")
    missing = np.isnat(times)
    if missing.all():
        return _empty(len(series))
    if not missing.any():
        return Column("time", times)
    return Column("time", times[~missing], _places(missing))


def _of_declared(categories: "pd.Index[Any]", codes: NDArray[Any]) -> Column:
    if not len(categories) or (codes < 0).all():
        return _empty(len(codes))
    kind: Kind = "text" if pd.api.types.infer_dtype(categories) == "string" else "label"
    return Column(kind, _objects(categories.tolist()), codes, is_ordered=True)


def _of_arrow(column: Any) -> Column:
    column = plain_arrow(column)
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):  # of no rows
        array = pa.array([], array.type)
    types, kind = pa.types, array.type
    if types.is_dictionary(kind):
        return _of_dictionary(array)
    if types.is_string(kind) or types.is_large_string(kind):
        return _of_dictionary(array.dictionary_encode())
    if types.is_null(kind) or array.null_count == len(array):
        return _empty(len(array))
    missing = array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None
    if types.is_boolean(kind):
        codes = array.fill_null(False).to_numpy(zero_copy_only=False).astype(np.int32)
        if missing is not None:
            codes[missing] = -1
        return Column("boolean", _BOOLEANS, codes)
    if types.is_integer(kind):
        values = (array if missing is None else array.drop_null()).to_numpy()
        return _of_integers(values.astype(f"{values.dtype.kind}8", copy=False), missing)
    if types.is_floating(kind) or types.is_decimal(kind):
        return _of_numbers(array.cast(pa.float64()).to_pandas())
    if types.is_timestamp(kind) or types.is_date(kind):
        return _of_times(pd.Series(array.to_pandas(date_as_object=False)))
    if types.is_duration(kind):
        return _of_pandas(array.to_pandas())
    if types.is_time(kind):
        return _of_texts(array.to_pandas().map(str, na_action="ignore"), as_text=True)
    codes = np.zeros(len(array), dtype=np.int32) if missing is None else -missing.astype(np.int32)
    return Column("other", np.zeros(0), codes, str(kind))


def _of_dictionary(array: Any) -> Column:
    """Read an Arrow dictionary, which may list a null or an entry twice."""
    entries = array.dictionary.to_pylist()
    places = array.indices
    if places.null_count:
        # Signed, whatever they are stored as, so that -1 can be among them.
        places = places.cast("int64").fill_null(-1)
    codes = places.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    if None in entries:
        absent = np.array([entry is None for entry in entries], dtype=bool)
        codes = np.append(np.where(absent, -1, np.arange(len(entries))), -1)[codes]
        entries = ["" if entry is None else entry for entry in entries]
    if not len(codes) or codes.max() < 0:
        return _empty(len(codes))
    is_text = array.type.value_type in (pa.string(), pa.large_string())
    return Column("text" if is_text else "label", _objects(entries), codes)


def plain_arrow(column: Any) -> Any:
    """Return an Arrow column in a type that all functions of Arrow know."""
    kind = column.type
    if pa.types.is_string_view(kind):
        return column.cast(pa.large_string())
    if not pa.types.is_dictionary(kind):
        return column
    views = pa.types.is_string_view(kind.value_type)
    if not views and not pa.types.is_unsigned_integer(kind.index_type):
        return column
    if isinstance(column, pa.ChunkedArray):
        chunks = [plain_arrow(chunk) for chunk in column.chunks]
        entries = pa.large_string() if views else kind.value_type
        return pa.chunked_array(chunks, pa.dictionary(pa.int64(), entries, kind.ordered))
    return pa.DictionaryArray.from_arrays(
        column.indices.cast(pa.int64()),
        column.dictionary.cast(pa.large_string()) if views else column.dictionary,
        ordered=kind.ordered,
    )


def require_whole(name: str, column: Any) -> None:
    """Refuse an Arrow array that holds what its type forbids, such as text that is not UTF-8.

    Raises
    ------
    ValueError
        With the name of the column.
    """
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        if "UTF8" in str(error):
            raise ValueError(
                f"column {name!r} holds text that is not UTF-8: decode it with the encoding that "
                "it was written in"
            ) from None
        raise ValueError(f"column {name!r} is damaged ({error}): write it again") from None


def _refuse_empty(name: str) -> Never:
    raise ValueError(f"column {name!r} is missing in every row: drop it")


def _refuse(name: str, raw: Any, numbers: Floats | None) -> Never:
    """Refuse a column that holds something else than categories; `numbers` are its fractions."""
    dtype = raw.dtype
    if isinstance(raw, nw.Series):
        type_name = str(getattr(raw.to_native(), "type", dtype))
        is_polars = raw.implementation.is_polars()
        cast = ".fill_nan(None).cast(pl.Int64)" if is_polars else ".cast(pa.int64())"
        is_float = dtype.is_float() or isinstance(dtype, nw.Categorical)
    else:
        type_name = str(dtype)
        cast = ".astype('Int64')"
        if isinstance(raw, np.ndarray):
            cast = ".astype(int), or pandas.DataFrame(array).astype('Int64') if cells are missing"
        is_float = type_name == "object" or pd.api.types.is_float_dtype(dtype)
    if numbers is not None and is_float:
        _refuse_fractions(name, numbers, cast)
    types = _types_in(raw) if type_name.lower() == "object" else [type_name]
    if len(types) > 1:
        raise TypeError(
            f"column {name!r} mixes values of types {', '.join(types)}, which have no common order "
            "and may be one category written in two ways: cast it to one type, for example string"
        )
    _refuse_type(name, types[0])


def _refuse_fractions(name: str, numbers: Floats, cast: str) -> Never:
    """Refuse a float column; `cast` is what turns it into integers in the user's own library."""
    is_whole = np.isfinite(numbers) & (numbers == np.floor(numbers))
    if is_whole.all():
        raise TypeError(
            f"column {name!r} is of type float but holds whole numbers only, such as "
            f"{numbers[0]:.0f}: if they are categories, cast it to integer with {cast}, or "
            "leave the learner's prepare at 'auto'"
        )
    raise TypeError(
        f"column {name!r} holds fractional numbers such as {numbers[~is_whole][0]:g}, not "
        "categories: leave the learner's prepare at 'auto' or bin it with bnsieve.Discretizer; "
        "cast it to string if each number is a label"
    )


def _refuse_type(name: str, kind: str) -> Never:
    lower = kind.lower()
    if any(word in lower for word in ("date", "time", "duration", "period")):
        cure = (
            "turn it into a few categories, such as the year or the weekday, as integer or string"
        )
    elif any(word in lower for word in ("bytes", "binary", "|s")):
        cure = "decode it to strings"
    elif any(word in lower for word in ("decimal", "complex")):
        cure = "discretise it, or cast it to integer or string if each number is a label"
    else:
        cure = "cast it to string, integer or category"
    raise TypeError(
        f"column {name!r} holds values of type {kind}, but categories must be strings, booleans, "
        f"integers or categories: {cure}"
    )


def _types_in(raw: Any) -> list[str]:
    """Return the types of the cells of a column of Python objects."""
    objects = np.asarray(raw, dtype=object)
    return sorted({type(value).__name__ for value in objects[~pd.isna(objects)].tolist()})


def _objects(values: Sequence[Any]) -> NDArray[np.object_]:
    return np.fromiter(values, dtype=object, count=len(values))


def _places(missing: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the place of each cell among those that are not missing; -1 if it is."""
    place = np.cumsum(~missing) - 1
    place[missing] = -1
    return place


def _empty(n_rows: int) -> Column:
    return Column("empty", np.zeros(0), np.full(n_rows, -1))


_BOOLEANS = _objects([False, True])
