"""DOT, the language of Graphviz: graphs are written, not read.

In: a graph. Out: text. An undirected edge is written with ``dir=none``.
"""

from bnsieve.graph import Graph


def format_dot(graph: Graph) -> str:
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
    lines += [f"  {name[a]} -> {name[b]};" for a, b in graph.directed_edges]
    lines += [f"  {name[a]} -> {name[b]} [dir=none];" for a, b in graph.undirected_edges]
    return "\n".join(["digraph {", *lines, "}"]) + "\n"


def _quoted(name: str) -> str:
    """Return a name in quotes, as DOT reads it."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
