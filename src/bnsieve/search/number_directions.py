"""Decide directions from a covariance: as `decide_directions` does from counts.

Equivalent graphs score alike here in the search already, so that one score decides on edges and on
directions. What is asked is how strongly the data support each.
"""

import math
from collections.abc import Sequence

import numpy as np

from bnsieve.counts import Covariance
from bnsieve.decide import ParentSets, Score, score_covariance_family, score_covariance_sets
from bnsieve.engine import Map
from bnsieve.graph import children_of, topological_order
from bnsieve.knowledge import Constraints
from bnsieve.search.directions import (
    COMPLETE_SIZE,
    N_STARTS,
    ROUNDS_PER_VARIABLE,
    WIDTH,
    Directions,
    joined_pairs,
    lawful_neighbours,
    turn_margins,
)
from bnsieve.search.order import ScoredDag, search_orders


def covariance_directions(
    covariance: Covariance,
    parents: Sequence[Sequence[int]],
    run: Map,
    constraints: Constraints,
    *,
    max_parents: int,
    seed: int,
) -> Directions:
    """Direct the edges of a network again.

    Parameters
    ----------
    covariance : Covariance
    parents, run, constraints, max_parents, seed
        As for `decide_directions`.
    """
    near = lawful_neighbours(parents, constraints, None)
    required = [constraints.required_parents(v) for v in range(len(parents))]
    fixed = [
        [u for u in own if u in needed or v not in near[u]]
        for v, (own, needed) in enumerate(zip(parents, required, strict=True))
    ]
    # No choice of directions can win or lose as much as all neighbours together explain and cost.
    sizes, log_rows = covariance.sizes, float(np.log(max(covariance.n_rows, 2.0)))
    worth = 1.0 + math.fsum(
        score_covariance_family(covariance, v, own) + log_rows * float(sizes[v] * sizes[own].sum())
        for v, own in enumerate(near)
    )

    def score_target(target: int) -> ParentSets:
        return score_covariance_sets(
            covariance,
            target,
            near[target],
            parent_cost=-worth,
            complete_size=COMPLETE_SIZE,
            max_size=max(max_parents, len(parents[target])),
            width=WIDTH,
            required=fixed[target],
            centre=parents[target],
        )

    sets = list(run(score_target, range(len(parents))))
    order = tuple(topological_order(parents, children_of(parents)))
    found = search_orders(
        sets,
        n_starts=N_STARTS,
        n_rounds=ROUNDS_PER_VARIABLE * len(parents),
        seed=seed,
        run=run,
        required=[(u, v) for v, own in enumerate(fixed) for u in own],
        start=order,
    )
    if joined_pairs(found.parents) != joined_pairs(parents):
        found = ScoredDag(tuple(map(tuple, parents)), 0.0, order)
    margins = turn_margins(sets, found, fixed, worth, constraints, seed)
    return Directions(found.parents, margins, Score("bic"))
