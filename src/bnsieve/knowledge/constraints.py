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
    """Allowed and required directed edges, by column number.

    Attributes
    ----------
    allowed : ndarray of bool, shape (n_variables, n_variables)
        ``allowed[a, b]``: the graph may have a -> b. The diagonal has no meaning.
    required : tuple of (int, int)
        Edges that the graph must have, sorted. They are allowed and form no cycle. No edge that
        would close a cycle with them is allowed.
    restricts : bool
        Whether any edge is forbidden or required.
    visible : tuple of ndarray of int, or None
        The possible neighbours of each variable, in ascending order; None for all. They do not come
        from knowledge, but save work in wide tables.
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
        """Return constraints that also forbid every edge against a path of required edges.

        Parameters
        ----------
        allowed : ndarray of bool, shape (n_variables, n_variables)
            ``allowed[a, b]``: the graph may have a -> b.
        required : iterable of (int, int)
            Required edges, which must be allowed and form no cycle.
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
        """The number of variables."""
        return len(self.allowed)

    @cached_property
    def adjacency_allowed(self) -> NDArray[np.bool_]:
        """Which pairs may have an edge in at least one direction, as a symmetric matrix."""
        return self.allowed | self.allowed.T if self.restricts else self.allowed

    @cached_property
    def required_pairs(self) -> frozenset[Edge]:
        """The pairs that must be adjacent, each with the smaller number first."""
        return frozenset((min(edge), max(edge)) for edge in self.required)

    def scaled(self, number: int) -> int:
        """Return the number of candidates that is enough if pairs are forbidden.

        If only half of the pairs are allowed, half as many candidates cover the same share of them.
        But the number of true neighbours does not fall if only other pairs are forbidden. As a
        compromise, the number is multiplied by the square root of the share of allowed pairs, or of
        one half if that is larger.
        """
        if not self.restricts or self.n_variables < 2:
            return number
        n_pairs = self.n_variables * (self.n_variables - 1) // 2
        share = int(np.count_nonzero(np.triu(self.adjacency_allowed, 1))) / n_pairs
        return max(1, round(number * math.sqrt(max(share, 0.5))))

    def open_pairs(self) -> list[Edge]:
        """List the pairs that may, but need not, be adjacent, sorted, the smaller number first."""
        if not self.restricts:
            return list(combinations(range(self.n_variables), 2))
        pairs = np.argwhere(np.triu(self.adjacency_allowed, 1)).tolist()
        return [(a, b) for a, b in pairs if (a, b) not in self.required_pairs]

    def required_parents(self, variable: int) -> tuple[int, ...]:
        """Return the required parents of a variable."""
        return tuple(tail for tail, head in self.required if head == variable)

    def required_neighbours(self, variable: int) -> tuple[int, ...]:
        """Return the variables that must be adjacent to a variable, sorted."""
        ends = (edge for edge in self.required if variable in edge)
        return tuple(sorted(a if b == variable else b for a, b in ends))

    def forbidden_neighbours(self, variable: int) -> list[int]:
        """Return the variables that must not be adjacent to a variable."""
        if not self.restricts:
            return []
        forbidden = np.flatnonzero(~self.adjacency_allowed[variable]).tolist()
        return [other for other in forbidden if other != variable]

    def forces(self, tail: int, head: int) -> bool:
        """Return whether an edge between the two can only be tail -> head."""
        return bool(self.allowed[tail, head] and not self.allowed[head, tail])

    def select(self, variables: Sequence[int]) -> "Constraints":
        """Return the constraints of some variables, renumbered in the order given."""
        if not self.restricts:
            return Constraints.none(len(variables))
        number = {variable: i for i, variable in enumerate(variables)}
        kept = [(number[a], number[b]) for a, b in self.required if a in number and b in number]
        return Constraints(self.allowed[np.ix_(variables, variables)], tuple(sorted(kept)))

    def forbid_within(self, groups: Iterable[Sequence[int]]) -> "Constraints":
        """Return constraints in which variables of one group are adjacent only if required."""
        return self._forbid(np.ix_(group, group) for group in groups if len(group) > 1)

    def confine_to_required(self, variables: Iterable[int]) -> "Constraints":
        """Return constraints in which some variables have only required edges."""
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
