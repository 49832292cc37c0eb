"""A network and its scored parent sets in, what a parent must cost out.

Many pairs of columns are asked whether they are joined. In a network of many edges one more is no
surprise; where hardly any are joined, the strongest of thousands of chance associations should not
pass for one. So the prior odds of an edge follow from how many there are: with k of N pairs joined,
(k + 1) to (N - k + 1), the expectation under a uniform prior of the share. In pure noise of 30
columns a parent then costs 6 units instead of 3.4, and false edges become rare; networks with as
many edges as half their columns are not touched.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bnsieve.scores import ParentSets
from bnsieve.search.order import Network


def cost_of_a_parent(sets: Sequence[ParentSets], network: Network, least: float) -> float:
    """Return minus the log prior odds of an edge, as the network itself suggests.

    Counting starts from no edges: those that are worth their cost make the next ones cheaper,
    until no further one pays. The same edges, counted from above, would justify themselves.

    Parameters
    ----------
    sets : sequence of ParentSets
        Among which the network was found.
    network : Network
    least : float
        What a parent cost in that search; the result is no lower.
    """
    n_pairs = len(sets) * (len(sets) - 1) // 2
    worth = np.sort(_worth_of_parents(sets, network)) + least
    n_edges, cost = 0, np.inf
    while cost > least:
        cost = max(least, float(np.log((n_pairs - n_edges + 1) / (n_edges + 1))))
        n_paying = len(worth) - int(np.searchsorted(worth, cost))
        if n_paying <= n_edges:
            break
        n_edges = n_paying
    return float(cost)


def _worth_of_parents(sets: Sequence[ParentSets], network: Network) -> NDArray[np.float64]:
    """Return by how much the score falls for each arrow that is taken out of the network.

    The other parents of its head may go as well; the fall is then shared among those that went.
    """
    falls = []
    for one, parents in zip(sets, network.parents, strict=True):
        places = {candidate: k for k, candidate in enumerate(one.candidates)}
        whole = np.uint32(sum(1 << places[parent] for parent in parents))
        score = one.scores[np.flatnonzero(one.masks == whole)[0]]
        for parent in parents:
            without = whole & ~np.uint32(1 << places[parent])
            inside = np.flatnonzero(one.masks & ~without == 0)
            if len(inside):  # none where knowledge requires the parent
                best = inside[0]
                n_gone = int(whole).bit_count() - int(one.masks[best]).bit_count()
                falls.append((score - one.scores[best]) / n_gone)
    return np.array(falls, dtype=np.float64)
