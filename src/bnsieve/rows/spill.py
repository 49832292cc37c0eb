"""Rows that can be read only once -> a Parquet file, in bounded memory.

In: an iterator of Arrow batches, or CSV files. Out: a file that can be read repeatedly and by row
groups. The file gets its name only when it is complete.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from bnsieve.text import replacing

# Rows of a row group: pieces of work for several threads even where the file is not huge. They wait
# in memory until they are so many, or take so many bytes.
_GROUP_ROWS = 1 << 18
_GROUP_BYTES = 1 << 27
# Cells of rows that stay in memory, put together.
_KEPT_CELLS = 1 << 25


def write_batches(batches: Iterable[Any], path: Path) -> int:
    """Write Arrow batches or tables to a Parquet file; return the number of rows.

    Raises
    ------
    ValueError
        If there are no rows, or a batch has other columns or types than the first.
    """
    writer, n_rows, n_bytes = None, 0, 0
    waiting: list[pa.Table] = []
    with replacing(path) as partial:
        try:
            for number, batch in enumerate(batches):
                table = _as_table(batch)
                if writer is None:
                    writer = pq.ParquetWriter(partial, table.schema)
                require_schema(number, table.schema, writer.schema)
                waiting.append(table)
                n_rows += table.num_rows
                n_bytes += table.nbytes
                if sum(map(len, waiting)) >= _GROUP_ROWS or n_bytes >= _GROUP_BYTES:
                    writer.write_table(_joined(waiting), row_group_size=_GROUP_ROWS)
                    waiting, n_bytes = [], 0
            if writer is None or not n_rows:
                raise ValueError("the data has no rows: pass at least one row")
            if waiting:
                writer.write_table(_joined(waiting), row_group_size=_GROUP_ROWS)
        finally:
            if writer is not None:
                writer.close()
    return n_rows


def require_schema(number: int, own: pa.Schema, first: pa.Schema) -> None:
    """Refuse a batch with other columns or types than the first.

    Raises
    ------
    ValueError
        With the columns, or with the name and both types of one column.
    """
    if own.names != first.names:
        raise ValueError(
            f"batch {number} has other columns than the first, {own.names} instead of "
            f"{first.names}: give all batches the same columns"
        )
    for field, expected in zip(own, first, strict=True):
        if not field.equals(expected):
            own_type, first_type = _type_name(field), _type_name(expected)
            raise ValueError(
                f"column {field.name!r} is {own_type} in batch {number}, but {first_type} in the "
                "first batch: cast it to one type"
            )


def _type_name(field: pa.Field) -> str:
    return str(field.type) if field.nullable else f"{field.type} not null"


def _joined(tables: list[pa.Table]) -> pa.Table:
    """Return the rows of all tables; one dictionary for each column, or Parquet writes text."""
    return pa.concat_tables(tables).unify_dictionaries()


def _as_table(batch: Any) -> pa.Table:
    table = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
    if not isinstance(table, pa.Table):
        raise TypeError(
            f"the data must come in Arrow batches or tables, not {type(batch).__name__}"
        )
    return table


def larger_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Combine small batches into larger ones, to save the cost of each batch."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(one.num_rows * one.num_columns for one in waiting) >= _KEPT_CELLS:
            yield _together(waiting)
            waiting = []
    if waiting:
        yield _together(waiting)


def _together(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    table = pa.Table.from_batches(batches).unify_dictionaries().combine_chunks()
    return table.to_batches()[0]
