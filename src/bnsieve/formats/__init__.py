"""Files of networks and graphs, read and written: one module per format."""

from bnsieve.formats.bif import format_bif, parse_bif, read_bif, write_bif
from bnsieve.formats.edges import read_edges, write_edges
from bnsieve.formats.errors import FormatError
from bnsieve.formats.registry import FORMATS, Format, format_of, read, write

__all__ = [
    "FORMATS",
    "Format",
    "FormatError",
    "format_bif",
    "format_of",
    "parse_bif",
    "read",
    "read_bif",
    "read_edges",
    "write",
    "write_bif",
    "write_edges",
]
