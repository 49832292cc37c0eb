"""How uncertain a target still is after some columns were looked at, chosen in three ways."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.common.clock import timed
from benchmarks.common.networks import network_of
from benchmarks.common.pages import table
from benchmarks.common.runs import run_of
from bnsieve import BayesianNetwork

NETWORKS = ("alarm", "hepar2")
N_TARGETS = 10
N_ROWS = 20
N_STEPS = 5
WAYS = {
    "next": "`next_question` after each answer",
    "fixed": "mutual information, fixed order",
    "random": "random order",
}


@dataclass(frozen=True)
class Job:
    """One row whose target is hidden; `seed` is the row's number."""

    network: str
    target: str
    seed: int


def jobs(quick: bool) -> list[Job]:
    """Return the jobs: rows of every target, network after network."""
    if quick:
        return [Job("asia", "lung", 0)]
    found = []
    for name in NETWORKS:
        network = network_of(name)
        uncertain = [one for one in network.graph.nodes if network.query(one).entropy > 0.3]
        targets = np.random.default_rng(0).permutation(uncertain)[:N_TARGETS].tolist()
        found += [Job(name, target, row) for row in range(N_ROWS) for target in targets]
    return found


def perform(job: Job) -> dict[str, object]:
    """Ask column after column of one row; note the entropy of the target after each answer."""
    network = network_of(job.network)
    drawn = network.sample(1, random_state=3_000 + job.seed).iloc[0]
    row = {name: drawn[name] for name in network.graph.nodes}
    measures: dict[str, object] = {"entropy_0": network.query(job.target).entropy}
    with threadpool_limits(1), timed() as spent:
        fixed = network.next_question(job.target).frame.index.tolist()
        shuffled = np.random.default_rng(job.seed).permutation(sorted(fixed)).tolist()
        for way in WAYS:
            order = {"fixed": fixed, "random": shuffled}.get(way)
            after = _asked(network, job.target, row, order)
            for step in range(N_STEPS):
                last = after[min(step, len(after) - 1)]
                measures[f"{way}_{step + 1}"] = last
    return run_of(job, {**measures, "cpu_seconds": spent.processor_seconds})


def _asked(
    network: BayesianNetwork, target: str, row: dict[str, object], order: list[str] | None
) -> list[float]:
    """Return the target's entropy after each answer; without an order, the best is asked next."""
    known: dict[str, object] = {}
    entropies = []
    for step in range(N_STEPS):
        if order is None:
            name = network.next_question(target, known).best
            if name is None:
                break  # nothing says any more about the target
        else:
            name = order[step]
        known[name] = row[name]
        entropies.append(network.query(target, known).entropy)
    return entropies or [network.query(target).entropy]


def report(runs: pd.DataFrame) -> list[str]:
    """Return the section of the report."""
    lines = [
        "## The next column",
        "",
        "Entropy of a target in bits, before anything is known and after one to five columns of a "
        "row were looked at. Means over ten",
        "random targets whose entropy is above 0.3 bits, and 20 rows drawn from the network.",
        "",
    ]
    titles = ["network", "order", "nothing", *(f"{k}" for k in range(1, N_STEPS + 1))]
    rows = []
    for name, own in runs.groupby("network", sort=False):
        for way, title in WAYS.items():
            means = [own["entropy_0"].mean()]
            means += [own[f"{way}_{k}"].mean() for k in range(1, N_STEPS + 1)]
            rows.append([str(name), title, *(f"{mean:.3f}" for mean in means)])
    n_rows = len(runs)
    seconds = runs.cpu_seconds.mean()
    return [
        *lines,
        *table(titles, rows, n_text=2),
        "",
        f"{n_rows} rows, {seconds:.2f} s of processor time for all fifteen steps of a row.",
        "",
    ]
