r"""The grammar of BIF: text -> blocks, with the position of each part for error messages.

In: the text of a file. Out: `Document`, the declared variables and the probability blocks as
written; what the names and states in them mean is settled in `bif`.

Programs do not agree on how to write a state that is not a plain word. Read is what any of them
writes:

- quoted, ``"very low"``, with the escapes ``\" \\ \n \r \t \uXXXX`` (other backslashes are
  themselves); a quote opens a string only where a word may begin, so ``5" pipe`` is a plain state;
- unquoted, with anything inside but the mark that ends the list: ``very low``, ``<=7.5``, ``é``;
- lists with commas (whose items may hold spaces) or with white space alone. Where it is doubtful,
  as in ``(0, 1], (1, 2]``, the number of items that the file itself announces decides.

Written are plain words only, which `spelling` finds. All patterns are possessive: time is linear
in the text, however broken.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Never

from bnsieve.exchange.files import Source
from bnsieve.text import shortened

# A string ends on its own line, so that a forgotten quote cannot swallow the file.
_STRING = r'"(?:[^"\\\n]|\\[^\n])*+"'
_OPENING = r"(?<![^\s,{(|])"
_QUOTED = re.compile(_STRING)
_WORDS = re.compile(rf"{_OPENING}{_STRING}|[^\s,]++")
_COMMENTS = re.compile(rf"({_OPENING}{_STRING})|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(\*/)?")
_NOT_NEWLINE = re.compile(r"[^\n]")
_ESCAPE = re.compile(r'\\(?:["\\nrt]|u[0-9a-fA-F]{4})')
_ESCAPED = {'\\"': '"', "\\\\": "\\", "\\n": "\n", "\\r": "\r", "\\t": "\t"}
_SPACE = re.compile(r"\s*+")
_KEYWORD = re.compile(r"[A-Za-z]++")
_DISCRETE = re.compile(r"\s*+discrete\s*+\[\s*+([0-9]{1,9})\s*+\]\s*+=?\s*+\{")
_SEMICOLON = re.compile(r"\s*+;")
_NUMBERS = re.compile(r"([0-9eE+.,|\s\-]*+);")
# Nearly every line of a large file: states without brackets or quotes, then numbers.
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
class Document(Source):
    """A whole file, comments blanked."""

    variables: list[Variable] = field(default_factory=list)
    blocks: list[ProbabilityBlock] = field(default_factory=list)


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
        # States may hold brackets: the list's own is the one with a semicolon behind it.
        brackets = find_outside_strings(self._text, "}", head.end())
        ends = ((i, _SEMICOLON.match(self._text, i + 1)) for i in brackets)
        closing, semicolon = next(((i, found) for i, found in ends if found), (0, None))
        if semicolon is None:
            self._fail("the states do not end with '};'", start)
        self._position = semicolon.end()
        announced = int(head.group(1))
        labels = split_items(
            self._text[head.end() : closing], lambda items: len(items) == announced
        )
        if labels is None:
            self._fail(f"expected {announced} states and '}};'", start)
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
            keyword = self._keyword("a row '(states) numbers;', 'table', 'default' or '}'")
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
        # States may hold brackets: the row's own is the one with nothing but numbers behind it.
        brackets = find_outside_strings(self._text, ")", start + 1)
        closing = next((i for i in brackets if _NUMBERS.match(self._text, i + 1)), None)
        if closing is None:
            self._fail("expected a row: '(states) numbers;'", start)
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


def blank_comments(text: str) -> tuple[str, int | None]:
    """Replace ``//`` and ``/* */`` comments by spaces, so that positions stay what they were.

    Returns
    -------
    text : str
    unclosed : int or None
        The position of a block comment that is never closed, if there is one.
    """
    if "//" not in text and "/*" not in text:
        return text, None
    unclosed: int | None = None

    def blanked(found: re.Match[str]) -> str:
        nonlocal unclosed
        string, closed = found.groups()
        if string:
            return string
        comment = found.group()
        if comment.startswith("/*") and not closed:
            unclosed = found.start()
        return _NOT_NEWLINE.sub(" ", comment)

    blank = _COMMENTS.sub(blanked, text)
    return (blank, None) if unclosed is None else (text, unclosed)


def find_outside_strings(text: str, marks: str, start: int = 0) -> Iterator[int]:
    """Yield the positions from `start` on of any of the characters `marks`, strings left out."""
    pattern = re.compile(rf"{_OPENING}{_STRING}|[{re.escape(marks)}]")
    for found in pattern.finditer(text, start):
        if found.end() - found.start() == 1:
            yield found.start()


def split_outside_strings(text: str, mark: str) -> list[str]:
    """Split at the character `mark`, strings left whole."""
    return _cut(text, find_outside_strings(text, mark))


def _cut(text: str, positions: Iterable[int]) -> list[str]:
    return [text[a + 1 : b] for a, b in itertools.pairwise([-1, *positions, len(text)])]


def split_items(text: str, accepts: Callable[[list[str]], bool]) -> list[str] | None:
    """Split a list into its items, unquoted.

    Parameters
    ----------
    text : str
        What stands between the brackets.
    accepts : callable
        Tells whether a way to split gave the right items. The ways are tried in this order: at
        commas; at commas followed by a space; at commas outside brackets; at white space.

    Returns
    -------
    list of str, or None if no way was accepted
    """
    if not text.strip():
        return [] if accepts([]) else None
    for split in (_at_commas, _at_comma_space, _at_outer_commas, _WORDS.findall):
        pieces = [piece.strip() for piece in split(text)]
        if all(pieces):
            items = [unquote(piece) for piece in pieces]
            if accepts(items):
                return items
    return None


def _at_commas(text: str) -> list[str]:
    return split_outside_strings(text, ",")


def _at_comma_space(text: str) -> list[str]:
    commas = find_outside_strings(text, ",")
    return _cut(text, (comma for comma in commas if text[comma + 1 : comma + 2].isspace()))


def _at_outer_commas(text: str) -> list[str]:
    commas, depth = [], 0
    for position in find_outside_strings(text, ",()[]"):
        if text[position] != ",":
            depth += 1 if text[position] in "([" else -1
        elif depth == 0:
            commas.append(position)
    return _cut(text, commas)


def unquote(word: str) -> str:
    """Return what a word stands for: itself, or the content of a quoted string."""
    if not _QUOTED.fullmatch(word):
        return word
    return _ESCAPE.sub(_unescaped, word[1:-1])


def _unescaped(found: re.Match[str]) -> str:
    escape = found.group()
    return _ESCAPED[escape] if escape in _ESCAPED else chr(int(escape[2:], 16))
