"""Make the twelve tables: ``python -m benchmarks tables make FOLDER [--rows N] [--parquet]``.

``--for-tests`` writes what the tests of the package read: rows as Parquet, and `truth.json`.
"""

import argparse
import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.tables.catalogue import TABLES, RealTable, shown, truth_of
from benchmarks.tables.drawn import genetics
from benchmarks.tables.sheet import GONE

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


def write_for_tests(folder: Path, n_rows: int) -> None:
    """Write the tables, of genotypes a few columns only, and what is true of them."""
    few = replace(TABLES["genetics"], fill=partial(genetics.draw, n_places=60))
    truths = {}
    for name, table in (TABLES | {"genetics": few}).items():
        frame, prepared, truth = table.frame(n_rows), table.prepared(n_rows), truth_of(table)
        frame.to_parquet(folder / f"{name}.parquet", compression="zstd", compression_level=19)
        # Cells that are no value though something is written there, by their rows.
        gone = {
            column: np.flatnonzero((prepared[column] == GONE) & frame[column].notna()).tolist()
            for column in prepared
        }
        truths[name] = {
            "file": [table.separator, table.decimal_point, table.encoding],
            "roles": dict(truth.roles),
            "matter": truth.matter,
            "out": truth.out,
            "dates": truth.dates,
            "gone": {column: rows for column, rows in gone.items() if rows},
        }
    text = json.dumps(truths, ensure_ascii=False, separators=(",", ":"))
    (folder / "truth.json").write_text(text + "\n", encoding="utf-8")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks tables make", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--table", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--parquet", action="store_true", help="Parquet in place of CSV")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--for-tests", action="store_true", help="what the tests read")
    asked = parser.parse_args(arguments)
    if asked.for_tests:
        write_for_tests(asked.folder, asked.rows)
        return
    for name in asked.table:
        path = file_of(TABLES[name], asked.folder, asked.rows, asked.parquet, asked.seed)
        print(f"{path}  {path.stat().st_size / 2**20:,.1f} MB")


if __name__ == "__main__":
    main()
