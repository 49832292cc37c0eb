"""The stage that measures the effect of each edge, and leaves out edges too small to matter.

In: a skeleton with directions, and the scorer of its parent sets. Out: the same without edges whose
effect is clearly below a limit, the effects of the edges left out, and the effects of the others.

With numeric variables and very many rows, everything is significant, even small errors of the
model. An edge is left out only if the upper end of its interval is below the limit.

The search scores a covariance as if all columns were normal. About a category, such a score can
find more nats than the category has. It is close enough to compare small effects with a limit, but
the effects to show are measured by probabilities of categories.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import category_counts, count
from bnsieve.decide import (
    AdditiveLogits,
    ClusteredScorer,
    CovarianceScorer,
    Information,
    Knots,
    ParentSetScorer,
    counted_information,
)
from bnsieve.engine import Map
from bnsieve.explain import EdgeEffect
from bnsieve.knowledge import Constraints
from bnsieve.learners.refining import test_columns, within_range
from bnsieve.search import Pair, Skeleton
from bnsieve.table import Floats, Table, some_rows

# The default of `TsetlinSieve.min_effect`: a correlation of 0.01, which explains a ten thousandth
# of the variance. Of two groups of equal size, means then differ by a fiftieth of a standard
# deviation, a tenth of what is called a small difference (Cohen, 1988).
MIN_EFFECT = 1e-4

# A CPT of several parents needs so many rows per cell. With fewer, effects on log odds are added.
_ROWS_PER_CELL = 10
# More rows take more time and hardly narrow the interval of a logistic regression.
_MOST_ROWS = 10_000
# More knots take more time, too.
_KNOTS = Knots(by_score=(4,), by_value=())


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
        """Return the effect of each parent of a variable given the others, as the score sees it."""
        return self._effects(head, parents, self._scorer.information(head, parents))

    def measured(self, head: int, parents: Sequence[int]) -> dict[int, EdgeEffect]:
        """Return the same, by probabilities if the variable is categorical."""
        if not parents or head in self._table.numbers or not self._is_by_covariance:
            return self.of(head, parents)
        told = self._of_categories(head, parents)
        if isinstance(self._scorer, ClusteredScorer):
            told = [
                own._replace(n_rows=own.n_rows / float(self._design_effects[head, parent]))
                for own, parent in zip(told, parents, strict=True)
            ]
        return self._effects(head, parents, told)

    def of_all(self, skeleton: Skeleton, run: Map) -> dict[Pair, EdgeEffect]:
        """Return the measured effect of each directed edge of a skeleton."""
        parents, heads = parents_of(skeleton), range(skeleton.n_variables)
        found = run(lambda head: self.measured(head, parents[head]), heads)
        return {
            (tail, head): effect
            for head, effects in zip(heads, found, strict=True)
            for tail, effect in effects.items()
        }

    def _effects(
        self, head: int, parents: Sequence[int], told: Sequence[Information]
    ) -> dict[int, EdgeEffect]:
        entropy = self._entropy(head)
        return {
            parent: EdgeEffect.of(own.nats, own.df, own.n_rows, entropy)
            for parent, own in zip(parents, told, strict=True)
        }

    @property
    def _is_by_covariance(self) -> bool:
        scorer = self._scorer
        base = scorer.base if isinstance(scorer, ClusteredScorer) else scorer
        return isinstance(base, CovarianceScorer)

    @cached_property
    def _design_effects(self) -> Floats:
        assert isinstance(self._scorer, ClusteredScorer)
        return self._scorer.dependence.design_effects()

    def _of_categories(self, head: int, parents: Sequence[int]) -> list[Information]:
        """Return the information about a category, by a CPT or by a logistic regression."""
        family = (*parents, head)
        if self._has_cpt(family):
            joint = count(self._table, family)
            orders = [(*(v for v in parents if v != own), own, head) for own in parents]
            return [counted_information(joint.marginal(order)) for order in orders]
        columns = [self._columns[v] for v in family]
        known = np.logical_and.reduce(
            [~np.isnan(one) if one.dtype.kind == "f" else one >= 0 for one in columns]
        )
        if not known.any():  # the interval then holds every value
            return [Information(0.0, 0.0, 1.0) for _ in parents]
        logits = AdditiveLogits([one[known] for one in columns], _KNOTS)
        return logits.information(len(parents), range(len(parents)))

    def _has_cpt(self, family: Sequence[int]) -> bool:
        """Tell whether all of a family are categorical, with enough rows for its CPT."""
        table = self._table
        if any(v in table.numbers for v in family):
            return False
        n_cells = math.prod(int(table.n_categories[v]) for v in family)
        return len(family) == 2 or _ROWS_PER_CELL * n_cells <= table.n_rows

    @cached_property
    def _columns(self) -> list[NDArray[np.float64] | NDArray[np.integer]]:
        rows = some_rows(self._table, _MOST_ROWS, 0)
        numbers = [rows.names[v] for v in rows.numbers]
        return [within_range(column) for column in test_columns(rows, numbers)]

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
