"""Runs in, a page of Markdown out: its head, its tables."""

import os
import platform
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from pathlib import Path

import pandas as pd


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
    command = " ".join(["python -m benchmarks", study, *shown])
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


def table(
    titles: Sequence[str], rows: Iterable[Sequence[str]], n_text: int | None = 1
) -> list[str]:
    """Return the lines of a table.

    Parameters
    ----------
    titles : sequence of str
    rows : iterable of sequences of str
    n_text : int or None
        The first so many columns are text, and stand on the left; the others are figures. None for
        all.
    """
    n_left = len(titles) if n_text is None else n_text
    under = ["---"] * n_left + ["--:"] * (len(titles) - n_left)
    return [f"| {' | '.join(line)} |" for line in (titles, under, *rows)]


def included(name: str, lines: Iterable[str]) -> list[str]:
    """Return lines between the marks by which a page of the documentation includes them."""
    return [f"<!-- --8<-- [start:{name}] -->", *lines, f"<!-- --8<-- [end:{name}] -->"]


def by_size(
    runs: pd.DataFrame, by: str, title: str, cell: Callable[[pd.DataFrame], str]
) -> list[str]:
    """Return a table: a line for each value of a column and one for all, sizes of samples across.

    Parameters
    ----------
    runs : DataFrame
        One of its columns is `rows`.
    by : str
        The column that the lines are for.
    title : str
        Above the names of the lines.
    cell : callable
        Says in a few characters what some of the runs, perhaps none, have in common.
    """
    sizes = sorted(runs["rows"].unique())
    groups = [*((str(name), own) for name, own in runs.groupby(by, sort=False)), ("all", runs)]
    lines = [[name, *(cell(own[own["rows"] == size]) for size in sizes)] for name, own in groups]
    return table([title, *(f"{size:,} rows" for size in sizes)], lines)


def write(path: Path, lines: Iterable[str]) -> None:
    """Write a page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
