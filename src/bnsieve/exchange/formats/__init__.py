"""Files of networks and graphs, read and written: one module per format."""

from bnsieve.exchange.formats.bif import format_bif, parse_bif, read_bif, write_bif
from bnsieve.exchange.formats.cytoscape import (
    format_cytoscape,
    parse_cytoscape,
    read_cytoscape,
    write_cytoscape,
)
from bnsieve.exchange.formats.dot import format_dot, write_dot
from bnsieve.exchange.formats.edges import Strength, read_edges, read_strengths, write_edges
from bnsieve.exchange.formats.errors import FormatError
from bnsieve.exchange.formats.graphml import (
    format_graphml,
    parse_graphml,
    read_graphml,
    write_graphml,
)
from bnsieve.exchange.formats.hugin import format_net, parse_net, read_net, write_net
from bnsieve.exchange.formats.jsonfile import format_json, parse_json, read_json, write_json
from bnsieve.exchange.formats.modelstring import (
    format_modelstring,
    parse_modelstring,
    read_modelstring,
    write_modelstring,
)
from bnsieve.exchange.formats.registry import FORMATS, Format, format_of, read, write
from bnsieve.exchange.formats.xdsl import format_xdsl, parse_xdsl, read_xdsl, write_xdsl
from bnsieve.exchange.formats.xmlbif import format_xmlbif, parse_xmlbif, read_xmlbif, write_xmlbif

__all__ = [
    "FORMATS",
    "Format",
    "FormatError",
    "Strength",
    "format_bif",
    "format_cytoscape",
    "format_dot",
    "format_graphml",
    "format_json",
    "format_modelstring",
    "format_net",
    "format_of",
    "format_xdsl",
    "format_xmlbif",
    "parse_bif",
    "parse_cytoscape",
    "parse_graphml",
    "parse_json",
    "parse_modelstring",
    "parse_net",
    "parse_xdsl",
    "parse_xmlbif",
    "read",
    "read_bif",
    "read_cytoscape",
    "read_edges",
    "read_graphml",
    "read_json",
    "read_modelstring",
    "read_net",
    "read_strengths",
    "read_xdsl",
    "read_xmlbif",
    "write",
    "write_bif",
    "write_cytoscape",
    "write_dot",
    "write_edges",
    "write_graphml",
    "write_json",
    "write_modelstring",
    "write_net",
    "write_xdsl",
    "write_xmlbif",
]
