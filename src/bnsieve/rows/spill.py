"""Rows that pass by only once -> a Parquet file, in bounded memory.

In: an iterator of Arrow batches, or CSV files. Out: a file at rest, which can be read twice and by
row groups. A file appears under its name only once it is complete.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from bnsieve.rows.csv_reader import ColumnKind, CsvTable, read_csv

# Rows of a row group: pieces of work for several threads even where the file is not huge.
_GROUP_ROWS = 1 << 18
_TYPES: dict[ColumnKind, pa.DataType] = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "empty": pa.null(),
}


def write_batches(batches: Iterable[Any], path: Path) -> int:
    """Write Arrow batches or tables to a Parquet file; return the number of rows.

    Raises
    ------
    ValueError
        If there are no rows, or a batch has other columns or types than the first.
    """
    partial = path.with_name(path.name + ".part")
    writer, n_rows = None, 0
    waiting: list[pa.Table] = []
    try:
        for number, batch in enumerate(batches):
            table = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
            if not isinstance(table, pa.Table):
                raise TypeError(
                    f"the data must come in Arrow batches or tables, not {type(batch).__name__}"
                )
            if writer is None:
                writer = pq.ParquetWriter(partial, table.schema)
            elif not table.schema.equals(writer.schema):
                raise ValueError(
                    f"batch {number} has other columns or types than the first: "
                    f"{table.schema.names} instead of {writer.schema.names}"
                )
            waiting.append(table)
            n_rows += table.num_rows
            if sum(map(len, waiting)) >= _GROUP_ROWS:
                writer.write_table(pa.concat_tables(waiting), row_group_size=_GROUP_ROWS)
                waiting = []
        if writer is None or not n_rows:
            raise ValueError("the data has no rows: pass at least one row")
        if waiting:
            writer.write_table(pa.concat_tables(waiting), row_group_size=_GROUP_ROWS)
        writer.close()
        partial.replace(path)
    finally:
        if writer is not None:
            writer.close()
        partial.unlink(missing_ok=True)
    return n_rows


def csv_batches(table: CsvTable) -> Iterator[pa.RecordBatch]:
    """Yield the rows of CSV files; a column that is empty in all of them has no type."""
    schema = pa.schema([(name, _TYPES[column.kind]) for name, column in table.columns.items()])
    for frame in table.frames():
        columns = [
            pa.nulls(len(frame))
            if pa.types.is_null(own.type)
            else pa.array(frame[own.name], own.type, from_pandas=True)
            for own in schema
        ]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


def convert_csv(path: str | Path, target: str | Path) -> int:
    """Write the rows of a CSV file to a Parquet file; return how many."""
    return write_batches(csv_batches(read_csv([path])), Path(target))
