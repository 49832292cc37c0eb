"""GraphML: the graph format of yEd, Gephi, Cytoscape, igraph and networkx.

In: such a file, or a graph. Out: a graph, or a file.

The name of a node is written as its identifier, which networkx shows, and as the attribute
``name``, which igraph and Cytoscape show. If a file has both, the attribute is read. Two opposite
directed edges between the same nodes are read as an undirected edge, because networkx writes graphs
with both kinds of edges like this.
"""

from bnsieve.exchange.edges import NamedEdges, graph_of_pairs
from bnsieve.exchange.xml_tree import parse_xml, xml_text
from bnsieve.graph import Graph

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="name" for="node" attr.name="name" attr.type="string"/>"""


def format_graphml(graph: Graph) -> str:
    """Return the text of a GraphML file; a control character in a name is refused."""
    # networkx reads no file in which an edge differs from the default.
    default = "directed" if graph.directed_edges or not graph.undirected_edges else "undirected"
    name = {node: xml_text(node) for node in graph.nodes}
    lines = [_HEAD, f'<graph edgedefault="{default}">']
    lines += [f'<node id="{text}"><data key="name">{text}</data></node>' for text in name.values()]
    lines += [f'<edge source="{name[a]}" target="{name[b]}"/>' for a, b in graph.directed_edges]
    mark = "" if default == "undirected" else ' directed="false"'
    lines += [
        f'<edge source="{name[a]}" target="{name[b]}"{mark}/>' for a, b in graph.undirected_edges
    ]
    return "\n".join([*lines, "</graph>", "</graphml>"]) + "\n"


def parse_graphml(content: str | bytes, path: str | None = None) -> Graph:
    """Read a graph from the content of a GraphML file.

    More than one graph, hyperedges and nested graphs are refused.
    """
    root = parse_xml(content, "graphml", path)
    graph = root.only("graph")
    if graph.all("hyperedge"):
        graph.all("hyperedge")[0].refuse("hyperedges are no edges of a Bayesian network")
    keys = {
        key.attribute("id")
        for key in root.all("key")
        if key.attributes.get("attr.name") == "name"
        and key.attributes.get("for", "all") in ("node", "all")
    }
    names: dict[str, str] = {}
    for node in graph.all("node"):
        identifier = node.attribute("id")
        if identifier in names:
            node.refuse(f"the node {identifier!r} is listed twice")
        if node.all("graph"):
            node.refuse(f"the node {identifier!r} holds a graph of its own")
        given = [data.text for data in node.all("data") if data.attributes.get("key") in keys]
        names[identifier] = given[0] if given else identifier
    pairs: dict[bool, NamedEdges] = {True: [], False: []}
    default = graph.attributes.get("edgedefault", "directed")
    for edge in graph.all("edge"):
        ends = [edge.attribute("source"), edge.attribute("target")]
        for end in ends:
            if end not in names:
                edge.refuse(f"the edge names {end!r}, which is not a node")
        mark = edge.attributes.get("directed", "true" if default == "directed" else "false")
        pairs[mark in ("true", "1")].append((names[ends[0]], names[ends[1]]))
    return graph_of_pairs(names.values(), pairs[True], pairs[False], path)
