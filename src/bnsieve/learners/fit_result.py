"""Frozen records that the stages of a fit hand each other, and the record of a whole fit.

`FitContext` goes into every stage beside the table. A search returns `SearchResult`, which numbers
variables as its table does. A fit returns `FitResult`, which names them: everything that a fitted
learner says, explains, saves and adds rows to comes from it alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from bnsieve.counts import Clusters, Counted, CountSource, Drift
from bnsieve.decide import Score
from bnsieve.engine import Engine, Timings
from bnsieve.explain import (
    AsNumbers,
    EdgeEffect,
    EdgeStrengths,
    LinearFunction,
    Reliability,
    reliability_of,
)
from bnsieve.graph import Graph
from bnsieve.knowledge import Knowledge, known_over_time
from bnsieve.network import FamilyCounts, Missing
from bnsieve.search import ConfirmedDirections, Pair, Skeleton
from bnsieve.sieve import SieveRecord
from bnsieve.synthesize import TableRecord
from bnsieve.table import RankMap, RowDependence, Table, Timeline, linear_relations_of
from bnsieve.table.prepare import Preparation


@dataclass(frozen=True, eq=False)
class FitContext:
    """What stages need beside the table that they learn from.

    Attributes
    ----------
    source : CountSource
        Where the table's rows come from, and counts of all rows.
    engine : Engine
        Where work runs; open as long as `fit` lasts.
    timings : Timings
    preparation : Preparation or None
        How the rows were prepared.
    candidates : mapping of str to tuple of str, or None
        Of each column, where they are known already and none are to be sought.
    sieve : SieveRecord or None
        The machines behind these candidates.
    is_settled : bool
        Whether numbers stay what they are, numbers or bins: another network of the same rows
        settled it.
    timeline : Timeline or None
        How rows belong together; None if they are independent.
    dependence : RowDependence or None
        What shows that rows are not independent, where there is no timeline.
    """

    source: CountSource
    engine: Engine
    timings: Timings
    preparation: Preparation | None = None
    candidates: Mapping[str, tuple[str, ...]] | None = None
    sieve: SieveRecord | None = None
    is_settled: bool = False
    timeline: Timeline | None = None
    dependence: RowDependence | None = None

    @property
    def has_lags(self) -> bool:
        """Whether rows have their past beside them, which then explains how they belong."""
        return self.timeline is not None and self.timeline.has_lags


@dataclass(frozen=True, eq=False)
class SieveResult:
    """What a sieve, and a search among its candidates, found.

    Attributes
    ----------
    candidates : dict of str to tuple of str
        For each column the columns that were examined.
    machines : SieveRecord or None
        The machines' settings and importances; None if none was trained.
    recall : float
        An upper estimate of the sieve's recall: of the edges found, the share that it had
        named before the search looked again for what it missed. Edges too weak for the
        search do not show in it: on average over 20 networks it is 0.97 where 0.79 (500 rows) to
        0.88 (10,000 rows) of the true ones were named.
    duplicates : dict of str to str
        Columns that are duplicates under other categories, and the column that stood for them.
    trimmed : dict of str to tuple of str
        Where counts of all rows were read from files: candidates that were left out because their
        count tables would have exceeded the memory limit.
    scoring : Score
        The score of parent sets.
    score : float
        Of the graph that the search found, duplicates left out, before directions were decided.
    direction_margins : dict of (str, str) to float
        For each edge of the DAG, tail first, the support of its direction, in nats.
    edge_margins : dict of (str, str) to float
        For each edge, by how much `scoring` falls without its edge.
    edge_effects : dict of (str, str) to EdgeEffect
        For each edge of the DAG, tail first, its effect size; not between duplicates.
    small_edges : dict of (str, str) to EdgeEffect
        Edges that were found, but left out because their effect is below the floor.
    rank_maps : dict of str to RankMap
        Of numeric variables: from their values to normal scores, and back.
    cuts : dict of str to tuple of float
        Bin edges of columns that were binned given the network, if the data favour bins.
    """

    candidates: dict[str, tuple[str, ...]]
    machines: SieveRecord | None
    recall: float = 1.0
    duplicates: dict[str, str] = field(default_factory=dict)
    trimmed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    scoring: Score = field(default_factory=Score)
    score: float = 0.0
    direction_margins: dict[tuple[str, str], float] = field(default_factory=dict)
    edge_margins: dict[tuple[str, str], float] = field(default_factory=dict)
    edge_effects: dict[tuple[str, str], EdgeEffect] = field(default_factory=dict)
    small_edges: dict[tuple[str, str], EdgeEffect] = field(default_factory=dict)
    rank_maps: dict[str, RankMap] = field(default_factory=dict)
    cuts: dict[str, tuple[float, ...]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What a search found; variables are numbered as in the table that was searched.

    Attributes
    ----------
    skeleton : Skeleton
        With arrows.
    n_orientation_tests : int
        Tests that were needed to direct its edges.
    conflicts : tuple of (int, int, int)
        See `bnsieve.search.orientation.Orientation`.
    discarded : tuple of (int, int)
    sieve : SieveResult or None
        None for learners without a sieve.
    confirmed : ConfirmedDirections or None
        Confirmed directions; None if they are still to be tested.
    cut_source : CountSource or None
        Where rows with the bins of `sieve.cuts` come from, if they are more than the table's.
    """

    skeleton: Skeleton
    n_orientation_tests: int = 0
    conflicts: tuple[tuple[int, int, int], ...] = ()
    discarded: tuple[Pair, ...] = ()
    sieve: SieveResult | None = None
    confirmed: ConfirmedDirections[int] | None = None
    cut_source: CountSource | None = None


