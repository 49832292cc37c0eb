"""Edges per graph where every edge is wrong: independent columns, and noise beside alarm.

``python -m benchmarks noise --label NAME`` runs what ``runs.csv`` has no line of and writes
``report.md``. The bars: on average at most 0.1 edges per graph from 1,000 rows on and 1.0 below;
noise beside alarm gets at most one edge in ten samples and moves alarm's F1 by less than .01.
``noise attack`` lets noise in on every way.
"""

import sys
from dataclasses import dataclass
from typing import Any

import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.common.clock import timed
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.common.parts import run_part
from benchmarks.common.runs import perform_left, read_runs, run_of
from benchmarks.noise.columns import KINDS, N_COLUMNS, alarm_beside_noise, noise
from bnsieve import Graph, TsetlinSieve, load_network
from bnsieve.metrics import compare

BESIDE_ALARM = "alarm beside noise"
BESIDE_ROWS = 5_000
ROWS = (100, 500, 1_000, 5_000, 50_000)
# Of few rows chance alone makes an edge now and then.
MANY_ROWS = 1_000
BAR_MANY, BAR_FEW = 0.1, 1.0
BAR_F1, BAR_BESIDE = 0.01, 1

CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "search": {},
    "tests": {"method": "tests"},
    "bic": {"score": "bic"},
    "qnml": {"score": "qnml"},
    "bootstrap": {},
}
# The two that must show it, and the others, of which fewer samples say enough.
FIRST = ("search", "tests")
N_REPLICATES = 20


@dataclass(frozen=True)
class Job:
    """One fit: a configuration on a sample of a kind of columns."""

    label: str
    configuration: str
    columns: str
    rows: int
    seed: int


def learn(configuration: str, data: pd.DataFrame, seed: int) -> Graph:
    """Return the graph that a configuration learns; of a bootstrap, the averaged one."""
    learner = TsetlinSieve(random_state=seed, **CONFIGURATIONS[configuration]).fit(data)
    if configuration == "bootstrap":
        return learner.bootstrap(N_REPLICATES).graph()
    return learner.graph_


def perform(job: Job) -> dict[str, object]:
    """Fit, and count the edges that touch noise."""
    if job.columns != BESIDE_ALARM:
        data = noise(job.columns, job.rows, job.seed)
        with threadpool_limits(1), timed() as spent:
            graph = learn(job.configuration, data, job.seed)
        return _run(job, graph.n_edges, spent.processor_seconds)
    truth = load_network("alarm").graph
    real, beside = alarm_beside_noise(job.rows, job.seed)
    with threadpool_limits(1), timed() as spent:
        graph = learn(job.configuration, pd.concat([real, beside], axis=1), job.seed)
    own = graph.skeleton().subgraph(truth.nodes)
    alone = learn(job.configuration, real, job.seed)
    touching = graph.n_edges - own.n_edges
    f1 = {"f1_alone": compare(truth, alone).f1, "f1_beside": compare(truth, own).f1}
    return _run(job, touching, spent.processor_seconds, **f1)


def _run(job: Job, edges: int, seconds: float, **f1: float) -> dict[str, object]:
    measures = {"edges": edges, "f1_alone": "", "f1_beside": "", **f1, "cpu_seconds": seconds}
    return run_of(job, measures)


def bar(rows: int) -> float:
    """Return the most edges per graph that may be found on average."""
    return BAR_MANY if rows >= MANY_ROWS else BAR_FEW


def report(runs: pd.DataFrame) -> list[str]:
    """Return the tables of every label and configuration."""
    lines = [
        f"{N_COLUMNS} independent columns, so that every edge is wrong: edges per graph on",
        "average, in brackets the number of samples where it is not ten. Bold: above the bar,",
        f"which is {BAR_FEW} below {MANY_ROWS:,} rows and {BAR_MANY} from there on. `bootstrap` is",
        f"the averaged graph of {N_REPLICATES} replicates.",
        "",
    ]
    for label, own in runs.groupby("label", sort=False):
        for configuration, part in own.groupby("configuration", sort=False):
            lines += [f"## {label}: {configuration}", ""]
            lines += _noise_table(part[part["columns"] != BESIDE_ALARM])
            lines += _beside(part[part["columns"] == BESIDE_ALARM])
    return lines


