"""Names and states in a plain spelling that other programs read, and the way back.

In: a network. Out: for each name and state a word of ASCII letters, digits and underscores; what
needs no other spelling stays as it is. Files keep the originals beside the plain words, as text of
few characters (`to_plain_text`), and their readers restore them. A file of names beside a network
file lists the same, for people and for files that another program wrote again.

A spelling is for people too: ``[42, 48.2)`` becomes ``42_to_48_2``, ``<5`` becomes ``lt_5``, and
``été`` becomes ``ete``.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from urllib.parse import quote, unquote

from bnsieve.exchange.files import read_text, write_text
from bnsieve.exchange.json_tree import Entry, parse_json_tree
from bnsieve.network import BayesianNetwork
from bnsieve.table import text_labels
from bnsieve.text import listed

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
    name, state : pattern that a plain name, or a plain state, matches as a whole
    reserved : words that are neither
    """

    name: re.Pattern[str]
    state: re.Pattern[str]
    reserved: frozenset[str] = frozenset()


@dataclass(frozen=True)
class SpelledVariable:
    """One variable: what it is called in a file, and what it is called in truth."""

    name: str
    original: str
    states: tuple[str, ...]
    original_states: tuple[str, ...]

    def properties(self) -> Iterator[tuple[str, str]]:
        """Yield key and value of the properties that keep the originals in a file."""
        if self.name != self.original:
            yield _NAME_KEY, to_plain_text(self.original)
        for plain, original in zip(self.states, self.original_states, strict=True):
            if plain != original:
                yield _STATE_KEY + plain, to_plain_text(original)


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
        states = _distinct(originals, rules.state, rules.reserved, "s", str)
        spelled[node] = SpelledVariable(name, node, tuple(states), originals)
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
    try:
        if _PLAIN_TEXT.fullmatch(written):
            return unquote(written.replace("~", "%"), errors="surrogatepass")
    except UnicodeDecodeError:
        pass
    raise ValueError(f"{written[:80]!r} is not a text in plain spelling")


_NAME_KEY, _STATE_KEY = "bnsieve_name", "bnsieve_label_"


@dataclass(frozen=True)
class Originals:
    """The original names, and the original states of each variable, by what a file calls them."""

    names: dict[str, str]
    states: dict[str, dict[str, str]]

    def add(self, variable: str, key: str, value: str) -> None:
        """Take note of a property of a variable; those of other programs say nothing.

        Raises
        ------
        ValueError
            If the value is not a text in plain spelling.
        """
        if key == _NAME_KEY:
            self.names[variable] = from_plain_text(value)
        elif key.startswith(_STATE_KEY):
            state = key.removeprefix(_STATE_KEY)
            self.states.setdefault(variable, {})[state] = from_plain_text(value)

    def restore(self, network: BayesianNetwork) -> BayesianNetwork:
        """Give a network that was read its original names and states back.

        Raises
        ------
        ValueError
            If two variables, or two states of one, have the same original.
        """
        if not self.names and not self.states:
            return network
        original = {node: self.names.get(node, node) for node in network.graph.nodes}
        known = {node: self.states.get(node, {}) for node in original}
        return BayesianNetwork(
            network.graph.relabel(original),
            {
                original[node]: [known[node].get(str(state), str(state)) for state in states]
                for node, states in network.states.items()
            },
            {original[node]: table for node, table in network.tables.items()},
            {new: [original[p] for p in network.parents(node)] for node, new in original.items()},
        )


_NAMES_ENDING, _NAMES_KIND = ".names.json", "bnsieve names"


def write_names(spelled: Mapping[str, SpelledVariable], path: str | PathLike[str]) -> None:
    """Write the names of a network file beside it; take an old file away if none are needed."""
    beside = Path(path).with_name(Path(path).name + _NAMES_ENDING)
    variables = {
        one.name: {
            "name": one.original,
            "labels": dict(zip(one.states, one.original_states, strict=True)),
        }
        for one in spelled.values()
        if any(one.properties())
    }
    if not variables:
        beside.unlink(missing_ok=True)
        return
    content = {"format": _NAMES_KIND, "version": 1, "variables": variables}
    write_text(json.dumps(content, indent=1) + "\n", beside)


def read_names(path: str | PathLike[str]) -> Originals:
    """Read such a file."""
    root = parse_json_tree(read_text(path), fspath(path))
    if not isinstance(root.value, dict) or root.value.get("format") != _NAMES_KIND:
        root.refuse("this is not a file of names that bnsieve wrote")
    variables = root.get("variables")
    entries = {plain: variables.get(plain) for plain in variables.key_names()}
    return Originals(
        {plain: entry.get("name").text() for plain, entry in entries.items()},
        {plain: _texts(entry.get("labels")) for plain, entry in entries.items()},
    )


def _texts(entry: Entry) -> dict[str, str]:
    return {key: entry.get(key).text() for key in entry.key_names()}
