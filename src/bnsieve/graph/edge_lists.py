"""Edges as pairs of node numbers, and walks along them: what every graph algorithm works on.

In: node names and edges, as a user gives them. Out: `EdgeLists`, checked integer arrays of shape
(n_edges, 2) with neighbour lists, and an order of the nodes in which every directed edge points
forwards, or the cycle that forbids one. Names appear here only in error messages.
"""

import heapq
import re
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

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


def nearest(adjacent: Sequence[Sequence[int]], start: Iterable[int], most: int) -> list[int]:
    """Return the nodes to start from and those nearest to them, `most` in all if there are more."""
    found = dict.fromkeys(start)
    waiting = deque(found)
    while waiting:
        for near in sorted(adjacent[waiting.popleft()]):
            if near not in found and len(found) < most:
                found[near] = None
                waiting.append(near)
    return list(found)


def topological_order(
    parents: Sequence[Sequence[int]], children: Sequence[Sequence[int]]
) -> list[int]:
    """Order the nodes so that every edge points forwards, as near to 0, 1, 2, ... as can be.

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


EdgeArray: TypeAlias = NDArray[np.int64]
"""Edges as pairs of node numbers, shape (n_edges, 2)."""

NeighbourLists: TypeAlias = tuple[tuple[int, ...], ...]
"""For each node, the numbers of its neighbours, in increasing order."""


@dataclass(frozen=True, eq=False)
class EdgeLists:
    """The edges of a graph by node number, and what is read off them.

    Attributes
    ----------
    n_nodes : int
    directed : ndarray of int64, shape (n_directed, 2)
        Directed edges as (tail, head), sorted. Read-only.
    undirected : ndarray of int64, shape (n_undirected, 2)
        Undirected edges once each, the smaller node first, sorted. Read-only.
    """

    n_nodes: int
    directed: EdgeArray
    undirected: EdgeArray

    @cached_property
    def parents(self) -> NeighbourLists:
        """For each node, the tails of the directed edges into it."""
        return neighbour_lists(self.n_nodes, self.directed[:, ::-1])

    @cached_property
    def children(self) -> NeighbourLists:
        """For each node, the heads of the directed edges out of it."""
        return neighbour_lists(self.n_nodes, self.directed)

    @cached_property
    def neighbours(self) -> NeighbourLists:
        """For each node, the other ends of its undirected edges."""
        return neighbour_lists(
            self.n_nodes, np.concatenate([self.undirected, self.undirected[:, ::-1]])
        )

    @cached_property
    def adjacent(self) -> NeighbourLists:
        """For each node, the nodes it shares an edge of either kind with."""
        edges = np.concatenate([self.directed, self.undirected])
        return neighbour_lists(self.n_nodes, np.concatenate([edges, edges[:, ::-1]]))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The nodes in topological order, as near to 0, 1, 2, ... as can be."""
        return tuple(topological_order(self.parents, self.children))


def checked_edges(names: Sequence[str], directed: ArrayLike, undirected: ArrayLike) -> EdgeLists:
    """Build the edge lists of a graph, refusing whatever is not one.

    That is unknown nodes, self-loops, more than one edge for a pair, and directed cycles.
    """
    one_way = sorted_edges(edge_array(directed))
    both_ways = sorted_edges(np.sort(edge_array(undirected), axis=1))
    _refuse_wrong_pairs(names, np.concatenate([one_way, both_ways]))
    one_way.flags.writeable = both_ways.flags.writeable = False
    edges = EdgeLists(len(names), one_way, both_ways)
    cycle = directed_cycle(edges.parents, edges.order)
    if cycle:
        path = " -> ".join(shown(names[i]) for i in [*cycle, cycle[0]])
        raise ValueError(f"the edges form a directed cycle: {path}.")
    return edges


def _refuse_wrong_pairs(names: Sequence[str], edges: EdgeArray) -> None:
    unknown = edges[(edges < 0) | (edges >= len(names))]
    if unknown.size:
        raise ValueError(f"an edge names node {unknown[0]}, but there are {len(names)} nodes.")
    loops = edges[edges[:, 0] == edges[:, 1]]
    if loops.size:
        raise ValueError(f"node {names[loops[0, 0]]!r} has an edge to itself.")
    pairs = sorted_edges(np.sort(edges, axis=1))
    repeated = np.flatnonzero((pairs[1:] == pairs[:-1]).all(axis=1))
    if repeated.size:
        a, b = pairs[repeated[0]]
        raise ValueError(
            f"{names[a]!r} and {names[b]!r} have more than one edge; "
            "give each pair one directed or one undirected edge."
        )


def shown(name: str) -> str:
    """Quote a name that could be misread in a list of edges."""
    return name if re.fullmatch(r"[\w.]+", name) else repr(name)


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


def checked_names(nodes: Iterable[str]) -> tuple[str, ...]:
    """Return the node names as a tuple, after refusing what is no string or comes twice."""
    if isinstance(nodes, str):
        raise TypeError(f"nodes must be several names, got the one string {nodes!r}.")
    names = tuple(nodes)
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"node names must be strings, got {name!r}; use str() on them first.")
        if name in seen:
            raise ValueError(f"node {name!r} is given twice.")
        seen.add(name)
    return names


def check_same_nodes(names: Iterable[str], expected: Iterable[str], given: str, like: str) -> None:
    """Refuse node names that are not those expected; their order may differ.

    Parameters
    ----------
    names, expected : iterable of str
    given, like : str
        What the error message calls the two.
    """
    have, want = set(names), set(expected)
    if have != want:
        name = min(have ^ want)
        lacking, holding = (given, like) if name in want else (like, given)
        raise ValueError(
            f"{given} and {like} must have the same nodes, "
            f"but {name!r} is in {holding} and not in {lacking}."
        )


def edges_by_index(edges: Iterable[tuple[str, str]], position: Mapping[str, int]) -> EdgeArray:
    """Translate edges by name into edges by number."""
    pairs = []
    for edge in edges:
        if isinstance(edge, str) or len(edge) != 2:
            raise ValueError(f"an edge must be a pair of nodes, got {edge!r}.")
        for end in edge:
            if end not in position:
                raise ValueError(f"the edge {tuple(edge)!r} names {end!r}, which is not a node.")
        pairs.append((position[edge[0]], position[edge[1]]))
    return edge_array(pairs)


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


def directed_cycle(parents: NeighbourLists, order: Sequence[int]) -> list[int]:
    """Name one directed cycle among the nodes that `topological_order` left out.

    Returns
    -------
    list of int
        Nodes along the edges; the last points back to the first. Empty if there is no cycle.
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
