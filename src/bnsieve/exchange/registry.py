"""Which format a file is in, by the end of its name; JSON also by its content.

In: a path. Out: the network, graph or knowledge in the file; or the file, written. A new format is
a module with two functions, from text to content and back, and one more entry in `FORMATS`.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from bnsieve.exchange import edges
from bnsieve.exchange.bif import format_bif, parse_bif, write_names_beside
from bnsieve.exchange.cytoscape import format_cytoscape, parse_cytoscape
from bnsieve.exchange.dot import format_dot
from bnsieve.exchange.edges import format_edges, parse_edges
from bnsieve.exchange.files import read_bytes, read_text, write_text
from bnsieve.exchange.graphml import format_graphml, parse_graphml
from bnsieve.exchange.hugin import format_net, parse_net
from bnsieve.exchange.jsonfile import format_json, parse_json
from bnsieve.exchange.knowledge_file import MAX_YAML_BYTES, format_yaml, parse_yaml
from bnsieve.exchange.modelstring import format_modelstring, parse_modelstring
from bnsieve.exchange.spelling import read_names
from bnsieve.exchange.tetrad import format_tetrad
from bnsieve.exchange.xdsl import format_xdsl, parse_xdsl
from bnsieve.exchange.xmlbif import format_xmlbif, parse_xmlbif
from bnsieve.graph import AncestralGraph, Graph, Strengths
from bnsieve.knowledge import Knowledge
from bnsieve.network import BayesianNetwork

FilePath: TypeAlias = str | os.PathLike[str]
Readable: TypeAlias = BayesianNetwork | Graph | Knowledge
Content: TypeAlias = Readable | AncestralGraph

_WORDS = {
    Graph: "a graph",
    AncestralGraph: "a PAG",
    BayesianNetwork: "a network with its tables",
    Knowledge: "knowledge",
}


@dataclass(frozen=True)
class Format:
    """One kind of file.

    Attributes
    ----------
    name : str
        What people call it.
    suffixes : tuple of str
        How the names of such files end, in lower case.
    content : tuple of types
        What the files can hold: Graph, AncestralGraph, BayesianNetwork, Knowledge.
    parse : callable or None
        From the text of a file and its path to the content; None for files that are written only.
    format : callable
        From the content to the text of a file.
    declares_encoding : bool
        Whether the file itself says how it is encoded: `parse` then takes bytes.
    max_bytes : int or None
        A larger file is refused; None: above 64 MB.
    """

    name: str
    suffixes: tuple[str, ...]
    content: tuple[type[Content], ...]
    parse: Callable[[Any, str], Readable] | None
    format: Callable[[Any], str]
    declares_encoding: bool = False
    max_bytes: int | None = None


_NETWORK, _GRAPH, _GRAPHS = (BayesianNetwork,), (Graph,), (Graph, AncestralGraph)
_ALL = (Graph, BayesianNetwork, Knowledge)
_XMLBIF = (".xmlbif", ".bifxml", ".xml")

FORMATS = (
    Format("BIF", (".bif", ".bif.gz"), _NETWORK, parse_bif, format_bif, max_bytes=1 << 30),
    Format("JSON", (".json",), _ALL, parse_json, format_json, max_bytes=1 << 27),
    Format("XMLBIF", _XMLBIF, _NETWORK, parse_xmlbif, format_xmlbif, True),
    Format("XDSL", (".xdsl",), _NETWORK, parse_xdsl, format_xdsl, True),
    Format("Hugin", (".net",), _NETWORK, parse_net, format_net),
    Format("edge list", (".csv",), _GRAPH, parse_edges, format_edges, max_bytes=edges.MAX_BYTES),
    Format("DOT", (".dot", ".gv"), _GRAPHS, None, format_dot),
    Format("Tetrad", (".txt",), _GRAPHS, None, format_tetrad),
    Format("GraphML", (".graphml",), _GRAPH, parse_graphml, format_graphml, True),
    Format("Cytoscape JSON", (".cyjs",), _GRAPH, parse_cytoscape, format_cytoscape),
    Format("model string", (".modelstring",), _GRAPH, parse_modelstring, format_modelstring),
    Format(
        "YAML", (".yaml", ".yml"), (Knowledge,), parse_yaml, format_yaml, max_bytes=MAX_YAML_BYTES
    ),
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
    raise ValueError(
        f"{os.fspath(path)} has no known format: its name must end in {_suffixes(lambda _: True)}"
    )


def read(
    path: FilePath, *, encoding: str = "utf-8", names: FilePath | None = None
) -> BayesianNetwork | Graph | Knowledge:
    """Read a network, a graph or knowledge from a file of any known format.

    Parameters
    ----------
    path : str or path
        The file. The end of its name selects the format. It may be compressed with gzip.
    encoding : str, default "utf-8"
        The encoding of the text. Hugin's own files are often "latin-1". XML files declare their
        encoding.
    names : str or path, optional
        The file of names that `write` created beside a BIF file. Needed only if another program has
        rewritten the BIF file without its properties.

    Returns
    -------
    BayesianNetwork, Graph or Knowledge
        A graph if the file has no CPTs. Variables are in the order of the file, and probabilities
        are exactly as written.

    Raises
    ------
    FormatError
        If the content does not have this format. The error says where.
    ValueError
        If no format has such a file name, or bnsieve only writes the format.
    OSError
        If the file cannot be opened.
    """
    known = format_of(path)
    if known.parse is None:
        raise ValueError(
            f"{os.fspath(path)}: {known.name} files are written, not read; a graph is read from "
            f"files that end in {_suffixes(lambda one: bool(one.parse) and Graph in one.content)}"
        )
    text: str | bytes
    if known.declares_encoding:
        text = read_bytes(path, known.max_bytes)
    else:
        text = read_text(path, encoding, known.max_bytes)
    content = known.parse(text, os.fspath(path))
    if names is not None and isinstance(content, BayesianNetwork):
        return read_names(names).restore(content)
    return content


def write(
    content: BayesianNetwork | Graph | AncestralGraph | Knowledge,
    path: FilePath,
    *,
    strengths: Mapping[tuple[str, str], tuple[float, float]] | Strengths | None = None,
) -> None:
    """Write a network, a graph, a PAG or knowledge. The file name selects the format.

    A format for graphs keeps only the graph of a network. A format for CPTs keeps the bins of
    numeric variables. If names in a BIF file are not plain words, a second file, such as
    ``network.bif.names.json``, lists the originals.

    Parameters
    ----------
    content : BayesianNetwork, Graph, AncestralGraph or Knowledge
        The content to write. The format must be able to hold it.
    path : str or path
        The file to write, compressed with gzip if its name ends in ``.gz``. An existing file is
        replaced. The same content gives the same bytes.
    strengths : EdgeStrengths or mapping from (str, str) to (strength, direction), optional
        The strength of each directed edge, for an edge list: what `bootstrap` returned, or a
        mapping.

    Raises
    ------
    ValueError
        If the format cannot hold the content, or no format has such a file name.
    """
    known = format_of(path)
    if isinstance(content, BayesianNetwork) and known.content in (_GRAPH, _GRAPHS):
        content = content.graph
    if isinstance(content, BayesianNetwork) and known.content == _NETWORK:
        content = content.binned if content.parts.has_bins else content
    if not isinstance(content, known.content):
        kind = type(content)
        raise ValueError(
            f"{known.name} files hold {' or '.join(_WORDS[one] for one in known.content)}, not "
            f"{_WORDS.get(kind, f'a {kind.__name__}')}: write it to a file that ends in "
            f"{_suffixes(lambda one: kind in one.content)}"
        )
    if strengths is None:
        text = known.format(content)
    elif isinstance(content, Graph) and known.format is format_edges:
        text = format_edges(content, strengths)
    else:
        raise ValueError(
            f"{known.name} files hold no strengths: write them to an edge list, a file that ends "
            "in .csv"
        )
    if isinstance(content, BayesianNetwork) and known.format is format_bif:
        write_names_beside(content, path)
    write_text(text if text.endswith("\n") else text + "\n", path)


def _suffixes(fits: Callable[[Format], bool]) -> str:
    return ", ".join(suffix for known in FORMATS if fits(known) for suffix in known.suffixes)
