"""DOT, the language of Graphviz: graphs are written, not read.

Comes in: a graph. Goes out: a file. An undirected edge is written with ``dir=none``.
"""

from os import PathLike

from bnsieve.exchange.formats._files import write_text
from bnsieve.graph import Graph


def write_dot(graph: Graph, path: str | PathLike[str]) -> None:
    """Write a graph as a DOT file."""
    write_text(format_dot(graph), path)


def format_dot(graph: Graph) -> str:
    """Return the text of a DOT file with this graph.

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
