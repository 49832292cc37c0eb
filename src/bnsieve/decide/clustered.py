"""Scores for dependent rows of entities: `ClusteredScorer`, which wraps another scorer.

In: a `ParentSetScorer`, and the similarity of the rows of one entity. Out: the same interface.
Chance makes a likelihood ratio larger than in independent rows by the design effect d of its
variables (`bnsieve.counts.Dependence`), as if n / d independent rows were counted d times. So a
parameter costs d / 2 times the logarithm of n / d, and a parent costs d times as much as usual: the
information criterion for composite likelihoods (Gao and Song 2010), with the effective rows of each
parameter (Jones 2011).

In a table of counts, a parameter belongs to a state of the child and to states of one or several
parents. Products of states are less alike within entities than the states themselves: if the
parents are independent, the correlation of a product is the product of the correlations. The sum
over all parameters is the number of parameters in a smaller table, in which a variable of k states
and intraclass correlation r has 1 + (k - 1) r states. Markov equivalent graphs have equal costs, as
they have under BIC.

Two things are known better once there is more than a pair of variables. What the parents leave
unexplained of a variable may be less alike within entities than the variable is: then its further
parents cost less. And variables that are constant within entities can be drawn before all others,
once for each entity. Their parents are then constant too, and `EntityRows` scores them in one row
of each entity, without any loss. Both hold for edges only. Directions are compared at costs that
are equal for equivalent graphs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import Dependence
from bnsieve.decide.information import Information
from bnsieve.decide.scorers import (
    CountScorer,
    CovarianceScorer,
    DirectionScores,
    Parents,
    ParentSetScorer,
)
from bnsieve.decide.scores import ParentSets
from bnsieve.engine import Map
from bnsieve.knowledge import Constraints
from bnsieve.sieve import Candidates

Floats = NDArray[np.float64]

# A correlation for which the price of a parameter is exact, beside 0 and 1.
_MIDDLE = 0.25


@dataclass(frozen=True, eq=False)
class EntityRows:
    """Scores of the variables that are constant within entities, in one row of each entity.

    Attributes
    ----------
    scorer : CountScorer or CovarianceScorer
        Of all variables; asked about the constant ones among each other only.
    is_constant : ndarray of bool, shape (n_variables,)
    """

    scorer: CountScorer | CovarianceScorer
    is_constant: NDArray[np.bool_]

    def order(self, constraints: Constraints) -> Constraints:
        """Return constraints under which constant variables have constant parents only."""
        allowed = constraints.allowed & (self.is_constant[:, np.newaxis] | ~self.is_constant)
        return replace(constraints, allowed=allowed, restricts=True)

    def at_cost(self, parent_cost: float) -> "EntityRows":
        """Return the same with another cost of a parent."""
        return replace(self, scorer=self.scorer.at_cost(parent_cost))


class ClusteredScorer(ParentSetScorer):
    """Scores of another scorer, minus the cost of dependent rows.

    Scores are divided by the mean design effect of all pairs, so that a nat means about the same as
    in independent rows.

    Parameters
    ----------
    base : CountScorer or CovarianceScorer
    dependence : Dependence
        The dependence of all rows that the scores come from.
    rate : float, optional
        The cost of a parameter, per design effect. Half the logarithm of its effective rows if not
        given.
    unexplained : ndarray of float64, shape (n_variables,), optional
        The intraclass correlation of what parents leave of each variable. That of the variable
        itself if not given.
    entity_rows : EntityRows, optional
        Where some variables are constant within entities. Then these come before the others.
    """

    def __init__(
        self,
        base: CountScorer | CovarianceScorer,
        dependence: Dependence,
        rate: float | None = None,
        *,
        unexplained: Floats | None = None,
        entity_rows: EntityRows | None = None,
    ) -> None:
        self.base, self.dependence = base, dependence
        self.score, self.constraints = base.score, base.constraints
        self._entity_rows = entity_rows
        self._unexplained = dependence.correlations if unexplained is None else unexplained
        if entity_rows is not None:
            self.constraints = entity_rows.order(base.constraints)
        self.max_parents = base.max_parents
        self.is_sample, self.counted = base.is_sample, base.counted
        self._effects = dependence.design_effects()
        off = ~np.eye(len(self._effects), dtype=bool)
        self.mean_effect = float(self._effects[off].mean()) if off.any() else 1.0
        self._rate = rate
        self._price = _price(dependence) if rate is None else (rate * dependence.rows_beside, 0.0)

    @property
    def has_interactions(self) -> bool:  # type: ignore[override]
        """Whether parents can matter jointly under the score."""
        return self.base.has_interactions

    @property
    def has_cheap_candidates(self) -> bool:  # type: ignore[override]
        """Whether scoring takes little time for any number of candidates."""
        return self.base.has_cheap_candidates

    @cached_property
    def _sizes(self) -> Floats:
        """The number of free parameters of each variable."""
        if isinstance(self.base, CovarianceScorer):
            return self.base.covariance.sizes.astype(np.float64)
        return (self.dependence.n_states - 1).astype(np.float64)

    def _alike(self, power: int) -> Floats:
        """Return the free parameters of each variable, times a power of its correlation."""
        alike: Floats = self._sizes * self.dependence.correlations**power
        return alike

    def _entity_scorer(self, target: int) -> CountScorer | CovarianceScorer | None:
        """Return what scores a variable that is constant within entities, and None for others."""
        rows = self._entity_rows
        return rows.scorer if rows is not None and rows.is_constant[target] else None

    @property
    def _entity_weight(self) -> float:
        """The value of a nat of one row per entity: each stands for all rows of its entity."""
        return (1.0 + self.dependence.rows_beside) / self.mean_effect

    def _weights(self, members: NDArray[np.bool_], among: Sequence[int], power: int) -> Floats:
        """Return the parameters of sets of variables, times a power of their correlations.

        Parameters
        ----------
        members : ndarray of bool, shape (n_sets, n_among)
        among : sequence of int
        power : int
        """
        own = self._alike(power)[list(among)]
        weights: Floats
        if isinstance(self.base, CovarianceScorer):
            weights = members @ own
        else:
            weights = np.prod(np.where(members, 1.0 + own, 1.0), axis=1) - 1.0
        return weights

    def _cost(
        self, target: int, members: NDArray[np.bool_], among: Sequence[int], alike: Floats
    ) -> Floats:
        """Return how much more the parameters of each set cost than in independent rows.

        By the correlations of the variables themselves, equivalent graphs cost the same.
        """
        cost = np.zeros(len(members))
        for power, price in enumerate(self._price, 1):
            own = float(self._sizes[target] * alike[target] ** power)
            cost += price * own * self._weights(members, among, power)
        return cost

    def _parents_cost(self, target: int) -> Floats:
        """Return how much more each variable costs as a parent than in independent rows."""
        alike = self._unexplained[target] * self.dependence.correlations
        cost: Floats = self.score.parent_cost * self.dependence.rows_beside * alike
        return cost

    def parent_sets(
        self, candidates: Candidates, run: Map, parents: Parents | None = None
    ) -> list[ParentSets]:
        """Score sets of the candidates of all variables, and keep the scores."""
        scored = self.base.parent_sets(candidates, run, parents)
        adjusted = [self._adjusted(target, sets) for target, sets in enumerate(scored)]
        if self._entity_rows is None:
            return adjusted
        of_entities = self._entity_rows.scorer.parent_sets(candidates, run, parents)
        return [
            own if self._entity_scorer(target) is None else self._weighted(of_entities[target])
            for target, own in enumerate(adjusted)
        ]

    def score_sets(
        self,
        target: int,
        candidates: tuple[int, ...],
        centre: Sequence[int],
        known: ParentSets | None,
    ) -> ParentSets:
        """Score sets of a variable's candidates, and the sets near a centre."""
        of_entities = self._entity_scorer(target)
        if of_entities is not None:
            return self._weighted(of_entities.score_sets(target, candidates, centre, None))
        return self._adjusted(target, self.base.score_sets(target, candidates, centre, None))

    def _weighted(self, sets: ParentSets) -> ParentSets:
        return replace(sets, scores=sets.scores * self._entity_weight)

    def _adjusted(self, target: int, sets: ParentSets) -> ParentSets:
        members = _members(sets)
        cost = self._cost(target, members, sets.candidates, self._unexplained)
        cost += members @ self._parents_cost(target)[list(sets.candidates)]
        return _pruned(replace(sets, scores=(sets.scores - cost) / self.mean_effect))

    def gains(
        self,
        target: int,
        parents: tuple[int, ...],
        more: tuple[int, ...] = (),
        among: Sequence[int] | None = None,
    ) -> Floats:
        """Return how much each variable would raise the score as one more parent."""
        of_entities = self._entity_scorer(target)
        if of_entities is not None:
            gains = of_entities.gains(target, parents, more, among) * self._entity_weight
            return np.where(self.constraints.allowed[:, target], gains, -np.inf)
        gains = self.base.gains(target, parents, more, among)
        given = (*parents, *more)
        cost = self._parents_cost(target)
        for power, price in enumerate(self._price, 1):
            alike = self._alike(power)
            each = price * self._sizes[target] * self._unexplained[target] ** power * alike
            if not isinstance(self.base, CovarianceScorer):
                each *= float(np.prod(1.0 + alike[list(given)]))
            cost += each
        adjusted: Floats = gains - cost
        return adjusted / self.mean_effect

    def information(self, target: int, parents: Sequence[int]) -> list[Information]:
        """Return the information of each parent given the others, in effective rows."""
        return [
            own._replace(n_rows=own.n_rows / float(self._effects[target, parent]))
            for own, parent in zip(self.base.information(target, parents), parents, strict=True)
        ]

    def at_cost(self, parent_cost: float) -> "ClusteredScorer":
        """Return a scorer of the same rows with another cost of a parent."""
        rows = None if self._entity_rows is None else self._entity_rows.at_cost(parent_cost)
        base = self.base.at_cost(parent_cost)
        return self._of(base, self.dependence, self._rate, rows)

    def unordered(self) -> "ClusteredScorer":
        """Return a scorer in which constant variables may follow others: for directions."""
        return self._of(self.base, self.dependence, self._rate, None)

    def _of(
        self,
        base: CountScorer | CovarianceScorer,
        dependence: Dependence,
        rate: float | None,
        entity_rows: EntityRows | None,
    ) -> "ClusteredScorer":
        return ClusteredScorer(
            base, dependence, rate, unexplained=self._unexplained, entity_rows=entity_rows
        )

    def direction_scores(
        self, parents: Parents, neighbours: Parents, fixed: Parents, max_parents: int, run: Map
    ) -> DirectionScores:
        """Score the sets of neighbours that could be parents, minus the cost of parameters."""
        found = self.base.direction_scores(parents, neighbours, fixed, max_parents, run)
        costs = [
            self._cost(target, _members(sets), sets.candidates, self.dependence.correlations)
            for target, sets in enumerate(found.sets)
        ]
        # More than directions can save on parameters, so that every edge is kept.
        bonus = float(sum(own.max(initial=0.0) for own in costs))
        adjusted = [
            _sorted(
                replace(
                    sets,
                    scores=(sets.scores - cost + bonus * np.bitwise_count(sets.masks))
                    / self.mean_effect,
                )
            )
            for sets, cost in zip(found.sets, costs, strict=True)
        ]
        edge_bonus = (found.edge_bonus + bonus) / self.mean_effect
        return replace(found, sets=adjusted, edge_bonus=edge_bonus)

    def covers(self, target: int, parent: int) -> bool:
        """Tell whether `parent` can be scored as a parent of `target`."""
        return self.base.covers(target, parent)

    def informative(self) -> ParentSetScorer:
        """Return a scorer whose gains rank candidates by information, in all available rows."""
        base = self.base.informative()
        assert isinstance(base, CountScorer | CovarianceScorer)
        # In independent rows, chance alone adds half a nat per parameter.
        return self._of(base, self.dependence, 0.5, None)

    def count_all(self, candidates: Candidates) -> tuple[ParentSetScorer, Candidates]:
        """Return a scorer of all rows, and the candidates that it can score."""
        base, taken = self.base.count_all(candidates)
        assert isinstance(base, CountScorer | CovarianceScorer)
        n_rows = self.dependence.n_rows
        if isinstance(base, CountScorer) and base.source is not None:
            n_rows = base.source.n_rows
        return self._of(base, self.dependence.in_all_rows(n_rows), None, None), taken

    def in_nats(self, a: int, b: int) -> float:
        """Return the number of nats of independent rows that equal one nat of this score."""
        return self.mean_effect / float(self._effects[a, b])


