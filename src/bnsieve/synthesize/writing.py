"""Write rows to a file piece by piece, so memory does not grow with their number.

In: Arrow tables of the same columns. Out: a CSV, Parquet or Excel file, which gets its name only
when it is complete.
"""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
from pyarrow import csv, parquet

from bnsieve.exchange import csv_field
from bnsieve.rows import write_frame
from bnsieve.synthesize.frames import to_frame
from bnsieve.synthesize.records import TableRecord
from bnsieve.synthesize.spelling import as_csv
from bnsieve.text import replacing

MOST_EXCEL_ROWS = 1_048_575
_ENDS = (".csv", ".parquet", ".xlsx")
# Rows of a row group: small pieces are put together.
_ROW_GROUP = 1 << 17


def check_output(path: Path, n_rows: int) -> None:
    """Refuse a file that cannot be written, before any row is generated."""
    suffix = path.suffix.lower()
    if suffix not in _ENDS:
        raise ValueError(f"{path} must end in {', '.join(_ENDS)}")
    if suffix == ".xlsx" and n_rows > MOST_EXCEL_ROWS:
        raise ValueError(
            f"{path}: a sheet holds {MOST_EXCEL_ROWS:,} rows, not {n_rows:,}: write .csv or "
            ".parquet"
        )


def write_tables(
    tables: Iterator[pa.Table], empty: pa.Table, record: TableRecord, path: Path
) -> None:
    """Write rows.

    Parameters
    ----------
    tables : iterator of pyarrow.Table
    empty : pyarrow.Table
        A table with the same columns and no rows.
    record : TableRecord
        The record of the original table.
    path : Path
        Ending in .csv, .parquet or .xlsx.
    """
    suffix = path.suffix.lower()
    if suffix == ".xlsx":
        write_frame(to_frame(pa.concat_tables([empty, *tables]), record.columns), path)
        return
    with replacing(path) as partial:
        if suffix == ".csv":
            with partial.open("wb") as file:
                write_csv(tables, empty, record, file)
            return
        with parquet.ParquetWriter(partial, empty.schema) as writer:
            for table in _larger(tables):
                writer.write_table(table.cast(empty.schema))


def write_csv(
    tables: Iterator[pa.Table], empty: pa.Table, record: TableRecord, file: IO[Any]
) -> None:
    """Write rows as CSV to a binary file; text is quoted if necessary."""
    spelled = as_csv(empty, record.spelling).schema
    schema = pa.schema([(one.name, _csv_type(one.type)) for one in spelled])
    file.write((",".join(map(csv_field, schema.names)) + "\n").encode())
    for table in tables:
        file.write(_csv_lines(as_csv(table, record.spelling).cast(schema)))


def _csv_lines(table: pa.Table) -> bytes:
    for style in ("none", "needed"):
        lines = io.BytesIO()
        try:
            csv.write_csv(table, lines, csv.WriteOptions(include_header=False, quoting_style=style))
        except pa.ArrowInvalid:  # a text holds a comma, a quote or the end of a line
            continue
        return lines.getvalue()
    raise ValueError("a text cannot be written as CSV: write .parquet")


def _csv_type(stored: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(stored):
        return _csv_type(stored.value_type)
    return pa.string() if pa.types.is_boolean(stored) or pa.types.is_null(stored) else stored


def _larger(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Yield the same rows in fewer pieces."""
    held: list[pa.Table] = []
    for table in tables:
        held.append(table)
        if sum(one.num_rows for one in held) >= _ROW_GROUP:
            yield pa.concat_tables(held)
            held = []
    if held:
        yield pa.concat_tables(held)
