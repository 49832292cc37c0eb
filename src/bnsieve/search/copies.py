"""Columns that are copies of each other: which one stands for them, and how the others are joined.

In: for each variable the first one of which it is a copy. Out: for each variable the one that
stands for it, and, once a skeleton of those is found, the skeleton of all.
"""

from collections.abc import Sequence

import numpy as np

from bnsieve.knowledge import Constraints
from bnsieve.search.skeleton import Skeleton, pair_of


def stand_ins(originals: Sequence[int], constraints: Constraints) -> list[int]:
    """Choose which of several copies takes part in the search.

    Parameters
    ----------
    originals : sequence of int
        For each variable the first one of which it is a copy, or its own number.
    constraints : Constraints

    Returns
    -------
    list of int
        For each variable the one that stands for it, or its own number if it takes part. It is
        one that must be joined to other variables, else one that may point to the most of its
        copies, else the first. A copy of which knowledge requires anything but an arrow from its
        stand-in takes part itself.
    """
    chosen = list(range(len(originals)))
    groups: dict[int, list[int]] = {}
    for variable, original in enumerate(originals):
        groups.setdefault(original, []).append(variable)
    for group in groups.values():
        stands = max(group, key=lambda variable: _fitness(variable, group, constraints))
        for variable in group:
            bound = (arrow for arrow in constraints.required if variable in arrow)
            if all(arrow == (stands, variable) for arrow in bound):
                chosen[variable] = stands
    return chosen


def _fitness(variable: int, group: Sequence[int], constraints: Constraints) -> tuple[bool, int]:
    bound = not set(constraints.required_neighbours(variable)).issubset(group)
    others = [copy for copy in group if copy != variable]
    return bound, int(np.count_nonzero(constraints.allowed[variable, others]))


def with_copies(skeleton: Skeleton, originals: Sequence[int], constraints: Constraints) -> Skeleton:
    """Return the skeleton of all variables from that of the ones that are not copies.

    Parameters
    ----------
    skeleton : Skeleton
        Of the variables that are their own originals, numbered in their order.
    originals : sequence of int
        For each variable the one that it is a copy of, or its own number.
    constraints : Constraints
        A copy gets an arrow from its original, if that is allowed, and nothing else.
    """
    kept = [v for v, original in enumerate(originals) if v == original]
    copies = [
        (original, v)
        for v, original in enumerate(originals)
        if v != original and constraints.allowed[original, v]
    ]
    edges = [(kept[a], kept[b]) for a, b in skeleton.edges]
    arrows = skeleton.arrows
    if arrows is not None:
        arrows = (*((kept[a], kept[b]) for a, b in arrows), *copies)
    separating_sets = {
        (kept[a], kept[b]): tuple(kept[v] for v in given)
        for (a, b), given in skeleton.separating_sets.items()
    }
    all_edges = tuple(sorted([*edges, *(pair_of(*arrow) for arrow in copies)]))
    return Skeleton(len(originals), all_edges, separating_sets, skeleton.n_tests, arrows)
