"""Rows that belong together: those of one entity, and those that follow each other.

In: opened data, its preparation, and a `Timeline`. Out: the same rows as what a learner counts,
with the entity of each row beside them.
"""

import warnings
from contextlib import ExitStack
from dataclasses import replace

import numpy as np
import pandas as pd

from bnsieve.counts import CountSource, TableRows
from bnsieve.engine import Engine
from bnsieve.rows import (
    DataSource,
    FileRows,
    Sampling,
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
from bnsieve.table import Table, Timeline, lagged_table, resampled_table, static_columns
from bnsieve.table.prepare import Preparation


def without_keys(plan: Preparation, timeline: Timeline) -> Preparation:
    """Return a plan that learns nothing from the time column and the entity column."""
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
    """Return prepared rows as a learner counts them, and the timeline with their columns."""
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
        return _rows_in_files(data, columns, plan, timeline, sampling, engine, stack, numbers)
    table, timeline = lagged_rows(data, columns, plan, timeline, engine, numbers=numbers)
    _warn_if_uneven(data, timeline)
    return TableRows(table), timeline


def _warn_if_uneven(data: DataSource, timeline: Timeline) -> None:
    if timeline.is_uneven:
        warnings.warn(f"{data.given}: {timeline.sentences()[1]}", UserWarning, stacklevel=6)


def _rows_in_files(
    data: DataSource,
    columns: DataSource,
    plan: Preparation | None,
    timeline: Timeline,
    sampling: Sampling,
    engine: Engine,
    stack: ExitStack,
    numbers: bool,
) -> tuple[CountSource, Timeline]:
    """Return rows that are too many for memory with their past beside them."""
    if timeline.every is not None:
        raise ValueError(
            f"{data.given} has too many rows for memory, and every={timeline.every!r} needs them "
            "there: resample the rows first, or give those of some entities"
        )
    plain = prepared_source(columns, plan, numbers=numbers)
    folder = stack.enter_context(scratch_folder())
    source, timeline = files_over_time(data.stored(), plain, timeline, folder, data.given)
    _warn_if_uneven(data, timeline)
    return count_rows(source, sampling, engine), timeline


def lagged_rows(
    data: DataSource,
    columns: DataSource,
    plan: Preparation | None,
    timeline: Timeline,
    engine: Engine,
    *,
    numbers: bool,
) -> tuple[Table, Timeline]:
    """Return rows in memory with their past beside them."""
    keys = read_keys(data, timeline.keys)
    stamps = stamps_of(str(timeline.time), keys[str(timeline.time)])
    whose = pd.Series("", index=range(data.n_rows)) if timeline.by is None else keys[timeline.by]
    sequences = put_in_order(timeline, whose, stamps, data.given)
    table = columns.table(plan, engine, numbers=numbers or timeline.every is not None)
    order = sequences.order
    if timeline.every is not None:
        table = resampled_table(table, order, sequences.starts, plan.bin_edges if plan else {})
        table = table if numbers else replace(table, numbers={})
        order = np.arange(table.n_rows)
    static = timeline.static
    if timeline.by is not None and not timeline.variables:
        static = static_columns(table, order, sequences.entities)
    rows, entities = sequences.with_past(timeline.lags)
    if len(static) == table.n_variables:
        raise ValueError(
            f"{data.given}: every column is constant within each {timeline.by}, so that nothing "
            "changes over time: leave out time="
        )
    steps = replace(sequences.steps, n_used=rows.shape[1])
    timeline = replace(timeline.with_columns(table.names, static), steps=steps)
    return lagged_table(table, timeline, order[rows], entities), timeline
