"""``.net``: the files of Hugin, which bnlearn, pgmpy and pyAgrum read and write too.

In: such a file, or a network. Out: a network, or a file.

Names in these files are words of letters, digits and underscores, and programs differ in what they
take for a state. Where a name or a state is no plain word, a plain spelling is written, with the
original in an attribute of the node, from which it is restored on reading. Probabilities are
written with as many digits as it takes to read the same number again.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsieve.exchange.files import Source
from bnsieve.exchange.spelling import (
    MAX_AXES,
    Originals,
    Rules,
    network_of_tables,
    properties_of,
    spell,
    table_of_words,
)
from bnsieve.network import BayesianNetwork

_KEYWORDS = """
net class node discrete continuous decision utility function temporal clone potential states
state_values subtype state labelled number interval boolean data model_data model_nodes normal
samples_per_interval experience fading inputs outputs position name software node_size ID NIL
instance
"""
RULES = Rules(
    name=re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}"),
    label=re.compile(r"(?!\d+[eE])[A-Za-z0-9_]{1,200}"),
    reserved=frozenset(_KEYWORDS.split()),
)
_TOKEN = re.compile(
    r"""(?P<space>\s++|%[^\n]*+)
      | (?P<string>"(?:[^"\\\n]|\\[^\n])*+")
      | (?P<sign>[(){}=;|])
      | (?P<word>[^\s%"(){}=;|]++)
      | (?P<stray>.)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r'\\(["\\])')
_NODE_KINDS = ("node", "discrete node")
# What pgmpy and bnlearn take for structure, wherever it stands.
_UNSHOWN = re.compile(r"[^A-Za-z0-9 .,:<>/+'?!_-]|node(?= )")


class Word(NamedTuple):
    """A word, a sign or the content of a string, and where it stands."""

    text: str
    position: int
    is_sign: bool


@dataclass(frozen=True)
class Block:
    """One block: ``head { attribute = value; ... }``; a value is all its words, brackets too."""

    head: list[Word]
    attributes: dict[str, list[Word]] = field(default_factory=dict)

    @property
    def position(self) -> int:
        """Where the block begins."""
        return self.head[0].position

    @property
    def kind(self) -> str:
        """The keyword, or keywords, before the name or the bracket."""
        words = [word.text for word in self.head]
        if "(" in words:
            return " ".join(words[: words.index("(")])
        return " ".join(words[:-1]) if len(words) > 1 else words[0]


def format_net(network: BayesianNetwork) -> str:
    """Return the text of a ``.net`` file."""
    spelled = spell(network, RULES, ".net")
    lines = ["net", "{", "}"]
    for own in spelled.values():
        lines += [f"node {own.name}", "{"]
        if own.name != own.original:
            lines.append(f'  state = "{_UNSHOWN.sub("_", own.original)}";')
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


def parse_net(text: str, path: str | None = None) -> BayesianNetwork:
    """Read a network of discrete nodes with tables from the text of a ``.net`` file."""
    source = Source(text, path)
    states: dict[str, list[str]] = {}
    potentials: list[Block] = []
    originals = Originals()
    for block in _blocks(source):
        if block.kind in _NODE_KINDS:
            name = block.head[-1].text
            if name in states:
                source.fail(block.position, f"the node {name!r} is there twice")
            states[name] = _states(source, block, name)
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
        name, given = _family(source, block, states)
        if name in tables:
            source.fail(block.position, f"{name!r} has a second potential")
        parents[name] = given
        tables[name] = _table(source, block, name, given, states)
    return network_of_tables(states, parents, tables, originals, path)


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


def _family(source: Source, block: Block, states: Mapping[str, list[str]]) -> tuple[str, list[str]]:
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
        if word.text not in states:
            source.fail(word.position, f"the node {word.text!r} is not declared")
    name, *given = (word.text for word in names)
    if len(set(given)) < len(given):
        source.fail(block.position, f"{name!r} has a parent that is named twice")
    return name, given


def _table(
    source: Source, block: Block, name: str, parents: list[str], states: Mapping[str, list[str]]
) -> NDArray[np.float64]:
    """Read ``data``: the last parent's states change fastest, but for the node's own."""
    if "data" not in block.attributes:
        source.fail(block.position, f"the potential of {name!r} has no data: no table can be read")
    shape = [len(states[member]) for member in (*parents, name)]
    words = (word.text for word in _listed(source, block, "data"))
    return table_of_words(words, name, shape, partial(source.fail, block.position))


def _blocks(source: Source) -> list[Block]:
    """Read the blocks of a file; raise `FormatError` where it breaks the grammar."""
    words = _words(source)
    blocks = []
    head: list[Word] = []
    for word in words:
        if not (word.is_sign and word.text == "{"):
            if word.is_sign and word.text in "};=":
                source.fail(word.position, f"{word.text!r} is out of place between blocks")
            head.append(word)
            continue
        if not head:
            source.fail(word.position, "a block needs a word before its '{'")
        block = Block(head)
        _read_attributes(source, words, block)
        blocks.append(block)
        head = []
    if head:
        source.fail(head[0].position, f"expected '{{' after {head[0].text[:40]!r}")
    return blocks


def _read_attributes(source: Source, words: Iterator[Word], block: Block) -> None:
    """Read ``name = value;`` up to and with the block's closing brace."""
    statement: list[Word] = []
    for word in words:
        if word.is_sign and word.text == "}" and not statement:
            return
        if word.is_sign and word.text in "{}":
            source.fail(word.position, f"{word.text!r} is out of place: is a ';' missing?")
        if not (word.is_sign and word.text == ";"):
            statement.append(word)
            continue
        if len(statement) < 2 or statement[0].is_sign or statement[1].text != "=":
            source.fail(word.position, "expected 'name = value;'")
        name = statement[0].text
        if name in block.attributes:
            source.fail(statement[0].position, f"the attribute {name!r} is given twice")
        block.attributes[name] = statement[2:]
        statement = []
    source.fail(block.position, "the block does not end with '}'")


def _words(source: Source) -> Iterator[Word]:
    for found in _TOKEN.finditer(source.text):
        kind, text = found.lastgroup, found.group()
        if kind == "string":
            yield Word(_ESCAPE.sub(r"\1", text[1:-1]), found.start(), False)
        elif kind == "stray":
            source.fail(found.start(), "a string does not end on its line")
        elif kind != "space":
            yield Word(text, found.start(), kind == "sign")
