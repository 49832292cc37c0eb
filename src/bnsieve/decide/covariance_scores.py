"""Scores of parent sets from one covariance matrix of all columns.

In: a `bnsieve.counts.Covariance`. Out: `ParentSets`, as `bnsieve.decide.scores` gives. The score
of a set is the log-likelihood that it adds to a normal distribution of the target's block, less
half the logarithm of the rows for each product of a column of the target with one of the parents
(BIC), less what each parent costs. That of no parents is zero. Markov equivalent graphs score
alike.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.counts import Covariance
from bnsieve.decide.scores import ParentSets


def score_covariance_sets(
    covariance: Covariance,
    target: int,
    candidates: Sequence[int],
    *,
    parent_cost: float,
    complete_size: int,
    max_size: int,
    width: int,
    required: Sequence[int] = (),
    centre: Sequence[int] = (),
    known: ParentSets | None = None,
) -> ParentSets:
    """Score the sets of candidates of a variable.

    Parameters
    ----------
    covariance : Covariance
    target : int
    candidates : sequence of int
        At most 32.
    parent_cost : float
    complete_size, max_size, width, required, centre, known
        As for `bnsieve.decide.score_parent_sets`.
    """
    masks, scores = _native.score_covariance_sets(
        covariance.matrix,
        covariance.first,
        np.array([target, *candidates], dtype=np.int64),
        covariance.n_rows,
        _penalty(covariance),
        parent_cost,
        complete_size,
        max(complete_size, max_size),
        width,
        sum(1 << candidates.index(v) for v in required),
        sum(1 << candidates.index(v) for v in centre),
        None if known is None else (known.masks, known.scores),
    )
    return ParentSets(tuple(candidates), masks, scores)


def score_covariance_additions(
    covariance: Covariance, target: int, parents: Sequence[int], parent_cost: float
) -> NDArray[np.float64]:
    """Return what adding each variable to a target's parents would gain; zero for those in it."""
    return _native.score_covariance_additions(
        covariance.matrix,
        covariance.first,
        np.array([target, *parents], dtype=np.int64),
        covariance.n_rows,
        _penalty(covariance),
        parent_cost,
    )


def score_covariance_family(
    covariance: Covariance, target: int, parents: Sequence[int], parent_cost: float = 0.0
) -> float:
    """Return the score of one parent set."""
    sets = score_covariance_sets(
        covariance,
        target,
        parents,
        parent_cost=parent_cost,
        complete_size=0,
        max_size=0,
        width=1,
        required=parents,
    )
    return float(sets.scores[0])


def _penalty(covariance: Covariance) -> float:
    return 0.5 * float(np.log(max(covariance.n_rows, 2.0)))
