"""Every example that a reader can copy is run: in README.md, in docs/ and in docstrings.

Code blocks of a page run from top to bottom, in one namespace and one empty folder:

- ``python``: the block runs without an error;
- ``pycon``: a session with ``>>>`` prints what the page shows (``...`` stands for anything);
- ``console``: each ``$ bnsieve ...`` runs, and the lines shown below it are found in its output, in
  that order (a line ``...`` only says that there is more).

Blocks in any other language are for reading only.
"""

import contextlib
import doctest
import importlib
import io
import itertools
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import bnsieve
from bnsieve.cli import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCES = sorted((ROOT / "src" / "bnsieve").rglob("*.py"))
FENCE = re.compile(r"^( *)```(\w+)[^\n]*\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
LIST_ITEM = re.compile(r"(?:[-*]|\d+\.) ")
DOCTEST_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(NamedTuple):
    """A code block: where it is, its language and its text."""

    page: Path
    line: int
    language: str
    text: str


def blocks(page: Path) -> list[Block]:
    """All code blocks of a page, without the indentation of their fence."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        indentation, language, code = match.groups()
        code = re.sub(f"^{indentation}", "", code, flags=re.MULTILINE)
        found.append(Block(page, text.count("\n", 0, match.start(3)), language, code))
    return found


def run_python(block: Block, names: dict[str, Any]) -> None:
    """Execute the block; a traceback shows the page's own lines."""
    exec(compile("\n" * block.line + block.text, str(block.page), "exec"), names)


def run_session(block: Block, names: dict[str, Any]) -> None:
    """Execute a session and compare what it prints."""
    test = doctest.DocTestParser().get_doctest(
        block.text, names, block.page.name, str(block.page), block.line
    )
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=DOCTEST_OPTIONS)
    runner.run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    assert not runner.failures, "".join(report)


def run_console(block: Block, names: dict[str, Any]) -> None:
    """Run each command, in this process, and look for the lines shown below it."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.replace("\\\n", " ").partition("\n")
        arguments = shlex.split(command)
        assert arguments[0] == "bnsieve", f"{command!r}: commands of others belong in ```bash"
        output, exit_code = io.StringIO(), None
        with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(output):
            patch.setattr(sys, "argv", arguments)
            patch.setenv("COLUMNS", "100")
            patch.setenv("NO_COLOR", "1")
            try:
                main()
            except SystemExit as end:
                exit_code = end.code
        assert not exit_code, f"$ {command}\nended with exit code {exit_code}"
        rest = [" ".join(line.split()) for line in output.getvalue().splitlines()]
        for line in (" ".join(line.split()) for line in shown.splitlines()):
            if line in ("", "..."):
                continue
            assert line in rest, f"$ {command}\ndid not print: {line}\nbut:\n{output.getvalue()}"
            rest = rest[rest.index(line) + 1 :]


RUN = {"python": run_python, "pycon": run_session, "console": run_console}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.language in RUN:
            RUN[block.language](block, names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_lists_begin_after_an_empty_line(page: Path) -> None:
    lines = FENCE.sub("", page.read_text(encoding="utf-8")).splitlines()
    joined = [
        line
        for before, line in itertools.pairwise(lines)
        if (LIST_ITEM.match(line) and before and not before[0].isspace())
        if not LIST_ITEM.match(before)
    ]
    assert not joined, f"the site shows these as part of the paragraph above: {joined}"


def module_of(path: Path) -> ModuleType:
    """The module that a source file is."""
    parts = path.relative_to(ROOT / "src").with_suffix("").parts
    return importlib.import_module(".".join(parts).removesuffix(".__init__"))


@pytest.mark.parametrize(
    "path", [path for path in SOURCES if ">>> " in path.read_text(encoding="utf-8")], ids=str
)
def test_docstrings(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, _ = doctest.testmod(module_of(path), optionflags=DOCTEST_OPTIONS)
    assert not failed


def test_docstrings_are_markdown() -> None:
    roles = [
        f"{path.relative_to(ROOT)}: {role}"
        for path in SOURCES
        for role in re.findall(r":(?:class|func|mod):`[^`]*`", path.read_text(encoding="utf-8"))
    ]
    assert not roles, f"write `name` alone; the site shows roles as they stand: {roles}"


def test_the_version_is_the_same_everywhere() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f'\nversion = "{bnsieve.__version__}"\n' in project
    assert f"\nversion: {bnsieve.__version__}\n" in citation
    assert "## [Unreleased]" in changes or f"## [{bnsieve.__version__}]" in changes
