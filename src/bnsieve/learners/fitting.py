"""One fit, from a source of rows to a `FitResult`: what all learners share.

In: `FitSettings`, whose `search` is the learner's own step, and a `FitContext`. Out: a `FitResult`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from bnsieve.counts import (
    Clusters,
    CountSource,
    KeepsCounts,
    ScannedCounts,
    TableRows,
    clusters_of,
)
from bnsieve.decide import CountsTest, IndependenceTest
from bnsieve.engine import Timings
from bnsieve.graph import Graph
from bnsieve.knowledge import Constraints, Knowledge, known_over_time
from bnsieve.learners.fit_result import FitContext, FitResult, SearchResult, SieveResult
from bnsieve.learners.preparing import cut_by_name, parts_of
from bnsieve.network import Missing, count_families, draw_missing, fit_network, missing_as_state
from bnsieve.search import (
    Skeleton,
    confirmed_by_name,
    directed_by_knowledge,
    known_class,
    named_directions,
    orient,
    without_undetermined,
)
from bnsieve.table import CategoryOrders, Table, Timeline, content_orders
from bnsieve.table.prepare import Preparation

# The graph seldom changes after the third.
MAX_EM_ROUNDS = 5

Search = Callable[[Table, Constraints, FitContext], SearchResult]
"""Finds a DAG over the variables of a table; their order settles ties.

