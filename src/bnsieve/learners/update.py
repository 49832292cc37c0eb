"""From a fit and new rows to a fit of both, and the drift between them.

Candidates stay the same, and counts of all rows, old and new, decide the graph. The new rows show
whether the candidates still suit the data. Do categories occur about as often as before? Would a
variable that is not a candidate add much information about another one?
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.counts import Drift, JointCounts, Scan, TableRows, covariance_of
from bnsieve.decide import METHODS, Score, scorer_of
from bnsieve.engine import Engine, Map, Timings
from bnsieve.graph import Graph
from bnsieve.knowledge import Constraints
from bnsieve.learners.fit_result import FitContext, FitResult
from bnsieve.learners.fitting import FitSettings, run_fit
from bnsieve.learners.over_time import rows_in_files, rows_of
from bnsieve.network import MISSING_STATE
from bnsieve.rows import (
    DataSource,
    KeptCounts,
    Prepared,
    Sampling,
    add_rows,
    open_data,
    prepared_source,
)
from bnsieve.table import Table, Timeline
from bnsieve.table.prepare import Preparation

# Shares of categories that moved by less in sum are not worth a new first pass, however sure it is
# that they moved; larger moves must be beyond chance.
_MOVED = 0.1
_CHANCE = 1e-3
# In nats: what a column that is no candidate must add before candidates are called stale.
_GAIN = 10.0


def find_drift(
    before: Scan,
    new: Scan,
    sample: Table,
    dag: Graph,
    candidates: Mapping[str, Sequence[str]],
    score: Score,
    run: Map,
    exogenous: Collection[str] = (),
) -> Drift:
    """Compare new rows with the earlier ones, and find candidates that are missed.

    Parameters
    ----------
    before, new : Scan
    sample : Table
        A sample of the new rows.
    dag : Graph
        Learned from all rows.
    candidates : mapping of str to sequence of str
    score : Score
        The score that the graph was learned with.
    run : Map
    exogenous : collection of str
        Variables without parents, such as past values.
    """
    moved = {
        name: distance
        for name, old, now in zip(new.names, before.counts, new.counts, strict=True)
        if (distance := _distance(old, now)) > _MOVED
    }
    varying = [name for name in candidates if name not in sample.constant]
    # What lies in the past has no parents, and is no candidate's target.
    targets = [name for name in varying if name not in exogenous]
    chosen = sample.select(varying)
    place = {name: i for i, name in enumerate(varying)}
    scorer = scorer_of(
        chosen,
        covariance_of(chosen) if chosen.numbers else None,
        score,
        Constraints.none(len(place)),
    )

    def missed(name: str) -> tuple[str, ...]:
        target = place[name]
        parents = {near for near in dag.parents(name) if near in place}
        neighbours = parents | {near for near in dag.children(name) if near in place}
        blanket = {near for near in dag.markov_blanket(name) if near in place}
        # A neighbour adds to any set of others. What comes after the children adds to the parents
        # but not to all neighbours; the children's other parents, and what these tell of, add to
        # all neighbours but not to the whole blanket.
        gains = np.min(
            [
                scorer.gains(target, tuple(sorted(map(place.__getitem__, given))))
                for given in (parents, neighbours, blanket)
            ],
            axis=0,
        )
        outside = set(varying) - set(candidates[name]) - {name}
        return tuple(
            other
            for other in sorted(outside)
            if gains[place[other]] > _GAIN and name not in candidates[other]
        )

    found = zip(targets, run(missed, targets), strict=True)
    return Drift(new.n_rows, moved, {name: others for name, others in found if others})


def _distance(old: Mapping[Any, int], new: Mapping[Any, int]) -> float:
    """Return half the sum of the differences of shares, or zero if chance would explain them."""
    labels = list({**old, **new})
    table = np.array([[counts.get(label, 0) for label in labels] for counts in (old, new)])
    if len(labels) < 2:
        return 0.0
    if not beyond_chance(table):
        return 0.0
    shares = table / table.sum(axis=1, keepdims=True)
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def beyond_chance(counts: NDArray[np.int64]) -> bool:
    """Tell whether two rows of counts differ by more than chance in all but one of 1,000 cases.

    The test is valid in tables with rare categories too. There, the textbook's test finds a
    difference in one of fifty columns without any.
    """
    line, label = np.nonzero(counts)
    places = np.stack([line, label]).astype(np.uint16)
    shape = (2, counts.shape[1])
    joint = JointCounts((0, 1), shape, (False, False), places, counts[line, label].astype(np.int64))
    return METHODS["auto"](joint, _CHANCE).p_value <= _CHANCE


def update_fit(
    result: FitResult, data: Any, settings: FitSettings, engine: Engine, sample_rows: int
) -> FitResult:
    """Add new rows to those that were learned from, and decide again.

    Parameters
    ----------
    result : FitResult
    data : see `bnsieve.rows.open_data`
    settings : FitSettings
    engine : Engine
    sample_rows : int
        Rows of a sample.
    """
    if result.clusters is not None:
        raise ValueError(
            f"rows of one {result.clusters.by} belong together, and the learner does not keep "
            f"which {result.clusters.by} each row was about: fit all rows again, old and new, "
            f"with by={result.clusters.by!r}"
        )
    timings, plan = Timings(), result.preparation
    if result.counted is None or result.sieve is None:
        table, timeline = _with_rows(result, data, engine)
        context = FitContext(
            TableRows(table), engine, timings, plan, timeline=timeline, dependence=result.dependence
        )
        return replace(run_fit(settings, context), table_record=result.table_record)
    before, sieve, timeline = result.counted, result.sieve, result.timeline
    with timings.stage("counting"), ExitStack() as stack:
        opened = stack.enter_context(open_data(data))
        if timeline is None or not timeline.has_lags:
            new_rows = prepared_source(opened, plan)
        else:
            timeline.require_keys(opened.names, opened.given)
            new_rows, added = rows_in_files(opened, plan, timeline, stack, numbers=True)
            timeline = timeline.added(added)
        counted, new = add_rows(new_rows, before, sample_rows, engine)
    source = KeptCounts(counted, sample_rows)
    context = FitContext(
        source,
        engine,
        timings,
        plan,
        sieve.candidates,
        sieve.machines,
        timeline=timeline,
        dependence=result.dependence,
    )
    updated = replace(run_fit(settings, context), table_record=result.table_record)
    if updated.sieve is None:
        return updated
    with timings.stage("drift"):
        drift = find_drift(
            before.found,
            new,
            new.sample(sample_rows),
            updated.dag,
            updated.sieve.candidates,
            updated.sieve.scoring,
            engine.map,
            [] if timeline is None else [*timeline.past, *timeline.static, *timeline.calendar],
        )
    if timeline is not None:
        # Other days are no change.
        moved = {name: by for name, by in drift.moved.items() if name not in timeline.calendar}
        drift = replace(drift, moved=moved)
    return replace(updated, drift=drift, timings=dict(timings))


def _with_rows(result: FitResult, data: Any, engine: Engine) -> tuple[Table, Timeline | None]:
    """Return the training rows, with the new rows below them."""
    before, plan = result.rows, result.preparation
    if result.missing_strategy == "category":
        before = without_missing_label(before)
    timeline = result.timeline
    with open_data(data, () if plan is None else plan.missing_texts) as opened:
        new, timeline = _new_rows(opened, before, plan, timeline, engine)
        orders = opened.orders | ({} if plan is None else Prepared(plan).bins)
    if {*before.names} <= {*new.names}:  # a run for a target leaves columns out
        new = new.select(before.names)
    both = joined(before, new, _at_all_lags(orders, before))
    entities = None
    if before.entities is not None and new.entities is not None:
        # No entity of the new rows is known by name: each counts as another one.
        entities = np.concatenate([before.entities, new.entities + before.entities.max() + 1])
    steps = None
    if before.steps is not None and new.steps is not None:
        steps = np.concatenate([before.steps, new.steps + before.steps.max() + 2])
    return replace(both, entities=entities, copies=before.copies, steps=steps), timeline


def _new_rows(
    data: DataSource,
    before: Table,
    plan: Preparation | None,
    timeline: Timeline | None,
    engine: Engine,
) -> tuple[Table, Timeline | None]:
    """Return new rows prepared as those before; over time, with their past beside them.

    The first rows of each entity have no past among the new ones, and only are the past of others.
    """
    numbers = bool(before.numbers)
    if timeline is None:
        return data.table(plan, engine, numbers=numbers), None
    timeline.require_keys(data.names, data.given)
    with ExitStack() as stack:
        source, new = rows_of(data, plan, timeline, Sampling(), engine, stack, numbers=numbers)
        return source.sample(), timeline.added(new)


def _at_all_lags(
    orders: Mapping[str, Sequence[Hashable]], table: Table
) -> dict[str, Sequence[Hashable]]:
    """Return the order of categories for copies of variables, too."""
    copies = {name: orders[one] for name, one in table.copies.items() if one in orders}
    return {**orders, **copies}


def joined(old: Table, new: Table, order: Mapping[str, Sequence[Hashable]]) -> Table:
    """Append the rows of one table to those of another.

    Parameters
    ----------
    old, new : Table
        With the same columns, in any order.
    order : mapping from str to sequence of categories
        The order of the categories of some columns, such as binned ones. Others keep the order of
        `old`. Categories that only `new` has come last, or in their place if categories are sorted.

    Raises
    ------
    ValueError
        If columns or the types of their categories differ.
    """
    apart = sorted({*old.names} ^ {*new.names})
    if apart:
        where = "not in the new rows" if apart[0] in old.names else "in the new rows only"
        raise ValueError(f"the column {apart[0]!r} is {where}: pass all training columns")
    new = new.select(old.names)
    types = {}
    for name, a, b in zip(old.names, old.categories, new.categories, strict=True):
        labels = _all_labels(name, a, b, order.get(name))
        types[name] = pd.CategoricalDtype(pd.Index(labels, tupleize_cols=False))
    frames = [table.to_frame().astype(types) for table in (old, new)]
    numbers = {
        old.names[v]: np.concatenate([old.numbers[v], new.numbers[v]])
        for v in old.numbers
        if v in new.numbers
    }
    return Table.from_data(pd.concat(frames, ignore_index=True)).with_numbers(numbers)


def without_missing_label(table: Table) -> Table:
    """Turn the category "(missing)" back into missing values."""
    codes = table.codes.copy()
    states, missing = list(table.categories), dict(table.missing)
    for i, labels in enumerate(table.categories):
        if labels[-1] == MISSING_STATE:
            mask = codes[i] == len(labels) - 1
            codes[i][mask] = 0
            states[i], missing[i] = labels[:-1], mask
    return replace(table, codes=codes, categories=tuple(states), missing=missing, numbers={})


def _all_labels(
    name: str, old: Sequence[Hashable], new: Sequence[Hashable], order: Sequence[Hashable] | None
) -> tuple[Hashable, ...]:
    kinds = {type(label).__name__ for label in (*old, *new)}
    if len(kinds) > 1:
        raise ValueError(
            f"column {name!r} has categories of type {' and '.join(sorted(kinds))} in the "
            "new rows and those before: write all with one type"
        )
    union: list[Any] = list(dict.fromkeys((*old, *new)))
    if order is not None:
        rank = {label: i for i, label in enumerate(order)}
        return tuple(sorted(union, key=lambda label: rank.get(label, len(rank))))
    return tuple(sorted(union)) if list(old) == sorted(old) else tuple(union)  # type: ignore[type-var]
