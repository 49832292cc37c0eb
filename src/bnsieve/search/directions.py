"""Decide the direction of each edge, and how strongly the data support it.

Which edges there are was decided by a score that averages over sample sizes, family by family:
that finds edges best, but it does not score equivalent graphs alike, so it must not choose between
them. Directions are decided here, among the DAGs with just these edges, by the Bayesian Dirichlet
score with one sample size for the whole graph. Markov equivalent graphs score alike under it.

The sample size is the one under which the network is most probable. The search over orders does the
rest: each edge is worth more than any choice of directions, so that all are kept. Directions far
from those first found must also be preferred by a second equivalent score.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bnsieve import _native
from bnsieve.counts import JointCounts, count
from bnsieve.decide import MAX_CANDIDATES, ParentSets, Score, score_family, score_parent_sets
from bnsieve.engine import Map
from bnsieve.graph import Graph, children_of, topological_order
from bnsieve.knowledge import Constraints
from bnsieve.search.order import ScoredDag, packed, search_orders, with_fallback
from bnsieve.search.orientation import known_class
from bnsieve.search.skeleton import Pair
from bnsieve.table import Table

# Equivalent sample sizes that are tried for the whole graph.
SIZES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
# Which directions are best far from those that the search found can hang on the sample size. They
# are taken only if this score, equivalent too and without a sample size, prefers them as well.
_SECOND = Score("qnml")
# Of a variable with many neighbours not all sets are scored: all of up to three, the best beyond.
COMPLETE_SIZE = 3
WIDTH = 20
N_STARTS = 2
ROUNDS_PER_VARIABLE = 10
# Displacements tried to make the best of a turned arrow.
_TURN_ROUNDS = 40


@dataclass(frozen=True)
class Directions:
    """Directions of the edges of a network.

    Attributes
    ----------
    parents : tuple of tuples of int
        Of every variable, in a DAG of high score that has these edges.
    margins : dict of (int, int) to float
        For each arrow, parent first, by how much the score falls, in nats, if it is turned and the
        other edges take the directions that are best for that. Zero: an equivalent graph has it
        the other way round. Infinite: knowledge leaves no other direction.
    score : Score
        What the DAGs were compared by.
    """

    parents: tuple[tuple[int, ...], ...]
    margins: dict[Pair, float]
    score: Score


def decide_directions(
    table: Table,
    parents: Sequence[Sequence[int]],
    run: Map,
    constraints: Constraints,
    *,
    max_parents: int,
    seed: int,
    counted: Sequence[JointCounts] | None = None,
) -> Directions:
    """Direct the edges of a network again, by an equivalent score.

    Parameters
    ----------
    table : Table
    parents : sequence of sequences of int
        Of every variable; without a cycle, and as knowledge allows.
    run : Map
        Spreads the variables over threads.
    constraints : Constraints
    max_parents : int
        No variable gets more parents than this, or than it has.
    seed : int
        Of the search.
    counted : sequence of JointCounts or None
        Counts of all rows, where the table is a sample of them: for each variable a table of it
        and others. Edges whose ends are not counted together stay as they are.
    """
    near = lawful_neighbours(parents, constraints, counted)
    required = [constraints.required_parents(v) for v in range(len(parents))]
    fixed = [
        [u for u in own if u in needed or v not in near[u]]
        for v, (own, needed) in enumerate(zip(parents, required, strict=True))
    ]

    def count_target(target: int) -> JointCounts:
        if counted is None:
            return count(table, (target, *near[target]))
        return counted[target].marginal((target, *near[target]))

    joints = list(run(count_target, range(len(parents))))
    score = _most_probable(joints, parents, run)
    # No choice of directions can win or lose as much as all that there is to explain.
    worth = 1.0 - math.fsum(score_family(joint, (), score) for joint in joints)

    def score_target(target: int) -> ParentSets:
        return score_parent_sets(
            joints[target],
            replace(score, parent_cost=-worth),
            complete_size=COMPLETE_SIZE,
            max_size=max(max_parents, len(parents[target])),
            width=WIDTH,
            required=fixed[target],
            centre=parents[target],
        )

    sets = list(run(score_target, range(len(parents))))
    order = tuple(topological_order(parents, children_of(parents)))

    def search(start: Sequence[int], n_starts: int, n_rounds: int) -> ScoredDag:
        return search_orders(
            sets,
            n_starts=n_starts,
            n_rounds=n_rounds,
            seed=seed,
            run=run,
            required=[(u, v) for v, own in enumerate(fixed) for u in own],
            start=start,
        )

    found = search(order, 1, 0)
    wider = search(found.order, N_STARTS, ROUNDS_PER_VARIABLE * len(parents))
    if _total(joints, wider.parents, _SECOND) > _total(joints, found.parents, _SECOND):
        found = wider
    if joined_pairs(found.parents) != joined_pairs(
        parents
    ):  # a direction cost more than an edge is worth
        found = ScoredDag(tuple(map(tuple, parents)), 0.0, order)
    return Directions(
        found.parents, turn_margins(sets, found, fixed, worth, constraints, seed), score
    )


def lawful_neighbours(
    parents: Sequence[Sequence[int]],
    constraints: Constraints,
    counted: Sequence[JointCounts] | None,
) -> list[list[int]]:
    """Return for each variable the neighbours that could be its parents; its own come first."""
    near = [list(own) for own in parents]
    for child, own in enumerate(parents):
        for parent in own:
            seen = counted is None or child in counted[parent].variables
            if constraints.allowed[child, parent] and seen and len(near[parent]) < MAX_CANDIDATES:
                near[parent].append(child)
    return near


def _most_probable(
    joints: Sequence[JointCounts], parents: Sequence[Sequence[int]], run: Map
) -> Score:
    """Return the score whose sample size gives the network the highest marginal likelihood."""
    scores = [Score("bdeu", (size,), observed=False) for size in SIZES]
    families = [
        joint.marginal((joint.variables[0], *own))
        for joint, own in zip(joints, parents, strict=True)
    ]
    totals = list(run(lambda score: _total(families, parents, score), scores))
    return scores[int(np.argmax(totals))]


def _total(joints: Sequence[JointCounts], parents: Iterable[Sequence[int]], score: Score) -> float:
    return math.fsum(
        score_family(joint, own, score) for joint, own in zip(joints, parents, strict=True)
    )


def joined_pairs(parents: Iterable[Sequence[int]]) -> set[frozenset[int]]:
    """Return the pairs that a network joins."""
    return {frozenset((parent, child)) for child, own in enumerate(parents) for parent in own}


def turn_margins(
    sets: Sequence[ParentSets],
    network: ScoredDag,
    fixed: Sequence[Sequence[int]],
    worth: float,
    constraints: Constraints,
    seed: int,
) -> dict[Pair, float]:
    """Return by how much the score falls if each arrow of a network is turned."""
    arrows = [(parent, child) for child, own in enumerate(network.parents) for parent in own]
    dag = Graph.from_index_edges([str(v) for v in range(len(sets))], arrows, [])
    compelled = {(int(u), int(v)) for u, v in known_class(dag, constraints).directed_index}
    margins = dict.fromkeys(arrows, 0.0)
    margins.update({(u, v): np.inf for u, v in arrows if u in fixed[v]})
    asked = sorted(arrow for arrow in compelled if margins[arrow] == 0)
    if asked:
        order = np.array(network.order, dtype=np.int32)
        falls = _native.falls_if_turned(
            *packed(with_fallback(sets)), order, np.array(asked, dtype=np.int32), _TURN_ROUNDS, seed
        )
        falls[falls > worth / 2] = np.inf  # an edge would have to go
        margins.update(zip(asked, np.maximum(falls, 0.0).tolist(), strict=True))
    return margins
