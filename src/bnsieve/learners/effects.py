"""The stage that measures the effect of each edge, and leaves out edges too small to matter.

In: a skeleton with directions, and the scorer of its parent sets. Out: the same without edges whose
effect is clearly below a limit, the effects of the edges left out, and the effects of the others.

With numeric variables and very many rows, everything is significant, even small errors of the
model. An edge is left out only if the upper end of its interval is below the limit.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bnsieve.counts import category_counts
from bnsieve.decide import ParentSetScorer
from bnsieve.engine import Map
from bnsieve.explain import EdgeEffect
from bnsieve.knowledge import Constraints
from bnsieve.search import Pair, Skeleton
from bnsieve.table import Table

# The default of `TsetlinSieve.min_effect`: a correlation of 0.01, which explains a ten thousandth
# of the variance. Of two groups of equal size, means then differ by a fiftieth of a standard
# deviation, a tenth of what is called a small difference (Cohen, 1988).
MIN_EFFECT = 1e-4


class EffectSizes:
    """The effects of parents on their children.

    Parameters
    ----------
    scorer : ParentSetScorer
    table : Table
        Of the same variables.
    """

    def __init__(self, scorer: ParentSetScorer, table: Table) -> None:
        self._scorer, self._table = scorer, table

    def of(self, head: int, parents: Sequence[int]) -> dict[int, EdgeEffect]:
        """Return the effect of each parent of a variable given the others."""
        entropy, told = self._entropy(head), self._scorer.information(head, parents)
        return {
            parent: EdgeEffect.of(own.nats, own.df, own.n_rows, entropy)
            for parent, own in zip(parents, told, strict=True)
        }

    def of_all(self, skeleton: Skeleton, run: Map) -> dict[Pair, EdgeEffect]:
        """Return the effect of each directed edge of a skeleton."""
        parents, heads = parents_of(skeleton), range(skeleton.n_variables)
        found = run(lambda head: self.of(head, parents[head]), heads)
        return {
            (tail, head): effect
            for head, effects in zip(heads, found, strict=True)
            for tail, effect in effects.items()
        }

    def _entropy(self, v: int) -> float | None:
        if v in self._table.numbers:
            return None
        counted = self._scorer.counted
        if counted is None:
            counts = category_counts(self._table, v)
        else:
            counts = counted[v].marginal((v,)).complete().counts
        shares = counts[counts > 0] / counts.sum()
        return float(-(shares * np.log(shares)).sum())


def without_small_effects(
    skeleton: Skeleton,
    sizes: EffectSizes,
    min_effect: float,
    constraints: Constraints,
    run: Map,
) -> tuple[Skeleton, dict[Pair, EdgeEffect]]:
    """Leave out edges that clearly explain less than a share; also return their effects.

    The edges of a variable are removed one at a time, the smallest first, because the effects of
    the others may then grow.

    Parameters
    ----------
    skeleton : Skeleton
        With directions.
    sizes : EffectSizes
    min_effect : float
    constraints : Constraints
        Required edges stay.
    run : Map
        Distributes the variables over threads.
    """
    if min_effect == 0:
        return skeleton, {}
    parents = parents_of(skeleton)

    def small_parents(head: int) -> dict[int, EdgeEffect]:
        left, found = list(parents[head]), dict[int, EdgeEffect]()
        required = constraints.required_parents(head)
        while left:
            effects = sizes.of(head, left)
            small = [v for v in left if effects[v].share_high < min_effect and v not in required]
            if not small:
                break
            smallest = min(small, key=lambda v: effects[v].nats)
            found[smallest] = effects[smallest]
            left.remove(smallest)
        return found

    heads = range(skeleton.n_variables)
    left_out = {
        (tail, head): effect
        for head, found in zip(heads, run(small_parents, heads), strict=True)
        for tail, effect in found.items()
    }
    arrows = tuple(edge for edge in skeleton.directed_edges or () if edge not in left_out)
    gone = {frozenset(edge) for edge in left_out}
    edges = tuple(edge for edge in skeleton.edges if frozenset(edge) not in gone)
    return replace(skeleton, edges=edges, directed_edges=arrows), left_out


def parents_of(skeleton: Skeleton) -> list[list[int]]:
    """Return the parents of each variable."""
    parents: list[list[int]] = [[] for _ in range(skeleton.n_variables)]
    for parent, child in skeleton.directed_edges or ():
        parents[child].append(parent)
    return parents
