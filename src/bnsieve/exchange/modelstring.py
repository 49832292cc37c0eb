"""Model strings, bnlearn's short form of a DAG: ``[A][B|A][C|A:B]``.

In: such text or a file of it, or a DAG. Out: a DAG, or the text.

Names cannot be quoted. So a name cannot contain ``[``, ``]``, ``|`` or ``:``, begin or end with
white space, or be empty.
"""

import re

from bnsieve.exchange.files import Source, errors_name
from bnsieve.graph import Graph, shown

_NODE = re.compile(r"\[([^\[\]|]*)(?:\|([^\[\]|]*))?\]\s*")
_SIGNS = re.compile(r"[\[\]|:]")


def parse_modelstring(text: str, path: str | None = None) -> Graph:
    """Read a DAG from a model string.

    Parameters
    ----------
    text : str
        One ``[node]`` or ``[node|parent:parent]`` for each node, in any order.
    path : str, optional
        The file, for errors.

    Raises
    ------
    FormatError
        If the text is not of that form, names a parent that is not a node, or has a cycle.

    Examples
    --------
    >>> parse_modelstring("[rain][sprinkler][wet|rain:sprinkler]")
    <DAG with 3 nodes and 2 edges: rain -> wet, sprinkler -> wet>
    """
    source = Source(text, path)
    position = len(text) - len(text.lstrip())
    parents: dict[str, list[str]] = {}
    while position < len(text):
        match = _NODE.match(text, position)
        if match is None:
            source.fail(position, "expected [node] or [node|parent:parent]")
        name = match[1].strip()
        given = [] if match[2] is None else [parent.strip() for parent in match[2].split(":")]
        if not name or ":" in name or not all(given):
            source.fail(position, f"{match[0].strip()} names no node")
        if name in parents:
            source.fail(position, f"the node {name!r} is listed twice")
        parents[name] = given
        position = match.end()
    with errors_name(path):
        return Graph(parents, [(a, b) for b, given in parents.items() for a in given])


def format_modelstring(graph: Graph) -> str:
    """Return the model string of a DAG, parents before children.

    Raises
    ------
    ValueError
        If an edge is undirected, or a name cannot be written in a model string.

    Examples
    --------
    >>> format_modelstring(Graph(["wet", "rain"], [("rain", "wet")]))
    '[rain][wet|rain]'
    """
    if not graph.is_dag:
        a, b = graph.undirected_edges[0]
        raise ValueError(
            f"a model string holds a DAG, but {shown(a)} - {shown(b)} is undirected: "
            "to_dag() directs such edges"
        )
    for node in graph.nodes:
        if not node or node != node.strip() or _SIGNS.search(node):
            raise ValueError(
                "a name in a model string cannot be empty, begin or end with white space, or hold "
                f"'[', ']', '|' or ':', as {node!r} does: rename it with relabel(), or take "
                "another format"
            )
    parts = []
    for node in graph.topological_order():
        parents = ":".join(graph.parents(node))
        parts.append(f"[{node}|{parents}]" if parents else f"[{node}]")
    return "".join(parts)
