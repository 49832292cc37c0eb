"""d-separation and Markov equivalence: DAG to CPDAG and back, v-structures, Meek's rules.

In: edges by node number. Out: edges by node number. Two DAGs are Markov equivalent (no data can
tell them apart by independences) exactly when they have the same skeleton and the same
v-structures. A CPDAG stands for a whole equivalence class: a directed edge where all its DAGs
agree, an undirected edge where they do not.
"""

import heapq
from collections import deque
from collections.abc import Collection
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bnsieve.graph.edge_lists import EdgeArray, EdgeLists, edge_array, reachable


def d_separated(
    dag: EdgeLists, x: Collection[int], y: Collection[int], given: Collection[int]
) -> bool:
    """Tell whether `given` blocks every path between `x` and `y` (three disjoint sets).

    Walks along all open paths from `x`. What a walk may do next depends only on the node and on
    whether it came there along an edge or against one, so each node is visited at most twice.
    """
    goal = frozenset(y)
    observed = frozenset(given)
    opens_collider = reachable(observed, dag.parents.__getitem__)
    # (node, True): reached along an edge, from a parent; (node, False): from a child. A start
    # is like a node reached from a child: it may be left in every direction.
    stack = [(node, False) for node in x]
    seen = set(stack)
    while stack:
        node, from_parent = stack.pop()
        steps: list[tuple[int, bool]] = []
        if node not in observed:
            if node in goal:
                return False
            steps += [(child, True) for child in dag.children[node]]
        if (from_parent and node in opens_collider) or (not from_parent and node not in observed):
            steps += [(parent, False) for parent in dag.parents[node]]
        for step in steps:
            if step not in seen:
                seen.add(step)
                stack.append(step)
    return True


class _Sets:
    """A copy of a graph's edges as sets per node, which an algorithm may change."""

    def __init__(self, edges: EdgeLists) -> None:
        self.parents = [set(nodes) for nodes in edges.parents]
        self.children = [set(nodes) for nodes in edges.children]
        self.neighbours = [set(nodes) for nodes in edges.neighbours]
        self.adjacent = [set(nodes) for nodes in edges.adjacent]

    def direct(self, tail: int, head: int) -> None:
        """Direct the undirected edge between two nodes."""
        self.neighbours[tail].remove(head)
        self.neighbours[head].remove(tail)
        self.parents[head].add(tail)
        self.children[tail].add(head)

    def edges(self) -> tuple[EdgeArray, EdgeArray]:
        """Return the directed and the undirected edges, each undirected edge once."""
        directed = [(a, b) for a, heads in enumerate(self.children) for b in heads]
        undirected = [(a, b) for a, ends in enumerate(self.neighbours) for b in ends if a < b]
        return edge_array(directed), edge_array(undirected)


def compelled_parents(dag: EdgeLists) -> list[frozenset[int]]:
    """For each node of a DAG, find the parents whose edge is directed in the whole class.

    This is the edge labelling of Chickering (1995). Looked at node by node it needs one step
    each: with x the parent of y that comes last in the order,

    - if a compelled parent of x is no parent of y, or another parent of y is no parent of x,
      then every edge into y is compelled;
    - otherwise the edges into y from the compelled parents of x are, and no others.
    """
    parent_sets = [frozenset(its_parents) for its_parents in dag.parents]
    compelled: list[frozenset[int]] = [frozenset()] * dag.n_nodes
    place = [0] * dag.n_nodes
    for i, node in enumerate(dag.order):
        place[node] = i
        if not dag.parents[node]:
            continue
        last = max(dag.parents[node], key=place.__getitem__)
        others = parent_sets[node] - {last}
        same_family = compelled[last] <= others <= parent_sets[last]
        compelled[node] = compelled[last] if same_family else parent_sets[node]
    return compelled


def cpdag_edges(dag: EdgeLists) -> tuple[EdgeArray, EdgeArray]:
    """Return the directed and the undirected edges of the CPDAG of a DAG."""
    compelled = compelled_parents(dag)
    directed: list[tuple[int, int]] = []
    undirected: list[tuple[int, int]] = []
    for node, its_parents in enumerate(dag.parents):
        for parent in its_parents:
            (directed if parent in compelled[node] else undirected).append((parent, node))
    return edge_array(directed), edge_array(undirected)