def _noise_table(part: pd.DataFrame) -> list[str]:
    if part.empty:
        return []
    sizes = sorted(part.rows.unique())
    rows, missed, n_cells, n_missed = [], [], 0, 0
    for kind, own in part.groupby("columns", sort=False):
        cells, sizes_missed = [], []
        for size in sizes:
            edges = own[own.rows == size].edges
            if edges.empty:
                cells.append("")
                continue
            n_cells += 1
            above = edges.mean() > bar(size)
            few = "" if len(edges) == 10 else f" ({len(edges)})"
            cells.append(f"**{edges.mean():.1f}**{few}" if above else f"{edges.mean():.1f}{few}")
            sizes_missed += [f"{size:,}"] if above else []
        rows.append([str(kind), *cells])
        n_missed += len(sizes_missed)
        missed += [f"{kind} at {', '.join(sizes_missed)}"] if sizes_missed else []
    slowest = part.iloc[int(part.cpu_seconds.argmax())]
    return [
        *table(["columns", *(f"{size:,} rows" for size in sizes)], rows),
        "",
        f"The bar holds in {n_cells - n_missed} of {n_cells} cells"
        + (f". Not in these: {'; '.join(missed)}." if missed else "."),
        f"Slowest fit: {slowest.cpu_seconds:.1f} s ({slowest['columns']}, {slowest.rows:,} rows).",
        "",
    ]


def _beside(part: pd.DataFrame) -> list[str]:
    if part.empty:
        return []
    alone, beside = part.f1_alone.mean(), part.f1_beside.mean()
    n_edges = int(part.edges.sum())
    held = [
        "holds" if ok else "**does not hold**"
        for ok in (abs(beside - alone) < BAR_F1, n_edges <= BAR_BESIDE)
    ]
    return [
        f"Alarm beside as many noise columns of 2 to 50 levels, {len(part)} samples of "
        f"{BESIDE_ROWS:,} rows: F1 on alarm's part {beside:.3f}, alone {alone:.3f} (less than "
        f"{BAR_F1} apart: {held[0]}); edges that touch noise, all samples together: {n_edges} "
        f"(at most {BAR_BESIDE}: {held[1]}). {part.cpu_seconds.mean():.1f} s a fit.",
        "",
    ]


def main(arguments: list[str] | None = None) -> None:
    if run_part("noise", arguments, ["attack"]):
        return
    parser = parser_of("noise", __doc__)
    every = [*KINDS, BESIDE_ALARM]
    parser.add_argument("--configurations", nargs="+", choices=CONFIGURATIONS, default=FIRST)
    parser.add_argument("--columns", nargs="+", choices=every, default=every)
    parser.add_argument("--rows", nargs="+", type=int, default=ROWS)
    parser.add_argument("--samples", type=int, default=10)
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = parser.parse_args(arguments)
    if asked.quick:
        asked.rows, asked.samples, asked.columns = [100, 500], 1, list(KINDS)[:3]
    # A whole round of samples before the next, so that a study that is stopped has all cells.
    jobs = [
        Job(asked.label, configuration, columns, rows, seed)
        for seed in range(asked.samples)
        for configuration in asked.configurations
        for columns in asked.columns
        for rows in ([BESIDE_ROWS] if columns == BESIDE_ALARM else asked.rows)
    ]
    path = asked.output / "runs.csv"
    perform_left(
        jobs,
        path,
        perform,
        lambda run: f"{run['configuration']}: {run['columns']}",
        asked.jobs,
        asked.minutes,
    )
    lines = head("Edges from noise", "noise", arguments)
    write(asked.output / "report.md", lines + report(read_runs(path)))


if __name__ == "__main__":
    main()
