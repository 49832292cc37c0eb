"""What each edge of a network is worth, by its variables' scored parent sets.

An edge is worth what the score loses without it: alone, or with others in its place. From the first
follows what an edge should cost. Many pairs of columns are asked whether they are joined. In a
network of many edges one more is no surprise; where hardly any are joined, the strongest of
thousands of chance associations should not pass for one. So the prior odds of an edge follow from
how many there are: with k of N pairs joined, (k + 1) to (N - k + 1), the expectation under a
uniform prior of the share. In pure noise of 30 columns a parent then costs 6 nats instead of 3.4,
and false edges become rare; networks with as many edges as half their columns are not touched.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bnsieve.decide import ParentSets
from bnsieve.graph import children_of, descendants_as_bits
from bnsieve.search.order import ScoredDag
from bnsieve.search.skeleton import Pair


def cost_of_a_parent(sets: Sequence[ParentSets], network: ScoredDag, least: float) -> float:
    """Return minus the log prior odds of an edge, as the network itself suggests.

    Counting starts from no edges: those that are worth their cost make the next ones cheaper,
    until no further one pays. Counted from above, the same edges would justify themselves.

    Parameters
    ----------
    sets : sequence of ParentSets
        Among which the network was found.
    network : ScoredDag
    least : float
        What a parent cost in that search; the result is no lower.
    """
    n_pairs = len(sets) * (len(sets) - 1) // 2
    worth = np.sort(worth_of_edges(sets, network)) + least
    n_edges, cost = 0, np.inf
    while cost > least:
        cost = max(least, float(np.log((n_pairs - n_edges + 1) / (n_edges + 1))))
        n_paying = len(worth) - int(np.searchsorted(worth, cost))
        if n_paying <= n_edges:
            break
        n_edges = n_paying
    return float(cost)


def worth_of_edges(sets: Sequence[ParentSets], network: ScoredDag) -> NDArray[np.float64]:
    """Return by how much the score falls for each edge that is left out and not replaced.

    Edges that knowledge requires are not among them.
    """
    falls = []
    for one, parents in zip(sets, network.parents, strict=True):
        for parent in parents:
            fall = _fall(one, parents, parent, [v for v in parents if v != parent])
            if fall is not None:
                falls.append(fall)
    return np.array(falls, dtype=np.float64)


def edge_margins(sets: Sequence[ParentSets], network: ScoredDag) -> dict[Pair, float]:
    """Return by how much the score falls for each arrow, parent first, that is left out.

    Any other candidates that do not come after the child may take the parent's place. Where a
    near-copy of the parent would do as well, the margin is small. Infinite: the edge is required.
    """
    descendants = descendants_as_bits(network.order, children_of(network.parents))
    margins = {}
    for child, (one, parents) in enumerate(zip(sets, network.parents, strict=True)):
        for parent in parents:
            others = [v for v in one.candidates if v != parent and not descendants[child] >> v & 1]
            fall = _fall(one, parents, parent, others, shared=False)
            margins[parent, child] = np.inf if fall is None else fall
    return margins


def _fall(
    sets: ParentSets,
    parents: Sequence[int],
    parent: int,
    others: Sequence[int],
    *,
    shared: bool = True,
) -> float | None:
    """Return by how much the score falls if parents are chosen among others.

    Where several parents go together, the fall is shared among them if asked. None if no set of
    the others was scored: knowledge requires the parent.
    """
    place = {candidate: k for k, candidate in enumerate(sets.candidates)}
    whole = sum(1 << place[v] for v in parents)
    inside = np.flatnonzero(sets.masks & ~np.uint32(sum(1 << place[v] for v in others)) == 0)
    if not len(inside):
        return None
    best = int(inside[0])
    fall = float(sets.scores[np.flatnonzero(sets.masks == whole)[0]] - sets.scores[best])
    n_gone = whole.bit_count() - int(sets.masks[best]).bit_count()
    return fall / n_gone if shared else fall
