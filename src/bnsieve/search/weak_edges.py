"""What an edge should cost where many edges are weak, as the edges found suggest.

By default a parent costs the logarithm of the number of columns: among all pairs of columns, about
one in as many is joined. It says nothing about how strongly. Where all edges that were found are
far stronger than they need be, one that hardly pays is a chance association. Where they crowd just
above the cost, there must be others just below it. So their density there is compared with that of
chance associations, which is known, and the cost put where the two are alike.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from bnsieve.counts import Covariance
from bnsieve.decide import ParentSets
from bnsieve.search.edge_worth import worth_of_edges
from bnsieve.search.order import ScoredDag

# In nats above the cost: there edges are counted.
_NEAR = 10.0
# A search takes the best of several parent sets, so that chance has more than one try at each pair.
_TRIES = 3.0
_STEPS = 200


def cost_by_density(
    covariance: Covariance, sets: Sequence[ParentSets], network: ScoredDag, cost: float
) -> float:
    """Return what a parent should cost: as it did in the search, or less.

    Parameters
    ----------
    covariance : Covariance
        Which the sets were scored from.
    sets : sequence of ParentSets
        Among which the network was found.
    network : ScoredDag
    cost : float
        What a parent cost in that search.
    """
    worth = worth_of_edges(sets, network) + cost
    near = np.count_nonzero(worth < cost + _NEAR)
    # Half an edge, where there is none: not to see any is no proof.
    density = (near + 0.5) / _NEAR
    costs = np.linspace(cost, 0.0, _STEPS)
    chance = _TRIES * _chance_density(covariance, costs)
    rarer = np.flatnonzero(chance > density)
    return float(costs[max(0, int(rarer[0]) - 1)]) if len(rarer) else 0.0


def _chance_density(covariance: Covariance, worth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many pairs of independent columns would be worth about so much, per nat."""
    sizes = covariance.sizes
    free, pairs = np.unique(
        np.outer(sizes, sizes)[np.triu_indices(len(sizes), 1)], return_counts=True
    )
    found = np.zeros_like(worth)
    for n_free, n_pairs in zip(free.tolist(), pairs.tolist(), strict=True):
        told = worth + 0.5 * np.log(max(covariance.n_rows, 2.0)) * n_free
        found += n_pairs * 2 * chi2.pdf(2 * told, n_free)
    return found