A constant variable is among them only if it has required arrows, and may have no others."""


@dataclass(frozen=True)
class FitSettings:
    """The settings of a fit.

    Attributes
    ----------
    search : callable
        The learner's own step.
    knowledge : Knowledge or None
    missing : {"auto", "testwise", "category", "em"}
        "auto" is "em" if all rows that are used are in memory, else "testwise". If many values are
        missing, only rows in memory are used.
    samples : bool
        Whether the learner needs only a sample of the rows, and counts of all rows.
    has_sieve : bool
    order_seed : int or None
        The order of the columns decides ties, such as those between duplicate columns. It is the
        order by name, or a random one in a replicate, so that an arbitrary choice does not look
        certain.
    """

    search: Search
    knowledge: Knowledge | None = None
    missing: Missing | Literal["auto"] = "testwise"
    samples: bool = False
    has_sieve: bool = False
    order_seed: int | None = None


def run_fit(settings: FitSettings, context: FitContext) -> FitResult:
    """Learn from a source."""
    plan = context.preparation
    with context.timings.stage("table"):
        table = context.source.sample()
    given_knowledge = settings.knowledge
    settings = _with_time(settings, context.timeline, table.names)
    n_rows = context.source.n_rows
    n_missing = missing_cells(context.source, table)
    if not settings.samples and n_rows > table.n_rows:
        raise ValueError(
            f"this learner needs all {n_rows:,} rows in memory: "
            "TsetlinSieve learns from a sample and counts; give other learners a sample"
        )
    strategy = missing_strategy(table, context.source, settings.missing)
    if strategy == "category":
        # Columns with missing values hold no numbers then.
        whole = {v: values for v, values in table.numbers.items() if v not in table.missing}
        table = replace(missing_as_state(table), numbers=whole)
        context = replace(context, source=TableRows(table))
    if strategy == "em":
        result, source = _learn_filled(settings, table, context)
    else:
        result, source = _learn(settings, table, context)
    if result.rebinned:
        table = cut_by_name(table, result.rebinned)
        plan = plan and plan.with_bin_edges(result.rebinned)
    return replace(
        result,
        n_rows=n_rows,
        n_missing=n_missing,
        missing_strategy=strategy,
        preparation=plan,
        timings=dict(context.timings),
        table=table if table.n_rows else None,
        counted=source.kept() if table.n_rows and isinstance(source, KeepsCounts) else None,
        timeline=context.timeline,
        clusters=_clusters(table, context),
        dependence=context.dependence,
        # The tests behind them assume independent rows.
        confirmed_edges=() if context.dependence is not None else result.confirmed_edges,
        time_edges=_by_time(result, context.timeline, given_knowledge),
    )


def _with_time(
    settings: FitSettings, timeline: Timeline | None, names: Sequence[str]
) -> FitSettings:
    """Return the settings with what time says about the columns of a lagged table."""
    if timeline is None or not timeline.has_lags:
        return settings
    if settings.knowledge is not None:
        settings.knowledge.resolve(names)  # refuses columns that are not there
    known = known_over_time(settings.knowledge, timeline)
    return replace(settings, knowledge=known and known.among(names))


def _clusters(table: Table, context: FitContext) -> Clusters | None:
    timeline = context.timeline
    if timeline is None or timeline.by is None or timeline.has_lags:
        return None
    return clusters_of(table, timeline.by, getattr(context.source, "entities", None))


def _by_time(
    result: FitResult, timeline: Timeline | None, knowledge: Knowledge | None
) -> tuple[tuple[str, str], ...]:
    """Return the given directions that follow from the order of time, and not from the user."""
    if timeline is None or not timeline.has_lags:
        return ()
    if knowledge is None or not knowledge.names:
        return result.knowledge_edges
    number = {name: i for i, name in enumerate(result.dag.nodes)}
    own = knowledge.among(number).resolve(result.dag.nodes)
    return tuple(
        (tail, head)
        for tail, head in result.knowledge_edges
        if timeline.is_exogenous(tail) and not own.forces(number[tail], number[head])
    )


def missing_strategy(
    table: Table, source: CountSource, missing: Missing | Literal["auto"]
) -> Missing:
    """Return the missing-data strategy."""
    in_memory = source.n_rows == table.n_rows
    if not table.missing or missing == "testwise" or (missing == "auto" and not in_memory):
        return "testwise"
    if not in_memory:
        name = table.names[min(table.missing)]
        raise ValueError(
            f"column {name!r} has missing values, and missing={missing!r} needs all rows "
            "in memory: pass a frame, or missing='testwise'"
        )
    return "category" if missing == "category" else "em"


def _learn_filled(
    settings: FitSettings, given: Table, context: FitContext
) -> tuple[FitResult, CountSource]:
    """Learn, draw the missing values from what was learned, and learn again, in turns.

    Returns the last result, with the tests of all rounds, and the source of the rows as given.
    """
    first_source = context.source
    settled = replace(context, is_settled=True)
    # Of numbers with missing values each pair is known in other rows, and their correlations need
    # not go together. Bins can be counted where they are known.
    result, _ = _learn(settings, replace(given, numbers={}), settled)
    # What is drawn for a row depends on its place: neither shuffled rows nor other names of
    # categories change it.
    categories: CategoryOrders = {}
    if given.steps is None:
        order, categories = content_orders(given)
        given = given.take(order)
    rows = given
    filled: Table | None = None
    cuts: dict[str, tuple[float, ...]] = {}
    for number in range(MAX_EM_ROUNDS):
        with context.timings.stage("filling"):
            network = fit_network(result.dag, rows)
            filled = draw_missing(given, network, number, start=filled, orders=categories)
            rows = with_drawn_numbers(filled, given, number)
        # Numbers or bins: rows without missing values say it, once.
        context = context if number == 0 else settled
        last = result
        again, _ = _learn(settings, rows, replace(context, source=TableRows(rows)))
        if number == 0 and again.rebinned:
            cuts = dict(again.rebinned)
            given, filled = (
                replace(cut_by_name(table, cuts), numbers={}) for table in (given, rows)
            )
            rows = filled
        result = replace(
            again,
            n_tests=last.n_tests + again.n_tests,
            n_orientation_tests=last.n_orientation_tests + again.n_orientation_tests,
            n_em_rounds=number + 1,
        )
        if result.graph == last.graph:
            break
    if result.sieve is not None:
        result = replace(result, sieve=replace(result.sieve, cuts=cuts))
    return result, first_source


def _learn(
    settings: FitSettings, given: Table, context: FitContext
) -> tuple[FitResult, CountSource]:
    """Learn from one table, whose missing values stay as they are.

    Returns the result, and where its rows come from: a source with other bins if it chose them.
    """
    with context.timings.stage("table"):
        known = constraints_of(settings.knowledge, given.names, context.preparation)
        constant = given.constant
        bound = {given.names[v] for arrow in known.required for v in arrow}
        # Sorted, so that the order of the columns has no say in the result.
        names = sorted(set(given.names) - (set(constant) - bound))
        if settings.order_seed is not None:
            np.random.default_rng(settings.order_seed).shuffle(names)
        number = {name: i for i, name in enumerate(given.names)}
        constraints = known.select([number[name] for name in names])
        constraints = constraints.confine_to_required(
            i for i, name in enumerate(names) if name in constant
        )
    found = SearchResult(
        Skeleton(0, (), {}, 0, ()), sieve=SieveResult({}, None) if settings.has_sieve else None
    )
    if names:
        found = settings.search(given.select(names), constraints, context)
    skeleton, sieved = found.skeleton, found.sieve
    arrows = [(names[a], names[b]) for a, b in skeleton.directed_edges or ()]
    dag = Graph(given.names, directed=arrows)
    graph = known_class(dag, known)
    # From numbers, equivalent graphs score alike in the search: the class it found stays.
    if sieved is not None and not sieved.rank_maps:
        graph = without_undetermined(graph, sieved.direction_margins)
    if found.confirmed is None:
        confirmed = confirmed_by_name(dag, graph, CountsTest(ScannedCounts(given)), known)
    else:
        confirmed = named_directions(found.confirmed, names)
    knowledge_edges: tuple[tuple[str, str], ...] = ()
    if settings.knowledge is not None:
        given_constraints = settings.knowledge.resolve(given.names)
        knowledge_edges = directed_by_knowledge(
            dag, graph, given_constraints, confirmed.by_data, confirmed.implied
        )
    with context.timings.stage("families"):
        family_counts = count_families(dag, _counted_in(given, context.source, found))
    result = FitResult(
        dag=dag,
        graph=graph,
        confirmed_edges=tuple(
            edge
            for edge in graph.directed_edges
            if edge in confirmed.by_data and edge not in knowledge_edges
        ),
        knowledge_edges=knowledge_edges,
        separating_sets={
            frozenset((names[a], names[b])): tuple(names[v] for v in given_variables)
            for (a, b), given_variables in skeleton.separating_sets.items()
        },
        n_tests=skeleton.n_tests,
        n_orientation_tests=found.n_orientation_tests,
        conflicts=tuple((names[a], names[c], names[b]) for a, c, b in found.conflicts),
        discarded_edges=tuple((names[a], names[b]) for a, b in found.discarded),
        constant_features=constant,
        family_counts=family_counts,
        sieve=sieved,
    )
    return result, found.cut_source or context.source


def _counted_in(given: Table, source: CountSource, found: SearchResult) -> CountSource:
    """Return where families are counted: in all rows, but numbers of a sample in the sample.

    The graph of numbers is found by then, and a reading of all files for bins would be one more.
    """
    sieved = found.sieve
    if sieved is None:
        return source
    if sieved.cuts:
        in_memory = source.n_rows == given.n_rows
        again = None if in_memory else found.cut_source
        return again or TableRows(cut_by_name(given, sieved.cuts))
    return TableRows(given) if sieved.rank_maps else source


def constraints_of(
    knowledge: Knowledge | None, names: Sequence[str], plan: Preparation | None
) -> Constraints:
    """Return the constraints on some columns; parts of one column are never adjacent."""
    known = Constraints.none(len(names)) if knowledge is None else knowledge.resolve(names)
    number = {name: i for i, name in enumerate(names)}
    return known.forbid_within(
        [[number[name] for name in one if name in number] for one in parts_of(plan)]
    )


def missing_cells(source: CountSource, given: Table) -> dict[str, int]:
    """Count the missing values of each column that has any, in all rows."""
    if source.n_rows == given.n_rows:
        return {given.names[v]: int(mask.sum()) for v, mask in given.missing.items()}
    counted = source.joint_counts([[name] for name in given.names])
    n_missing = {
        name: int(joint.counts[joint.configurations[0] == joint.n_categories[0]].sum())
        for name, joint in zip(given.names, counted, strict=True)
    }
    return {name: n for name, n in n_missing.items() if n}


def with_drawn_numbers(filled: Table, given: Table, seed: int) -> Table:
    """Return a table with imputed bins, and with numbers drawn for them as well.

    Each number is drawn from the known numbers in the same bin.

    Parameters
    ----------
    filled : Table
        Without missing values.
    given : Table
        The same with missing values, and with numbers.
    seed : int
        The only source of randomness: the order of the variables has no influence.
    """
    numbers = dict(given.numbers)
    rank = {name: i for i, name in enumerate(sorted(given.names))}
    for v in sorted(set(numbers) & set(given.missing)):
        mask = given.missing[v]
        sequence = np.random.SeedSequence(seed, spawn_key=(rank[given.names[v]], 1))
        stream = np.random.default_rng(sequence)
        values = numbers[v].copy()
        known, bins, drawn = values[~mask], filled.codes[v][~mask], filled.codes[v][mask]
        found = np.empty(len(drawn))
        for code in np.unique(drawn).tolist():
            here = drawn == code
            found[here] = stream.choice(known[bins == code], size=int(here.sum()))
        values[mask] = found
        numbers[v] = values
    return replace(filled, numbers=numbers)


def directed(
    skeleton: Skeleton, test: IndependenceTest, constraints: Constraints, timings: Timings
) -> SearchResult:
    """Direct the edges of a skeleton found by tests, with further tests."""
    with timings.stage("orientation"):
        orientation = orient(skeleton, test, constraints=constraints)
    edges = tuple(edge for edge in skeleton.edges if edge not in orientation.discarded)
    return SearchResult(
        replace(skeleton, edges=edges, directed_edges=orientation.directed_edges),
        test.n_tests - skeleton.n_tests,
        tuple(orientation.conflicts),
        tuple(orientation.discarded),
    )
