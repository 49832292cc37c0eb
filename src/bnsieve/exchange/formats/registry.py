"""Which format a file is in, by the end of its name.

Comes in: a path. Goes out: the network or graph in the file; or the file, written. A new format is
one more entry in `FORMATS`.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from bnsieve.exchange.formats.bif import read_bif, write_bif
from bnsieve.exchange.formats.cytoscape import read_cytoscape, write_cytoscape
from bnsieve.exchange.formats.dot import write_dot
from bnsieve.exchange.formats.edges import read_edges, write_edges
from bnsieve.exchange.formats.graphml import read_graphml, write_graphml
from bnsieve.exchange.formats.hugin import read_net, write_net
from bnsieve.exchange.formats.jsonfile import read_json, write_json
from bnsieve.exchange.formats.modelstring import read_modelstring, write_modelstring
from bnsieve.exchange.formats.xdsl import read_xdsl, write_xdsl
from bnsieve.exchange.formats.xmlbif import read_xmlbif, write_xmlbif
from bnsieve.graph import Graph
from bnsieve.network import BayesianNetwork

FilePath: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True)
class Format:
    """One kind of file.

    Attributes
    ----------
    name : str
        What people call it.
    suffixes : tuple of str
        How the names of such files end, in lower case.
    content : tuple of Graph, BayesianNetwork or both
        What the files can hold: the graph alone, or the probability tables as well.
    read : callable or None
        From a path to the content; None for files that are written only.
    write : callable
        From the content and a path to a file.
    """

    name: str
    suffixes: tuple[str, ...]
    content: tuple[type[Graph | BayesianNetwork], ...]
    read: Callable[[FilePath], Any] | None
    write: Callable[[Any, FilePath], None]


_GRAPH: tuple[type[Graph]] = (Graph,)
_NETWORK: tuple[type[BayesianNetwork]] = (BayesianNetwork,)

FORMATS = (
    Format("BIF", (".bif", ".bif.gz"), _NETWORK, read_bif, write_bif),
    Format("JSON", (".json",), (Graph, BayesianNetwork), read_json, write_json),
    Format("XMLBIF", (".xmlbif", ".bifxml", ".xml"), _NETWORK, read_xmlbif, write_xmlbif),
    Format("XDSL", (".xdsl",), _NETWORK, read_xdsl, write_xdsl),
    Format("Hugin", (".net",), _NETWORK, read_net, write_net),
    Format("edge list", (".csv",), _GRAPH, read_edges, write_edges),
    Format("DOT", (".dot", ".gv"), _GRAPH, None, write_dot),
    Format("GraphML", (".graphml",), _GRAPH, read_graphml, write_graphml),
    Format("Cytoscape JSON", (".cyjs",), _GRAPH, read_cytoscape, write_cytoscape),
    Format("model string", (".modelstring",), _GRAPH, read_modelstring, write_modelstring),
)


def format_of(path: FilePath) -> Format:
    """Return the format of a file by the end of its name.

    Raises
    ------
    ValueError
        If no format has such files.
    """
    name = Path(path).name.lower()
    for known in FORMATS:
        if name.endswith(known.suffixes):
            return known
    suffixes = ", ".join(suffix for known in FORMATS for suffix in known.suffixes)
    raise ValueError(f"{os.fspath(path)} has no known format: its name must end in {suffixes}")


def read(path: FilePath) -> BayesianNetwork | Graph:
    """Read a file of any known format.

    Returns
    -------
    BayesianNetwork or Graph
        A graph where the file holds no probability tables.

    Raises
    ------
    FormatError
        With line and column, if the file is not what its name says.
    ValueError
        If no format has files of that name, or files of the format are written only.
    OSError
        If the file cannot be opened.
    """
    known = format_of(path)
    if known.read is None:
        readable = ", ".join(suffix for one in FORMATS if one.read for suffix in one.suffixes)
        raise ValueError(
            f"{os.fspath(path)}: {known.name} files are written, not read; a graph is read from "
            f"files that end in {readable}"
        )
    content: BayesianNetwork | Graph = known.read(path)
    return content


def write(content: BayesianNetwork | Graph, path: FilePath) -> None:
    """Write a network or graph in the format that the file's name says.

    Of a network, a format for graphs keeps the graph only.

    Raises
    ------
    ValueError
        If the format needs probability tables and a graph has none, or no format has such files.
    """
    known = format_of(path)
    if isinstance(content, BayesianNetwork) and BayesianNetwork not in known.content:
        content = content.graph
    if not isinstance(content, known.content):
        suffixes = ", ".join(s for f in FORMATS if Graph in f.content for s in f.suffixes)
        raise ValueError(
            f"{known.name} holds probability tables, and a graph has none: write the graph to a "
            f"file that ends in {suffixes}"
        )
    known.write(content, path)
