"""The methods of `Graph` that speak to other programs."""

from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from bnsieve import graphforms
from bnsieve.adapters.causal_learn import causal_learn_graph, edges_of_causal_learn
from bnsieve.adapters.pgmpy import pgmpy_graph
from bnsieve.edgelists import EdgeLists

if TYPE_CHECKING:
    import networkx


class GraphExchange:
    """Base of `Graph`: to and from networkx, pgmpy and causal-learn."""

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
