"""Walks along the edges of graphs whose nodes are numbers, names or anything else hashable.

In: where to start, and a way from a node to the next ones. Out: what is reached, or an order.
"""

import heapq
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def reachable(start: Iterable[Node], following: Callable[[Node], Iterable[Node]]) -> set[Node]:
    """Return the nodes to start from, and all that a walk from them comes to."""
    found = set(start)
    stack = list(found)
    while stack:
        new = [node for node in following(stack.pop()) if node not in found]
        found.update(new)
        stack.extend(new)
    return found


def topological_order(
    parents: Sequence[Sequence[int]], children: Sequence[Sequence[int]]
) -> list[int]:
    """Order the nodes so that every arrow points forwards, as near to 0, 1, 2, ... as can be.

    Nodes on a directed cycle, and all that come after one, are left out: the order is complete
    exactly when there is no cycle.
    """
    n_waiting = [len(own) for own in parents]
    ready = [node for node, n in enumerate(n_waiting) if n == 0]  # increasing: already a heap
    order = []
    while ready:
        node = heapq.heappop(ready)
        order.append(node)
        for child in children[node]:
            n_waiting[child] -= 1
            if n_waiting[child] == 0:
                heapq.heappush(ready, child)
    return order


def children_of(parents: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the children of each node, in increasing order, from the parents of each."""
    children: list[list[int]] = [[] for _ in parents]
    for child, own in enumerate(parents):
        for parent in own:
            children[parent].append(child)
    return children


def descendants_as_bits(order: Sequence[int], children: Sequence[Sequence[int]]) -> list[int]:
    """Return the descendants of each node, node v as bit v; parents come first in `order`."""
    found = [0] * len(children)
    for node in reversed(order):
        for child in children[node]:
            found[node] |= found[child] | 1 << child
    return found
