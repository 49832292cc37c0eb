"""The runs in, a page of Markdown out."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.common.pages import table
from benchmarks.tables.catalogue import TABLES

# What is asked at 200,000 rows, and the memory at any size.
BAR_SECONDS, BAR_MB = 60.0, 2048.0


def report(runs: pd.DataFrame, results: Path) -> list[str]:
    """Return the tables of every label."""
    lines = [
        "`bnsieve learn FILE` without any option, on tables as people have them, on all threads.",
        "Lost: columns at a true edge that the graph does not have. Misplaced: identifiers, texts,",
        "constants and whole dates in the graph. Wrong roles: columns taken for something they are",
        "not. F1 is of the skeleton, over columns: a part of a date counts as the date.",
        "Bold: above the bar.",
        "",
    ]
    for (label, form, size), part in runs.groupby(["label", "form", "rows"], sort=False):
        lines += [f"## {label}: {size:,} rows, {form}", "", *_cells(part), ""]
        lines += _faults(part)
    return lines + _same_plans(runs, results)


def _cells(part: pd.DataFrame) -> list[str]:
    rows = [
        [
            name,
            _barred(run.cpu_seconds, BAR_SECONDS),
            _barred(run.peak_mb, BAR_MB),
            *(f"{_n(text)}" for text in (run.lost, run.misplaced, run.wrong_roles)),
            "**none**" if pd.isna(run.f1) else f"{run.f1:.3f}",
        ]
        for name in TABLES
        for run in _runs(part[part.table == name])
    ]
    return table(["table", "seconds", "MB", "lost", "misplaced", "wrong roles", "F1"], rows)


def _barred(value: float, bar: float) -> str:
    return f"{value:,.0f}" if value <= bar else f"**{value:,.0f}**"


def _runs(part: pd.DataFrame) -> list[Any]:
    return list(part.itertuples())


def _n(text: Any) -> int:
    return 0 if pd.isna(text) else len(str(text).split(" | "))


def _faults(part: pd.DataFrame) -> list[str]:
    """List what is wrong, table by table."""
    lines = []
    for run in _runs(part):
        faults = [] if run.ended == "well" else [str(run.ended)]
        for title in ("lost", "misplaced", "wrong_roles"):
            text = getattr(run, title)
            if pd.notna(text):
                faults.append(f"{title.replace('_', ' ')}: {_shortened(str(text))}")
        lines += [f"- {run.table}: {'; '.join(faults)}"] if faults else []
    return [*lines, ""] if lines else []


def _shortened(text: str, n_shown: int = 8) -> str:
    parts = text.split(" | ")
    rest = [f"and {len(parts) - n_shown} more"] if len(parts) > n_shown else []
    return ", ".join([*parts[:n_shown], *rest])


def _same_plans(runs: pd.DataFrame, results: Path) -> list[str]:
    """Set the roles and drops of CSV beside those of Parquet, label by label."""
    lines = ["## The same in every form", ""]
    for (label, name), part in runs[runs.ended == "well"].groupby(["label", "table"], sort=False):
        plans = {
            f"{run.form}, {run.rows:,}": _plan(results, f"{label}-{name}-{run.form}-{run.rows}")
            for run in _runs(part)
        }
        (first, one), *others = plans.items()
        for other, plan in others:
            differing = [column for column in one if one[column] != plan.get(column)]
            said = ", ".join(differing) if differing else "nothing"
            lines.append(f"- {label}, {name}: {first} and {other} rows differ in {said}")
    return lines


def _plan(results: Path, name: str) -> dict[str, tuple[str, bool]]:
    """Return the role of each column, and whether it is in the graph."""
    read = json.loads((results / "plans" / f"{name}.json").read_text(encoding="utf-8"))
    return {column: (plan["role"], bool(plan["nodes"])) for column, plan in read.items()}
