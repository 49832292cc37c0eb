"""Rows that belong together: those of one entity, and those that follow each other.

In: opened data, its preparation, and a `Timeline`. Out: the same rows as what a learner counts,
with the entity of each row beside them.
"""

from dataclasses import replace

from bnsieve.counts import CountSource, TableRows
from bnsieve.engine import Engine
from bnsieve.rows import DataSource, Sampling, entities_of, own_entities, read_keys, without_columns
from bnsieve.table import Timeline
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
    *,
    numbers: bool,
) -> tuple[CountSource, Timeline]:
    """Return prepared rows as a learner counts them, and the timeline with their columns."""
    if timeline.time is not None:
        raise NotImplementedError("rows are not learned from in the order of a time column yet")
    columns = data if plan is not None else without_columns(data, timeline.keys)
    source = columns.counts(plan, sampling, engine, numbers=numbers)
    if timeline.by is not None and isinstance(source, TableRows):
        entities = own_entities(entities_of(read_keys(data, [timeline.by])[timeline.by]))
        source = TableRows(replace(source.table, entities=entities))
    return source, timeline.with_columns(source.sample().names)
