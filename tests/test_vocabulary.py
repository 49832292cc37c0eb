"""One word per concept: phrases that the source, the help and the documentation do not use.

``banned_words.txt`` has a line per phrase, with three fields between tabs: a regular expression
(words only, any case), what to write instead, and where the line applies: folders or files from
the repository's root, separated by spaces, or ``*`` for the source, the documentation and the help
of the command line.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from bnsieve.cli.app import COMMANDS, app

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_name("banned_words.txt")
# Where phrases are looked for: text of all other files in these folders is not read by users.
FOLDERS = ("src/bnsieve", "docs", "README.md")

HELP = "help"


class Ban(NamedTuple):
    """A line of the list."""

    pattern: str
    instead: str
    where: tuple[str, ...]

    def applies_to(self, path: str) -> bool:
        """Tell whether it covers a file, or the help."""
        return any(
            place == "*" or path == place or path.startswith(f"{place.rstrip('/')}/")
            for place in self.where
        )


def read_list() -> list[Ban]:
    """Read the list; empty lines and lines that start with # say nothing."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    fields = [line.split("\t") for line in lines if line.strip() and not line.startswith("#")]
    return [Ban(pattern, instead, tuple(where.split())) for pattern, instead, where in fields]


BANS = read_list()


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line numbers and texts: of Python string literals and comments, else the whole file."""
    content = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield 1, content
        return
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.JoinedStr):
            parts = [one.value if isinstance(one, ast.Constant) else " … " for one in node.values]
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
    # Lines of comments that follow each other are one text.
    first, comment, last = 0, "", -1
    for token in tokenize.generate_tokens(io.StringIO(content).readline):
        if token.type != tokenize.COMMENT:
            continue
        if token.start[0] != last + 1:
            yield first, comment
            first, comment = token.start[0], ""
        comment, last = f"{comment} {token.string.lstrip('# ')}", token.start[0]
    yield first, comment


@cache
def all_texts() -> dict[str, list[tuple[int, str]]]:
    """Return the texts of every file that users or contributors read, and of the help."""
    paths = [
        path
        for folder in FOLDERS
        for path in ([ROOT / folder] if (ROOT / folder).is_file() else (ROOT / folder).rglob("*"))
        if path.suffix in (".py", ".pyi", ".html", ".js", ".md")
    ]
    texts = {path.relative_to(ROOT).as_posix(): list(texts_of(path)) for path in paths}
    return texts | {HELP: [(1, CliRunner().invoke(app, [name, "-h"]).stdout) for name in COMMANDS]}


def found_in(ban: Ban, texts: dict[str, list[tuple[int, str]]]) -> list[str]:
    """Return where a phrase occurs in the places that its line names."""
    pattern = re.compile(rf"\b(?:{ban.pattern})\b", re.IGNORECASE)
    return [
        f"{path}:{line}: …{' '.join(text.split())[max(0, match.start() - 30) : match.end() + 30]}…"
        for path, parts in texts.items()
        if ban.applies_to(path)
        for line, text in parts
        for match in pattern.finditer(" ".join(text.split()))
    ]


@pytest.mark.parametrize("ban", BANS, ids=[ban.pattern for ban in BANS])
def test_a_banned_phrase_is_not_used(ban: Ban) -> None:
    places = found_in(ban, all_texts())
    assert not places, "\n".join([f"write {ban.instead!r} instead:", *places])


@pytest.mark.parametrize("ban", BANS, ids=[ban.pattern for ban in BANS])
def test_every_place_exists(ban: Ban) -> None:
    gone = [
        place for place in ban.where if place not in ("*", HELP) and not (ROOT / place).exists()
    ]
    assert not gone, f"{LIST.name} names {', '.join(gone)}, which are not there"


def test_phrases_are_found_across_lines_and_in_any_case() -> None:
    ban = Ban("joined to", "adjacent to", ("src",))
    texts = {"src/one.py": [(3, "It is Joined\n    to nothing.")], "docs/a.md": [(1, "joined to")]}
    assert [place.partition(":")[0] for place in found_in(ban, texts)] == ["src/one.py"]
    assert not found_in(Ban("cuts", "bins", ("src",)), {"src/one.py": [(1, "shortcuts haircuts")]})


def test_strings_docstrings_and_comments_are_read(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text('"""First."""\nx = f"second {1} third"  # fourth\n# fifth\n', encoding="utf-8")
    text = " ".join(text for _, text in texts_of(path))
    for word in ("First", "second", "third", "fourth fifth"):
        assert word in text
    assert "x =" not in text
