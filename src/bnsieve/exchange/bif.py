r"""BIF, the Bayesian interchange format, which every program of the field reads and writes.

In: a file or text in the dialect of bnlearn, pgmpy, pyAgrum, JavaBayes and others, or a network.
Out: a network, or a file that all of them read.

Those programs agree on plain words only. bnsieve writes any other name or state in a plain
spelling, and stores the original in a property of the variable, from which it is restored. The
reader accepts the files of all these programs:

- quoted, ``"very low"``, with the escapes ``\" \\ \n \r \t \uXXXX`` (other backslashes are
  themselves); a quote opens a string only where a word may begin, so ``5" pipe`` is a plain state;
- unquoted, with any characters except the one that ends the list: ``very low``, ``<=7.5``, ``é``;
- lists with commas (items may contain spaces) or with white space only. In doubt, as in ``(0, 1],
  (1, 2]``, the number of items that the file declares decides.

Probabilities are written with enough digits to restore the same number, so a network that is
written and read again is the same to the last bit. Other properties and comments are skipped. In
BIF, all states are text.
"""

import itertools
import math
import re
from collections.abc import Callable, Hashable
from operator import contains
from os import PathLike
from typing import TypeAlias

import numpy as np

from bnsieve.exchange.blocks import STRING, BlockText
from bnsieve.exchange.drafts import NetworkDraft, numbers_of
from bnsieve.exchange.spelling import Rules, plain_name, spell, write_names
from bnsieve.network import BayesianNetwork

Match: TypeAlias = re.Match[str]

# Names are words of letters, digits and underscores in bnlearn and pyAgrum, states in pyAgrum. It
# takes 1e5 and 5e for numbers, and names of digits too; the reserved words are its keywords.
RULES = Rules(
    name=re.compile(r"(?!\d+(?:[eE]|$))[A-Za-z0-9_]{1,1000}"),
    state=re.compile(r"(?!\d+[eE])[A-Za-z0-9_]{1,1000}"),
    reserved=frozenset(
        ("network", "variable", "probability", "property", "type", "discrete", "table", "default")
    ),
)

# A quote opens a string only where a word may begin.
_SKIPPED = re.compile(
    rf'"(?<![^\s,{{(|]"){STRING[1:]}|//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|(?P<open>\Z))'
)
_HEAD = re.compile(r"(network|variable|probability)\b([^{]*+)\{")
_NUMBERS = r"[0-9eE+.,|\s\-]*+"
# States may hold brackets: a list ends at the '}' before a semicolon, a row at the ')' before
# nothing but numbers.
_STATEMENT = re.compile(
    rf"""property\b(?P<property>[^;]*+);
       | type\s++discrete\s*+\[\s*+(?P<n>[0-9]{{1,9}})\s*+\]\s*+=?\s*+\{{(?P<states>.*?)\}}\s*+;
       | (?P<keyword>table|default)\b(?P<values>{_NUMBERS});
       | \((?P<given>.*?)\)(?P<row>{_NUMBERS});""",
    re.VERBOSE | re.DOTALL,
)
_EXPECTED = {
    "": "expected a 'network', 'variable' or 'probability' block",
    "network": "a network block holds nothing but properties",
    "variable": "expected 'type discrete [ n ] { states };', 'property ...;' or '}': only discrete "
    "variables can be read",
    "probability": "expected a row '(states) numbers;', 'table numbers;', 'default numbers;', "
    "'property ...;' or '}'",
}
# The block in which each kind of statement stands, by its last group.
_BLOCK_OF = {"states": "variable", "values": "probability", "row": "probability"}
_FAMILY = re.compile(r"\s*+\(([^|]*)(?:\|([^|]*))?\)\s*+")
_IN_BRACKETS = re.compile(r"[(\[][^()\[\]]*+[)\]]")
_SPLITS = tuple(map(re.compile, (",", r",(?=\s)", r"[\s,]++")))
_BETWEEN_NUMBERS = str.maketrans(",|", "  ")
_QUOTED = re.compile(STRING)
_ESCAPE = re.compile(r'\\(?:(["\\nrt])|u([0-9a-fA-F]{4}))')
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


