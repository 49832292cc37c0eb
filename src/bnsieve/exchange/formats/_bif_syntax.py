"""The grammar of BIF: text -> blocks, with the position of each part for error messages.

Comes in: the text of a file. Goes out: `Document`, the declared variables and the probability
blocks as written; what the names and labels in them mean is settled in `_bif_tables`.
"""

import re
from dataclasses import dataclass, field
from typing import Never

from bnsieve.exchange.formats._bif_words import (
    blank_comments,
    find_outside_strings,
    split_items,
    split_outside_strings,
    unquote,
)
from bnsieve.exchange.formats.errors import FormatError
from bnsieve.text import shortened

_SPACE = re.compile(r"\s*+")
_KEYWORD = re.compile(r"[A-Za-z]++")
_DISCRETE = re.compile(r"\s*+discrete\s*+\[\s*+([0-9]{1,9})\s*+\]\s*+=?\s*+\{")
_SEMICOLON = re.compile(r"\s*+;")
_NUMBERS = re.compile(r"([0-9eE+.,|\s\-]*+);")
# Nearly every line of a large file: labels without brackets or quotes, then numbers.
_PLAIN_ROW = re.compile(rf'\(([^()"{{}};]*+)\){_NUMBERS.pattern}')
# Twenty times as many as the largest of the benchmark networks has; each takes some hundred bytes.
MAX_ROWS = 1_000_000
_BETWEEN_NUMBERS = str.maketrans(",|", "  ")


