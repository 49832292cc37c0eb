"""More rows of the same: whether the graph gets better or worse.

``python -m benchmarks numbers growth`` fits the same networks to more and more rows: the four
kinds, curved relations (``--data curved``), published networks by name, a treatment drawn by lot
that moves a rare outcome, users with six drivers of a purchase, and tables of noise. It adds to
``growth.csv`` what is not there and writes ``growth.md``.
"""

import sys
from dataclasses import dataclass

import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.common.clock import timed
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.common.runs import perform_left, read_runs, run_of
from benchmarks.numbers.curved import sample_curved
from benchmarks.numbers.growing import (
    DRIVERS,
    SHAPES,
    sample_noise,
    sample_treatment,
    sample_users,
)
from benchmarks.numbers.kinds import KINDS
from benchmarks.numbers.samples import EVERY, sample_of
from bnsieve import Graph, TsetlinSieve
from bnsieve.metrics import compare

ROWS = (2_000, 20_000, 200_000, 2_000_000)
DATA = (*KINDS, "curved", "treatment", "users", *SHAPES)
# Of samples of which only these edges are of interest: an outcome and its causes.
_CAUSES = {"treatment": ("outcome", {"treated"}), "users": ("bought", set(DRIVERS))}
_N_COLUMNS, _N_NOISE_COLUMNS = 20, 30


@dataclass(frozen=True)
class Job:
    """One fit."""

    label: str
    data: str
    rows: int
    seed: int


def fit(job: Job) -> dict[str, object]:
    """Fit the default, and compare with what is true of the sample."""
    frame, truth = _sample(job)
    learner = TsetlinSieve(random_state=0)
    with threadpool_limits(1), timed() as spent:
        learner.fit(frame)
    graph = learner.graph_
    measures: dict[str, object] = dict.fromkeys(("f1", "precision", "recall", "shd"), "")
    if truth is not None:
        found = compare(truth, graph)
        values = found.f1, found.precision, found.recall, found.shd
        measures = dict(zip(measures, (round(value, 4) for value in values), strict=True))
    outcome, causes = _CAUSES.get(job.data, (None, set()))
    found_all = outcome is not None and causes <= set(graph.adjacent(outcome))
    return run_of(
        job,
        {
            **measures,
            "edges": graph.n_edges,
            "small_edges": len(learner.small_edges_),
            "causes_found": int(found_all),
            "cpu_seconds": round(spent.processor_seconds, 3),
        },
    )


def _sample(job: Job) -> tuple[pd.DataFrame, Graph | None]:
    """Return rows and the true graph; None where only some edges are of interest."""
    if job.data == "treatment":
        return sample_treatment(job.rows, job.seed), None
    if job.data == "users":
        return sample_users(job.rows, job.seed), None
    if job.data in SHAPES:
        frame = sample_noise(job.data, _N_NOISE_COLUMNS, job.rows, job.seed)
        return frame, Graph(frame.columns.tolist(), [])
    if job.data == "curved":
        frame, arrows = sample_curved(job.rows, job.seed)
    else:
        frame, arrows = sample_of(job.data, _N_COLUMNS, job.rows, job.seed)
    return frame, Graph(frame.columns.tolist(), arrows)


def main(arguments: list[str] | None = None) -> None:
    """Fit what has no line yet, and write the page."""
    parser = parser_of("numbers growth", __doc__)
    parser.add_argument("--data", nargs="+", choices=sorted({*DATA, *EVERY}), default=list(DATA))
    parser.add_argument("--rows", nargs="+", type=int, default=ROWS)
    parser.add_argument("--seeds", nargs="+", type=int, default=(100, 101, 102))
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = parser.parse_args(arguments)
    if asked.quick:
        asked.data, asked.rows, asked.seeds = ["a", "treatment", "counts"], [300, 900], [0]
    path = asked.output / "growth.csv"
    jobs = [
        Job(asked.label, data, rows, seed)
        for rows in asked.rows
        for seed in asked.seeds
        for data in asked.data
    ]

    def describe(run: dict[str, object]) -> str:
        return f"{run['data']} {run['rows']}"

    perform_left(jobs, path, fit, describe, asked.jobs, asked.minutes)
    lines = head("More rows of the same", "numbers growth", arguments)
    write(asked.output / "growth.md", lines + _report(read_runs(path)))


def _report(runs: pd.DataFrame) -> list[str]:
    """Return the lines of the page: a line for each kind of data, a column for each size."""
    sizes = sorted(runs["rows"].unique())
    rows = []
    for (label, data), own in runs.groupby(["label", "data"], sort=False):
        cells = [_cell(str(data), own[own["rows"] == size]) for size in sizes]
        rows.append([str(label), str(data), *cells])
    return [
        "Mean F1 x 100 / SHD; for the treatment and users, in how many samples all edges of",
        "interest were found; for noise, edges per table of 30 columns. In brackets: samples.",
        "",
        *table(["label", "data", *(f"{size:,} rows" for size in sizes)], rows, 2),
    ]


def _cell(data: str, runs: pd.DataFrame) -> str:
    if not len(runs):
        return ""
    if data in _CAUSES:
        return f"{runs['causes_found'].sum()} of {len(runs)}"
    if data in SHAPES:
        return f"{runs['edges'].mean():.2f} ({len(runs)})"
    return f"{100 * runs['f1'].mean():.1f} / {runs['shd'].mean():.1f} ({len(runs)})"


if __name__ == "__main__":
    main()
