"""Noise on every way that a table can come in: edges and sure arrows, all of which are wrong.

``python -m benchmarks noise`` learns from 30 independent columns (even, 1 % against 99 %, 50
states, numbers) as frames under several seeds of the learner, as cells of text with odd ones among
them, as CSV files and by resampling. It runs what ``runs.csv`` has no line of, and writes
``report.md``. The bars: on average at most 0.1 edges per graph from 1,000 rows on and 1.0 below; no
arrow may be sure. It ends with an error where a bar is missed. ``noise distributions`` is about
numbers of fourteen distributions.
"""

import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.common.clock import timed
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.common.parts import run_part
from benchmarks.common.runs import perform_left, read_runs, run_of
from benchmarks.noise.columns import N_COLUMNS, noise, numbers
from bnsieve import Graph, TsetlinSieve

KINDS = ("2 even states", "1 % against 99 %", "50 even states", "numbers")
# Rows, and of how many samples; the largest take long.
SIZES = {100: 10, 500: 10, 5_000: 5, 50_000: 1}
N_REPLICATES = 6
# A bootstrap takes as long as its replicates: one sample in so many.
ONE_BOOTSTRAP_IN = 3
ODD_SHARE = 0.02
# Edges per graph that may be found on average: of few rows chance alone makes one now and then.
MANY_ROWS, BAR_MANY, BAR_FEW = 1_000, 0.1, 1.0


@dataclass(frozen=True)
class Job:
    """One fit of one sample on one way."""

    way: str
    columns: str
    rows: int
    seed: int


def columns(kind: str, n_rows: int, seed: int) -> pd.DataFrame:
    """Draw independent columns of a kind."""
    return numbers(n_rows, seed) if kind == "numbers" else noise(kind, n_rows, seed)


def _learner(seed: int) -> TsetlinSieve:
    return TsetlinSieve(random_state=seed, n_jobs=1)


Found = tuple[Graph, int]


def of_frame(job: Job) -> Found:
    """Learn from a sample of its own, with a seed of its own."""
    learner = _learner(job.seed).fit(columns(job.columns, job.rows, job.seed))
    return learner.graph_, len(learner.confirmed_edges_)


def of_seed(job: Job) -> Found:
    """Learn from the first sample, whatever the seed of the learner."""
    learner = _learner(1_000 + job.seed).fit(columns(job.columns, job.rows, 0))
    return learner.graph_, len(learner.confirmed_edges_)


def of_text(job: Job) -> Found:
    """Learn from cells of text, some odd, beside numbers of rows, dates and a constant."""
    chance = np.random.default_rng(job.seed)
    frame = columns(job.columns, job.rows, job.seed)
    text = pd.DataFrame({name: _as_text(frame[name]) for name in frame})
    text = text.mask(chance.random(text.shape) < ODD_SHARE, "n/a")
    text.insert(0, "number", [f"c{i:06}" for i in range(job.rows)])
    days = pd.Timestamp("2021-01-01") + pd.to_timedelta(chance.integers(0, 1_461, job.rows), "D")
    text["day"] = days.strftime("%Y-%m-%d")
    text["unit"] = "kg"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # what is left out is told, and is meant to be
        learner = _learner(job.seed).fit(text)
    return learner.graph_, len(learner.confirmed_edges_)


def _as_text(column: "pd.Series[float]") -> "pd.Series[str]":
    if column.dtype.kind == "f":
        return column.map("{:.4f}".format)
    return column.astype(str)


