"""Frozen records that the stages of a fit exchange, and the record of a whole fit.

Every stage gets the table and a `FitContext`. A search returns a `SearchResult`, with variables by
number as in its table. A fit returns a `FitResult`, with variables by name. A fitted learner
answers, explains, saves and updates from it alone.
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
    """What stages need besides the table.

    Attributes
    ----------
    source : CountSource
        The source of the table's rows, and of counts of all rows.
    engine : Engine
        Where tasks run; open until `fit` ends.
    timings : Timings
    preparation : Preparation or None
        How the rows were prepared.
    candidates : mapping of str to tuple of str, or None
        The candidates of each column, if they are already known.
    sieve : SieveRecord or None
        The machines behind these candidates.
    is_settled : bool
        Whether another network of the same rows has already decided between numbers and bins.
    timeline : Timeline or None
        The entities and times of rows; None if rows are independent.
    dependence : RowDependence or None
        Signs that rows are not independent, if there is no timeline.
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
        """Whether rows have their past values, which account for their dependence."""
        return self.timeline is not None and self.timeline.has_lags


@dataclass(frozen=True, eq=False)
class SieveResult:
    """The results of a sieve and of the search among its candidates.

    Attributes
    ----------
    candidates : dict of str to tuple of str
        The candidate parents of each column.
    machines : SieveRecord or None
        The machines' settings and importances; None if none was trained.
    recall : float
        An upper estimate of the recall of the sieve: the share of the edges found that were among
        its candidates before the search extended these. It is too high, because it ignores edges
        that are too weak for the search.
    duplicates : dict of str to str
        For each duplicate of another column, the column that replaced it in the search.
    trimmed : dict of str to tuple of str
        For large files, candidates that were dropped because their count tables would have exceeded
        the memory limit.
    scoring : Score
        The score of parent sets.
    score : float
        The score of the graph found, without duplicates, before directions were decided.
    direction_margins : dict of (str, str) to float
        For each edge of the DAG, tail first, the margin of its direction, in nats.
    edge_margins : dict of (str, str) to float
        For each edge, the loss of score without it, if other parents may take its place.
    edge_effects : dict of (str, str) to EdgeEffect
        For each edge of the DAG, tail first, its effect size; not between duplicates.
    small_edges : dict of (str, str) to EdgeEffect
        Edges that were found, but left out because their effect is below `min_effect`.
    rank_maps : dict of str to RankMap
        For numeric variables, the maps from values to normal scores and back.
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
    """The result of a search; variables are numbered as in the table that was searched.

    Attributes
    ----------
    skeleton : Skeleton
        With arrows.
    n_orientation_tests : int
        The number of tests used to direct the edges.
    conflicts : tuple of (int, int, int)
        See `bnsieve.search.orientation.Orientation`.
    discarded : tuple of (int, int)
    sieve : SieveResult or None
        None for learners without a sieve.
    confirmed : ConfirmedDirections or None
        Confirmed directions; None if they are still to be tested.
    cut_source : CountSource or None
        The source of rows with the bins of `sieve.cuts`, if there are more rows than in the table.
    """

    skeleton: Skeleton
    n_orientation_tests: int = 0
    conflicts: tuple[tuple[int, int, int], ...] = ()
    discarded: tuple[Pair, ...] = ()
    sieve: SieveResult | None = None
    confirmed: ConfirmedDirections[int] | None = None
    cut_source: CountSource | None = None


def known_of(result: "FitResult", knowledge: Knowledge | None) -> Knowledge | None:
    """Return a learner's knowledge about the columns of a fit, with the order of time added."""
    known = known_over_time(knowledge, result.timeline)
    has_lags = result.timeline is not None and result.timeline.has_lags
    return known.among(result.dag.nodes) if known is not None and has_lags else known


@dataclass(frozen=True, eq=False)
class FitResult:
    """All results of one fit.

    A bootstrap or an update creates a new one. Saving writes its fields, and loading checks each of
    them.

    Attributes
    ----------
    dag : Graph
        The learned DAG over all columns.
    graph : Graph
        Its equivalence class: a CPDAG; with knowledge a maximally oriented graph (MPDAG).
    confirmed_edges : tuple of (str, str)
        Directed edges of `graph` whose direction the data confirm.
    knowledge_edges : tuple of (str, str)
        Directed edges of `graph` whose direction is decided by knowledge, not by the data.
    separating_sets : dict of frozenset of str to tuple of str
        For pairs of non-adjacent columns, a set of columns given which a test found the pair
        independent.
    n_tests : int
        The number of different CI tests used to find the skeleton, over all EM rounds.
    n_orientation_tests : int
        The number of further tests used to direct edges.
    conflicts : tuple of (str, str, str)
        Columns a, c, b for which the graph and the tests disagree on the collider a -> c <- b.
    discarded_edges : tuple of (str, str)
        Edges that the tests found but that are not in the graph, because every direction that
        knowledge allows closes a cycle.
    constant_features : tuple of str
        Columns with a single category. Their only edges are required ones.
    family_counts : FamilyCounts
        The joint counts of each column and its parents in `dag`.
    sieve : SieveResult or None
        None for learners without a sieve.
    n_rows : int
        The number of training rows, in memory or not.
    n_missing : dict of str to int
        The number of missing values of each column that has any, in all rows.
    missing_strategy : {"testwise", "category", "em"}
        The missing-data strategy; "testwise" if no value is missing.
    n_em_rounds : int
        The number of EM rounds; 0 unless the strategy is "em".
    preparation : Preparation or None
        The inferred role and the preparation of each column. None if the data were not prepared.
    timings : dict of str to float
        The seconds of each stage.
    table : Table or None
        The rows in memory, or the sample of larger data. None if the learner was saved without rows
        or learned from counts only.
    counted : Counted or None
        For large files, the counts of all rows, to which `update` adds.
    drift : Drift or None
        After an update: how the new rows differ from the earlier ones.
    strengths : EdgeStrengths or None
        After a bootstrap: how often replicates have each edge.
    replicate_dags : tuple of Graph
        After a bootstrap: the DAG of each replicate.
    timeline : Timeline or None
        The entities and times of rows. None if rows are independent.
    clusters : Clusters or None
        The numbers of effective rows if rows of one entity are dependent; None if rows have lags.
    dependence : RowDependence or None
        Signs that rows are not independent, if there is no timeline. Then no direction is
        confirmed, and there are no edge strengths.
    time_edges : tuple of (str, str)
        The `knowledge_edges` whose direction follows from the order of time, not from the user's
        knowledge.
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
        """The same as `table`, but an error if there are no rows."""
        if self.table is None:
            raise ValueError(
                "this learner has no rows, because it was learned from counts alone or saved "
                "without its data: fit it again to rows"
            )
        return self.table

    def reliability(self, x: str, y: str) -> Reliability | None:
        """Return the reliability of the direction between two columns; None if not adjacent."""
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
        """Bin edges of columns that were binned given the network; empty if there are none."""
        return {} if self.sieve is None else self.sieve.cuts

    @cached_property
    def linear_functions(self) -> tuple[LinearFunction, ...]:
        """The numeric variables that are weighted sums of others in the rows in memory."""
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
        """The rows as numbers, for explanations; None if no variable is numeric."""
        if self.sieve is None or not self.numeric_features:
            return None
        return AsNumbers(self.rows, self.numeric_features, self.sieve.scoring.parent_cost)
