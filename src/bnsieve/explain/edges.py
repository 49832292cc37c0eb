"""The edges of a learner's graph, each with how sure it is."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from bnsieve.explain.evidence import Certainty, ScoreChange
from bnsieve.explain.strengths import EdgeStrengths
from bnsieve.graph import Graph

# Of edges found in fewer replicates, a noticeable share is false; so is an edge of less evidence.
SURE_STRENGTH = 0.8
SURE_EVIDENCE = 5.0
# An edge that is not in the graph but in so many replicates is worth a look.
_NEARLY = 0.3


class Scored(Protocol):
    """What is asked of a fitted learner: which arrows to believe, and what each is worth."""

    confirmed_edges_: tuple[tuple[str, str], ...]

    def arrow_scores(self) -> list[ScoreChange]:
        """Return by how much the score falls without each arrow."""


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
    margin : float or None
        By how much the score falls without it if other columns may take its place; None if the
        learner does not say.
    certainty : {"sure", "unsure", "undetermined"}
        Of its direction: to be believed; by the score alone; or either way.
    determined : str
        Why it is hardly worth looking at: one end determines the other or a label of it. Empty if
        not.
    """

    tail: str
    head: str
    directed: bool
    evidence: float | None
    strength: float | None = None
    direction: float | None = None
    margin: float | None = None
    certainty: Certainty = "undetermined"
    determined: str = ""

    def __str__(self) -> str:
        return f"{self.tail} {'->' if self.directed else '-'} {self.head}"


def edges_of(
    learner: Scored,
    graph: Graph,
    strengths: EdgeStrengths | None,
    determined: Mapping[frozenset[str], str] | None = None,
) -> tuple[Edge, ...]:
    """Return the edges of a graph, which is the learner's or a part of it, the surest first.

    That is: by the share of replicates that have them, else by what the score loses if others may
    take their place. Edges between columns that determine each other come last: which of these
    are joined is arbitrary. `determined` says of which that holds, and why.
    """
    margins: Mapping[tuple[str, str], float] = getattr(learner, "edge_margins_", {})
    worth_else = {frozenset(arrow): value for arrow, value in margins.items()}
    sure = set(learner.confirmed_edges_)
    bound = determined or {}
    worth = {frozenset((one.tail, one.head)): one.change for one in learner.arrow_scores()}
    edges = []
    for pairs, directed in ((graph.directed_edges, True), (graph.undirected_edges, False)):
        for tail, head in pairs:
            ends = frozenset((tail, head))
            certainty: Certainty = "sure" if (tail, head) in sure else "unsure"
            edge = Edge(
                tail,
                head,
                directed,
                worth[ends],
                margin=worth_else.get(ends),
                certainty=certainty if directed else "undetermined",
                determined=bound.get(ends, ""),
            )
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


def _unsure(edge: Edge) -> tuple[bool, float, float, str, str]:
    return bool(edge.determined), -(edge.strength or 0.0), -worth_of(edge), edge.tail, edge.head


def worth_of(edge: Edge) -> float:
    """Return what the score loses without the edge, in nats, as far as is known."""
    if edge.margin is not None and math.isfinite(edge.margin):
        return edge.margin
    return edge.evidence or 0.0


def is_unsure(edge: Edge) -> bool:
    """Tell whether an edge of the graph should be looked at twice."""
    if edge.strength is not None:
        return edge.strength < SURE_STRENGTH
    return worth_of(edge) < SURE_EVIDENCE
