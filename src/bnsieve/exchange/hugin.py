"""``.net``: the files of Hugin, which bnlearn, pgmpy and pyAgrum read and write too.

In: such a file, or a network. Out: a network, or a file.

Names in these files consist of letters, digits and underscores, and programs differ in the states
that they accept. Other names and states are written in a plain spelling, with the original in an
attribute of the node, from which it is restored. Probabilities are written with enough digits to
restore the same number.
"""

import re

import numpy as np
from numpy.typing import NDArray

from bnsieve.exchange.blocks import STRING, BlockText
from bnsieve.exchange.drafts import NetworkDraft
from bnsieve.exchange.spelling import Rules, spell
from bnsieve.network import BayesianNetwork

_KEYWORDS = """
net class node discrete continuous decision utility function temporal clone potential states
state_values subtype state labelled number interval boolean data model_data model_nodes normal
samples_per_interval experience fading inputs outputs position name software node_size ID NIL
instance
"""
RULES = Rules(
    name=re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}"),
    state=re.compile(r"(?!\d+[eE])[A-Za-z0-9_]{1,200}"),
    reserved=frozenset(_KEYWORDS.split()),
)
_SKIPPED = re.compile(rf'({STRING})|%[^\n]*+|(?P<open>")')
_HEAD = re.compile(r"([^{};=]++)\{")
_STATEMENT = re.compile(r"(?P<key>[^\s(){}=;|]++)\s*+=(?P<value>[^{};]*+);")
_FAMILY = re.compile(r"potential\s*+\(([^()|]*+)(?:\|([^()|]*+))?\)\s*+")
_WORD = re.compile(rf"{STRING}|[^\s()\"]++")
_ESCAPE = re.compile(r'\\(["\\])')
# What pgmpy and bnlearn take for structure, wherever it stands.
_UNSHOWN = re.compile(r"[^A-Za-z0-9 .,:<>/+'?!_-]|node(?= )")
_EXPECTED = "expected blocks 'head { name = value; ... }': is a ';' or a bracket missing?"


def format_net(network: BayesianNetwork) -> str:
    """Return the text of a ``.net`` file."""
    spelled = spell(network, RULES, ".net")
    lines = ["net", "{", "}"]
    for variable in spelled.values():
        lines += [f"node {variable.name}", "{"]
        if variable.name != variable.original:
            lines.append(f'  state = "{_UNSHOWN.sub("_", variable.original)}";')
        states = " ".join(f'"{state}"' for state in variable.states)
        lines.append(f"  states = ({states});")
        lines += [f'  {key} = "{value}";' for key, value in variable.properties()]
        lines.append("}")
    for node, variable in spelled.items():
        given = " ".join(spelled[parent].name for parent in network.parents(node))
        family = f"{variable.name} | {given}" if given else variable.name
        lines += [f"potential ( {family} )", "{", f"  data = {_nested(network.tables[node])};", "}"]
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
    source = BlockText.mask(text, path, _SKIPPED)
    draft = NetworkDraft(path)
    potentials = []
    for head, statements in source.blocks(_HEAD, _STATEMENT, lambda _: _EXPECTED):
        refuse, words = source.refusal(head), _words(source.part(head, 1))
        keys = [source.part(found, "key") for found in statements]
        attributes = dict(zip(keys, statements, strict=True))
        if len(attributes) < len(keys):
            refuse("an attribute of this block is given twice")
        if words[0] == "potential":
            potentials.append((head, attributes))
        elif words[:-1] in (["node"], ["discrete", "node"]):
            if "states" not in attributes:
                refuse(f"the node {words[-1]!r} has no states")
            draft.declare(words[-1], _values(source, attributes["states"]), refuse)
            for key, found in attributes.items():
                values = _words(source.part(found, "value"))
                draft.add_property(words[-1], key, "".join(values), source.refusal(found))
        elif words != ["net"]:
            refuse(
                f"{' '.join(words)[:40]!r} cannot be read: only discrete nodes and potentials make "
                "a network"
            )
    for head, attributes in potentials:
        refuse = source.refusal(head)
        family = _FAMILY.fullmatch(source.masked, *head.span(1))
        own = _words(source.part(family, 1)) if family else []
        if family is None or len(own) != 1:
            refuse("expected 'potential ( node | parents )'")
        if "data" not in attributes:
            refuse(f"the potential of {own[0]!r} has no data: no table can be read")
        parents = _words(source.part(family, 2))
        draft.define(own[0], parents, _values(source, attributes["data"]), refuse)
    return draft.network()


def _words(text: str) -> list[str]:
    """Return words and the content of strings, brackets left out."""
    return [
        _ESCAPE.sub(r"\1", word[1:-1]) if word[0] == '"' else word for word in _WORD.findall(text)
    ]


def _values(source: BlockText, found: re.Match[str]) -> list[str]:
    """Return the words of a list, whose brackets must be even."""
    if found["value"].count("(") != found["value"].count(")"):
        source.fail(found.start(), f"a bracket of {found['key']!r} does not close")
    return _words(source.part(found, "value"))
