"""The stages of `TsetlinSieve`, from a table to a DAG: sieve, search, tests, directions.

In: a table, what is known, and `StageSettings`. Out: `Found`. Every stage is a function that
returns a value; nothing is kept between them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import JointCounts, TableRows, best_counts
from bnsieve.decide import MAX_CANDIDATES, SAMPLE_SIZES, CountsTest, Criterion, Score, TestName
from bnsieve.knowledge import Constraints
from bnsieve.learners.records import FitContext, Found, Sieved
from bnsieve.rows import drawn_rows
from bnsieve.search import (
    SURE_MARGIN,
    Directions,
    NetworkFound,
    Pair,
    ScoredDag,
    SearchSettings,
    Skeleton,
    decide_directions,
    search_network,
    stand_ins,
    sure_arrows,
    verify_arrows,
    with_copies,
)
from bnsieve.sieve import (
    Candidates,
    SieveRecord,
    SieveSettings,
    beyond_chance,
    coverage,
    numbered,
    pooled,
    require_memory,
    screened,
    train_machines,
    union_of_heads,
    visible_to_all,
    with_all_others,
)
from bnsieve.table import Table
from bnsieve.tsetlin import MachineSettings

# Fewer clauses and a lower threshold than the paper's rank the candidates better, in a quarter of
# the time: a machine that need not predict well spreads its clauses over more of what matters.
MACHINE = SieveSettings(MachineSettings(n_clauses=20, threshold=10, specificity=5.0), epochs=5)

# Among more columns than these, each machine and the second sieve see only columns associated with
# their target: training is then linear in the number of columns, not quadratic.
_ALL_VISIBLE = 1_200
N_VISIBLE = 256

# Among so few other columns all are candidates: scoring them takes less time than it may cost to
# leave one out.
N_ALL_FIT = 24

# Among more rows in memory than the first, candidates and a first network are sought in the second
# number of them, and all are counted for the last search, as for rows in files: time then hardly
# depends on the rows.
MANY_ROWS = 50_000
N_SOUGHT_IN = 20_000

# Given more variables, a few thousand rows fall into strata too thin to tell anything.
_MAX_GIVEN = 3


@dataclass(frozen=True)
class StageSettings:
    """What the stages are told; parameters of `TsetlinSieve`, and what studies take away.

    Attributes
    ----------
    method : {"search", "tests"}
    criterion : {"bdeu", "bic", "qnml"}
    equivalent_sample_sizes : tuple of float
    parent_cost : float or None
    n_machine_candidates, n_candidates, max_parents : int
    alpha : float
    ci_test : {"auto", "chi2", "g2", "mi", "permutation"}
    machines, association : bool
        Whether each of the two names candidates.
    all_of_few : bool
        Whether all columns are candidates where there are few.
    n_resieves : int
        How often at most candidates are sought again, given the network found.
    """

    method: Literal["search", "tests"] = "search"
    criterion: Criterion = "bdeu"
    equivalent_sample_sizes: tuple[float, ...] = SAMPLE_SIZES
    parent_cost: float | None = None
    n_machine_candidates: int = 6
    n_candidates: int = 18
    max_parents: int = 8
    alpha: float = 0.01
    ci_test: TestName = "auto"
    machines: bool = True
    association: bool = True
    all_of_few: bool = True
    n_resieves: int = SearchSettings.n_resieves


@dataclass(frozen=True, eq=False)
class Screened:
    """The columns that take part: one of each group of copies, and how they are associated.

    Attributes
    ----------
    table : Table
    constraints : Constraints
    association : ndarray of float, shape (n_variables, n_variables)
    originals : sequence of int
        For every column of the whole table the one that stands for it.
    kept : list of int
        The columns of the whole table that take part.
    """

    table: Table
    constraints: Constraints
    association: NDArray[np.floating]
    originals: Sequence[int]
    kept: list[int]


def run_stages(
    table: Table,
    constraints: Constraints,
    context: FitContext,
    settings: StageSettings,
    seed: int,
    sieve: SieveRecord | None = None,
) -> Found:
    """Learn a DAG; `sieve` is what named the candidates of `context`, if it has any."""
    require_memory(table)
    screened_columns = screen(table, constraints, context)
    distinct, known = screened_columns.table, screened_columns.constraints
    some, context = fewer_rows(distinct, context, seed)
    if context.candidates is None:
        named, sieve = name_candidates(
            replace(screened_columns, table=some), settings, seed, context
        )
    else:
        named = numbered(context.candidates, distinct.names)
    found = search_parents(some, known, named, settings, seed, context)
    skeleton = found.network.skeleton
    if settings.method == "tests":
        skeleton = verify(screened_columns, found.network, found.counted, settings, context)
    directions = direct(distinct, known, skeleton, found.counted, settings, seed, context)
    skeleton = replace(skeleton, arrows=tuple(directions.margins))
    whole = with_copies(skeleton, screened_columns.originals, constraints)
    worth = _edge_margins(whole, found, screened_columns.kept)
    margins = _margins(worth, directions, screened_columns.kept, constraints)
    sure = confirm(screened_columns, directions, margins, found.counted, context)
    sieved = Sieved(
        {
            name: tuple(distinct.names[v] for v in chosen)
            for name, chosen in zip(distinct.names, found.candidates, strict=True)
        },
        sieve,
        recall=coverage(named, skeleton.edges),
        copies={
            table.names[v]: table.names[original]
            for v, original in enumerate(screened_columns.originals)
            if v != original
        },
        trimmed=dict(context.source.trimmed),
        scoring=found.score,
        score=found.network.score,
        direction_scoring=directions.score,
        margins={(table.names[a], table.names[b]): value for (a, b), value in margins.items()},
        edge_margins={(table.names[a], table.names[b]): value for (a, b), value in worth.items()},
    )
    return Found(whole, sieved=sieved, sure=tuple(sorted(sure)))


def screen(table: Table, constraints: Constraints, context: FitContext) -> Screened:
    """Set copies aside, and measure how the other columns are associated."""
    with context.timings.stage("association"):
        excess, first_copies = screened(table)
        originals = stand_ins(first_copies.tolist(), constraints)
        kept = [v for v, original in enumerate(originals) if v == original]
        distinct = table.select([table.names[v] for v in kept])
        known = constraints.select(kept)
        association = excess if len(kept) == len(excess) else excess[np.ix_(kept, kept)]
        if known.restricts:
            association[~known.joinable] = 0.0
    if distinct.n_variables > _ALL_VISIBLE:
        beyond = beyond_chance(association, distinct.n_levels)
        visible = visible_to_all(association, beyond, known.joinable, N_VISIBLE)
        known = replace(known, visible=visible)
        association[~beyond] = 0.0
    return Screened(distinct, known, association, originals, kept)


def fewer_rows(table: Table, context: FitContext, seed: int) -> tuple[Table, FitContext]:
    """Of many rows in memory, return some to search in; the others are counted in the end.

    It is what is done with rows in files. Every column has two labels or more among them.
    """
    if table.n_rows <= MANY_ROWS or context.source.n_rows > table.n_rows:
        return table, context
    rows = drawn_rows(table.n_rows, N_SOUGHT_IN, seed)
    added = [
        np.flatnonzero(codes == label)[:1]
        for codes in table.codes
        if (codes[rows] == codes[rows[0]]).all()
        for label in range(2)
    ]
    rows = np.unique(np.concatenate([rows, *added]))
    return table.take(rows), replace(context, source=TableRows(table))


def name_candidates(
    columns: Screened, settings: StageSettings, seed: int, context: FitContext
) -> tuple[Candidates, SieveRecord | None]:
    """Let machines and association name the columns that matter to each column."""
    table, constraints = columns.table, columns.constraints
    n_candidates = constraints.scaled(settings.n_candidates)
    n_machine_candidates = constraints.scaled(settings.n_machine_candidates)
    with context.timings.stage("sieve"):
        lists, sizes = [columns.association], [n_machine_candidates]
        record = None
        targets: Sequence[int] | NDArray[np.intp]
        if settings.machines:
            targets, n_others = range(table.n_variables), n_candidates - n_machine_candidates
            if settings.association and constraints.visible is not None:
                # Where all that is associated can be a candidate, a machine has no choice to make.
                n_associated = np.count_nonzero(columns.association > 0, axis=1)
                targets, n_others = np.flatnonzero(n_associated > n_candidates), n_candidates
            ranking, record = train_machines(
                pooled(table), targets, MACHINE, seed, context.engine.map, constraints
            )
            lists = [ranking]
            if settings.association:
                lists.append(columns.association)
                sizes.append(max(n_machine_candidates, n_others))
        named = union_of_heads(lists, sizes, n_candidates)
        if settings.all_of_few and _all_fit(table):
            named = with_all_others(named)
        return named, record


def search_parents(
    table: Table,
    constraints: Constraints,
    candidates: Candidates,
    settings: StageSettings,
    seed: int,
    context: FitContext,
) -> NetworkFound:
    """Search the graph of highest score among the candidates; sieve again, and search again."""
    cost = settings.parent_cost
    if cost is None:
        cost = float(np.log(table.n_variables))
    score = Score(settings.criterion, settings.equivalent_sample_sizes, parent_cost=cost)
    n_candidates = constraints.scaled(settings.n_candidates)
    limits = SearchSettings(
        max_parents=settings.max_parents,
        n_resieves=settings.n_resieves,
        n_additions=constraints.scaled(SearchSettings.n_additions),
        budget=N_ALL_FIT if _all_fit(table) else n_candidates,
    )
    if context.candidates is not None:
        limits = replace(limits, budget=MAX_CANDIDATES, n_resieves=0, n_counted=None)
    with context.timings.stage("search"):
        return search_network(
            table,
            candidates,
            score,
            limits,
            seed,
            context.engine.map,
            constraints,
            context.source,
            context.timings,
            sparse_prior=settings.parent_cost is None,
        )


def verify(
    columns: Screened,
    network: ScoredDag,
    counted: Sequence[JointCounts] | None,
    settings: StageSettings,
    context: FitContext,
) -> Skeleton:
    """Keep the arrows that pass independence tests given their head's other parents."""
    with context.timings.stage("tests"):
        strongest_first = [
            sorted(parents, key=lambda v: -strength[v])
            for parents, strength in zip(network.parents, columns.association, strict=True)
        ]
        counts = best_counts(columns.table, counted)
        test = CountsTest(counts, method=settings.ci_test, alpha=settings.alpha)
        run = context.engine.map
        return verify_arrows(test, strongest_first, _MAX_GIVEN, run, columns.constraints)


