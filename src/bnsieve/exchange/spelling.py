"""Names and states in a plain spelling that other programs read, and the way back.

In: a network. Out: for each name and state a word of ASCII letters, digits and underscores; what
needs no other spelling stays as it is. Files keep the originals beside the plain words, as text of
few characters (`to_plain_text`), and their readers restore them. A file of names beside a network
file lists the same, for people and for files that another program wrote again.

A spelling is for people too: ``[42, 48.2)`` becomes ``42_to_48_2``, ``<5`` becomes ``lt_5``, and
``été`` becomes ``ete``.
"""

import json
import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Never
from urllib.parse import quote, unquote

import numpy as np
from numpy.typing import NDArray

from bnsieve.exchange.files import FormatError, errors_name, read_text, write_text
from bnsieve.graph import Graph
from bnsieve.network import BayesianNetwork
from bnsieve.table import text_labels
from bnsieve.text import listed, parse_strict_json

# What NumPy's arrays can have.
MAX_AXES = 64
# A survey's question as a name: enough of it to be recognised.
_LONGEST = 60
_INTERVAL = re.compile(r"[\[(\]]\s*([^,;]+)[,;]\s*([^,;]+)[\])\[]")
_SIGNS = {
    "<=": " le ", ">=": " ge ", "≤": " le ", "≥": " ge ", "<": " lt ", ">": " gt ", "%": " pct ",
    "+": " plus ", "&": " and ", "=": " eq ", "€": " EUR ", "$": " USD ", "£": " GBP ", "#": " no ",
    "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L",
    "∞": "inf", "µ": "u", "μ": "u", "°": " deg ", "½": " half ",
}  # fmt: skip
_SIGN = re.compile("|".join(map(re.escape, sorted(_SIGNS, key=len, reverse=True))))
_MINUS = re.compile(r"(?<![\w.])[-\u2212](?=\.?\d|inf\b|∞)")
_OTHER = re.compile(r"[^A-Za-z0-9_]+")
_PLAIN_TEXT = re.compile(r"(?:[A-Za-z0-9_.\-]|~[0-9A-F]{2})*+")


@dataclass(frozen=True)
class Rules:
    """What a format, or the programs that read it, take for a plain word.

    Attributes
    ----------
    name, label : pattern that a plain name, or a plain state, matches as a whole
    reserved : words that are neither
    """

    name: re.Pattern[str]
    label: re.Pattern[str]
    reserved: frozenset[str] = frozenset()


@dataclass(frozen=True)
class SpelledVariable:
    """One variable: what it is called in a file, and what it is called in truth."""

    name: str
    original: str
    labels: tuple[str, ...]
    original_labels: tuple[str, ...]


def refuse_numbers(network: BayesianNetwork, program: str) -> None:
    """Refuse a network with numbers where only tables of states can be written."""
    if network.numbers:
        named = listed(map(repr, network.numbers), 3)
        raise ValueError(
            f"{program} files hold tables of states, but the network has numbers ({named}): write "
            "it as JSON (.json), or write its graph alone"
        )


def spell(network: BayesianNetwork, rules: Rules, program: str) -> dict[str, SpelledVariable]:
    """Find a plain spelling of all names and states of a network.

    Parameters
    ----------
    network : BayesianNetwork
        States that are not strings are spelled as ``str(state)``.
    rules : Rules
    program : str
        The format, for error messages.

    Returns
    -------
    dict of str to SpelledVariable
        By the original name, in the order of the network. Names differ in more than case, since
        pgmpy does not tell ``a`` from ``A``.

    Raises
    ------
    ValueError
        If two states of a variable are the same once they are text.
    """
    refuse_numbers(network, program)
    nodes = network.graph.nodes
    names = _distinct(nodes, rules.name, rules.reserved, "v", str.lower)
    spelled = {}
    for node, name in zip(nodes, names, strict=True):
        originals = tuple(text_labels(node, network.states[node], program))
        labels = _distinct(originals, rules.label, rules.reserved, "s", str)
        spelled[node] = SpelledVariable(name, node, tuple(labels), originals)
    return spelled


