"""Preparation of data before learning, by the user's settings or automatically.

In: opened data, and the parameter `prepare`. Out: rows as categories and numbers, and the plan of
their preparation.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from bnsieve.counts import CountSource, TableRows, checked_counts
from bnsieve.engine import Engine
from bnsieve.learners.over_time import rows_of, without_keys
from bnsieve.rows import (
    DataSource,
    Sampling,
    SqlTable,
    count_in_database,
    dependent_rows,
    first_texts,
    in_key_order,
    is_csv,
    near_repeats,
    open_data,
    stored_types,
    without_repeats,
)
from bnsieve.search import with_bin_edges
from bnsieve.synthesize import Spelling, TableRecord, read_names, record_table, spelling_of
from bnsieve.table import (
    LIMITS,
    MAX_ROWS,
    DependentRowsWarning,
    Discretizer,
    RowDependence,
    Table,
    Timeline,
)
from bnsieve.table.prepare import (
    AS_ASKED,
    ColumnOverrides,
    Columns,
    Preparation,
    plan_columns,
    with_parameters,
    without_missing,
)

Prepare = Literal["auto"] | Preparation | Discretizer | None

# Where numbers are fewer than one in so many columns, all are cut.
_COLUMNS_PER_NUMBER = 5
# Of rows too many for memory, so small a share of missing values is left out of counts.
_FEW_MISSING = 0.001


def parts_of(plan: Preparation | None) -> tuple[tuple[str, ...], ...]:
    """Return the variables made from one column, such as year and month of a date.

    Their dependence is trivial, so they are never adjacent.
    """
    columns = () if plan is None else plan.columns
    made = (tuple(output.name for output in column.outputs) for column in columns)
    return tuple(names for names in made if len(names) > 1)


def cut_by_name(table: Table, cuts: Mapping[str, Sequence[float]]) -> Table:
    """Return the table with other bin edges of some numeric columns."""
    place = {name: v for v, name in enumerate(table.names)}
    return with_bin_edges(table, {place[name]: own for name, own in cuts.items()})


class PreparedRows(NamedTuple):
    """Data as a `CountSource`, and how they were prepared.

    Attributes
    ----------
    source : CountSource
    plan : Preparation or None
    timeline : Timeline or None
        How rows belong together; None if they are independent.
    dependence : RowDependence or None
        Signs that rows are not independent, if there is no timeline.
    record : TableRecord or None
        What `synthesize` needs to know about the original table.
    """

    source: CountSource
    plan: Preparation | None
    timeline: Timeline | None = None
    dependence: RowDependence | None = None
    record: TableRecord | None = None


def read_rows(
    given: Any,
    prepare: Prepare,
    sampling: Callable[[], Sampling],
    engine: Engine,
    stack: ExitStack,
    timeline: Timeline | None,
    key: str | None,
) -> PreparedRows:
    """Open the data given to `fit`, until the stack closes, and prepare its rows.

    Parameters
    ----------
    given : see `fit`
    prepare : see `fit`
    sampling : callable
        The sampling that the learner needs for rows that do not fit in memory.
    engine : Engine
    stack : ExitStack
    timeline : Timeline or None
    key : str or None
        The column by which rows are sorted.
    """
    needs_rows = key is not None or timeline is not None
    if isinstance(given, SqlTable):
        if needs_rows:
            raise ValueError(
                "rows that stay in a database have no order: leave out time= and by=, and name the "
                "key as SqlTable(key=...)"
            )
        if prepare != "auto":
            raise ValueError(
                "rows that stay in a database are prepared there: leave out prepare=, and prepare "
                "columns in the query"
            )
        return PreparedRows(count_in_database(given, sampling(), stack), None)
    if isinstance(given, CountSource):
        if needs_rows or prepare not in ("auto", None):
            raise ValueError(
                f"{type(given).__name__} gives counts, not rows that could be prepared or put in "
                "order: leave out prepare=, time=, by= and key="
            )
        return PreparedRows(checked_counts(given), None)
    texts = prepare.missing_texts if isinstance(prepare, Preparation) else ()
    data = stack.enter_context(open_data(given, texts))
    if key is not None:
        data = in_key_order(data, key, stack)
    elif not data.has_order and timeline is None:
        text = (
            f"{data.given} comes from a query in no certain order, so another fit of the same rows "
            "may differ: name a column that differs in every row with key="
        )
        warnings.warn(text, UserWarning, stacklevel=4)
    # A seed is drawn only for rows that are sampled.
    chosen = Sampling() if data.is_small else sampling()
    return prepared(data, prepare, chosen, engine, timeline, stack)


def prepared(
    data: DataSource,
    prepare: Prepare,
    sampling: Sampling,
    engine: Engine,
    timeline: Timeline | None = None,
    stack: ExitStack | None = None,
) -> PreparedRows:
    """Return data as a `CountSource`, and how they were prepared.

    Rows in files that are not in order of time are written to temporary files, which the stack
    removes.
    """
    keys: tuple[str, ...] = ()
    if timeline is not None:
        timeline.require_keys(data.names, data.given)
        keys = timeline.keys
    plan: Preparation | None = None
    if isinstance(prepare, Preparation) and not data.is_encoded:
        plan = prepare
    elif prepare is not None and not data.is_encoded and data.names and data.n_rows:
        plan = _planned(data.columns(engine), prepare, data.given, keys)
    if plan is not None and timeline is not None:
        plan = without_keys(plan, timeline)
    numbers = (
        plan is not None
        and not isinstance(prepare, Discretizer)
        and _has_enough_numbers(plan)
        and (data.is_small or _numbers_are_known(plan))
    )
    if timeline is None:
        source = _counted(data, plan, sampling, engine, numbers=numbers)
        source, repeats = without_repeats(source, data.paths)
        dependence = repeats or dependent_rows(data, plan) or near_repeats(source)
        record = None if plan is None else remembered(data, plan, engine)
        return PreparedRows(source, plan, dependence=dependence, record=record)
    source, timeline = rows_of(
        data, plan, timeline, sampling, engine, stack or ExitStack(), numbers=numbers
    )
    return PreparedRows(source, plan, timeline)


def remembered(data: DataSource, plan: Preparation, engine: Engine) -> TableRecord:
    """Return the record of a table for `synthesize`; for large files, from some row groups."""
    names = read_names(plan)
    if data.is_small:
        cells = data.columns(engine).sample(names, plan.missing_texts) if names else {}
    else:
        some = data.consecutive(names, MAX_ROWS).columns
        cells = {name: without_missing(some[name], name, plan.missing_texts) for name in names}
    return record_table(plan, cells, stored_types(data), _spelled(data, plan))


def _spelled(data: DataSource, plan: Preparation) -> Spelling:
    """Return the spelling of cells, where several spellings are read as one value."""
    if data.paths and is_csv(data.paths[0]):
        return spelling_of(first_texts(data.paths[0]), {}, {})
    names = [one.name for one in plan.columns if one.n_missing and one.name in read_names(plan)]
    some = data.consecutive(names, MAX_ROWS).columns if names else {}
    kept = {name: without_missing(some[name], name, plan.missing_texts) for name in names}
    return spelling_of({}, some, kept)


def _counted(
    data: DataSource, plan: Preparation | None, sampling: Sampling, engine: Engine, *, numbers: bool
) -> CountSource:
    """Return the rows as what a learner counts.

    Of rows with missing values, too many for memory, as many are drawn as memory holds: values are
    filled in these. A score of the rows that know all values of a family cannot compare families.
    """
    source: CountSource | None = None
    if data.is_small or not sampling.fills_missing:
        return data.counts(plan, sampling, engine, numbers=numbers)
    if plan is None:
        source = data.counts(plan, sampling, engine, numbers=numbers)
        sample = source.sample()
        most = max((mask.mean() for mask in sample.missing.values()), default=0.0)
    else:
        known = [one for one in plan.columns if one.outputs]
        most = max((one.n_missing / data.n_rows for one in known), default=0.0)
    if most <= _FEW_MISSING:
        return source or data.counts(plan, sampling, engine, numbers=numbers)
    n_rows = max(sampling.n_sample or 0, LIMITS.in_memory // max(1, len(data.names)))
    drawn = replace(sampling, n_sample=n_rows)
    table = data.counts(plan, drawn, engine, numbers=numbers).sample()
    if table.n_rows < data.n_rows:
        text = (
            f"{data.given} has missing values, which are imputed in memory: only {table.n_rows:,} "
            f"of {data.n_rows:,} rows are drawn and used"
        )
        warnings.warn(text, UserWarning, stacklevel=5)
    return TableRows(table)


def warn_of(dependence: RowDependence) -> None:
    """Warn the caller of `fit` that rows are not independent."""
    text = f"{dependence.problem}: {dependence.consequence}; {dependence.advice()}"
    warnings.warn(text, DependentRowsWarning, stacklevel=3)


def _has_enough_numbers(plan: Preparation) -> bool:
    """Tell whether numbers are enough of the columns to learn from them as numbers.

    The score for numeric variables treats categories as numbers too, and detects less in them than
    their own score does. A column that the user calls a quantity settles the question.
    """
    n_numbers = sum(output.is_number for output in plan.outputs)
    return _COLUMNS_PER_NUMBER * n_numbers >= len(plan.outputs) or any(
        output.is_number
        for column in plan.columns
        for output in column.outputs
        if column.why == AS_ASKED
    )


def _numbers_are_known(plan: Preparation) -> bool:
    """Tell whether every number is known in half of the rows or more.

    In files correlations come from the rows that know both columns, and those of few go astray.
    """
    return all(
        column.n_missing <= column.n_known
        for column in plan.columns
        if any(output.is_number for output in column.outputs)
    )


def _planned(
    columns: Columns, prepare: Prepare, given: str, drop: tuple[str, ...] = ()
) -> Preparation:
    """Plan; refuse a plan without columns, and warn of columns left out and of odd cells."""
    discretizer = prepare if isinstance(prepare, Discretizer) else Discretizer()
    overrides = ColumnOverrides(drop=drop, constants=True, discretizer=discretizer)
    plan = with_parameters(plan_columns(columns, overrides))
    told = [f"{one.name} is left out: {one.why}" for one in plan.left_out if one.role != "dropped"]
    if not plan.outputs:
        why = _few(told) or "all are dropped"
        raise ValueError(f"{given} has no column that can be learned from: {why}")
    told += [
        f"{one.n_odd:,} odd cells of {one.name}, such as {one.odd[0].value!r} in row "
        f"{one.odd[0].row:,}, are read as {one.odd[0].read_as}"
        for one in plan.columns
        if one.odd
    ]
    if told:
        warnings.warn(f"{_few(told)}; see preparation_", UserWarning, stacklevel=6)
    return plan


def _few(told: Sequence[str]) -> str:
    more = f"; and {len(told) - 3:,} more" if len(told) > 3 else ""
    return "; ".join(told[:3]) + more
