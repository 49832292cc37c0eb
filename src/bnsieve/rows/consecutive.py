"""A few stretches of consecutive rows of any data, and whether the rows are dependent.

In: a `DataSource`, and how its columns are prepared. Out: a `RowDependence` or None. In memory,
stretches have equal distances. For files, only the first rows of some row groups are read.
"""

from collections.abc import Sequence
from contextlib import closing
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import pandas as pd

from bnsieve.rows.parquet import ParquetSource
from bnsieve.table import (
    Column,
    RowDependence,
    Table,
    find_dependence,
    named_columns,
    read_column,
)
from bnsieve.table.prepare import ColumnPlan, Preparation, row_column, without_missing

# Rows that are compared, in how many stretches; cells that are read, and the fewest rows of wide
# tables.
N_ROWS, N_STRETCHES = 20_000, 8
_MOST_CELLS, _FEWEST_ROWS = 1_000_000, 2_000
# Of a wide table so many columns are read, from all over it, beside those that may be keys.
_MOST_COLUMNS = 100
_CATEGORIES_OF_KEY = 10


class Stretches(NamedTuple):
    """Stretches of consecutive rows.

    Attributes
    ----------
    lengths : tuple of int
        The number of rows of each stretch.
    columns : dict of str to Column
        All of these rows, one stretch after the other.
    """

    lengths: tuple[int, ...]
    columns: dict[str, Column]


def starts_of(n_rows: int, n_wanted: int) -> list[tuple[int, int]]:
    """Return first row and length of equally spaced stretches: one if all rows are wanted."""
    if n_rows <= n_wanted:
        return [(0, n_rows)]
    length = n_wanted // N_STRETCHES
    return [((n_rows - length) * i // (N_STRETCHES - 1), length) for i in range(N_STRETCHES)]


def stretches_in_memory(
    data: Any, names: Sequence[str], starts: Sequence[tuple[int, int]]
) -> Stretches:
    """Return stretches of a frame, an array, an Arrow table or a `Table`."""
    wanted, lengths = set(names), tuple(length for _, length in starts)
    if isinstance(data, Table):
        rows = np.concatenate([np.arange(first, first + length) for first, length in starts])
        return Stretches(lengths, _of_table(data.take(rows), wanted))
    own, natives, _ = named_columns(data)
    columns = {
        name: Column.joined([read_column(_slice(raw, *one)) for one in starts])
        for name, raw in zip(own, natives, strict=True)
        if name in wanted
    }
    return Stretches(lengths, columns)


def _of_table(table: Table, wanted: set[str]) -> dict[str, Column]:
    columns = {}
    for v, name in enumerate(table.names):
        if name not in wanted:
            continue
        if v in table.numbers:
            columns[name] = read_column(table.numbers[v])
            continue
        codes = table.codes[v].astype(np.int64)
        if v in table.missing:
            codes[table.missing[v]] = -1
        columns[name] = Column.of_categories(table.categories[v], codes)
    return columns


def _slice(raw: Any, first: int, length: int) -> Any:
    if isinstance(raw, pd.Series):
        return raw.iloc[first : first + length]
    if isinstance(raw, np.ndarray | nw.Series):
        return raw[first : first + length]
    return raw.slice(first, length)


def stretches_in_files(source: ParquetSource, names: Sequence[str], n_rows: int) -> Stretches:
    """Return the first rows of equally spaced row groups, as they are stored."""
    chunks = source.chunks
    if len(chunks) > N_STRETCHES:
        last = len(chunks) - 1
        chunks = tuple(chunks[last * i // (N_STRETCHES - 1)] for i in range(N_STRETCHES))
    parts: dict[str, list[Column]] = {name: [] for name in names}
    lengths: list[int] = []
    for i, chunk in enumerate(chunks):
        # What short groups do not fill is left to those behind them.
        length = min(chunk.n_rows, (n_rows - sum(lengths)) // (len(chunks) - i))
        with closing(source.batches([chunk], names, length)) as batches:
            _, _, batch = next(batches)
        batch = batch.slice(0, length)
        lengths.append(batch.num_rows)
        for name in names:
            parts[name].append(read_column(batch.column(name)))
    return Stretches(tuple(lengths), {name: Column.joined(own) for name, own in parts.items()})


def chosen_columns(names: Sequence[str], plan: Preparation | None) -> list[str]:
    """Return the columns to read: all, or some of many, and those that may be time or entity."""
    if len(names) <= 2 * _MOST_COLUMNS:
        return list(names)
    spread = {names[i * len(names) // _MOST_COLUMNS] for i in range(_MOST_COLUMNS)}
    if plan is not None:
        keys = [one.name for one in plan.columns if _may_be_key(one)]
        spread.update(keys[:_MOST_COLUMNS])
    return [name for name in names if name in spread]


def _may_be_key(column: ColumnPlan) -> bool:
    if column.role in ("date", "identifier", "dropped"):
        return True
    return column.role != "quantity" and column.n_categories >= _CATEGORIES_OF_KEY


def n_rows_of(n_columns: int) -> int:
    """Return the number of rows to compare, given the number of columns."""
    return max(_FEWEST_ROWS, min(N_ROWS, _MOST_CELLS // max(1, n_columns)))


def dependence_in(stretches: Stretches, plan: Preparation | None) -> RowDependence | None:
    """Test whether rows depend on each other; the plan has the roles of their columns."""
    missing = () if plan is None else plan.missing_texts
    plans = {} if plan is None else {one.name: one for one in plan.columns}
    columns = (
        row_column(name, without_missing(cells, name, missing), plans.get(name))
        for name, cells in stretches.columns.items()
    )
    return find_dependence([one for one in columns if one is not None], stretches.lengths)
