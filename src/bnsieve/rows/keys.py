"""The entity column and the time column of rows.

In: opened data, and the names of these columns. Out: one number per row and column, or an error.
These columns are not part of the network.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bnsieve.rows.data import DataSource, FileData, MemoryData
from bnsieve.table import Table, named_columns

Entities = NDArray[np.int32]


def read_keys(data: DataSource, names: Sequence[str]) -> dict[str, "pd.Series[Any]"]:
    """Return some columns of data, for all rows; different cells stay different."""
    if isinstance(data, MemoryData) and isinstance(data.data, Table):
        frame = data.data.select(names).to_frame()
        return {name: frame[name] for name in names}
    if isinstance(data, MemoryData):
        all_names, columns, _ = named_columns(data.data)
        chosen = zip(all_names, columns, strict=True)
        return {name: _series(column) for name, column in chosen if name in names}
    source = data.stored()
    batches = [rows.select(names) for *_, rows in source.batches(source.chunks, names)]
    table = pa.Table.from_batches(batches).unify_dictionaries()
    return {name: _short_numbers(table.column(name)).to_pandas() for name in names}


def _short_numbers(column: Any) -> Any:
    """Return decimals as numbers of 64 bits, unless different ones would become equal."""
    if not pa.types.is_decimal(column.type):
        return column
    if not column.null_count:  # integers with missing cells are floats in pandas
        with suppress(pa.ArrowInvalid):  # fractions, or too large
            return column.cast(pa.int64())
    numbers = column.cast(pa.float64())
    is_exact = pc.count_distinct(numbers) == pc.count_distinct(column)
    return numbers if is_exact else column


def _series(column: Any) -> "pd.Series[Any]":
    if isinstance(column, nw.Series):
        found: pd.Series[Any] = column.to_pandas()
        return found
    return column if isinstance(column, pd.Series) else pd.Series(column)


def entities_of(column: "pd.Series[Any]") -> Entities:
    """Return a number for the entity of each row, in order of appearance; -1 if it is missing."""
    return pd.factorize(column)[0].astype(np.int32)


def own_entities(entities: Entities) -> Entities:
    """Return the same, with a separate entity for every row without one."""
    unknown = np.flatnonzero(entities < 0)
    found = entities.copy()
    found[unknown] = int(entities.max(initial=-1)) + 1 + np.arange(len(unknown))
    return found


def without_columns(data: DataSource, names: Sequence[str]) -> DataSource:
    """Return data without some columns."""
    kept = [name for name in data.names if name not in names]
    if isinstance(data, FileData):
        return replace(data, source=data.source.keep(kept))
    if not isinstance(data, MemoryData):
        raise TypeError(f"columns of {type(data).__name__} cannot be left out")
    if isinstance(data.data, Table):
        return replace(data, data=data.data.select(kept))
    if isinstance(data.data, np.ndarray):
        all_names, columns, _ = named_columns(data.data)
        chosen = {name: own for name, own in zip(all_names, columns, strict=True) if name in kept}
        return replace(data, data=pd.DataFrame(chosen))
    if isinstance(data.data, pd.DataFrame):
        places = [i for i, name in enumerate(data.data.columns) if str(name) in kept]
        return replace(data, data=data.data.iloc[:, places])
    frame = nw.from_native(data.data, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        frame = nw.from_arrow(data.data, backend="pyarrow")
    return replace(data, data=frame.select(kept).to_native())
