"""Orders in which variables are summed out, by several greedy rules; the cheapest is kept.

In: the scopes of factors, and how many levels each variable has. Out: an order, with the cliques
it makes and their cells. Neighbourhoods are integers used as sets of bits, which keeps networks of
a thousand variables within a fraction of a second.
"""

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass


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


def bits(mask: int) -> Iterator[int]:
    """List the positions of the bits that are set."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def neighbourhoods(scopes: Iterable[Sequence[int]]) -> dict[int, int]:
    """Join the variables of each scope with each other; a variable is not its own neighbour."""
    joined: dict[int, int] = {}
    for scope in scopes:
        mask = sum(1 << v for v in scope)
        for v in scope:
            joined[v] = joined.get(v, 0) | mask
    return {v: mask & ~(1 << v) for v, mask in joined.items()}


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
    graph = neighbourhoods(scopes)
    sets = [list(dict.fromkeys(stage)) for stage in stages]
    orders = []
    for rule in (_fill, _weight, _weighted_fill):
        order = _greedy(graph, n_levels, sets, rule)
        orders.append(order)
        if order.n_largest <= max((math.prod(n_levels[v] for v in s) for s in scopes), default=1):
            break  # no order has smaller cliques than the factors themselves
    return min(orders, key=lambda order: order.n_cells)


Rule = Callable[[int, dict[int, int], Sequence[float]], float]


def _fill(variable: int, graph: dict[int, int], logs: Sequence[float]) -> float:
    """How many pairs of neighbours would be joined; of equal ones, the smaller clique first."""
    around = graph[variable]
    missing = sum((around & ~graph[v]).bit_count() - 1 for v in bits(around))
    return missing + 1e-3 * _weight(variable, graph, logs)


def _weight(variable: int, graph: dict[int, int], logs: Sequence[float]) -> float:
    """Return the logarithm of the cells of the clique."""
    return logs[variable] + sum(logs[v] for v in bits(graph[variable]))


def _weighted_fill(variable: int, graph: dict[int, int], logs: Sequence[float]) -> float:
    """Count the pairs that would be joined, each counted by the logarithms of its levels."""
    around = graph[variable]
    total = 0.0
    for v in bits(around):
        for w in bits(around & ~graph[v] & ~((2 << v) - 1)):
            total += logs[v] * logs[w]
    return total + 1e-3 * _weight(variable, graph, logs)


def _greedy(
    graph: dict[int, int], n_levels: Sequence[int], stages: Sequence[Sequence[int]], rule: Rule
) -> Order:
    graph = dict(graph)
    logs = [math.log2(n) for n in n_levels]
    order: list[int] = []
    cliques: list[tuple[int, ...]] = []
    for stage in stages:
        for v in stage:
            graph.setdefault(v, 0)
        score = {v: rule(v, graph, logs) for v in stage}
        heap = [(value, v) for v, value in score.items()]
        heapq.heapify(heap)
        while heap:
            value, v = heapq.heappop(heap)
            if score.get(v) != value:
                continue  # the score has changed since
            del score[v]
            around = graph.pop(v)
            order.append(v)
            neighbours = tuple(bits(around))
            cliques.append((v, *neighbours))
            touched = around
            for w in neighbours:
                graph[w] = (graph[w] | around) & ~(1 << w) & ~(1 << v)
                touched |= graph[w]
            for w in bits(touched):
                if w in score:
                    new = rule(w, graph, logs)
                    if new != score[w]:
                        score[w] = new
                        heapq.heappush(heap, (new, w))
    sizes = tuple(math.prod(n_levels[v] for v in clique) for clique in cliques)
    return Order(tuple(order), tuple(cliques), sizes)
