"""The methods of `Graph` that face outwards: to other programs, and to the eye."""

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from bnsieve import graphforms
from bnsieve.adapters.causal_learn import causal_learn_graph, edges_of_causal_learn
from bnsieve.adapters.pgmpy import pgmpy_graph
from bnsieve.edgelists import EdgeLists
from bnsieve.picture.layout import Flow
from bnsieve.picture.plot import MAX_NODES_SHOWN, Picture, Strengths, plot

if TYPE_CHECKING:
    import networkx


class GraphExchange:
    """Base of `Graph`: to and from networkx, pgmpy and causal-learn, and pictures."""

    nodes: tuple[str, ...]
    _edges: EdgeLists

    @classmethod
    def from_index_edges(
        cls, nodes: Any, directed: ArrayLike = (), undirected: ArrayLike = ()
    ) -> Self:
        """Build a graph from edges by number."""
        raise NotImplementedError

    def to_networkx(self) -> "networkx.DiGraph[str]":
        """Return a `networkx.DiGraph`; an undirected edge becomes two arrows, one each way."""
        return graphforms.networkx_of_edges(self.nodes, self._edges)

    @classmethod
    def from_networkx(cls, graph: "networkx.Graph[str]") -> Self:
        """Build a graph from a `networkx.Graph` or `networkx.DiGraph` whose nodes are strings.

        In a `DiGraph`, two arrows between the same nodes, one each way, are an undirected edge.
        """
        return cls.from_index_edges(*graphforms.edges_of_networkx(graph))

    def to_pgmpy(self) -> Any:
        """Return a `pgmpy.base.DAG`, or a `pgmpy.base.PDAG` if an edge is undirected."""
        names = self.nodes
        directed, undirected = (
            [(names[a], names[b]) for a, b in pairs.tolist()]
            for pairs in (self._edges.directed, self._edges.undirected)
        )
        return pgmpy_graph(names, directed, undirected)

    @classmethod
    def from_pgmpy(cls, graph: Any) -> Self:
        """Build a graph from a DAG, a PDAG or a network of pgmpy whose nodes are strings."""
        return cls.from_index_edges(*graphforms.edges_of_networkx(graph))

    def to_causal_learn(self) -> Any:
        """Return a `GeneralGraph` of causal-learn."""
        return causal_learn_graph(self.nodes, self._edges)

    @classmethod
    def from_causal_learn(cls, graph: Any) -> Self:
        """Build a graph from a `GeneralGraph` of causal-learn, or what its ``pc`` returns.

        Raises
        ------
        ValueError
            If an edge has two arrowheads or a circle, as FCI's graphs have: no DAG or CPDAG has.
        """
        return cls.from_index_edges(*edges_of_causal_learn(graph))

    def plot(
        self,
        path: str | PathLike[str] | None = None,
        *,
        highlight: Iterable[str] = (),
        strengths: Mapping[tuple[str, str], Any] | Strengths | None = None,
        title: str | None = None,
        flow: Flow | None = None,
    ) -> Picture:
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
        title : str, optional
        flow : {"down", "right"}, optional
            Which way arrows run; by default the way in which more fits on a screen.

        Returns
        -------
        Picture
            Shown by notebooks; ``picture.svg`` is its text, ``picture.save(path)`` writes it.

        Raises
        ------
        ValueError
            If the graph has more than 2,000 nodes, which no one could read.
        """
        picture = plot(
            self.nodes,
            self._edges,
            highlight=highlight,
            strengths=strengths,
            title=title,
            flow=flow,
        )
        if path is not None:
            picture.save(path)
        return picture

    def _repr_svg_(self) -> str | None:
        """Return what a notebook shows; of a graph that is large, the text instead."""
        return self.plot().svg if 0 < len(self.nodes) <= MAX_NODES_SHOWN else None
