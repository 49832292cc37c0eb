"""What the stages of a learner hand each other: frozen records, no `self` that changes.

`FitContext` goes into every stage beside the table. A search gives `SearchResult`, which numbers
variables as its table does; from that comes `FitResult`, which names them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bnsieve.counts import CountSource
from bnsieve.decide import Score
from bnsieve.engine import Engine, Timings
from bnsieve.graph import Graph
from bnsieve.network import FamilyCounts
from bnsieve.search import Pair, Skeleton
from bnsieve.sieve import SieveRecord
from bnsieve.table import RankMap


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
    candidates : mapping of str to tuple of str, or None
        Of each column, where they are known already and none are to be sought.
    parts : tuple of tuples of str
        Columns that were made from one, such as year and month of a date. That they go together
        says nothing, so they are not joined.
    is_settled : bool
        Whether numbers stay what they are, numbers or bins: another network of the same rows
        settled it.
    """

    source: CountSource
    engine: Engine
    timings: Timings
    candidates: Mapping[str, tuple[str, ...]] | None = None
    parts: tuple[tuple[str, ...], ...] = ()
    is_settled: bool = False


@dataclass(frozen=True, eq=False)
class SieveResult:
    """What a sieve, and a search among its candidates, found; attributes as in `TsetlinSieve`.

    Attributes
    ----------
    candidates : dict of str to tuple of str
    sieve : SieveRecord or None
        None if no machine was trained.
    recall : float
    copies : dict of str to str
    trimmed : dict of str to tuple of str
    scoring : Score
    score : float
    direction_scoring : Score
    margins : dict of (str, str) to float
        Of all arrows of the DAG, tail first.
    edge_margins : dict of (str, str) to float
        The same of edges.
    rank_maps : dict of str to RankMap
        Of the columns that were learned from as numbers.
    cuts : dict of str to tuple of float
        Where numbers were cut again, if the rows spoke for bins.
    by_rank : bool
        Whether machines see numbers cut by their ranks.
    cut_source : CountSource or None
        Where rows with these cuts come from, if they are more than the table's.
    """

    candidates: dict[str, tuple[str, ...]]
    sieve: SieveRecord | None
    recall: float = 1.0
    copies: dict[str, str] = field(default_factory=dict)
    trimmed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    scoring: Score = field(default_factory=Score)
    score: float = 0.0
    direction_scoring: Score = field(default_factory=Score)
    margins: dict[tuple[str, str], float] = field(default_factory=dict)
    edge_margins: dict[tuple[str, str], float] = field(default_factory=dict)
    rank_maps: dict[str, RankMap] = field(default_factory=dict)
    cuts: dict[str, tuple[float, ...]] = field(default_factory=dict)
    by_rank: bool = False
    cut_source: CountSource | None = None


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
    sieved : SieveResult or None
        None for learners without a sieve.
    sure : tuple of (int, int) or None
        Arrows that are sure; None if this is still to be found out.
    """

    skeleton: Skeleton
    n_orientation_tests: int = 0
    conflicts: tuple[tuple[int, int, int], ...] = ()
    discarded: tuple[Pair, ...] = ()
    sieved: SieveResult | None = None
    sure: tuple[Pair, ...] | None = None


@dataclass(frozen=True, eq=False)
class FitResult:
    """What was learned from one table, by name; attributes as in `StructureLearner`.

    Attributes
    ----------
    dag, graph : Graph
    sure_arrows : tuple of (str, str)
    separating_sets : dict of frozenset of str to tuple of str
    n_tests, n_orientation_tests : int
    conflicts : tuple of (str, str, str)
    discarded_edges : tuple of (str, str)
    constant_features : tuple of str
    family_counts : FamilyCounts
    sieved : SieveResult or None
    """

    dag: Graph
    graph: Graph
    sure_arrows: tuple[tuple[str, str], ...]
    separating_sets: dict[frozenset[str], tuple[str, ...]]
    n_tests: int
    n_orientation_tests: int
    conflicts: tuple[tuple[str, str, str], ...]
    discarded_edges: tuple[tuple[str, str], ...]
    constant_features: tuple[str, ...]
    family_counts: FamilyCounts
    sieved: SieveResult | None
