"""Edges as index pairs: the plain form every graph algorithm works on.

Comes in: node numbers and integer arrays of shape (n_edges, 2). Goes out: neighbour lists,
an order of the nodes in which every arrow points forwards, or the cycle that forbids one.
Nothing here knows node names; `bnsieve.graph.Graph` translates.
"""

import heapq
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

EdgeArray: TypeAlias = NDArray[np.int64]
"""Edges as pairs of node numbers, shape (n_edges, 2)."""

NeighbourLists: TypeAlias = tuple[tuple[int, ...], ...]
"""For each node, the numbers of the nodes it is joined to, in increasing order."""


def edge_array(edges: ArrayLike) -> EdgeArray:
    """Return `edges` as an int64 array of shape (n_edges, 2), also when there are none."""
    array = np.asarray(edges)
    if array.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ValueError(
            f"edges must be an integer array of shape (n_edges, 2), "
            f"got {array.dtype} of shape {array.shape}."
        )
    return array.astype(np.int64)


def sorted_edges(edges: EdgeArray) -> EdgeArray:
    """Return the edges sorted by first node, then by second."""
    return edges[np.lexsort((edges[:, 1], edges[:, 0]))]


def neighbour_lists(n_nodes: int, edges: EdgeArray) -> NeighbourLists:
    """For each node, list the second ends of the edges that begin there.

    Parameters
    ----------
    n_nodes : int
    edges : ndarray of int64, shape (n_edges, 2)

    Returns
    -------
    tuple of n_nodes tuples of int, each in increasing order
    """
    ordered = sorted_edges(edges)
    ends = ordered[:, 1].tolist()
    starts = np.searchsorted(ordered[:, 0], np.arange(n_nodes + 1)).tolist()
    return tuple(tuple(ends[starts[i] : starts[i + 1]]) for i in range(n_nodes))


def topological_order(parents: NeighbourLists, children: NeighbourLists) -> list[int]:
    """Order the nodes so that every arrow points forwards, as near to 0, 1, 2, ... as can be.

    Nodes on a directed cycle, and all that come after one, are left out: the order is complete
    exactly when there is no cycle.
    """
    n_waiting = [len(p) for p in parents]
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


def directed_cycle(parents: NeighbourLists, order: Sequence[int]) -> list[int]:
    """Name one directed cycle among the nodes that `topological_order` left out.

    Returns
    -------
    list of int
        Nodes along the arrows; the last points back to the first. Empty if there is no cycle.
    """
    left_out = set(range(len(parents))).difference(order)
    if not left_out:
        return []
    # Every node left out has a parent left out, so walking upwards must come round.
    node = min(left_out)
    walk: dict[int, int] = {}
    while node not in walk:
        walk[node] = len(walk)
        node = next(parent for parent in parents[node] if parent in left_out)
    cycle_against_arrows = list(walk)[walk[node] :]
    return cycle_against_arrows[::-1]
