"""The runs in, a page of Markdown out."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.common.pages import table
from benchmarks.tables.catalogue import TABLES
from benchmarks.tables.runner import BNLEARN, BNSIEVE

# What is asked at 200,000 rows, and the memory at any size.
BAR_SECONDS, BAR_MB = 60.0, 2048.0
TIME_FACTOR, MEMORY_FACTOR = 3.0, 2.0


def report(runs: pd.DataFrame, results: Path) -> list[str]:
    """Return the tables of every label."""
    lines = [
        "`bnsieve learn FILE` without any option, on tables as people have them, on all threads.",
        "Lost: columns at a true edge that the graph does not have. Misplaced: identifiers, texts,",
        "constants and whole dates in the graph. Wrong roles: columns taken for something they are",
        "not. F1 is of the skeleton, over columns: a part of a date counts as the date. Beside it",
        "bnlearn's tabu (BIC) on a table that a person prepared: numbers cut at sensible points,",
        "codes by their groups, keys left out. Bold: above the bar.",
        "",
    ]
    own = runs[runs.program == BNSIEVE]
    peers = runs[runs.program == BNLEARN].drop_duplicates(["table", "rows"], keep="last")
    for (label, form, size), part in own.groupby(["label", "form", "rows"], sort=False):
        f1 = peers[peers.rows == size].set_index("table").f1
        lines += [f"## {label}: {size:,} rows, {form}", "", *_cells(part, f1), ""]
        lines += _faults(part)
    return lines + _same_plans(own, results)


def _cells(part: pd.DataFrame, peer_f1: "pd.Series[Any]") -> list[str]:
    rows = [
        [
            name,
            _barred(run.cpu_seconds, BAR_SECONDS),
            _barred(run.peak_mb, BAR_MB),
            _ratio(run.estimated_seconds, run.cpu_seconds, TIME_FACTOR),
            _ratio(run.estimated_mb, run.peak_mb, MEMORY_FACTOR),
            *(f"{_n(text)}" for text in (run.lost, run.misplaced, run.wrong_roles)),
            "**none**" if pd.isna(run.f1) else f"{run.f1:.3f}",
            f"{peer_f1[name]:.3f}" if name in peer_f1 and pd.notna(peer_f1[name]) else "",
        ]
        for name in TABLES
        for run in _runs(part[part.table == name])
    ]
    titles = ["table", "seconds", "MB", "time, estimate / actual", "memory, estimate / actual"]
    titles += ["lost", "misplaced", "wrong roles", "F1", "bnlearn"]
    return table(titles, rows)


def _barred(value: float, bar: float) -> str:
    return f"{value:,.0f}" if value <= bar else f"**{value:,.0f}**"


def _ratio(estimate: float, actual: float, factor: float) -> str:
    if pd.isna(estimate):
        return ""
    ratio = estimate / actual
    return f"{ratio:.2f}" if 1 / factor <= ratio <= factor else f"**{ratio:.2f}**"


def _runs(part: pd.DataFrame) -> list[Any]:
    return list(part.itertuples())


def _n(text: Any) -> int:
    return 0 if pd.isna(text) else len(str(text).split(" | "))


def _faults(part: pd.DataFrame) -> list[str]:
    """List what is wrong, table by table."""
    lines = []
    for run in _runs(part):
        faults = [] if run.ended == "well" else [str(run.ended)]
        for title in ("lost", "misplaced", "wrong_roles", "wrong_counts"):
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
