"""The interface of scores: `ParentSetScorer`, which a search calls to score parent sets.

In: candidates of every variable. Out: scored parent sets, gains of additional parents, scores for
directions. A search uses `ParentSetScorer` only. `CountScorer` scores by joint counts,
`CovarianceScorer` by one covariance matrix. A new kind of score is one more class here.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from bnsieve.counts import CountSource, Covariance, JointCounts, count, count_candidates
from bnsieve.decide.information import (
    Information,
    counted_information,
    covariance_information,
)
from bnsieve.decide.scores import (
    ParentSets,
    Score,
    SetSearch,
    score_additions,
    score_covariance_additions,
    score_covariance_family,
    score_covariance_sets,
    score_family,
    score_parent_sets,
)
from bnsieve.engine import Map, tallied
from bnsieve.knowledge import Constraints
from bnsieve.sieve import Candidates
from bnsieve.table import Codes, Table

Floats = NDArray[np.float64]
# The parents of every variable.
Parents = Sequence[Sequence[int]]

# From counts: all sets up to the first size are scored, and of larger ones so many of each size are
# grown. Among the foremost candidates all sets of one member more are scored, so that three parents
# that tell nothing in pairs are found.
COMPLETE_SIZE, N_FOREMOST, WIDTH = 2, 8, 20
# The largest number of parents by default. A covariance is cheap to score, and counts get thin.
MOST_PARENTS, MOST_NUMERIC_PARENTS = 8, 16
# From a covariance it takes less time; with a third of this width, one true network in sixty was
# missed.
_COVARIANCE_COMPLETE_SIZE, _COVARIANCE_WIDTH = 3, 60
# A variable has no more parents than one for so many rows.
_ROWS_PER_PARENT = 4
# Of the sets of neighbours that compete for an edge's direction.
_DIRECTION_COMPLETE_SIZE, _DIRECTION_WIDTH = 3, 20
# Equivalent sample sizes that are tried for the whole graph.
SIZES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
# Which directions are best far from those that the search found can depend on the sample size. They
# are taken only if this score, equivalent too and without a sample size, prefers them as well.
_SECOND = Score("qnml")


@dataclass(frozen=True, eq=False)
class DirectionScores:
    """Parent sets scored for directions: Markov equivalent graphs with the same edges score alike.

    Attributes
    ----------
    score : Score
    sets : list of ParentSets
        The parent sets of every variable, among its neighbours; every parent raises a score by
        `edge_bonus`.
    edge_bonus : float
        More than any choice of directions can gain or lose, so that every edge is kept.
    second : callable or None
        A second equivalent score of a DAG, which must agree with a choice of directions far from
        those given. None if it is not needed.
    """

    score: Score
    sets: list[ParentSets]
    edge_bonus: float
    second: Callable[[Parents], float] | None = None


class ParentSetScorer(ABC):
    """Scores parent sets for a search; variables are given by number.

    A subclass implements `score_sets`, `gains`, `information`, `at_cost` and `direction_scores`.

    Attributes
    ----------
    score : Score
        The score of parent sets, with the cost of a parent.
    constraints : Constraints
        The parents that are allowed and required.
    max_parents : int
    has_interactions : bool
        Whether parents can interact under this score, so that a search for interactions is useful.
    has_cheap_candidates : bool
        Whether scoring takes little time for any number of candidates.
    is_sample : bool
        Whether there are more rows than the scores come from. Then `informative` and `count_all`
        are called.
    counted : list of JointCounts or None
        The counts of each variable with its candidates in all rows, if the scores come from these.
    """

    score: Score
    constraints: Constraints
    max_parents: int
    has_interactions: ClassVar[bool] = True
    has_cheap_candidates: ClassVar[bool] = False
    is_sample: bool = False
    counted: list[JointCounts] | None = None

    @cached_property
    def _last_sets(self) -> dict[int, tuple[ParentSets, set[int]]]:
        """Of each variable: the sets scored last, and around which parents."""
        return {}

    def parent_sets(
        self, candidates: Candidates, run: Map, parents: Parents | None = None
    ) -> list[ParentSets]:
        """Score sets of the candidates of all variables; earlier scores are kept.

        Parameters
        ----------
        candidates : tuple of tuples of int
        run : Map
            Spreads the variables over threads.
        parents : sequence of sequences of int, optional
            The parents in a DAG already found. These sets, and sets near them, are scored too.
        """
        around: Parents = [()] * len(candidates) if parents is None else parents

        def score_target(target: int) -> ParentSets:
            chosen = candidates[target]
            known, centre = self._last_sets.get(target, (None, None))
            if known is not None and set(known.candidates) == set(chosen):
                if centre == set(around[target]):
                    return known
                chosen = known.candidates
            near = [v for v in around[target] if v in chosen]
            return self.score_sets(target, chosen, near, known)

        n_targets = len(candidates)
        scored = list(tallied(run(score_target, range(n_targets)), n_targets, "columns"))
        self._last_sets.update(enumerate(zip(scored, map(set, around), strict=True)))
        return scored

    @abstractmethod
    def score_sets(
        self,
        target: int,
        candidates: tuple[int, ...],
        centre: Sequence[int],
        known: ParentSets | None,
    ) -> ParentSets:
        """Score sets of a variable's candidates, and the sets near a centre.

        The `known` scores of the same variable, with the same or other candidates, may be used.
        """

    @abstractmethod
    def gains(
        self,
        target: int,
        parents: tuple[int, ...],
        more: tuple[int, ...] = (),
        among: Sequence[int] | None = None,
    ) -> Floats:
        """Return by how much each variable would raise the score as one more parent.

        Minus infinity for variables that are parents already or may not be. The answer may be
        remembered for `parents`, but not for those with `more` beside them. With `among`, only
        these variables are of interest.
        """

    @abstractmethod
    def information(self, target: int, parents: Sequence[int]) -> list[Information]:
        """Return the information of each parent about a variable given the others."""

    @abstractmethod
    def at_cost(self, parent_cost: float) -> "ParentSetScorer":
        """Return a scorer of the same data with another cost of a parent."""

    @abstractmethod
    def direction_scores(
        self, parents: Parents, neighbours: Parents, fixed: Parents, max_parents: int, run: Map
    ) -> DirectionScores:
        """Score the sets of neighbours that could be parents.

        Parameters
        ----------
        parents : sequence of sequences of int
            Of a DAG.
        neighbours : sequence of sequences of int
            For every variable, those that may be its parents, its present parents first.
        fixed : sequence of sequences of int
            Those that must be.
        max_parents : int
        run : Map
        """

    def covers(self, target: int, parent: int) -> bool:
        """Tell whether `parent` can be scored as a parent of `target`."""
        return True

    def chance_density(self, gains: Floats) -> Floats | None:
        """Return how many pairs of independent variables are expected to have this gain, per nat.

        None if it is unknown.
        """
        return None

    def in_nats(self, a: int, b: int) -> float:
        """Return the number of nats of independent rows that equal one nat of this score."""
        return 1.0

    def informative(self) -> "ParentSetScorer":
        """Return a scorer whose gains rank candidates by information, in all rows at hand."""
        return self

    def count_all(self, candidates: Candidates) -> tuple["ParentSetScorer", Candidates]:
        """Return a scorer of all rows, and the candidates that it could take."""
        return self, candidates


def ranked_additions(scorer: ParentSetScorer, target: int, parents: tuple[int, ...]) -> list[int]:
    """Return the variables that raise the score as one more parent, best first."""
    gains = scorer.gains(target, parents)
    better = np.flatnonzero(gains > 0)
    ranked: list[int] = better[np.argsort(-gains[better], kind="stable")].tolist()
    return ranked


def joint_gain(
    scorer: ParentSetScorer, target: int, parents: tuple[int, ...], group: tuple[int, ...]
) -> float:
    """Return the score gain of a group beside the parents.

    Minus infinity if one of the group may not be a parent.
    """
    total = 0.0
    for i, member in enumerate(group):
        total += float(scorer.gains(target, parents, group[:i], among=[member])[member])
        if total == -np.inf:  # nothing is scored beside what may not be a parent
            break
    return total


@dataclass(eq=False)
class CountScorer(ParentSetScorer):
    """Scores from joint counts: one table of each variable with its candidates.

    Attributes
    ----------
    table : Table
    score : Score
    constraints : Constraints
    max_parents : int
    source : CountSource or None
        The source of all rows, if the table is a sample of them.
    counted : list of JointCounts or None
        The counts of each variable with its candidates, in all rows.
    """

    table: Table
    score: Score
    constraints: Constraints
    max_parents: int = MOST_PARENTS
    source: CountSource | None = None
    counted: list[JointCounts] | None = None

    def __post_init__(self) -> None:
        more_rows = self.source is not None and self.source.n_rows > self.table.n_rows
        self.is_sample = more_rows and self.counted is None
        # Of each variable: the gains found last, given which parents.
        self._gains: dict[int, tuple[tuple[int, ...], NDArray[np.intp], Floats]] = {}

    @cached_property
    def _codes(self) -> tuple[Codes, NDArray[np.int64]]:
        return self.table.missing_as_category()

    def score_sets(
        self,
        target: int,
        candidates: tuple[int, ...],
        centre: Sequence[int],
        known: ParentSets | None,
    ) -> ParentSets:
        """Score sets by the counts of a variable with its candidates."""
        joint = self._joint(target, candidates)
        required = self.constraints.required_parents(target)
        foremost = joint.variables[1 : 1 + N_FOREMOST]
        most = self.max_parents
        search = SetSearch(COMPLETE_SIZE, most, WIDTH, required, centre, foremost, known)
        # Around the centre there are larger sets.
        return self._scored_sets(joint, search).up_to(max(most, len(required)))

    def _scored_sets(self, joint: JointCounts, search: SetSearch) -> ParentSets:
        """Score sets of the candidates in a table."""
        return score_parent_sets(joint, self.score, search)

    def _joint(self, target: int, candidates: Sequence[int]) -> JointCounts:
        if self.counted is None:
            return count(self.table, (target, *candidates))
        return self.counted[target]

    def family_score(self, target: int, parents: Sequence[int]) -> float:
        """Return the score of a variable's parents, which must be covered."""
        return score_family(self._joint(target, parents), parents, self.score)

    def gains(
        self,
        target: int,
        parents: tuple[int, ...],
        more: tuple[int, ...] = (),
        among: Sequence[int] | None = None,
    ) -> Floats:
        """Return how much each variable would raise the score in the rows of the table."""
        if more or among is not None:
            kept, gains = self._scored_additions(target, (*parents, *more), among)
        else:
            if target not in self._gains or self._gains[target][0] != parents:
                self._gains[target] = parents, *self._scored_additions(target, parents, None)
            _, kept, gains = self._gains[target]
        all_gains = np.full(self.table.n_variables, -np.inf)
        all_gains[kept] = gains
        all_gains[[target, *parents, *more]] = -np.inf
        return all_gains

    def _scored_additions(
        self, target: int, parents: tuple[int, ...], among: Sequence[int] | None
    ) -> tuple[NDArray[np.intp], Floats]:
        """Return the variables that were scored, and the gain of each."""
        table, known = self.table, self.constraints
        variables = np.arange(table.n_variables)
        has_missing = np.isin(variables, list(table.missing))
        kept = np.flatnonzero(known.allowed[:, target] | (variables == target))
        if among is not None:
            kept = np.intersect1d([target, *parents, *among], kept)
        if known.visible is not None:
            kept = np.intersect1d(np.union1d(known.visible[target], [target, *parents]), kept)
        codes, radices = self._codes
        if len(kept) < len(variables):
            codes, radices, has_missing = codes[kept], radices[kept], has_missing[kept]
        place, *inside = np.searchsorted(kept, [target, *parents]).tolist()
        if target in table.missing:
            # Rows are left out last: of wide tables only what is scored is copied.
            codes = codes.take(np.flatnonzero(~table.missing[target]), axis=1)
            radices = radices.copy()
            radices[place] -= 1
        return kept, score_additions(codes, radices, place, inside, self.score, has_missing)

    def information(self, target: int, parents: Sequence[int]) -> list[Information]:
        """Return the information of each parent given the others, by the available counts."""
        is_counted = all(self.covers(target, parent) for parent in parents)
        family = (*parents, target)
        if self.counted is None or not is_counted:
            joint = count(self.table, family)
        else:
            joint = self.counted[target].marginal(family)
        orders = [(*(v for v in parents if v != own), own, target) for own in parents]
        return [counted_information(joint.marginal(order)) for order in orders]

    def at_cost(self, parent_cost: float) -> "CountScorer":
        """Return a scorer of the same rows with another cost of a parent."""
        return replace(self, score=replace(self.score, parent_cost=parent_cost))

    def informative(self) -> "CountScorer":
        """Return a scorer by information, in the source's larger sample.

        On a sample, the score is too strict a ranking of candidates for all rows, because its
        penalty suits few rows. Instead, half a unit per parameter is subtracted, which is the
        information expected by chance.
        """
        assert self.source is not None
        table, visible = self.source.larger_sample(self.table.names), self.constraints.visible
        cost = 0.0 if visible is None else float(np.log(max(map(len, visible))))
        score = Score("bic", penalty=1.0 / np.log(max(3, table.n_rows)), parent_cost=cost)
        return CountScorer(table, score, self.constraints)

    def count_all(self, candidates: Candidates) -> tuple["CountScorer", Candidates]:
        """Count each variable with its candidates in all rows."""
        assert self.source is not None
        counted = count_candidates(self.source, self.table.names, candidates)
        return replace(self, counted=counted), tuple(joint.variables[1:] for joint in counted)

    def covers(self, target: int, parent: int) -> bool:
        """Tell whether the two variables were counted together."""
        return self.counted is None or parent in self.counted[target].variables

    def direction_scores(
        self, parents: Parents, neighbours: Parents, fixed: Parents, max_parents: int, run: Map
    ) -> DirectionScores:
        """Score by BDeu, with the sample size under which the network is most probable.

        Edges were found by a score that averages over sample sizes for each family. It finds edges
        best, but gives equivalent graphs different scores, so it must not decide between them.
        """

        def count_target(target: int) -> JointCounts:
            joint = self._joint(target, neighbours[target])
            return joint if self.counted is None else joint.marginal((target, *neighbours[target]))

        variables = range(len(parents))
        joints = list(run(count_target, variables))
        score = _most_probable(joints, parents, run)
        # No choice of directions can win or lose as much as all that there is to explain.
        bonus = 1.0 - math.fsum(score_family(joint, (), score) for joint in joints)

        by_bonus = replace(score, parent_cost=-bonus)
        searches = _direction_searches(parents, fixed, max_parents)

        def score_target(target: int) -> ParentSets:
            sets = score_parent_sets(joints[target], by_bonus, searches[target])
            return sets.up_to(searches[target].max_size)

        sets = list(run(score_target, variables))
        return DirectionScores(score, sets, bonus, lambda dag: _total(joints, dag, _SECOND))


