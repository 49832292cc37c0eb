"""Dependent rows: rows of one entity, and rows that follow each other in time.

In: opened data, its preparation, and a `Timeline`. Out: the same rows as a `CountSource`, with the
entity of each row.
"""

import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.counts import CountSource, TableRows
from bnsieve.engine import Engine
from bnsieve.rows import (
    DataSource,
    Every,
    FileRows,
    ParquetSource,
    Sampling,
    Sequences,
    Stamps,
    choose_lags,
    columns_in_order,
    count_rows,
    entities_of,
    files_over_time,
    own_entities,
    prepared_source,
    put_in_order,
    read_keys,
    scratch_folder,
    stamps_of,
    without_columns,
)
from bnsieve.table import (
    CalendarPart,
    Table,
    Timeline,
    lagged_table,
    resampled_table,
    static_columns,
    with_columns,
)
from bnsieve.table.prepare import Preparation, calendar_column, calendar_names, covered_parts

_PER_SECOND = 1_000_000

Places = NDArray[np.intp]


def without_keys(plan: Preparation, timeline: Timeline) -> Preparation:
    """Return a plan without the time column and the entity column."""
    reasons = {
        timeline.time: "it says when rows were recorded",
        timeline.by: "it says which rows belong together",
    }
    return replace(
        plan,
        columns=tuple(
            replace(
                column, role="dropped", why=reasons[column.name], what="places rows", outputs=()
            )
            if column.name in timeline.keys
            else column
            for column in plan.columns
        ),
    )


def rows_of(
    data: DataSource,
    plan: Preparation | None,
    timeline: Timeline,
    sampling: Sampling,
    engine: Engine,
    stack: ExitStack,
    *,
    numbers: bool,
) -> tuple[CountSource, Timeline]:
    """Return prepared rows as a `CountSource`, and the timeline with their columns."""
    columns = data if plan is not None else without_columns(data, timeline.keys)
    if timeline.time is None:
        source = columns.counts(plan, sampling, engine, numbers=numbers)
        if timeline.by is not None:
            entities = own_entities(entities_of(read_keys(data, [timeline.by])[timeline.by]))
            if isinstance(source, TableRows):
                source = TableRows(replace(source.table, entities=entities))
            elif isinstance(source, FileRows):
                source = replace(source, entities=entities)
            else:
                raise TypeError(f"rows of {data.given} have no entities: leave out by=")
        return source, timeline.with_columns(source.sample().names)
    if not data.is_small:
        files, timeline = rows_in_files(data, plan, timeline, stack, numbers=numbers)
        return count_rows(files, sampling, engine), timeline
    table, timeline = lagged_rows(data, columns, plan, timeline, engine, numbers=numbers)
    _warn_if_uneven(data, timeline)
    return TableRows(table), timeline


def _warn_if_uneven(data: DataSource, timeline: Timeline) -> None:
    if timeline.is_uneven:
        warnings.warn(f"{data.given}: {timeline.sentences()[1]}", UserWarning, stacklevel=6)


def _others(data: DataSource, timeline: Timeline) -> list[str]:
    return [name for name in data.names if name not in timeline.keys]


def rows_in_files(
    data: DataSource,
    plan: Preparation | None,
    timeline: Timeline,
    stack: ExitStack,
    *,
    numbers: bool,
) -> tuple[ParquetSource, Timeline]:
    """Return prepared rows with their past values, to be read in passes.

    Rows that are not in order, or are resampled, are written to temporary files, which the stack
    removes.
    """
    columns = data if plan is not None else without_columns(data, timeline.keys)
    plain = prepared_source(columns, plan, numbers=numbers or timeline.every is not None)
    folder = stack.enter_context(scratch_folder())
    source, timeline = files_over_time(
        data.stored(), plain, timeline, folder, data.given, numbers=numbers
    )
    _warn_if_uneven(data, timeline)
    return source, timeline


