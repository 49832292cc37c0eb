"""Knowledge as constraints on numbered variables.

In: allowed and required edges. Out: `Constraints`, from which sieve, tests, scores, search and
orientation read what they can skip. `bnsieve.knowledge.Knowledge` makes one for the columns of a
table.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.graph import reachable

Edge = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Constraints:
    """Directed edges that a graph may have, and that it must have.

    Attributes
    ----------
    allowed : ndarray of bool, shape (n_variables, n_variables)
        ``allowed[a, b]``: the graph may have a -> b. The diagonal has no meaning.
    required : tuple of (int, int)
        Edges that the graph must have, sorted; without a cycle, all allowed, and none is allowed
        that would close a cycle with them.
    restricts : bool
        Whether anything is forbidden or required at all.
    visible : tuple of ndarray of int, or None
        For each variable, ascending, its possible neighbours; None for all. This is not knowledge:
        it saves work among very many variables.
    """

    allowed: NDArray[np.bool_]
    required: tuple[Edge, ...] = ()
    restricts: bool = True
    visible: tuple[NDArray[np.intp], ...] | None = None

    @classmethod
    def none(cls, n_variables: int) -> "Constraints":
        """Return constraints that restrict nothing; they take no memory."""
        everything = np.broadcast_to(np.True_, (n_variables, n_variables))
        return cls(everything, restricts=False)

    @classmethod
    def of(cls, allowed: NDArray[np.bool_], required: Iterable[Edge]) -> "Constraints":
        """Return constraints with what follows: no edge against a path of required ones.

        Parameters
        ----------
        allowed : ndarray of bool, shape (n_variables, n_variables)
        required : iterable of (int, int)
            Allowed edges without a cycle.
        """
        edges = tuple(sorted(required))
        allowed = allowed.copy()
        heads: dict[int, list[int]] = {}
        for tail, head in edges:
            heads.setdefault(tail, []).append(head)
        for start in heads:
            after = reachable([start], lambda node: heads.get(node, ())) - {start}
            allowed[sorted(after), start] = False
        return cls(allowed, edges)

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.allowed)

    @cached_property
    def adjacency_allowed(self) -> NDArray[np.bool_]:
        """Which pairs may have an edge in one direction at least; symmetric."""
        return self.allowed | self.allowed.T if self.restricts else self.allowed

    @cached_property
    def required_pairs(self) -> frozenset[Edge]:
        """The pairs that must be adjacent, the smaller number first."""
        return frozenset((min(edge), max(edge)) for edge in self.required)

    def scaled(self, number: int) -> int:
        """Return how many of a number of candidates are enough where pairs are forbidden.

        The sixth of all variables is the third of a random half of them, so fewer are enough; but
        the true neighbours do not become fewer where only other pairs are forbidden. In between is
        the square root of the share of pairs that may be adjacent. Below a share of a half the
        number shrinks no further.
        """
        if not self.restricts or self.n_variables < 2:
            return number
        n_pairs = self.n_variables * (self.n_variables - 1) // 2
        share = int(np.count_nonzero(np.triu(self.adjacency_allowed, 1))) / n_pairs
        return max(1, round(number * math.sqrt(max(share, 0.5))))

    def open_pairs(self) -> list[Edge]:
        """List the pairs that may be adjacent but need not be, the smaller number first, sorted."""
        if not self.restricts:
            return list(combinations(range(self.n_variables), 2))
        pairs = np.argwhere(np.triu(self.adjacency_allowed, 1)).tolist()
        return [(a, b) for a, b in pairs if (a, b) not in self.required_pairs]

    def required_parents(self, variable: int) -> tuple[int, ...]:
        """Return the required parents of a variable."""
        return tuple(tail for tail, head in self.required if head == variable)

    def required_neighbours(self, variable: int) -> tuple[int, ...]:
        """Return the variables that must be adjacent to one, sorted."""
        ends = (edge for edge in self.required if variable in edge)
        return tuple(sorted(a if b == variable else b for a, b in ends))

    def forbidden_neighbours(self, variable: int) -> list[int]:
        """Return the variables to which one may not be adjacent."""
        if not self.restricts:
            return []
        forbidden = np.flatnonzero(~self.adjacency_allowed[variable]).tolist()
        return [other for other in forbidden if other != variable]

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

    def forbid_within(self, groups: Iterable[Sequence[int]]) -> "Constraints":
        """Return the same, but that variables of one group are adjacent only where required."""
        return self._forbid(np.ix_(group, group) for group in groups if len(group) > 1)

    def confine_to_required(self, variables: Iterable[int]) -> "Constraints":
        """Return the same, but that some variables have no edges except required ones."""
        confined = list(variables)
        return self._forbid([np.s_[confined, :], np.s_[:, confined]] if confined else [])

    def _forbid(self, parts: Iterable[Any]) -> "Constraints":
        """Return the same with parts of `allowed` forbidden, but for required edges."""
        allowed = None
        for part in parts:
            allowed = self.allowed.copy() if allowed is None else allowed
            allowed[part] = False
        if allowed is None:
            return self
        for edge in self.required:
            allowed[edge] = True
        return Constraints(allowed, self.required)
