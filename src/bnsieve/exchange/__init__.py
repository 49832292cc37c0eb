"""Networks, graphs and knowledge as files, one format per module, and the networks on board.

In: a path or a name. Out: a `Graph`, a `BayesianNetwork` or `Knowledge`; and back.
"""

from bnsieve.exchange.bif import format_bif, parse_bif
from bnsieve.exchange.catalogue import (
    INDEX,
    NetworkSummary,
    list_networks,
    load_network,
    summarise,
)
from bnsieve.exchange.cytoscape import format_cytoscape, parse_cytoscape
from bnsieve.exchange.dot import format_dot
from bnsieve.exchange.edges import (
    Strength,
    csv_field,
    format_edges,
    name_field,
    parse_edges,
    read_strengths,
)
from bnsieve.exchange.files import FormatError
from bnsieve.exchange.graphml import format_graphml, parse_graphml
from bnsieve.exchange.hugin import format_net, parse_net
from bnsieve.exchange.json_tree import Entry, parse_json_tree
from bnsieve.exchange.jsonfile import format_json, parse_json
from bnsieve.exchange.knowledge_file import format_yaml, parse_yaml
from bnsieve.exchange.modelstring import format_modelstring, parse_modelstring
from bnsieve.exchange.registry import FORMATS, Format, format_of, read, write
from bnsieve.exchange.xdsl import format_xdsl, parse_xdsl
from bnsieve.exchange.xmlbif import format_xmlbif, parse_xmlbif

__all__ = [
    "FORMATS",
    "INDEX",
    "Entry",
    "Format",
    "FormatError",
    "NetworkSummary",
    "Strength",
    "csv_field",
    "format_bif",
    "format_cytoscape",
    "format_dot",
    "format_edges",
    "format_graphml",
    "format_json",
    "format_modelstring",
    "format_net",
    "format_of",
    "format_xdsl",
    "format_xmlbif",
    "format_yaml",
    "list_networks",
    "load_network",
    "name_field",
    "parse_bif",
    "parse_cytoscape",
    "parse_edges",
    "parse_graphml",
    "parse_json",
    "parse_json_tree",
    "parse_modelstring",
    "parse_net",
    "parse_xdsl",
    "parse_xmlbif",
    "parse_yaml",
    "read",
    "read_strengths",
    "summarise",
    "write",
]