def v_structures(edges: EdgeLists) -> NDArray[np.int64]:
    """List every a -> c <- b in which a and b are not adjacent.

    Returns
    -------
    ndarray of int64, shape (n_v_structures, 3)
        Rows (a, c, b) with a < b, sorted by c.
    """
    adjacent = [frozenset(nodes) for nodes in edges.adjacent]
    triples = [
        (a, collider, b)
        for collider, its_parents in enumerate(edges.parents)
        for a, b in combinations(its_parents, 2)
        if b not in adjacent[a]
    ]
    return np.array(triples, dtype=np.int64).reshape(-1, 3)


def consistent_extension(edges: EdgeLists) -> tuple[EdgeArray, list[int]]:
    """Direct every undirected edge without a directed cycle or a new v-structure.

    The algorithm of Dor and Tarsi (1992): find a node that can be a sink, point its undirected
    edges at it, take it away, and begin again. Any node that can be a sink may be taken; this
    takes the last. Removing a node can only make a sink of a node next to it, so only those
    are looked at again.

    Returns
    -------
    directed : ndarray of int64, shape (n_edges, 2)
    left_over : list of int
        Nodes among which no sink is left. If there are any, no extension exists and `directed`
        is incomplete.
    """
    graph = _Sets(edges)
    directed = edges.directed.tolist()
    candidates = [
        -node for node in range(edges.n_nodes)
    ]  # negative: heapq gives the smallest first
    heapq.heapify(candidates)
    remaining = set(range(edges.n_nodes))
    while candidates:
        node = -heapq.heappop(candidates)
        if node not in remaining or not _can_be_sink(graph, node):
            continue
        remaining.remove(node)
        directed += [[neighbour, node] for neighbour in graph.neighbours[node]]
        for other in graph.adjacent[node]:
            graph.adjacent[other].remove(node)
            graph.neighbours[other].discard(node)
            graph.children[other].discard(node)
            heapq.heappush(candidates, -other)
    return edge_array(directed), sorted(remaining)


def _can_be_sink(graph: _Sets, node: int) -> bool:
    """No edge leaves the node, and all its neighbours are adjacent to its other neighbours."""
    if graph.children[node]:
        return False
    adjacent = graph.adjacent[node]
    return all(
        # The cheap comparison first: it spares hubs with thousands of neighbours.
        len(graph.adjacent[neighbour]) >= len(adjacent)
        and adjacent - {neighbour} <= graph.adjacent[neighbour]
        for neighbour in graph.neighbours[node]
    )


def meek_closure(edges: EdgeLists) -> tuple[EdgeArray, EdgeArray]:
    """Direct the undirected edges that Meek's four rules (1995) decide, until none is left.

    Applied to a skeleton with its v-structures the result is the CPDAG; with further directed
    edges that are known beforehand it is the maximally oriented graph. If the graph given has no
    consistent extension, two rules may direct an edge differently: the first wins, and the result
    may hold a directed cycle or a new v-structure.

    Returns
    -------
    directed, undirected : ndarray of int64, shape (n_edges, 2)
    """
    graph = _Sets(edges)
    # A rule can only come to apply when a directed edge is added, so each is visited once.
    waiting = deque((tail, head) for tail, head in edges.directed.tolist())
    while waiting:
        for tail, head in _consequences(graph, *waiting.popleft()):
            if head in graph.neighbours[tail]:
                graph.direct(tail, head)
                waiting.append((tail, head))
    return graph.edges()


def _consequences(graph: _Sets, a: int, b: int) -> list[tuple[int, int]]:
    """List the directed edges that follow from a -> b, in an order that depends on nothing else."""
    parents, children = graph.parents, graph.children
    neighbours, adjacent = graph.neighbours, graph.adjacent
    found: set[tuple[int, int]] = set()
    # Rule 1: a -> b - c with a, c not adjacent; b <- c would be a new v-structure.
    found.update((b, c) for c in neighbours[b] - adjacent[a])
    # Rule 2: x -> y -> z with x - z; z -> x would close a cycle. a -> b is either edge.
    found.update((a, z) for z in children[b] & neighbours[a])
    found.update((x, b) for x in parents[a] & neighbours[b])
    for x in neighbours[a] & neighbours[b]:
        # Rule 3: a -> b <- d with a, d not adjacent, both neighbours of x, and x - b.
        if (parents[b] & neighbours[x]) - adjacent[a] - {a}:
            found.add((x, b))
    # Rule 4: k -> l -> t with k, t not adjacent; x - k, x - t, x next to l. Here a -> b is the
    # first edge, then the second.
    for t in children[b] - adjacent[a]:
        found.update((x, t) for x in neighbours[a] & neighbours[t] & adjacent[b])
    if neighbours[b]:
        for k in parents[a] - adjacent[b]:
            found.update((x, b) for x in neighbours[k] & neighbours[b] & adjacent[a])
    return sorted(found)
