"""Rows in memory -> a table, or a frame, of categories, as the plans of the columns say.

Columns that stay as they are pass through untouched. If all do, so does the data.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.table import Column, Table, named_columns, read_categories, read_column
from bnsieve.table.prepare.missing import without_missing
from bnsieve.table.prepare.plan import ColumnPlan, Output
from bnsieve.table.prepare.reading import (
    date_forms,
    labelled,
    numbers_of,
    quantity_of,
    times_of,
    with_times,
)
from bnsieve.table.prepare.readings import Elapsed, Labels, Numbers


def table_of(columns: Sequence[ColumnPlan], missing_texts: Collection[str], data: Any) -> Table:
    """Return data as a table; see `bnsieve.table.prepare.Preparation.table`."""
    _, stored, n_rows = _stored(columns, data)
    names = [output.name for column in columns for output in column.outputs]
    made = (
        column.observed(name) if raw is None else read_categories(name, raw, column)
        for name, column, raw in _outputs(columns, missing_texts, stored)
    )
    return Table.from_columns(names, made, n_rows)


def apply_to(columns: Sequence[ColumnPlan], missing_texts: Collection[str], data: Any) -> Any:
    """Return data as a frame of categories; see `bnsieve.table.prepare.Preparation.apply`."""
    names, stored, n_rows = _stored(columns, data)
    index = data.index if isinstance(data, pd.DataFrame) else pd.RangeIndex(n_rows)
    frame, unchanged = {}, True
    for name, column, raw in _outputs(columns, missing_texts, stored):
        frame[name] = _series(column, raw, index)
        unchanged = unchanged and raw is not None
    return data if unchanged and list(frame) == names else pd.DataFrame(frame, index=index)


def numbers_in(
    columns: Sequence[ColumnPlan], missing_texts: Collection[str], data: Any
) -> dict[str, NDArray[np.float64]]:
    """Return the numbers that outputs were cut from; see `Preparation.numbers`."""
    chosen = [column for column in columns if any(one.is_number for one in column.outputs)]
    if not chosen:
        return {}
    _, stored, _ = _stored(chosen, data)
    cells = with_times(
        chosen,
        {
            name: without_missing(read_column(raw), name, missing_texts)
            for name, raw in stored.items()
        },
    )
    return {
        output.name: quantity_of(output.reading, column.name, cells)
        for column in chosen
        for output in column.outputs
        if output.is_number
    }


def missing_in(
    columns: Sequence[ColumnPlan], missing_texts: Collection[str], data: Any
) -> dict[str, NDArray[np.bool_]]:
    """Return the missing values of each output; see `Preparation.missing`."""
    _, stored, _ = _stored(columns, data)
    return {name: rows.missing for name, rows, _ in _outputs(columns, missing_texts, stored)}


def unread_in(
    columns: Sequence[ColumnPlan], missing_texts: Collection[str], data: Any
) -> dict[str, NDArray[np.bool_]]:
    """Return the cells that say nothing to their reading; see `Preparation.unread`."""
    _, stored, _ = _stored(columns, data)
    forms, found = date_forms(columns), {}
    readings = {column.name: column.outputs[0].reading for column in columns if column.outputs}
    for column in columns:
        name, reading = column.name, readings.get(column.name)
        if name not in forms and not isinstance(reading, Numbers):
            continue
        known_odd = {one.value for one in column.odd if one.read_as == "missing"}
        cells = without_missing(read_column(stored[name]), name, {*missing_texts, *known_odd})
        if cells.kind == "time":
            is_read = np.ones(cells.n_rows, dtype=np.bool_)  # an infinite date is no text
        elif name in forms:
            is_read = ~np.isnat(times_of(cells, forms[name]))
        else:
            assert isinstance(reading, Numbers)
            is_read = ~np.isnan(numbers_of(cells, reading))
        found[name] = ~cells.missing & ~is_read
    return found


def _stored(columns: Sequence[ColumnPlan], data: Any) -> tuple[list[str], dict[str, Any], int]:
    """Return the names of the data, the columns that outputs are made from, and how many rows."""
    names, stored, n_rows = named_columns(data)
    needed = needed_by(columns)
    require_columns(needed, names)
    return names, {n: raw for n, raw in zip(names, stored, strict=True) if n in needed}, n_rows


def _outputs(
    columns: Sequence[ColumnPlan], missing_texts: Collection[str], stored: dict[str, Any]
) -> Iterator[tuple[str, Column, Any]]:
    """Yield the name and the rows of each output, and the column that it is if it is not changed.

    Only dates, of which others may be made, are held together.
    """
    dates = {
        name: without_missing(read_column(stored[name]), name, missing_texts)
        for name in date_forms(columns)
    }
    times = with_times(columns, dates)
    for column in columns:
        if not column.outputs:
            continue
        raw = times.get(column.name) or read_column(stored[column.name])
        cells = without_missing(raw, column.name, missing_texts)
        for output in column.outputs:
            if passes(output, raw, cells):
                yield output.name, raw, stored[column.name]
            else:
                rows = labelled(output, column.name, {**times, column.name: cells})
                yield output.name, rows, None


def needed_by(columns: Sequence[ColumnPlan]) -> tuple[str, ...]:
    """Return the columns of the data that outputs are made from."""
    found: dict[str, None] = {}
    for column in columns:
        for output in column.outputs:
            found[column.name] = None
            if isinstance(output.reading, Elapsed):
                found[output.reading.since] = None
    return tuple(found)


def require_columns(needed: Collection[str], names: Collection[str]) -> None:
    """Refuse data that lacks a column of which something is used."""
    there = set(names)
    for name in needed:
        if name not in there:
            raise ValueError(f"the data lacks the column {name!r}, which was there before")


def passes(output: Output, raw: Column, cells: Column) -> bool:
    """Tell whether the cells of a column are categories as they are stored.

    Parameters
    ----------
    output : Output
    raw, cells : Column
        As they are stored, and without those that stand for a missing one.
    """
    if output.groups is not None or output.blank is not None or raw is not cells or cells.as_text:
        return False
    if isinstance(output.reading, Numbers):
        return (
            output.bin_edges is None and cells.kind == "number" and cells.values.dtype.kind in "iu"
        )
    return isinstance(output.reading, Labels) and cells.values.dtype.kind != "f"


def _series(column: Column, raw: Any, index: "pd.Index[Any]") -> "pd.Series[Any]":
    if isinstance(raw, pd.Series):
        return raw
    if isinstance(raw, np.ndarray):
        try:
            return pd.Series(raw, index=index)
        except UnicodeEncodeError:  # a lone surrogate, which strings of pandas cannot hold
            return pd.Series(raw, index=index, dtype=object)
    if column.kind == "number":
        whole = column.spread(column.values, 0).astype(np.int64)
        return pd.Series(pd.arrays.IntegerArray(whole, column.missing), index=index)
    if column.kind == "boolean":
        return pd.Series(pd.array(column.spread(column.values, None), dtype="boolean"), index=index)
    if not column.is_ordered and column.kind != "empty":
        column = column.observed("")
    labels = column.values.tolist()
    try:
        categories = pd.Categorical.from_codes(column.places, pd.Index(labels))
    except UnicodeEncodeError:  # a lone surrogate, which strings of pandas cannot hold
        categories = pd.Categorical.from_codes(column.places, pd.Index(labels, dtype=object))
    return pd.Series(categories, index=index)
