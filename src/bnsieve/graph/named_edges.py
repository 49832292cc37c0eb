"""Named nodes and their edges: what every question about a graph starts from.

In: node names with directed and undirected edges, by name, by number, or as a matrix. Out: an
immutable value, equal to any other with the same nodes and edges.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnsieve.graph import edge_lists, forms
from bnsieve.graph.edge_lists import EdgeArray, EdgeLists, shown


@dataclass(frozen=True, init=False, eq=False, repr=False)
class NamedEdges:
    """Base of `Graph`: nodes, arrows and undirected edges, without directed cycles."""

    nodes: tuple[str, ...]
    _edges: EdgeLists

    def __init__(
        self,
        nodes: Iterable[str],
        directed: Iterable[tuple[str, str]] = (),
        undirected: Iterable[tuple[str, str]] = (),
    ) -> None:
        names = edge_lists.checked_names(nodes)
        position = {name: i for i, name in enumerate(names)}
        self._set(
            names,
            edge_lists.edges_by_index(directed, position),
            edge_lists.edges_by_index(undirected, position),
        )

    @classmethod
    def from_index_edges(
        cls, nodes: Iterable[str], directed: ArrayLike = (), undirected: ArrayLike = ()
    ) -> Self:
        """Build a graph from edges given as positions in `nodes`.

        Parameters
        ----------
        nodes : iterable of str
        directed : array of int, shape (n_directed, 2)
            Arrows as (tail, head).
        undirected : array of int, shape (n_undirected, 2)
        """
        graph = cls.__new__(cls)
        graph._set(edge_lists.checked_names(nodes), directed, undirected)
        return graph

    @classmethod
    def from_adjacency_matrix(cls, matrix: ArrayLike, nodes: Iterable[str]) -> Self:
        """Build a graph from a matrix of 0 and 1.

        Parameters
        ----------
        matrix : array of shape (n_nodes, n_nodes)
            ``matrix[i, j] = 1`` is an arrow from node i to node j; where ``matrix[j, i] = 1`` as
            well, the edge is undirected.
        nodes : iterable of str
        """
        names = edge_lists.checked_names(nodes)
        return cls.from_index_edges(names, *forms.edges_of_matrix(matrix, len(names)))

    def _set(self, names: tuple[str, ...], directed: ArrayLike, undirected: ArrayLike) -> None:
        object.__setattr__(self, "nodes", names)
        object.__setattr__(self, "_edges", edge_lists.checked_edges(names, directed, undirected))

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
        return forms.matrix_of_edges(self._edges)

    def _require_dag(self, what: str) -> None:
        if not self.is_dag:
            a, b = self.undirected_edges[0]
            raise ValueError(
                f"{what} needs a DAG, but {shown(a)} - {shown(b)} is undirected; "
                "to_dag() directs such edges."
            )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NamedEdges):
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
        return type(self).from_index_edges, (self.nodes, self.directed_index, self.undirected_index)

    def __repr__(self) -> str:
        edges = forms.edges_as_text(self.nodes, self._edges)
        return f"<{self._summary()}{': ' if edges else ''}{', '.join(edges)}>"

    def __str__(self) -> str:
        return "\n  ".join([self._summary(), *forms.edges_as_text(self.nodes, self._edges)])

    def _summary(self) -> str:
        kind = "DAG" if self.is_dag else "PDAG"
        return f"{kind} with {self.n_nodes} nodes and {self.n_edges} edges"
