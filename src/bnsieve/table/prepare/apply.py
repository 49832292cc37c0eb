"""Rows in memory -> a frame of categories, as the plans of the columns say.

Columns that stay as they are pass through untouched. If all do, so does the data.
"""

from collections.abc import Collection, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.table import named_columns
from bnsieve.table.prepare.cells import Cells, cells_of, numbers_among
from bnsieve.table.prepare.plan import ColumnPlan, Output
from bnsieve.table.prepare.reading import Labelled, labelled, quantity_of, with_times
from bnsieve.table.prepare.readings import Elapsed, Labels, Numbers


def apply_to(columns: Sequence[ColumnPlan], missing_texts: Collection[str], data: Any) -> Any:
    """Return data as categories; see `bnsieve.table.prepare.Preparation.apply`."""
    names, stored, n_rows = named_columns(data)
    needed = needed_by(columns)
    require_columns(needed, names)
    own = {name: column for name, column in zip(names, stored, strict=True) if name in needed}
    raw = {name: cells_of(column) for name, column in own.items()}
    cells = with_times(columns, {name: one.without(missing_texts) for name, one in raw.items()})
    made: dict[str, Any] = {}
    unchanged = True
    for column in columns:
        for output in column.outputs:
            if passes(output, raw[column.name], cells[column.name]):
                made[output.name] = own[column.name]
            else:
                made[output.name] = labelled(output, column.name, cells)
                unchanged = False
    if unchanged and list(made) == names:
        return data
    index = data.index if isinstance(data, pd.DataFrame) else pd.RangeIndex(n_rows)
    return pd.DataFrame({name: _series(one, index) for name, one in made.items()}, index=index)


def numbers_in(
    columns: Sequence[ColumnPlan], missing_texts: Collection[str], data: Any
) -> dict[str, NDArray[np.float64]]:
    """Return the numbers that outputs were cut from; see `Preparation.numbers`."""
    chosen = [column for column in columns if any(one.is_number for one in column.outputs)]
    if not chosen:
        return {}
    names, stored, _ = named_columns(data)
    needed = needed_by(chosen)
    require_columns(needed, names)
    raw = {
        name: cells_of(column).without(missing_texts)
        for name, column in zip(names, stored, strict=True)
        if name in needed
    }
    cells = with_times(chosen, raw)
    return {
        output.name: quantity_of(output.reading, column.name, cells)
        for column in chosen
        for output in column.outputs
        if output.is_number
    }


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


def passes(output: Output, raw: Cells, cells: Cells) -> bool:
    """Tell whether the cells of a column are categories as they are stored.

    Parameters
    ----------
    output : Output
    raw, cells : Cells
        As they are stored, and without those that stand for a missing one.
    """
    if output.groups is not None or output.blank is not None or raw is not cells or cells.as_text:
        return False
    if isinstance(output.reading, Numbers):
        return output.cuts is None and cells.kind == "number" and cells.values.dtype.kind in "iu"
    return isinstance(output.reading, Labels) and cells.values.dtype.kind != "f"


def whole_numbers_pass(output: Output, missing_texts: Collection[str]) -> bool:
    """Tell whether stored whole numbers are categories, whichever they are; see `passes`.

    They are if no text that stands for a missing cell is a number.
    """
    if output.groups is not None or output.blank is not None or numbers_among(missing_texts):
        return False
    numbers = isinstance(output.reading, Numbers) and output.cuts is None
    return numbers or isinstance(output.reading, Labels)


def _series(column: Any, index: "pd.Index[Any]") -> "pd.Series[Any]":
    if isinstance(column, Labelled):
        return pd.Series(_values(column), index=index)
    if isinstance(column, pd.Series):
        return column
    if isinstance(column, nw.Series):
        cells = cells_of(column)
        if cells.kind == "number":
            whole = cells.spread(cells.values, 0)
            missing = np.zeros(len(whole), bool) if cells.indices is None else cells.indices < 0
            return pd.Series(pd.arrays.IntegerArray(whole.astype(np.int64), missing), index=index)
        if cells.kind == "boolean":
            truth = cells.values == "True"
            return pd.Series(pd.array(cells.spread(truth.astype(object), None), dtype="boolean"))
        ordered = isinstance(column.dtype, nw.Enum)
        labels = cells.values.tolist() if ordered else sorted(cells.values.tolist())
        place = {label: i for i, label in enumerate(labels)}
        codes = np.array([place[value] for value in cells.values], dtype=np.int64)
        return pd.Series(_values(Labelled(cells.spread(codes, -1), tuple(labels))), index=index)
    try:
        return pd.Series(column, index=index)
    except UnicodeEncodeError:  # a lone surrogate, which strings of pandas cannot hold
        return pd.Series(column, index=index, dtype=object)


def _values(column: Labelled) -> Any:
    if column.labels and not isinstance(column.labels[0], str):
        numbers = np.append(np.array(column.labels, dtype=np.int64), 0)[column.codes]
        return pd.arrays.IntegerArray(numbers, column.codes < 0)
    labels = list(map(str, column.labels))
    try:
        return pd.Categorical.from_codes(column.codes, pd.Index(labels))
    except UnicodeEncodeError:  # a lone surrogate, which strings of pandas cannot hold
        return pd.Categorical.from_codes(column.codes, pd.Index(labels, dtype=object))
