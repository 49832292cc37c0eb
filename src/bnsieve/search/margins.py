"""The score gain of each edge, and the cost of a parent that follows from the gains.

An edge's score gain is what the score loses without it: alone (`score_gains`), or with other
parents in its place (`edge_margins`). The cost of a parent is minus the log prior odds of an edge,
and follows from the gains of the edges found:

- `sparse_cost`: in a network of many edges one more is no surprise; where there are hardly any, the
  strongest of thousands of chance associations should not pass for one. With k of N pairs adjacent,
  the odds are (k + 1) to (N - k + 1), the expectation under a uniform prior of the share. In pure
  noise of 30 columns a parent then costs 6 nats instead of 3.4, and false edges become rare;
  networks with as many edges as half their columns are not touched.
- `density_cost`: by default a parent costs the logarithm of the number of columns. Where all edges
  are far stronger than they need be, one that hardly pays is a chance association. Where they crowd
  just above the cost, there must be others just below it. So their density there is compared with
  that of chance associations, and the cost put where the two are alike.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bnsieve.decide import ParentSets
from bnsieve.graph import children_of, descendants_as_bits
from bnsieve.search.order import ScoredDag
from bnsieve.search.skeleton import Pair

# In nats above the cost: there edges are counted.
_NEAR = 10.0
# A search takes the best of several parent sets, so that chance has more than one try at each pair.
_TRIES = 3.0
_STEPS = 200


def sparse_cost(sets: Sequence[ParentSets], network: ScoredDag, least: float) -> float:
    """Return minus the log prior odds of an edge, as the network itself suggests.

    Counting starts from no edges: those that pay their cost make the next ones cheaper, until no
    further one pays. Counted from above, the same edges would justify themselves.

    Parameters
    ----------
    sets : sequence of ParentSets
        Among which the network was found.
    network : ScoredDag
    least : float
        What a parent cost in that search; the result is no lower.
    """
    n_pairs = len(sets) * (len(sets) - 1) // 2
    gains = np.sort(score_gains(sets, network)) + least
    n_edges, cost = 0, np.inf
    while cost > least:
        cost = max(least, float(np.log((n_pairs - n_edges + 1) / (n_edges + 1))))
        n_paying = len(gains) - int(np.searchsorted(gains, cost))
        if n_paying <= n_edges:
            break
        n_edges = n_paying
    return float(cost)


def density_cost(
    chance_density: Callable[[NDArray[np.float64]], NDArray[np.float64] | None],
    sets: Sequence[ParentSets],
    network: ScoredDag,
    cost: float,
) -> float:
    """Return what a parent should cost: as it did in the search, or less.

    Parameters
    ----------
    chance_density : callable
        Of pairs of independent variables by their gain; see `ParentSetScorer.chance_density`. Where
        it is not known, the cost stays.
    sets : sequence of ParentSets
        Among which the network was found.
    network : ScoredDag
    cost : float
        What a parent cost in that search.
    """
    costs = np.linspace(cost, 0.0, _STEPS)
    by_chance = chance_density(costs)
    if by_chance is None:
        return cost
    near = np.count_nonzero(score_gains(sets, network) + cost < cost + _NEAR)
    # Half an edge, where there is none: not to see any is no proof.
    density = (near + 0.5) / _NEAR
    rarer = np.flatnonzero(_TRIES * by_chance > density)
    return float(costs[max(0, int(rarer[0]) - 1)]) if len(rarer) else 0.0


def score_gains(sets: Sequence[ParentSets], network: ScoredDag) -> NDArray[np.float64]:
    """Return by how much the score falls for each edge that is left out and not replaced.

    Edges that knowledge requires are not among them.
    """
    falls = []
    for one, parents in zip(sets, network.parents, strict=True):
        for parent in parents:
            fall = _fall(one, parents, [v for v in parents if v != parent])
            if fall is not None:
                falls.append(fall)
    return np.array(falls, dtype=np.float64)


def edge_margins(sets: Sequence[ParentSets], network: ScoredDag) -> dict[Pair, float]:
    """Return by how much the score falls for each directed edge, parent first, that is left out.

    Any other candidates that do not come after the child may take the parent's place. Where a
    near-duplicate of the parent would do as well, the margin is small. Infinite: the edge is
    required.
    """
    descendants = descendants_as_bits(network.order, children_of(network.parents))
    margins = {}
    for child, (one, parents) in enumerate(zip(sets, network.parents, strict=True)):
        for parent in parents:
            others = [v for v in one.candidates if v != parent and not descendants[child] >> v & 1]
            fall = _fall(one, parents, others, shared=False)
            margins[parent, child] = np.inf if fall is None else fall
    return margins


def _fall(
    sets: ParentSets, parents: Sequence[int], others: Sequence[int], *, shared: bool = True
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
