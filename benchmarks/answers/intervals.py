"""How often intervals hold the truth: with the true graph, a learned one, and many of them."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.common.clock import timed
from benchmarks.common.networks import network_of
from benchmarks.common.pages import table
from benchmarks.common.runs import run_of
from bnsieve import BayesianNetwork, TsetlinSieve, fit_parameters
from bnsieve.network import Distribution

NETWORKS = (
    "asia",
    "cancer",
    "sachs",
    "child",
    "alarm",
    "win95pts",
    "hepar2",
    "hailfinder",
    "pigs",
    "insurance",
)
ROWS = (1_000, 10_000)
# A bootstrap learns twenty graphs from every sample: fewer samples, of networks that take a second
# to learn.
LEARNED_NETWORKS = ("asia", "cancer", "sachs", "child", "alarm", "insurance")
N_SAMPLES = {"true": 50, "learned": 5}
N_QUESTIONS = 10
N_REPLICATES = 20
LEVEL = 0.9
# The share of intervals that hold the truth must lie here.
BAR = (0.85, 0.95)


@dataclass(frozen=True)
class Job:
    """Ten questions about one sample; `graph` is "true" or "learned"."""

    graph: str
    network: str
    rows: int
    seed: int


@dataclass(frozen=True, eq=False)
class Question:
    """How probable a label of a column is, given labels of none to three others."""

    target: str
    label: Hashable
    given: dict[str, Hashable]
    truth: float


def jobs(quick: bool) -> list[Job]:
    """Return the jobs, sample after sample."""
    if quick:
        return [Job("true", "asia", 200, 0), Job("learned", "asia", 200, 0)]
    networks = {"true": NETWORKS, "learned": LEARNED_NETWORKS}
    return [
        Job(graph, network, rows, seed)
        for graph, n_samples in N_SAMPLES.items()
        for seed in range(n_samples)
        for network in networks[graph]
        for rows in ROWS
    ]


def questions(network: BayesianNetwork, name: str) -> Iterator[Question]:
    """Yield random questions; what is given occurs together in a row drawn from the network."""
    rng = np.random.default_rng([len(name), *name.encode()])
    nodes = network.graph.nodes
    for row in network.sample(N_QUESTIONS, random_state=0).itertuples(index=False):
        cells = dict(zip(nodes, row, strict=True))
        target, *others = rng.permutation(nodes).tolist()
        given = {one: cells[one] for one in others[: rng.integers(0, 4)]}
        code = int(rng.integers(len(network.states[target])))
        truth = network.query(target, given).probabilities[code]
        yield Question(target, network.states[target][code], given, float(truth))


def perform(job: Job) -> dict[str, object]:
    """Ask the questions of one sample."""
    truth = network_of(job.network)
    data = truth.sample(job.rows, random_state=1_000 + job.seed)
    asked = list(questions(truth, job.network))
    with threadpool_limits(1), timed() as spent:
        if job.graph == "true":
            network = fit_parameters(truth.graph, data, states=truth.states)
            answers = [network.query(one.target, one.given, interval=LEVEL) for one in asked]
            found = judged(asked, answers)
        else:
            found = _learned(asked, data, job.seed)
    return run_of(job, {**found, "cpu_seconds": spent.processor_seconds})


def _learned(asked: list[Question], data: pd.DataFrame, seed: int) -> dict[str, object]:
    learner = TsetlinSieve(random_state=seed).fit(data)
    states = learner.network_.states
    # Labels that no row has are unknown to a learner, and cannot be asked about.
    known = [
        one
        for one in asked
        if one.label in states[one.target]
        and all(label in states[name] for name, label in one.given.items())
    ]
    alone = judged(known, [_answer(learner, one) for one in known])
    learner.bootstrap(N_REPLICATES, random_state=seed)
    both = judged(known, [_answer(learner, one) for one in known])
    return {**alone, "held_by_both": both["held"], "width_of_both": both["width"]}


def _answer(learner: TsetlinSieve, one: Question) -> Distribution:
    answer = learner.query(one.target, one.given, interval=LEVEL)
    assert isinstance(answer, Distribution)
    return answer


def judged(asked: list[Question], answers: list[Distribution]) -> dict[str, object]:
    """Count the intervals that hold the truth."""
    held, widths = 0, []
    for one, answer in zip(asked, answers, strict=True):
        assert answer.low is not None
        assert answer.high is not None
        code = answer.states[0].index(one.label)
        low, high = float(answer.low[code]), float(answer.high[code])
        held += int(low - 1e-12 <= one.truth <= high + 1e-12)
        widths.append(high - low)
    return {
        "asked": len(asked),
        "held": held,
        "width": float(np.mean(widths)) if widths else float("nan"),
        "held_by_both": "",
        "width_of_both": "",
    }


def report(runs: pd.DataFrame) -> list[str]:
    """Return the section of the report."""
    lines = [
        "## Intervals",
        "",
        f"Share of {LEVEL:.0%} intervals that hold the truth, and their mean width in brackets. "
        f"{N_QUESTIONS} random questions",
        "about each network, with none to three columns given. True graph: tables are drawn from "
        "their posterior. Learned",
        f"graph: the same with `TsetlinSieve`'s graph taken for true; with bootstrap: draws of "
        f"tables in the graphs of {N_REPLICATES} replicates.",
        f"The bar, {BAR[0]:.0%} to {BAR[1]:.0%}, is for the true graph.",
        "",
    ]
    sizes = sorted(runs["rows"].unique())
    titles = ["network"]
    for size in sizes:
        titles += [f"true graph, {size:,} rows", "learned graph", "with bootstrap"]
    groups = [(str(name), own) for name, own in runs.groupby("network", sort=False)]
    rows = [[name, *_cells(own, sizes)] for name, own in groups]
    rows.append(["all", *_cells(runs, sizes)])
    n_samples = runs.groupby(["graph", "network", "rows"]).size().groupby("graph")
    samples = ", ".join(f"{one} graph {n.min()} to {n.max()}" for one, n in n_samples)
    return [*lines, *table(titles, rows), "", f"Samples per network and size: {samples}.", ""]


def _cells(runs: pd.DataFrame, sizes: list[int]) -> list[str]:
    cells = []
    for size in sizes:
        own = runs[runs["rows"] == size]
        true, learned = own[own.graph == "true"], own[own.graph == "learned"]
        cells.append(_cell(true, "held", "width"))
        cells.append(_cell(learned, "held", "width"))
        cells.append(_cell(learned, "held_by_both", "width_of_both"))
    return cells


def _cell(runs: pd.DataFrame, held: str, width: str) -> str:
    if runs.empty:
        return ""
    share = runs[held].astype(float).sum() / max(1, runs.asked.sum())
    return f"{share:.3f} ({runs[width].astype(float).mean():.3f})"
