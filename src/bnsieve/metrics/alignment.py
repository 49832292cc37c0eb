"""Whatever has a graph, as a graph: two of them over the same nodes.

In: graphs, networks, learners or files. Out: two graphs whose nodes are in the same order, and the
equivalence class that a graph stands for.
"""

from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from bnsieve.exchange import read
from bnsieve.graph import Graph, check_same_nodes


class HasGraph(Protocol):
    """Anything with a graph, such as a `BayesianNetwork`."""

    @property
    def graph(self) -> Graph:
        """The graph."""


class Learner(Protocol):
    """A fitted learner."""

    @property
    def graph_(self) -> Graph:
        """The graph that was learned."""


GraphLike = Graph | HasGraph | Learner | str | PathLike[str]


def aligned(truth: GraphLike, learned: GraphLike) -> tuple[Graph, Graph]:
    """Return both graphs with the nodes in the order of the true one."""
    true_graph, graph = _graph_of(truth, "truth"), _graph_of(learned, "learned")
    if _names_only_joined_nodes(learned):
        graph = with_nodes_of(graph, true_graph)
    if _names_only_joined_nodes(truth):
        true_graph = with_nodes_of(true_graph, graph)
    check_same_nodes(graph.nodes, true_graph.nodes, "the learned graph", "the true graph")
    return true_graph, graph.reorder(true_graph.nodes)


def with_nodes_of(graph: Graph, other: Graph) -> Graph:
    """Add the other graph's nodes: an edge list need not name the nodes that have no edge."""
    nodes = dict.fromkeys([*graph.nodes, *other.nodes])
    return Graph(nodes, graph.directed_edges, graph.undirected_edges)


def _names_only_joined_nodes(value: GraphLike) -> bool:
    return isinstance(value, str | PathLike) and Path(value).suffix.lower() == ".csv"


def _graph_of(given: GraphLike, role: str) -> Graph:
    value: Any = read(given) if isinstance(given, str | PathLike) else given
    if isinstance(value, BaseEstimator):
        check_is_fitted(value, "graph_")
    graph = value
    for attribute in ("graph", "graph_"):
        graph = getattr(graph, attribute, graph)
    if not isinstance(graph, Graph):
        raise TypeError(
            f"{role} must be a Graph, a BayesianNetwork, a fitted learner or the path of a file, "
            f"got {type(value).__name__}."
        )
    return graph


def class_of(graph: Graph) -> tuple[Graph, bool]:
    """Return a DAG's CPDAG, any other graph as it stands; and whether it stands for a class.

    A line may mean that a direction is open, or that nothing is known of it: nothing is concluded
    from lines.
    """
    if graph.is_dag:
        return graph.to_cpdag(), True
    try:
        graph.to_cpdag()
    except ValueError:
        return graph, False
    return graph, True