def lagged_rows(
    data: DataSource,
    columns: DataSource,
    plan: Preparation | None,
    timeline: Timeline,
    engine: Engine,
    *,
    numbers: bool,
) -> tuple[Table, Timeline]:
    """Return rows in memory with their past values."""
    keys = read_keys(data, timeline.keys)
    stamps = stamps_of(str(timeline.time), keys[str(timeline.time)])
    whose = pd.Series("", index=range(data.n_rows)) if timeline.by is None else keys[timeline.by]
    sequences = put_in_order(
        timeline, whose, stamps, data.given, lambda: read_keys(data, _others(data, timeline))
    )
    if sequences.doubt:
        warnings.warn(f"{data.given}: {sequences.doubt}", UserWarning, stacklevel=6)
    table = columns.table(plan, engine, numbers=numbers or timeline.every is not None)
    order = sequences.order
    if timeline.every is not None:
        table = resampled_table(table, order, sequences.starts, plan.bin_edges if plan else {})
        table = table if numbers else replace(table, numbers={})
        order = np.arange(table.n_rows)
    static = timeline.static
    if timeline.by is not None and not timeline.variables:
        static = static_columns(table, order, sequences.entities)
    calendar = dict(timeline.calendar)
    if not timeline.variables:
        sequences.with_past(1)  # refuses rows of which none has a past, in words
        calendar = _calendar(timeline, sequences, stamps, table.names)
    names = table.names
    if calendar:
        when = _begins(timeline, sequences, stamps)
        table = _with_calendar(table, calendar, when, order)
    if timeline.has_open_lags:
        columns_over_time = columns_in_order(table, order, sequences.depth, {*static, *calendar})
        timeline = timeline.with_lags(choose_lags(columns_over_time))
    rows, entities = sequences.with_past(timeline.lags, timeline.steps)
    if len(static) == len(names):
        raise ValueError(
            f"{data.given}: every column is constant within each {timeline.by}, so that nothing "
            "changes over time: leave out time="
        )
    steps = replace(sequences.steps, n_used=rows.shape[1])
    timeline = replace(timeline.with_columns(names, static), steps=steps, calendar=calendar)
    return lagged_table(table, timeline, order[rows], entities, rows[0]), timeline


def origins(
    data: DataSource, timeline: Timeline, steps: NDArray[np.int64]
) -> tuple[Places, dict[str, list[Any]]]:
    """Return the first row of each step, with its entity and time.

    Parameters
    ----------
    data : DataSource
        In memory.
    timeline : Timeline
    steps : ndarray of int64
        The steps of the `Table` that `rows_of` made from the same data.
    """
    keys = read_keys(data, timeline.keys)
    stamps = stamps_of(str(timeline.time), keys[str(timeline.time)])
    whose = pd.Series("", index=range(data.n_rows)) if timeline.by is None else keys[timeline.by]
    sequences = put_in_order(timeline, whose, stamps, data.given)
    rows = sequences.order[sequences.starts[steps]]
    when = {str(timeline.time): [stamps.shown(row) for row in rows.tolist()]}
    return rows, when if timeline.by is None else {timeline.by: whose.iloc[rows].tolist(), **when}


def _calendar(
    timeline: Timeline, sequences: Sequences, stamps: Stamps, taken: Sequence[str]
) -> dict[str, CalendarPart]:
    """Return the parts of dates that may help to predict, by the names of their columns."""
    length = sequences.steps.length
    if length is None or not stamps.is_date:
        return {}
    placed = stamps.values[sequences.order]
    span = (int(placed.max()) - int(placed.min())) / _PER_SECOND
    parts = covered_parts(Every.of(length).seconds, span)
    return calendar_names(str(timeline.time), parts, (*taken, *timeline.keys))


def _begins(timeline: Timeline, sequences: Sequences, stamps: Stamps) -> NDArray[np.int64]:
    """Return when each step begins; without resampling, the time of each row of the data."""
    if timeline.every is None:
        return stamps.values
    return Every.of(timeline.every).begins(stamps.values[sequences.order[sequences.starts]])


def _with_calendar(
    table: Table, calendar: Mapping[str, CalendarPart], when: NDArray[np.int64], order: Places
) -> Table:
    """Return a table with columns made of the time of its rows."""
    # Rows without a time are not learned from, and must not bring a category.
    times = np.full(table.n_rows, when[order[0]])
    times[order] = when[order]
    parts = {name: calendar_column(name, part, times) for name, part in calendar.items()}
    return with_columns(table, parts)