def _direction_searches(parents: Parents, fixed: Parents, max_parents: int) -> list[SetSearch]:
    return [
        SetSearch(
            _DIRECTION_COMPLETE_SIZE, max(max_parents, len(own)), _DIRECTION_WIDTH, required, own
        )
        for own, required in zip(parents, fixed, strict=True)
    ]


def _most_probable(joints: Sequence[JointCounts], parents: Parents, run: Map) -> Score:
    """Return the score whose sample size gives the network the highest marginal likelihood."""
    scores = [Score("bdeu", (size,), observed=False) for size in SIZES]
    families = [
        joint.marginal((joint.variables[0], *own))
        for joint, own in zip(joints, parents, strict=True)
    ]
    totals = list(run(lambda score: _total(families, parents, score), scores))
    return scores[int(np.argmax(totals))]


def _total(joints: Sequence[JointCounts], parents: Iterable[Sequence[int]], score: Score) -> float:
    return math.fsum(
        score_family(joint, own, score) for joint, own in zip(joints, parents, strict=True)
    )


@dataclass(eq=False)
class CovarianceScorer(ParentSetScorer):
    """Scores from one covariance matrix of all rows; numeric variables stay numeric.

    Equivalent graphs have equal scores, so one score decides edges and directions.

    Attributes
    ----------
    covariance : Covariance
    score : Score
        Only its cost of a parent is used.
    constraints : Constraints
    max_parents : int
    numeric : collection of int
        The numeric variables.
    """

    covariance: Covariance
    score: Score
    constraints: Constraints
    max_parents: int = MOST_NUMERIC_PARENTS
    numeric: Collection[int] = ()
    has_interactions: ClassVar[bool] = False
    has_cheap_candidates: ClassVar[bool] = True

    def __post_init__(self) -> None:
        # Of few rows, many parents explain everything, whatever they are.
        most = int(self.covariance.n_rows - 2) // _ROWS_PER_PARENT
        self.max_parents = min(self.max_parents, max(1, most))

    def score_sets(
        self,
        target: int,
        candidates: tuple[int, ...],
        centre: Sequence[int],
        known: ParentSets | None,
    ) -> ParentSets:
        """Score sets. If the candidates are the same as before, only sets near the centre."""
        required, size, most = self.constraints.required_parents(target), 0, 0
        if known is None or known.candidates != candidates:
            known, size, most = None, _COVARIANCE_COMPLETE_SIZE, self.max_parents
        search = SetSearch(size, most, _COVARIANCE_WIDTH, required, centre, known=known)
        cost, limit = self.score.parent_cost, max(self.max_parents, len(required))
        sets = score_covariance_sets(self.covariance, target, candidates, cost, search)
        return sets.up_to(limit)

    def family_score(self, target: int, parents: Sequence[int]) -> float:
        """Return the score of a variable's parents."""
        return score_covariance_family(self.covariance, target, parents, self.score.parent_cost)

    def gains(
        self,
        target: int,
        parents: tuple[int, ...],
        more: tuple[int, ...] = (),
        among: Sequence[int] | None = None,
    ) -> Floats:
        """Return how much each variable would raise the score."""
        given = (*parents, *more)
        gains = score_covariance_additions(self.covariance, target, given, self.score.parent_cost)
        gains[~self.constraints.allowed[:, target]] = -np.inf
        gains[[target, *given]] = -np.inf
        return gains

    def information(self, target: int, parents: Sequence[int]) -> list[Information]:
        """Return the information of each parent given the others, in all summed rows."""
        return [
            covariance_information(self.covariance, target, v, [u for u in parents if u != v])
            for v in parents
        ]

    def at_cost(self, parent_cost: float) -> "CovarianceScorer":
        """Return a scorer of the same covariance with another cost of a parent."""
        return replace(self, score=replace(self.score, parent_cost=parent_cost))

    def chance_density(self, gains: Floats) -> Floats | None:
        """Return how many pairs of independent variables are expected to have this gain, per nat.

        None if curves are fitted, because their residuals are not due to chance alone.
        """
        sizes = self.covariance.sizes
        if any(sizes[v] > 1 for v in self.numeric):
            return None
        free, pairs = np.unique(
            np.outer(sizes, sizes)[np.triu_indices(len(sizes), 1)], return_counts=True
        )
        density = np.zeros_like(gains)
        for n_free, n_pairs in zip(free.tolist(), pairs.tolist(), strict=True):
            told = gains + 0.5 * np.log(max(self.covariance.n_rows, 2.0)) * n_free
            density += n_pairs * 2 * chi2.pdf(2 * told, n_free)
        return density

    def direction_scores(
        self, parents: Parents, neighbours: Parents, fixed: Parents, max_parents: int, run: Map
    ) -> DirectionScores:
        """Score by BIC, as in the search."""
        covariance = self.covariance
        # No choice of directions can win or lose as much as all neighbours explain and cost.
        sizes, log_rows = covariance.sizes, float(np.log(max(covariance.n_rows, 2.0)))
        bonus = 1.0 + math.fsum(
            score_covariance_family(covariance, v, own)
            + log_rows * float(sizes[v] * sizes[own].sum())
            for v, own in enumerate(map(list, neighbours))
        )

        searches = _direction_searches(parents, fixed, max_parents)

        def score_target(target: int) -> ParentSets:
            near, search = neighbours[target], searches[target]
            sets = score_covariance_sets(covariance, target, near, -bonus, search)
            return sets.up_to(search.max_size)

        return DirectionScores(Score("bic"), list(run(score_target, range(len(parents)))), bonus)


def scorer_of(
    table: Table,
    covariance: Covariance | None,
    score: Score,
    constraints: Constraints,
    max_parents: int | None = None,
    source: CountSource | None = None,
) -> CountScorer | CovarianceScorer:
    """Return the scorer of parent sets: by a covariance if there is one, else by counts."""
    if covariance is None:
        return CountScorer(table, score, constraints, max_parents or MOST_PARENTS, source)
    most = max_parents or MOST_NUMERIC_PARENTS
    return CovarianceScorer(covariance, score, constraints, most, table.numbers)