def _price(dependence: Dependence) -> tuple[float, float]:
    """Return how much more a parameter costs than in independent rows.

    The two numbers are factors of its correlation and of the square of it. The cost with a design
    effect d is d / 2 times the logarithm of n / d. A quadratic function of the correlation that
    meets this curve at three points differs from it by a few percent, and gives Markov equivalent
    graphs equal costs.
    """

    def beyond(correlation: float) -> float:
        effect = 1.0 + dependence.rows_beside * correlation
        n_effective = max(dependence.n_rows / effect, 2.0)
        return 0.5 * float(effect * np.log(n_effective) - np.log(max(dependence.n_rows, 2)))

    middle, end = beyond(_MIDDLE), beyond(1.0)
    square = (middle / _MIDDLE - end) / (_MIDDLE - 1.0)
    return end - square, square


def _members(sets: ParentSets) -> NDArray[np.bool_]:
    places = np.arange(len(sets.candidates), dtype=np.uint32)
    members: NDArray[np.bool_] = (sets.masks[:, np.newaxis] >> places & 1).astype(bool)
    return members


def _sorted(sets: ParentSets) -> ParentSets:
    order = np.lexsort((sets.masks, -sets.scores))
    return ParentSets(sets.candidates, sets.masks[order], sets.scores[order])


def _pruned(sets: ParentSets) -> ParentSets:
    """Return the sets in order, without those that have a subset of at least their score."""
    ordered = _sorted(sets)
    kept = np.zeros(len(ordered.masks), dtype=bool)
    for place, mask in enumerate(ordered.masks):
        kept[place] = not ((ordered.masks[:place][kept[:place]] & ~mask) == 0).any()
    return ParentSets(ordered.candidates, ordered.masks[kept], ordered.scores[kept])
