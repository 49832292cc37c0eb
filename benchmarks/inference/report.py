"""Runs in, the page of the study out."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from benchmarks.common.pages import head, table, write
from benchmarks.common.runs import read_runs

SMALL = 1_000


def write_report(folder: Path, arguments: Sequence[str], version: str) -> None:
    """Write ``report.md`` of all runs of a folder."""
    lines = head("Inference", "inference", _without_paths(arguments))
    lines += [f"pyAgrum: {version} (LazyPropagation). Figures are medians of the repetitions.", ""]
    lines += ["<!-- --8<-- [start:tables] -->", ""]
    for name, part in (("margins", _margins), ("rows", _rows), ("refusals", _refusals)):
        path = folder / f"{name}.csv"
        if path.exists():
            lines += [*part(read_runs(path), folder), ""]
    write(folder / "report.md", [*lines, "<!-- --8<-- [end:tables] -->"])


def _without_paths(arguments: Sequence[str]) -> list[str]:
    """Leave out where other programs are."""
    shown = list(arguments)
    for option in ("--python", "--cache"):
        while option in shown:
            at = shown.index(option)
            del shown[at : at + 2]
    return shown


def _margins(runs: pd.DataFrame, folder: Path) -> list[str]:
    middle = runs.groupby("network").median(numeric_only=True)
    why = _texts(runs.pyagrum).groupby(runs.network).first()
    worst = runs.groupby("network")["distance"].max()
    rows = []
    middle = middle.sort_values("largest_clique")
    for name in middle.index.astype(str):
        line = middle.loc[name]
        rows.append(
            [
                name,
                f"{line.largest_clique:,.0f}",
                f"{line.seconds:.4f}",
                why[name] or f"{line.pyagrum_seconds:.4f}",
                _times(line.pyagrum_seconds / line.seconds),
                _small(float(worst[name])),
                f"{line.planned_mb:,.1f}",
                f"{line.peak_mb:,.1f}",
                _seconds(line.explanation_seconds),
            ]
        )
    titles = (
        "network",
        "largest table, cells",
        "all margins, s",
        "pyAgrum, s",
        "times as fast",
        "largest distance",
        "planned, MB",
        "used at most, MB",
        "most probable explanation, s",
    )
    both = middle.dropna(subset=["pyagrum_seconds"])
    n_faster = int((both.seconds <= both.pyagrum_seconds).sum())
    return [
        "### All margins",
        "",
        "The times are of the first question to a network, with its planning. The distance is the "
        "largest difference between one of our probabilities and pyAgrum's. It is computed without "
        "evidence, and with five random sets of evidence on a fifth of the columns.",
        "",
        *table(titles, rows),
        "",
        f"At least as fast as pyAgrum: {n_faster} of {len(both)} networks that it answers. Memory "
        f"above the plan: {int((middle.peak_mb > middle.planned_mb).sum())} of {len(middle)}.",
    ]


def _rows(runs: pd.DataFrame, folder: Path) -> list[str]:
    middle = runs.groupby("network").median(numeric_only=True)
    why = _texts(runs.pyagrum).groupby(runs.network).first()
    worst = runs.groupby("network")["distance"].max()
    path = folder / "margins.csv"
    middle["cells"] = float("nan")
    if path.exists():
        middle["cells"] = read_runs(path).groupby("network").largest_clique.first()
    middle["times"] = middle.rows_per_second / middle.pyagrum_rows_per_second
    rows = []
    middle = middle.sort_values("cells")
    for name in middle.index.astype(str):
        line = middle.loc[name]
        rows.append(
            [
                name,
                f"{line.cells:,.0f}",
                f"{line.rows_per_second:,.0f}",
                why[name] or f"{line.pyagrum_rows_per_second:,.0f}",
                _times(line.times),
                _small(float(worst[name])),
                f"{line.likelihood_rows_per_second:,.0f}",
            ]
        )
    titles = (
        "network",
        "largest table, cells",
        "rows per second",
        "pyAgrum",
        "times as fast",
        "largest distance",
        "log_likelihood, rows per second",
    )
    both = middle.dropna(subset=["times"])
    small = both[both.cells <= SMALL]
    return [
        "### Rows with missing values",
        "",
        "There are 10,000 rows with 30 % of the cells missing, and each repetition draws one "
        "target. Our time includes reading the frame. pyAgrum gets prepared rows, and answers for "
        "4 seconds.",
        "",
        *table(titles, rows),
        "",
        f"At least as fast as pyAgrum: {int((both.times >= 1).sum())} of {len(both)} networks. At "
        f"least 10 times as fast, of those with tables of up to {SMALL:,} cells: "
        f"{int((small.times >= 10).sum())} of {len(small)}.",
    ]


def _refusals(runs: pd.DataFrame, folder: Path) -> list[str]:
    refused = runs[_texts(runs.said) != ""]
    rows = [
        [
            str(line.network),
            f"{line.seconds:.3f}",
            f"{line.singles_answered} of {line.singles}",
            f"{line.longest_single:.3f}",
        ]
        for line in refused.itertuples()
    ]
    lines = [
        "### Refusals",
        "",
        "With the default memory limit of 1 GiB, a request for all margins is refused for "
        f"{len(refused)} of {len(runs)} networks. A question about one column computes only the "
        "part of the network that matters for it.",
        "",
    ]
    if rows:
        titles = ("network", "refused after, s", "single columns answered", "longest of them, s")
        lines += [*table(titles, rows), ""]
    single = runs[_texts(runs.said) == ""]
    lines.append(
        f"On the other networks, {int(single.singles_answered.sum()):,} of "
        f"{int(single.singles.sum()):,} questions about one column are answered. The longest took "
        f"{single.longest_single.max():.2f} s."
    )
    return lines


def _texts(column: "pd.Series[str]") -> "pd.Series[str]":
    """Return a column of texts, which is one of numbers where all are empty."""
    return column.astype(object).where(column.notna(), "")


def _seconds(seconds: float) -> str:
    return "refused" if seconds != seconds else f"{seconds:.3f}"


def _times(ratio: float) -> str:
    return "" if ratio != ratio else f"{ratio:,.1f}"


def _small(number: float) -> str:
    return "" if number != number else f"{number:.0e}"
