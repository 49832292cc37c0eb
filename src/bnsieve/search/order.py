"""Search the best DAG over the orders of the variables, given scored parent sets.

In an order every variable takes its best parent set among those that come before it, so that no
graph ever has a cycle. The kernel (``native/order_search.hpp``) moves one variable after another to
its best place, and escapes local optima by displacing a few related variables. Effort is counted
in such rounds, not in seconds: the result depends on the seed alone.

Where parents are required, orders that put one of them too late score so low that no gain elsewhere
makes up for it. The search starts from orders without such a fault and never ends lower.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.decide import ParentSets
from bnsieve.engine import Map
from bnsieve.graph import children_of, topological_order
from bnsieve.search.skeleton import Pair, Skeleton

Ints = NDArray[np.int64]
Packed = tuple[Ints, NDArray[np.int32], Ints, NDArray[np.uint32], NDArray[np.float64]]


@dataclass(frozen=True)
class ScoredDag:
    """A DAG by its parent sets.

    Attributes
    ----------
    parents : tuple of tuples of int
        For every variable.
    score : float
        The sum of the sets' scores.
    order : tuple of int
        An order of the variables in which parents come first.
    """

    parents: tuple[tuple[int, ...], ...]
    score: float
    order: tuple[int, ...]

    @property
    def skeleton(self) -> Skeleton:
        """Return the adjacent pairs, with their directions."""
        return Skeleton.of_dag(self.parents, {}, 0)


def search_orders(
    sets: Sequence[ParentSets],
    *,
    n_starts: int,
    n_rounds: int,
    seed: int,
    run: Map,
    required: Sequence[Pair] = (),
    start: Sequence[int] | None = None,
) -> ScoredDag:
    """Search from several orders and return the best network found.

    Parameters
    ----------
    sets : sequence of ParentSets
        One for every variable.
    n_starts : int
    n_rounds : int
        Displacements tried from each start.
    seed : int
    run : Map
        Spreads the starts over threads; the result does not depend on it.
    required : sequence of (int, int)
        Parent and child: the parents without which the child has no set in `sets`. Without a cycle.
    start : sequence of int or None
        The first order to start from; the others, or all if None, are random.
    """
    arrays = packed(sets)

    def one_start(number: int) -> tuple[float, NDArray[np.int32], NDArray[np.int64]]:
        sequence = np.random.SeedSequence(seed, spawn_key=(number,))
        first = np.random.default_rng(sequence).permutation(len(sets))
        if number == 0 and start is not None:
            first = np.array(start)
        order = _parents_first(first, required).astype(np.int32)
        kernel_seed = int(sequence.generate_state(1, np.uint64)[0])
        order, chosen, total = _native.search_orders(*arrays, order, n_rounds, kernel_seed)
        return total, order, chosen

    total, order, chosen = max(run(one_start, range(n_starts)), key=lambda result: result[0])
    places = (chosen - arrays[2][:-1]).tolist()
    parents = tuple(own.members(place) for own, place in zip(sets, places, strict=True))
    return ScoredDag(parents, total, tuple(order.tolist()))


def packed(sets: Sequence[ParentSets]) -> Packed:
    """Return the sets of all variables as the kernels take them.

    Candidates, masks and scores of one variable after those of another, and before candidates and
    masks where those of each variable begin. A variable without the empty set gets one, which is
    worse than anything else could repair.
    """
    spread = math.fsum(float(own.scores[0] - own.scores[-1]) for own in sets)
    masks, scores = [], []
    for own in sets:
        lacks_empty = int(own.masks.min() > 0)
        masks.append(np.append(own.masks, np.zeros(lacks_empty, dtype=np.uint32)))
        scores.append(np.append(own.scores, [own.scores[-1] - spread - 1.0] * lacks_empty))
    return (
        np.cumsum([0, *(len(own.candidates) for own in sets)], dtype=np.int64),
        np.array([v for own in sets for v in own.candidates], dtype=np.int32),
        np.cumsum([0, *map(len, masks)], dtype=np.int64),
        np.concatenate(masks),
        np.concatenate(scores),
    )


def _parents_first(order: Ints, required: Sequence[Pair]) -> Ints:
    """Change an order as little as need be for all required parents to come before children."""
    if not required:
        return order
    place = np.argsort(order).tolist()
    parents: list[list[int]] = [[] for _ in place]
    for parent, child in required:
        parents[place[child]].append(place[parent])
    return order[topological_order(parents, children_of(parents))]
