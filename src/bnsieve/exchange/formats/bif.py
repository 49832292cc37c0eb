"""BIF, the Bayesian interchange format: the one that every program of the field reads and writes.

In: a file or text in the dialect of bnlearn, pgmpy, pyAgrum, JavaBayes and others, or a network.
Out: a network, or a file that all of them read; `_bif_words` tells how odd labels are written.

Probabilities are written with as many digits as it takes to read the same number again, and kept
as they are read: write and read gives the same network to the last bit. Properties and comments
are skipped; BIF knows labels only as text.
"""

import itertools
from os import PathLike

from bnsieve.exchange.formats._bif_syntax import parse_document
from bnsieve.exchange.formats._bif_tables import build_network
from bnsieve.exchange.formats._bif_words import quote_label, quote_name
from bnsieve.exchange.formats._files import read_text, write_text
from bnsieve.network import BayesianNetwork
from bnsieve.table import text_labels


def read_bif(path: str | PathLike[str], *, encoding: str = "utf-8") -> BayesianNetwork:
    """Read a network from a BIF file, plain or compressed with gzip.

    Parameters
    ----------
    path : str or path
    encoding : str, default "utf-8"
        How characters beyond ASCII are written.

    Returns
    -------
    BayesianNetwork
        Variables in the order of the file, tables exactly as written.

    Raises
    ------
    FormatError
        With line and column, if the file is not a complete and consistent network.
    OSError
        If the file cannot be opened.
    """
    text = read_text(path, encoding, "read_bif takes the right encoding")
    return build_network(parse_document(text, str(path)))


def parse_bif(text: str) -> BayesianNetwork:
    """Read a network from the text of a BIF file; see `read_bif`.

    Examples
    --------
    >>> parse_bif('''network weather { }
    ... variable rain { type discrete [ 2 ] { no, yes }; }
    ... probability ( rain ) { table 0.8, 0.2; }''')
    BayesianNetwork with 1 node, 0 arcs and 1 parameter
    """
    return build_network(parse_document(text, None))


def write_bif(
    network: BayesianNetwork, path: str | PathLike[str], *, name: str = "unknown"
) -> None:
    """Write a network as a BIF file.

    Parameters
    ----------
    network : BayesianNetwork
        Labels that are not strings are written as ``str(label)``.
    path : str or path
        Compressed with gzip if it ends in ``.gz``; the same network gives the same bytes.
    name : str, default "unknown"
        What the file calls the network.

    Raises
    ------
    ValueError
        If two labels of a variable are the same once they are text.
    """
    write_text(format_bif(network, name=name), path)


def format_bif(network: BayesianNetwork, *, name: str = "unknown") -> str:
    """Return the text of a BIF file with this network; see `write_bif`."""
    labels = {
        node: [quote_label(label) for label in text_labels(node, levels, "BIF")]
        for node, levels in network.levels.items()
    }
    lines = [f"network {quote_name(name)} {{", "}"]
    for node, own in labels.items():
        lines += [
            f"variable {quote_name(node)} {{",
            f"  type discrete [ {len(own)} ] {{ {', '.join(own)} }};",
            "}",
        ]
    for node in network.graph.nodes:
        parents = network.parents(node)
        given = f" | {', '.join(map(quote_name, parents))}" if parents else ""
        lines.append(f"probability ( {quote_name(node)}{given} ) {{")
        table = network.tables[node]
        rows = table.reshape(-1, table.shape[-1]).tolist()
        for configuration, row in zip(
            itertools.product(*(labels[parent] for parent in parents)), rows, strict=True
        ):
            head = f"({', '.join(configuration)})" if parents else "table"
            lines.append(f"  {head} {', '.join(map(repr, row))};")
        lines.append("}")
    return "\n".join(lines) + "\n"
