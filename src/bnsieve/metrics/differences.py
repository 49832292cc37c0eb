"""Which edges of a learned graph differ from those of the true one.

In: two graphs over the same nodes. Out: `EdgeDifferences`, the edges by name. As for SHD, what is
compared is what data can tell: the equivalence classes.
"""

from dataclasses import dataclass
from typing import Any

from bnsieve.graph import Graph
from bnsieve.metrics.alignment import GraphLike, aligned, class_of


@dataclass(frozen=True)
class NamedEdge:
    """An edge between two nodes: an arrow from `tail` to `head`, or undirected."""

    tail: str
    head: str
    directed: bool

    def __str__(self) -> str:
        return f"{self.tail} {'->' if self.directed else '-'} {self.head}"


@dataclass(frozen=True)
class EdgeDifferences:
    """The edges in which two graphs differ, each pair of nodes once.

    Attributes
    ----------
    missing : tuple of NamedEdge
        Edges of the true graph whose nodes the learned one does not join.
    extra : tuple of NamedEdge
        Edges of the learned graph whose nodes the true one does not join.
    turned : tuple of pairs of NamedEdge
        The true edge and the learned one, where both graphs join two nodes in different ways:
        reversed, or directed in one and undirected in the other.
    """

    missing: tuple[NamedEdge, ...]
    extra: tuple[NamedEdge, ...]
    turned: tuple[tuple[NamedEdge, NamedEdge], ...]

    @property
    def n(self) -> int:
        """How many pairs of nodes differ: the structural Hamming distance."""
        return len(self.missing) + len(self.extra) + len(self.turned)

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the edges as text, in plain Python lists."""
        return {
            "missing": [str(edge) for edge in self.missing],
            "extra": [str(edge) for edge in self.extra],
            "turned": [{"true": str(true), "learned": str(own)} for true, own in self.turned],
        }

    def __str__(self) -> str:
        lines = [f"missing  {edge}" for edge in self.missing]
        lines += [f"extra    {edge}" for edge in self.extra]
        lines += [f"turned   {true}, learned as {own}" for true, own in self.turned]
        return "\n".join(lines) or "no edge differs"


def differences(truth: GraphLike, learned: GraphLike) -> EdgeDifferences:
    """Say which edges of a learned graph differ from those of the true one.

    Parameters
    ----------
    truth, learned : Graph, BayesianNetwork, fitted learner or path
        As for `compare`, whose `shd` is the number of these differences.

    Examples
    --------
    >>> truth = Graph(["a", "b", "c", "d"], [("a", "b"), ("c", "b"), ("b", "d")])
    >>> learned = Graph(["a", "b", "c", "d"], [("a", "b"), ("c", "b"), ("c", "d")])
    >>> print(differences(truth, learned))
    missing  b -> d
    extra    c - d
    """
    true_graph, graph = aligned(truth, learned)
    wanted, found = _edges(class_of(true_graph)[0]), _edges(class_of(graph)[0])
    return EdgeDifferences(
        tuple(edge for pair, edge in wanted.items() if pair not in found),
        tuple(edge for pair, edge in found.items() if pair not in wanted),
        tuple(
            (edge, found[pair])
            for pair, edge in wanted.items()
            if pair in found and not _same(edge, found[pair])
        ),
    )


def _edges(graph: Graph) -> dict[frozenset[str], NamedEdge]:
    edges = [NamedEdge(tail, head, True) for tail, head in graph.directed_edges]
    edges += [NamedEdge(min(pair), max(pair), False) for pair in graph.undirected_edges]
    edges.sort(key=lambda edge: (edge.tail, edge.head))
    return {frozenset((edge.tail, edge.head)): edge for edge in edges}


def _same(first: NamedEdge, second: NamedEdge) -> bool:
    if first.directed != second.directed:
        return False
    return not first.directed or first.tail == second.tail
