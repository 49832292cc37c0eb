"""Rows in order of time -> a table in which the past of each variable is a column of its own.

In: a prepared `Table`, and which rows follow each other. Out: a lagged `Table`. Also what becomes
of rows that fall into one step, and which columns are static.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.table.column import Codes, Column, Floats, code_dtype
from bnsieve.table.cut_points import binned
from bnsieve.table.discretizer import bin_labels
from bnsieve.table.table import Table
from bnsieve.table.timeline import Timeline, lagged_name, parse_lagged_name

Places = NDArray[np.intp]


def lagged_table(
    table: Table,
    timeline: Timeline,
    rows: Places,
    entities: NDArray[np.int32],
    steps: NDArray[np.int64] | None = None,
) -> Table:
    """Return a table with the past of each variable beside its present.

    Parameters
    ----------
    table : Table
        Prepared rows.
    timeline : Timeline
        Of its columns.
    rows : ndarray of int, shape (n_lags + 1, n_used)
        For each row to be learned from, where it is in the table, and where the rows before it are.
    entities : ndarray of int32, shape (n_used,)
    steps : ndarray of int64, shape (n_used,), optional
        As those of `Table`.
    """
    number = {name: v for v, name in enumerate(table.names)}
    columns = [(name, timeline.place(name)) for name in timeline.names]
    kept = {
        variable: _kept(table, v, rows if variable in timeline.variables else rows[:1])
        for variable, v in number.items()
    }
    dtype = code_dtype(max(len(own) for own in kept.values()))
    codes: Codes = np.empty((len(columns), rows.shape[1]), dtype=dtype)
    missing: dict[int, NDArray[np.bool_]] = {}
    numbers: dict[int, Floats] = {}
    categories = []
    for i, (name, (variable, lag)) in enumerate(columns):
        v, places = number[variable], rows[lag]
        renumbered = np.zeros(len(table.categories[v]), dtype=dtype)
        renumbered[kept[variable]] = np.arange(len(kept[variable]))
        codes[i] = renumbered[table.codes[v][places]]
        categories.append(tuple(table.categories[v][code] for code in kept[variable].tolist()))
        if v in table.missing and (mask := table.missing[v][places]).any():
            if mask.all():
                raise ValueError(
                    f"column {name!r} is missing in every row that has a past: drop {variable!r}"
                )
            codes[i, mask] = 0
            missing[i] = mask
        if v in table.numbers:
            numbers[i] = table.numbers[v][places]
    return Table(
        codes, timeline.names, tuple(categories), missing, numbers, entities, timeline.copies, steps
    )


def with_longer_past(
    table: Table, names: Sequence[str], lags: int, chosen: Places | None = None
) -> Table | None:
    """Return a lagged table with columns that lie further back than its own.

    Parameters
    ----------
    table : Table
        Lagged, with the steps of its rows.
    names : sequence of str
        The columns wanted: variables at any lag up to `lags`.
    lags : int
        How many steps of the past a row must have.
    chosen : ndarray of int, optional
        Which of the rows with such a past, in order of time; by default all.

    Returns
    -------
    Table or None
        The rows that have so long a past, in order of time; None if there is none.
    """
    assert table.steps is not None
    own = {name: parse_lagged_name(name).lag for name in table.copies}
    beyond = max(lags - max(own.values(), default=0), 0)
    order = np.argsort(table.steps, kind="stable")
    steps = table.steps[order]
    # Rows in a row: the row so many steps before is so many places before.
    back = np.arange(beyond, len(steps))
    used = back[steps[back] - steps[back - beyond] == beyond]
    used = used if chosen is None else used[chosen]
    if not len(used):
        return None
    columns = [_column_before(table, name) for name in names]
    categories = tuple(table.categories[v] for v, _ in columns)
    codes: Codes = np.empty((len(names), len(used)), dtype=table.codes.dtype)
    missing: dict[int, NDArray[np.bool_]] = {}
    numbers: dict[int, Floats] = {}
    for i, (v, before) in enumerate(columns):
        places = order[used - before]
        codes[i] = table.codes[v][places]
        if v in table.missing and (mask := table.missing[v][places]).any():
            missing[i] = mask
        if v in table.numbers:
            numbers[i] = table.numbers[v][places]
    rows = order[used]
    entities = None if table.entities is None else table.entities[rows]
    copies = {
        name: variable
        for name, (variable, lag) in zip(names, map(parse_lagged_name, names), strict=True)
        if lag and variable in table.names
    }
    return Table(
        codes, tuple(names), categories, missing, numbers, entities, copies, table.steps[rows]
    )


def _column_before(table: Table, name: str) -> tuple[int, int]:
    """Return the column that holds a variable at a lag, and how many rows before it does."""
    if name in table.names:
        return table.names.index(name), 0
    variable, lag = parse_lagged_name(name)
    nearest = max(
        (one for one in range(lag) if lagged_name(variable, one) in table.names), default=None
    )
    if nearest is None:
        raise KeyError(f"there is no column {variable!r}")
    return table.names.index(lagged_name(variable, nearest)), lag - nearest


def with_columns(table: Table, columns: Mapping[str, Column]) -> Table:
    """Return a table with more columns, none of which has missing values."""
    if not columns:
        return table
    more = Table.from_columns(list(columns), columns.values(), table.n_rows)
    codes: Any = np.vstack([table.codes, more.codes])
    return replace(
        table,
        codes=codes,
        names=(*table.names, *more.names),
        categories=(*table.categories, *more.categories),
    )


def _kept(table: Table, variable: int, rows: Places) -> Places:
    """Return the categories of a variable that occur in some rows at any lag."""
    seen = np.zeros(len(table.categories[variable]), dtype=bool)
    for places in rows:
        codes = table.codes[variable][places]
        if variable in table.missing:
            codes = codes[~table.missing[variable][places]]
        seen[codes] = True
    return np.flatnonzero(seen)


def varies(values: NDArray[Any], known: NDArray[np.bool_], entities: NDArray[Any]) -> bool:
    """Tell whether known values differ within an entity, whose rows lie beside each other."""
    own, whose = values[known], entities[known]
    return bool(((own[1:] != own[:-1]) & (whose[1:] == whose[:-1])).any())


def static_columns(table: Table, order: Places, entities: NDArray[np.int32]) -> tuple[str, ...]:
    """Return the columns that are constant within every entity.

    Parameters
    ----------
    table : Table
    order : ndarray of int
        The rows, those of an entity beside each other.
    entities : ndarray of int32
        Of these rows.
    """
    static = []
    for v, name in enumerate(table.names):
        values = table.numbers.get(v, table.codes[v])[order]
        known = np.ones(len(order), dtype=bool)
        if v in table.missing:
            known = ~table.missing[v][order]
        if not varies(values, known, entities):
            static.append(name)
    return tuple(static)


def last_known(codes: NDArray[Any], starts: Places) -> NDArray[Any]:
    """Return the last code of each group of rows that is not missing; -1 if none is."""
    places = np.where(codes >= 0, np.arange(len(codes)), -1)
    last = np.maximum.reduceat(places, starts)
    return np.where(last >= 0, codes[last], -1)


def mean_known(values: Floats, starts: Places) -> Floats:
    """Return the mean of each group of numbers that are not missing; NaN if all are."""
    known = ~np.isnan(values)
    sums = np.add.reduceat(np.where(known, values, 0.0), starts)
    counts = np.add.reduceat(known.astype(np.int64), starts)
    means = np.full(len(starts), np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def resampled_table(
    table: Table, order: Places, starts: Places, bin_edges: Mapping[str, Sequence[float]]
) -> Table:
    """Return one row for each group of rows: the mean of numbers, the last known of others.

    Parameters
    ----------
    table : Table
    order : ndarray of int
        The rows, those of a group beside each other and in order of time.
    starts : ndarray of int
        Where groups begin in that order.
    bin_edges : mapping of str to sequence of float
        Of the variables of numbers.
    """
    columns, numbers = [], {}
    for v, name in enumerate(table.names):
        if v in table.numbers:
            numbers[name] = mean_known(table.numbers[v][order], starts)
            edges = np.array(bin_edges[name], dtype=np.float64)
            column = Column.of_categories(bin_labels(edges), binned(numbers[name], edges))
        else:
            codes = table.codes[v][order].astype(np.int32)
            if v in table.missing:
                codes[table.missing[v][order]] = -1
            column = Column.of_categories(table.categories[v], last_known(codes, starts))
        columns.append(replace(column, is_ordered=True).observed(name))
    return Table.from_columns(table.names, columns, len(starts)).with_numbers(numbers)
