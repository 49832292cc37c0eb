"""Find edges that are too weak for the rows that the score counts, in all rows.

In: the result of a search, with the covariance of more rows than the score counts. Out: the same
with more edges. The score counts fewer rows, because its sums of functions do not fit exactly, and
with more rows the misfit would be significant. An edge does not rely on these functions if its ends
share little information with each other's neighbours. Suppose that two variables are independent
given the neighbours of one. Then they share at most as much information as these neighbours share
with the other variable (the data processing inequality).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import MOST_SCORED_ROWS, Covariance
from bnsieve.decide import (
    ChosenParents,
    CovarianceScorer,
    covariance_information,
    score_covariance_additions,
)
from bnsieve.explain import EdgeEffect
from bnsieve.graph import children_of, descendants_as_bits, topological_order
from bnsieve.learners.effects import EffectSizes
from bnsieve.learners.refining import with_parents
from bnsieve.search import NetworkSearchResult

# A margin of safety: the functions may miss some of the information that neighbours share.
_TIMES_PASSED_ON = 2.0


def add_weak_parents(
    result: NetworkSearchResult, sizes: EffectSizes, min_effect: float
) -> NetworkSearchResult:
    """Add edges that improve the score in all rows, and that no neighbours explain.

    Parameters
    ----------
    result : NetworkSearchResult
        Returned unchanged without a covariance, or if the score counts all rows.
    sizes : EffectSizes
    min_effect : float
        Edges that explain a smaller share are not added.
    """
    scorer = result.scorer
    if not isinstance(scorer, CovarianceScorer):
        return result
    covariance, cost = scorer.covariance, scorer.score.parent_cost
    if covariance.n_summed <= MOST_SCORED_ROWS:
        return result
    in_all_rows = replace(covariance, n_rows=covariance.n_summed)
    parents = [list(own) for own in result.network.parents]
    new: list[dict[int, float]] = [{} for _ in parents]

    def gains(head: int) -> NDArray[np.float64]:
        return score_covariance_additions(in_all_rows, head, parents[head], cost)

    def neighbours(v: int) -> list[int]:
        return sorted({*parents[v], *(child for child, own in enumerate(parents) if v in own)})

    ranked = sorted(
        (-float(gain), tail, head)
        for head in range(len(parents))
        for tail, gain in enumerate(gains(head))
        if gain > 0 and tail != head and scorer.constraints.allowed[tail, head]
    )
    for _, tail, head in ranked:
        near_tail, near_head = neighbours(tail), neighbours(head)
        if tail in near_head or len(parents[head]) >= scorer.max_parents:
            continue
        children = children_of(parents)
        below = descendants_as_bits(topological_order(parents, children), children)[head]
        if below >> tail & 1:
            continue
        gain = float(gains(head)[tail])
        effect = sizes.of(head, [*parents[head], tail])[tail]
        passed_on = max(
            _effect(covariance, tail, near_head).nats_high,
            _effect(covariance, head, near_tail).nats_high,
        )
        if gain <= 0 or effect.nats_low <= _TIMES_PASSED_ON * passed_on:
            continue
        if effect.share < min_effect:
            continue
        parents[head].append(tail)
        new[head][tail] = gain
    chosen = [ChosenParents(tuple(own), added) for own, added in zip(parents, new, strict=True)]
    return with_parents(result, scorer, chosen) if any(new) else result


def _effect(covariance: Covariance, v: int, others: Sequence[int]) -> EdgeEffect:
    """Return what some variables together tell of another, were all columns normal."""
    told = [
        covariance_information(covariance, v, other, others[:i]) for i, other in enumerate(others)
    ]
    nats, df = sum(one.nats for one in told), sum(one.df for one in told)
    return EdgeEffect.of(nats, df, covariance.n_summed, None)
