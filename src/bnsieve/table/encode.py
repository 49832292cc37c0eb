"""One column of any kind -> codes, categories and missing cells.

In: a NumPy vector, a pandas Series or a narwhals Series (polars, pyarrow), with the column's name
for the error messages. Out: an `EncodedColumn`, or an error that names the column and the cure.

Only strings, booleans, integers and explicit categories are categories; and a few whole numbers in
a pandas column of fractional type, because pandas makes that of integers where a cell is missing.
Nothing is discretised, decoded or guessed here: a column of any other kind is refused.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Never, TypeAlias

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from bnsieve.table.whole_columns import plain_arrow

MAX_CATEGORIES = 65_536
"""Codes are at most 16 bits wide; a column with more categories is an identifier."""

FEW_NUMBERS = 20
"""Whole numbers of no more different values are categories, even in a column of fractional type."""

# Below this span a table indexed by value is faster than hashing, and costs a megabyte at most.
_DENSE_SPAN = 1 << 20
# From here on not every integer is a float.
EXACT = 2.0**53

Codes: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16]


@dataclass(frozen=True, eq=False)
class EncodedColumn:
    """The categories of one column, numbered.

    Attributes
    ----------
    codes : ndarray of uint8 or uint16, shape (n_rows,)
        The position in ``categories`` of each cell's category; 0 where the cell is missing.
    categories : tuple
        The observed categories, in an order that does not depend on the order of the rows.
    missing : ndarray of bool, shape (n_rows,), or None
        The missing cells; None when there are none.
    """

    codes: Codes
    categories: tuple[Hashable, ...]
    missing: NDArray[np.bool_] | None = None


def code_dtype(n_categories: int) -> np.dtype[Any]:
    """Return the narrowest unsigned integer type that can number `n_categories`."""
    return np.dtype(np.uint8 if n_categories <= 256 else np.uint16)


def text_labels(name: str, labels: Sequence[Hashable], program: str) -> list[str]:
    """Return a variable's categories as text, for a program that knows no other.

    Raises
    ------
    ValueError
        If two categories are the same as text, as the number 1 and the text "1" are.
    """
    texts = [str(label) for label in labels]
    if len(set(texts)) < len(texts):
        raise ValueError(
            f"{program} knows states only as text, and two states of {name!r} are the same as text."
        )
    return texts


def whole_numbers(column: "pd.Series[Any]") -> "pd.Series[Any] | None":
    """Return a column of fractional type as integers, its missing cells kept, if it holds no other.

    pandas turns integers into fractions where a cell is missing.

    Parameters
    ----------
    column : pandas.Series of float

    Returns
    -------
    pandas.Series of Int64, or None
        None if a number is no integer, or too large to be exact.
    """
    numbers = column.dropna().to_numpy(dtype=np.float64)
    if numbers.size and (np.abs(numbers) < EXACT).all() and (numbers == np.floor(numbers)).all():
        return column.astype("Int64")
    return None


def encode_column(name: str, column: Any) -> EncodedColumn:
    """Give each category of one column its number.

    Parameters
    ----------
    name : str
        The column's name, for error messages.
    column : numpy.ndarray, pandas.Series or narwhals.Series
        One-dimensional, with at least one row.

    Returns
    -------
    EncodedColumn

    Raises
    ------
    TypeError
        If the values are not strings, booleans, integers or categories.
    ValueError
        If no cell is observed, or there are more than `MAX_CATEGORIES` categories.
    """
    if isinstance(column, np.ndarray):
        if not isinstance(column, np.ma.MaskedArray):
            return _encode_array(name, column)
        # A column of a matrix does not lie in one piece; compiled code takes only what does.
        missing = np.ascontiguousarray(np.ma.getmaskarray(column))
        return _encode_array(name, np.asarray(column), missing)
    if isinstance(column, pd.Series):
        return _encode_pandas(name, column)
    return _encode_narwhals(name, column)


def _encode_array(
    name: str, values: NDArray[Any], missing: NDArray[np.bool_] | None = None
) -> EncodedColumn:
    if missing is not None:
        if missing.all():
            _refuse_empty(name)
        if not missing.any():
            missing = None
    kind = values.dtype.kind
    if kind == "b":
        # In memory of other programs a "true" may be any byte but zero.
        column = _encode_integers(name, (values.view(np.uint8) != 0).view(np.uint8), missing)
        return EncodedColumn(column.codes, tuple(map(bool, column.categories)), column.missing)
    if kind in "iu":
        return _encode_integers(name, values, missing)
    if kind in "UTO":
        objects = values.astype(object)
        if missing is not None:
            objects[missing] = None
        return _encode_objects(name, objects)
    if kind == "f":
        cast = ".astype(int), or pandas.DataFrame(array).astype('Int64') if cells are missing"
        _refuse_float(name, values if missing is None else values[~missing], cast)
    return _refuse_kind(name, str(values.dtype))


def _encode_pandas(name: str, series: "pd.Series[Any]") -> EncodedColumn:
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _encode_positions(
            name, series.cat.codes.to_numpy(), series.cat.categories.tolist(), sort=False
        )
    if isinstance(dtype, pd.ArrowDtype):
        # pandas hides what the Arrow type is (dictionaries, decimals, lists); Arrow itself tells.
        return _encode_narwhals(name, _chunked(name, series.array.__arrow_array__()))
    if isinstance(dtype, pd.StringDtype):
        positions, uniques = pd.factorize(series)
        return _encode_positions(name, positions, uniques.tolist())
    if isinstance(dtype, pd.SparseDtype):
        return encode_column(name, np.asarray(series))
    if pd.api.types.is_float_dtype(dtype):
        integers = whole_numbers(series)
        if integers is not None and integers.nunique() <= FEW_NUMBERS:
            return _encode_pandas(name, integers)
        _refuse_float(name, series.dropna().to_numpy(dtype=np.float64), ".astype('Int64')")
    if isinstance(dtype, np.dtype):
        return _encode_array(name, series.to_numpy())
    if pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_integer_dtype(dtype):
        numpy_dtype = getattr(dtype, "numpy_dtype", np.int64)
        values = series.to_numpy(dtype=numpy_dtype, na_value=0)
        return _encode_array(name, values, series.isna().to_numpy())
    return _refuse_kind(name, str(dtype))


def _encode_narwhals(name: str, series: "nw.Series[Any]") -> EncodedColumn:
    n_missing = series.null_count()
    if n_missing == len(series):
        _refuse_empty(name)
    missing = series.is_null().to_numpy() if n_missing else None
    dtype = series.dtype
    native = series.to_native()
    if isinstance(dtype, nw.Categorical | nw.Enum):
        encode = (
            _encode_polars_category if series.implementation.is_polars() else _encode_dictionary
        )
        return encode(name, series)
    if isinstance(dtype, nw.Boolean):
        return _encode_array(name, series.fill_null(False).to_numpy(), missing)
    if dtype.is_integer() and not isinstance(dtype, nw.Int128 | nw.UInt128):
        return _encode_array(name, series.fill_null(0).to_numpy(), missing)
    if isinstance(dtype, nw.String):
        uniques = series.drop_nulls().unique()
        _check_category_count(name, len(uniques))
        labels = uniques.to_list()
        positions = series.replace_strict(labels, list(range(len(labels))), return_dtype=nw.Int32)
        return _encode_positions(name, positions.fill_null(-1).to_numpy(), labels)
    if isinstance(dtype, nw.Object):
        return _encode_objects(name, series.to_numpy())
    if dtype.is_float():
        polars = series.implementation.is_polars()
        cast = ".fill_nan(None).cast(pl.Int64)" if polars else ".cast(pa.int64())"
        _refuse_float(name, series.drop_nulls().to_numpy(), cast)
    return _refuse_kind(name, str(getattr(native, "type", dtype)))


def _encode_dictionary(name: str, series: "nw.Series[Any]") -> EncodedColumn:
    """Encode an Arrow dictionary, which may hold any type, repeat an entry or list a null."""
    dictionary = series.to_native().unify_dictionaries().combine_chunks()
    indices = dictionary.indices.fill_null(-1).to_numpy()
    seen = np.zeros(len(dictionary.dictionary) + 1, dtype=np.bool_)
    seen[indices] = True
    used = np.flatnonzero(seen[:-1])
    entries = encode_column(name, _chunked(name, dictionary.dictionary.take(used)))
    # The spare last place is the one that -1, a missing cell, refers to.
    code_of = np.zeros(len(seen), dtype=entries.codes.dtype)
    code_of[used] = entries.codes
    absent = np.zeros(len(seen), dtype=np.bool_)
    absent[-1] = seen[-1]
    if entries.missing is not None:
        absent[used] = entries.missing
    return EncodedColumn(
        code_of[indices], entries.categories, absent[indices] if absent.any() else None
    )


def _encode_polars_category(name: str, series: "nw.Series[Any]") -> EncodedColumn:
    numbers = nw.from_native(series.to_native().to_physical(), series_only=True)
    physical = numbers.cast(nw.Int64).fill_null(-1).to_numpy()
    if isinstance(series.dtype, nw.Enum):
        return _encode_positions(name, physical, series.dtype.categories, sort=False)
    # polars numbers the categories of all columns of the process together: see which occur here.
    observed = np.flatnonzero(physical >= 0)
    dense = _encode_integers(name, physical[observed], None)
    example = np.empty(len(dense.categories), dtype=np.intp)
    example[dense.codes] = observed
    positions = np.full(len(physical), -1, dtype=np.int32)
    positions[observed] = dense.codes
    return _encode_positions(name, positions, series[example].cast(nw.String).to_list())


def _chunked(name: str, array: Any) -> "nw.Series[Any]":
    """Wrap a pyarrow Array or ChunkedArray in a narwhals Series."""
    chunked = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    return nw.from_native(plain_arrow(name, chunked), series_only=True)


def _encode_integers(
    name: str, values: NDArray[Any], missing: NDArray[np.bool_] | None
) -> EncodedColumn:
    """Encode integers by a table indexed by value if they lie close together, else by hashing."""
    if missing is not None:
        values = np.where(missing, values[~missing][0], values)
    low, high = int(values.min()), int(values.max())
    if high - low < _DENSE_SPAN:
        # Subtracting in the widest type of the same sign cannot overflow: the span is small.
        wide = values.astype(np.uint64 if values.dtype.kind == "u" else np.int64)
        offsets = (wide - wide.dtype.type(low)).astype(np.intp, copy=False)
        seen = np.zeros(high - low + 1, dtype=np.bool_)
        seen[offsets] = True
        categories = [low + offset for offset in np.flatnonzero(seen).tolist()]
        _check_category_count(name, len(categories))
        code_of = np.cumsum(seen) - 1
        codes = code_of.astype(code_dtype(len(categories)))[offsets]
    else:
        offsets, uniques = pd.factorize(values, sort=True)
        categories = uniques.tolist()
        _check_category_count(name, len(categories))
        codes = offsets.astype(code_dtype(len(categories)))
    if missing is not None:
        codes[missing] = 0
    return EncodedColumn(codes, tuple(categories), missing)


def _encode_objects(name: str, values: NDArray[np.object_]) -> EncodedColumn:
    # One sign for all missing cells: None, NaN and NaT together are of no type that pandas knows.
    values = values.copy()
    values[pd.isna(values)] = None
    kind = pd.api.types.infer_dtype(values, skipna=True)
    if kind == "empty":
        _refuse_empty(name)
    if kind in ("floating", "mixed-integer-float"):
        numbers = [_as_float(value) for value in values if value is not None]
        _refuse_float(name, np.array(numbers), ".astype('Int64')")
    if kind not in ("string", "integer", "boolean"):
        types = sorted({type(value).__name__ for value in values if value is not None})
        if len(types) > 1:
            raise TypeError(
                f"column {name!r} mixes values of types {', '.join(types)}, which have no common "
                "order and may be one category written in two ways: cast it to one type, "
                "for example string"
            )
        _refuse_kind(name, types[0])
    positions, uniques = pd.factorize(values)
    labels = [label.item() if isinstance(label, np.generic) else label for label in uniques]
    return _encode_positions(name, positions, labels)


def _as_float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:  # an integer of hundreds of digits
        return float("inf") if number > 0 else float("-inf")


def _encode_positions(
    name: str, positions: NDArray[np.integer[Any]], labels: Sequence[Any], *, sort: bool = True
) -> EncodedColumn:
    """Renumber positions in `labels` (-1: missing) so that codes follow the categories' order.

    With ``sort=False`` the order of `labels` is kept. Categories no position refers to are dropped.
    """
    # The spare last place is the one that -1 refers to.
    seen = np.zeros(len(labels) + 1, dtype=np.bool_)
    seen[positions] = True
    order = np.flatnonzero(seen[:-1]).tolist()
    if not order:
        _refuse_empty(name)
    _check_category_count(name, len(order))
    if sort:
        order.sort(key=labels.__getitem__)
    code_of = np.zeros(len(labels) + 1, dtype=code_dtype(len(order)))
    code_of[order] = np.arange(len(order))
    missing = positions < 0 if seen[-1] else None
    return EncodedColumn(code_of[positions], tuple(labels[i] for i in order), missing)


def _check_category_count(name: str, n_categories: int) -> None:
    if n_categories > MAX_CATEGORIES:
        raise ValueError(
            f"column {name!r} has {n_categories:,} different categories, more than the "
            f"{MAX_CATEGORIES:,} supported: drop it if it is an identifier, or group its categories"
        )


def _refuse_empty(name: str) -> Never:
    raise ValueError(f"column {name!r} is missing in every row: drop it")


def _refuse_float(name: str, observed: NDArray[Any], cast: str) -> Never:
    """Refuse a float column; `cast` is what turns it into integers in the user's own library."""
    numbers = observed[~np.isnan(observed)]
    if numbers.size == 0:
        _refuse_empty(name)
    if np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all():
        raise TypeError(
            f"column {name!r} is of type float but holds whole numbers only, such as "
            f"{numbers[0]:.0f}: if they are categories, cast it to integer with {cast}, or "
            "leave the learner's prepare at 'auto'"
        )
    example = numbers[~np.isfinite(numbers) | (numbers != np.floor(numbers))][0]
    raise TypeError(
        f"column {name!r} holds fractional numbers such as {example:g}, not categories: leave "
        "the learner's prepare at 'auto' or bin it with bnsieve.Discretizer; cast it to string if "
        "each number is a label"
    )


def _refuse_kind(name: str, kind: str) -> Never:
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
