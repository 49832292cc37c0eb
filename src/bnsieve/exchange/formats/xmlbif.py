"""XMLBIF 0.3: BIF as XML, which JavaBayes, Weka, SamIam, pgmpy and pyAgrum read and write.

Comes in: such a file, or a network. Goes out: a network, or a file.

Probabilities are written with as many digits as it takes to read the same number again. Labels are
text. Properties are skipped; decision and utility nodes are refused.
"""

from os import PathLike

import numpy as np
from numpy.typing import NDArray

from bnsieve.exchange.formats._files import errors_name, read_bytes, write_text
from bnsieve.exchange.formats._spelling import refuse_numbers
from bnsieve.exchange.formats._xml import Element, parse_xml, table_of, xml_text
from bnsieve.graph import Graph
from bnsieve.network import BayesianNetwork
from bnsieve.table import text_labels


def read_xmlbif(path: str | PathLike[str]) -> BayesianNetwork:
    """Read a network from an XMLBIF file.

    Returns
    -------
    BayesianNetwork
        Variables in the order of the file, tables exactly as written.

    Raises
    ------
    FormatError
        If the file is not XML, declares entities, or is not a complete and consistent network.
    OSError
        If the file cannot be opened.
    """
    return _network(parse_xml(read_bytes(path), "BIF", str(path)))


def parse_xmlbif(text: str) -> BayesianNetwork:
    """Read a network from the text of an XMLBIF file; see `read_xmlbif`."""
    return _network(parse_xml(text.encode(), "BIF", None))


def write_xmlbif(
    network: BayesianNetwork, path: str | PathLike[str], *, name: str = "unknown"
) -> None:
    """Write a network as an XMLBIF file.

    Parameters
    ----------
    network : BayesianNetwork
        Labels that are not strings are written as ``str(label)``.
    path : str or path
    name : str, default "unknown"
        What the file calls the network.

    Raises
    ------
    ValueError
        If two labels of a variable are the same once they are text, or a name or label holds a
        control character, which XML cannot write.
    """
    write_text(format_xmlbif(network, name=name), path)


def format_xmlbif(network: BayesianNetwork, *, name: str = "unknown") -> str:
    """Return the text of an XMLBIF file with this network; see `write_xmlbif`."""
    refuse_numbers(network, "XMLBIF")
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<BIF VERSION="0.3">', "<NETWORK>"]
    lines.append(f"<NAME>{xml_text(name)}</NAME>")
    for node, levels in network.levels.items():
        lines += ['<VARIABLE TYPE="nature">', f"  <NAME>{xml_text(node)}</NAME>"]
        lines += [
            f"  <OUTCOME>{xml_text(label, f'label of {node!r},')}</OUTCOME>"
            for label in text_labels(node, levels, "XMLBIF")
        ]
        lines.append("</VARIABLE>")
    for node in network.graph.nodes:
        parents = network.parents(node)
        lines += ["<DEFINITION>", f"  <FOR>{xml_text(node)}</FOR>"]
        lines += [f"  <GIVEN>{xml_text(parent)}</GIVEN>" for parent in parents]
        table = network.tables[node]
        rows = table.reshape(-1, table.shape[-1]).tolist()
        numbers = "\n    ".join(" ".join(map(repr, row)) for row in rows)
        lines += [f"  <TABLE>{numbers}</TABLE>", "</DEFINITION>"]
    return "\n".join([*lines, "</NETWORK>", "</BIF>"]) + "\n"


def _network(root: Element) -> BayesianNetwork:
    network = root.only("NETWORK")
    levels: dict[str, list[str]] = {}
    for variable in network.all("VARIABLE"):
        name = variable.only("NAME").text
        if name in levels:
            variable.refuse(f"the variable {name!r} is declared twice")
        kind = variable.attributes.get("TYPE", "nature")
        if kind != "nature":
            variable.refuse(f"{name!r} is a {kind} node; only nature nodes make a network")
        levels[name] = [outcome.text for outcome in variable.all("OUTCOME")]
    parents: dict[str, list[str]] = {}
    tables: dict[str, NDArray[np.float64]] = {}
    for definition in network.all("DEFINITION"):
        name = definition.only("FOR").text
        given = [element.text for element in definition.all("GIVEN")]
        for member in (name, *given):
            if member not in levels:
                definition.refuse(f"the variable {member!r} is not declared")
        if name in tables:
            definition.refuse(f"the variable {name!r} is defined twice")
        parents[name] = given
        shape = [len(levels[member]) for member in (*given, name)]
        tables[name] = table_of(definition.only("TABLE"), name, shape)
    with errors_name(root.path):
        arrows = [(parent, name) for name, given in parents.items() for parent in given]
        return BayesianNetwork(Graph(levels, arrows), levels, tables, parents)
