"""Parent sets, and what would add to them, from one covariance matrix of all columns.

What `ScoredSets` and `Additions` are for counts, these are where columns of numbers stay numbers.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import Covariance, JointCounts
from bnsieve.decide import ParentSets, score_covariance_additions, score_covariance_sets
from bnsieve.engine import Map
from bnsieve.knowledge import Constraints
from bnsieve.search.order import ScoredDag
from bnsieve.sieve import Candidates

# All sets up to the first size are scored, and of larger ones so many of each size grown. It takes
# less time than from counts, and with a third of the width one true network in sixty was missed.
_COMPLETE_SIZE = 3
_WIDTH = 60


class CovarianceSets:
    """The parent sets of every variable, scored from a covariance.

    Parameters
    ----------
    covariance : Covariance
    parent_cost : float
    max_parents : int
        Largest parent set.
    run : Map
        Spreads the variables over threads.
    required : sequence of sequences of int
        For every variable the candidates that all its sets hold.
    """

    def __init__(
        self,
        covariance: Covariance,
        parent_cost: float,
        max_parents: int,
        run: Map,
        required: Sequence[Sequence[int]],
    ) -> None:
        self._covariance = covariance
        self._parent_cost = parent_cost
        self._max_parents = max_parents
        self._run = run
        self._required = required
        self._known: dict[int, ParentSets] = {}

    def of(
        self,
        candidates: Candidates,
        near: ScoredDag | None,
        counted: Sequence[JointCounts] | None = None,
    ) -> list[ParentSets]:
        """Score the sets of all variables; those whose candidates are as before, only near them.

        The sets of a network already found are among the scored. Counts have no say: a covariance
        is of all rows.
        """

        def score_target(item: tuple[int, tuple[int, ...]]) -> ParentSets:
            target, chosen = item
            known = self._known.get(target)
            if known is not None and set(known.candidates) == set(chosen):
                chosen = known.candidates
            else:
                known = None
            parents = () if near is None else near.parents[target]
            return score_covariance_sets(
                self._covariance,
                target,
                chosen,
                parent_cost=self._parent_cost,
                complete_size=_COMPLETE_SIZE if known is None else 0,
                max_size=self._max_parents if known is None else 0,
                width=_WIDTH,
                required=self._required[target],
                centre=[v for v in parents if v in chosen],
                known=known,
            )

        scored = list(self._run(score_target, enumerate(candidates)))
        self._known = dict(enumerate(scored))
        return scored


class CovarianceAdditions:
    """Ranks what would add to a variable's parents."""

    def __init__(
        self, covariance: Covariance, parent_cost: float, constraints: Constraints
    ) -> None:
        self._covariance = covariance
        self._parent_cost = parent_cost
        self._constraints = constraints

    def to(self, target: int, parents: tuple[int, ...]) -> list[int]:
        """Return the variables that raise the score as one more parent, best first."""
        gains = score_covariance_additions(self._covariance, target, parents, self._parent_cost)
        gains[~self._constraints.allowed[:, target]] = 0.0
        return [int(v) for v in np.argsort(-gains, kind="stable") if gains[v] > 0]


def pair_excess(covariance: Covariance) -> NDArray[np.float64]:
    """Return how strongly each two variables go together: as `Associations.excess`, of pairs.

    Twice the log-likelihood that one adds to the other, less its degrees of freedom.
    """
    n_variables = covariance.n_variables
    free = np.outer(covariance.sizes, covariance.sizes).astype(np.float64)
    penalty = 0.5 * np.log(max(covariance.n_rows, 2.0))
    gains = np.array(
        [score_covariance_additions(covariance, v, (), 0.0) for v in range(n_variables)]
    )
    excess: NDArray[np.float64] = 2 * (gains + penalty * free) - free
    np.fill_diagonal(excess, 0.0)
    return excess
