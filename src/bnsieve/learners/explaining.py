"""From a `FitResult` to the inputs of the rooms `explain` and `network`.

In: a `FitResult`, and the parameters of its learner. Out: `Findings`, `Determinism`, the network.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from bnsieve.counts import ScannedCounts, count, dependence_of
from bnsieve.decide import CountsTest, IndependenceTest, ResidualTest, Score
from bnsieve.engine import one_thread_each
from bnsieve.explain import (
    Background,
    Determinism,
    Drivers,
    EdgeSupport,
    Findings,
    ScoreGain,
    find_determinism,
    find_drivers,
)
from bnsieve.learners.fit_result import FitResult, known_of
from bnsieve.learners.fitting import constraints_of
from bnsieve.learners.refining import test_columns
from bnsieve.learners.stages import machine_rows
from bnsieve.network import BayesianNetwork, EntityDraws, FitRecord, RowReader
from bnsieve.search import CONFIRMED_MARGIN
from bnsieve.sieve.machine import Rule
from bnsieve.table import some_rows
from bnsieve.table.prepare import Elapsed

# As for the tests of ``method="tests"``.
_ROWS_TO_TEST = 10_000
# Of the rows: a date that is later in so many is mostly later.
_MOSTLY = 0.9


def findings_of(result: FitResult, parameters: Mapping[str, Any]) -> Findings:
    """Return the findings to explain; the parameters are those of the learner."""
    table, sieve = result.rows, result.sieve
    counts = CountsTest(
        ScannedCounts(table),
        method=parameters.get("ci_test", "auto"),
        alpha=parameters.get("alpha", 0.01),
        dependence=None if result.clusters is None else dependence_of(table),
    )
    machines = None if sieve is None else sieve.machines
    # Only the machines of `TsetlinSieve` have rows of their own, and see numbers by their ranks.
    sample_rows = parameters.get("sample_rows")
    trained_on = None
    if machines is not None and sample_rows is not None:
        trained_on = machine_rows(table, sample_rows, machines.seed)
    sieved: dict[str, Any] = {}
    if sieve is not None:
        sieved = {"candidates": sieve.candidates, "duplicates": sieve.duplicates}
        sieved |= {"sieve": machines, "margins": sieve.direction_margins}
        sieved |= {"effects": sieve.edge_effects, "small": sieve.small_edges}
    return Findings(
        table,
        result.graph,
        result.dag,
        _independence_test(result, counts),
        Score() if sieve is None else sieve.scoring,
        result.separating_sets,
        **sieved,
        strengths=result.strengths,
        constraints=constraints_of(
            known_of(result, parameters.get("knowledge")), table.names, result.preparation
        ),
        confirmed=result.confirmed_edges,
        by_knowledge=result.knowledge_edges,
        by_time=result.time_edges,
        deterministic=determinism_of(result).pairs,
        as_numbers=result.as_numbers,
        by_rank=sample_rows is not None,
        machine_rows=trained_on,
    )


def network_of(result: FitResult, parameters: Mapping[str, Any]) -> BayesianNetwork:
    """Return the network of a fit; the parameters are those of the learner."""
    rows, posterior = result.table, result.family_counts.posterior
    varying = set() if rows is None else {*result.numeric_features}.difference(rows.constant)
    entities = None if result.clusters is None else EntityDraws.of(rows, result.n_rows)
    counted = posterior.learned.posterior
    record = FitRecord(
        counted if counted is None else replace(counted, entities=entities),
        rows,
        tuple(name for name in result.numeric_features if name in varying),
        result.graph,
        known_of(result, parameters.get("knowledge")),
        result.replicate_dags,
        RowReader(result.preparation, result.missing_strategy == "category"),
        None if rows is None else partial(_rules_of, result, parameters),
        result.n_rows,
        is_graph_learned=True,
        open_edges=_open_edges(result),
    )
    return BayesianNetwork.of(posterior.parts.with_record(record))


def _open_edges(result: FitResult) -> tuple[tuple[str, str], ...]:
    """Return directed edges whose reversal would cost little, and that nothing else decides."""
    margins = {} if result.sieve is None else result.sieve.direction_margins
    decided = {*result.confirmed_edges, *result.knowledge_edges}
    return tuple(
        edge
        for edge in result.graph.directed_edges
        if margins.get(edge, np.inf) < CONFIRMED_MARGIN and edge not in decided
    )


def _rules_of(result: FitResult, parameters: Mapping[str, Any], target: str) -> tuple[Rule, ...]:
    return findings_of(result, parameters).rules_of(target)


def _independence_test(result: FitResult, counts: CountsTest) -> IndependenceTest:
    """Return the test to ask of the rows: by residuals where there are numeric variables."""
    numbers = result.numeric_features
    if not numbers:
        return counts
    rows = some_rows(result.rows, _ROWS_TO_TEST, 0)
    entities = None if result.clusters is None else rows.entities
    columns = test_columns(rows, numbers)
    return ResidualTest(columns, alpha=counts.alpha, counts=counts, entities=entities)


def determinism_of(result: FitResult) -> Determinism:
    """Return the columns that are functions or duplicates of others, by counts of all rows."""
    nodes, families = result.dag.nodes, result.family_counts.tables
    tables = [families[name] for name in nodes]
    states: Mapping[str, Sequence[Hashable]] = result.family_counts.states
    if result.missing_strategy == "em" and result.table is not None:
        # The families count cells that were drawn; what was drawn proves nothing.
        table = result.table.select(nodes)
        states = dict(zip(nodes, table.categories, strict=True))
        tables = [count(table, family.variables) for family in tables]
    duplicates = None if result.sieve is None else result.sieve.duplicates
    return find_determinism(nodes, states, tables, duplicates, result.linear_functions)


def explain(learner: Any, x: str, y: str) -> EdgeSupport:
    """Say why two columns are adjacent, or why they are not.

    Parameters
    ----------
    x, y : str
        The two columns. Over time, edges are the same at every step. A pair of past values is
        therefore shifted until the later one is at time t: ``a@t-2`` and ``b@t-1`` become ``a@t-1``
        and ``b``.

    Returns
    -------
    EdgeSupport
        Print it, or read its attributes: association, tests, the edge's score gain, and its
        strength if `bootstrap` was called. Learners with a sieve add the importance in each other's
        machine and the rules that involve both.
    """
    findings = _findings_of_learner(learner)
    timeline = learner.fit_result_.timeline
    if timeline is not None and timeline.has_lags:
        x, y = timeline.with_later_at_t(x, y)
    with one_thread_each():
        return findings.explain(x, y)


def support_frame(learner: Any) -> pd.DataFrame:
    """Return a frame with a row for every pair of columns: edge, association and more.

    Columns: x, y, edge ("->", "<-", "-" or empty), association; importance_of_x (in the machine of
    y), importance_of_y and candidate, if the learner has a sieve; separating_set; strength and
    direction (of x -> y) if `bootstrap` was called.
    """
    return _findings_of_learner(learner).frame()


def edge_gains(learner: Any) -> list[ScoreGain]:
    """Return the loss of score without each edge of `dag_`, the largest first.

    The gain is in nats: without the edge, and with all others unchanged, the data are less likely
    by a factor of ``exp(gain)``. For large files, it is computed from the sample.
    """
    return _findings_of_learner(learner).edge_gains()


def determinism(learner: Any) -> Determinism:
    """Find columns that are functions of others, and categories that occur in the same rows.

    Only adjacent columns are compared, by counts of all rows. A relation is reported only if chance
    would make at least ten rows contradict it, and at most a hundredth of this number do. Numeric
    columns that are weighted sums of others, adjacent or not, are found in the rows in memory. Such
    a sum leaves less than a thousandth of the variance unexplained, and the sum fitted to one half
    of the rows holds in the other.

    Returns
    -------
    Determinism
        Print it, or read `functions`, `facts`, one-way `implications` and `linear`.
    """
    check_is_fitted(learner, "fit_result_")
    return determinism_of(learner.fit_result_)


def drivers(learner: Any, target: str, state: Hashable = None, *, interval: float = 0.9) -> Drivers:
    """Rank the variables that carry information about a target, including its possible causes.

    Each driver has an adjusted difference between two of its settings, with an interval; the share
    of the target's uncertainty that it explains; its path to the target, with the reliability of
    the direction; and a note if it may have been recorded after the target. If the variable is a
    cause, the difference is that of `effect`. The order of the drivers is described in
    `bnsieve.explain.drivers`, and the settings in `bnsieve.explain.driver_rows`.

    Parameters
    ----------
    target : str
        The variable whose drivers are ranked.
    state : state, optional
        The state of the target whose probability is compared. By default the rarer of two states;
        with more states, for each driver the one that it changes most. Not for a numeric target.
    interval : float, default 0.9
        The level of the intervals.

    Returns
    -------
    Drivers
        Print it, `plot` it, or read its attributes.

    Raises
    ------
    ValueError
        If the target is unknown or constant, or has no such state.
    """
    check_is_fitted(learner, "fit_result_")
    with one_thread_each():
        return find_drivers(
            learner.network_, target, state, level=interval, background=background_of(learner)
        )


def background_of(learner: Any) -> Background:
    """Return what a fit knows about its variables, to find drivers among them."""
    result: FitResult = learner.fit_result_
    return Background(
        result.confirmed_edges,
        result.knowledge_edges,
        [
            frozenset((one.column, *one.of))
            for one in determinism_of(result).functions
            if len(one.of) == 1
        ],
        _late_dates(result),
        result.n_rows,
        result.time_edges,
        () if result.timeline is None else tuple(result.timeline.calendar),
    )


def _late_dates(result: FitResult) -> dict[str, str]:
    """Return the variables that come from a date which is mostly later than another one."""
    plan, table = result.preparation, result.table
    if plan is None or table is None:
        return {}
    late: dict[str, str] = {}
    for column in plan.columns:
        for output in column.outputs:
            if not isinstance(output.reading, Elapsed) or output.name not in table.names:
                continue
            passed = table.numbers.get(table.names.index(output.name))
            if passed is not None and np.nanmean(passed > 0) > _MOSTLY:
                text = f"it comes from {column.name}, which is mostly later than"
                for other in column.outputs:
                    late[other.name] = f"{text} {output.reading.since}"
    return late


def _findings_of_learner(learner: Any) -> Findings:
    check_is_fitted(learner, "fit_result_")
    return findings_of(learner.fit_result_, learner.get_params(deep=False))
