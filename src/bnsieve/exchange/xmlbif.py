"""XMLBIF 0.3: BIF as XML, which JavaBayes, Weka, SamIam, pgmpy and pyAgrum read and write.

In: such a file, or a network. Out: a network, or a file.

Probabilities are written with enough digits to restore the same number. States are text. Properties
are skipped. Decision and utility nodes are refused.
"""

from bnsieve.exchange.drafts import NetworkDraft
from bnsieve.exchange.spelling import refuse_numbers
from bnsieve.exchange.xml_tree import parse_xml, xml_text
from bnsieve.network import BayesianNetwork
from bnsieve.table import text_labels


def format_xmlbif(network: BayesianNetwork) -> str:
    """Return the text of an XMLBIF file.

    Raises
    ------
    ValueError
        If two states of a variable are the same as text, or a name or state contains a control
        character, which XML cannot hold.
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
            f"  <OUTCOME>{xml_text(state, f'state of {node!r},')}</OUTCOME>"
            for state in text_labels(node, states, "XMLBIF")
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
    draft = NetworkDraft(path)
    for variable in network.all("VARIABLE"):
        name, kind = variable.only("NAME").text, variable.attributes.get("TYPE", "nature")
        if kind != "nature":
            variable.refuse(f"{name!r} is a {kind} node; only nature nodes make a network")
        draft.declare(name, [one.text for one in variable.all("OUTCOME")], variable.refuse)
    for definition in network.all("DEFINITION"):
        name, cells = definition.only("FOR").text, definition.only("TABLE")
        parents = [one.text for one in definition.all("GIVEN")]
        draft.define(name, parents, cells.text.split(), cells.refuse)
    return draft.network()
