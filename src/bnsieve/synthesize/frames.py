"""Rows as a pandas DataFrame, with the types of the table."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from bnsieve.synthesize.records import CategoryColumn, ColumnRecord, DateColumn, LeftOutColumn


def to_frame(table: pa.Table, columns: Sequence[ColumnRecord]) -> pd.DataFrame:
    """Return rows as a frame.

    Parameters
    ----------
    table : pyarrow.Table
    columns : sequence of columns
        The columns whose types the frame gets, if they can hold the values.
    """
    made = {
        column.name: _series(column, table.column(column.name))
        for column in columns
        if not isinstance(column, LeftOutColumn)
    }
    return pd.DataFrame(made, index=pd.RangeIndex(table.num_rows))


def _series(column: ColumnRecord, values: pa.ChunkedArray) -> "pd.Series[Any]":
    assert not isinstance(column, LeftOutColumn)
    stored = column.stored
    if isinstance(column, CategoryColumn) and stored.endswith("category"):
        places = values.combine_chunks()
        codes = places.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        labels = pd.Index(list(column.cells), tupleize_cols=False)
        ordered = stored.startswith("ordered")
        return pd.Series(pd.Categorical.from_codes(codes, labels, ordered=ordered))
    has_missing = values.null_count > 0
    if pa.types.is_integer(values.type) and has_missing:
        series: pd.Series[Any] = values.to_pandas(types_mapper={values.type: pd.Int64Dtype()}.get)
    else:
        series = _in_pandas(values)
    if stored.startswith("arrow "):
        return series
    if stored == "object" and isinstance(column, DateColumn) and column.is_days:
        series = series.dt.date if series.dtype.kind == "M" else series
    return _as_type(series, stored)


def _in_pandas(values: pa.ChunkedArray) -> "pd.Series[Any]":
    try:
        series: pd.Series[Any] = values.to_pandas()
    except ValueError:  # Python has no dates before year 1 or after 9999
        series = values.to_pandas(date_as_object=False)
    return series


def _as_type(series: "pd.Series[Any]", stored: str) -> "pd.Series[Any]":
    if stored == "object":
        plain = series.astype(object)
        return plain.where(plain.notna(), None) if plain.isna().any() else plain
    if stored.startswith(("int", "uint")) and series.isna().any():
        return series
    if stored.startswith("float"):
        return pd.Series(series.to_numpy(dtype=np.dtype(stored), na_value=np.nan))
    if stored == "bool" and series.isna().any():
        return series
    if stored.startswith("datetime64[") and "," in stored:  # times as the clocks there show them
        unit, zone = stored.removeprefix("datetime64[").removesuffix("]").split(", ")
        local = series.dt.tz_localize(zone, ambiguous=False, nonexistent="shift_forward")
        zoned: pd.Series[Any] = local.dt.as_unit(unit)
        return zoned
    if stored.startswith("timedelta64"):  # numbers are seconds
        passed: pd.Series[Any] = pd.to_timedelta(series, unit="s").astype(stored)  # type: ignore[call-overload]
        return passed
    try:
        typed: pd.Series[Any] = series.astype(stored)  # type: ignore[call-overload]
        return typed
    except (TypeError, ValueError):
        return series