def of_file(job: Job) -> Found:
    """Learn from a CSV file; of many rows some are searched, and all are counted."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.csv")
        columns(job.columns, job.rows, job.seed).to_csv(path, index=False)
        learner = _learner(job.seed).fit(path)
    return learner.graph_, len(learner.confirmed_edges_)


def of_halves(job: Job) -> Found:
    """Return the averaged graph of a bootstrap; its arrows count as sure where all agree."""
    learner = _learner(job.seed).fit(columns(job.columns, job.rows, job.seed))
    strengths = learner.bootstrap(N_REPLICATES, n_jobs=1)
    counts = strengths.counts
    agreed = int((counts[:, :2] == N_REPLICATES).any(axis=1).sum()) if len(counts) else 0
    return strengths.graph(), agreed


WAYS: dict[str, Callable[[Job], Found]] = {
    "frame": of_frame,
    "seeds of the learner": of_seed,
    "text with odd cells": of_text,
    "CSV file": of_file,
    "bootstrap": of_halves,
}


def perform(job: Job) -> dict[str, object]:
    with threadpool_limits(1), timed() as spent:
        graph, n_sure = WAYS[job.way](job)
    measures = {"edges": graph.n_edges, "sure": n_sure, "cpu_seconds": spent.processor_seconds}
    return run_of(job, measures)


def report(runs: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return the tables, and what is above a bar."""
    lines = [
        f"{N_COLUMNS} independent columns: edges per graph on average, in brackets the number of",
        "samples; `text with odd cells` has dates beside them. `bootstrap` is the averaged graph",
        f"of {N_REPLICATES} replicates.",
        "",
    ]
    wrong = []
    sizes = sorted(runs["rows"].unique())
    for way, own in runs.groupby("way", sort=False):
        rows = []
        for kind, part in own.groupby("columns", sort=False):
            cells = []
            for size in sizes:
                edges = part.loc[part["rows"] == size, "edges"]
                cells.append(f"{edges.mean():.2f} ({len(edges)})" if len(edges) else "")
                if len(edges) and edges.mean() > (BAR_MANY if size >= MANY_ROWS else BAR_FEW):
                    wrong.append(f"{way}, {kind}, {size:,} rows: {edges.mean():.2f} edges")
            rows.append([str(kind), *cells])
        lines += [f"## {way}", "", *table(["columns", *(f"{n:,} rows" for n in sizes)], rows), ""]
    sure = runs[runs["sure"] > 0]
    wrong += [f"{one.way}, {one.columns}, {one.rows:,} rows: sure" for one in sure.itertuples()]
    lines += [
        f"Graphs: {len(runs)}; edges in all: {runs['edges'].sum()}; sure arrows in all: "
        f"{runs['sure'].sum()}; {runs['cpu_seconds'].sum() / 60:.0f} minutes of processor time.",
        "",
        *([f"Above a bar: {'; '.join(wrong)}."] if wrong else ["No bar is missed."]),
    ]
    return lines, wrong


def main(arguments: list[str] | None = None) -> None:
    if run_part("noise", arguments, ("distributions",)):
        return
    given = sys.argv[1:] if arguments is None else arguments
    parser = parser_of("noise", __doc__)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--rows", nargs="+", type=int, choices=SIZES, default=list(SIZES))
    asked = parser.parse_args(given)
    sizes = {100: 1} if asked.quick else {rows: SIZES[rows] for rows in asked.rows}
    # A whole round of samples before the next, so that a study that is stopped has all cells.
    jobs = [
        Job(way, kind, rows, seed)
        for seed in range(max(sizes.values()))
        for rows, n_samples in sizes.items()
        for kind in KINDS
        for way in asked.ways
        if seed < n_samples and (way != "bootstrap" or seed % ONE_BOOTSTRAP_IN == 0)
    ]
    path = asked.output / "runs.csv"
    perform_left(
        jobs,
        path,
        perform,
        lambda run: f"{run['way']}: {run['columns']}",
        asked.jobs,
        asked.minutes,
    )
    lines, wrong = report(read_runs(path))
    write(asked.output / "report.md", head("Noise on every way", "noise", given) + lines)
    print("\n".join(lines))
    # Of one sample an edge proves nothing.
    if wrong and not asked.quick:
        sys.exit("error: a bar is missed")
