"""``.net``: the files of Hugin, which bnlearn, pgmpy and pyAgrum read and write too.

Comes in: such a file, or a network. Goes out: a network, or a file.

Names in these files are words of letters, digits and underscores, and programs differ in what they
take for a state. Where a name or a label is no plain word, a plain spelling is written, with the
original in an attribute of the node, from which it is restored on reading. Probabilities are
written with as many digits as it takes to read the same number again.
"""

import math
import re
from collections.abc import Mapping
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from bnsieve.exchange.formats._files import errors_name, read_text, write_text
from bnsieve.exchange.formats._hugin_syntax import Block, Source, Word, parse_blocks
from bnsieve.exchange.formats._spelling import Originals, Rules, properties_of, spell
from bnsieve.exchange.formats._xml import MAX_AXES
from bnsieve.graph import Graph
from bnsieve.network import BayesianNetwork

_KEYWORDS = """
net class node discrete continuous decision utility function temporal clone potential states
state_values subtype label labelled number interval boolean data model_data model_nodes normal
samples_per_interval experience fading inputs outputs position name software node_size ID NIL
instance
"""
RULES = Rules(
    name=re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}"),
    label=re.compile(r"(?!\d+[eE])[A-Za-z0-9_]{1,200}"),
    reserved=frozenset(_KEYWORDS.split()),
)
_NODE_KINDS = ("node", "discrete node")
# What pgmpy and bnlearn take for structure, wherever it stands.
_UNSHOWN = re.compile(r"[^A-Za-z0-9 .,:<>/+'?!_-]|node(?= )")


def read_net(path: str | PathLike[str], *, encoding: str = "utf-8") -> BayesianNetwork:
    """Read a network from a ``.net`` file.

    Parameters
    ----------
    path : str or path
    encoding : str, default "utf-8"
        How characters beyond ASCII are written; Hugin's own files are often "latin-1".

    Returns
    -------
    BayesianNetwork
        Variables in the order of the file, tables exactly as written.

    Raises
    ------
    FormatError
        With line and column, if the file is not a complete and consistent network of discrete
        nodes with tables.
    OSError
        If the file cannot be opened.
    """
    return _network(Source(read_text(path, encoding, "read_net takes the right one"), str(path)))


def parse_net(text: str) -> BayesianNetwork:
    """Read a network from the text of a ``.net`` file; see `read_net`."""
    return _network(Source(text, None))


def write_net(network: BayesianNetwork, path: str | PathLike[str]) -> None:
    """Write a network as a ``.net`` file.

    Parameters
    ----------
    network : BayesianNetwork
        Labels that are not strings are written as ``str(label)``.
    path : str or path

    Raises
    ------
    ValueError
        If two labels of a variable are the same once they are text.
    """
    write_text(format_net(network), path)


def format_net(network: BayesianNetwork) -> str:
    """Return the text of a ``.net`` file with this network; see `write_net`."""
    spelled = spell(network, RULES, ".net")
    lines = ["net", "{", "}"]
    for own in spelled.values():
        lines += [f"node {own.name}", "{"]
        if own.name != own.original:
            lines.append(f'  label = "{_UNSHOWN.sub("_", own.original)}";')
        states = " ".join(f'"{label}"' for label in own.labels)
        lines.append(f"  states = ({states});")
        lines += [f'  {key} = "{value}";' for key, value in properties_of(own)]
        lines.append("}")
    for node, own in spelled.items():
        parents = network.parents(node)
        given = "".join(f" {spelled[parent].name}" for parent in parents)
        lines += [f"potential ( {own.name} |{given} )" if given else f"potential ( {own.name} )"]
        table = network.tables[node]
        lines += ["{", f"  data = {_nested(table)};", "}"]
    return "\n".join(lines) + "\n"


def _nested(table: NDArray[np.float64]) -> str:
    """Write a table in brackets, one pair for each axis, one row of probabilities to a line."""
    shape = table.shape
    rows = [f"({' '.join(map(repr, row))})" for row in table.reshape(-1, shape[-1]).tolist()]
    for n in reversed(shape[:-1]):
        rows = ["(" + "\n    ".join(rows[i : i + n]) + ")" for i in range(0, len(rows), n)]
    return rows[0]