@dataclass(frozen=True, slots=True)
class Variable:
    """A ``variable`` block; `properties` are position and text of each, as written."""

    position: int
    name: str
    labels: list[str]
    properties: list[tuple[int, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TableEntry:
    """One statement of a ``probability`` block.

    `given` is the text between the brackets of a row, or the keyword ``table`` or ``default``
    where `is_row` is false.
    """

    position: int
    is_row: bool
    given: str
    values: list[float]


@dataclass(frozen=True, slots=True)
class ProbabilityBlock:
    """A ``probability`` block; `given` is the text after the bar, `variable` that before it."""

    position: int
    variable: str
    given: str
    entries: list[TableEntry] = field(default_factory=list)


@dataclass(frozen=True)
class Document:
    """A whole file; `fail` turns a position in it into an error with line and column."""

    text: str
    path: str | None
    variables: list[Variable] = field(default_factory=list)
    blocks: list[ProbabilityBlock] = field(default_factory=list)

    def fail(self, position: int, message: str) -> Never:
        """Raise a `FormatError` that points at `position`."""
        line = self.text.count("\n", 0, position) + 1
        column = position - (self.text.rfind("\n", 0, position) + 1) + 1
        raise FormatError(message, line, column, self.path)


def parse_document(text: str, path: str | None) -> Document:
    """Read the blocks of a BIF text; raise `FormatError` where it breaks the grammar."""
    text, unclosed = blank_comments(text)
    document = Document(text, path)
    if unclosed is not None:
        document.fail(unclosed, "the comment is never closed")
    return _Parser(document).document()


class _Parser:
    """A cursor over the text; each method reads one thing and leaves the cursor behind it."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._text = document.text
        self._position = 0
        self._n_rows = 0

    def document(self) -> Document:
        keyword = self._keyword("a 'network' block")
        if keyword != "network":
            self._fail("expected 'network', the first block of a BIF file")
        self._header("{")
        self._properties_only()
        while not self._at_end():
            start = self._position
            keyword = self._keyword("a 'variable' or 'probability' block")
            if keyword == "variable":
                self._document.variables.append(self._variable(start))
            elif keyword == "probability":
                self._document.blocks.append(self._probability(start))
            else:
                self._fail(f"expected 'variable' or 'probability', found {keyword!r}", start)
        return self._document

    def _variable(self, start: int) -> Variable:
        written = self._header("{").strip()
        if not written:
            self._fail("the variable has no name", start)
        name = unquote(written)
        labels: list[str] | None = None
        properties: list[tuple[int, str]] = []
        while not self._closes():
            keyword_position = self._position
            keyword = self._keyword("'type', 'property' or '}'")
            if keyword == "property":
                properties.append((keyword_position, self._property(keyword_position)))
            elif keyword == "type" and labels is None:
                labels = self._labels()
            else:
                self._fail(f"{keyword!r} is out of place in a variable block", keyword_position)
        if labels is None:
            self._fail(f"variable {name!r} has no type", start)
        return Variable(start, name, labels, properties)

    def _labels(self) -> list[str]:
        start = self._position
        head = _DISCRETE.match(self._text, start)
        if not head:
            self._fail("expected 'discrete [ n ] {': only discrete variables can be read", start)
        # Labels may hold brackets: the list's own is the one with a semicolon behind it.
        brackets = find_outside_strings(self._text, "}", head.end())
        ends = ((i, _SEMICOLON.match(self._text, i + 1)) for i in brackets)
        closing, semicolon = next(((i, found) for i, found in ends if found), (0, None))
        if semicolon is None:
            self._fail("the labels do not end with '};'", start)
        self._position = semicolon.end()
        announced = int(head.group(1))
        labels = split_items(
            self._text[head.end() : closing], lambda items: len(items) == announced
        )
        if labels is None:
            self._fail(f"expected {announced} labels and '}};'", start)
        return labels

    def _probability(self, start: int) -> ProbabilityBlock:
        self._expect("(")
        variable, *given = split_outside_strings(self._header(")"), "|")
        if len(given) > 1:
            self._fail("a probability block has at most one '|' between its brackets", start)
        self._expect("{")
        block = ProbabilityBlock(start, variable.strip(), "".join(given).strip())
        while not self._closes():
            entry_position = self._position
            self._n_rows += 1
            if self._n_rows > MAX_ROWS:
                self._fail(f"the file has more than {MAX_ROWS:,} rows of probabilities")
            if self._text.startswith("(", entry_position):
                block.entries.append(self._row())
                continue
            keyword = self._keyword("a row '(labels) numbers;', 'table', 'default' or '}'")
            if keyword == "property":
                self._property(entry_position)
            elif keyword in ("table", "default"):
                block.entries.append(
                    TableEntry(entry_position, False, keyword, self._numbers(self._position))
                )
            else:
                self._fail(f"{keyword!r} is out of place in a probability block", entry_position)
        return block

    def _row(self) -> TableEntry:
        start = self._position
        if plain := _PLAIN_ROW.match(self._text, start):
            return TableEntry(start, True, plain.group(1), self._numbers(plain.end(1) + 1))
        # Labels may hold brackets: the row's own is the one with nothing but numbers behind it.
        brackets = find_outside_strings(self._text, ")", start + 1)
        closing = next((i for i in brackets if _NUMBERS.match(self._text, i + 1)), None)
        if closing is None:
            self._fail("expected a row: '(labels) numbers;'", start)
        return TableEntry(start, True, self._text[start + 1 : closing], self._numbers(closing + 1))

    def _numbers(self, start: int) -> list[float]:
        """Read numbers up to and with the semicolon; commas and bars count as white space."""
        found = _NUMBERS.match(self._text, start)
        if not found:
            self._fail("expected numbers and ';'", start)
        self._position = found.end()
        words = found.group(1).translate(_BETWEEN_NUMBERS).split()
        try:
            return list(map(float, words))
        except ValueError as error:
            self._fail(shortened(str(error), 80), start)

    def _property(self, start: int) -> str:
        begin = self._position
        semicolon = next(find_outside_strings(self._text, ";", begin), None)
        if semicolon is None:
            self._fail("the property does not end with ';'", start)
        self._position = semicolon + 1
        return self._text[begin:semicolon].strip()

    def _properties_only(self) -> None:
        while not self._closes():
            start = self._position
            if self._keyword("'property' or '}'") != "property":
                self._fail("a network block holds nothing but properties", start)
            self._property(start)

    def _header(self, mark: str) -> str:
        """Read up to and with `mark`; return what stands before it."""
        start = self._position
        end = next(find_outside_strings(self._text, mark, start), None)
        if end is None:
            self._fail(f"expected {mark!r} before the end of the file", start)
        self._position = end + 1
        return self._text[start:end]

    def _keyword(self, expected: str) -> str:
        self._skip_space()
        found = _KEYWORD.match(self._text, self._position)
        if not found:
            self._fail(f"expected {expected}")
        self._position = found.end()
        return found.group()

    def _expect(self, mark: str) -> None:
        self._skip_space()
        if not self._text.startswith(mark, self._position):
            self._fail(f"expected {mark!r}")
        self._position += 1

    def _closes(self) -> bool:
        """Tell whether the block ends here, and if so, step over its bracket."""
        self._skip_space()
        closes = self._text.startswith("}", self._position)
        self._position += closes
        return closes

    def _at_end(self) -> bool:
        self._skip_space()
        return self._position == len(self._text)

    def _skip_space(self) -> None:
        space = _SPACE.match(self._text, self._position)
        self._position = space.end() if space else self._position

    def _fail(self, message: str, position: int | None = None) -> Never:
        self._document.fail(self._position if position is None else position, message)
