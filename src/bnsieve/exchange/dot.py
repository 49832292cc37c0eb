"""DOT, the language of Graphviz: graphs are written, not read.

In: a graph. Out: text. An undirected edge has ``dir=none``. An edge of a PAG has a shape for the
mark at each end.
"""

from bnsieve.graph import AncestralGraph, Graph, Mark

_SHAPES = {Mark.TAIL: "none", Mark.ARROW: "normal", Mark.CIRCLE: "odot"}


def format_dot(graph: Graph | AncestralGraph) -> str:
    """Return the text of a DOT file.

    Examples
    --------
    >>> print(format_dot(Graph(["rain", "wet"], [("rain", "wet")])), end="")
    digraph {
      "rain";
      "wet";
      "rain" -> "wet";
    }
    """
    name = {node: _quoted(node) for node in graph.nodes}
    lines = [f"  {node};" for node in name.values()]
    if isinstance(graph, AncestralGraph):
        for a, _, b in graph.edges:
            tail, head = _SHAPES[graph.marks[b, a]], _SHAPES[graph.marks[a, b]]
            shapes = f"dir=both, arrowtail={tail}, arrowhead={head}"
            lines.append(f"  {name[a]} -> {name[b]} [{shapes}];")
    else:
        lines += [f"  {name[a]} -> {name[b]};" for a, b in graph.directed_edges]
        lines += [f"  {name[a]} -> {name[b]} [dir=none];" for a, b in graph.undirected_edges]
    return "\n".join(["digraph {", *lines, "}"]) + "\n"


def _quoted(name: str) -> str:
    """Return a name in quotes, as DOT reads it."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
