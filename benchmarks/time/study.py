"""Series and panels: graphs over time, beside other programs.

    python -m benchmarks time                    (all kinds of data that need no other program)
    python -m benchmarks time --peers CACHE      (the same, tigramite's generator, other programs)
    python -m benchmarks time --quick            (two small series)

Series and panels are drawn from known graphs over time (`benchmarks.time.series`), three of each
kind and size, with their columns in a random order. Measured are the F1 of lagged edges (cause,
effect and lag), of adjacencies within a step and of their directions, the false lagged edges
between different variables, and processor seconds. With ``--peers`` tigramite's PCMCI+, lingam's
VARLiNGAM, DYNOTEARS, pyAgrum's KTBN and statsmodels' regressions see the same rows; they are
installed in CACHE. A program that takes more than ``--limit`` processor seconds has failed. After
two such series of 2,000 rows it is not given the longer ones of that kind.

``runs.csv`` has a line for each series and program; ``report.md`` is written from it. What the file
has is not run again.
"""

import os
import sys
import warnings
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.common.clock import timed
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, write
from benchmarks.common.parts import run_part
from benchmarks.common.runs import left, perform_all, read_runs, run_of
from benchmarks.time import report
from benchmarks.time.peers import OF_CATEGORIES, OF_NUMBERS, drawn_by_tigramite, learn_by_peer
from benchmarks.time.series import KINDS, SIZES, Series, drawn, shuffled
from benchmarks.time.truth import LaggedGraph, judge
from bnsieve import TsetlinSieve

PARTS = ("warning", "clusters", "forecast", "panel", "effects")
TIGRAMITE = {
    "tigramite-linear": "tigramite's linear generator, 10 variables",
    "tigramite-mixed": "tigramite's mixed nonlinear generator, 10 variables",
}
TITLES = {name: kind.title for name, kind in KINDS.items()} | TIGRAMITE
# The learner was developed on others.
SEEDS = (10, 11, 12)
LIMIT = 60
# Series of the middle length come first: should time run out, the others are missing.
_FIRST_ROWS = 2_000


@dataclass(frozen=True)
class Job:
    """One program on one series.

    Attributes
    ----------
    kind : str
    rows, seed : int
    method : str
    """

    kind: str
    rows: int
    seed: int
    method: str


QUICK = (Job("categories-10", 500, 0, "bnsieve"), Job("nonlinear", 500, 0, "bnsieve"))


def main(arguments: list[str] | None = None) -> None:
    """Run what is left, and write the report."""
    if run_part("time", arguments, PARTS):
        return
    parser = parser_of("time", __doc__)
    parser.add_argument("--kinds", nargs="+", default=list(TITLES), choices=list(TITLES))
    parser.add_argument("--rows", nargs="+", type=int, help="only series of so many rows")
    parser.add_argument("--seeds", nargs="+", type=int, default=list(SEEDS))
    parser.add_argument("--methods", nargs="+", help="only these programs")
    parser.add_argument("--peers", type=Path, metavar="CACHE", help="folder of environments")
    parser.add_argument("--limit", type=int, default=LIMIT, help="processor seconds of a program")
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = parser.parse_args(arguments)
    jobs = [
        job
        for kind in asked.kinds
        for job in jobs_of(kind, asked.seeds, has_peers=asked.peers is not None)
        if (asked.rows is None or job.rows in asked.rows)
        and (asked.methods is None or job.method in asked.methods)
    ]
    jobs.sort(key=lambda job: (job.rows > 2 * _FIRST_ROWS, job.rows < _FIRST_ROWS))
    runs = asked.output / "runs.csv"
    perform = partial(run_job, cache=asked.peers, limit=asked.limit, runs=runs)
    wanted = left(list(QUICK) if asked.quick else jobs, runs)
    for run in perform_all(wanted, runs, perform, asked.jobs, asked.minutes):
        print(run["kind"], run["rows"], run["seed"], run["method"], run["lagged_f1"], flush=True)
    lines = head("Graphs over time", "time", arguments)
    write(asked.output / "report.md", lines + report.lines(read_runs(runs), TITLES))


