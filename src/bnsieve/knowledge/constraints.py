"""Knowledge as constraints on numbered variables: the one object that every stage asks.

In: which arrows may be, and which must. Out: `Constraints`, from which sieve, tests, scores, search
and orientation read what they need not look at. `bnsieve.knowledge.Knowledge` makes one for
the columns of a table.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bnsieve.graph import reachable

Arrow = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Constraints:
    """Which arrows may be in the graph, and which must.

    Attributes
    ----------
    allowed : ndarray of bool, shape (n_variables, n_variables)
        ``allowed[a, b]``: the graph may have a -> b. The diagonal says nothing.
    required : tuple of (int, int)
        Arrows that the graph must have, sorted; without a cycle, all allowed, and none is allowed
        that would close a cycle with them.
    restricts : bool
        Whether anything is forbidden or required at all.
    visible : tuple of ndarray of int, or None
        For each variable, ascending, those among which its neighbours are sought; None for all.
        This is no knowledge, but thrift among very many variables.
    """

    allowed: NDArray[np.bool_]
    required: tuple[Arrow, ...] = ()
    restricts: bool = True
    visible: tuple[NDArray[np.intp], ...] | None = None

    @classmethod
    def none(cls, n_variables: int) -> "Constraints":
        """Return the constraints of those who know nothing; they take no memory."""
        everything = np.broadcast_to(np.True_, (n_variables, n_variables))
        return cls(everything, restricts=False)

    @classmethod
    def of(cls, allowed: NDArray[np.bool_], required: Iterable[Arrow]) -> "Constraints":
        """Return constraints with what follows: no arrow against a path of required ones.

        Parameters
        ----------
        allowed : ndarray of bool, shape (n_variables, n_variables)
        required : iterable of (int, int)
            Allowed arrows without a cycle.
        """
        arrows = tuple(sorted(required))
        allowed = allowed.copy()
        heads: dict[int, list[int]] = {}
        for tail, head in arrows:
            heads.setdefault(tail, []).append(head)
        for start in heads:
            after = reachable([start], lambda node: heads.get(node, ())) - {start}
            allowed[sorted(after), start] = False
        return cls(allowed, arrows)

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.allowed)

    @cached_property
    def joinable(self) -> NDArray[np.bool_]:
        """Which pairs may have an edge in one direction at least; symmetric."""
        return self.allowed | self.allowed.T if self.restricts else self.allowed

    @cached_property
    def required_pairs(self) -> frozenset[Arrow]:
        """The pairs that must be joined, the smaller number first."""
        return frozenset((min(arrow), max(arrow)) for arrow in self.required)

    def scaled(self, number: int) -> int:
        """Return how many of a number of candidates are enough where pairs may not be joined.

        Who is sixth among all variables is third among a random half of them, so fewer are enough;
        but the true neighbours do not become fewer where only other pairs are forbidden. In
        between is the square root of the share of pairs that may be joined. Below a share of a
        half the number shrinks no further.
        """
        if not self.restricts or self.n_variables < 2:
            return number
        n_pairs = self.n_variables * (self.n_variables - 1) // 2
        share = int(np.count_nonzero(np.triu(self.joinable, 1))) / n_pairs
        return max(1, round(number * math.sqrt(max(share, 0.5))))

    def open_pairs(self) -> list[Arrow]:
        """List the pairs that may be joined but need not be, the smaller number first, sorted."""
        if not self.restricts:
            return list(combinations(range(self.n_variables), 2))
        pairs = np.argwhere(np.triu(self.joinable, 1)).tolist()
        return [(a, b) for a, b in pairs if (a, b) not in self.required_pairs]

    def required_parents(self, variable: int) -> tuple[int, ...]:
        """Return the variables that must point to one."""
        return tuple(tail for tail, head in self.required if head == variable)

    def required_neighbours(self, variable: int) -> tuple[int, ...]:
        """Return the variables that must be joined to one, sorted."""
        ends = (arrow for arrow in self.required if variable in arrow)
        return tuple(sorted(a if b == variable else b for a, b in ends))

    def strangers(self, variable: int) -> list[int]:
        """Return the variables that may not be joined to one in any direction."""
        if not self.restricts:
            return []
        apart = ~self.joinable[variable]
        apart[variable] = False
        return [int(v) for v in np.flatnonzero(apart)]

    def forces(self, tail: int, head: int) -> bool:
        """Tell whether an edge of the two could only be tail -> head."""
        return bool(self.allowed[tail, head] and not self.allowed[head, tail])

    def select(self, variables: Sequence[int]) -> "Constraints":
        """Return the constraints of some variables, renumbered in the order given."""
        if not self.restricts:
            return Constraints.none(len(variables))
        number = {variable: i for i, variable in enumerate(variables)}
        kept = [(number[a], number[b]) for a, b in self.required if a in number and b in number]
        return Constraints(self.allowed[np.ix_(variables, variables)], tuple(sorted(kept)))

    def apart(self, groups: Iterable[Sequence[int]]) -> "Constraints":
        """Return the same, but that variables of one group are joined only where they must be."""
        together = [list(group) for group in groups if len(group) > 1]
        if not together:
            return self
        allowed = self.allowed.copy()
        for group in together:
            allowed[np.ix_(group, group)] = False
        for tail, head in self.required:
            allowed[tail, head] = True
        return Constraints(allowed, self.required)

    def only_required_at(self, variables: Iterable[int]) -> "Constraints":
        """Return the same, but that some variables take part in no arrow except required ones."""
        apart = list(variables)
        if not apart:
            return self
        allowed = self.allowed.copy()
        allowed[apart, :] = False
        allowed[:, apart] = False
        for tail, head in self.required:
            allowed[tail, head] = True
        return Constraints(allowed, self.required)
