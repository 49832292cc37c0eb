"""The grammar of Hugin's ``.net`` files: text -> blocks with their attributes.

Comes in: the text of a file. Goes out: `Block`s: what stands before the braces, and each attribute
as the words of its value. What they mean is settled in `hugin`. Time and memory are linear in the
text, however broken.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Never

from bnsieve.exchange.formats.errors import FormatError

_TOKEN = re.compile(
    r"""(?P<space>\s++|%[^\n]*+)
      | (?P<string>"(?:[^"\\\n]|\\[^\n])*+")
      | (?P<sign>[(){}=;|])
      | (?P<word>[^\s%"(){}=;|]++)
      | (?P<stray>.)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r'\\(["\\])')


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


@dataclass(frozen=True)
class Source:
    """A whole file; `fail` turns a position in it into an error with line and column."""

    text: str
    path: str | None

    def fail(self, position: int, message: str) -> Never:
        """Raise a `FormatError` that points at `position`."""
        line = self.text.count("\n", 0, position) + 1
        column = position - (self.text.rfind("\n", 0, position) + 1) + 1
        raise FormatError(message, line, column, self.path)


def parse_blocks(source: Source) -> list[Block]:
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
