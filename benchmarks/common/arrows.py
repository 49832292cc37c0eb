"""A learned graph and the true one in; how many of its arrows are right, and how far it is, out."""

from collections.abc import Iterable
from dataclasses import dataclass

from bnsieve import Graph


@dataclass(frozen=True)
class Directions:
    """What a graph says of directions, judged by the CPDAG of the true graph.

    Attributes
    ----------
    arrows, right_arrows : int
        Those of the learned graph, and those of them that the true CPDAG has.
    lines : int
        Edges of the learned graph without a direction.
    true_arrows : int
        Those of the true CPDAG.
    distance : int
        Pairs joined in one graph only, or in both in different ways. Each counts once.
    """

    arrows: int
    right_arrows: int
    lines: int
    true_arrows: int
    distance: int


def directions(learned: Graph, truth: Graph) -> Directions:
    """Judge a learned graph as it stands: an arrow claims a direction, a line claims none.

    The graph is not completed. A line whose direction follows from the arrows is still a line, and
    counts as different where the true CPDAG has an arrow. Of a DAG every arrow is a claim.
    """
    true_class = truth.to_cpdag()
    arrows, true_arrows = set(learned.directed_edges), set(true_class.directed_edges)
    lines, true_lines = _pairs(learned.undirected_edges), _pairs(true_class.undirected_edges)
    joined = _pairs(arrows) | lines | _pairs(true_arrows) | true_lines
    right = arrows & true_arrows
    return Directions(
        arrows=len(arrows),
        right_arrows=len(right),
        lines=len(lines),
        true_arrows=len(true_arrows),
        distance=len(joined) - len(right) - len(lines & true_lines),
    )


def _pairs(edges: Iterable[tuple[str, str]]) -> set[frozenset[str]]:
    return {frozenset(edge) for edge in edges}
