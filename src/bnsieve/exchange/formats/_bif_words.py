r"""Words of the BIF format: comments, quoted strings, and lists of labels or names.

Comes in: text. Goes out: the same text without comments, or the items of a list.

Programs do not agree on how to write a label that is not a plain word. Read is what any of them
writes:

- quoted, ``"very low"``, with the escapes ``\" \\ \n \r \t \uXXXX`` (other backslashes are
  themselves); a quote opens a string only where a word may begin, so ``5" pipe`` is a plain label;
- unquoted, with anything inside but the mark that ends the list: ``very low``, ``<=7.5``, ``é``;
- lists with commas (whose items may hold spaces) or with white space alone. Where it is doubtful,
  as in ``(0, 1], (1, 2]``, the number of items that the file itself announces decides.

Written are plain words only, which `_spelling` finds. All patterns are possessive: time is linear
in the text, however broken.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator

# A string ends on its own line, so that a forgotten quote cannot swallow the file.
_STRING = r'"(?:[^"\\\n]|\\[^\n])*+"'
_OPENING = r"(?<![^\s,{(|])"
_QUOTED = re.compile(_STRING)
_WORDS = re.compile(rf"{_OPENING}{_STRING}|[^\s,]++")
_COMMENTS = re.compile(rf"({_OPENING}{_STRING})|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(\*/)?")
_NOT_NEWLINE = re.compile(r"[^\n]")
_ESCAPE = re.compile(r'\\(?:["\\nrt]|u[0-9a-fA-F]{4})')
_ESCAPED = {'\\"': '"', "\\\\": "\\", "\\n": "\n", "\\r": "\r", "\\t": "\t"}


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
