"""Columns of numbers: as numbers, cut into bins, and by other programs, on the same samples.

``python -m benchmarks numbers --label NAME`` runs what ``runs.csv`` has no line of and writes
``report.md``. ``peers.csv`` holds what bnlearn 5 (hc, tabu, PC), Tetrad 7.6.8 (BOSS, FGES) and
causal-learn (PC) found on the same samples; "penalty 2" is Tetrad's penalty discount.
"""

import sys
from dataclasses import dataclass
from typing import Any

import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.common.clock import timed
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.common.runs import perform_left, read_runs, run_of
from benchmarks.numbers import published
from benchmarks.numbers.kinds import KINDS, sample
from bnsieve import Graph, TsetlinSieve
from bnsieve.metrics import compare

ROWS = (500, 2_000, 10_000)
CONFIGURATIONS: dict[str, dict[str, Any]] = {"numbers": {}, "cut": {"discretize": "auto"}}


@dataclass(frozen=True)
class Job:
    """One fit: a configuration on a sample; a published network has its own number of columns."""

    label: str
    configuration: str
    data: str
    columns: int
    rows: int
    seed: int


def perform(job: Job) -> dict[str, object]:
    """Fit, and compare with the truth."""
    if job.data in KINDS:
        frame, arrows = sample(job.data, job.columns, job.rows, job.seed)
    else:
        frame, arrows = published.sample(job.data, job.rows, job.seed)
    learner = TsetlinSieve(random_state=0, **CONFIGURATIONS[job.configuration])
    with threadpool_limits(1), timed() as spent:
        learner.fit(frame)
    found = compare(learner.graph_, Graph(frame.columns.tolist(), arrows))
    measures = {
        "f1": round(found.f1, 4),
        "precision": round(found.precision, 4),
        "recall": round(found.recall, 4),
        "shd": found.shd,
        "as_numbers": len(learner.numbers_),
        "cpu_seconds": round(spent.processor_seconds, 3),
    }
    return run_of(job, measures)


def report(runs: pd.DataFrame, peers: pd.DataFrame) -> list[str]:
    """Return a table of F1 and distance by cell, and the means over all cells that peers ran."""
    lines = [
        "Skeleton F1 x 100 / CPDAG SHD, mean over seeds (their number in brackets). Kinds: "
        + ", ".join(f"{kind} {about}" for kind, about in KINDS.items())
        + ". Best peer: of the programs that ran on the cell, the highest mean F1 and, beside it, "
        "the lowest mean SHD; they need not be the same program's, and some ran on fewer of the "
        "seeds. The second table has the same samples on both sides.",
        "",
    ]
    for label, own in runs.groupby("label", sort=False):
        lines += [f"## {label}", "", *_cells(own, peers), "", *_means(own, peers), ""]
    return lines


def _cells(runs: pd.DataFrame, peers: pd.DataFrame) -> list[str]:
    rows = []
    for (data, columns, size), part in runs.groupby(["data", "columns", "rows"]):
        cells = [f"{data} {columns}" if columns else str(data), f"{size:,}"]
        cells += [_figures(part[part.configuration == one]) for one in CONFIGURATIONS]
        seeds = part[part.configuration == "numbers"].seed
        others = peers[
            (peers.data == data)
            & (peers["columns"] == columns)
            & (peers.rows == size)
            & peers.seed.isin(seeds)
        ]
        if others.empty:
            cells += ["", ""]
        else:
            means = others.groupby("program")[["f1", "shd"]].mean()
            cells.append(f"{100 * means.f1.max():.0f} ({means.f1.idxmax()})")
            cells.append(f"{means.shd.min():.1f} ({means.shd.idxmin()})")
        seconds = part[part.configuration == "numbers"].cpu_seconds
        cells.append(f"{seconds.mean():.1f}" if len(seconds) else "")
        rows.append(cells)
    titles = ["data", "rows", "numbers", "cut", "best peer's F1", "best peer's SHD", "seconds"]
    return table(titles, rows, 2)


def _figures(part: pd.DataFrame) -> str:
    if part.empty:
        return ""
    return f"{100 * part.f1.mean():.0f} / {part.shd.mean():.1f} ({len(part)})"


def _means(runs: pd.DataFrame, peers: pd.DataFrame) -> list[str]:
    """Return each program's means over the samples of kinds that it ran on, and ours on these."""
    key = ["data", "columns", "rows", "seed"]
    wide = runs[runs.data.isin(list(KINDS))].pivot_table(
        index=key, columns="configuration", values=["f1", "shd"]
    )
    wide.columns = pd.Index([" ".join(one) for one in wide.columns.to_flat_index()])
    rows = []
    for program, own in peers[peers.data.isin(list(KINDS))].groupby("program"):
        both = own.set_index(key)[["f1", "shd"]].join(wide.dropna(), how="inner")
        if both.empty:
            continue
        cells = [
            str(program),
            f"{len(both)}",
            f"{100 * both.f1.mean():.1f} / {both.shd.mean():.1f}",
        ]
        for configuration in CONFIGURATIONS:
            f1, shd = both[f"f1 {configuration}"].mean(), both[f"shd {configuration}"].mean()
            cells.append(f"{100 * f1:.1f} / {shd:.1f}")
        rows.append(cells)
    return table(["program", "samples", "its figures", "numbers, the same", "cut, the same"], rows)


def main(arguments: list[str] | None = None) -> None:
    parser = parser_of("numbers", __doc__)
    every = [*KINDS, *published.NAMES]
    parser.add_argument("--configurations", nargs="+", choices=CONFIGURATIONS)
    parser.add_argument("--data", nargs="+", choices=every, default=every)
    parser.add_argument("--columns", nargs="+", type=int, default=(20, 60))
    parser.add_argument("--rows", nargs="+", type=int, default=ROWS)
    parser.add_argument("--seeds", nargs="+", type=int, default=(0, 1, 2))
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = parser.parse_args(arguments)
    if asked.quick:
        asked.data, asked.columns, asked.rows, asked.seeds = ["a", "d"], [8], [300], [0]
    jobs = [
        Job(asked.label, configuration, data, columns, rows, seed)
        for seed in asked.seeds
        for data in asked.data
        for columns in (asked.columns if data in KINDS else [0])
        for rows in asked.rows
        for configuration in asked.configurations or CONFIGURATIONS
    ]
    path = asked.output / "runs.csv"
    perform_left(
        jobs,
        path,
        perform,
        lambda run: f"{run['configuration']}: {run['data']} {run['columns']} {run['rows']}",
        asked.jobs,
        asked.minutes,
    )
    here = parser_of("numbers", None).get_default("output") / "peers.csv"
    lines = head("Numbers as numbers", "numbers", arguments)
    write(asked.output / "report.md", lines + report(read_runs(path), pd.read_csv(here)))


if __name__ == "__main__":
    main()
