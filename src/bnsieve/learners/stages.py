"""The stages of `TsetlinSieve`, from a table to a DAG: screening, search, tests, directions.

In: a table, constraints, and `StageSettings`. Out: `SearchResult`. Every stage is a function that
returns a value; nothing is kept between them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

import numpy as np

from bnsieve.counts import (
    Covariance,
    CutsAgain,
    Dependence,
    TableRows,
    best_counts,
    covariance_of,
    dependence_of,
    residual_correlations,
)
from bnsieve.decide import (
    MAX_CANDIDATES,
    MOST_PARENTS,
    CandidateFinder,
    CITest,
    ClusteredScorer,
    CountScorer,
    CountsTest,
    CovarianceScorer,
    Criterion,
    FamilyScore,
    IndependenceTest,
    OwnScorer,
    ParentSetScorer,
    ResidualTest,
    Score,
    TestName,
    is_family_score,
    scorer_of,
)
from bnsieve.engine import Timings
from bnsieve.knowledge import Constraints
from bnsieve.learners.counted_search import search_counts
from bnsieve.learners.drawn_rows import DrawnRows
from bnsieve.learners.effects import MIN_EFFECT, EffectSizes, parents_of, without_small_effects
from bnsieve.learners.entity_rows import clustered_scorer
from bnsieve.learners.finer_bins import remove_explained_parents
from bnsieve.learners.fit_result import FitContext, SearchResult, SieveResult
from bnsieve.learners.own_candidates import own_candidates
from bnsieve.learners.refining import refine_parents, test_columns
from bnsieve.learners.screening import Screened, is_numeric, screen, with_duplicates
from bnsieve.learners.weak_parents import add_weak_parents
from bnsieve.search import (
    BINS_MARGIN,
    CONFIRMED_MARGIN,
    ConfirmedDirections,
    Directions,
    NetworkComparison,
    NetworkSearchResult,
    Pair,
    SearchSettings,
    Skeleton,
    confirmed_directions,
    decide_directions,
    first_bin_edges,
    rebin,
    search_network,
    verify_edges,
    with_bin_edges,
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
    strongest_candidates,
    with_all_others,
    with_rank_bins,
)
from bnsieve.sieve.machine import MachineSettings
from bnsieve.table import Floats, Table, some_rows

# Fewer clauses and a lower threshold than the paper's rank the candidates better, in a quarter of
# the time: a machine that need not predict well spreads its clauses over more of what matters. More
# rows than these take longer and hardly find more.
MACHINE = SieveSettings(
    MachineSettings(n_clauses=20, threshold=10, specificity=5.0), epochs=5, most_rows=4_000
)

# Among so few other columns all are candidates: scoring them takes less time than it may cost to
# leave one out.
N_ALL_FIT = 24

# Of the candidates of a column, the ninths that screening names: the others are found later.
_FIRST_NINTHS = 5

# Additions given a network, where screening has named as many candidates as there may be.
_FEW_ADDITIONS = 4

# Among more rows in memory than the first, candidates and a first network are sought in the second
# number of them, and all are counted for the last search, as for rows in files: time then hardly
# depends on the rows.
MANY_ROWS = 50_000
N_SOUGHT_IN = 20_000

# Rows in which networks of bins and of numbers are compared: few are enough.
N_COMPARED = 2_000

# Given more variables, a few thousand rows fall into strata too thin to tell anything.
_MAX_CONDITIONING = 3
# Rows at most in tests of numeric variables: time grows with them.
_TESTED_ROWS = 10_000
# Many tests confirm directions, so each must be quick, and they must end.
_CONFIRMING_ROWS, _CONFIRMING_LANDMARKS, _CONFIRMING_TESTS = 1_000, 60, 300


BinEdges = dict[int, tuple[float, ...]]


@dataclass(frozen=True)
class StageSettings:
    """Parameters of `TsetlinSieve` that the stages use.

    Attributes
    ----------
    method : {"search", "tests"}
    criterion : "bd", "bdeu", "bic", "qnml", Score or FamilyScore
    n_candidates : int
    max_parents : int or None
    alpha : float
    ci_test : "auto", "chi2", "g2", "mi", "permutation" or CITest
    sample_rows : int
        The number of rows that ranks and candidates come from, if there are many rows with numbers.
    min_effect : float
        With numeric columns, edges that clearly explain a smaller share are left out.
    candidates : mapping, callable or None
        The user's own candidates.
    """

    method: Literal["search", "tests"] = "search"
    criterion: Criterion | Score | FamilyScore = "bd"
    n_candidates: int = 18
    max_parents: int | None = None
    alpha: float = 0.01
    ci_test: TestName | CITest = "auto"
    sample_rows: int = 10_000
    min_effect: float = MIN_EFFECT
    candidates: Mapping[str, Sequence[str]] | CandidateFinder | None = None


def run_stages(
    table: Table, constraints: Constraints, context: FitContext, settings: StageSettings, seed: int
) -> SearchResult:
    """Learn a DAG."""
    require_memory(table)
    if is_family_score(settings.criterion) or not is_numeric(table, context.source):
        table = replace(table, numbers={})
    elif context.source.n_rows == table.n_rows > most_in_memory(settings.sample_rows):
        # Files give the same sample, so that both give the same graph.
        drawn = some_rows(table, settings.sample_rows, seed)
        table, context = drawn, replace(context, source=DrawnRows(table, drawn, seed))
    columns = screen(table, constraints, context)
    whole_source = context.source
    searched = columns.table
    if columns.covariance is None and context.source.n_rows == table.n_rows > MANY_ROWS:
        # As for rows in files: some are searched, and all are counted in the end.
        context = replace(context, source=TableRows(searched))
        searched = some_rows(searched, N_SOUGHT_IN, seed)
    if settings.candidates is not None and context.candidates is None:
        known_names = {*whole_source.categories, *table.names}
        own = own_candidates(settings.candidates, searched, known_names)
        context = replace(context, candidates=own)
    if context.candidates is None:
        candidates = screened_candidates(columns, settings)
        targets: Sequence[int] | None = machine_targets(columns, settings)
    else:  # known already: no machine is trained
        candidates, targets = numbered(context.candidates, columns.table.names), None
    search = _Search(columns, candidates, settings, seed, targets)
    if table.n_rows or settings.candidates is not None:
        result = search.run(searched, context, columns.covariance)
    else:  # only counts are known of the rows
        targets, search = None, replace(search, targets=None)
        result = search_counts(
            lambda own: replace(search, candidates=own).run(searched, context),
            columns.association,
            columns.constraints,
        )
    bin_edges: BinEdges = {}
    binned = bins_or_numbers(search, result, context)
    if binned is not None:
        bin_edges, result, context = binned
        rebinned = with_bin_edges(columns.table, bin_edges)
        columns = replace(columns, table=rebinned, covariance=None)
    sieve, known = context.sieve, columns.constraints
    if targets is not None:
        importance = result.importance
        if importance is None:  # the search needed no machines
            with context.timings.stage("sieve"):
                machines = Machines(pooled(with_rank_bins(searched)), MACHINE, seed, known)
                importance = machines.importance(targets, context.engine.map)
        sieve = SieveRecord(searched.names, MACHINE, seed, importance, True, known.visible)
    result = refine(columns, result, context, settings)
    sizes = EffectSizes(result.scorer, columns.table)
    if settings.candidates is None:
        result = add_weak_parents(result, sizes, settings.min_effect)
    skeleton = result.network.skeleton
    if settings.method == "tests":
        skeleton = verify(columns, result, context, settings)
    run = context.engine.map
    with context.timings.stage("effects"):
        floor = settings.min_effect if table.numbers else 0.0
        skeleton, small_edges = without_small_effects(skeleton, sizes, floor, known, run)
    with context.timings.stage("directions"):
        directions = decide_directions(
            result.scorer,
            parents_of(skeleton),
            run,
            max_parents=result.scorer.max_parents,
            seed=seed,
        )
    skeleton = replace(skeleton, directed_edges=tuple(directions.margins))
    with context.timings.stage("effects"):
        effects = sizes.of_all(skeleton, run)
    whole = with_duplicates(skeleton, columns.originals, constraints)
    edge_margins = _edge_margins(whole, result, columns.kept)
    in_nats = result.scorer.in_nats
    supported = {edge: gain * in_nats(*edge) for edge, gain in directions.margins.items()}
    directions = replace(directions, margins=supported)
    margins = _direction_margins(edge_margins, directions, columns.kept, constraints)
    confirmed = confirm(columns, directions, margins, result, context)
    names, distinct = table.names, columns.table.names
    sieved = SieveResult(
        {
            name: tuple(distinct[v] for v in chosen)
            for name, chosen in zip(distinct, result.candidates, strict=True)
        },
        sieve,
        recall=coverage(candidates, skeleton.edges),
        duplicates={
            names[v]: names[original]
            for v, original in enumerate(columns.originals)
            if v != original
        },
        trimmed=dict(context.source.trimmed),
        scoring=result.scorer.score,
        score=result.network.score,
        direction_margins={(names[a], names[b]): value for (a, b), value in margins.items()},
        edge_margins={(names[a], names[b]): value for (a, b), value in edge_margins.items()},
        edge_effects={(distinct[a], distinct[b]): own for (a, b), own in effects.items()},
        small_edges={(distinct[a], distinct[b]): own for (a, b), own in small_edges.items()},
        rank_maps={} if columns.covariance is None else dict(columns.rank_maps),
        cuts={distinct[v]: edges for v, edges in bin_edges.items()},
    )
    cut_source = None if binned is None or context.source is whole_source else context.source
    return SearchResult(whole, sieve=sieved, confirmed=confirmed, cut_source=cut_source)


def most_in_memory(sample_rows: int) -> int:
    """Return the largest number of rows with numbers that are searched without sampling."""
    return max(MANY_ROWS, sample_rows)


def machine_rows(table: Table, sample_rows: int, seed: int) -> Table:
    """Return the rows of a table that machines are trained on."""
    n_whole, n_rows = MANY_ROWS, N_SOUGHT_IN
    if table.numbers:
        n_whole, n_rows = most_in_memory(sample_rows), sample_rows
    return table if table.n_rows <= n_whole else some_rows(table, n_rows, seed)


def screened_candidates(columns: Screened, settings: StageSettings) -> Candidates:
    """Return the candidates that screening chooses for the first search."""
    constraints = columns.constraints
    n_candidates = constraints.scaled(settings.n_candidates)
    n_first = constraints.scaled(max(1, _FIRST_NINTHS * settings.n_candidates // 9))
    if constraints.visible is not None or columns.covariance is not None:
        n_first = n_candidates  # there more of them cost little
    candidates = strongest_candidates(columns.association, n_first, n_candidates)
    return with_all_others(candidates) if columns.table.n_variables <= N_ALL_FIT + 1 else candidates


def machine_targets(columns: Screened, settings: StageSettings) -> Sequence[int]:
    """Return the variables that get a machine."""
    if columns.constraints.visible is None:
        return range(columns.table.n_variables)
    # Where all that is associated can be a candidate, a machine has no choice to make.
    n_associated = np.count_nonzero(columns.association > 0, axis=1)
    n_candidates = columns.constraints.scaled(settings.n_candidates)
    return [int(v) for v in np.flatnonzero(n_associated > n_candidates)]


@dataclass(frozen=True, eq=False)
class _Search:
    """Searches networks of the same columns among the same candidates.

    Attributes
    ----------
    columns : Screened
    candidates : tuple of tuples of int
        Of the first search.
    settings : StageSettings
    seed : int
    targets : sequence of int or None
        The variables whose machines look for interactions, where the score can see any; None where
        the candidates are settled.
    """

    columns: Screened
    candidates: Candidates
    settings: StageSettings
    seed: int
    targets: Sequence[int] | None

    def run(
        self, table: Table, context: FitContext, covariance: Covariance | None = None
    ) -> NetworkSearchResult:
        """Search the graph of highest score, by a covariance if there is one, or by counts.

        Where rows of one entity belong together, what the parents leave unexplained of a variable
        can be less alike than the variable, or more. Then the search is repeated.
        """
        dependence = None if context.has_lags else dependence_of(table, covariance)
        if dependence is not None and covariance is not None:
            dependence = dependence.in_all_rows(round(covariance.n_rows))
        result = self._run(table, context, covariance, dependence)
        if dependence is None or not dependence.has_effect:
            return result
        left = residual_correlations(table, result.network.parents, covariance)
        if not dependence.differs_beside_parents(left):
            return result
        return self._run(table, context, covariance, dependence.at_least(left), left)

    def _run(
        self,
        table: Table,
        context: FitContext,
        covariance: Covariance | None,
        dependence: Dependence | None,
        unexplained: Floats | None = None,
    ) -> NetworkSearchResult:
        settings, constraints = self.settings, self.columns.constraints
        score, most = settings.criterion, settings.max_parents
        base: CountScorer | CovarianceScorer
        if isinstance(score, str):
            score = Score(score, parent_cost=float(np.log(table.n_variables)))
        if isinstance(score, Score):
            base = scorer_of(table, covariance, score, constraints, most, context.source)
        else:
            most = most or MOST_PARENTS
            base = OwnScorer(table, Score(), constraints, most, context.source, own=score)
        scorer, candidates = cast(ParentSetScorer, base), self.candidates
        if not table.n_rows:
            with context.timings.stage("counting"):
                scorer, candidates = base.count_all(candidates)
        elif dependence is not None and dependence.has_effect:
            scorer = clustered_scorer(table, base, dependence, unexplained)
        if self.targets is None:
            limits = SearchSettings(
                base.max_parents,
                n_extensions=0,
                budget=MAX_CANDIDATES,
                n_counted=None,
                is_settled=settings.candidates is not None or not table.n_rows,
            )
        else:
            few = constraints.visible is not None or scorer.has_cheap_candidates
            n_additions = _FEW_ADDITIONS if few else SearchSettings.n_additions
            limits = SearchSettings(
                base.max_parents,
                n_additions=constraints.scaled(n_additions),
                budget=N_ALL_FIT
                if table.n_variables <= N_ALL_FIT + 1
                else constraints.scaled(settings.n_candidates),
            )
        machines = None
        if self.targets is not None and scorer.has_interactions:
            machines = Machines(pooled(table), MACHINE, self.seed, constraints)
        with context.timings.stage("search"):
            result = search_network(
                scorer,
                candidates,
                limits,
                self.seed,
                context.engine.map,
                context.timings,
                sparse_prior=isinstance(settings.criterion, str),
                machines=machines,
                machine_targets=self.targets or (),
            )
        if isinstance(result.scorer, ClusteredScorer):
            return replace(result, scorer=result.scorer.unordered())
        return result


def bins_or_numbers(
    search: _Search, numeric: NetworkSearchResult, context: FitContext
) -> tuple[BinEdges, NetworkSearchResult, FitContext] | None:
    """Decide between bins and the covariance, if there are numeric variables.

    With strong interactions or thresholds, a network of bins explains more. It has to win by more
    than `BINS_MARGIN` nats per row. A few rows are enough to decide. If bins win, their edges are
    optimised given the network, and the network is searched again.

    Returns
    -------
    (dict, NetworkSearchResult, FitContext) or None
        None if bins do not win, or if another network of these rows has already decided.
        Otherwise the bin edges of each variable, the network of these bins, and the context of its
        rows. If the table is a sample, the last search counts all rows, and the context holds
        these.
    """
    table, source, timings = search.columns.table, context.source, context.timings
    # Where only sums are left of rows, they stay numbers.
    has_rows = table.n_rows == source.n_rows or isinstance(source, CutsAgain)
    if search.columns.covariance is None or context.is_settled or not has_rows:
        return None

    def in_memory(rows: Table) -> FitContext:
        return replace(context, source=TableRows(rows), timings=Timings())

    def search_bins(rows: Table, edges: BinEdges) -> NetworkSearchResult:
        bins = with_bin_edges(rows, edges)
        return search.run(bins, in_memory(bins))

    def is_better(first: NetworkSearchResult, second: NetworkSearchResult, margin: float) -> bool:
        """Compare two networks, each with the best bins for it."""
        both = (first.network.parents, second.network.parents)
        bins = [with_bin_edges(compared, rebin(compared, parents)) for parents in both]
        return comparison.log_ratio(both[0], bins[0], both[1], bins[1]) > margin

    with timings.stage("bins"):
        compared = some_rows(table, N_COMPARED, search.seed)
        covariance = covariance_of(compared)
        if compared is not table or source.n_rows > compared.n_rows:
            # Two networks of the same rows are compared: one of more rows knows more.
            numeric = search.run(compared, in_memory(compared), covariance)
        cost = numeric.scorer.score.parent_cost
        comparison = NetworkComparison(compared, covariance, cost)
        edges = first_bin_edges(compared)
        result = search_bins(compared, edges)
        if not is_better(result, numeric, BINS_MARGIN * compared.n_rows):
            return None
        if table is not compared:
            edges = first_bin_edges(table)
            result = search_bins(table, edges)
        optimised = rebin(table, result.network.parents)
        last = search_bins(table, optimised)
        if is_better(last, result, 0.0):
            edges, result = optimised, last
    if isinstance(source, CutsAgain):
        with timings.stage("reading"):
            by_name = {table.names[v]: own for v, own in edges.items()}
            context = replace(context, source=source.cut_at(by_name))
        result = search.run(with_bin_edges(table, edges), context)
    with timings.stage("refining"):
        rows = with_bin_edges(source.larger_sample(table.names), edges)
        result = remove_explained_parents(result, rows, context.engine.map)
    return edges, result, context


def refine(
    columns: Screened, result: NetworkSearchResult, context: FitContext, settings: StageSettings
) -> NetworkSearchResult:
    """Check the parents of numeric variables again, by models with more flexible curves."""
    timeline, table = context.timeline, columns.table
    if columns.covariance is None:
        return result
    has_past = timeline is not None and timeline.has_lags
    earlier = timeline.one_step_earlier(table.names) if timeline and has_past else {}
    tested = test_columns(table, [table.names[v] for v in table.numbers])
    with context.timings.stage("refining"):
        return refine_parents(
            result, tested, earlier, context.engine.map, result.scorer.max_parents
        )


def verify(
    columns: Screened, result: NetworkSearchResult, context: FitContext, settings: StageSettings
) -> Skeleton:
    """Keep the edges that pass CI tests given their child's other parents."""
    with context.timings.stage("tests"):
        strongest_first = [
            sorted(parents, key=lambda v: -strength[v])
            for parents, strength in zip(result.network.parents, columns.association, strict=True)
        ]
        counts = best_counts(columns.table, result.scorer.counted)
        dependence = scored_dependence(result.scorer)
        counts_test = CountsTest(
            counts, method=settings.ci_test, alpha=settings.alpha, dependence=dependence
        )
        test = _with_residuals(columns, counts_test, _TESTED_ROWS)
        run = context.engine.map
        return verify_edges(test, strongest_first, _MAX_CONDITIONING, run, columns.constraints)


