"""One column of any library -> `Column`.

This module alone knows the types of pandas, NumPy, Arrow and polars. `read_column` reads whatever a
column holds, the same for the same data whatever it comes in. `read_categories` takes only what are
categories as they stand (strings, booleans, integers, declared categories; and a few whole numbers
in a pandas column of fractional type, because pandas makes that of integers where a cell is
missing) and refuses any other column with its name and the cure.
"""

from dataclasses import replace
from typing import Any, Never

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from bnsieve.table.column import (
    SMALL_SPAN,
    Column,
    Floats,
    Kind,
    distinct_integers,
    objects,
    places_of,
    refuse_empty,
)

FEW_NUMBERS = 20
"""Whole numbers of no more different values are categories, even in a column of fractional type."""

# From here on not every integer is a float.
EXACT = 2.0**53
# A day less at both ends: a clock may be a day ahead of or behind that of UTC.
_YEARS_WITH_CLOCK = np.datetime64("0001-01-02"), np.datetime64("9999-12-30")
_SCALARS = (str, int, float, bool, np.generic)
_BOOLEANS = objects([False, True])


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
        refuse_empty(name)
    if column.as_text:
        if _types_in(raw) != ["int"]:
            _refuse(name, raw, None)
        # Integers beyond 64 bits.
        values = objects([int(value) for value in column.values])
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
        return Column("number", values, places_of(missing) if n_missing else None)
    is_unsigned = pd.api.types.is_unsigned_integer_dtype(series.dtype)
    values = known.to_numpy(dtype=np.uint64 if is_unsigned else np.int64)
    return _of_integers(values, missing if n_missing else None)


def _of_integers(values: NDArray[Any], missing: NDArray[np.bool_] | None) -> Column:
    """Read integers of 64 bits, without the missing ones."""
    codes = None
    if int(values.max()) - int(values.min()) < SMALL_SPAN:
        values, codes = distinct_integers(values)
    if missing is None:
        return Column("number", values, codes)
    if codes is None:
        return Column("number", values, places_of(missing))
    spread = np.full(len(missing), -1, dtype=np.int32)
    spread[~missing] = codes
    return Column("number", values, spread)


def _of_times(series: "pd.Series[Any]") -> Column:
    """Read times as a clock on the wall shows them."""
    if getattr(series.dt, "tz", None) is not None:
        series = _on_the_wall(series)
    times = series.to_numpy().astype("datetime64[s]")
    missing = np.isnat(times)
    if missing.all():
        return _empty(len(series))
    if not missing.any():
        return Column("time", times)
    return Column("time", times[~missing], places_of(missing))


def _on_the_wall(series: "pd.Series[Any]") -> "pd.Series[Any]":
    """Return times of a zone without it; pandas knows the zone's clock for years 1 to 9999 only."""
    utc = series.dt.tz_convert("UTC").dt.tz_localize(None)
    is_known = utc.between(*_YEARS_WITH_CLOCK) | utc.isna()
    local: pd.Series[Any] = series.where(is_known).dt.tz_localize(None)
    return local.where(is_known, utc)


def _of_declared(categories: "pd.Index[Any]", codes: NDArray[Any]) -> Column:
    if not len(categories) or (codes < 0).all():
        return _empty(len(codes))
    kind: Kind = "text" if pd.api.types.infer_dtype(categories) == "string" else "label"
    return Column(kind, objects(categories.tolist()), codes, is_ordered=True)


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
    return Column("text" if is_text else "label", objects(entries), codes)


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


def arrow_kind(arrow_type: Any) -> str:
    """Return what a column of files holds: string, integer, boolean, number, date, empty or other.

    A dictionary is of the kind of its entries: files may differ in how they store categories.
    """
    types = pa.types
    if types.is_dictionary(arrow_type):
        arrow_type = arrow_type.value_type
    if arrow_type in (pa.string(), pa.large_string(), pa.string_view()):
        return "string"
    if types.is_floating(arrow_type) or types.is_decimal(arrow_type):
        return "number"
    names = {"integer": "integer", "boolean": "boolean", "temporal": "date", "null": "empty"}
    kinds = [kind for name, kind in names.items() if getattr(types, f"is_{name}")(arrow_type)]
    return kinds[0] if kinds else str(arrow_type)


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
        # Of numbers only: pandas raises an error for types of Arrow that it does not know.
        is_float = type_name == "object" or (
            numbers is not None and pd.api.types.is_float_dtype(dtype)
        )
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


def _empty(n_rows: int) -> Column:
    return Column("empty", np.zeros(0), np.full(n_rows, -1))
