"""BIF, the Bayesian interchange format: the one that every program of the field reads and writes.

In: a file or text in the dialect of bnlearn, pgmpy, pyAgrum, JavaBayes and others, or a network.
Out: a network, or a file that all of them read.

Those programs agree on plain words only. Where a name or a label is none, a plain spelling of it is
written, with the original in a property of the variable, from which it is restored on reading.

Probabilities are written with as many digits as it takes to read the same number again, and kept
as they are read: write and read gives the same network to the last bit. Other properties and
comments are skipped; BIF knows labels only as text.
"""

import itertools
import re
from collections.abc import Mapping
from os import PathLike

from bnsieve.exchange.formats._bif_syntax import Document, parse_document
from bnsieve.exchange.formats._bif_tables import build_network
from bnsieve.exchange.formats._files import errors_name, read_text, write_text
from bnsieve.exchange.formats._names_file import read_names, write_names
from bnsieve.exchange.formats._spelling import (
    Originals,
    Rules,
    SpelledVariable,
    plain_name,
    properties_of,
    spell,
)
from bnsieve.network import BayesianNetwork

# Names are words of letters, digits and underscores in bnlearn and pyAgrum, labels in pyAgrum. It
# takes 1e5 and 5e for numbers, and names of digits too; the reserved words are its keywords.
RULES = Rules(
    name=re.compile(r"(?!\d+(?:[eE]|$))[A-Za-z0-9_]{1,1000}"),
    label=re.compile(r"(?!\d+[eE])[A-Za-z0-9_]{1,1000}"),
    reserved=frozenset(
        ("network", "variable", "probability", "property", "type", "discrete", "table", "default")
    ),
)


def read_bif(
    path: str | PathLike[str],
    *,
    encoding: str = "utf-8",
    names: str | PathLike[str] | None = None,
) -> BayesianNetwork:
    """Read a network from a BIF file, plain or compressed with gzip.

    Parameters
    ----------
    path : str or path
    encoding : str, default "utf-8"
        How characters beyond ASCII are written.
    names : str or path, optional
        The file of names that `write_bif` wrote beside a file, if another program has since written
        that file again, without its properties.

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
    originals = Originals() if names is None else read_names(names)
    return _network(parse_document(text, str(path)), originals)


def parse_bif(text: str) -> BayesianNetwork:
    """Read a network from the text of a BIF file; see `read_bif`.

    Examples
    --------
    >>> parse_bif('''network weather { }
    ... variable rain { type discrete [ 2 ] { no, yes }; }
    ... probability ( rain ) { table 0.8, 0.2; }''')
    BayesianNetwork with 1 node, 0 arcs and 1 parameter
    """
    return _network(parse_document(text, None), Originals())


def write_bif(
    network: BayesianNetwork,
    path: str | PathLike[str],
    *,
    name: str = "unknown",
    names_beside: bool = True,
) -> None:
    """Write a network as a BIF file, which bnlearn, pgmpy and pyAgrum read.

    Where names or labels are no plain words, others are written in their place. The originals are
    in the file, and `read_bif` gives them back. So that people and other programs find them too,
    they are listed in a second file, ``network.bif.names.json`` beside ``network.bif``.

    Parameters
    ----------
    network : BayesianNetwork
        Labels that are not strings are written as ``str(label)``.
    path : str or path
        Compressed with gzip if it ends in ``.gz``; the same network gives the same bytes.
    name : str, default "unknown"
        What the file calls the network, in a plain spelling.
    names_beside : bool, default True
        Whether to write the second file where it is needed. Where it is not, an old one is removed.

    Raises
    ------
    ValueError
        If two labels of a variable are the same once they are text.
    """
    spelled = spell(network, RULES, "BIF")
    text = _text(network, spelled, name)
    if names_beside:
        write_names(spelled, path)
    write_text(text, path)


def format_bif(network: BayesianNetwork, *, name: str = "unknown") -> str:
    """Return the text of a BIF file with this network; see `write_bif`."""
    return _text(network, spell(network, RULES, "BIF"), name)


def _text(network: BayesianNetwork, spelled: Mapping[str, SpelledVariable], name: str) -> str:
    lines = [f"network {plain_name(name, RULES)} {{", "}"]
    for own in spelled.values():
        lines += [
            f"variable {own.name} {{",
            f"  type discrete [ {len(own.labels)} ] {{ {', '.join(own.labels)} }};",
            *(f"  property {key} = {value};" for key, value in properties_of(own)),
            "}",
        ]
    for node, own in spelled.items():
        parents = [spelled[parent] for parent in network.parents(node)]
        given = f" | {', '.join(parent.name for parent in parents)}" if parents else ""
        lines.append(f"probability ( {own.name}{given} ) {{")
        table = network.tables[node]
        rows = table.reshape(-1, table.shape[-1]).tolist()
        configurations = itertools.product(*(parent.labels for parent in parents))
        for configuration, row in zip(configurations, rows, strict=True):
            head = f"({', '.join(configuration)})" if parents else "table"
            lines.append(f"  {head} {', '.join(map(repr, row))};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def _network(document: Document, originals: Originals) -> BayesianNetwork:
    network = build_network(document)
    for variable in document.variables:
        for position, text in variable.properties:
            key, _, value = text.partition("=")
            try:
                originals.add(variable.name, key.strip(), value.strip())
            except ValueError as error:
                document.fail(position, str(error))
    with errors_name(document.path):
        return originals.restore(network)
