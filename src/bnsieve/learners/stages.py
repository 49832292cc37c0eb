"""The stages of `TsetlinSieve`, from a table to a DAG: sieve, search, tests, directions.

In: a table, what is known, and `StageSettings`. Out: `SearchResult`. Every stage is a function that
returns a value; nothing is kept between them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from bnsieve.counts import Covariance, CutsAgain, TableRows, covariance_of
from bnsieve.decide import MAX_CANDIDATES, SAMPLE_SIZES, Criterion, Score, TestName
from bnsieve.engine import Timings
from bnsieve.knowledge import Constraints
from bnsieve.learners.directing import arrow_margins, confirm, direct, edge_worth, verify
from bnsieve.learners.drawn_table import DrawnRows
from bnsieve.learners.fit_result import FitContext, SearchResult, SieveResult
from bnsieve.learners.screening import Screened, learns_numbers, screen
from bnsieve.search import (
    Evidence,
    NetworkFound,
    SearchSettings,
    first_cuts,
    recut,
    search_network,
    with_copies,
    with_cuts,
)
from bnsieve.sieve import (
    Candidates,
    Machines,
    SieveRecord,
    SieveSettings,
    coverage,
    numbered,
    pooled,
    require_memory,
    union_of_heads,
    with_all_others,
    with_rank_bins,
)
from bnsieve.sieve.machine import MachineSettings
from bnsieve.table import Table, some_rows

# Fewer clauses and a lower threshold than the paper's rank the candidates better, in a quarter of
# the time: a machine that need not predict well spreads its clauses over more of what matters. More
# rows than these take longer and hardly find more.
MACHINE = SieveSettings(
    MachineSettings(n_clauses=20, threshold=10, specificity=5.0), epochs=5, most_rows=4_000
)

# Among so few other columns all are candidates: scoring them takes less time than it may cost to
# leave one out.
N_ALL_FIT = 24

# What is sought given a network, where association has named as many as may be candidates.
_FEW_ADDITIONS = 4

# Among more rows in memory than the first, candidates and a first network are sought in the second
# number of them, and all are counted for the last search, as for rows in files: time then hardly
# depends on the rows.
MANY_ROWS = 50_000
N_SOUGHT_IN = 20_000

# Rows in which it is judged whether numbers are better learned from as bins: it shows in few.
N_JUDGED = 2_000
# In nats per row. Two directions of one edge may differ by some, because bins and regressions are
# not alike both ways; where columns act together, the difference is a tenth per row or more.
BINS_MARGIN = 0.05


@dataclass(frozen=True)
class StageSettings:
    """What the stages are told; parameters of `TsetlinSieve`, and what studies take away.

    Attributes
    ----------
    method : {"search", "tests"}
    criterion : {"bd", "bdeu", "bic", "qnml"}
    equivalent_sample_sizes : tuple of float
    parent_cost : float or None
    n_first_candidates, n_candidates, max_parents : int
    alpha : float
    ci_test : {"auto", "chi2", "g2", "mi", "permutation"}
    machines : bool
        Whether machines look for what the network does not see.
    all_of_few : bool
        Whether all columns are candidates where there are few.
    n_resieves : int
        How often at most candidates are sought again, given the network found.
    sample_rows : int
        Of many rows with numbers, in how many candidates are sought and ranks taken.
    """

    method: Literal["search", "tests"] = "search"
    criterion: Criterion = "bd"
    equivalent_sample_sizes: tuple[float, ...] = SAMPLE_SIZES
    parent_cost: float | None = None
    n_first_candidates: int = 10
    n_candidates: int = 18
    max_parents: int = 8
    alpha: float = 0.01
    ci_test: TestName = "auto"
    machines: bool = True
    all_of_few: bool = True
    n_resieves: int = SearchSettings.n_resieves
    sample_rows: int = 10_000


def run_stages(
    table: Table,
    constraints: Constraints,
    context: FitContext,
    settings: StageSettings,
    seed: int,
    sieve: SieveRecord | None = None,
) -> SearchResult:
    """Learn a DAG; `sieve` is what named the candidates of `context`, if it has any."""
    require_memory(table)
    numbers = learns_numbers(table, context.source)
    if numbers:
        table, context = drawn_numbers(table, context, settings.sample_rows, seed)
    screened_columns = screen(table, constraints, context, numbers=numbers)
    distinct, known = screened_columns.table, screened_columns.constraints
    covariance = screened_columns.covariance
    some = distinct
    if not numbers:
        some, context = fewer_rows(distinct, context, seed)
    targets: Sequence[int] | None = None
    if context.candidates is None:
        named = name_candidates(screened_columns, settings)
        if settings.machines:
            targets = machine_targets(screened_columns, settings)
    else:
        named = numbered(context.candidates, distinct.names)
    found = search_parents(some, known, named, settings, seed, context, covariance, targets)
    cuts: dict[int, tuple[float, ...]] = {}
    whole_source = context.source
    # Where only sums are left of rows, they stay numbers.
    cuttable = distinct.n_rows == whole_source.n_rows or isinstance(whole_source, CutsAgain)
    if covariance is not None and cuttable and not context.is_settled:
        binned = bins_if_better(screened_columns, found, named, settings, seed, context, targets)
        if binned is not None:
            cuts, found, context = binned
            distinct = with_cuts(distinct, cuts)
            screened_columns = replace(screened_columns, table=distinct, covariance=None)
    if targets is not None:
        sieve = recorded(found, some, known, targets, seed, context)
    skeleton = found.network.skeleton
    if settings.method == "tests":
        skeleton = verify(
            screened_columns,
            found.network,
            found.counted,
            context,
            ci_test=settings.ci_test,
            alpha=settings.alpha,
        )
    directions = direct(
        screened_columns,
        skeleton,
        found.counted,
        context,
        max_parents=settings.max_parents,
        seed=seed,
    )
    skeleton = replace(skeleton, arrows=tuple(directions.margins))
    whole = with_copies(skeleton, screened_columns.originals, constraints)
    worth = edge_worth(whole, found, screened_columns.kept)
    margins = arrow_margins(worth, directions, screened_columns.kept, constraints)
    sure = confirm(screened_columns, directions, margins, found.counted, context)
    sieved = SieveResult(
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
        rank_maps={} if screened_columns.covariance is None else dict(screened_columns.rank_maps),
        cuts={distinct.names[v]: own for v, own in cuts.items()},
        cut_source=None if context.source is whole_source else context.source,
    )
    return SearchResult(whole, sieved=sieved, sure=tuple(sorted(sure)))


def fewer_rows(table: Table, context: FitContext, seed: int) -> tuple[Table, FitContext]:
    """Of many rows in memory, return some to search in; the others are counted in the end.

    It is what is done with rows in files.
    """
    if table.n_rows <= MANY_ROWS or context.source.n_rows > table.n_rows:
        return table, context
    return some_rows(table, N_SOUGHT_IN, seed), replace(context, source=TableRows(table))


def most_in_memory(sample_rows: int) -> int:
    """Return how many rows with numbers are looked at as a whole, and not in a sample."""
    return max(MANY_ROWS, sample_rows)


def drawn_numbers(
    table: Table, context: FitContext, n_rows: int, seed: int
) -> tuple[Table, FitContext]:
    """Of many rows with numbers in memory, return a sample, and all as a source of sums.

    The sample is that which rows in files would have, so that both give the same graph.
    """
    in_memory = context.source.n_rows == table.n_rows
    if not in_memory or table.n_rows <= most_in_memory(n_rows):
        return table, context
    drawn = some_rows(table, n_rows, seed)
    return drawn, replace(context, source=DrawnRows(table, drawn, seed))


def machine_rows(table: Table, sample_rows: int, seed: int) -> Table:
    """Return the rows of a table that machines were trained on."""
    n_whole, n_rows = MANY_ROWS, N_SOUGHT_IN
    if table.numbers:
        n_whole, n_rows = most_in_memory(sample_rows), sample_rows
    return table if table.n_rows <= n_whole else some_rows(table, n_rows, seed)


def name_candidates(columns: Screened, settings: StageSettings) -> Candidates:
    """Let association name the columns that the first search looks at."""
    table, constraints = columns.table, columns.constraints
    n_candidates = constraints.scaled(settings.n_candidates)
    n_first = constraints.scaled(settings.n_first_candidates)
    if constraints.visible is not None or columns.covariance is not None:
        n_first = n_candidates  # there more of them cost little
    named = union_of_heads([columns.association], [n_first], n_candidates)
    return with_all_others(named) if settings.all_of_few and _all_fit(table) else named


def machine_targets(columns: Screened, settings: StageSettings) -> Sequence[int]:
    """Return the columns that get a machine."""
    if columns.constraints.visible is None:
        return range(columns.table.n_variables)
    # Where all that is associated can be a candidate, a machine has no choice to make.
    n_associated = np.count_nonzero(columns.association > 0, axis=1)
    n_candidates = columns.constraints.scaled(settings.n_candidates)
    return [int(v) for v in np.flatnonzero(n_associated > n_candidates)]


def search_parents(
    table: Table,
    constraints: Constraints,
    candidates: Candidates,
    settings: StageSettings,
    seed: int,
    context: FitContext,
    covariance: Covariance | None,
    targets: Sequence[int] | None,
) -> NetworkFound:
    """Search the graph of highest score among the candidates; sieve again, and search again.

    The machines of the targets look for what the graph does not see, where counts decide.
    """
    cost = settings.parent_cost
    if cost is None:
        cost = float(np.log(table.n_variables))
    score = Score(settings.criterion, settings.equivalent_sample_sizes, parent_cost=cost)
    n_candidates = constraints.scaled(settings.n_candidates)
    n_additions = SearchSettings.n_additions
    if constraints.visible is not None or covariance is not None:
        n_additions = _FEW_ADDITIONS
    limits = SearchSettings(
        max_parents=settings.max_parents,
        n_resieves=settings.n_resieves,
        n_additions=constraints.scaled(n_additions),
        budget=N_ALL_FIT if _all_fit(table) else n_candidates,
    )
    if context.candidates is not None:
        limits = replace(limits, budget=MAX_CANDIDATES, n_resieves=0, n_counted=None)
    machines = None
    if targets is not None and covariance is None:
        machines = Machines(pooled(table), MACHINE, seed, constraints)
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
            covariance=covariance,
            machines=machines,
            machine_targets=targets or (),
        )


def recorded(
    found: NetworkFound,
    table: Table,
    constraints: Constraints,
    targets: Sequence[int],
    seed: int,
    context: FitContext,
) -> SieveRecord:
    """Return what machines were told and found; where none was needed, they are trained for it."""
    importance = found.importance
    if importance is None:
        with context.timings.stage("sieve"):
            machines = Machines(pooled(with_rank_bins(table)), MACHINE, seed, constraints)
            importance = machines.importance(targets, context.engine.map)
    return SieveRecord(
        table.names, MACHINE, seed, importance, hides=True, visible=constraints.visible
    )


def bins_if_better(
    columns: Screened,
    numbers: NetworkFound,
    named: Candidates,
    settings: StageSettings,
    seed: int,
    context: FitContext,
    targets: Sequence[int] | None,
) -> tuple[dict[int, tuple[float, ...]], NetworkFound, FitContext] | None:
    """Return where to cut numbers, and the network of those bins, if the rows speak for bins.

    Of rows that are a sample of more, the last search counts all. The context then has those.

    Where columns act together, or by thresholds, a network of bins explains more. Some rows are
    enough to tell. Numbers are then also cut again, given the network, and learned from again.
    """

    def learned(table: Table, cuts: dict[int, tuple[float, ...]]) -> NetworkFound:
        bins = with_cuts(table, cuts)
        alone = replace(context, source=TableRows(bins), timings=Timings())
        return search_parents(
            bins, columns.constraints, named, settings, seed, alone, None, targets
        )

    def better(one: NetworkFound, other: NetworkFound, margin: float) -> bool:
        """Tell if some rows speak for the first of two networks, each with the best bins for it."""
        first, second = one.network.parents, other.network.parents
        bins, other_bins = (with_cuts(judged, recut(judged, own)) for own in (first, second))
        return evidence.compare(first, bins, second, other_bins) > margin

    with context.timings.stage("bins"):
        judged = some_rows(columns.table, N_JUDGED, seed)
        covariance = covariance_of(judged)
        if judged is not columns.table or context.source.n_rows > judged.n_rows:
            # Two networks of the same rows are compared: one of more rows knows more.
            alone = replace(context, source=TableRows(judged), timings=Timings())
            numbers = search_parents(
                judged, columns.constraints, named, settings, seed, alone, covariance, targets
            )
        evidence = Evidence(judged, covariance, numbers.score.parent_cost)
        cuts = first_cuts(judged)
        found = learned(judged, cuts)
        if not better(found, numbers, BINS_MARGIN * judged.n_rows):
            return None
        table = columns.table
        if table is not judged:
            cuts = first_cuts(table)
            found = learned(table, cuts)
        again = recut(table, found.network.parents)
        last = learned(table, again)
        if better(last, found, 0.0):
            cuts, found = again, last
    if not isinstance(context.source, CutsAgain):
        return cuts, found, context
    with context.timings.stage("reading"):
        by_name = {table.names[v]: own for v, own in cuts.items()}
        whole = replace(context, source=context.source.cut_at(by_name))
    bins = with_cuts(table, cuts)
    found = search_parents(bins, columns.constraints, named, settings, seed, whole, None, targets)
    return cuts, found, whole


def _all_fit(table: Table) -> bool:
    return table.n_variables - 1 <= N_ALL_FIT
