"""Rows that pass by only once -> a Parquet file, in bounded memory.

In: an iterator of Arrow batches, or a CSV file. Out: a file at rest, which can be read twice and by
row groups. A file appears under its name only once it is complete.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from bnsieve.source.csvtext import (
    not_gzip,
    not_utf8,
    require_even_lines,
    separator_of,
)
from bnsieve.source.files import require_columns

# Rows of a row group: pieces of work for several threads even where the file is not huge.
_GROUP_ROWS = 1 << 18
_CSV_BLOCK = 1 << 24


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


def csv_batches(paths: Sequence[str | Path]) -> Iterator[pa.RecordBatch]:
    """Read CSV files block by block, with the columns of the first in its order.

    Types are those of the first block, and dates are text; empty cells and NA are missing. A line
    with another number of fields than the first is an error, and so is a later cell that is not of
    its column's type, which the reader words with row and column.
    """
    schema: pa.Schema | None = None
    for path in paths:
        n_rows = 0
        for batch in _read_csv(path, schema):
            if schema is None:
                schema = batch.schema
            require_columns(str(path), batch.schema.names, str(paths[0]), schema.names)
            n_rows += batch.num_rows
            yield batch.select(schema.names)
        if not n_rows:
            raise ValueError(f"{path} has columns but no rows: leave it out")


def _read_csv(path: str | Path, schema: pa.Schema | None) -> Iterator[pa.RecordBatch]:
    separator = separator_of(path)
    last = ""
    try:
        reader = _open_csv(path, separator, schema)
        dates = [one.name for one in reader.schema if pa.types.is_temporal(one.type)]
        if dates:
            reader = _open_csv(path, separator, pa.schema([(name, pa.string()) for name in dates]))
        if any(pa.types.is_binary(field.type) for field in reader.schema):
            raise not_utf8(path)
        for batch in reader:
            if batch.num_rows:
                yield batch
                last = str(batch.column(-1)[-1])
    except pa.ArrowInvalid as error:
        require_even_lines(path, separator)
        raise ValueError(
            f"{path} cannot be read as CSV with one type per column, taken from its first rows: "
            f"{error}"
        ) from error
    except OSError as error:
        if str(path).lower().endswith(".gz"):
            raise not_gzip(path, error) from None
        raise
    # The reader takes all lines that follow a quote that never closes for one last cell.
    if "\n" in last:
        require_even_lines(path, separator)


def _open_csv(
    path: str | Path, separator: str, types: pa.Schema | None
) -> pyarrow.csv.CSVStreamingReader:
    return pyarrow.csv.open_csv(
        path,
        read_options=pyarrow.csv.ReadOptions(block_size=_CSV_BLOCK),
        parse_options=pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(strings_can_be_null=True, column_types=types),
    )


def convert_csv(path: str | Path, target: str | Path) -> int:
    """Write the rows of a CSV file to a Parquet file; return how many."""
    return write_batches(csv_batches([path]), Path(target))
