"""The one graph type: DAG, CPDAG and PDAG alike.

In: node names with directed and undirected edges. Out: an immutable `Graph` that answers questions
about itself, draws itself, and takes the forms of other programs.

There is one matrix convention: ``A[i, j] = 1`` is a directed edge i -> j; an undirected edge i - j
has both ``A[i, j] = 1`` and ``A[j, i] = 1``. Edges are kept as index arrays, never as a matrix, so
a graph of 10,000 nodes costs what its edges cost.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnsieve.graph import adapters, edge_lists, equivalence
from bnsieve.graph.ancestral import AncestralGraph, pag_of
from bnsieve.graph.edge_lists import EdgeArray, EdgeLists, shown
from bnsieve.graph.layout import Flow, Placement, lay_out
from bnsieve.graph.over_time import GraphOverTime
from bnsieve.graph.picture import (
    MAX_NODES,
    PART_SIZES,
    Fate,
    Picture,
    Strengths,
    draw,
    edge_looks,
    is_quickly_drawn,
)
from bnsieve.text import MAX_TABLE_ROWS, NotebookTable, counted, listed, notebook_html

if TYPE_CHECKING:
    import networkx


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Graph:
    """A graph with named nodes, directed and undirected edges, without directed cycles.

    With directed edges only it is a DAG; with both kinds a PDAG, such as the CPDAG of an
    equivalence class. Graphs are values: they never change, can be dictionary keys, and are equal
    when they have the same nodes (in any order) and the same edges.

    Parameters
    ----------
    nodes : iterable of str
        All nodes, also those without edges. Methods return nodes in this order.
    directed : iterable of (str, str)
        Directed edges, as (tail, head).
    undirected : iterable of (str, str)
        Undirected edges, each once, with its nodes in any order.

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
    ) -> "Graph":
        """Build a graph from edges as positions in `nodes`: arrays of shape (n_edges, 2)."""
        graph = cls.__new__(cls)
        graph._set(edge_lists.checked_names(nodes), directed, undirected)
        return graph

    @classmethod
    def from_adjacency_matrix(cls, matrix: ArrayLike, nodes: Iterable[str]) -> "Graph":
        """Build a graph from a matrix of 0 and 1, as `adjacency_matrix` returns it."""
        names = edge_lists.checked_names(nodes)
        return cls.from_index_edges(names, *adapters.edges_of_matrix(matrix, len(names)))

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
        """The directed edges as positions in `nodes`, shape (n_directed, 2), sorted."""
        return self._edges.directed

    @property
    def undirected_index(self) -> EdgeArray:
        """The undirected edges as positions in `nodes`, shape (n_undirected, 2), sorted."""
        return self._edges.undirected

    @cached_property
    def directed_edges(self) -> tuple[tuple[str, str], ...]:
        """The directed edges, as (tail, head)."""
        return self._pairs(self.directed_index)

    @cached_property
    def undirected_edges(self) -> tuple[tuple[str, str], ...]:
        """The undirected edges, each once, the earlier node first."""
        return self._pairs(self.undirected_index)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """All edges: the directed ones as (tail, head), then the undirected ones."""
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
        """Whether every edge is directed; a graph without edges is a DAG too."""
        return len(self.undirected_index) == 0

    def parents(self, node: str) -> tuple[str, ...]:
        """Return the nodes with a directed edge to `node`."""
        return self._names(self._edges.parents[self._index(node)])

    def children(self, node: str) -> tuple[str, ...]:
        """Return the nodes to which `node` has a directed edge."""
        return self._names(self._edges.children[self._index(node)])

    def neighbours(self, node: str) -> tuple[str, ...]:
        """Return the nodes with an undirected edge to `node`."""
        return self._names(self._edges.neighbours[self._index(node)])

    def adjacent(self, node: str) -> tuple[str, ...]:
        """Return the nodes with an edge of either kind to `node`."""
        return self._names(self._edges.adjacent[self._index(node)])

    def has_edge(self, a: str, b: str) -> bool:
        """Tell whether the graph has a -> b or a - b, that is, ``A[a, b] = 1``."""
        i, j = self._index(a), self._index(b)
        return j in self._edges.children[i] or j in self._edges.neighbours[i]

    def adjacency_matrix(self) -> NDArray[np.uint8]:
        """Return the adjacency matrix, shape (n_nodes, n_nodes): 100 MB for 10,000 nodes.

        For a directed edge i -> j, ``A[i, j]`` is 1. For an undirected edge, ``A[i, j]`` and ``A[j,
        i]`` are 1.
        """
        return adapters.matrix_of_edges(self._edges)

    def skeleton(self) -> "Graph":
        """Return the same graph with every edge undirected."""
        edges = np.concatenate([self.directed_index, self.undirected_index])
        return Graph.from_index_edges(self.nodes, undirected=edges)

    def topological_order(self) -> tuple[str, ...]:
        """Return the nodes with parents before children, and otherwise in the order of `nodes`."""
        _require_dag(self, "a topological order")
        return self._names(self._edges.order)

    def d_separated(
        self, x: str | Iterable[str], y: str | Iterable[str], given: str | Iterable[str] = ()
    ) -> bool:
        """Tell whether `given` blocks every path between `x` and `y` in this DAG.

        Parameters
        ----------
        x, y, given : str or iterable of str
            One or several nodes. The three sets must not overlap, and only `given` may be empty.
        """
        _require_dag(self, "d-separation")
        return equivalence.d_separated(self._edges, *_disjoint(self, x, y, given))

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
        """Return the CPDAG: a directed edge where every DAG of the equivalence class agrees.

        The CPDAG of a PDAG is that of its consistent extensions, so directed edges that no
        independence supports become undirected. Without an extension, a ValueError is raised.
        """
        edges = equivalence.cpdag_edges(self.to_dag()._edges)
        return Graph.from_index_edges(self.nodes, *edges)

    def to_pag(self, hidden: Iterable[str] = ()) -> AncestralGraph:
        """Return the PAG, which allows hidden common causes of the nodes.

        All graphs with the same d-separations share its tails and arrowheads. Directions from
        knowledge are lost. `hidden` names nodes to hide. A `graph_` need not have a PAG.
        """
        return pag_of(self.nodes, self.to_dag()._edges, hidden)

    def over_time(self) -> GraphOverTime:
        """Return the views of a graph learned over time: by variable with lags, and by step."""
        return GraphOverTime(self.nodes, self.directed_edges, self.undirected_edges)

    @property
    def is_cpdag(self) -> bool:
        """Whether this graph is the CPDAG of an equivalence class of DAGs."""
        try:
            return self == self.to_cpdag()
        except ValueError:
            return False

    @property
    def is_maximally_oriented(self) -> bool:
        """Whether Meek's rules direct no further edge. This is true of every DAG and CPDAG."""
        try:
            self.to_dag()
            return self == self.meek_closure()
        except ValueError:
            return False

    def to_dag(self) -> "Graph":
        """Return a consistent extension: a DAG with the same skeleton and v-structures.

        Of several, it is the one whose edges follow the order of the nodes where possible. A DAG
        is its own extension. If there is none, a ValueError is raised.
        """
        if self.is_dag:
            return self
        directed, left_over = equivalence.consistent_extension(self._edges)
        if left_over:
            names = listed(map(shown, self._names(left_over)))
            raise ValueError(
                "the graph has no consistent extension: its undirected edges cannot be directed "
                f"without a directed cycle or a new v-structure among {names}."
            )
        return Graph.from_index_edges(self.nodes, directed)

    def meek_closure(self) -> "Graph":
        """Direct the undirected edges whose direction follows from the others (Meek's rules).

        A ValueError is raised if a directed cycle follows.
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
        """Return the graph with new names for some nodes: a mapping from old names to new ones."""
        new = list(self.nodes)
        for old, name in names.items():
            new[self._index(old)] = name
        return Graph.from_index_edges(new, self.directed_index, self.undirected_index)

    def reorder(self, nodes: Iterable[str]) -> "Graph":
        """Return the same graph with its nodes in another order."""
        names = edge_lists.checked_names(nodes)
        edge_lists.check_same_nodes(names, self.nodes, "the new order", "the graph")
        position = {name: i for i, name in enumerate(names)}
        new_index = np.array([position[name] for name in self.nodes], dtype=np.int64)
        return Graph.from_index_edges(
            names, new_index[self.directed_index], new_index[self.undirected_index]
        )

    def to_networkx(self) -> "networkx.DiGraph[str]":
        """Return a `networkx.DiGraph`; an undirected edge becomes two edges, one each way."""
        return adapters.networkx_of_edges(self.nodes, self._edges)

    @classmethod
    def from_networkx(cls, graph: "networkx.Graph[str]") -> "Graph":
        """Build a graph from a `networkx.Graph` or `DiGraph` whose nodes are strings.

        In a `DiGraph`, two edges between the same nodes, one each way, are an undirected edge.
        """
        return cls.from_index_edges(*adapters.edges_of_networkx(graph))

    def to_pgmpy(self) -> Any:
        """Return a `pgmpy.base.DAG`, or a `pgmpy.base.PDAG` if an edge is undirected."""
        return adapters.pgmpy_graph(self.nodes, self.directed_edges, self.undirected_edges)

    @classmethod
    def from_pgmpy(cls, graph: Any) -> "Graph":
        """Build a graph from a DAG, a PDAG or a network of pgmpy whose nodes are strings."""
        return cls.from_index_edges(*adapters.edges_of_networkx(graph))

    def to_causal_learn(self) -> Any:
        """Return a `GeneralGraph` of causal-learn."""
        return adapters.causal_learn_graph(self.nodes, self._edges)

    @classmethod
    def from_causal_learn(cls, graph: Any) -> "Graph":
        """Build a graph from a `GeneralGraph` of causal-learn, or what its ``pc`` returns.

        An edge with two arrowheads or a circle, as FCI's graphs have, is refused.
        """
        return cls.from_index_edges(*adapters.edges_of_causal_learn(graph))

    def plot(
        self,
        path: str | PathLike[str] | None = None,
        *,
        highlight: Iterable[str] = (),
        strengths: Mapping[tuple[str, str], Any] | Strengths | None = None,
        confirmed: Iterable[tuple[str, str]] | None = None,
        deterministic: Iterable[Iterable[str]] = (),
        title: str | None = None,
        flow: Flow | None = None,
        fates: Mapping[frozenset[str], Fate] | None = None,
        knowledge: Iterable[tuple[str, str]] = (),
        required: Iterable[tuple[str, str]] = (),
    ) -> Picture:
        """Draw the graph in layers, so that all arrows point the same way.

        Undirected edges have another colour. More than 2,000 nodes are refused.

        Parameters
        ----------
        path : str or path, optional
            An ``.svg`` file to write as well.
        highlight : iterable of str
            Nodes to draw in another colour.
        strengths : EdgeStrengths or mapping from (str, str) to numbers, optional
            The result of `bootstrap`, or a strength or (strength, direction) for some edges. Strong
            edges are thick, and edges below 0.7 dashed. A direction below 0.7 has a hollow head.
        confirmed : iterable of (str, str), optional
            Edges with a confirmed direction, such as `confirmed_edges_`. Other heads are hollow.
        deterministic : iterable of pairs of str
            Pairs in which one node is a deterministic function of the other. They get a double
            line.
        title : str, optional
            A title above the picture.
        flow : {"down", "right"}, optional
            The direction of the arrows, by default the one that fits a screen better.
        fates : mapping from frozenset of two str, optional
            For a picture of two graphs: "agreed", "missing", "extra" or "turned" for each edge.
        knowledge, required : iterable of (str, str)
            Edges that knowledge directs (`knowledge_edges_`) get one bar, and required edges two.
        """
        marks = (strengths, confirmed, deterministic, fates, tuple(knowledge), tuple(required))
        looks = [
            look
            for edges, directed in ((self.directed_edges, True), (self.undirected_edges, False))
            for look in edge_looks(edges, directed, *marks)
        ]
        return draw(self.nodes, self._edges, looks, highlight, title, flow).saved(path)

    def layout(self, flow: Flow | None = None) -> Placement:
        """Return the positions of nodes and edges in `plot`, the directed edges first."""
        return lay_out(self.nodes, self._edges, flow)

    def around(self, *nodes: str, most: int = 40) -> "Graph":
        """Return the graph of these nodes and the nearest others, `most` nodes in total."""
        start = [self._index(node) for node in nodes]
        return self.subgraph(self._names(edge_lists.nearest(self._edges.adjacent, start, most)))

    def _repr_html_(self) -> str:
        return _graph_html(self)

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
        return type(self).from_index_edges, (self.nodes, self.directed_index, self.undirected_index)

    def __repr__(self) -> str:
        edges = adapters.edges_as_text(self.nodes, self._edges)
        return f"<{self._summary()}{': ' if edges else ''}{', '.join(edges)}>"

    def __str__(self) -> str:
        return "\n  ".join([self._summary(), *adapters.edges_as_text(self.nodes, self._edges)])

    def _summary(self) -> str:
        kind = "DAG" if self.is_dag else "PDAG"
        return f"{kind} with {self.n_nodes} nodes and {self.n_edges} edges"


def _require_dag(graph: Graph, what: str) -> None:
    if not graph.is_dag:
        a, b = graph.undirected_edges[0]
        raise ValueError(
            f"{what} needs a DAG, but {shown(a)} - {shown(b)} is undirected; "
            "to_dag() directs such edges."
        )


def _disjoint(graph: Graph, *groups: str | Iterable[str]) -> list[set[int]]:
    """Return the nodes of x, y and given by number; refuse an empty x or y, and an overlap."""
    sets = [
        {graph._index(node) for node in ([nodes] if isinstance(nodes, str) else nodes)}
        for nodes in groups
    ]
    if not sets[0] or not sets[1]:
        raise ValueError("d_separated needs at least one node in x and one in y.")
    twice = [node for node, times in Counter(chain(*sets)).items() if times > 1]
    if twice:
        raise ValueError(f"x, y and given must not overlap, but share {graph.nodes[min(twice)]!r}.")
    return sets


def part_to_draw(graph: Graph) -> tuple[Graph, str]:
    """Return what a notebook draws of a graph, and what it says is left out.

    That is all of a graph of up to 200 nodes and 300 edges. Of a larger or denser one it is the
    part around the node with the most edges.
    """
    if is_quickly_drawn(graph.n_nodes, graph.n_edges):
        return graph, ""
    centre = max(graph.nodes, key=lambda node: len(graph.adjacent(node)))
    parts = (graph.around(centre, most=size) for size in PART_SIZES)
    part = next(one for one in parts if is_quickly_drawn(one.n_nodes, one.n_edges))
    return part, (
        f"Drawn are {part.n_nodes} of {graph.n_nodes:,} nodes: those nearest to {shown(centre)}, "
        "which has the most edges. graph.around(node) is another part"
        f"{', graph.plot() draws all' if graph.n_nodes <= MAX_NODES else ''}."
    )


def _graph_html(graph: Graph) -> str:
    """Return what a notebook shows: a picture, and a list of the edges."""
    part, note = part_to_draw(graph)
    edges = [(a, "→", b) for a, b in graph.directed_edges[:MAX_TABLE_ROWS]]
    edges += [(a, "—", b) for a, b in graph.undirected_edges[: MAX_TABLE_ROWS - len(edges)]]
    title = counted(graph.n_edges, "edge")
    return notebook_html(
        graph._summary(),
        note=note,
        picture=part.plot().svg if part.n_nodes else "",
        tables=[NotebookTable(title, ("from", "", "to"), edges, graph.n_edges)],
    )