def known_of(result: "FitResult", knowledge: Knowledge | None) -> Knowledge | None:
    """Return a learner's knowledge in terms of the columns of a fit, with what time says."""
    known = known_over_time(knowledge, result.timeline)
    has_lags = result.timeline is not None and result.timeline.has_lags
    return known.among(result.dag.nodes) if known is not None and has_lags else known


@dataclass(frozen=True, eq=False)
class FitResult:
    """Everything that one fit found.

    A bootstrap or an update makes a new one. Saving writes its fields, each checked when loaded.

    Attributes
    ----------
    dag : Graph
        The DAG that was found, over all columns.
    graph : Graph
        Its equivalence class: a CPDAG; with knowledge a maximally oriented graph (MPDAG).
    confirmed_edges : tuple of (str, str)
        Directed edges of `graph` whose direction the data confirm.
    knowledge_edges : tuple of (str, str)
        Directed edges of `graph` whose direction knowledge decides, and not the data.
    separating_sets : dict of frozenset of str to tuple of str
        For two columns that are not adjacent, the columns given which a test found them
        independent.
    n_tests : int
        Distinct independence tests performed to find the skeleton, over all EM rounds.
    n_orientation_tests : int
        Further tests to direct its edges, where the learner tests.
    conflicts : tuple of (str, str, str)
        Columns a, c, b on which the graph and the tests disagree: whether a -> c <- b.
    discarded_edges : tuple of (str, str)
        Edges that the tests found but that are not in the graph, because all directions that
        knowledge leaves them close a cycle.
    constant_features : tuple of str
        Columns with a single category; they have no edges but required ones.
    family_counts : FamilyCounts
        How often each column's categories occur with those of its parents in `dag`.
    sieve : SieveResult or None
        None for learners without a sieve.
    n_rows : int
        The number of training rows, in memory or not.
    n_missing : dict of str to int
        Missing values of each column that has any, in all rows.
    missing_strategy : {"testwise", "category", "em"}
        The missing-data strategy; "testwise" where no value is missing.
    n_em_rounds : int
        How often missing values were drawn and learned from; 0 unless the strategy is "em".
    preparation : Preparation or None
        The inferred role of each column, and what was done to it. None if data was not prepared.
    timings : dict of str to float
        Seconds by stage.
    table : Table or None
        The rows in memory, or the sample of those elsewhere. None if saved without them, or if
        only counts were learned from.
    counted : Counted or None
        Of rows in files: the counts of all rows, to which `update` adds.
    drift : Drift or None
        After an update: how the new rows differ from those before.
    strengths : EdgeStrengths or None
        After a bootstrap: how often replicates have each edge.
    replicate_dags : tuple of Graph
        After a bootstrap: the DAG of each replicate.
    timeline : Timeline or None
        How rows belong together: by entity, over time. None if they are independent.
    clusters : Clusters or None
        How many independent rows tell as much as those of entities; None if rows have lags.
    dependence : RowDependence or None
        What shows that rows are not independent, though no timeline says so. Nothing is confirmed
        then, and edge strengths are withheld.
    time_edges : tuple of (str, str)
        Those of `knowledge_edges` whose direction follows from the order of time, and not from what
        the user knows.
    """

    dag: Graph
    graph: Graph
    confirmed_edges: tuple[tuple[str, str], ...]
    knowledge_edges: tuple[tuple[str, str], ...]
    separating_sets: dict[frozenset[str], tuple[str, ...]]
    n_tests: int
    n_orientation_tests: int
    conflicts: tuple[tuple[str, str, str], ...]
    discarded_edges: tuple[tuple[str, str], ...]
    constant_features: tuple[str, ...]
    family_counts: FamilyCounts
    sieve: SieveResult | None = None
    n_rows: int = 0
    n_missing: dict[str, int] = field(default_factory=dict)
    missing_strategy: Missing = "testwise"
    n_em_rounds: int = 0
    preparation: Preparation | None = None
    timings: dict[str, float] = field(default_factory=dict)
    table: Table | None = None
    counted: Counted | None = None
    drift: Drift | None = None
    strengths: EdgeStrengths | None = None
    replicate_dags: tuple[Graph, ...] = ()
    timeline: Timeline | None = None
    clusters: Clusters | None = None
    dependence: RowDependence | None = None
    time_edges: tuple[tuple[str, str], ...] = ()
    table_record: TableRecord | None = None

    @property
    def rows(self) -> Table:
        """`table`, or a ValueError if there are no rows."""
        if self.table is None:
            raise ValueError(
                "this learner has no rows, because it was learned from counts alone or saved "
                "without its data: fit it again to rows"
            )
        return self.table

    def reliability(self, x: str, y: str) -> Reliability | None:
        """Return how reliable the direction between two columns is; None if not adjacent."""
        forward, backward = self.graph.has_edge(x, y), self.graph.has_edge(y, x)
        if not (forward or backward):
            return None
        tail, head = (x, y) if forward else (y, x)
        directed = not (forward and backward)
        given = self.knowledge_edges, self.time_edges
        return reliability_of(tail, head, directed, self.confirmed_edges, *given)

    @property
    def numeric_features(self) -> tuple[str, ...]:
        """The numeric variables; the others are categorical."""
        return () if self.sieve is None else tuple(self.sieve.rank_maps)

    @property
    def rebinned(self) -> Mapping[str, tuple[float, ...]]:
        """Bin edges of columns that were binned given the network; empty if none was."""
        return {} if self.sieve is None else self.sieve.cuts

    @cached_property
    def linear_functions(self) -> tuple[LinearFunction, ...]:
        """The numeric variables that are weighted sums of others, in the rows in memory."""
        if self.table is None or not self.numeric_features:
            return ()
        names = self.table.names
        return tuple(
            LinearFunction(
                names[one.column],
                tuple(names[v] for v in one.of),
                one.weights,
                one.constant,
                one.unexplained,
            )
            for one in linear_relations_of(self.table)
        )

    @cached_property
    def as_numbers(self) -> AsNumbers | None:
        """The rows as numbers, to explain what was learned; None if nothing was so."""
        if self.sieve is None or not self.numeric_features:
            return None
        return AsNumbers(self.rows, self.numeric_features, self.sieve.scoring.parent_cost)