def plain_name(text: str, rules: Rules) -> str:
    """Spell one name, such as that of the network."""
    return _distinct([text], rules.name, rules.reserved, "v", str.lower)[0]


def _distinct(
    texts: Collection[str],
    plain: re.Pattern[str],
    reserved: frozenset[str],
    prefix: str,
    folded: Callable[[str], str],
) -> list[str]:
    """Spell texts; those that are plain already keep their spelling, whatever the others become."""

    def is_plain(word: str) -> bool:
        return bool(plain.fullmatch(word)) and word not in reserved

    taken: set[str] = set()
    kept: dict[str, str] = {}
    for text in texts:
        if is_plain(text) and folded(text) not in taken:
            kept[text] = text
            taken.add(folded(text))
    next_number: dict[str, int] = {}
    for text in texts:
        if text in kept:
            continue
        word = _word(text) or ("sign" if text.strip() else "empty")
        if not is_plain(word):
            word = f"{prefix}_{word}"
        spelling, number = word, next_number.get(folded(word), 2)
        while folded(spelling) in taken or not is_plain(spelling):
            spelling, number = f"{word}_{number}", number + 1
        next_number[folded(word)] = number
        kept[text] = spelling
        taken.add(folded(spelling))
    return [kept[text] for text in texts]


def _word(text: str) -> str:
    """Return what a text becomes if nothing else is called so."""
    interval = _INTERVAL.fullmatch(text)
    if interval:
        text = " to ".join(interval.groups())
    text = _MINUS.sub("minus ", text)
    text = _SIGN.sub(lambda found: _SIGNS[found.group()], text)
    letters = []
    for character in unicodedata.normalize("NFKD", text):
        if character.isascii():
            letters.append(character)
        elif unicodedata.category(character)[0] in "LNS":
            letters.append(f"u{ord(character):x}")
        elif not unicodedata.combining(character):
            letters.append(" ")
    return _OTHER.sub("_", "".join(letters)).strip("_")[:_LONGEST].strip("_")


def to_plain_text(text: str) -> str:
    """Write any text with letters, digits and ``_.-~`` only, so that no reader trips over it."""
    bytes_of = quote(text, safe="", errors="surrogatepass")
    return bytes_of.replace("~", "%7E").replace("%", "~")


def from_plain_text(written: str) -> str:
    """Return the text that `to_plain_text` wrote.

    Raises
    ------
    ValueError
        If it did not write this.
    """
    if not _PLAIN_TEXT.fullmatch(written):
        raise ValueError(f"{written[:80]!r} is not a text in plain spelling")
    try:
        return unquote(written.replace("~", "%"), errors="surrogatepass")
    except UnicodeDecodeError:
        raise ValueError(f"{written[:80]!r} is not a text in plain spelling") from None


_NAME_KEY = "bnsieve_name"
_LABEL_KEY = "bnsieve_label_"


def properties_of(variable: SpelledVariable) -> Iterator[tuple[str, str]]:
    """Yield key and value of the properties that keep a variable's originals in a file."""
    if variable.name != variable.original:
        yield _NAME_KEY, to_plain_text(variable.original)
    for plain, original in zip(variable.labels, variable.original_labels, strict=True):
        if plain != original:
            yield _LABEL_KEY + plain, to_plain_text(original)


