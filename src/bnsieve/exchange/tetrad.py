"""Tetrad's text files of graphs: written, not read.

In: a graph or a PAG. Out: the text that Tetrad's "Load" reads.

There is no way to quote: a name cannot hold white space, a comma or a semicolon, stand in round
brackets, or be empty.
"""

import re

from bnsieve.graph import AncestralGraph, Graph, shown

_UNREADABLE = re.compile(r"[\s,;]|^\(.*\)$|^$")


def format_tetrad(graph: Graph | AncestralGraph) -> str:
    """Return the text of a file of Tetrad.

    Raises
    ------
    ValueError
        If Tetrad could not read a name.

    Examples
    --------
    >>> print(format_tetrad(Graph(["rain", "wet"], [("rain", "wet")])), end="")
    Graph Nodes:
    rain;wet
    <BLANKLINE>
    Graph Edges:
    1. rain --> wet
    """
    for name in graph.nodes:
        if _UNREADABLE.search(name):
            raise ValueError(
                f"Tetrad cannot read the name {shown(name)}: it holds white space, a comma or a "
                "semicolon, stands in brackets or is empty; relabel() renames nodes"
            )
    if isinstance(graph, AncestralGraph):
        edges = graph.edges
    else:
        edges = (
            *((a, "-->", b) for a, b in graph.directed_edges),
            *((a, "---", b) for a, b in graph.undirected_edges),
        )
    lines = [f"{i}. {a} {marks} {b}" for i, (a, marks, b) in enumerate(edges, 1)]
    return "\n".join(["Graph Nodes:", ";".join(graph.nodes), "", "Graph Edges:", *lines, ""])
