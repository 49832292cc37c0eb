"""To causal-learn and back: its `GeneralGraph`, and what programs like Tetrad write into it.

In that matrix ``graph[i, j]`` is the mark at node i of the edge between i and j: -1 a tail, 1 an
arrowhead. So i -> j has ``graph[i, j] = -1`` and ``graph[j, i] = 1``; i - j has two tails.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bnsieve.graph.adapters._common import imported
from bnsieve.graph.edge_lists import EdgeArray, EdgeLists, checked_names

_PACKAGE = "causal-learn"
_TAIL, _ARROW = -1, 1
_MARKS = {-1: "tail", 1: "arrowhead", 2: "circle"}


def causal_learn_graph(nodes: Sequence[str], edges: EdgeLists) -> Any:
    """Return a `causallearn.graph.GeneralGraph.GeneralGraph`."""
    graph_node = imported("causallearn.graph.GraphNode", _PACKAGE).GraphNode
    edge = imported("causallearn.graph.Edge", _PACKAGE).Edge
    endpoint = imported("causallearn.graph.Endpoint", _PACKAGE).Endpoint
    own = [graph_node(name) for name in nodes]
    graph = imported("causallearn.graph.GeneralGraph", _PACKAGE).GeneralGraph(own)
    for pairs, head in ((edges.directed, endpoint.ARROW), (edges.undirected, endpoint.TAIL)):
        for a, b in pairs.tolist():
            graph.add_edge(edge(own[a], own[b], endpoint.TAIL, head))
    return graph


def edges_of_causal_learn(graph: Any) -> tuple[tuple[str, ...], EdgeArray, EdgeArray]:
    """Read names, arrows and undirected edges off a `GeneralGraph`, or a `CausalGraph` around one.

    Raises
    ------
    ValueError
        If an edge has an arrowhead at both ends or a circle, as the graphs of FCI have: such an
        edge speaks of hidden causes, which no DAG or CPDAG can.
    """
    graph = getattr(graph, "G", graph)
    names = checked_names(node.get_name() for node in graph.get_nodes())
    marks = np.asarray(graph.graph)
    first, second = np.nonzero(np.triu(marks != 0) | np.triu((marks != 0).T))
    directed, undirected = [], []
    for i, j in zip(first.tolist(), second.tolist(), strict=True):
        ends = (int(marks[i, j]), int(marks[j, i]))
        if ends == (_TAIL, _ARROW):
            directed.append((i, j))
        elif ends == (_ARROW, _TAIL):
            directed.append((j, i))
        elif ends == (_TAIL, _TAIL):
            undirected.append((i, j))
        else:
            shown = " and ".join(_MARKS.get(end, f"mark {end}") for end in ends)
            raise ValueError(
                f"the edge of {names[i]!r} and {names[j]!r} has {shown} at its ends; a DAG or "
                "CPDAG has arrows and undirected edges only."
            )
    return names, _array(directed), _array(undirected)


def _array(pairs: list[tuple[int, int]]) -> EdgeArray:
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)
