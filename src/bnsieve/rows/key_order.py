"""Rows sorted by a key, so that every source gives the same fit.

In: opened data and the name of a column with a different value in every row. Out: the same data
without that column, sorted by it. A database returns rows in any order unless the query sorts them,
so a sample by row number would differ each time.
"""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Never

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bnsieve.rows.data import DataSource, FileData, MemoryData
from bnsieve.rows.keys import read_keys, without_columns
from bnsieve.rows.parquet import ParquetSource, kept_source, open_dataset
from bnsieve.rows.scratch import scratch_folder
from bnsieve.rows.spill import write_batches
from bnsieve.table import EXACT, LIMITS, Table
from bnsieve.table.prepare import require_known
from bnsieve.text import counted

# No column of anybody's table has this name.
_ROW = "the number of the row, of bnsieve"


def in_key_order(data: DataSource, key: str, stack: ExitStack) -> DataSource:
    """Return data sorted by a column, without it.

    Rows in files that are not sorted are written to temporary files, which the stack removes.

    Raises
    ------
    ValueError
        If there is no such column, or a value is missing or occurs twice.
    """
    require_known([key], data.names, "column")
    values = read_keys(data, [key])[key]
    if values.isna().any():
        missing = counted(int(values.isna().sum()), "row")
        raise ValueError(
            f"{data.given}: the key {key!r} is missing in {missing}: name a column that every row "
            "has"
        )
    cells = values.to_numpy()
    rows = without_columns(data, [key])
    if (cells[1:] > cells[:-1]).all():
        return replace(rows, has_order=True)
    order = np.argsort(cells, kind="stable")
    ordered = cells[order]
    if (ordered[1:] == ordered[:-1]).any():
        _refuse_repeated(data.given, key, values[values.duplicated()].iloc[0])
    if isinstance(rows, MemoryData):
        return replace(rows, data=_taken(rows.data, order), has_order=True)
    source = rows.stored()
    if source.kept:
        source = kept_source(_kept_rows(source, order), data.given)
    else:
        source = _written(source, order, stack, data.given)
    return FileData(
        source.keep(rows.names),
        given=data.given,
        paths=data.paths,
        root=data.root,
        remarks=data.remarks,
    )


def _refuse_repeated(given: str, key: str, cell: Any) -> Never:
    """Refuse a key with a cell that occurs twice, or that may be several as they were stored."""
    shown = repr(cell) if isinstance(cell, str) else str(cell)
    if isinstance(cell, float) and abs(cell) >= EXACT:
        raise ValueError(
            f"{given}: the key {key!r} has {cell:.0f} twice as a floating-point number, which is "
            "not exact from 2**53 on: cast it to integer or text, or name a column that differs in "
            "every row"
        )
    raise ValueError(
        f"{given}: the key {key!r} has {shown} twice: name a column that differs in every row"
    )


def _taken(data: Any, order: NDArray[np.intp]) -> Any:
    """Return rows in memory in another order."""
    if isinstance(data, pd.DataFrame):
        return data.iloc[order]
    if isinstance(data, Table):
        return data.take(order)
    frame = nw.from_native(data, eager_only=True)
    return frame[order].to_native()


def _kept_rows(source: ParquetSource, order: NDArray[np.intp]) -> list[pa.RecordBatch]:
    """Return rows kept in memory in another order, in pieces as large as they were."""
    table = pa.Table.from_batches(source.kept).unify_dictionaries().combine_chunks().take(order)
    sizes = [batch.num_rows for batch in source.kept]
    starts = np.cumsum([0, *sizes[:-1]]).tolist()
    parts = (table.slice(start, size) for start, size in zip(starts, sizes, strict=True))
    return [part.combine_chunks().to_batches()[0] for part in parts]


def _written(
    source: ParquetSource, order: NDArray[np.intp], stack: ExitStack, given: str
) -> ParquetSource:
    """Write rows in another order: first into one file for each run of ranks, then each sorted."""
    folder = stack.enter_context(scratch_folder())
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    most = max(1, LIMITS.codes // 16 // max(1, len(source.names)))
    files = [folder / f"{first}.parquet" for first in range(0, len(order), most)]
    _sort_into(files, source, rank // most)
    target = folder / "in-key-order.parquet"
    write_batches((_sorted(file, rank, most) for file in files), target)
    return open_dataset(ds.dataset(str(target), format="parquet"), given)


def _sort_into(files: list[Path], source: ParquetSource, bucket: NDArray[np.int64]) -> None:
    writers: dict[int, pq.ParquetWriter] = {}
    try:
        for first, _, rows in source.batches(source.chunks, source.names):
            own = bucket[first : first + rows.num_rows]
            numbered = rows.append_column(_ROW, pa.array(np.arange(first, first + len(own))))
            for number in np.unique(own).tolist():
                part = pa.Table.from_batches([numbered.filter(pa.array(own == number))])
                if number not in writers:
                    writers[number] = pq.ParquetWriter(files[number], part.schema)
                writers[number].write_table(part)
    finally:
        for writer in writers.values():
            writer.close()


def _sorted(file: Path, rank: NDArray[np.int64], most: int) -> pa.Table:
    table = pq.read_table(file)
    numbers = table.column(_ROW).to_numpy()
    return table.drop_columns([_ROW]).take(np.argsort(rank[numbers]))
