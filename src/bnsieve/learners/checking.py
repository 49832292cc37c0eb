"""Compare new rows with the training rows of a fitted learner.

In: a learner, and new rows in any form. Out: a `bnsieve.check.Check`.
"""

from collections.abc import Hashable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bnsieve.check import (
    ROWS_TO_COMPARE,
    Check,
    Learned,
    Origins,
    SchemaChange,
    changed_columns,
    check_rows,
    more_than,
    renamed,
)
from bnsieve.counts import CountSource, TableRows
from bnsieve.engine import Engine, one_thread_each
from bnsieve.learners.fit_result import FitResult
from bnsieve.learners.over_time import origins, rows_of
from bnsieve.network import BayesianNetwork, missing_as_state
from bnsieve.rows import DataSource, Sampling, is_csv, is_excel, open_data, without_columns
from bnsieve.table import EmptyColumnError, Table, is_past
from bnsieve.table.prepare import Elapsed, Output, Preparation
from bnsieve.text import counted, listed

# What a fit is checked with, so that a second check need not score its rows again.
_LEARNED: WeakKeyDictionary[FitResult, Learned] = WeakKeyDictionary()


def check(
    learner: Any,
    rows: Any,
    *,
    level: float = 0.05,
    target: str | None = None,
    state: Hashable = None,
) -> Check:
    """Compare new rows with the training rows: what changed, where, and which rows show it.

    Four sections. *Schema*: columns, categories, ranges, missing values and copies of rows.
    *Margins*: variables with a different distribution. *Mechanisms*: variables with a different
    distribution given the same parents. A margin that changed only because its parents changed
    follows from these. *Rows*: the least likely rows, each with the cell to blame.

    Parameters
    ----------
    rows : see `fit`
        Columns may be absent, new or in another order.
    level : float, default 0.05
        The largest share of unchanged batches in which a section may raise a false alarm.
    target : str, optional
        A variable whose change is divided among the mechanisms that changed.
    state : state, optional
        The state of the target. By default the rarer of two states; with more states, the one whose
        share changed most.

    Returns
    -------
    Check
        Print it, or read its attributes.

    Raises
    ------
    ValueError
        If the rows have none of the columns of the training rows.
    """
    check_is_fitted(learner, "fit_result_")
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level!r}")
    result: FitResult = learner.fit_result_
    plan = result.preparation
    with ExitStack() as stack:
        stack.enter_context(one_thread_each())
        engine = stack.enter_context(learner._engine())
        data = stack.enter_context(open_data(rows, () if plan is None else plan.missing_texts))
        schema = [*_columns_changed(result, data), *texts_for_numbers(plan, data)]
        source, empty = _prepared(result, data, engine, stack)
        schema += [SchemaChange("missing values", name, "every value is missing") for name in empty]
        if result not in _LEARNED:
            _LEARNED[result] = learned_of(result, learner.network_)
        places = _origins(result, data, source)
        return check_rows(_LEARNED[result], source, schema, level, target, state, places)


def _origins(result: FitResult, data: DataSource, source: CountSource) -> Origins | None:
    """Return what finds rows of a series again in the data; None if they are numbered alike."""
    timeline = result.timeline
    if timeline is None or not timeline.has_lags or not isinstance(source, TableRows):
        return None
    steps = source.table.steps
    return None if steps is None else lambda rows: origins(data, timeline, steps[rows])


def learned_of(result: FitResult, network: BayesianNetwork) -> Learned:
    """Return the parts of a fit that new rows are checked against."""
    parts = network.parts
    notes = []
    timeline = result.timeline
    follow = timeline is not None and timeline.has_lags
    if timeline is not None and follow:
        notes.append(
            "Each row is compared given the steps before it, and rows without a past are left out. "
            "Margins of series are not compared."
        )
    elif result.clusters is not None or result.dependence is not None:
        notes.append(
            "Rows depend on each other: margins and mechanisms differ by chance more than the "
            "p-values say."
        )
    return Learned(
        result.dag,
        result.family_counts,
        parts.mixed if parts.numbers else None,
        result.table,
        result.n_rows,
        result.n_missing,
        _checked(result),
        follow,
        tuple(notes),
        result.graph.undirected_edges,
    )


def _checked(result: FitResult) -> tuple[str, ...]:
    """Return the variables that new rows may change: not their past, and not the calendar."""
    nodes = result.dag.nodes
    calendar = () if result.timeline is None else result.timeline.calendar
    return tuple(name for name in nodes if not is_past(name, nodes) and name not in calendar)


def _columns_changed(result: FitResult, data: DataSource) -> list[SchemaChange]:
    """Return what the names of the columns show."""
    plan, timeline = result.preparation, result.timeline
    if plan is not None:
        expected = plan.needed
        known = tuple(column.name for column in plan.columns)
    else:
        expected = known = _checked(result)
    if timeline is not None:
        known = (*known, *timeline.keys)
    missing, new = changed_columns(expected, data.names, known)
    if len(missing) == len(expected):
        raise ValueError(
            f"{data.given} has none of the training columns, such as {expected[0]!r}: check the "
            "names"
        )
    guessed = _guessed(result, data, missing, new)
    changes = [
        SchemaChange("renamed column", name, f"missing; {other} may be it: {why}")
        for name, (other, why) in guessed.items()
    ]
    changes += [
        SchemaChange("missing column", name, "missing") for name in missing if name not in guessed
    ]
    found = {other for other, _ in guessed.values()}
    changes += [SchemaChange("new column", name, "new") for name in new if name not in found]
    return changes


