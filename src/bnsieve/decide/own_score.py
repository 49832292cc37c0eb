"""Parent sets under the user's own score: `OwnScorer`, a `CountScorer` in plain Python.

In: a `FamilyScore`, and rows or joint counts. Out: the same interface as for the built-in scores,
so every search works with it. The search for sets repeats that of the kernel (`native/scores.hpp`)
step by step, so that the user's own score and a built-in score with the same values find the same
sets. Only the bound by which the kernel leaves out sets has no counterpart. The graphs can still
differ where several are equally good, because rounding then decides what the search over orders
tries next. BDeu decides directions, as after a search by the built-in scores, because a score need
not give equivalent graphs the same value.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import JointCounts, count_candidates
from bnsieve.decide.protocols import FamilyScore
from bnsieve.decide.scorers import CountScorer
from bnsieve.decide.scores import ParentSets, SetSearch, mask_of, renumbered
from bnsieve.sieve import Candidates
from bnsieve.table import Codes

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Places = NDArray[np.intp]
Members = tuple[int, ...]

# A candidate that loses so much beside every smaller set is not tried beside a larger one.
_HOPELESS = 5.0
# Counts are kept in an array of all possible cells if it is at most this many times as long as the
# rows.
_CELLS_PER_ROW = 8


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
        # Of each variable: the scores of its parent sets, by the bits of their members.
        self._scores: dict[int, dict[int, float]] = {}

    def _scored_sets(self, joint: JointCounts, search: SetSearch) -> ParentSets:
        """Score sets as the kernel does, and keep the scores."""
        rows = _Rows(
            joint.configurations,
            joint.n_categories,
            joint.has_missing,
            target=0,
            counts=joint.counts,
        )
        target, *candidates = joint.variables
        known = self._scores.setdefault(target, {})
        return _Search(self._families(rows), tuple(candidates), search, known).run()

    def _families(self, rows: "_Rows") -> "_Families":
        assert self.own is not None
        return _Families(self.own, self.score.parent_cost, rows)

    def _scored_additions(
        self, target: int, parents: tuple[int, ...], among: Sequence[int] | None
    ) -> tuple[NDArray[np.intp], Floats]:
        """Return the variables that were scored, and the gain of each."""
        table, known = self.table, self.constraints
        kept = np.arange(table.n_variables) if among is None else np.array(sorted(among))
        kept = kept[known.allowed[kept, target] & ~np.isin(kept, [target, *parents])]
        if known.visible is not None:
            kept = np.intersect1d(known.visible[target], kept)
        has_missing = [v in table.missing for v in range(table.n_variables)]
        # In the rows of the table, also where sets are scored by counts of all rows.
        rows = _Rows(self._codes[0], table.n_categories.tolist(), has_missing, target)
        families = self._families(rows)
        gains = np.array([families.gain(parents, v) for v in kept.tolist()], dtype=np.float64)
        return kept, gains

    def count_all(self, candidates: Candidates) -> tuple["OwnScorer", Candidates]:
        """Count each variable with its candidates in all rows."""
        assert self.source is not None
        counted = count_candidates(self.source, self.table.names, candidates)
        return replace(self, counted=counted), tuple(joint.variables[1:] for joint in counted)


@dataclass(frozen=True, eq=False)
class _Split:
    """The rows in which some parents are known, split by the parents' configurations.

    Attributes
    ----------
    members : tuple of int
        The parents.
    rows : ndarray of intp or slice
        The rows; a slice takes all.
    groups : ndarray of intp, shape (n_kept,)
        The number of each row's configuration.
    cells : ndarray of intp, shape (n_kept,)
        The number of each row's configuration with the state of the target.
    n_groups : int
        The number of configurations that occur.
    n_configurations : float
        The number of possible ones.
    share : float
        Of the rows in which the target is known; 1 if there is none.
    """

    members: Members
    rows: Places | slice
    groups: Places
    cells: Places
    n_groups: int
    n_configurations: float
    share: float


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows that families are counted in.

    Attributes
    ----------
    codes : ndarray of uint8 or uint16, shape (n_variables, n_rows)
    n_categories : sequence of int
        Of each variable; this code is a missing value.
    has_missing : sequence of bool
    target : int
    counts : ndarray of int64, shape (n_rows,), or None
        How often each row occurs. None: once.
    """

    codes: Codes
    n_categories: Sequence[int]
    has_missing: Sequence[bool]
    target: int
    counts: Counts | None = None

    def whole(self) -> _Split:
        """Return the rows in which the target is known, not split."""
        states = self.codes[self.target]
        rows: Places | slice = slice(None)
        if self.has_missing[self.target]:
            rows = np.flatnonzero(states < self.n_categories[self.target])
        cells = states[rows].astype(np.intp)
        return _Split((), rows, np.zeros_like(cells), cells, 1, 1.0, 1.0)

    def where_known(self, split: _Split, v: int) -> _Split:
        """Return the rows in which one more variable is known, split as before."""
        if not self.has_missing[v]:
            return split
        known = np.flatnonzero(self.codes[v][split.rows] < self.n_categories[v])
        rows = known if isinstance(split.rows, slice) else split.rows[known]
        share = self._total(rows) / max(self._n_rows, 1) or 1.0
        groups, cells = split.groups[known], split.cells[known]
        return replace(split, rows=rows, groups=groups, cells=cells, share=share)

    @cached_property
    def _n_rows(self) -> int:
        return self._total(self.whole().rows)

    def _total(self, rows: Places | slice) -> int:
        if self.counts is not None:
            return int(self.counts[rows].sum())
        return self.codes.shape[1] if isinstance(rows, slice) else len(rows)

    def split(self, split: _Split, v: int) -> _Split:
        """Split the rows by one more parent."""
        known = self.where_known(split, v)
        codes = self.codes[v][known.rows]
        keys = np.multiply(codes, split.n_groups, dtype=np.intp) + known.groups
        groups, n_groups = _numbered(keys, split.n_groups * self.n_categories[v])
        n_states = self.n_categories[self.target]
        cells = groups * n_states + known.cells % n_states
        n_configurations = split.n_configurations * self.n_categories[v]
        members = (*split.members, v)
        return _Split(members, known.rows, groups, cells, n_groups, n_configurations, known.share)

    def count(self, split: _Split) -> Counts:
        """Count the states of the target in each configuration that occurs."""
        return self._count(split.cells, split.n_groups, split.rows)

    def count_with(self, split: _Split, v: int) -> Counts:
        """Count them by one more parent, which is known in all rows."""
        n_cells = split.n_groups * self.n_categories[self.target]
        cells = np.multiply(self.codes[v][split.rows], n_cells, dtype=np.intp) + split.cells
        return self._count(cells, split.n_groups * self.n_categories[v], split.rows)

    def _count(self, cells: Places, n_groups: int, rows: Places | slice) -> Counts:
        n_states = self.n_categories[self.target]
        if n_groups * n_states > _CELLS_PER_ROW * len(cells):
            groups, n_groups = _numbered(cells // n_states, n_groups)
            cells = groups * n_states + cells % n_states
        weights = None if self.counts is None else self.counts[rows]
        counts = np.bincount(cells, weights, n_groups * n_states).reshape(n_groups, n_states)
        return counts[counts.any(axis=1)].astype(np.int64, copy=False)


def _numbered(keys: Places, n_keys: int) -> tuple[Places, int]:
    """Return a number from zero for each key, and how many different keys there are."""
    if n_keys >= _CELLS_PER_ROW * len(keys):
        occurring, numbers = np.unique(keys, return_inverse=True)
        return numbers, len(occurring)
    ends = np.cumsum(np.bincount(keys, minlength=n_keys) > 0)
    return ends[keys] - 1, int(ends[-1])


class _Families:
    """Scores of parent sets, and gains of single parents.

    What one more parent adds to a set is measured in the rows in which all are known, with and
    without the parent, and divided by the share of these rows.

    Parameters
    ----------
    own : FamilyScore
    parent_cost : float
    rows : _Rows
    """

    def __init__(self, own: FamilyScore, parent_cost: float, rows: _Rows) -> None:
        self._own, self._parent_cost, self._rows = own, parent_cost, rows
        others = range(len(rows.has_missing))
        self.has_missing = any(rows.has_missing[v] for v in others if v != rows.target)
        # Rows split by the set asked for last: by its first member, its first two, and so on.
        self._splits = [rows.whole()]
        self._scored: tuple[Members, float] | None = None

    def score(self, members: Members) -> float:
        """Return the score of a set in the rows in which all members are known."""
        if self._scored is None or self._scored[0] != members:
            self._scored = members, self._score(self._split(members))
        return self._scored[1]

    def score_with(self, members: Members, more: int) -> float:
        """Return the score of a set with one more parent, in the rows that the set is known in."""
        return self._score_with(self._split(members), more)

    def gain(self, members: Members, more: int) -> float:
        """Return what one more parent adds to a set."""
        split = self._split(members)
        known = self._rows.where_known(split, more)
        before = self.score(members) if known is split else self._score(known)
        return (self._score_with(known, more) - before) / known.share

    def _split(self, members: Members) -> _Split:
        while self._splits[-1].members != members[: len(self._splits) - 1]:
            self._splits.pop()
        for v in members[len(self._splits) - 1 :]:
            self._splits.append(self._rows.split(self._splits[-1], v))
        return self._splits[-1]

    def _score(self, split: _Split) -> float:
        counts = self._rows.count(split)
        return self._checked(counts, split.n_configurations, len(split.members))

    def _score_with(self, split: _Split, more: int) -> float:
        counts = self._rows.count_with(split, more)
        n_configurations = split.n_configurations * self._rows.n_categories[more]
        return self._checked(counts, n_configurations, len(split.members) + 1)

    def _checked(self, counts: Counts, n_configurations: float, n_parents: int) -> float:
        if not len(counts):  # no row says nothing
            return -self._parent_cost * n_parents
        name, given = type(self._own).__name__, self._own.score(counts, n_configurations)
        try:
            score = float(given)
        except (TypeError, ValueError):
            raise TypeError(
                f"{name}.score must return a number, not {type(given).__name__}"
            ) from None
        if math.isnan(score):
            raise ValueError(
                f"{name}.score returned NaN: a score must be a number for every parent set, minus "
                "infinity for one that is impossible"
            )
        return score - self._parent_cost * n_parents


class _Search:
    """The search for parent sets, step by step that of the kernel.

    Bit k of a mask stands for candidate k.

    Parameters
    ----------
    families : _Families
        Of the target, variable 0, and the candidates.
    candidates : tuple of int
    search : SetSearch
    scores : dict of int to float
        The scores known so far where nothing is missing, by the bits of the members. Bit v stands
        for variable v. New ones are added.
    """

    def __init__(
        self,
        families: _Families,
        candidates: tuple[int, ...],
        search: SetSearch,
        scores: dict[int, float],
    ) -> None:
        self._families, self._candidates, self._search = families, candidates, search
        self._scores = scores
        self._required = mask_of(candidates, search.required)
        self._centre = mask_of(candidates, search.centre)
        self._complete_size = max(search.complete_size, len(search.required))
        self._max_size = max(search.complete_size, search.max_size)
        self._foremost = 0
        if self._complete_size < self._max_size:
            self._foremost = self._required | mask_of(candidates, search.foremost)
        # The values of sets, and the candidates whose other sets need not be scored again.
        self._values: dict[int, float] = {}
        self._settled = 0
        if search.known is not None:
            masks, values, self._settled = renumbered(search.known, candidates)
            self._values.update(zip(masks.tolist(), values.tolist(), strict=True))
        # The strongest first.
        self._order = list(range(len(candidates)))
        alone = [self._value_with(0, families.score(()), k) for k in self._order]
        self._order.sort(key=lambda k: -alone[k])
        self._base = families.score(self._members(self._required))

    def run(self) -> ParentSets:
        """Return the sets that no subset equals or betters, best first."""
        every = (1 << len(self._candidates)) - 1
        if self._search.known is None or self._settled != every:
            self._extend(self._required, self._base, 0)
            for size in range(self._complete_size, min(self._max_size, len(self._candidates))):
                self._grow(size)
        self._values.setdefault(self._required, self._base)
        if self._centre.bit_count() >= self._complete_size:
            self._explore(self._centre | self._required)
        masks = np.array([*self._values], dtype=np.uint32)
        return ParentSets(self._candidates, masks, np.array([*self._values.values()])).at_cost(0.0)

    def _members(self, mask: int) -> Members:
        """Return the members of a set, the strongest first."""
        return tuple(1 + k for k in self._order if mask >> k & 1)

    def _extend(self, mask: int, value: float, first: int) -> None:
        """Score the sets with more members: all up to a size, and one more of the foremost."""
        self._values.setdefault(mask, value)
        size = mask.bit_count() + 1
        is_beyond = size > self._complete_size
        if is_beyond and mask & ~self._foremost:
            return
        for rank, k in enumerate(self._order[first:], first + 1):
            larger = mask | 1 << k
            if larger == mask or (is_beyond and larger & ~self._foremost):
                continue
            is_last = is_beyond or (size == self._complete_size and larger & ~self._foremost)
            if not is_last:
                self._extend(larger, self._value_with(mask, value, k), rank)
            elif larger not in self._values and (is_beyond or larger & ~self._settled):
                self._values[larger] = self._value_with(mask, value, k)

    def _grow(self, size: int) -> None:
        """Extend the best sets of a size that need all their members by every candidate."""
        best = sorted(
            (-value, mask)
            for mask, value in self._values.items()
            if mask.bit_count() == size and self._needs_all(mask, value)
        )
        masks = [mask for _, mask in best[: self._search.width]]
        # Those that begin alike one after the other: what they share is split once.
        for mask in sorted(masks, key=self._ranks):
            for k in range(len(self._candidates)):
                larger = mask | 1 << k
                if self._is_new(larger) and not self._is_hopeless(mask, larger):
                    self._values[larger] = self._value_with(mask, self._values[mask], k)

    def _explore(self, centre: int) -> None:
        """Score a set and all that differ from it by one member, or by one for another."""
        self._score_around(centre)
        for k in _bits(centre & ~self._required):
            self._score_around(centre & ~(1 << k))

    def _score_around(self, mask: int) -> None:
        """Score a set, and all with one member more."""
        larger = {k: mask | 1 << k for k in range(len(self._candidates)) if not mask >> k & 1}
        if self._values.keys() >= {mask, *larger.values()}:
            return
        value = self._value(mask)
        self._values.setdefault(mask, value)
        for k, more in larger.items():
            if more not in self._values:
                self._values[more] = self._value_with(mask, value, k)

    def _value(self, mask: int) -> float:
        """Return the value of the required members with others, the strongest of these first."""
        entered, value = self._required, self._base
        for k in self._order:
            if (mask & ~entered) >> k & 1:
                value = self._value_with(entered, value, k)
                entered |= 1 << k
        return value

    def _value_with(self, mask: int, value: float, k: int) -> float:
        """Return the value of a set of this value with one more member."""
        if self._families.has_missing:
            return _ordered(value + self._families.gain(self._members(mask), 1 + k))
        key = sum(1 << self._candidates[bit] for bit in _bits(mask | 1 << k))
        score = self._scores.get(key)
        if score is None:
            score = self._scores[key] = self._families.score_with(self._members(mask), 1 + k)
        return score

    def _is_new(self, mask: int) -> bool:
        return mask not in self._values and bool(mask & ~self._settled)

    def _needs_all(self, mask: int, value: float) -> bool:
        """Tell whether no set with one member less has at least this value."""
        values = self._values
        return not any(values.get(mask & ~(1 << k), math.nan) >= value for k in _bits(mask))

    def _is_hopeless(self, mask: int, larger: int) -> bool:
        """Tell whether the new member lost much beside each smaller set, and those are several."""
        n_tried = 0
        for k in _bits(mask):
            without = self._values.get(mask & ~(1 << k))
            value = self._values.get(larger & ~(1 << k))
            if value is None or without is None:
                continue
            if value > without - _HOPELESS:
                return False
            n_tried += 1
        return n_tried >= 2

    def _ranks(self, mask: int) -> list[int]:
        return [rank for rank, k in enumerate(self._order) if mask >> k & 1]


def _bits(mask: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def _ordered(value: float) -> float:
    """Return a value that can be compared: infinite scores can leave no number."""
    return -math.inf if math.isnan(value) else value
