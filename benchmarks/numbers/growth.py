"""More rows of the same: whether the graph gets better or worse.

``python -m benchmarks numbers growth`` fits the same networks to more and more rows: the four
kinds, curved relations (``--data curved``), published networks by name, a treatment drawn by lot
that moves a rare outcome, users with six drivers of a purchase, and tables of noise. It adds to
``growth.csv`` what is not there and writes ``growth.md``. With ``--peers CACHE``, a folder for
virtual environments, other programs fit the same rows, under their names as labels.
"""

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

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
from benchmarks.numbers.peers import PROGRAMS, learned_by
from benchmarks.numbers.samples import EVERY, sample_of
from bnsieve import Graph, TsetlinSieve
from bnsieve.metrics import compare

ROWS = (2_000, 20_000, 200_000, 2_000_000)
DATA = (*KINDS, "curved", "treatment", "users", *SHAPES)
# Of samples of which only these edges are of interest: an outcome and its causes.
_CAUSES = {"treatment": ("outcome", {"treated"}), "users": ("bought", set(DRIVERS))}
_N_COLUMNS, _N_NOISE_COLUMNS = 20, 30
_COMPARED = ("f1", "precision", "recall", "shd")
_MEASURES = (*_COMPARED, "edges", "small_edges", "causes_found", "cpu_seconds")


@dataclass(frozen=True)
class Job:
    """One fit."""

    label: str
    data: str
    rows: int
    seed: int


def fit(job: Job, cache: Path | None, limit: int) -> dict[str, object]:
    """Fit the default or another program, and compare with what is true of the sample."""
    frame, truth = _sample(job)
    n_small = 0
    if job.label in PROGRAMS and cache is not None:
        try:
            graph, seconds = learned_by(PROGRAMS[job.label], frame, cache, limit)
        except (TimeoutError, ValueError, RuntimeError) as error:
            print(f"{job}: {type(error).__name__}: {str(error)[:100]}", file=sys.stderr)
            return run_of(job, dict.fromkeys(_MEASURES, ""))
    else:
        learner = TsetlinSieve(random_state=0)
        with threadpool_limits(1), timed() as spent:
            learner.fit(frame)
        graph, seconds = learner.graph_, spent.processor_seconds
        n_small = len(learner.small_edges_)
    values: tuple[object, ...] = ("",) * len(_COMPARED)
    if truth is not None:
        found = compare(truth, graph)
        values = tuple(round(v, 4) for v in (found.f1, found.precision, found.recall, found.shd))
    outcome, causes = _CAUSES.get(job.data, (None, set()))
    found_all = outcome is not None and causes <= set(graph.adjacent(outcome))
    values = (*values, graph.n_edges, n_small, int(found_all), round(seconds, 3))
    return run_of(job, dict(zip(_MEASURES, values, strict=True)))


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
    parser.add_argument("--peers", type=Path, metavar="CACHE", help="run other programs too")
    parser.add_argument("--programs", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--limit", type=int, default=300, help="seconds for a run of these")
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = parser.parse_args(arguments)
    if asked.quick:
        asked.data, asked.rows, asked.seeds = ["a", "treatment", "counts"], [300, 900], [0]
    path = asked.output / "growth.csv"
    labels = [asked.label, *(asked.programs if asked.peers else ())]
    jobs = [
        Job(label, data, rows, seed)
        for rows in asked.rows
        for seed in asked.seeds
        for data in asked.data
        for label in labels
    ]

    def describe(run: dict[str, object]) -> str:
        return f"{run['label']} {run['data']} {run['rows']}"

    one_fit = partial(fit, cache=asked.peers, limit=asked.limit)
    perform_left(jobs, path, one_fit, describe, asked.jobs, asked.minutes)
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
        *_beside_others(runs),
    ]


def _beside_others(runs: pd.DataFrame) -> list[str]:
    """Return the mean distances of the programs that take categories, over the same samples."""
    labels = ["now", *(name for name, program in PROGRAMS.items() if program.takes_categories)]
    own = runs[runs["data"].isin(KINDS) & runs["label"].isin(labels)]
    shd = own.pivot_table(index=["rows", "data", "seed"], columns="label", values="shd")
    shd = shd.reindex(columns=labels).dropna()
    if shd.empty:
        return []
    by_size = shd.groupby("rows")
    means, counts = by_size.mean(), by_size.size()
    rows = [[label, *(f"{mean:.1f}" for mean in means[label])] for label in labels]
    return [
        "",
        "Mean SHD over samples of all kinds which all of these programs fitted.",
        "",
        *table(["label", *(f"{n:,} rows ({counts[n]})" for n in means.index)], rows, 1),
    ]


def _cell(data: str, runs: pd.DataFrame) -> str:
    # A program that failed has a run without measures.
    runs = runs[runs["edges"].notna()]
    if not len(runs):
        return ""
    if data in _CAUSES:
        return f"{runs['causes_found'].sum():.0f} of {len(runs)}"
    if data in SHAPES:
        return f"{runs['edges'].mean():.2f} ({len(runs)})"
    return f"{100 * runs['f1'].mean():.1f} / {runs['shd'].mean():.1f} ({len(runs)})"


if __name__ == "__main__":
    main()
