"""How often intervals hold the truth: with the true graph, and with a learned one.

For every sample the same questions are asked three times: of the true graph; of the learned graph
taken to be true, as `TsetlinSieve` answered before intervals allowed for missing edges; and of the
learned graph as it answers now.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

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
    "insurance",
    "hepar2",
    "hailfinder",
    "win95pts",
    "water",
)
ROWS = (1_000, 10_000)
N_SAMPLES = 10
N_QUESTIONS = 10
LEVEL = 0.9
# The share of intervals of learned graphs that hold the truth must be at least this.
BAR = 0.87
KINDS = {
    "true": "true graph",
    "fixed": "learned graph, taken to be true",
    "learned": "learned graph",
}


@dataclass(frozen=True)
class Job:
    """Ten questions about one sample."""

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
        return [Job("asia", 200, 0)]
    seeds = range(N_SAMPLES)
    return [Job(name, rows, seed) for seed in seeds for name in NETWORKS for rows in ROWS]


def questions(network: BayesianNetwork, name: str, seed: int) -> Iterator[Question]:
    """Yield random questions; what is given occurs together in a row drawn from the network.

    Every sample has its own: the same ten, asked of every sample, would say little about others.
    """
    rng = np.random.default_rng([seed, len(name), *name.encode()])
    nodes = network.graph.nodes
    drawn = network.sample(N_QUESTIONS, random_state=100_000 + seed)
    for row in drawn.itertuples(index=False):
        cells = dict(zip(nodes, row, strict=True))
        target, *others = rng.permutation(nodes).tolist()
        given = {other: cells[other] for other in others[: rng.integers(0, 4)]}
        code = int(rng.integers(len(network.states[target])))
        truth = network.query(target, given).probabilities[code]
        yield Question(target, network.states[target][code], given, float(truth))


def perform(job: Job) -> dict[str, object]:
    """Ask the questions of one sample."""
    truth = network_of(job.network)
    data = truth.sample(job.rows, random_state=1_000 + job.seed)
    with threadpool_limits(1), timed() as spent:
        learner = TsetlinSieve(random_state=job.seed, n_jobs=1).fit(data)
        networks = {
            "true": fit_parameters(truth.graph, data, states=truth.states),
            "fixed": _taken_to_be_true(learner.network_),
            "learned": learner.network_,
        }
        states = networks["learned"].states
        # Labels that no row has are unknown to a learner, and cannot be asked about.
        asked = [
            question
            for question in questions(truth, job.network, job.seed)
            if question.label in states[question.target]
            and all(label in states[name] for name, label in question.given.items())
        ]
        answers = {
            kind: [_answer(network, question) for question in asked]
            for kind, network in networks.items()
        }
    found: dict[str, object] = {"asked": len(asked)}
    for kind in KINDS:
        found |= judged(kind, asked, answers[kind])
    said = [bool(answer.misfit) for answer in answers["learned"]]
    wrong = [not _holds(*pair) for pair in zip(answers["fixed"], asked, strict=True)]
    found["misfits"] = sum(said)
    found["misfits_right"] = sum(a and b for a, b in zip(said, wrong, strict=True))
    return run_of(job, {**found, "cpu_seconds": spent.processor_seconds})


def _taken_to_be_true(network: BayesianNetwork) -> BayesianNetwork:
    """Return a learned network whose intervals take the graph to be true."""
    record = replace(network.learned, is_graph_learned=False)
    return BayesianNetwork.of(network.parts.with_record(record))


def _answer(network: BayesianNetwork, question: Question) -> Distribution:
    answer = network.query(question.target, question.given, interval=LEVEL)
    assert isinstance(answer, Distribution)
    return answer


def _ends(answer: Distribution, question: Question) -> tuple[float, float]:
    assert answer.low is not None
    assert answer.high is not None
    code = answer.states[0].index(question.label)
    return float(answer.low[code]), float(answer.high[code])


def _holds(answer: Distribution, question: Question) -> bool:
    low, high = _ends(answer, question)
    return low - 1e-12 <= question.truth <= high + 1e-12


def judged(kind: str, asked: list[Question], answers: list[Distribution]) -> dict[str, object]:
    """Count the intervals that hold the truth."""
    pairs = list(zip(answers, asked, strict=True))
    ends = [_ends(answer, question) for answer, question in pairs]
    return {
        f"{kind}_held": sum(_holds(answer, question) for answer, question in pairs),
        f"{kind}_width": float(np.mean([high - low for low, high in ends] or [np.nan])),
    }


def report(runs: pd.DataFrame) -> list[str]:
    """Return the section of the report."""
    lines = [
        "## Intervals",
        "",
        "<!-- --8<-- [start:intervals] -->",
        f"Each cell has the share of {LEVEL:.0%} intervals that contain the truth, and in brackets "
        f"their mean width. We asked {N_QUESTIONS} random",
        "questions about each sample, with evidence on none to three columns. In the second "
        "column, the intervals take the learned",
        "graph to be true: only its CPTs are drawn from their posterior. bnsieve did so before "
        "November 2026. In the third column, they",
        f"allow for missing edges, as bnsieve does now. The goal for this column is {BAR:.0%}.",
        "",
    ]
    for size in sorted(runs["rows"].unique()):
        own = runs[runs["rows"] == size]
        groups = [(str(name), group) for name, group in own.groupby("network", sort=False)]
        rows = [[name, *(_cell(group, kind) for kind in KINDS)] for name, group in groups]
        rows.append(["all", *(_cell(own, kind) for kind in KINDS)])
        lines += [f"**{size:,} rows**", "", *table(["network", *KINDS.values()], rows), ""]
    n_samples = runs.groupby(["network", "rows"]).size()
    said, right = int(runs.misfits.sum()), int(runs.misfits_right.sum())
    lines += [
        f"There were {n_samples.min()} to {n_samples.max()} samples of each network and size, and "
        f"{int(runs.asked.sum()):,} questions. In {said} cases the answer said that the graph does",
        f"not fit. In {right} of these, the interval that takes the graph to be true misses the "
        "truth.",
        "<!-- --8<-- [end:intervals] -->",
        "",
    ]
    return lines


def _cell(runs: pd.DataFrame, kind: str) -> str:
    share = runs[f"{kind}_held"].sum() / max(1, runs.asked.sum())
    return f"{share:.3f} ({runs[f'{kind}_width'].mean():.4f})"
