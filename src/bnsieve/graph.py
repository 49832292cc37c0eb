"""The one graph type: DAG, CPDAG and PDAG alike.

Comes in: node names with directed and undirected edges, by name, by number, or as a matrix.
Goes out: an immutable `Graph` that answers questions about itself.

There is one matrix convention: ``A[i, j] = 1`` is an arrow i -> j; an undirected edge i - j has
both ``A[i, j] = 1`` and ``A[j, i] = 1``. Edges are kept as index arrays, never as a matrix, so
a graph of 10,000 nodes costs what its edges cost.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnsieve import edgelists, equivalence, graphforms, separation
from bnsieve.adapters.graphs import GraphExchange
from bnsieve.edgelists import EdgeArray, EdgeLists, shown


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Graph(GraphExchange):
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
    _edges: EdgeLists

    def __init__(
        self,
        nodes: Iterable[str],
        directed: Iterable[tuple[str, str]] = (),
        undirected: Iterable[tuple[str, str]] = (),
    ) -> None:
        names = edgelists.checked_names(nodes)
        position = {name: i for i, name in enumerate(names)}
        self._set(
            names,
            edgelists.edges_by_index(directed, position),
            edgelists.edges_by_index(undirected, position),
        )

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
        graph._set(edgelists.checked_names(nodes), directed, undirected)
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
        names = edgelists.checked_names(nodes)
        return cls.from_index_edges(names, *graphforms.edges_of_matrix(matrix, len(names)))

    def _set(self, names: tuple[str, ...], directed: ArrayLike, undirected: ArrayLike) -> None:
        object.__setattr__(self, "nodes", names)
        object.__setattr__(self, "_edges", edgelists.checked_edges(names, directed, undirected))

    @cached_property
    def _position(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.nodes)}

    def _index(self, node: str) -> int:
        try:
            return self._position[node]
        except (KeyError, TypeError):
            raise ValueError(f"the graph has no node {node!r}.") from None

    def _names(self, indices: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.nodes[i] for i in indices)

    def _pairs(self, edges: EdgeArray) -> tuple[tuple[str, str], ...]:
        return tuple((self.nodes[i], self.nodes[j]) for i, j in edges.tolist())

    @property
    def directed_index(self) -> EdgeArray:
        """The arrows as (tail, head) positions in `nodes`, shape (n_directed, 2), sorted."""
        return self._edges.directed

    @property
    def undirected_index(self) -> EdgeArray:
        """The undirected edges as positions in `nodes`, shape (n_undirected, 2), sorted."""
        return self._edges.undirected

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
        return self._names(self._edges.parents[self._index(node)])

    def children(self, node: str) -> tuple[str, ...]:
        """Return the nodes to which `node` has an arrow."""
        return self._names(self._edges.children[self._index(node)])

    def neighbours(self, node: str) -> tuple[str, ...]:
        """Return the nodes joined to `node` by an undirected edge."""
        return self._names(self._edges.neighbours[self._index(node)])

    def adjacent(self, node: str) -> tuple[str, ...]:
        """Return the nodes joined to `node` by an edge of either kind."""
        return self._names(self._edges.adjacent[self._index(node)])

    def has_edge(self, a: str, b: str) -> bool:
        """Tell whether the graph has a -> b or a - b, that is, ``A[a, b] = 1``."""
        i, j = self._index(a), self._index(b)
        return j in self._edges.children[i] or j in self._edges.neighbours[i]

    def adjacency_matrix(self) -> NDArray[np.uint8]:
        """Return the graph as a matrix of 0 and 1.

        Returns
        -------
        ndarray of uint8, shape (n_nodes, n_nodes)
            ``A[i, j] = 1`` for an arrow i -> j; both ``A[i, j]`` and ``A[j, i]`` are 1 for an
            undirected edge. Dense: 100 MB for 10,000 nodes.
        """
        return graphforms.matrix_of_edges(self._edges)

    def skeleton(self) -> "Graph":
        """Return the same graph with every edge undirected."""
        edges = np.concatenate([self.directed_index, self.undirected_index])
        return Graph.from_index_edges(self.nodes, undirected=edges)

    def topological_order(self) -> tuple[str, ...]:
        """Order the nodes so that parents come before children, otherwise as in `nodes`."""
        self._require_dag("a topological order")
        return self._names(self._edges.order)

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
        return separation.d_separated(self._edges, *sets)

    def v_structures(self) -> tuple[tuple[str, str, str], ...]:
        """List every a -> c <- b in which a and b are not adjacent, as (a, c, b)."""
        name = self.nodes
        triples = equivalence.v_structures(self._edges).tolist()
        return tuple((name[a], name[collider], name[b]) for a, collider, b in triples)

    def markov_blanket(self, node: str) -> tuple[str, ...]:
        """Return the nodes that shield `node` from all others, in a DAG or a CPDAG.

        They are the nodes adjacent to it and the other parents of its children.
        """
        index = self._index(node)
        spouses = {p for child in self._edges.children[index] for p in self._edges.parents[child]}
        return self._names(sorted(spouses.union(self._edges.adjacent[index]) - {index}))

    def to_cpdag(self) -> "Graph":
        """Return the CPDAG: an arrow where every DAG of the equivalence class agrees.

        For a DAG, its class; for a PDAG, the class of its consistent extensions (all are
        equivalent), so arrows that no independence supports become undirected.

        Raises
        ------
        ValueError
            If the graph has no consistent extension.
        """
        edges = equivalence.cpdag_edges(self.to_dag()._edges)
        return Graph.from_index_edges(self.nodes, *edges)

    def is_cpdag(self) -> bool:
        """Tell whether this graph is the CPDAG of an equivalence class of DAGs."""
        try:
            return self == self.to_cpdag()
        except ValueError:
            return False

    def is_maximally_oriented(self) -> bool:
        """Tell whether this graph is an MPDAG: it has a DAG, and Meek's rules direct no more.

        Every CPDAG and every DAG is one; further arrows come from knowledge beyond the data.
        """
        try:
            self.to_dag()
            return self == self.meek_closure()
        except ValueError:
            return False

    def to_dag(self) -> "Graph":
        """Return a consistent extension: a DAG with the same skeleton, arrows and v-structures.

        Of several, the one returned depends only on the order of the nodes, which it follows
        where it can. A DAG is its own extension.

        Raises
        ------
        ValueError
            If there is none.
        """
        if self.is_dag:
            return self
        directed, left_over = equivalence.consistent_extension(self._edges)
        if left_over:
            names = ", ".join(shown(name) for name in self._names(left_over[:5]))
            raise ValueError(
                "the graph has no consistent extension: its undirected edges cannot be directed "
                f"without a directed cycle or a new v-structure among {names}"
                f"{' and others' if len(left_over) > 5 else ''}."
            )
        return Graph.from_index_edges(self.nodes, directed)

    def meek_closure(self) -> "Graph":
        """Direct the undirected edges whose direction follows from the arrows (Meek's rules).

        Raises
        ------
        ValueError
            If the arrows contradict each other so that a directed cycle follows.
        """
        return Graph.from_index_edges(self.nodes, *equivalence.meek_closure(self._edges))

    def subgraph(self, nodes: Iterable[str]) -> "Graph":
        """Return the graph of some nodes and the edges between them."""
        kept = np.zeros(self.n_nodes, dtype=bool)
        kept[[self._index(node) for node in nodes]] = True
        new_index = np.cumsum(kept) - 1
        arrays = (
            new_index[edges[kept[edges].all(axis=1)]]
            for edges in (self.directed_index, self.undirected_index)
        )
        return Graph.from_index_edges(self._names(np.flatnonzero(kept)), *arrays)

    def relabel(self, names: Mapping[str, str]) -> "Graph":
        """Return the graph with new names for some or all of its nodes.

        Parameters
        ----------
        names : mapping of str to str
            Old name to new name; nodes not mentioned keep theirs.
        """
        new = list(self.nodes)
        for old, name in names.items():
            new[self._index(old)] = name
        return Graph.from_index_edges(new, self.directed_index, self.undirected_index)

    def reorder(self, nodes: Iterable[str]) -> "Graph":
        """Return the same graph with its nodes in another order."""
        names = edgelists.checked_names(nodes)
        edgelists.check_same_nodes(names, self.nodes, "the new order", "the graph")
        position = {name: i for i, name in enumerate(names)}
        new_index = np.array([position[name] for name in self.nodes], dtype=np.int64)
        return Graph.from_index_edges(
            names, new_index[self.directed_index], new_index[self.undirected_index]
        )

    def _require_dag(self, what: str) -> None:
        if not self.is_dag:
            a, b = self.undirected_edges[0]
            raise ValueError(
                f"{what} needs a DAG, but {shown(a)} - {shown(b)} is undirected; "
                "to_dag() directs such edges."
            )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
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
        edges = graphforms.edges_as_text(self.nodes, self._edges)
        return f"<{self._summary()}{': ' if edges else ''}{', '.join(edges)}>"

    def __str__(self) -> str:
        return "\n  ".join([self._summary(), *graphforms.edges_as_text(self.nodes, self._edges)])

    def _summary(self) -> str:
        kind = "DAG" if self.is_dag else "PDAG"
        return f"{kind} with {self.n_nodes} nodes and {self.n_edges} edges"
