"""The edges of a learner's graph, each with how sure it is."""

from dataclasses import dataclass, replace

from bnsieve.explain import EdgeStrengths
from bnsieve.graph import Graph
from bnsieve.learners import StructureLearner

# An edge that is not in the graph but in so many replicates is worth a look.
_NEARLY = 0.3


@dataclass(frozen=True)
class Edge:
    """An edge and how sure it is.

    Attributes
    ----------
    tail, head : str
    directed : bool
    evidence : float or None
        By how much the score falls without it, in nats; None if it is not in the graph. Of rows in
        files too large for memory, those of the sample are asked.
    strength, direction : float or None
        The share of replicates that have it, and the share of these in which it points to `head`;
        None if there were no replicates, or none that has it.
    """

    tail: str
    head: str
    directed: bool
    evidence: float | None
    strength: float | None = None
    direction: float | None = None

    def __str__(self) -> str:
        return f"{self.tail} {'->' if self.directed else '-'} {self.head}"


def edges_of(
    learner: StructureLearner, graph: Graph, strengths: EdgeStrengths | None
) -> tuple[Edge, ...]:
    """Return the edges of a graph, which is the learner's or a part of it, the surest first."""
    worth = {frozenset((one.tail, one.head)): one.change for one in learner.arrow_scores()}
    edges = []
    for pairs, directed in ((graph.directed_edges, True), (graph.undirected_edges, False)):
        for tail, head in pairs:
            edge = Edge(tail, head, directed, worth[frozenset((tail, head))])
            edges.append(edge if strengths is None else _with_strength(edge, strengths))
    return tuple(sorted(edges, key=_unsure))


def nearly_edges(graph: Graph, strengths: EdgeStrengths | None) -> tuple[Edge, ...]:
    """Return the pairs that the graph does not join but many replicates do, the surest first."""
    if strengths is None:
        return ()
    frame = strengths.to_frame().iloc[::2]
    return tuple(
        Edge(tail, head, True, None, strength, direction)
        for tail, head, strength, direction in frame.itertuples(index=False)
        if strength >= _NEARLY
        and {tail, head} <= set(graph.nodes)
        and head not in graph.adjacent(tail)
    )


def _with_strength(edge: Edge, strengths: EdgeStrengths) -> Edge:
    strength, direction = strengths.of(edge.tail, edge.head)
    return replace(edge, strength=strength, direction=direction if strength else None)


def _unsure(edge: Edge) -> tuple[float, float, str, str]:
    return -(edge.strength or 0.0), -(edge.evidence or 0.0), edge.tail, edge.head
