"""How often check raises an alarm over rows that did not change.

``python -m benchmarks check`` draws batches of 200, 2,000 and 20,000 rows from the distribution
that 10,000 rows were learned from, of six networks and two mixed tables, and counts the sections
that raise an alarm at the level of 5 %. Ten batches share a learner; of 20,000 rows two, because
chance in the rows of the learner is then most of the difference. It runs what ``calibration.csv``
has no line of and writes ``calibration.md``. ``check power`` is about changes that are found,
``check rows`` about odd rows, ``check speed`` about large files.
"""

import sys
import warnings
from dataclasses import dataclass

import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.check.sources import TABLES, learner_of, rows_of
from benchmarks.common.clock import timed
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, included, table, write
from benchmarks.common.parts import run_part
from benchmarks.common.runs import perform_left, read_runs, run_of
from bnsieve.check import SECTIONS

PARTS = ("power", "rows", "speed")
SIZES = (200, 2_000, 20_000)
N_BATCHES = 500
# Batches that share a learner, by their rows.
A_LEARNER = {200: 10, 2_000: 10, 20_000: 2}
LEVEL = 0.05
# The share of alarms that the bar allows, and how many standard errors beyond it are no chance.
HIGHEST, ERRORS = 0.07, 2.0
_TITLES = [f"{size:,} rows" for size in SIZES]


@dataclass(frozen=True)
class Job:
    """Batches of one table and size that share a learner."""

    table: str
    size: int
    block: int


def perform(job: Job) -> dict[str, object]:
    """Check batches that did not change."""
    alarms: dict[str, int] = dict.fromkeys(SECTIONS, 0)
    with threadpool_limits(1), timed() as spent, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        learner = learner_of(job.table, job.block)
        n_batches = A_LEARNER[job.size]
        for number in range(n_batches):
            seed = job.block * n_batches + number
            found = learner.check(rows_of(job.table, job.size, seed), level=LEVEL)
            for section in found.changed:
                alarms[section] += 1
    measures = {"batches": n_batches, **alarms, "cpu_seconds": spent.processor_seconds}
    return run_of(job, measures)


def report(runs: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return the tables, and what is above the bar beyond chance."""
    lines, wrong, summary = [], [], []
    for section in SECTIONS:
        rows = []
        for name in (*TABLES, "all"):
            own = runs if name == "all" else runs[runs["table"] == name]
            if len(own):
                cells = [_cell(own[own["size"] == size], section) for size in SIZES]
                rows.append([name, *cells])
        summary.append([section, *rows[-1][1:]])
        for cell, own in runs.groupby(["table", "size"]):
            n, k = own["batches"].sum(), own[section].sum()
            share = k / n
            if share - ERRORS * (HIGHEST * (1 - HIGHEST) / n) ** 0.5 > HIGHEST:
                wrong.append(f"{section}, {cell[0]}, {cell[1]:,} rows: {share:.1%}")
        lines += [f"## {section.capitalize()}", ""]
        lines += [*table(["table", *_TITLES], rows), ""]
    told = [
        f"Share of batches in which a section raised an alarm at the level of {LEVEL:.0%}, in",
        "brackets the number of batches. Nothing had changed.",
        "",
        *included("all", [*table(["section", *_TITLES], summary)]),
        "",
        *lines,
        f"Batches: {runs['batches'].sum():,}; {runs['cpu_seconds'].sum() / 60:.0f} minutes of "
        "processor time.",
        "",
        f"Above {HIGHEST:.0%} beyond chance: {'; '.join(wrong) or 'nothing'}.",
    ]
    return told, wrong


def _cell(runs: pd.DataFrame, section: str) -> str:
    n = int(runs["batches"].sum())
    return f"{runs[section].sum() / n:.1%} ({n:,})" if n else ""


def main(arguments: list[str] | None = None) -> None:
    if run_part("check", arguments, PARTS):
        return
    given = sys.argv[1:] if arguments is None else arguments
    parser = parser_of("check", __doc__)
    parser.add_argument("--rows", nargs="+", type=int, choices=SIZES, default=list(SIZES))
    parser.add_argument("--batches", type=int, default=N_BATCHES)
    asked = parser.parse_args(given)
    tables, sizes, n_batches = TABLES, asked.rows, asked.batches
    if asked.quick:
        tables, sizes, n_batches = ("asia", "customers"), SIZES[:1], A_LEARNER[SIZES[0]]
    # A whole round before the next, so that a study that is stopped has all cells.
    jobs = [
        Job(name, size, block)
        for block in range(n_batches)
        for name in tables
        for size in sizes
        if block < n_batches // A_LEARNER[size]
    ]
    path = asked.output / "calibration.csv"
    perform_left(jobs, path, perform, lambda run: str(run["table"]), asked.jobs, asked.minutes)
    lines, wrong = report(read_runs(path))
    title = head("False alarms of check", "check", given)
    write(asked.output / "calibration.md", title + lines)
    print("\n".join(lines))
    # Of ten batches an alarm proves nothing.
    if wrong and not asked.quick:
        sys.exit("error: the bar is missed")
