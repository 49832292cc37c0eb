"""Decide the direction of each edge, and how strongly the data support it.

In: the DAG that a search found, and its scorer. Out: `Directions`. They are decided among the DAGs
with just these edges, by a score under which Markov equivalent graphs are equal (see
`bnsieve.decide.ParentSetScorer.direction_scores`). The search over orders does the rest: each edge
gains more than any choice of directions, so that all are kept. Directions far from those first
found must also be preferred by a second equivalent score, where the scorer has one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bnsieve import _native
from bnsieve.decide import MAX_CANDIDATES, DirectionScores, ParentSetScorer, Score
from bnsieve.engine import Map
from bnsieve.graph import Graph, children_of, topological_order
from bnsieve.knowledge import Constraints
from bnsieve.search.order import ScoredDag, packed, search_orders
from bnsieve.search.orientation import known_class
from bnsieve.search.skeleton import Pair

N_STARTS = 2
ROUNDS_PER_VARIABLE = 10
# Displacements tried to make the best of a reversed edge.
_REVERSAL_ROUNDS = 40


@dataclass(frozen=True)
class Directions:
    """Directions of the edges of a network.

    Attributes
    ----------
    parents : tuple of tuples of int
        Of every variable, in a DAG of high score that has these edges.
    margins : dict of (int, int) to float
        For each directed edge, parent first, by how much the score falls, in nats, if it is
        reversed and the other edges take the directions that are best for that. Zero: an
        equivalent graph has it reversed. Infinite: knowledge leaves no other direction.
    score : Score
        What the DAGs were compared by.
    """

    parents: tuple[tuple[int, ...], ...]
    margins: dict[Pair, float]
    score: Score


def decide_directions(
    scorer: ParentSetScorer,
    parents: Sequence[Sequence[int]],
    run: Map,
    *,
    max_parents: int,
    seed: int,
) -> Directions:
    """Direct the edges of a network again, by an equivalent score.

    Parameters
    ----------
    scorer : ParentSetScorer
        Edges that it cannot score in both directions stay as they are.
    parents : sequence of sequences of int
        Of every variable; without a cycle, and as knowledge allows.
    run : Map
        Spreads the variables over threads.
    max_parents : int
        No variable gets more parents than this, or than it has.
    seed : int
        Of the search.
    """
    constraints = scorer.constraints
    neighbours = _possible_parents(scorer, parents)
    fixed = [
        [u for u in own if u in constraints.required_parents(v) or v not in neighbours[u]]
        for v, own in enumerate(parents)
    ]
    scores = scorer.direction_scores(parents, neighbours, fixed, max_parents, run)
    order = tuple(topological_order(parents, children_of(parents)))

    def search(start: Sequence[int], n_starts: int, n_rounds: int) -> ScoredDag:
        return search_orders(
            scores.sets,
            n_starts=n_starts,
            n_rounds=n_rounds,
            seed=seed,
            run=run,
            required=[(u, v) for v, own in enumerate(fixed) for u in own],
            start=start,
        )

    n_rounds = ROUNDS_PER_VARIABLE * len(parents)
    if scores.second is None:
        dag = search(order, N_STARTS, n_rounds)
    else:
        dag = search(order, 1, 0)
        wider = search(dag.order, N_STARTS, n_rounds)
        if scores.second(wider.parents) > scores.second(dag.parents):
            dag = wider
    if _adjacent_pairs(dag.parents) != _adjacent_pairs(parents):
        # A direction cost more than an edge gains.
        dag = ScoredDag(tuple(map(tuple, parents)), 0.0, order)
    margins = _reversal_margins(scores, dag, fixed, constraints, seed)
    return Directions(dag.parents, margins, scores.score)


def _possible_parents(scorer: ParentSetScorer, parents: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return for each variable the neighbours that could be its parents; its own come first."""
    near = [list(own) for own in parents]
    for child, own in enumerate(parents):
        for parent in own:
            possible = scorer.constraints.allowed[child, parent] and scorer.covers(parent, child)
            if possible and len(near[parent]) < MAX_CANDIDATES:
                near[parent].append(child)
    return near


def _adjacent_pairs(parents: Iterable[Sequence[int]]) -> set[frozenset[int]]:
    """Return the pairs of adjacent variables."""
    return {frozenset((parent, child)) for child, own in enumerate(parents) for parent in own}


def _reversal_margins(
    scores: DirectionScores,
    network: ScoredDag,
    fixed: Sequence[Sequence[int]],
    constraints: Constraints,
    seed: int,
) -> dict[Pair, float]:
    """Return by how much the score falls if each directed edge is reversed."""
    edges = network.skeleton.directed_edges or ()
    dag = Graph.from_index_edges([str(v) for v in range(len(network.parents))], edges, [])
    compelled = {(int(u), int(v)) for u, v in known_class(dag, constraints).directed_index}
    margins = {(u, v): np.inf if u in fixed[v] else 0.0 for u, v in edges}
    asked = sorted(edge for edge in compelled if margins[edge] == 0)
    if asked:
        order, pairs = (np.array(own, dtype=np.int32) for own in (network.order, asked))
        falls = _native.falls_if_turned(*packed(scores.sets), order, pairs, _REVERSAL_ROUNDS, seed)
        falls[falls > scores.edge_bonus / 2] = np.inf  # an edge would have to go
        margins.update(zip(asked, np.maximum(falls, 0.0).tolist(), strict=True))
    return margins
