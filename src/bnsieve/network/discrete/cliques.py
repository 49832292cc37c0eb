"""Orders of elimination and the trees of cliques that they make.

In: the scopes of factors, and how many states each variable has. Out: the cheapest of several
greedy orders; the `Tree` of cliques with the memory it takes. Nothing is allocated here: a tree is
the plan, which inference carries out and the report page takes along.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bnsieve import _native

RULES = ("fill", "weight", "weighted fill")
"""What is least for the next variable: pairs of neighbours that would become adjacent, cells of the
clique, or pairs counted by the logarithms of their states."""


@dataclass(frozen=True)
class Order:
    """An order of elimination and what it costs.

    Attributes
    ----------
    variables : tuple of int
        First to last.
    cliques : tuple of tuples of int
        For each variable, itself and the variables adjacent to it when its turn comes.
    sizes : tuple of int
        The cells of each clique.
    """

    variables: tuple[int, ...]
    cliques: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]

    @property
    def n_cells(self) -> int:
        """Cells of all cliques together."""
        return sum(self.sizes)

    @property
    def n_largest(self) -> int:
        """Cells of the largest clique."""
        return max(self.sizes, default=1)

    @property
    def largest(self) -> tuple[int, ...]:
        """The variables of the largest clique."""
        return self.cliques[self.sizes.index(self.n_largest)] if self.sizes else ()


def best_order(
    scopes: Sequence[Sequence[int]], n_states: Sequence[int], stages: Sequence[Iterable[int]]
) -> Order:
    """Return the cheapest of several greedy orders.

    Parameters
    ----------
    scopes : sequence of sequences of int
        The variables of each factor.
    n_states : sequence of int
    stages : sequence of iterables of int
        Which variables to eliminate: all of the first before any of the second, and so on.
    """
    stage_of = {v: number for number, stage in enumerate(stages) for v in stage}
    variables = list(dict.fromkeys([*stage_of, *(v for scope in scopes for v in scope)]))
    local = {v: i for i, v in enumerate(variables)}
    members = np.array([local[v] for scope in scopes for v in scope], dtype=np.int32)
    starts = np.cumsum([0, *map(len, scopes)], dtype=np.int64)
    logs = np.log2(np.array([n_states[v] for v in variables], dtype=np.float64))
    stage = np.array([stage_of.get(v, -1) for v in variables], dtype=np.int32)
    # No order has smaller cliques than the factors themselves.
    least = max((math.prod(n_states[v] for v in scope) for scope in scopes), default=1)
    orders: list[Order] = []
    for rule in RULES:
        order, others, ends = _native.elimination_order(
            members, starts, logs, stage, len(stages), rule
        )
        cliques = tuple(
            (variables[v], *(variables[w] for w in others[first:last]))
            for v, first, last in zip(order, ends, ends[1:], strict=False)
        )
        sizes = tuple(math.prod(n_states[v] for v in clique) for clique in cliques)
        orders.append(Order(tuple(variables[v] for v in order), cliques, sizes))
        if orders[-1].n_largest <= least:
            break
    return min(orders, key=lambda order: order.n_cells)


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
    n_states : sequence of int
    """

    cliques: tuple[Clique, ...]
    kept: tuple[int, ...]
    loose: tuple[int, ...]
    n_states: Sequence[int]

    def n_cells(self, scope: Iterable[int]) -> int:
        """How many cells a table over these variables has."""
        return math.prod(self.n_states[v] for v in scope)

    @cached_property
    def largest(self) -> tuple[int, ...]:
        """The scope of the largest table."""
        scopes = [clique.scope for clique in self.cliques]
        return max([*scopes, self.kept], key=self.n_cells)

    @property
    def n_steps(self) -> int:
        """Additions and multiplications that the margins of all variables take, roughly."""
        n_children = Counter(clique.parent for clique in self.cliques)
        return sum(
            self.n_cells(clique.scope) * (1 + 2 * n_children[i])
            for i, clique in enumerate(self.cliques)
        )

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
    n_states: Sequence[int],
    summed: Iterable[int],
    kept: Sequence[int] = (),
) -> Tree:
    """Plan how to sum some variables out of a product of factors.

    Parameters
    ----------
    scopes : sequence of sequences of int
        The variables of each factor; all are either summed or kept.
    n_states : sequence of int
    summed, kept : iterables of int
    """
    order = best_order([*scopes, kept], n_states, [summed])
    place = {v: i for i, v in enumerate((*order.variables, *kept))}
    n = len(order.variables)
    scope_of = [tuple(sorted(clique, key=place.__getitem__)) for clique in order.cliques]
    parent = [
        place[scope[1]] if len(scope) > 1 and place[scope[1]] < n else -1 for scope in scope_of
    ]
    # A clique that lies within another is made part of it: what each has become part of, and the
    # last variable that each clique sums out.
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
        n_own = len(scope_of[i]) - len(scope_of[last[i]]) + 1
        above = parent[last[i]]
        number = number_of[part_of[above]] if above >= 0 else -1
        cliques.append(Clique(scope_of[i], n_own, tuple(factors[i]), number))
    return Tree(tuple(cliques), tuple(kept), tuple(loose), n_states)


def plan_margins(n_states: Sequence[int], parents: Sequence[Sequence[int]]) -> Tree:
    """Plan how to compute the margins of all variables; factors are CPTs, numbered as they are.

    Parameters
    ----------
    n_states : sequence of int
    parents : sequence of sequences of int
        Of each variable, by position.
    """
    scopes = [(*given, v) for v, given in enumerate(parents)]
    return plan_tree(scopes, n_states, range(len(parents)))
