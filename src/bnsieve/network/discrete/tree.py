"""The tree of cliques that an order of elimination makes, and the memory it takes.

In: an order and the scopes of factors. Out: a `Tree`: cliques, each with the factors it multiplies
and the clique that it sends its message to. Nothing is allocated here: a tree is the plan.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from bnsieve.network.discrete.ordering import Order, best_order

DEFAULT_MAX_BYTES = 1 << 30
"""What a question may take unless told otherwise: one gibibyte."""

_FLOAT = 8
# Python's own objects: one per clique, factor and message.
_PER_CLIQUE = 4_096
_BASE = 1 << 16


@dataclass(frozen=True)
class Clique:
    """Variables that are multiplied into one table.

    Attributes
    ----------
    scope : tuple of int
        In the order of elimination: those summed out here come first.
    n_own : int
        How many are summed out here.
    factors : tuple of int
        Positions of the factors that are multiplied here.
    parent : int
        The clique that takes the message; -1 if what is left are variables that are kept.
    """

    scope: tuple[int, ...]
    n_own: int
    factors: tuple[int, ...]
    parent: int

    @property
    def separator(self) -> tuple[int, ...]:
        """What the message is about."""
        return self.scope[self.n_own :]


@dataclass(frozen=True)
class Tree:
    """Cliques, children before parents.

    Attributes
    ----------
    cliques : tuple of Clique
    kept : tuple of int
        Variables that are not summed out.
    loose : tuple of int
        Factors about kept variables only.
    n_levels : sequence of int
    """

    cliques: tuple[Clique, ...]
    kept: tuple[int, ...]
    loose: tuple[int, ...]
    n_levels: Sequence[int]

    def n_cells(self, scope: Iterable[int]) -> int:
        """How many cells a table over these variables has."""
        cells = 1
        for v in scope:
            cells *= self.n_levels[v]
        return cells

    @cached_property
    def largest(self) -> tuple[int, ...]:
        """The scope of the largest table."""
        scopes = [clique.scope for clique in self.cliques]
        return max([*scopes, self.kept], key=self.n_cells)

    @cached_property
    def bytes_one_way(self) -> int:
        """What messages to one end take: all of them, and the largest table twice."""
        messages = sum(self.n_cells(clique.separator) for clique in self.cliques)
        return self._bytes(messages + 2 * self.n_cells(self.largest))

    @cached_property
    def bytes_both_ways(self) -> int:
        """What messages both ways take: every table is kept."""
        messages = sum(self.n_cells(clique.separator) for clique in self.cliques)
        tables = sum(self.n_cells(clique.scope) for clique in self.cliques)
        return self._bytes(2 * messages + tables + self.n_cells(self.largest))

    def _bytes(self, cells: int) -> int:
        return _FLOAT * cells + _PER_CLIQUE * len(self.cliques) + _BASE


def plan_tree(
    scopes: Sequence[Sequence[int]],
    n_levels: Sequence[int],
    summed: Iterable[int],
    kept: Sequence[int] = (),
) -> Tree:
    """Plan how to sum some variables out of a product of factors.

    Parameters
    ----------
    scopes : sequence of sequences of int
        The variables of each factor; all are either summed or kept.
    n_levels : sequence of int
    summed, kept : iterables of int
    """
    order = best_order([*scopes, kept], n_levels, [summed])
    return tree_of(order, scopes, n_levels, kept)


def tree_of(
    order: Order, scopes: Sequence[Sequence[int]], n_levels: Sequence[int], kept: Sequence[int]
) -> Tree:
    """Join the cliques of an order; one that lies within another is made part of it."""
    place = {v: i for i, v in enumerate((*order.variables, *kept))}
    n = len(order.variables)
    scope_of = [tuple(sorted(clique, key=place.__getitem__)) for clique in order.cliques]
    parent = [
        place[scope[1]] if len(scope) > 1 and place[scope[1]] < n else -1 for scope in scope_of
    ]
    # What a clique has become part of, and the last variable that each clique sums out.
    part_of = list(range(n))
    last = list(range(n))
    for i in range(n):
        above = parent[i]
        if above >= 0 and part_of[above] == above and len(scope_of[i]) == len(scope_of[above]) + 1:
            part_of[above] = part_of[i]
            last[part_of[i]] = above
    factors: list[list[int]] = [[] for _ in range(n)]
    loose = []
    for number, scope in enumerate(scopes):
        first = min((place[v] for v in scope), default=n)
        if first < n:
            factors[part_of[first]].append(number)
        else:
            loose.append(number)
    alive = sorted((i for i in range(n) if part_of[i] == i), key=last.__getitem__)
    number_of = {i: number for number, i in enumerate(alive)}
    cliques = []
    for i in alive:
        scope = scope_of[i]
        above = parent[last[i]]
        cliques.append(
            Clique(
                scope,
                len(scope) - len(scope_of[last[i]]) + 1,
                tuple(factors[i]),
                number_of[part_of[above]] if above >= 0 else -1,
            )
        )
    return Tree(tuple(cliques), tuple(kept), tuple(loose), n_levels)
