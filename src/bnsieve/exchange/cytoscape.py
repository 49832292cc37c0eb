"""Cytoscape JSON: what Cytoscape exports (.cyjs), cytoscape.js draws and networkx writes.

In: such a file, or a graph. Out: a graph, or a file.

An edge has ``"directed": true`` or ``false`` among its data, and Cytoscape's own ``interaction``,
``->`` or ``-``. Edges of other programs have neither: they are arrows, unless the file says
``"directed": false`` or lists one each way. A node's name is its ``id``, its ``name``, and its
``value``, which networkx asks for.
"""

from bnsieve.exchange.edges import NamedEdges, split_both_ways
from bnsieve.exchange.files import errors_name
from bnsieve.exchange.json_tree import Entry, parse_json_tree
from bnsieve.graph import Graph
from bnsieve.text import write_strict_json


def format_cytoscape(graph: Graph) -> str:
    """Return the text of a Cytoscape JSON file ."""
    marked = [(edge, True) for edge in graph.directed_edges]
    marked += [(edge, False) for edge in graph.undirected_edges]
    nodes = [{"data": {"id": node, "name": node, "value": node}} for node in graph.nodes]
    edges = [
        {
            "data": {
                "source": a,
                "target": b,
                "interaction": "->" if directed else "-",
                "directed": directed,
            }
        }
        for (a, b), directed in marked
    ]
    document = {
        "format_version": "1.0",
        "generated_by": "bnsieve",
        "target_cytoscapejs_version": "~3",
        "data": {"name": "graph"},
        "elements": {"nodes": nodes, "edges": edges},
    }
    return write_strict_json(document, indent=1) + "\n"


def parse_cytoscape(text: str, path: str | None = None) -> Graph:
    """Read a graph from the text of a Cytoscape JSON file."""
    root = parse_json_tree(text, path)
    elements = root.get("elements")
    if isinstance(elements.value, list):  # cytoscape.js knows this shorter form
        parts = [(part.get("data"), part) for part in elements.items()]
        nodes = [data for data, part in parts if not _is_edge(data, part)]
        edges = [data for data, part in parts if _is_edge(data, part)]
    else:
        nodes = [part.get("data") for part in elements.get("nodes").items()]
        listed = elements.get("edges").items() if elements.has("edges") else []
        edges = [part.get("data") for part in listed]
    names: dict[str, str] = {}
    for node in nodes:
        identifier = _identifier(node.get("id"))
        if identifier in names:
            node.refuse(f"the node {identifier!r} is there twice")
        names[identifier] = node.get("name").text() if node.has("name") else identifier
    all_directed = root.get("directed").truth() if root.has("directed") else True
    arrows: NamedEdges = []
    lines: NamedEdges = []
    for edge in edges:
        ends = [edge.get("source"), edge.get("target")]
        for end in ends:
            if _identifier(end) not in names:
                end.refuse(f"{end.value!r} is the id of no node")
        directed = edge.get("directed").truth() if edge.has("directed") else all_directed
        first, second = (names[_identifier(end)] for end in ends)
        (arrows if directed else lines).append((first, second))
    directed_edges, both_ways = split_both_ways(arrows)
    with errors_name(path):
        return Graph(names.values(), directed_edges, [*lines, *both_ways])


def _is_edge(data: Entry, part: Entry) -> bool:
    return part.get("group").value == "edges" if part.has("group") else data.has("source")


def _identifier(entry: Entry) -> str:
    """Return an id as text; some programs write numbers."""
    return str(entry.value) if type(entry.value) is int else entry.text()
