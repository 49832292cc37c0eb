"""Blocks of statements, ``head { statement; ... }``: the common form of BIF and of Hugin's files.

In: the text of a file. Out: each block's head and statements as matches of regular expressions.
They are sought in a copy of the text in which strings are underscores and comments are blank, so
that no mark inside a string counts as structure. All patterns must be possessive, or lazy up to
a mark: time is then linear in the text, however broken.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Never

from bnsieve.exchange.files import Source

# A string ends on its own line, so that a forgotten quote cannot swallow the file.
STRING = r'"(?:[^"\\\n]|\\[^\n])*+"'
# Twenty times as many as the largest of the benchmark networks has; each takes some hundred bytes.
# A large file may have one in so many characters: rows of a CPT that bnsieve writes are longer.
MAX_STATEMENTS = 1_000_000
_CHARACTERS_PER_STATEMENT = 24
_NOT_NEWLINE = re.compile(r"[^\n]")
_SPACE = re.compile(r"\s*+")
_CLOSING = re.compile(r"\s*+\}")


@dataclass(frozen=True)
class BlockText(Source):
    """The text of a file, and its copy `masked` in which strings and comments say nothing."""

    masked: str

    @classmethod
    def mask(cls, text: str, path: str | None, skipped: re.Pattern[str]) -> "BlockText":
        """Mask what a pattern finds: strings and comments; its group `open` is refused."""
        bare, masked, end = [], [], 0
        for found in skipped.finditer(text):
            if found.lastgroup == "open":
                Source(text, path).fail(found.start(), "this string or comment is never closed")
            between, blank = text[end : found.start()], _NOT_NEWLINE.sub(" ", found[0])
            is_string, end = found[0][0] == '"', found.end()
            bare += [between, found[0] if is_string else blank]
            masked += [between, "_" * len(blank) if is_string else blank]
        return cls("".join([*bare, text[end:]]), path, "".join([*masked, text[end:]]))

    def blocks(
        self, head: re.Pattern[str], statement: re.Pattern[str], expected: Callable[[str], str]
    ) -> Iterator[tuple[re.Match[str], list[re.Match[str]]]]:
        """Yield the blocks; `expected` says what may stand in a block that begins in this way."""
        position, n_statements = 0, 0
        most = max(MAX_STATEMENTS, len(self.text) // _CHARACTERS_PER_STATEMENT)
        while (position := self._after_space(position)) < len(self.masked):
            block = head.match(self.masked, position)
            if block is None:
                self.fail(position, expected(""))
            position, statements = block.end(), []
            while not (closing := _CLOSING.match(self.masked, position)):
                position = self._after_space(position)
                n_statements += 1
                if n_statements > most:
                    self.fail(position, f"the file has more than {most:,} statements")
                found = statement.match(self.masked, position)
                if found is None:
                    self.fail(position, expected(block[1]))
                statements.append(found)
                position = found.end()
            yield block, statements
            position = closing.end()

    def part(self, found: re.Match[str], group: int | str) -> str:
        """Return a group of a match as the file has it, without white space around it."""
        return self.text[slice(*found.span(group))].strip()

    def refusal(self, found: re.Match[str]) -> Callable[[str], Never]:
        """Return the function that raises the error of a file that is wrong at this match."""
        return partial(self.fail, found.start())

    def _after_space(self, position: int) -> int:
        space = _SPACE.match(self.masked, position)
        return space.end() if space else position
