"""XMLBIF 0.3: BIF as XML, which JavaBayes, Weka, SamIam, pgmpy and pyAgrum read and write.

In: such a file, or a network. Out: a network, or a file.

Probabilities are written with as many digits as it takes to read the same number again. States are
text. Properties are skipped; decision and utility nodes are refused.
"""

import numpy as np
from numpy.typing import NDArray

from bnsieve.exchange.spelling import network_of_tables, refuse_numbers, table_of_words
from bnsieve.exchange.xml_tree import parse_xml, xml_text
from bnsieve.network import BayesianNetwork
from bnsieve.table import text_labels


def format_xmlbif(network: BayesianNetwork) -> str:
    """Return the text of an XMLBIF file.

    Raises
    ------
    ValueError
        If two states of a variable are the same once they are text, or a name or state holds a
        control character, which XML cannot write.
    """
    refuse_numbers(network, "XMLBIF")
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<BIF VERSION="0.3">',
        "<NETWORK>",
        "<NAME>unknown</NAME>",
    ]
    for node, states in network.states.items():
        lines += ['<VARIABLE TYPE="nature">', f"  <NAME>{xml_text(node)}</NAME>"]
        lines += [
            f"  <OUTCOME>{xml_text(label, f'label of {node!r},')}</OUTCOME>"
            for label in text_labels(node, states, "XMLBIF")
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


def parse_xmlbif(content: str | bytes, path: str | None = None) -> BayesianNetwork:
    """Read a network from the content of an XMLBIF file."""
    network = parse_xml(content, "BIF", path).only("NETWORK")
    states: dict[str, list[str]] = {}
    for variable in network.all("VARIABLE"):
        name = variable.only("NAME").text
        if name in states:
            variable.refuse(f"the variable {name!r} is declared twice")
        kind = variable.attributes.get("TYPE", "nature")
        if kind != "nature":
            variable.refuse(f"{name!r} is a {kind} node; only nature nodes make a network")
        states[name] = [outcome.text for outcome in variable.all("OUTCOME")]
    parents: dict[str, list[str]] = {}
    tables: dict[str, NDArray[np.float64]] = {}
    for definition in network.all("DEFINITION"):
        name = definition.only("FOR").text
        given = [element.text for element in definition.all("GIVEN")]
        for member in (name, *given):
            if member not in states:
                definition.refuse(f"the variable {member!r} is not declared")
        if name in tables:
            definition.refuse(f"the variable {name!r} is defined twice")
        parents[name] = given
        cells = definition.only("TABLE")
        shape = [len(states[member]) for member in (*given, name)]
        tables[name] = table_of_words(cells.text.split(), name, shape, cells.refuse)
    return network_of_tables(states, parents, tables, None, path)
