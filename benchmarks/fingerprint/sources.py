"""A frame and an empty folder in, the same table out in every form that it may come in."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd

Source = Callable[[pd.DataFrame, Path], Any]


def as_pandas(frame: pd.DataFrame, folder: Path) -> pd.DataFrame:
    return frame


def as_polars(frame: pd.DataFrame, folder: Path) -> Any:
    import polars

    return polars.DataFrame({name: frame[name].tolist() for name in frame})


def as_arrow(frame: pd.DataFrame, folder: Path) -> Any:
    import pyarrow as pa

    return pa.Table.from_pandas(frame, preserve_index=False)


def as_batches(frame: pd.DataFrame, folder: Path) -> Any:
    """Return a function that returns the rows, some at a time."""
    return lambda: iter(as_arrow(frame, folder).to_batches(max_chunksize=70))


def as_parquet(frame: pd.DataFrame, folder: Path) -> Path:
    import pyarrow.parquet as pq

    path = folder / "rows.parquet"
    pq.write_table(as_arrow(frame, folder), path)
    return path


def as_parquet_files(frame: pd.DataFrame, folder: Path) -> Path:
    """Write five files of small row groups, the columns of every other one in another order."""
    import pyarrow.parquet as pq

    rows = as_arrow(frame, folder)
    step = -(-rows.num_rows // 5)
    for i in range(5):
        names = rows.column_names[:: -1 if i % 2 else 1]
        part = rows.slice(i * step, step).select(names)
        pq.write_table(part, folder / f"{i}.parquet", row_group_size=37)
    return folder


def as_csv(frame: pd.DataFrame, folder: Path) -> Path:
    path = folder / "rows.csv"
    frame.to_csv(path, index=False)
    return path


def from_sqlite(frame: pd.DataFrame, folder: Path) -> pd.DataFrame:
    with closing(sqlite3.connect(folder / "rows.sqlite")) as database:
        frame.to_sql("found", database, index=False)
        return pd.read_sql("select * from found order by rowid", database)


def from_duckdb(frame: pd.DataFrame, folder: Path) -> Any:
    import duckdb

    with duckdb.connect() as database:
        database.register("found", as_arrow(frame, folder))
        return database.sql("select * from found").to_arrow_table()
