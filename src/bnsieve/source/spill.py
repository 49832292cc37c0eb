"""Rows that pass by only once -> a Parquet file, in bounded memory.

In: an iterator of Arrow batches, or a CSV file. Out: a file at rest, which can be read twice and by
row groups. A file appears under its name only once it is complete.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from bnsieve.source.csvtext import not_utf8, require_even_lines, separator_of

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


def csv_batches(path: str | Path) -> Iterator[pa.RecordBatch]:
    """Read a CSV file block by block.

    Types are those of the first block; empty cells and NA are missing. A line with another number
    of fields than the first is an error, and so is a later cell that is not of its column's type,
    which the reader words with row and column.
    """
    separator = separator_of(path)
    last: pa.RecordBatch | None = None
    try:
        reader = pyarrow.csv.open_csv(
            path,
            read_options=pyarrow.csv.ReadOptions(block_size=_CSV_BLOCK),
            parse_options=pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True),
            convert_options=pyarrow.csv.ConvertOptions(strings_can_be_null=True),
        )
        if any(pa.types.is_binary(field.type) for field in reader.schema):
            raise not_utf8(path)
        for batch in reader:
            yield batch
            last = batch if batch.num_rows else last
    except pa.ArrowInvalid as error:
        require_even_lines(path, separator)
        raise ValueError(
            f"{path} cannot be read as CSV with one type per column, taken from its first rows: "
            f"{error}"
        ) from error
    # The reader takes all lines that follow a quote that never closes for one last cell.
    if last is not None and "\n" in str(last.column(-1)[-1]):
        require_even_lines(path, separator)


def convert_csv(path: str | Path, target: str | Path) -> int:
    """Write the rows of a CSV file to a Parquet file; return how many."""
    return write_batches(csv_batches(path), Path(target))
