"""Cytoscape JSON, which Cytoscape exports (.cyjs), cytoscape.js draws and networkx writes.

In: such a file, or a graph. Out: a graph, or a file.

The data of an edge contain ``"directed": true`` or ``false``, and Cytoscape's own ``interaction``,
``->`` or ``-``. Edges of other programs lack both. They are directed, unless the file has
``"directed": false`` or two opposite edges. The name of a node is written as its ``id``, its
``name``, and its ``value``, which networkx needs.
"""

from bnsieve.exchange.edges import NamedEdges, graph_of_pairs
from bnsieve.exchange.json_tree import Entry, parse_json_tree
from bnsieve.graph import Graph
from bnsieve.text import write_strict_json


def format_cytoscape(graph: Graph) -> str:
    """Return the text of a Cytoscape JSON file."""
    nodes = [{"data": {"id": node, "name": node, "value": node}} for node in graph.nodes]
    edges = [
        {"data": {"source": a, "target": b, "interaction": mark, "directed": mark == "->"}}
        for pairs, mark in ((graph.directed_edges, "->"), (graph.undirected_edges, "-"))
        for a, b in pairs
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
            node.refuse(f"the node {identifier!r} is listed twice")
        names[identifier] = node.get("name").text() if node.has("name") else identifier
    all_directed = root.get("directed").read(bool) if root.has("directed") else True
    pairs: dict[bool, NamedEdges] = {True: [], False: []}
    for edge in edges:
        ends = [edge.get("source"), edge.get("target")]
        for end in ends:
            if _identifier(end) not in names:
                end.refuse(f"{end.value!r} is the id of no node")
        directed = edge.get("directed").read(bool) if edge.has("directed") else all_directed
        first, second = (names[_identifier(end)] for end in ends)
        pairs[directed].append((first, second))
    return graph_of_pairs(names.values(), pairs[True], pairs[False], path)


def _is_edge(data: Entry, part: Entry) -> bool:
    return part.get("group").value == "edges" if part.has("group") else data.has("source")


def _identifier(entry: Entry) -> str:
    """Return an id as text; some programs write numbers."""
    return str(entry.value) if type(entry.value) is int else entry.text()
