"""Make the twelve tables: ``python -m benchmarks tables make FOLDER [--rows N] [--parquet]``."""

import argparse
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.tables.catalogue import TABLES, RealTable, shown

# Wider tables go through a faster writer, which puts quotes around all texts.
_WIDE = 500


def write_csv(table: RealTable, path: Path, n_rows: int, seed: int = 0) -> None:
    """Write rows of a table as CSV."""
    with path.open("w", encoding=table.encoding, newline="") as file:
        for number, sheet in enumerate(table.pieces(n_rows, seed)):
            frame = shown(sheet)
            if frame.shape[1] > _WIDE:
                file.write(_wide_lines(frame, head=not number))
                continue
            frame.to_csv(
                file,
                sep=table.separator,
                decimal=table.decimal_point,
                header=not number,
                index=False,
                date_format="%Y-%m-%d %H:%M:%S",
            )


def write_parquet(table: RealTable, path: Path, n_rows: int, seed: int = 0) -> None:
    """Write rows of a table as Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    for sheet in table.pieces(n_rows, seed):
        rows = _arrow(shown(sheet))
        writer = writer or pq.ParquetWriter(path, rows.schema, compression="zstd")
        writer.write_table(rows.cast(writer.schema) if isinstance(rows, pa.Table) else rows)
    if writer:
        writer.close()


def _arrow(frame: pd.DataFrame) -> Any:
    """Return rows as an Arrow table: a column without a cell, or of objects, is one of texts."""
    import pyarrow as pa

    columns = {
        name: pa.array(cells, type=pa.string() if cells.dtype == object else None, from_pandas=True)
        for name, cells in frame.items()
    }
    return pa.table(columns)


def _wide_lines(frame: pd.DataFrame, head: bool) -> str:
    import pyarrow as pa
    import pyarrow.csv

    sink = pa.BufferOutputStream()
    options = pa.csv.WriteOptions(include_header=head)
    pa.csv.write_csv(_arrow(frame), sink, options)
    return str(sink.getvalue().to_pybytes().decode())


def file_of(
    table: RealTable, folder: Path, n_rows: int, parquet: bool = False, seed: int = 0
) -> Path:
    """Return the file of a table, made if it is not there."""
    path = (
        folder
        / f"{table.name}-{n_rows}{f'-{seed}' if seed else ''}.{'parquet' if parquet else 'csv'}"
    )
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.part")
        (write_parquet if parquet else write_csv)(table, part, n_rows, seed)
        part.rename(path)
    return path


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks tables make", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--table", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--parquet", action="store_true", help="Parquet in place of CSV")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    for name in asked.table:
        path = file_of(TABLES[name], asked.folder, asked.rows, asked.parquet, asked.seed)
        print(f"{path}  {path.stat().st_size / 2**20:,.1f} MB")


if __name__ == "__main__":
    main()
