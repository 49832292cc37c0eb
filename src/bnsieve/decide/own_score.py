"""Parent sets under the user's own score: `OwnScorer`, a `CountScorer` in plain Python.

In: a `FamilyScore`, and rows or joint counts. Out: the same interface as for the built-in scores,
so every search works with it. The same sets are scored, and the gain of a parent with missing
values is measured in the same rows. BDeu decides directions, as after a search by the built-in
scores, because a score need not give equivalent graphs the same value.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import JointCounts, count, count_candidates
from bnsieve.decide.protocols import FamilyScore
from bnsieve.decide.scorers import COMPLETE_SIZE, N_FOREMOST, WIDTH, CountScorer
from bnsieve.decide.scores import ParentSets
from bnsieve.sieve import Candidates

Floats = NDArray[np.float64]
Members = tuple[int, ...]


@dataclass(eq=False)
class OwnScorer(CountScorer):
    """Scores from joint counts by the user's own score.

    Attributes
    ----------
    own : FamilyScore or None
        The user's score of families; `score` has the cost of a parent.
    """

    own: FamilyScore | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        # Of each variable: the values of parent sets, without what parents cost.
        self._values: dict[int, dict[Members, float]] = {}

    def score_sets(
        self,
        target: int,
        candidates: tuple[int, ...],
        centre: Sequence[int],
        known: ParentSets | None,
    ) -> ParentSets:
        """Score sets by the counts of a variable with its candidates, and keep all values."""
        families = self._families(target, self._joint(target, candidates))
        candidates = families.joint.variables[1:]
        required = self.constraints.required_parents(target)
        most = max(self.max_parents, len(required))
        sets = _Sets(families, candidates, required)
        near = {v for v in centre if v in candidates} | {*required}
        for size in range(max(COMPLETE_SIZE - len(required), 0) + 1):
            sets.add(combinations(sets.free, size))
        sets.add(combinations([v for v in candidates[:N_FOREMOST] if v in sets.free], 3))
        sets.add(_around(near, candidates))
        for size in range(COMPLETE_SIZE, self.max_parents):
            best = sets.needed(size)[:WIDTH]
            sets.add((*members, v) for members in best for v in candidates if v not in members)
        return sets.pruned(self.score.parent_cost).up_to(most)

    def _families(self, target: int, joint: JointCounts) -> "_Families":
        assert self.own is not None
        return _Families(self.own, joint, self._values.setdefault(target, {}))

    def _scored_additions(
        self, target: int, parents: tuple[int, ...], among: Sequence[int] | None
    ) -> tuple[NDArray[np.intp], Floats]:
        """Return the variables that were scored, and the gain of each."""
        assert self.own is not None
        known = self.constraints
        kept = np.arange(self.table.n_variables) if among is None else np.array(sorted(among))
        kept = kept[known.allowed[kept, target] & ~np.isin(kept, [target, *parents])]
        if known.visible is not None:
            kept = np.intersect1d(known.visible[target], kept)
        gains = np.empty(len(kept))
        # In the rows of the table, also where sets are scored by counts of all rows.
        values: dict[Members, float] = {}
        for place, v in enumerate(kept.tolist()):
            joint = count(self.table, (target, *parents, v))
            gains[place] = _Families(self.own, joint, values).gain(parents, v)
        return kept, gains - self.score.parent_cost

    def count_all(self, candidates: Candidates) -> tuple["OwnScorer", Candidates]:
        """Count each variable with its candidates in all rows."""
        assert self.source is not None
        counted = count_candidates(self.source, self.table.names, candidates)
        return replace(self, counted=counted), tuple(joint.variables[1:] for joint in counted)


@dataclass(frozen=True, eq=False)
class _Families:
    """Values of parent sets of the first variable of a table; what was asked before is kept."""

    own: FamilyScore
    joint: JointCounts
    values: dict[Members, float]

    def value(self, members: Iterable[int]) -> float:
        """Return the value of a parent set.

        Members are entered one by one, the strongest alone first, and each adds what it makes of
        the rows in which all entered so far are known, over the share of such rows. Where nothing
        is missing that is the score.
        """
        key = tuple(sorted(members))
        if key not in self.values:
            self.values[key] = self._entered(key) if self._lacks(key) else self._score(key, key)
        return self.values[key]

    def gain(self, parents: Members, more: int) -> float:
        """Return what one more parent adds, in the rows in which all are known."""
        within = (*parents, more)
        if not self._lacks(within):
            return self.value(within) - self.value(parents)
        added = self._score(within, within) - self._score(parents, within)
        return added / self._share(within)

    def _entered(self, members: Members) -> float:
        total, order = self._score((), ()), members
        entered: Members = ()
        if len(members) > 1:
            place = {v: k for k, v in enumerate(self.joint.variables)}
            order = tuple(sorted(members, key=lambda v: (-self.value((v,)), place[v])))
        for v in order:
            within = (*entered, v)
            added = self._score(within, within) - self._score(entered, within)
            total += added / self._share(within)
            entered = within
        return total

    def _lacks(self, members: Members) -> bool:
        """Tell whether some value of these variables may be missing."""
        return any(self.joint.has_missing[self.joint.variables.index(v)] for v in members)

    def _share(self, within: Members) -> float:
        """Return the share of rows in which these variables are known; 1 if there is none."""
        target = self.joint.variables[0]
        known = self.joint.marginal((target, *within)).complete().total
        return known / max(self.joint.marginal((target,)).complete().total, 1) or 1.0

    def _score(self, members: Members, within: Members) -> float:
        """Return the score of a set in the rows in which others are known."""
        joint, target = self.joint, self.joint.variables[0]
        rows = joint.marginal((*within, target)).complete()
        family = rows if members == within else rows.marginal((*members, target))
        if not family.total:
            return 0.0
        *above, states = family.configurations
        row = np.zeros(len(family.counts), dtype=np.intp)
        if above:
            changes = (np.diff(np.stack(above).astype(np.int32), axis=1) != 0).any(axis=0)
            row[1:] = np.cumsum(changes)
        counts = np.zeros((int(row[-1]) + 1, family.n_categories[-1]), dtype=np.int64)
        counts[row, states] = family.counts
        possible = math.prod(map(float, family.n_categories[:-1]))
        return _checked(self.own.score(counts, possible), self.own)


def _checked(value: Any, own: FamilyScore) -> float:
    score = float(value)
    if math.isnan(score):
        raise ValueError(
            f"{type(own).__name__}.score returned NaN: a score must be a number for every parent "
            "set, minus infinity for one that is impossible"
        )
    return score


def _around(near: set[int], candidates: Sequence[int]) -> Iterator[Members]:
    """Yield a set with all sets of one member more, one less, or one in exchange for another."""
    others = [v for v in candidates if v not in near]
    yield tuple(near)
    yield from ((*near, v) for v in others)
    for member in near:
        rest = near - {member}
        yield tuple(rest)
        yield from ((*rest, v) for v in others)


class _Sets:
    """The sets of a search, all with the required members."""

    def __init__(
        self, families: _Families, candidates: Sequence[int], required: Sequence[int]
    ) -> None:
        self._families, self._required = families, frozenset(required)
        self._bit = {v: 1 << k for k, v in enumerate(candidates)}
        self.free = [v for v in candidates if v not in self._required]
        self._values: dict[int, tuple[Members, float]] = {}

    def add(self, sets: Iterable[Iterable[int]]) -> None:
        """Score sets, each with the required members."""
        for one in sets:
            members = tuple(sorted(self._required.union(one)))
            mask = sum(self._bit[v] for v in members)
            if mask not in self._values:
                self._values[mask] = members, self._families.value(members)

    def needed(self, size: int) -> list[Members]:
        """Return the sets of a size that need all their members, the best first."""
        masks = np.array([*self._values], dtype=np.uint32)
        values = np.array([value for _, value in self._values.values()])
        found = [
            (-value, members)
            for mask, (members, value) in self._values.items()
            # It is a subset of itself.
            if len(members) == size
            and np.count_nonzero(values[(masks & ~np.uint32(mask)) == 0] >= value) == 1
        ]
        return [members for _, members in sorted(found)]

    def pruned(self, parent_cost: float) -> ParentSets:
        """Return the sets that no subset equals or betters, best first, at a cost per parent."""
        masks = np.array([*self._values], dtype=np.uint32)
        scores = np.array([value for _, value in self._values.values()])
        return ParentSets(tuple(self._bit), masks, scores).at_cost(parent_cost)
