"""What the machine costs, and what it changes, on published networks: fits with and without it.

    python -m benchmarks machine cost [--networks alarm ...] [--samples 3] [--repeats 4]

Columns are shuffled. The two fits take turns, so that what else the computer does slows both; of
each the least of the repeats counts. Writes ``cost.csv``, a line per sample, and ``cost.md``. What
``cost.csv`` has is not run again.
"""

import sys
from dataclasses import dataclass

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.common.clock import timed
from benchmarks.common.networks import SMALLER_NETWORKS, SOME_OF_BNREP, network_of
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.common.runs import perform_left, read_runs, run_of
from benchmarks.common.shuffled import shuffled
from benchmarks.machine.without import WithoutMachine
from bnsieve import TsetlinSieve
from bnsieve.metrics import compare

ROWS = 5_000
# Samples that nothing was chosen by.
FIRST_SEED = 2_600
LEARNERS: dict[str, type[TsetlinSieve]] = {"with": TsetlinSieve, "without": WithoutMachine}


@dataclass(frozen=True)
class Job:
    """Both fits of one sample, several times."""

    label: str
    network: str
    rows: int
    seed: int
    repeats: int


def perform(job: Job) -> dict[str, object]:
    """Draw the sample, shuffle it, learn from it in turns."""
    truth = network_of(job.network)
    sample = shuffled(truth.sample(job.rows, random_state=job.seed), job.seed)
    measures: dict[str, object] = {}
    seconds: dict[str, list[float]] = {name: [] for name in LEARNERS}
    for _ in range(job.repeats):
        for name, learner in LEARNERS.items():
            with threadpool_limits(1), timed() as spent:
                found = learner(random_state=job.seed, n_jobs=1).fit(sample.data).graph_
            seconds[name].append(spent.processor_seconds)
            measures[f"f1_{name}"] = compare(truth, sample.restore(found)).f1
    return run_of(job, measures | {f"cpu_{name}": min(own) for name, own in seconds.items()})


def report(runs: pd.DataFrame) -> list[str]:
    """Return a table, a line per network, and what the machine changes on average."""
    means = runs.groupby("network", sort=False)[
        ["f1_with", "f1_without", "cpu_with", "cpu_without"]
    ]
    rows = [
        [
            str(name),
            f"{own.f1_with:.3f}",
            f"{own.f1_without:.3f}",
            f"{own.cpu_with:.2f}",
            f"{own.cpu_without:.2f}",
            f"{own.cpu_with / own.cpu_without:.2f}",
        ]
        for name, own in means.mean().iterrows()
    ]
    titles = ["network", "F1 with", "F1 without", "seconds with", "seconds without", "times"]
    times = (means.mean().cpu_with / means.mean().cpu_without).to_numpy()
    gains = (runs.f1_with - runs.f1_without).to_numpy()
    gain, error = gains.mean(), gains.std() / np.sqrt(max(1, len(gains) - 1))
    start, end = (f"<!-- --8<-- [{side}:cost] -->" for side in ("start", "end"))
    return [
        *[start, "", *table(titles, rows), "", end, ""],
        f"Samples: {len(runs)}. F1 changes by {gain:+.4f} (standard error {error:.4f}) on average.",
        f"Times: {np.median(times):.2f} in the median, {times.max():.2f} at most.",
    ]


def main(arguments: list[str] | None = None) -> None:
    parser = parser_of("machine", __doc__)
    parser.add_argument("--networks", nargs="+", default=[*SMALLER_NETWORKS, *SOME_OF_BNREP])
    parser.add_argument("--samples", type=int, default=3, help="of each network")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--repeats", type=int, default=4, help="of each fit")
    asked = parser.parse_args(arguments)
    if asked.quick:
        asked.networks, asked.samples, asked.rows, asked.repeats = ["alarm"], 1, 500, 1
    jobs = [
        Job(asked.label, network, asked.rows, FIRST_SEED + i, asked.repeats)
        for i in range(asked.samples)
        for network in asked.networks
    ]
    path = asked.output / "cost.csv"
    perform_left(jobs, path, perform, lambda run: f"{run['network']}", asked.jobs, asked.minutes)
    given = sys.argv[1:] if arguments is None else arguments
    lines = head("What the machine costs", "machine", ["cost", *given])
    write(asked.output / "cost.md", lines + report(read_runs(path)))


if __name__ == "__main__":
    main()