def jobs_of(kind: str, seeds: list[int], *, has_peers: bool) -> list[Job]:
    """Return the runs of a kind of data: ours, and those of other programs if there are any."""
    sizes: tuple[int, ...] = SIZES if has_peers else ()
    is_categorical = False
    if kind in KINDS:
        sizes, is_categorical = KINDS[kind].sizes, KINDS[kind].is_categorical
    methods = ["bnsieve"]
    if has_peers:
        methods += OF_CATEGORIES if is_categorical else OF_NUMBERS
    return [Job(kind, *one) for one in product(sizes, seeds, methods)]


def run_job(
    job: Job, cache: Path | None, limit: int, runs: Path | None = None
) -> dict[str, object]:
    """Learn from one series by one program, and judge the graph.

    Parameters
    ----------
    job : Job
    cache : Path, optional
        Of the environments; without one only bnsieve runs.
    limit : int
        Processor seconds that another program may take.
    runs : Path, optional
        Of earlier runs, from which follows what is too slow.
    """
    series, graph = series_of(job, cache), LaggedGraph()
    seconds, failure = float("nan"), too_slow(job, limit, runs)
    if job.method == "bnsieve":
        graph, seconds = learn(series)
    elif not failure:
        assert cache is not None
        found, seconds, failure = learn_by_peer(job.method, series, cache, limit)
        graph = found or graph
    measures: dict[str, object] = dict(judge(graph, series.truth))
    if failure:
        measures = dict.fromkeys(measures, float("nan"))
    return run_of(job, {**measures, "processor_seconds": seconds, "failure": failure})


def too_slow(job: Job, limit: int, runs: Path | None) -> str:
    """Say at which size a program took too long on each of at least two shorter series, or ""."""
    if runs is None or not runs.exists():
        return ""
    done = read_runs(runs)
    done = done[(done.kind == job.kind) & (done.method == job.method) & (done.rows < job.rows)]
    for rows, of_size in done.groupby("rows"):
        if len(of_size) > 1 and (of_size.failure == f"over {limit} s").all():
            return f"not run: over {limit} s at {rows:,} rows"
    return ""


def series_of(job: Job, cache: Path | None) -> Series:
    """Return the rows of a run."""
    if job.kind not in TIGRAMITE:
        return drawn(job.kind, job.rows, job.seed)
    assert cache is not None
    generator = job.kind.removeprefix("tigramite-")
    series = drawn_by_tigramite(generator, job.seed, job.rows, cache)
    return shuffled(series, np.random.default_rng(job.seed))


def learn(series: Series) -> tuple[LaggedGraph, float]:
    """Learn as a user would: a frame with a time column, and an entity column if there are several.

    Returns the graph and the processor seconds.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    frame = frame_of(series)
    by = "entity" if len(series.entities) > 1 else None
    with warnings.catch_warnings(), timed() as spent:
        warnings.simplefilter("ignore")
        learner = TsetlinSieve(time="at", by=by, lags=series.lags, random_state=0).fit(frame)
    return graph_of(learner), spent.processor_seconds


def frame_of(series: Series) -> pd.DataFrame:
    """Return the rows with time, entity and variables named v00, v01 and so on."""
    parts = []
    for number, rows in enumerate(series.entities):
        part = pd.DataFrame(rows, columns=[f"v{j:02}" for j in range(rows.shape[1])])
        if series.is_categorical:
            part = "s" + part.astype(str)
        part.insert(0, "at", np.arange(len(rows)))
        if len(series.entities) > 1:
            part.insert(0, "entity", f"e{number:04}")
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def graph_of(learner: TsetlinSieve) -> LaggedGraph:
    """Return the learned graph over numbered variables and lags."""
    timeline = learner.fit_result_.timeline
    assert timeline is not None

    def place(name: str) -> tuple[int, int]:
        variable, lag = timeline.place(name)
        return int(variable[1:]), lag

    lagged, directed = [], []
    for parent, child in learner.graph_.directed_edges:
        (cause, lag), (effect, _) = place(parent), place(child)
        if lag:
            lagged.append((cause, effect, lag))
        else:
            directed.append((cause, effect))
    undirected = [(place(a)[0], place(b)[0]) for a, b in learner.graph_.undirected_edges]
    return LaggedGraph.of(lagged, directed, undirected)


if __name__ == "__main__":
    main()