def _network(source: Source) -> BayesianNetwork:
    levels: dict[str, list[str]] = {}
    potentials: list[Block] = []
    originals = Originals()
    for block in parse_blocks(source):
        if block.kind in _NODE_KINDS:
            name = block.head[-1].text
            if name in levels:
                source.fail(block.position, f"the node {name!r} is there twice")
            levels[name] = _states(source, block, name)
            _note_originals(source, block, name, originals)
        elif block.kind == "potential":
            potentials.append(block)
        elif block.kind != "net":
            source.fail(
                block.position,
                f"{block.kind[:40]!r} cannot be read: only discrete nodes and potentials make a "
                "network",
            )
    parents: dict[str, list[str]] = {}
    tables: dict[str, NDArray[np.float64]] = {}
    for block in potentials:
        name, given = _family(source, block, levels)
        if name in tables:
            source.fail(block.position, f"{name!r} has a second potential")
        parents[name] = given
        tables[name] = _table(source, block, name, given, levels)
    with errors_name(source.path):
        arrows = [(parent, name) for name, given in parents.items() for parent in given]
        network = BayesianNetwork(Graph(levels, arrows), levels, tables, parents)
        return originals.restore(network)


def _states(source: Source, block: Block, name: str) -> list[str]:
    if "states" not in block.attributes:
        source.fail(block.position, f"the node {name!r} has no states")
    return [word.text for word in _listed(source, block, "states")]


def _listed(source: Source, block: Block, attribute: str) -> list[Word]:
    """Return the words of a list, brackets left out, which must be even."""
    words = block.attributes[attribute]
    depth = 0
    for word in words:
        if word.is_sign:
            depth += {"(": 1, ")": -1}.get(word.text, MAX_AXES)
            if not 0 <= depth <= MAX_AXES:
                source.fail(word.position, f"{word.text!r} is out of place in {attribute!r}")
    if depth:
        source.fail(words[-1].position, f"a bracket of {attribute!r} does not close")
    return [word for word in words if not word.is_sign]


def _note_originals(source: Source, block: Block, name: str, originals: Originals) -> None:
    for key, words in block.attributes.items():
        if len(words) == 1:
            try:
                originals.add(name, key, words[0].text)
            except ValueError as error:
                source.fail(words[0].position, str(error))


def _family(source: Source, block: Block, levels: Mapping[str, list[str]]) -> tuple[str, list[str]]:
    """Read ``potential ( name | parents )``; the bar may be missing, or stand alone."""
    signs = "".join(word.text for word in block.head[1:] if word.is_sign)
    last = block.head[-1]
    if signs not in ("()", "(|)") or not (last.is_sign and last.text == ")"):
        source.fail(block.position, "expected 'potential ( node | parents )'")
    names = [word for word in block.head[1:] if not word.is_sign]
    bar = next((i for i, word in enumerate(block.head[2:]) if word.is_sign), 0)
    if bar != 1:
        source.fail(block.position, "a potential is of one node, before the '|'")
    for word in names:
        if word.text not in levels:
            source.fail(word.position, f"the node {word.text!r} is not declared")
    name, *given = (word.text for word in names)
    if len(set(given)) < len(given):
        source.fail(block.position, f"{name!r} has a parent that is named twice")
    return name, given


def _table(
    source: Source, block: Block, name: str, parents: list[str], levels: Mapping[str, list[str]]
) -> NDArray[np.float64]:
    """Read ``data``: the last parent's states change fastest, but for the node's own."""
    if "data" not in block.attributes:
        source.fail(block.position, f"the potential of {name!r} has no data: no table can be read")
    shape = [len(levels[member]) for member in (*parents, name)]
    words = _listed(source, block, "data")
    try:
        numbers = np.array([float(word.text) for word in words])
    except ValueError as error:
        source.fail(block.position, f"the table of {name!r} holds what is no number: {error}")
    if numbers.size != math.prod(shape) or len(shape) > MAX_AXES:
        source.fail(
            block.position,
            f"the table of {name!r} has {numbers.size} numbers instead of {math.prod(shape)}",
        )
    return numbers.reshape(shape)