def format_bif(network: BayesianNetwork, *, name: str = "unknown") -> str:
    """Return the text of a BIF file, which bnlearn, pgmpy and pyAgrum read.

    Parameters
    ----------
    network : BayesianNetwork
        States that are not strings are written as ``str(state)``.
    name : str, default "unknown"
        The name of the network in the file, in a plain spelling.

    Raises
    ------
    ValueError
        If two states of a variable are the same as text.
    """
    spelled = spell(network, RULES, "BIF")
    lines = [f"network {plain_name(name, RULES)} {{", "}"]
    for variable in spelled.values():
        lines += [
            f"variable {variable.name} {{",
            f"  type discrete [ {len(variable.states)} ] {{ {', '.join(variable.states)} }};",
            *(f"  property {key} = {value};" for key, value in variable.properties()),
            "}",
        ]
    for node, variable in spelled.items():
        parents = [spelled[parent] for parent in network.parents(node)]
        given = f" | {', '.join(parent.name for parent in parents)}" if parents else ""
        lines.append(f"probability ( {variable.name}{given} ) {{")
        table = network.tables[node]
        rows = table.reshape(-1, table.shape[-1]).tolist()
        configurations = itertools.product(*(parent.states for parent in parents))
        for configuration, row in zip(configurations, rows, strict=True):
            head = f"({', '.join(configuration)})" if parents else "table"
            lines.append(f"  {head} {', '.join(map(repr, row))};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def write_names_beside(network: BayesianNetwork, path: str | PathLike[str]) -> None:
    """List names and states that are no plain words in ``network.bif.names.json``.

    People and other programs find them there; bnsieve finds them in the BIF file itself.
    """
    write_names(spell(network, RULES, "BIF"), path)


def parse_bif(text: str, path: str | None = None) -> BayesianNetwork:
    """Read a network from the text of a BIF file.

    Examples
    --------
    >>> parse_bif('''network weather { }
    ... variable rain { type discrete [ 2 ] { no, yes }; }
    ... probability ( rain ) { table 0.8, 0.2; }''')
    BayesianNetwork with 1 node, 0 arcs and 1 parameter
    """
    source = BlockText.mask(text, path, _SKIPPED)
    draft = NetworkDraft(path)
    blocks = list(source.blocks(_HEAD, _STATEMENT, _EXPECTED.__getitem__))
    kinds = [head[1] for head, _ in blocks]
    if kinds[:1] != ["network"] or "network" in kinds[1:]:
        first = blocks[0][0].start() if blocks else 0
        source.fail(first, "a BIF file begins with its one 'network' block")
    for head, statements in blocks:
        for found in statements:
            if _BLOCK_OF.get(found.lastgroup or "", head[1]) != head[1]:
                source.fail(found.start(), _EXPECTED[head[1]])
        if head[1] == "variable":
            _declare(source, head, statements, draft)
    for head, statements in blocks:
        if head[1] == "probability":
            _define(source, head, statements, draft)
    return draft.network()


def _declare(source: BlockText, head: Match, statements: list[Match], draft: NetworkDraft) -> None:
    refuse, written = source.refusal(head), source.part(head, 2)
    types = [found for found in statements if found["n"]]
    if not written or len(types) != 1:
        refuse("the variable needs a name and one type")
    name, n_states = _unquoted(written), int(types[0]["n"])
    states = _items(source, types[0], "states", lambda items: len(items) == n_states)
    if states is None:
        source.fail(types[0].start(), f"expected {n_states} states and '}};'")
    draft.declare(name, states, refuse)
    for found in statements:
        key, _, value = source.part(found, "property").partition("=")
        draft.add_property(name, key.strip(), value.strip(), source.refusal(found))


def _define(source: BlockText, head: Match, statements: list[Match], draft: NetworkDraft) -> None:
    """Fill the CPT of one variable."""
    refuse = source.refusal(head)
    family = _FAMILY.fullmatch(source.masked, *head.span(2))
    if family is None:
        refuse("expected 'probability ( variable | parents )'")
    own, given = (
        _items(source, family, group, lambda names: all(name in draft.states for name in names))
        for group in (1, 2)
    )
    if not own or given is None:
        refuse(f"{source.part(head, 2)[:80]} names no variable or one that is not declared")
    # An old dialect has no bar: the first name is the variable, the others are its parents.
    name, *parents = own + given
    *shape, n_states = draft.family(name, parents, refuse)
    n_rows = math.prod(shape)
    codes = [{state: i for i, state in enumerate(draft.states[parent])} for parent in parents]
    rows: dict[int | str, list[float]] = {}
    for found in statements:
        if found["property"] is not None:
            continue
        place = found["keyword"] or _configuration(source, found, name, codes)
        if place in rows or "table" in rows or (place == "table" and rows):
            source.fail(found.start(), f"these probabilities of {name!r} are given twice")
        words = found[found.lastgroup or 0].translate(_BETWEEN_NUMBERS).split()
        n = n_states * n_rows if place == "table" else n_states
        rows[place] = numbers_of(words, name, n, source.refusal(found))
    if "table" in rows:  # the variable's own states change slowest, the last parent's fastest
        table = np.array(rows["table"]).reshape(n_states, n_rows).T
    else:
        default = rows.pop("default", None)
        if default is None and len(rows) < n_rows:
            missing = np.unravel_index(next(i for i in range(n_rows) if i not in rows), shape)
            states = [[*known][code] for known, code in zip(codes, missing, strict=True)]
            refuse(f"{name!r} has no probabilities for ({', '.join(map(str, states))})")
        table = np.empty((n_rows, n_states))
        table[:] = default or 0.0
        if rows:
            table[np.array(list(rows))] = list(rows.values())
    draft.tables[name] = table.reshape(*shape, n_states)


def _configuration(
    source: BlockText, row: Match, name: str, codes: list[dict[Hashable, int]]
) -> int:
    """Return the number of the row whose states stand in its brackets."""
    states = _items(
        source,
        row,
        "given",
        lambda items: len(items) == len(codes) and all(map(contains, codes, items)),
    )
    if states is None:
        source.fail(
            row.start(),
            f"({source.part(row, 'given')[:80]}) is not one state for each of the {len(codes)} "
            f"parents of {name!r}",
        )
    number = 0
    for known, state in zip(codes, states, strict=True):
        number = number * len(known) + known[state]
    return number


def _items(
    source: BlockText, found: Match, group: int | str, accepts: Callable[[list[str]], bool]
) -> list[str] | None:
    """Split a list into its items, unquoted.

    The first split whose items are accepted counts: at commas; at commas before a space; at commas
    outside brackets; at white space outside brackets. None if none is.
    """
    part = slice(*found.span(group))
    text, masked = source.text[part], source.masked[part]
    if not text.strip():
        return [] if accepts([]) else None
    comma, comma_space, space = _SPLITS
    for number, split in enumerate((comma, comma_space, comma, space)):
        if number == 2:
            masked = _IN_BRACKETS.sub(lambda inside: "_" * len(inside[0]), masked)
        ends = [(0, 0), *(mark.span() for mark in split.finditer(masked)), (len(text), len(text))]
        pieces = [text[a:b].strip() for (_, a), (b, _) in itertools.pairwise(ends)]
        if split is space:
            pieces = list(filter(None, pieces))
        if all(pieces) and accepts(items := list(map(_unquoted, pieces))):
            return items
    return None


def _unquoted(word: str) -> str:
    """Return what a word stands for: itself, or the content of a quoted string."""
    if word[:1] != '"' or not _QUOTED.fullmatch(word):
        return word
    return _ESCAPE.sub(
        lambda found: chr(int(found[2], 16)) if found[2] else _ESCAPED.get(found[1], found[1]),
        word[1:-1],
    )
