"""XDSL: the files of GeNIe and SMILE, which pgmpy and pyAgrum read too.

In: such a file, or a network. Out: a network, or a file.

GeNIe's identifiers consist of letters, digits and underscores, and begin with a letter. Other names
and states are written in a plain spelling. GeNIe shows the original name. All originals are stored
among the extensions of the file, from which they are restored. Probabilities are written with
enough digits to restore the same number.
"""

import math
import re
from collections import Counter

import numpy as np

from bnsieve.exchange.drafts import NetworkDraft
from bnsieve.exchange.spelling import Rules, spell
from bnsieve.exchange.xml_tree import Element, parse_xml, printable, xml_text
from bnsieve.graph import Graph
from bnsieve.network import BayesianNetwork

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,199}")
RULES = Rules(_IDENTIFIER, _IDENTIFIER)

# A node of the picture, and the way to the next, in GeNIe's units.
_WIDTH, _HEIGHT, _STEP_RIGHT, _STEP_DOWN = 110, 50, 140, 100


def format_xdsl(network: BayesianNetwork) -> str:
    """Return the text of an XDSL file."""
    spelled = spell(network, RULES, "XDSL")
    order = network.graph.topological_order()  # GeNIe wants parents before their children
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append('<smile version="1.0" id="unknown" numsamples="10000" discsamples="10000">')
    lines.append("  <nodes>")
    for node in order:
        parents = network.parents(node)
        lines.append(f'    <cpt id="{spelled[node].name}">')
        lines += [f'      <state id="{state}" />' for state in spelled[node].states]
        if parents:
            given = " ".join(spelled[parent].name for parent in parents)
            lines.append(f"      <parents>{given}</parents>")
        numbers = " ".join(map(repr, network.tables[node].ravel().tolist()))
        lines += [f"      <probabilities>{numbers}</probabilities>", "    </cpt>"]
    lines += ["  </nodes>", "  <extensions>"]
    lines.append('    <genie version="1.0" app="bnsieve" name="unknown">')
    for node, position in _positions(network.graph).items():
        lines += [
            f'      <node id="{spelled[node].name}">',
            f"        <name>{xml_text(printable(node))}</name>",
            '        <interior color="e5f6f7" />',
            '        <outline color="000080" />',
            '        <font color="000000" name="Arial" size="8" />',
            f"        <position>{position}</position>",
            "      </node>",
        ]
    lines += ["    </genie>", '    <bnsieve version="1">']
    # The order of the nodes above is GeNIe's; this is the network's own.
    for node in network.graph.nodes:
        lines.append(f'      <node id="{spelled[node].name}">')
        lines += [
            f'        <property id="{key}">{value}</property>'
            for key, value in spelled[node].properties()
        ]
        lines.append("      </node>")
    return "\n".join([*lines, "    </bnsieve>", "  </extensions>", "</smile>"]) + "\n"


def _positions(graph: Graph) -> dict[str, str]:
    """Place every node: below all its parents, beside those of the same depth."""
    depth: dict[str, int] = {}
    for node in graph.topological_order():
        depth[node] = 1 + max((depth[parent] for parent in graph.parents(node)), default=-1)
    filled: Counter[int] = Counter()
    positions = {}
    for node, row in depth.items():
        left, top = 20 + filled[row] * _STEP_RIGHT, 20 + row * _STEP_DOWN
        filled[row] += 1
        positions[node] = f"{left} {top} {left + _WIDTH} {top + _HEIGHT}"
    return positions


def parse_xdsl(content: str | bytes, path: str | None = None) -> BayesianNetwork:
    """Read a network from the content of an XDSL file.

    Nodes with probability tables and deterministic nodes are read; a file with others is refused.
    """
    root = parse_xml(content, "smile", path)
    if root.all("dynamic"):
        root.only("dynamic").refuse("this is a dynamic network, which bnsieve does not read")
    elements: dict[str, Element] = {}
    for element in root.only("nodes").children:
        name = element.attribute("id")
        if element.tag not in ("cpt", "deterministic"):
            element.refuse(
                f"{name!r} is a {element.tag} node; only cpt and deterministic nodes are read"
            )
        if name in elements:
            element.refuse(f"the node {name!r} is declared twice")
        elements[name] = element
    draft = NetworkDraft(path)
    extensions = [inside for one in root.all("extensions") for inside in one.all("bnsieve")]
    known = [node for extension in extensions for node in extension.all("node")]
    order = [name for name in (node.attribute("id") for node in known) if name in elements]
    for name in dict.fromkeys([*order, *elements]):
        states = [state.attribute("id") for state in elements[name].all("state")]
        draft.declare(name, states, elements[name].refuse)
    for name in draft.nodes:
        _define(elements[name], name, draft)
    for node in known:
        for one in node.all("property"):
            key = one.attribute("id")
            draft.add_property(node.attribute("id"), key, one.text.strip(), one.refuse)
    return draft.network()


def _define(element: Element, name: str, draft: NetworkDraft) -> None:
    parents = element.only("parents").text.split() if element.all("parents") else []
    if element.tag == "cpt":
        cells = element.only("probabilities")
        draft.define(name, parents, cells.text.split(), cells.refuse)
        return
    *shape, n_states = draft.family(name, parents, element.refuse)
    results = element.only("resultingstates")
    codes = {state: code for code, state in enumerate(draft.states[name])}
    words = results.text.split()
    for word in words:
        if word not in codes:
            results.refuse(f"{name!r} has no state {word!r}")
    if len(words) != math.prod(shape):
        results.refuse(f"{name!r} needs {math.prod(shape)} states here, found {len(words)}")
    table = np.eye(n_states)[[codes[word] for word in words]]
    draft.tables[name] = table.reshape(*shape, n_states)
