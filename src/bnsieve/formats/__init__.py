"""Files of networks and graphs, read and written: one module per format."""

from bnsieve.formats.bif import format_bif, parse_bif, read_bif, write_bif
from bnsieve.formats.errors import FormatError

__all__ = ["FormatError", "format_bif", "parse_bif", "read_bif", "write_bif"]
