"""The score of the learner's graphs beside the highest that there is, or that it finds itself.

``python -m benchmarks optimum --label NAME`` runs what ``runs.csv`` has no line of and writes
``report.md``. Three parts:

exact   100 data sets of up to 24 columns: the exact optimum by dynamic programming
child   five samples of child, the same
states  26 data sets of 20 to 100 columns, eight random states each: the best of the eight

All parent sets are scored up to a size that is computable (``complete_size``), larger ones are
grown from the best. Where all up to the learner's ``max_parents`` were scored, it is exact.
"""

import resource
import sys

import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.common.clock import timed
from benchmarks.common.networks import network_of
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.common.runs import perform_left, read_runs, run_of
from benchmarks.optimum.datasets import PARTS, Job, jobs_of
from benchmarks.optimum.exact import MAX_VARIABLES, Optimum, best_network
from benchmarks.optimum.scored import Task
from bnsieve import Graph, TsetlinSieve
from bnsieve.metrics import compare

# In nats. What the learner should reach almost always, and always.
NEAR, FAR = 0.5, 5.0
# How far below the best of its random states a fit counts as stuck.
STUCK = 1.0
# Scores that are added up in another order differ by less.
SAME = 1e-6


def perform(job: Job) -> dict[str, object]:
    """Fit; unless only random states are compared, find the optimum too."""
    truth = network_of(job.network)
    sample = truth.sample(job.rows, random_state=job.seed)
    with threadpool_limits(1), timed() as spent:
        learner = TsetlinSieve(random_state=job.state).fit(sample)
    task = Task.of(learner)
    found = compare(truth, learner.graph_)
    measures: dict[str, object] = {
        "columns": task.n_variables,
        "complete_size": "",
        "exact": "",
        "score": learner.score_,
        "own_score": task.own_score(),
        "optimum": "",
        "f1": found.f1,
        "optimum_f1": "",
        "cpdag_shd": found.shd,
        "optimum_cpdag_shd": "",
        # Tells scores apart that do not compare: a learner may choose one for each data set.
        "scoring": repr(task.score),
        "cpu_seconds": spent.processor_seconds,
        "optimum_seconds": "",
        "peak_megabytes": "",
    }
    if job.part == "states":
        return run_of(job, measures)
    with threadpool_limits(1), timed() as spent:
        size = task.complete_size()
        best = best_network([task.sets(v, size) for v in range(task.n_variables)])
    result = compare(truth, _graph(learner, task, best))
    measures |= {
        "complete_size": size,
        "exact": int(size >= min(task.max_parents, task.n_variables - 1)),
        "optimum": best.score,
        "optimum_f1": result.f1,
        "optimum_cpdag_shd": result.shd,
        "optimum_seconds": spent.processor_seconds,
        "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    return run_of(job, measures)


def _graph(learner: TsetlinSieve, task: Task, best: Optimum) -> Graph:
    """Return the class of the best network, with constants and copies as the learner has them."""
    names = task.table.names
    arrows = [(names[u], names[v]) for v, parents in enumerate(best.parents) for u in parents]
    copies = [(original, copy) for copy, original in learner.duplicates_.items()]
    return Graph(learner.fit_result_.rows.names, directed=[*arrows, *copies]).to_cpdag()


def report(runs: pd.DataFrame) -> list[str]:
    """Return the tables of every label."""
    lines: list[str] = []
    for label, own in runs.groupby("label", sort=False):
        lines += [f"## {label}", ""]
        apart = own[(own.score - own.own_score).abs() > SAME * own.score.abs()]
        if len(apart):
            lines += [
                f"In {len(apart)} of {len(own)} fits directions were decided otherwise after the "
                "search; distances are those of the graph that the search found.",
                "",
            ]
        exact = own[own.part == "exact"]
        if len(exact):
            lines += _exact(exact)
        child = own[own.part == "child"]
        if len(child):
            gaps = child.optimum - child.score
            shown = ", ".join(f"{gap:.2f}" for gap in gaps)
            lines += [
                f"child, {len(child)} samples of 5,000 rows, nats below the optimum: {shown}. "
                f"CPDAG SHD {child.cpdag_shd.mean():.1f}, of the optimum "
                f"{child.optimum_cpdag_shd.mean():.1f}.",
                "",
            ]
        states = own[own.part == "states"]
        if len(states):
            lines += _states(states)
    return lines


def _exact(runs: pd.DataFrame) -> list[str]:
    gaps = runs.optimum - runs.score
    n_near, worst = int((gaps <= NEAR).sum()), gaps.max()
    lines = [
        f"### {len(runs)} data sets of up to {runs['columns'].max():.0f} columns",
        "",
        f"Within {NEAR} nats of the optimum: {n_near} of {len(runs)}. Most below it: {worst:.2f} "
        f"nats; more than {FAR:.0f} below: {int((gaps > FAR).sum())}. {_completeness(runs)}",
        "",
    ]
    rows = []
    for size, own in runs.groupby("rows"):
        gap = own.optimum - own.score
        rows.append(
            [
                f"{size:,}",
                f"{len(own)}",
                f"{(gap <= NEAR).sum()}",
                f"{gap.mean():.2f}",
                f"{gap.max():.2f}",
                f"{own.f1.mean():.3f} / {own.optimum_f1.mean():.3f}",
                f"{own.cpdag_shd.mean():.2f} / {own.optimum_cpdag_shd.mean():.2f}",
                f"{own.cpu_seconds.mean():.2f} / {own.optimum_seconds.mean():.1f}",
            ]
        )
    titles = ["rows", "data sets", f"within {NEAR}", "mean gap", "largest gap"]
    pairs = ["F1 / optimum's", "SHD / optimum's", "seconds / optimum's"]
    lines += [*table([*titles, *pairs], rows), ""]
    below = runs.assign(gap=gaps)[gaps > NEAR].sort_values("gap", ascending=False)
    if len(below):
        worst_rows = [
            [f"{one.network}", f"{one.rows:,}", f"{one.columns}", f"{one.gap:.2f}"]
            for one in below.itertuples()
        ]
        lines += [*table(["below", "rows", "columns", "nats"], worst_rows), ""]
    return lines


def _completeness(runs: pd.DataFrame) -> str:
    """Say how far all parent sets were scored."""
    grown = runs[runs.exact == 0]
    said = f"All sets up to `max_parents` were scored in {len(runs) - len(grown)} data sets"
    if grown.empty:
        return f"{said}."
    least = int(grown.complete_size.min())
    return f"{said}; in the others all up to size {least} or more, and larger ones were grown."


def _states(runs: pd.DataFrame) -> list[str]:
    keys = ["network", "rows", "seed"]
    best = runs.groupby(keys).score.transform("max")
    gaps = best - runs.score
    n_states = runs.groupby(keys).size()
    mixed = runs.groupby(keys).scoring.nunique().gt(1).sum()
    lines = [
        f"### {len(n_states)} data sets, {n_states.max()} random states each",
        "",
        f"More than {STUCK:.0f} nat below the best of its data set: {int((gaps > STUCK).sum())} of "
        f"{len(runs)} fits ({(gaps > STUCK).mean():.1%}); the most: {gaps.max():.1f} nats; "
        f"{gaps[gaps > STUCK].mean() if (gaps > STUCK).any() else 0:.1f} on average. "
        f"Data sets whose fits were scored differently, so that this says nothing: {mixed}.",
        "",
    ]
    rows = []
    for key, own in runs.assign(gap=gaps).groupby(keys, sort=False):
        top = own.iloc[int(own.score.argmax())]
        rows.append(
            [
                str(key[0]),
                f"{own['columns'].max()}",
                f"{len(own)}",
                f"{(own.gap > STUCK).sum()}",
                f"{own.gap.max():.1f}",
                f"{own.f1.mean():.3f} / {top.f1:.3f}",
                f"{own.cpdag_shd.mean():.1f} / {top.cpdag_shd:.0f}",
                f"{own.cpu_seconds.mean():.2f}",
            ]
        )
    titles = ["data set", "columns", "fits", "stuck", "largest gap", "F1 mean / best's"]
    return [*lines, *table([*titles, "SHD mean / best's", "seconds"], rows), ""]


def main(arguments: list[str] | None = None) -> None:
    parser = parser_of("optimum", __doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--networks", nargs="+", help="only these of the parts")
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = parser.parse_args(arguments)
    jobs = [job for part in asked.parts for job in jobs_of(part, asked.label)]
    if asked.networks:
        jobs = [job for job in jobs if job.network in asked.networks]
    if asked.quick:
        jobs = [job for job in jobs if job.network in ("cancer", "asia")][:2]
        jobs += [Job(asked.label, "states", "er30d2s101", 500, 0, state) for state in range(2)]
    path = asked.output / "runs.csv"
    perform_left(
        jobs,
        path,
        perform,
        lambda run: f"{run['part']}: {run['network']}",
        asked.jobs,
        asked.minutes,
    )
    lines = head("Distance to the optimum", "optimum", arguments)
    lines.append(
        f"In nats of the learner's own score. Exact optima for up to {MAX_VARIABLES} columns."
    )
    write(asked.output / "report.md", [*lines, "", *report(read_runs(path))])


if __name__ == "__main__":
    main()
