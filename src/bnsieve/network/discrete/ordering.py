"""Orders in which variables are summed out, by several greedy rules; the cheapest is kept.

In: the scopes of factors, and how many levels each variable has. Out: an order, with the cliques
it makes and their cells.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bnsieve import _native

RULES = ("fill", "weight", "weighted fill")
"""What is least for the next variable: pairs of neighbours that would be joined, cells of the
clique, or pairs counted by the logarithms of their levels."""


@dataclass(frozen=True)
class Order:
    """An order of elimination and what it costs.

    Attributes
    ----------
    variables : tuple of int
        First to last.
    cliques : tuple of tuples of int
        For each variable, itself and the variables it is joined with when its turn comes.
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
    scopes: Sequence[Sequence[int]], n_levels: Sequence[int], stages: Sequence[Iterable[int]]
) -> Order:
    """Return the cheapest of several greedy orders.

    Parameters
    ----------
    scopes : sequence of sequences of int
        The variables of each factor.
    n_levels : sequence of int
    stages : sequence of iterables of int
        Which variables to eliminate: all of the first before any of the second, and so on.
    """
    stage_of = {v: number for number, stage in enumerate(stages) for v in stage}
    variables = list(dict.fromkeys([*stage_of, *(v for scope in scopes for v in scope)]))
    local = {v: i for i, v in enumerate(variables)}
    members = np.array([local[v] for scope in scopes for v in scope], dtype=np.int32)
    starts = np.cumsum([0, *map(len, scopes)], dtype=np.int64)
    logs = np.log2(np.array([n_levels[v] for v in variables], dtype=np.float64))
    stage = np.array([stage_of.get(v, -1) for v in variables], dtype=np.int32)
    # No order has smaller cliques than the factors themselves.
    least = max((math.prod(n_levels[v] for v in scope) for scope in scopes), default=1)
    orders: list[Order] = []
    for rule in RULES:
        found = _native.elimination_order(members, starts, logs, stage, len(stages), rule)
        order = _named(found, variables, n_levels)
        orders.append(order)
        if order.n_largest <= least:
            break
    return min(orders, key=lambda order: order.n_cells)


def _named(
    found: tuple[list[int], list[int], list[int]], variables: Sequence[int], n_levels: Sequence[int]
) -> Order:
    order, members, starts = found
    cliques, sizes = [], []
    for v, start, stop in zip(order, starts, starts[1:], strict=False):
        clique = (variables[v], *(variables[w] for w in members[start:stop]))
        cliques.append(clique)
        sizes.append(math.prod(n_levels[w] for w in clique))
    return Order(tuple(variables[v] for v in order), tuple(cliques), tuple(sizes))