def texts_for_numbers(plan: Preparation | None, data: DataSource) -> list[SchemaChange]:
    """Return a change for each column of numbers or dates that now holds other text."""
    if plan is None or not data.is_small:
        return []
    frame, found = data.to_frame(), []
    for column in plan.columns:
        is_read = column.outputs and column.role in ("quantity", "date")
        if not is_read or column.name not in frame:
            continue
        cells = frame[column.name].dropna()
        if not len(cells) or cells.dtype.kind in "biufM":
            continue
        unread = _unread(_alone(plan, column.name), cells.to_frame())
        texts = cells[unread & ~cells.isin(list(plan.missing_texts)).to_numpy()].astype(str)
        shown = listed(map(repr, texts.value_counts().index), 3)
        old = column.n_missing, column.n_missing + column.n_known
        p_value = more_than(len(texts), len(cells), old[0], max(1, old[1]))
        if len(texts):
            what = {"quantity": "numbers", "date": "dates"}[column.role]
            told = f"{counted(len(texts), 'cell')} ({len(texts) / len(cells):.1%}) are no {what}"
            found.append(SchemaChange("type", column.name, f"{told}: {shown}", p_value))
    return found


def _alone(plan: Preparation, name: str) -> Preparation:
    """Return the plan for one column: a time since another date is the time since its own date."""

    def from_itself(output: Output) -> Output:
        reading = output.reading
        if isinstance(reading, Elapsed):
            reading = replace(reading, since=name, since_form=reading.form)
        return replace(output, reading=reading)

    column = plan[name]
    outputs = tuple(map(from_itself, column.outputs))
    return replace(plan, columns=(replace(column, outputs=outputs),))


def _unread(plan: Preparation, cells: pd.DataFrame) -> NDArray[np.bool_]:
    """Tell which cells of one column are read as missing."""
    try:
        table = plan.table(cells)
    except EmptyColumnError:
        return np.ones(len(cells), dtype=bool)
    return np.asarray(table.missing.get(0, np.zeros(len(cells), dtype=bool)))


def _guessed(
    result: FitResult, data: DataSource, missing: list[str], new: list[str]
) -> dict[str, tuple[str, str]]:
    if not missing or not new or result.table is None or not data.is_small:
        return {}
    frame = data.to_frame()
    before, after = {}, {}
    for name in missing:
        if name in result.table.names:
            v = result.table.names.index(name)
            numbers = result.table.numbers.get(v)
            before[name] = (
                result.table.categories[v] if numbers is None else numbers[~np.isnan(numbers)]
            )
    for name in new:
        cells = frame[name].dropna()
        is_number = cells.dtype.kind == "f" or (cells.dtype.kind in "iu" and cells.nunique() > 50)
        after[name] = cells.to_numpy(dtype=float) if is_number else tuple(cells.unique())
    return renamed(missing, new, before, after)


def _prepared(
    result: FitResult, data: DataSource, engine: Engine, stack: ExitStack
) -> tuple[CountSource, list[str]]:
    """Return new rows prepared like the training rows, and the columns without any value."""
    names, empty = list(data.names), list[str]()
    plan = result.preparation
    # A variable may be made from a column of another name.
    columns = () if plan is None else plan.columns
    made = {output.name: column.name for column in columns for output in column.outputs}
    while True:
        if not _compared(result, names):
            raise ValueError(
                f"{data.given} has no readable value in any column of the network: check how its "
                "values are written"
            )
        try:
            source = _source(result, data, names, engine, stack)
            break
        except EmptyColumnError as error:
            own = made.get(error.name, error.name)
            if own not in names:
                raise
            names.remove(own)
            empty.append(own)
    if not isinstance(source, TableRows):
        return source, empty
    states = result.family_counts.states
    table = source.table.select([name for name in source.table.names if name in states])
    if any(is_csv(path) or is_excel(path) for path in data.paths):
        table = _by_text(table, states)
    if result.missing_strategy == "category":
        table = missing_as_state(table)
    return TableRows(table), empty


def _compared(result: FitResult, names: list[str]) -> set[str]:
    """Return the variables that can be made from some columns of the data."""
    plan = result.preparation
    outputs = names if plan is None else [output.name for output in plan.among(names).outputs]
    return {*outputs}.intersection(_checked(result))


def _by_text(table: Table, states: Mapping[str, tuple[Hashable, ...]]) -> Table:
    """Return rows of files without types, with the categories that their texts mean."""
    categories = list(table.categories)
    for v, name in enumerate(table.names):
        texts = {str(label): label for label in states[name]}
        meant = tuple(texts.get(str(label), label) for label in categories[v])
        categories[v] = meant if len(set(meant)) == len(meant) else categories[v]
    return replace(table, categories=tuple(categories))


def _source(
    result: FitResult, data: DataSource, names: list[str], engine: Engine, stack: ExitStack
) -> CountSource:
    """Return the rows of some columns; over time, with their past beside them."""
    plan, timeline = result.preparation, result.timeline
    plan = None if plan is None else plan.among(names)
    columns = data
    if plan is None:
        columns = without_columns(data, sorted({*data.names}.difference(names)))
    sample = result.table
    numbers = bool(result.numeric_features if sample is None else sample.numbers)
    sampling = Sampling(ROWS_TO_COMPARE)
    if timeline is None or not timeline.has_lags:
        return columns.counts(plan, sampling, engine, numbers=numbers)
    timeline.require_keys(data.names, data.given)
    return rows_of(columns, plan, timeline, sampling, engine, stack, numbers=numbers)[0]