def direct(
    table: Table,
    constraints: Constraints,
    skeleton: Skeleton,
    counted: Sequence[JointCounts] | None,
    settings: StageSettings,
    seed: int,
    context: FitContext,
) -> Directions:
    """Decide the direction of each edge by a score under which equivalent graphs are equal."""
    parents: list[list[int]] = [[] for _ in range(table.n_variables)]
    for parent, child in skeleton.arrows or ():
        parents[child].append(parent)
    with context.timings.stage("directions"):
        return decide_directions(
            table,
            parents,
            context.engine.map,
            constraints,
            max_parents=settings.max_parents,
            seed=seed,
            counted=counted,
        )


def confirm(
    columns: Screened,
    directions: Directions,
    margins: Mapping[Pair, float],
    counted: Sequence[JointCounts] | None,
    context: FitContext,
) -> set[Pair]:
    """Return the arrows, of the whole table, that small tests support as the score does."""
    kept, known = columns.kept, columns.constraints
    with context.timings.stage("directions"):
        sure = sure_arrows(
            directions.parents,
            [(a, b) for a, b in directions.margins if margins[kept[a], kept[b]] >= SURE_MARGIN],
            CountsTest(best_counts(columns.table, counted)),
            [arrow for arrow in directions.margins if known.forces(*arrow)],
        )
    # Which of several copies carries a link is arbitrary, and between them only knowledge decides.
    shared = {own for v, own in enumerate(columns.originals) if v != own}
    found = {(kept[a], kept[b]) for a, b in sure}
    decided = {arrow for arrow, margin in margins.items() if margin == np.inf}
    return {arrow for arrow in found if shared.isdisjoint(arrow)} | {
        (a, b) for a, b in decided if (a, b) in found or columns.originals[b] == a
    }


def _edge_margins(whole: Skeleton, found: NetworkFound, kept: Sequence[int]) -> dict[Pair, float]:
    """Return what each edge of the whole table's graph is worth, by its arrow, in nats."""
    worth = {frozenset((kept[a], kept[b])): value for (a, b), value in found.margins.items()}
    # Which of several copies another is joined to is arbitrary.
    return {(a, b): worth.get(frozenset((a, b)), 0.0) for a, b in whole.arrows or ()}


def _margins(
    worth: Mapping[Pair, float],
    directions: Directions,
    kept: Sequence[int],
    constraints: Constraints,
) -> dict[Pair, float]:
    """Return the evidence for each arrow of the whole table's graph, in nats."""
    # Between copies either direction is as good, unless knowledge leaves one.
    margins = {(a, b): np.inf if constraints.forces(a, b) else 0.0 for a, b in worth}
    margins.update(
        {
            (kept[a], kept[b]): min(margin, worth[kept[a], kept[b]])
            for (a, b), margin in directions.margins.items()
            if not constraints.forces(kept[a], kept[b])
        }
    )
    return margins


def _all_fit(table: Table) -> bool:
    return table.n_variables - 1 <= N_ALL_FIT
