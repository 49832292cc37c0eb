"""What missing cells do to F1: three ways of three learners.

``python -m benchmarks gaps`` runs what ``runs.csv`` has no line of and writes ``report.md``.
Cells are taken out of complete samples in two manners. "completely": each with the same chance. "at
random": a third of the columns stay complete, and the chance that a cell of another column is
missing depends on the row's label in one of those.
"""

import sys
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from benchmarks.common.clock import timed
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.common.runs import perform_left, read_runs, run_of
from bnsieve import PC, TsetlinSieve, load_network
from bnsieve.learners import StructureLearner
from bnsieve.metrics import compare

COMPLETE, MANNERS = "complete", ("completely", "at random")
LEARNERS: dict[str, StructureLearner] = {
    "search": TsetlinSieve(),
    "tests": TsetlinSieve(method="tests"),
    "PC": PC(),
}
WAYS = ("em", "testwise", "category")


@dataclass(frozen=True)
class Job:
    """One fit; `share` of the cells is missing, none if the manner is "complete"."""

    network: str
    manner: str
    share: float
    learner: str
    way: str
    rows: int
    seed: int


def with_gaps(data: pd.DataFrame, share: float, manner: str, seed: int) -> pd.DataFrame:
    """Take a share of the cells out of a frame."""
    rng = np.random.default_rng([seed, round(1000 * share)])
    if manner == "completely":
        return data.mask(rng.random(data.shape) < share)
    columns = rng.permutation(data.columns)
    n_complete = max(1, len(columns) // 3)
    complete, others = columns[:n_complete], columns[n_complete:]
    gone = pd.DataFrame(False, index=data.index, columns=data.columns)
    for name in others:
        labels = pd.Categorical(data[rng.choice(complete)]).codes
        # Labels differ up to fourfold in the chance; together they give the share asked for.
        chance = rng.uniform(0.5, 2.0, labels.max() + 1)[labels]
        chance *= share * len(columns) / len(others) / chance.mean()
        gone[name] = rng.random(len(data)) < chance
    return data.mask(gone)


def perform(job: Job) -> dict[str, object]:
    """Learn from a sample with gaps."""
    truth = load_network(job.network)
    data = truth.sample(job.rows, random_state=job.seed)
    if job.manner != COMPLETE:
        data = with_gaps(data, job.share, job.manner, job.seed)
    learner = clone(LEARNERS[job.learner]).set_params(missing=job.way)
    if "random_state" in learner.get_params():
        learner.set_params(random_state=job.seed)
    with threadpool_limits(1), timed() as spent:
        learner.fit(data)
    found = compare(truth, learner.graph_)
    return run_of(job, {"f1": found.f1, "shd": found.shd, "cpu_seconds": spent.processor_seconds})


def report(runs: pd.DataFrame) -> list[str]:
    """Return the means over the seeds."""
    lines = ["F1 of the skeleton, its mean over the seeds, and processor seconds.", ""]
    for network, part in runs.groupby("network", sort=False):
        columns = list(part[["manner", "share"]].drop_duplicates().itertuples(index=False))
        rows = []
        for (learner, way), own in part.groupby(["learner", "way"], sort=False):
            means = own.groupby(["manner", "share"]).f1.mean()
            cells = [f"{means[tuple(one)]:.3f}" if tuple(one) in means else "" for one in columns]
            rows.append([f"{learner}, {way}", *cells, f"{own.cpu_seconds.mean():.1f}"])
        titles = [f"{share:.0%} {manner}" for manner, share in columns]
        lines += [f"## {network}", "", *table(["learner, strategy", *titles, "seconds"], rows), ""]
    return lines


def main(arguments: list[str] | None = None) -> None:
    """Run what is left, and write the report."""
    parser = parser_of("gaps", __doc__)
    parser.add_argument("--networks", nargs="+", default=["alarm", "insurance"])
    parser.add_argument("--shares", nargs="+", type=float, default=[0.05, 0.2, 0.4])
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=list(LEARNERS))
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--rows", type=int, default=5_000)
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = parser.parse_args(arguments)
    if asked.quick:
        asked.networks, asked.shares, asked.learners = ["asia"], [0.2], ["search"]
        asked.samples, asked.rows = 1, 300
    jobs = [
        Job(network, manner, share, learner, way, asked.rows, seed)
        for seed in range(asked.samples)
        for network in asked.networks
        for manner, share in [(COMPLETE, 0.0), *product(MANNERS, asked.shares)]
        for learner in asked.learners
        for way in (WAYS if share else ("testwise",))  # without gaps all ways are one
    ]
    path = asked.output / "runs.csv"
    perform_left(jobs, path, perform, lambda run: f"{run['network']}", asked.jobs, asked.minutes)
    lines = head("Missing cells and F1", "gaps", arguments)
    write(asked.output / "report.md", lines + report(read_runs(path)))


if __name__ == "__main__":
    main()
