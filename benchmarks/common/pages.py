"""Runs in, a page of Markdown out: its head, its tables."""

import os
import platform
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path


def head(title: str, study: str, arguments: Sequence[str]) -> list[str]:
    """Return the first lines of a report: what ran, when, and on what kind of machine.

    Parameters
    ----------
    title : str
    study : str
        Name of the study's folder.
    arguments : sequence of str
        What the study was called with; where the output went is left out.
    """
    shown = list(arguments)
    while "--output" in shown:
        at = shown.index("--output")
        del shown[at : at + 2]
    command = " ".join(["python -m", f"benchmarks.{study}.study", *shown])
    machine = (
        f"{os.cpu_count()} processors ({platform.machine()}), {platform.system()}, "
        f"Python {platform.python_version()}"
    )
    return [
        f"# {title}",
        "",
        f"Last run: {date.today().isoformat()}, by `{command}`.",
        f"Machine: {machine}; every fit on one thread. Seconds are processor seconds.",
        "",
    ]


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table: the first column is text, the others are figures."""
    lines = [f"| {' | '.join(titles)} |", "|---|" + "--:|" * (len(titles) - 1)]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows), ""]


def write(path: Path, lines: Iterable[str]) -> None:
    """Write a page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