class Originals:
    """The original names and states that the properties of a file tell."""

    def __init__(
        self,
        names: Mapping[str, str] | None = None,
        labels: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        self._names = dict(names or {})
        self._labels = {name: dict(own) for name, own in (labels or {}).items()}

    def add(self, variable: str, key: str, value: str) -> None:
        """Take note of a property of a variable; those of other programs say nothing.

        Raises
        ------
        ValueError
            If the value is not a text in plain spelling.
        """
        if key == _NAME_KEY:
            self._names[variable] = from_plain_text(value)
        elif key.startswith(_LABEL_KEY):
            label = key.removeprefix(_LABEL_KEY)
            self._labels.setdefault(variable, {})[label] = from_plain_text(value)

    def restore(self, network: BayesianNetwork) -> BayesianNetwork:
        """Give a network that was read its original names and states back.

        Raises
        ------
        ValueError
            If two variables, or two states of one, have the same original.
        """
        if not self._names and not self._labels:
            return network
        original = {node: self._names.get(node, node) for node in network.graph.nodes}
        _require_distinct("variables", original.values())
        states = {}
        for node, new in original.items():
            own = self._labels.get(node, {})
            states[new] = [own.get(str(label), str(label)) for label in network.states[node]]
            _require_distinct(f"states of {new!r}", states[new])
        arrows = [(original[tail], original[head]) for tail, head in network.graph.directed_edges]
        return BayesianNetwork(
            Graph(original.values(), arrows),
            states,
            {original[node]: table for node, table in network.tables.items()},
            {new: [original[p] for p in network.parents(node)] for node, new in original.items()},
        )


def _require_distinct(what: str, originals: Iterable[object]) -> None:
    seen = set()
    for one in originals:
        if one in seen:
            raise ValueError(f"two {what} are called {one!r} by the properties of the file")
        seen.add(one)


def network_of_tables(
    states: Mapping[str, list[str]],
    parents: Mapping[str, Sequence[str]],
    tables: Mapping[str, NDArray[np.float64]],
    originals: Originals | None,
    path: str | None,
) -> BayesianNetwork:
    """Make the network that a file declares, under its original names."""
    edges = [(parent, name) for name, given in parents.items() for parent in given]
    with errors_name(path):
        network = BayesianNetwork(Graph(states, edges), states, tables, parents)
        return network if originals is None else originals.restore(network)


def table_of_words(
    words: Iterable[str], name: str, shape: Sequence[int], refuse: Callable[[str], Never]
) -> NDArray[np.float64]:
    """Return the table of a variable from its numbers as a file writes them."""
    try:
        numbers = np.array([float(word) for word in words])
    except ValueError as error:
        refuse(f"the table of {name!r} holds what is no number: {error}")
    if numbers.size != math.prod(shape):
        refuse(f"the table of {name!r} has {numbers.size} numbers instead of {math.prod(shape)}")
    if len(shape) > MAX_AXES:
        refuse(f"{name!r} has too many parents for a table")
    return numbers.reshape(shape)


_NAMES_ENDING, _NAMES_KIND = ".names.json", "bnsieve names"


def names_path(path: str | PathLike[str]) -> Path:
    """Return where the names of a network file are: beside it, under its name and an ending."""
    return Path(path).with_name(Path(path).name + _NAMES_ENDING)


def write_names(spelled: Mapping[str, SpelledVariable], path: str | PathLike[str]) -> None:
    """Write the names of a network file beside it; take an old file away if none are needed."""
    changed = [
        one
        for one in spelled.values()
        if one.name != one.original or one.labels != one.original_labels
    ]
    if not changed:
        names_path(path).unlink(missing_ok=True)
        return
    content = {
        "format": _NAMES_KIND,
        "version": 1,
        "variables": {
            one.name: {
                "name": one.original,
                "labels": dict(zip(one.labels, one.original_labels, strict=True)),
            }
            for one in changed
        },
    }
    write_text(json.dumps(content, indent=1) + "\n", names_path(path))


def read_names(path: str | PathLike[str]) -> Originals:
    """Read such a file."""
    try:
        content = parse_strict_json(read_text(path))
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise FormatError(f"this is not JSON: {error}", path=str(path)) from None
    if not _is_names(content):
        raise FormatError("this is not a file of names that bnsieve wrote", path=str(path))
    variables = content["variables"]
    return Originals(
        {plain: own["name"] for plain, own in variables.items()},
        {plain: own["labels"] for plain, own in variables.items()},
    )


def _is_names(content: Any) -> bool:
    if not isinstance(content, dict) or content.get("format") != _NAMES_KIND:
        return False
    variables = content.get("variables")
    return isinstance(variables, dict) and all(
        isinstance(own, dict)
        and isinstance(own.get("name"), str)
        and isinstance(own.get("labels"), dict)
        and all(isinstance(label, str) for label in own["labels"].values())
        for own in variables.values()
    )
