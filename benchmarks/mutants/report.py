"""Runs in, a page out: how many mutants were noticed, and why the others do no harm."""

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from benchmarks.common.pages import head, table, write
from benchmarks.common.runs import read_runs
from benchmarks.mutants.groups import GROUPS

TITLES = ("group", "mutants", "killed", "timed out", "survived", "share", "now", "share now")
# The label of trials of survivors, after new tests.
AGAIN = "again"
MUTANT = ["module", "operator", "change"]


def left_of(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the survivors that no later run killed."""
    first = runs["label"] != AGAIN
    survived = runs[first & (runs["outcome"] == "survived")]
    killed = runs.loc[~first & (runs["outcome"] != "survived"), MUTANT]
    keys = set(killed.itertuples(index=False, name=None))
    kept = [key not in keys for key in survived[MUTANT].itertuples(index=False, name=None)]
    return survived.loc[kept]


def write_report(folder: Path, arguments: Sequence[str]) -> None:
    """Write ``report.md`` beside ``runs.csv``.

    A run with the label ``again`` tells what became of a survivor; ``explained.csv`` has the
    survivors that were read and left.
    """
    runs = read_runs(folder / "runs.csv")
    first, left = runs[runs["label"] != AGAIN], left_of(runs)
    rows = [
        _row(group, first[first["group"] == group], left[left["group"] == group])
        for group in GROUPS
        if group in set(first["group"])
    ]
    rows.append(_row("all", first, left))
    lines = [
        *head("Mutation testing", "mutants", arguments),
        f"Mutants by cosmic-ray {version('cosmic-ray')}, one per place in the code, by chance.",
        "Tests that take far longer than without a mutant are timed out; they have noticed it.",
        "The last two columns: what is left of the survivors after new tests.",
        "",
        *table(TITLES, rows),
        "",
        "## Survivors",
        "",
        *table(("module", "line", "change", "why it is left"), _explained(folder, left), None),
    ]
    write(folder / "report.md", lines)
    print("\n".join(lines))


def _row(group: str, runs: pd.DataFrame, left: pd.DataFrame) -> tuple[str, ...]:
    counts = runs["outcome"].value_counts()
    killed, late, survived = (int(counts.get(k, 0)) for k in ("killed", "timeout", "survived"))
    total = len(runs)
    shares = (f"{100 * (total - n) / total:.0f} %" for n in (survived, len(left)))
    before, after = shares
    return (group, *map(str, (total, killed, late, survived)), before, str(len(left)), after)


def _explained(folder: Path, left: pd.DataFrame) -> list[tuple[str, ...]]:
    path = folder / "explained.csv"
    columns = [*MUTANT, "why"]
    known = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=columns)
    merged = left.merge(known[columns], on=MUTANT, how="left")
    return [
        (run["module"], str(run["line"]), _as_code(run["change"]), _why(run["why"]))
        for run in merged.sort_values(["module", "line"]).to_dict("records")
    ]


def _as_code(change: str) -> str:
    return f"`{change}`".replace("|", "\\|")  # a bar would end the cell


def _why(text: object) -> str:
    return text if isinstance(text, str) else "not explained"
