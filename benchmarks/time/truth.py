"""A graph over variables and lags, and how close a found one comes to the true one."""

from collections.abc import Iterable
from dataclasses import dataclass, field

Lagged = tuple[int, int, int]
Pair = tuple[int, int]


@dataclass(frozen=True)
class LaggedGraph:
    """Edges over time among numbered variables.

    Attributes
    ----------
    lagged : frozenset of (int, int, int)
        Cause, effect and lag of each edge from the past.
    directed : frozenset of (int, int)
        Edges within a step, the cause first.
    undirected : frozenset of (int, int)
        Edges within a step without a direction, the smaller number first.
    """

    lagged: frozenset[Lagged] = frozenset()
    directed: frozenset[Pair] = frozenset()
    undirected: frozenset[Pair] = field(default=frozenset())

    @classmethod
    def of(
        cls,
        lagged: Iterable[Iterable[int]],
        directed: Iterable[Iterable[int]] = (),
        undirected: Iterable[Iterable[int]] = (),
    ) -> "LaggedGraph":
        """Make a graph of edges as a program lists them; one in both directions has none."""
        arrows = {_pair(edge) for edge in directed}
        both = {edge for edge in arrows if edge[::-1] in arrows}
        lines = {_pair(sorted(edge)) for edge in (*undirected, *both)}
        past = {(int(a), int(b), int(lag)) for a, b, lag in lagged}
        return cls(frozenset(past), frozenset(arrows - both), frozenset(lines))

    @property
    def adjacent(self) -> frozenset[Pair]:
        """Pairs that are adjacent within a step."""
        return frozenset({_pair(sorted(edge)) for edge in self.directed} | self.undirected)


def _pair(edge: Iterable[int]) -> Pair:
    first, second = edge
    return int(first), int(second)


def judge(found: LaggedGraph, truth: LaggedGraph) -> dict[str, float | int]:
    """Return F1 of lagged edges, of adjacencies within a step and of their directions.

    An undirected edge is half right as a direction. False lagged edges are those between different
    variables: that a variable depends on its own past is no discovery.
    """
    right = len(found.directed & truth.directed)
    open_ones = len(found.undirected & truth.adjacent)
    n_pairs = len(found.adjacent) + len(truth.adjacent)
    return {
        "lagged_f1": _f1(found.lagged, truth.lagged),
        "contemporaneous_f1": _f1(found.adjacent, truth.adjacent),
        "direction_f1": 2 * (right + 0.5 * open_ones) / n_pairs if n_pairs else 1.0,
        "false_lagged": sum(a != b for a, b, _ in found.lagged - truth.lagged),
        "missed_lagged": len(truth.lagged - found.lagged),
        "false_contemporaneous": len(found.adjacent - truth.adjacent),
        "missed_contemporaneous": len(truth.adjacent - found.adjacent),
    }


def _f1(found: frozenset[tuple[int, ...]], true: frozenset[tuple[int, ...]]) -> float:
    n = len(found) + len(true)
    return 2 * len(found & true) / n if n else 1.0
