"""How long sentences and words of the documentation are, beside that of other projects.

``python -m benchmarks readability`` measures pages, docstrings and help of this clone, with
``--clones FOLDER`` those of scikit-learn, DuckDB (``duckdb-web``) and Polars (``polars``) too, and
writes ``report.md``. Code, tables, headings and directives are left out; see ``prose``.
"""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import typer
from typer.main import get_group

from benchmarks.common.environments import CLONE
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, included, table, write
from benchmarks.readability.prose import (
    docstrings_of,
    figures_of,
    sentences_of,
    without_directives,
)
from bnsieve.cli.app import app

# What is read of other projects: the name in the table, the clone, a folder of it, a file pattern.
PEERS = (
    ("scikit-learn, user guide", "scikit-learn", "doc/modules", "*.rst"),
    ("scikit-learn, docstrings", "scikit-learn", "sklearn", "*.py"),
    ("DuckDB, documentation", "duckdb-web", "docs/current", "*.md"),
    ("Polars, user guide", "polars", "docs/source/user-guide", "*.md"),
    ("Polars, docstrings", "polars", "py-polars/src/polars", "*.py"),
)


def _pages(text: str) -> list[str]:
    return sentences_of(text)


def _rest(text: str) -> list[str]:
    return sentences_of(without_directives(text))


def _docstrings(text: str) -> list[str]:
    return [sentence for one in docstrings_of(text) for sentence in sentences_of(one)]


READERS: dict[str, Callable[[str], list[str]]] = {
    ".md": _pages,
    ".rst": _rest,
    ".py": _docstrings,
}


def sentences_in(folder: Path, pattern: str) -> list[str]:
    """Return the sentences of the files in a folder; tests are left out."""
    paths = [path for path in sorted(folder.rglob(pattern)) if "tests" not in path.parts]
    return [
        sentence
        for path in paths
        for sentence in READERS[path.suffix](path.read_text(encoding="utf-8", errors="replace"))
    ]


def sentences_of_help() -> list[str]:
    """Return the sentences of the help of every command and option."""
    group = get_group(app)
    context = typer.Context(group)
    texts = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None:
            options = (getattr(option, "help", None) for option in command.params)
            texts += [command.help or "", *(text for text in options if text)]
    return [sentence for text in texts for sentence in sentences_of(text)]


def ours() -> Iterator[tuple[str, list[str]]]:
    """Yield the sentences of this clone, by what they are part of."""
    readme = sentences_of((CLONE / "README.md").read_text(encoding="utf-8"))
    yield "bnsieve, pages", readme + sentences_in(CLONE / "docs", "*.md")
    yield "bnsieve, docstrings", sentences_in(CLONE / "src" / "bnsieve", "*.py")
    yield "bnsieve, help", sentences_of_help()


def theirs(clones: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the sentences of other projects; the name has the date of the clone."""
    for name, project, folder, pattern in PEERS:
        command = ["git", "-C", str(clones / project), "log", "-1", "--format=%as"]
        day = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        yield f"{name} ({day})", sentences_in(clones / project / folder, pattern)


def main(arguments: list[str] | None = None) -> None:
    """Measure, and write the report."""
    parser = parser_of("readability", __doc__)
    parser.add_argument("--clones", type=Path, help="a folder with clones of the other projects")
    options = parser.parse_args(arguments)
    measured = [*ours(), *(theirs(options.clones) if options.clones else ())]
    titles = ("text", "words", "words per sentence", "Flesch-Kincaid grade", "over 30 words")
    rows = []
    for name, sentences in measured:
        figures = figures_of(sentences)
        rows.append(
            (
                name,
                f"{figures.n_words:,}",
                f"{figures.words_per_sentence:.1f}",
                f"{figures.grade:.1f}",
                f"{figures.long_sentences:.1%}",
            )
        )
    shown = ["--clones", "FOLDER"] if options.clones else []
    lines = head("Readability", "readability", shown)
    lines[3] = "Without code, tables, headings and directives. Code in a sentence is one syllable."
    write(
        options.output / "report.md",
        [*lines, *included("readability", table(titles, rows))],
    )


if __name__ == "__main__":
    main()
