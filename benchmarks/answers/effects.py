"""How far the effects of learned graphs are from the true ones."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.common.clock import timed
from benchmarks.common.networks import network_of
from benchmarks.common.pages import table
from benchmarks.common.runs import run_of
from bnsieve import BayesianNetwork, TsetlinSieve, fit_parameters

NETWORKS = (
    "asia",
    "cancer",
    "sachs",
    "child",
    "insurance",
    "alarm",
    "hailfinder",
    "hepar2",
    "win95pts",
)
ROWS = 5_000
N_SAMPLES = 3
N_PAIRS = 20
# An effect is close if no probability is off by more; and the bounds hold it with this slack.
CLOSE = 0.05


@dataclass(frozen=True)
class Job:
    """One learned graph, asked about twenty pairs."""

    network: str
    rows: int
    seed: int


def jobs(quick: bool) -> list[Job]:
    """Return the jobs, one sample of each network after the other."""
    if quick:
        return [Job("asia", 500, 0)]
    return [Job(name, ROWS, seed) for seed in range(N_SAMPLES) for name in NETWORKS]


def pairs(truth: BayesianNetwork, seed: int) -> Iterator[tuple[str, str]]:
    """Yield random pairs in which the first has an effect on the second, by arrows."""
    rng = np.random.default_rng(seed)
    below: dict[str, set[str]] = {}
    for name in reversed(truth.graph.topological_order()):
        children = truth.graph.children(name)
        below[name] = set(children).union(*(below[child] for child in children))
    every = sorted((name, end) for name, ends in below.items() for end in ends)
    for i in rng.permutation(len(every))[:N_PAIRS]:
        yield every[i]


def perform(job: Job) -> dict[str, object]:
    """Compare true effects with those of the learned class, its own DAG, and with seeing."""
    truth = network_of(job.network)
    data = truth.sample(job.rows, random_state=2_000 + job.seed)
    with threadpool_limits(1), timed() as spent:
        learner = TsetlinSieve(random_state=job.seed).fit(data)
        refitted = fit_parameters(truth.graph, data)
        network = learner.network_
        found = []
        for of, on in pairs(truth, job.seed):
            labels = [one for one in truth.states[of] if one in network.states[of]]
            true_effect = truth.effect(of, on).table.loc[labels]
            effect = learner.effect(of, on)
            cases = [_off(true_effect, case.table) for case in effect.cases]
            seen = pd.DataFrame({one: network.query(on, {of: one}).to_series() for one in labels}).T
            low = effect.low.reindex(index=labels, columns=true_effect.columns, fill_value=0.0)
            high = effect.high.reindex(index=labels, columns=true_effect.columns, fill_value=0.0)
            inside = (low - CLOSE <= true_effect) & (true_effect <= high + CLOSE)
            found.append(
                {
                    "cases": len(cases),
                    "settled": effect.is_settled,
                    "inside": bool(inside.to_numpy().all()),
                    "nearest": min(cases),
                    "own": _off(true_effect, network.effect(of, on, graph=network.graph).table),
                    "seen": _off(true_effect, seen),
                    "true_graph": _off(true_effect, refitted.effect(of, on).table),
                }
            )
    frame = pd.DataFrame(found)
    measures = {
        "pairs": len(frame),
        "cases": float(frame.cases.mean()),
        "settled": int(frame.settled.sum()),
        "inside": int(frame.inside.sum()),
        **{f"close_{name}": int((frame[name] <= CLOSE).sum()) for name in WAYS},
        **{f"off_{name}": float(frame[name].mean()) for name in WAYS},
        "cpu_seconds": spent.processor_seconds,
    }
    return run_of(job, measures)


WAYS = {
    "nearest": "nearest case",
    "own": "the learned DAG",
    "seen": "seeing, not setting",
    "true_graph": "the true graph",
}


def _off(truth: pd.DataFrame, found: pd.DataFrame) -> float:
    """Return the largest difference of a probability; labels that were never seen have none."""
    other = found.reindex(index=truth.index, columns=truth.columns, fill_value=0.0)
    return float((truth - other).abs().to_numpy().max(initial=0.0))


def report(runs: pd.DataFrame) -> list[str]:
    """Return the section of the report."""
    lines = [
        "## Effects",
        "",
        "<!-- --8<-- [start:effects] -->",
        f"For each sample of {runs['rows'].max():,} rows, we drew {N_PAIRS} pairs of columns in "
        "which one affects the other. *Cases* is the mean number of",
        "sets of causes that the data leave open. *Settled* is the share of pairs for which all "
        "cases give the same effect. *Inside* is",
        f"the share of pairs whose true effect lies within {CLOSE} of the bounds over all cases, "
        "for all states. The other columns have",
        f"the share of pairs without an error above {CLOSE} in any probability, and in brackets "
        "the mean of the largest error. They",
        "compare the case nearest to the truth, the learned DAG, a query instead of an "
        "intervention, and the true graph with CPTs",
        "from the same rows.",
        "",
    ]
    titles = ["network", "samples", "cases", "settled", "inside"]
    titles += [f"{title}: close (error)" for title in WAYS.values()]
    groups = [(str(name), own) for name, own in runs.groupby("network", sort=False)]
    rows = [_line(name, own) for name, own in [*groups, ("all", runs)]]
    return [*lines, *table(titles, rows), "<!-- --8<-- [end:effects] -->", ""]


def _line(name: str, runs: pd.DataFrame) -> list[str]:
    n_pairs = runs.pairs.sum()
    cells = [
        name,
        f"{len(runs)}",
        f"{runs.cases.mean():.1f}",
        f"{runs.settled.sum() / n_pairs:.2f}",
        f"{runs.inside.sum() / n_pairs:.2f}",
    ]
    for way in WAYS:
        close = runs[f"close_{way}"].sum() / n_pairs
        cells.append(f"{close:.2f} ({runs[f'off_{way}'].mean():.3f})")
    return cells
