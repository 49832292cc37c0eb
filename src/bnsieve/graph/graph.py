"""The one graph type: DAG, CPDAG and PDAG alike.

In: node names with directed and undirected edges. Out: an immutable `Graph` that answers questions
about itself, draws itself, and takes the forms of other programs.

There is one matrix convention: ``A[i, j] = 1`` is an arrow i -> j; an undirected edge i - j has
both ``A[i, j] = 1`` and ``A[j, i] = 1``. Edges are kept as index arrays, never as a matrix, so
a graph of 10,000 nodes costs what its edges cost.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from bnsieve.graph import edge_lists, equivalence, forms, separation
from bnsieve.graph.edge_lists import shown
from bnsieve.graph.named_edges import NamedEdges
from bnsieve.text import MAX_TABLE_ROWS, NotebookTable, counted, listed, notebook_html

if TYPE_CHECKING:
    import networkx

    from bnsieve.graph.drawing.layout import Flow, Placement
    from bnsieve.graph.drawing.plot import Picture, Strengths
    from bnsieve.graph.drawing.svg import Fate


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Graph(NamedEdges):
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

    def __init__(
        self,
        nodes: Iterable[str],
        directed: Iterable[tuple[str, str]] = (),
        undirected: Iterable[tuple[str, str]] = (),
    ) -> None:
        super().__init__(nodes, directed, undirected)

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

    @property
    def is_cpdag(self) -> bool:
        """Whether this graph is the CPDAG of an equivalence class of DAGs."""
        try:
            return self == self.to_cpdag()
        except ValueError:
            return False

    @property
    def is_maximally_oriented(self) -> bool:
        """Whether this graph is an MPDAG: it has a DAG, and Meek's rules direct no more.

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
            names = listed(map(shown, self._names(left_over)))
            raise ValueError(
                "the graph has no consistent extension: its undirected edges cannot be directed "
                f"without a directed cycle or a new v-structure among {names}."
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
        names = edge_lists.checked_names(nodes)
        edge_lists.check_same_nodes(names, self.nodes, "the new order", "the graph")
        position = {name: i for i, name in enumerate(names)}
        new_index = np.array([position[name] for name in self.nodes], dtype=np.int64)
        return Graph.from_index_edges(
            names, new_index[self.directed_index], new_index[self.undirected_index]
        )

    def to_networkx(self) -> "networkx.DiGraph[str]":
        """Return a `networkx.DiGraph`; an undirected edge becomes two arrows, one each way."""
        return forms.networkx_of_edges(self.nodes, self._edges)

    @classmethod
    def from_networkx(cls, graph: "networkx.Graph[str]") -> "Graph":
        """Build a graph from a `networkx.Graph` or `networkx.DiGraph` whose nodes are strings.

        In a `DiGraph`, two arrows between the same nodes, one each way, are an undirected edge.
        """
        return cls.from_index_edges(*forms.edges_of_networkx(graph))

    def to_pgmpy(self) -> Any:
        """Return a `pgmpy.base.DAG`, or a `pgmpy.base.PDAG` if an edge is undirected."""
        from bnsieve.graph.adapters.pgmpy import pgmpy_graph

        return pgmpy_graph(self.nodes, self.directed_edges, self.undirected_edges)

    @classmethod
    def from_pgmpy(cls, graph: Any) -> "Graph":
        """Build a graph from a DAG, a PDAG or a network of pgmpy whose nodes are strings."""
        return cls.from_index_edges(*forms.edges_of_networkx(graph))

    def to_causal_learn(self) -> Any:
        """Return a `GeneralGraph` of causal-learn."""
        from bnsieve.graph.adapters.causal_learn import causal_learn_graph

        return causal_learn_graph(self.nodes, self._edges)

    @classmethod
    def from_causal_learn(cls, graph: Any) -> "Graph":
        """Build a graph from a `GeneralGraph` of causal-learn, or what its ``pc`` returns.

        Raises
        ------
        ValueError
            If an edge has two arrowheads or a circle, as FCI's graphs have: no DAG or CPDAG has.
        """
        from bnsieve.graph.adapters.causal_learn import edges_of_causal_learn

        return cls.from_index_edges(*edges_of_causal_learn(graph))

    def plot(
        self,
        path: str | PathLike[str] | None = None,
        *,
        highlight: Iterable[str] = (),
        strengths: "Mapping[tuple[str, str], Any] | Strengths | None" = None,
        sure: Iterable[tuple[str, str]] | None = None,
        determined: Iterable[Iterable[str]] = (),
        title: str | None = None,
        flow: "Flow | None" = None,
        fates: "Mapping[frozenset[str], Fate] | None" = None,
    ) -> "Picture":
        """Draw the graph: layers along the arrows, undirected edges in another colour.

        Parameters
        ----------
        path : str or path, optional
            An ``.svg`` file to write as well.
        highlight : iterable of str
            Nodes to draw in another colour.
        strengths : EdgeStrengths or mapping from (str, str) to numbers, optional
            How sure each edge is: what `bootstrap` returned, or for some edges a strength or a
            (strength, direction), from 0 to 1. Strong edges are thick, those found in less than
            70 % of the resamples dashed; a hollow head is a direction that less than 70 % agree on.
        sure : iterable of (str, str), optional
            Arrows whose direction is sure, as `confirmed_edges_` of a learner; the heads of all
            others are hollow.
        determined : iterable of pairs of str
            Nodes of which one determines the other, as ``learner.determinism().pairs``; an edge
            between them is a double line.
        title : str, optional
        flow : {"down", "right"}, optional
            Which way arrows run; by default the way in which more fits on a screen.
        fates : mapping from frozenset of two str, optional
            For a picture of two graphs, what became of each edge from one to the other: "agreed",
            "missing", "extra" or "turned".

        Returns
        -------
        Picture
            Shown by notebooks; ``picture.svg`` is its text, ``picture.save(path)`` writes it.

        Raises
        ------
        ValueError
            If the graph has more than 2,000 nodes, which no one could read.
        """
        from bnsieve.graph.drawing.plot import plot

        picture = plot(
            self.nodes,
            self._edges,
            highlight=highlight,
            strengths=strengths,
            sure=sure,
            determined=determined,
            title=title,
            flow=flow,
            fates=fates,
        )
        if path is not None:
            picture.save(path)
        return picture

    def layout(self, flow: "Flow | None" = None) -> "Placement":
        """Return where `plot` sets each node and leads each edge.

        Parameters
        ----------
        flow : {"down", "right"}, optional
            Which way arrows run; by default the way in which more fits on a screen.

        Returns
        -------
        Placement
            Its routes are those of ``directed_edges``, then those of ``undirected_edges``.
        """
        from bnsieve.graph.drawing.layout import lay_out

        return lay_out(self.nodes, self._edges, flow)

    def around(self, *nodes: str, most: int = 40) -> "Graph":
        """Return the graph of some nodes and those nearest to them, whatever way edges point.

        Parameters
        ----------
        *nodes : str
            Where to begin; they are always in it.
        most : int, default 40
            How many nodes it has at most.
        """
        found = dict.fromkeys(self._index(node) for node in nodes)
        waiting = deque(found)
        while waiting:
            for near in sorted(self._edges.adjacent[waiting.popleft()]):
                if near not in found and len(found) < most:
                    found[near] = None
                    waiting.append(near)
        return self.subgraph(self._names(found))

    def part_to_draw(self) -> tuple["Graph", str]:
        """Return what a notebook draws of this graph, and what it says is left out.

        That is all of a graph of up to 200 nodes and 300 edges. Of a larger or denser one it is the
        part around the node with the most edges.
        """
        from bnsieve.graph.drawing.plot import MAX_NODES, PART_SIZES, is_quickly_drawn

        if is_quickly_drawn(self.n_nodes, self.n_edges):
            return self, ""
        centre = max(self.nodes, key=lambda node: len(self.adjacent(node)))
        parts = (self.around(centre, most=size) for size in PART_SIZES)
        part = next(one for one in parts if is_quickly_drawn(one.n_nodes, one.n_edges))
        return part, (
            f"Drawn are {part.n_nodes} of {self.n_nodes:,} nodes: those nearest to "
            f"{shown(centre)}, which has the most edges. graph.around(node) is another part"
            f"{', graph.plot() draws all' if self.n_nodes <= MAX_NODES else ''}."
        )

    def _repr_html_(self) -> str:
        """Return what a notebook shows: a picture, and a list of the edges."""
        part, note = self.part_to_draw()
        edges = [(a, "→", b) for a, b in self.directed_edges[:MAX_TABLE_ROWS]]
        edges += [(a, "—", b) for a, b in self.undirected_edges[: MAX_TABLE_ROWS - len(edges)]]
        return notebook_html(
            self._summary(),
            note=note,
            picture=part.plot().svg if part.n_nodes else "",
            tables=[
                NotebookTable(
                    counted(self.n_edges, "edge"), ("from", "", "to"), edges, self.n_edges
                )
            ],
        )
