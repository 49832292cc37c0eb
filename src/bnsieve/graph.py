"""The one graph type: DAG, CPDAG and PDAG alike.

Comes in: node names with directed and undirected edges, by name, by number, or as a matrix.
Goes out: an immutable `Graph` that answers questions about itself.

There is one matrix convention: ``A[i, j] = 1`` is an arrow i -> j; an undirected edge i - j has
both ``A[i, j] = 1`` and ``A[j, i] = 1``. Edges are kept as index arrays, never as a matrix, so
a graph of 10,000 nodes costs what its edges cost.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnsieve import edgelists, equivalence, separation
from bnsieve.edgelists import EdgeArray, NeighbourLists

N_EDGES_SHOWN = 20


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Graph:
    """A graph with named nodes, arrows and undirected edges, without directed cycles.

    With arrows only it is a DAG; with both kinds a PDAG, of which the CPDAG of an equivalence
    class is the best known kind. Graphs are values: they never change, can be dictionary keys,
    and are equal when they have the same nodes (in any order) and the same edges.

    Parameters
    ----------
    nodes : iterable of str
        All nodes, those without edges too. Their order is kept in every answer.
    directed : iterable of (str, str)
        Arrows, as (tail, head).
    undirected : iterable of (str, str)
        Undirected edges, each given once, in either direction.

    Attributes
    ----------
    nodes : tuple of str
    directed_index : ndarray of int64, shape (n_directed, 2)
        Arrows as (tail, head) positions in `nodes`, sorted. Read-only.
    undirected_index : ndarray of int64, shape (n_undirected, 2)
        Undirected edges as positions in `nodes`, the smaller first, sorted. Read-only.

    Examples
    --------
    >>> graph = Graph(["rain", "sprinkler", "wet"], [("rain", "wet"), ("sprinkler", "wet")])
    >>> graph.parents("wet")
    ('rain', 'sprinkler')
    >>> graph.d_separated("rain", "sprinkler")
    True
    >>> graph.d_separated("rain", "sprinkler", given="wet")
    False
    """

    nodes: tuple[str, ...]
    directed_index: EdgeArray
    undirected_index: EdgeArray

    def __init__(
        self,
        nodes: Iterable[str],
        directed: Iterable[tuple[str, str]] = (),
        undirected: Iterable[tuple[str, str]] = (),
    ) -> None:
        names = _checked_names(nodes)
        position = {name: i for i, name in enumerate(names)}
        self._set(names, _to_index(directed, position), _to_index(undirected, position))

    @classmethod
    def from_index_edges(
        cls, nodes: Iterable[str], directed: ArrayLike = (), undirected: ArrayLike = ()
    ) -> "Graph":
        """Build a graph from edges given as positions in `nodes`.

        Parameters
        ----------
        nodes : iterable of str
        directed : array of int, shape (n_directed, 2)
            Arrows as (tail, head).
        undirected : array of int, shape (n_undirected, 2)
        """
        graph = cls.__new__(cls)
        names = _checked_names(nodes)
        graph._set(names, edgelists.edge_array(directed), edgelists.edge_array(undirected))
        return graph

    @classmethod
    def from_adjacency_matrix(cls, matrix: ArrayLike, nodes: Iterable[str]) -> "Graph":
        """Build a graph from a matrix of 0 and 1.

        Parameters
        ----------
        matrix : array of shape (n_nodes, n_nodes)
            ``matrix[i, j] = 1`` is an arrow from node i to node j; where ``matrix[j, i] = 1`` as
            well, the edge is undirected.
        nodes : iterable of str
        """
        names = _checked_names(nodes)
        array = np.asarray(matrix)
        if array.shape != (len(names), len(names)):
            raise ValueError(
                f"an adjacency matrix of {len(names)} nodes must have shape "
                f"{(len(names), len(names))}, got {array.shape}."
            )
        present = array != 0
        if not np.array_equal(array[present], np.ones(np.count_nonzero(present))):
            raise ValueError("an adjacency matrix must hold only 0 and 1.")
        both = present & present.T
        return cls.from_index_edges(
            names, np.argwhere(present & ~both), np.argwhere(np.triu(both, k=0))
        )

    def _set(self, names: tuple[str, ...], directed: EdgeArray, undirected: EdgeArray) -> None:
        directed = edgelists.sorted_edges(directed)
        undirected = edgelists.sorted_edges(np.sort(undirected, axis=1))
        _check_edges(names, directed, undirected)
        for array in (directed, undirected):
            array.flags.writeable = False
        object.__setattr__(self, "nodes", names)
        object.__setattr__(self, "directed_index", directed)
        object.__setattr__(self, "undirected_index", undirected)
        cycle = edgelists.directed_cycle(self._parents, self._order)
        if cycle:
            raise ValueError(
                "the arrows form a directed cycle: "
                + " -> ".join(_shown(names[i]) for i in [*cycle, cycle[0]])
                + "."
            )

    @cached_property
    def _position(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.nodes)}

    @cached_property
    def _parents(self) -> NeighbourLists:
        return edgelists.neighbour_lists(len(self.nodes), self.directed_index[:, ::-1])

    @cached_property
    def _children(self) -> NeighbourLists:
        return edgelists.neighbour_lists(len(self.nodes), self.directed_index)

    @cached_property
    def _neighbours(self) -> NeighbourLists:
        both_ways = np.concatenate([self.undirected_index, self.undirected_index[:, ::-1]])
        return edgelists.neighbour_lists(len(self.nodes), both_ways)

    @cached_property
    def _order(self) -> tuple[int, ...]:
        return tuple(edgelists.topological_order(self._parents, self._children))

    def _index(self, node: str) -> int:
        try:
            return self._position[node]
        except (KeyError, TypeError):
            raise ValueError(f"the graph has no node {node!r}.") from None

    def _names(self, indices: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.nodes[i] for i in indices)

    def _pairs(self, edges: EdgeArray) -> tuple[tuple[str, str], ...]:
        return tuple((self.nodes[i], self.nodes[j]) for i, j in edges.tolist())

    @cached_property
    def directed_edges(self) -> tuple[tuple[str, str], ...]:
        """The arrows, as (tail, head)."""
        return self._pairs(self.directed_index)

    @cached_property
    def undirected_edges(self) -> tuple[tuple[str, str], ...]:
        """The undirected edges, each once, the earlier node first."""
        return self._pairs(self.undirected_index)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Every edge once: the arrows as (tail, head), then the undirected edges."""
        return self.directed_edges + self.undirected_edges

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return len(self.nodes)

    @property
    def n_edges(self) -> int:
        """The number of edges of both kinds."""
        return len(self.directed_index) + len(self.undirected_index)

    @property
    def is_dag(self) -> bool:
        """Whether every edge is an arrow (a graph without edges is a DAG too)."""
        return len(self.undirected_index) == 0

    def parents(self, node: str) -> tuple[str, ...]:
        """Return the nodes with an arrow to `node`."""
        return self._names(self._parents[self._index(node)])

    def children(self, node: str) -> tuple[str, ...]:
        """Return the nodes to which `node` has an arrow."""
        return self._names(self._children[self._index(node)])

    def neighbours(self, node: str) -> tuple[str, ...]:
        """Return the nodes joined to `node` by an undirected edge."""
        return self._names(self._neighbours[self._index(node)])

    def _adjacent(self, index: int) -> set[int]:
        return {*self._parents[index], *self._children[index], *self._neighbours[index]}

    def adjacent(self, node: str) -> tuple[str, ...]:
        """Return the nodes joined to `node` by an edge of either kind."""
        return self._names(sorted(self._adjacent(self._index(node))))

    def has_edge(self, a: str, b: str) -> bool:
        """Tell whether the graph has a -> b or a - b, that is, ``A[a, b] = 1``."""
        i, j = self._index(a), self._index(b)
        return j in self._children[i] or j in self._neighbours[i]

    def adjacency_matrix(self) -> NDArray[np.uint8]:
        """Return the graph as a matrix of 0 and 1.

        Returns
        -------
        ndarray of uint8, shape (n_nodes, n_nodes)
            ``A[i, j] = 1`` for an arrow i -> j; both ``A[i, j]`` and ``A[j, i]`` are 1 for an
            undirected edge. Dense: 100 MB for 10,000 nodes.
        """
        matrix = np.zeros((self.n_nodes, self.n_nodes), dtype=np.uint8)
        for edges in (self.directed_index, self.undirected_index, self.undirected_index[:, ::-1]):
            matrix[edges[:, 0], edges[:, 1]] = 1
        return matrix

    def skeleton(self) -> "Graph":
        """Return the same graph with every edge undirected."""
        edges = np.concatenate([self.directed_index, self.undirected_index])
        return Graph.from_index_edges(self.nodes, undirected=edges)

    def topological_order(self) -> tuple[str, ...]:
        """Order the nodes so that parents come before children, otherwise as in `nodes`."""
        self._require_dag("a topological order")
        return self._names(self._order)

    def d_separated(
        self, x: str | Iterable[str], y: str | Iterable[str], given: str | Iterable[str] = ()
    ) -> bool:
        """Tell whether `given` blocks every path between `x` and `y` in this DAG.

        Parameters
        ----------
        x, y, given : str or iterable of str
            One node or several; the three must not overlap, and only `given` may be empty.
        """
        self._require_dag("d-separation")
        sets = [
            {self._index(node) for node in ([nodes] if isinstance(nodes, str) else nodes)}
            for nodes in (x, y, given)
        ]
        if not sets[0] or not sets[1]:
            raise ValueError("d_separated needs at least one node in x and one in y.")
        shared = (sets[0] & sets[1]) | (sets[0] & sets[2]) | (sets[1] & sets[2])
        if shared:
            raise ValueError(
                f"x, y and given must not overlap, but share {self.nodes[min(shared)]!r}."
            )
        return separation.d_separated(self._parents, self._children, *sets)

    def to_cpdag(self) -> "Graph":
        """Return the CPDAG of this DAG: an arrow where every Markov equivalent DAG agrees."""
        self._require_dag("to_cpdag")
        return Graph.from_index_edges(
            self.nodes, *equivalence.cpdag_edges(self._parents, self._order)
        )

    def _require_dag(self, what: str) -> None:
        if not self.is_dag:
            a, b = self.undirected_edges[0]
            raise ValueError(
                f"{what} needs a DAG, but {_shown(a)} - {_shown(b)} is undirected; "
                "to_dag() directs such edges."
            )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        if self.nodes == other.nodes:
            return np.array_equal(self.directed_index, other.directed_index) and np.array_equal(
                self.undirected_index, other.undirected_index
            )
        return self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    @cached_property
    def _value(self) -> tuple[frozenset[Any], frozenset[Any], frozenset[Any]]:
        return (
            frozenset(self.nodes),
            frozenset(self.directed_edges),
            frozenset(map(frozenset, self.undirected_edges)),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # Rebuilt rather than copied: NumPy does not keep arrays read-only through pickle.
        return Graph.from_index_edges, (self.nodes, self.directed_index, self.undirected_index)

    def __repr__(self) -> str:
        shown = self._shown_edges()
        return f"<{self._summary()}{': ' if shown else ''}{', '.join(shown)}>"

    def __str__(self) -> str:
        return "\n  ".join([self._summary(), *self._shown_edges()])

    def _summary(self) -> str:
        kind = "DAG" if self.is_dag else "PDAG"
        return f"{kind} with {self.n_nodes} nodes and {self.n_edges} edges"

    def _shown_edges(self) -> list[str]:
        edges = [(*e, "->") for e in self.directed_edges] + [
            (*e, "-") for e in self.undirected_edges
        ]
        shown = [f"{_shown(a)} {mark} {_shown(b)}" for a, b, mark in edges[:N_EDGES_SHOWN]]
        if len(edges) > N_EDGES_SHOWN:
            shown.append(f"... {len(edges) - N_EDGES_SHOWN} more")
        return shown


def _shown(name: str) -> str:
    """Quote a name that could be misread in a list of edges."""
    return name if re.fullmatch(r"[\w.]+", name) else repr(name)


def _checked_names(nodes: Iterable[str]) -> tuple[str, ...]:
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


def _to_index(edges: Iterable[tuple[str, str]], position: Mapping[str, int]) -> EdgeArray:
    pairs = []
    for edge in edges:
        if isinstance(edge, str) or len(edge) != 2:
            raise ValueError(f"an edge must be a pair of nodes, got {edge!r}.")
        for end in edge:
            if end not in position:
                raise ValueError(f"the edge {tuple(edge)!r} names {end!r}, which is not a node.")
        pairs.append((position[edge[0]], position[edge[1]]))
    return edgelists.edge_array(pairs)


def _check_edges(names: Sequence[str], directed: EdgeArray, undirected: EdgeArray) -> None:
    """Refuse unknown nodes, self-loops, and more than one edge for a pair."""
    edges = np.concatenate([directed, undirected])
    unknown = edges[(edges < 0) | (edges >= len(names))]
    if unknown.size:
        raise ValueError(f"an edge names node {unknown[0]}, but there are {len(names)} nodes.")
    loops = edges[edges[:, 0] == edges[:, 1]]
    if loops.size:
        raise ValueError(f"node {names[loops[0, 0]]!r} has an edge to itself.")
    pairs, n_times = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
    if np.any(n_times > 1):
        a, b = pairs[np.argmax(n_times > 1)]
        raise ValueError(
            f"{names[a]!r} and {names[b]!r} are joined by more than one edge; "
            "give each pair one arrow or one undirected edge."
        )
