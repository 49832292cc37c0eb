r"""The words and signs of the DOT language.

Comes in: the text of a DOT file. Goes out: its tokens one by one, each with its place.

In a quoted name, Graphviz itself knows only ``\"`` and a backslash at the end of a line; it keeps
two backslashes as two and shows them as one. Here they are one, so that every name can be written.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from bnsieve.formats.errors import FormatError

# Compiled when first used, as few programs read DOT and all import this.
_TOKEN = r"""
    (?P<space> [\ \t\n\r\f\v]+ | //[^\n]* | /\*.*?\*/ | (?:(?<=\n)|(?<!.))\#[^\n]* )
  | (?P<word> [A-Za-z_\u0080-\U0010ffff][A-Za-z0-9_\u0080-\U0010ffff]* | -?(?:\.\d+|\d+(?:\.\d*)?) )
  | (?P<quoted> "(?:[^"\\]|\\.)*" )
  | (?P<sign> -> | -- | [{}\[\]();,=:+] )
    """
_ESCAPE = r'\\(\r?\n|["\\])'


@dataclass(frozen=True)
class Token:
    """A word, a quoted name or a sign; `kind` is one of these three, or "end"."""

    kind: str
    text: str
    position: int

    def is_sign(self, *signs: str) -> bool:
        """Tell whether this is one of these signs."""
        return self.kind == "sign" and self.text in signs

    def is_word(self, *words: str) -> bool:
        """Tell whether this is one of these words of the language, in any case."""
        return self.kind == "word" and self.text.lower() in words


def quoted(name: str) -> str:
    """Return a name in quotes, as DOT reads it."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def tokens(text: str, path: str | None) -> Iterator[Token]:
    """Take a text apart; the last token has the kind "end"."""
    pattern = re.compile(_TOKEN, re.VERBOSE | re.DOTALL)
    position = 0
    while position < len(text):
        if text[position] == "<":
            position, token = _html(text, position, path)
            yield token
            continue
        match = pattern.match(text, position)
        if match is None:
            refuse(f"unexpected {text[position]!r}", text, position, path)
        kind, found = match.lastgroup or "", match[0]
        if kind == "quoted":
            found = re.sub(_ESCAPE, lambda m: m[1] if m[1] in '"\\' else "", found[1:-1])
        if kind != "space":
            yield Token(kind, found, position)
        position = match.end()
    yield Token("end", "", position)


def _html(text: str, start: int, path: str | None) -> tuple[int, Token]:
    """Read a name in angle brackets, which may hold others; it counts as it stands."""
    bracket = re.compile("[<>]")
    depth, end = 1, start + 1
    while depth:
        match = bracket.search(text, end)
        if match is None:
            refuse("the name in angle brackets has no end", text, start, path)
        depth += 1 if match[0] == "<" else -1
        end = match.end()
    return end, Token("quoted", text[start + 1 : end - 1], start)


def refuse(message: str, text: str, position: int, path: str | None) -> NoReturn:
    """Raise the error of a text that is wrong at a position."""
    line, column = text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
    raise FormatError(message, line, column, path)