def _with_residuals(
    columns: Screened, counts: CountsTest, most_rows: int, **limits: int
) -> IndependenceTest:
    """Return the test to use: by residuals where there are numeric variables.

    Sets of categorical variables are still tested by the counts of all rows.
    """
    if columns.covariance is None:
        return counts
    table = columns.table
    numbers = [table.names[v] for v in table.numbers]
    every = -(-table.n_rows // most_rows)
    tested = [column[::every] for column in test_columns(table, numbers)]
    entities = None
    if counts.dependence is not None and table.entities is not None:
        entities = table.entities[::every]
    return ResidualTest(tested, alpha=counts.alpha, counts=counts, entities=entities, **limits)


def scored_dependence(scorer: ParentSetScorer) -> Dependence | None:
    """Return the dependence of rows that scores must allow for."""
    return scorer.dependence if isinstance(scorer, ClusteredScorer) else None


def confirm(
    columns: Screened,
    directions: Directions,
    margins: Mapping[Pair, float],
    result: NetworkSearchResult,
    context: FitContext,
) -> ConfirmedDirections[int]:
    """Return the directed edges of the whole table on which tests and score agree."""
    kept, known = columns.kept, columns.constraints
    with context.timings.stage("directions"):
        test = _with_residuals(
            columns,
            CountsTest(
                best_counts(columns.table, result.scorer.counted),
                dependence=scored_dependence(result.scorer),
            ),
            _CONFIRMING_ROWS,
            n_landmarks=_CONFIRMING_LANDMARKS,
            most_tests=_CONFIRMING_TESTS,
        )
        among_kept = confirmed_directions(
            directions.parents,
            [
                (a, b)
                for a, b in directions.margins
                if margins[kept[a], kept[b]] >= CONFIRMED_MARGIN
            ],
            test,
            [edge for edge in directions.margins if known.forces(*edge)],
        )
    # Which of several duplicates carries an edge is arbitrary.
    shared = {original for v, original in enumerate(columns.originals) if v != original}
    by_data, implied = (
        {edge for edge in ((kept[a], kept[b]) for a, b in edges) if shared.isdisjoint(edge)}
        for edges in (among_kept.by_data, among_kept.implied)
    )
    return ConfirmedDirections(by_data, implied)


def _edge_margins(
    whole: Skeleton, result: NetworkSearchResult, kept: Sequence[int]
) -> dict[Pair, float]:
    """Return the score gain of each edge of the whole table's graph, in nats."""
    gains = {
        frozenset((kept[a], kept[b])): gain * result.scorer.in_nats(a, b)
        for (a, b), gain in result.margins.items()
    }
    # To which of several duplicates another is adjacent is arbitrary.
    return {(a, b): gains.get(frozenset((a, b)), 0.0) for a, b in whole.directed_edges or ()}


def _direction_margins(
    edge_margins: Mapping[Pair, float],
    directions: Directions,
    kept: Sequence[int],
    constraints: Constraints,
) -> dict[Pair, float]:
    """Return how strongly the score supports each direction of the whole table's graph, in nats."""
    # Between duplicates either direction is as good, unless knowledge leaves one.
    margins = {(a, b): np.inf if constraints.forces(a, b) else 0.0 for a, b in edge_margins}
    margins.update(
        {
            (kept[a], kept[b]): min(margin, edge_margins[kept[a], kept[b]])
            for (a, b), margin in directions.margins.items()
            if not constraints.forces(kept[a], kept[b])
        }
    )
    return margins
