"""XDSL: the files of GeNIe and SMILE, which pgmpy and pyAgrum read too.

In: such a file, or a network. Out: a network, or a file.

GeNIe's identifiers begin with a letter and go on with letters, digits and underscores. Where a name
or a state is none, a plain spelling is written; GeNIe shows the original name, and the originals of
all are kept among the file's extensions, from which they are restored on reading. Probabilities are
written with as many digits as it takes to read the same number again.
"""

import math
import re
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from bnsieve.exchange.spelling import (
    Originals,
    Rules,
    network_of_tables,
    properties_of,
    spell,
    table_of_words,
)
from bnsieve.exchange.xml_tree import Element, parse_xml, printable, xml_text
from bnsieve.graph import Graph
from bnsieve.network import BayesianNetwork

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,199}")
RULES = Rules(_IDENTIFIER, _IDENTIFIER)

# What a deterministic node may fill: 80 MB, far beyond any that people write.
MAX_CELLS = 10_000_000

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
        own, parents = spelled[node], network.parents(node)
        lines.append(f'    <cpt id="{own.name}">')
        lines += [f'      <state id="{label}" />' for label in own.labels]
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
        own = spelled[node]
        lines.append(f'      <node id="{own.name}">')
        lines += [
            f'        <property id="{key}">{value}</property>' for key, value in properties_of(own)
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
            element.refuse(f"the node {name!r} is there twice")
        elements[name] = element
    originals, order = _extension(root)
    order = list(dict.fromkeys([*(name for name in order if name in elements), *elements]))
    states = {
        name: [state.attribute("id") for state in elements[name].all("state")] for name in order
    }
    parents = {name: _parents(elements[name], states) for name in order}
    tables = {name: _table(elements[name], name, parents[name], states) for name in order}
    return network_of_tables(states, parents, tables, originals, path)


def _parents(element: Element, states: dict[str, list[str]]) -> list[str]:
    given = element.only("parents").text.split() if element.all("parents") else []
    for parent in given:
        if parent not in states:
            element.refuse(f"the parent {parent!r} is not a node of the file")
    if len(set(given)) < len(given):
        element.refuse(f"{element.attribute('id')!r} has a parent that is named twice")
    return given


def _table(
    element: Element, name: str, parents: list[str], states: dict[str, list[str]]
) -> NDArray[np.float64]:
    """Read a table: the last parent's states change fastest, but for the node's own."""
    shape = [len(states[member]) for member in (*parents, name)]
    if element.tag == "cpt":
        cells = element.only("probabilities")
        return table_of_words(cells.text.split(), name, shape, cells.refuse)
    results = element.only("resultingstates")
    codes = {label: code for code, label in enumerate(states[name])}
    words = results.text.split()
    for word in words:
        if word not in codes:
            results.refuse(f"{name!r} has no state {word!r}")
    if len(words) != math.prod(shape[:-1]):
        results.refuse(f"{name!r} needs {math.prod(shape[:-1])} states here, found {len(words)}")
    if len(words) * len(codes) > MAX_CELLS:
        results.refuse(f"the table of {name!r} would have more than {MAX_CELLS:,} cells")
    table = np.zeros((len(words), len(codes)))
    table[np.arange(len(words)), [codes[word] for word in words]] = 1.0
    return table.reshape(shape)


def _extension(root: Element) -> tuple[Originals, list[str]]:
    """Read what `format_xdsl` adds: original names and states, and the order of the nodes."""
    originals, order = Originals(), []
    for extensions in root.all("extensions"):
        for own in extensions.all("bnsieve"):
            for node in own.all("node"):
                name = node.attribute("id")
                order.append(name)
                for one in node.all("property"):
                    try:
                        originals.add(name, one.attribute("id"), one.text.strip())
                    except ValueError as error:
                        one.refuse(str(error))
    return originals, order
