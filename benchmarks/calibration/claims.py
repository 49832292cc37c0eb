"""Whether other figures that say how sure something is hold as often as they say.

``python -m benchmarks calibration claims`` makes data whose truth is known, and asks for slopes
with their errors, effects with intervals, differences between networks on new rows, predictions,
and whether new rows like the old ones have moved. It runs what ``claims.csv`` has no line of, and
writes ``claims.md``. It ends with an error where a kind of claim misses its bar.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import norm
from threadpoolctl import threadpool_limits

from benchmarks.answers.effects import pairs
from benchmarks.common.clock import timed
from benchmarks.common.networks import network_of
from benchmarks.common.options import parser_of
from benchmarks.common.pages import by_size, head, write
from benchmarks.common.runs import perform_left, read_runs, run_of
from bnsieve import BayesianNetwork, Graph, TsetlinSieve, fit_parameters
from bnsieve.explain.in_units import in_units
from bnsieve.learners.update import beyond_chance
from bnsieve.metrics import held_out
from bnsieve.network import FamilyCounter, with_intervals
from bnsieve.table import Table

LEVEL = 0.9
# Errors within which a normal estimate lies so often.
WITHIN = float(norm.ppf((1 + LEVEL) / 2))
NETWORKS = ("asia", "sachs", "child", "insurance", "alarm")
FIRST_SEED = 9_000
# Claims of a kind that take little, made of each sample.
N_CLAIMS = 40


@dataclass(frozen=True)
class Job:
    """One sample of one case of a claim."""

    claim: str
    case: str
    rows: int
    seed: int


# How many claims were made, how many of them should hold, and how many do.
Judged = tuple[int, float, int]


def slopes(job: Job) -> Judged:
    """Ask how much a number rises with another, a third held fixed; the truth is 1."""
    chance = np.random.default_rng([job.seed, job.rows])
    held = 0
    for _ in range(N_CLAIMS):
        other, tail, noise = chance.normal(size=(3, job.rows))
        tail += 0.5 * other
        if job.case == "skewed noise":
            noise = chance.exponential(size=job.rows) - 1
        if job.case == "noise that grows":
            noise *= np.exp(0.5 * tail)
        numbers = (tail, other, tail + 0.5 * other + noise)
        codes = np.zeros((3, job.rows), dtype=np.uint8)
        rows = Table(codes, ("x", "z", "y"), ((0,),) * 3, {}, dict(enumerate(numbers)))
        found = in_units(rows, rows.names, "x", "y", ["z"])
        assert found is not None
        assert found.slope is not None
        assert found.error is not None
        held += abs(found.slope - 1) <= WITHIN * found.error
    return N_CLAIMS, LEVEL * N_CLAIMS, held


def effects(job: Job) -> Judged:
    """Ask for the effects of pairs, with the true graph, as `learner.effect` does for a case."""
    truth = network_of(job.case)
    data = truth.sample(job.rows, random_state=job.seed)
    network = fit_parameters(truth.graph, data, states=truth.states)
    rows = Table.from_data(data)
    n, held = 0, 0
    counter = FamilyCounter(rows, network.states)
    for treatment, outcome in list(pairs(truth, job.seed))[:5]:
        true = truth.effect(treatment, outcome).table
        effect = with_intervals(network.effect(treatment, outcome), counter, LEVEL)
        (case,) = effect.cases
        assert case.low is not None
        assert case.high is not None
        # One number of each table: those of a line sum to 1, and are one claim rather than many.
        chance = np.random.default_rng(job.seed)
        i, j = chance.integers(true.shape[0]), chance.integers(true.shape[1])
        low, high = case.low.to_numpy()[i, j], case.high.to_numpy()[i, j]
        n += 1
        held += bool(low - 1e-12 <= true.to_numpy()[i, j] <= high + 1e-12)
    return n, LEVEL * n, held


def differences(job: Job) -> Judged:
    """Ask how much better the true network explains rows than one without a third of its arrows."""
    truth = network_of(job.case)
    arrows = truth.graph.directed_edges
    less = Graph(truth.graph.nodes, [arrow for i, arrow in enumerate(arrows) if i % 3])
    other = fit_parameters(less, truth.sample(2_000, random_state=1), states=truth.states)
    models = {"true": truth, "less": other}
    true = expected_difference(truth, other)
    chance = np.random.default_rng(job.seed)
    held = 0
    for _ in range(N_CLAIMS):
        rows = truth.sample(job.rows, random_state=int(chance.integers(1 << 31)))
        found = held_out(models, rows)
        one = found["less"]
        # Where the worse one happens to be best, the difference is that of the other.
        difference, error = one.difference, one.difference_error
        if found.best == "less":
            difference, error = -found["true"].difference, found["true"].difference_error
        held += abs(difference - true) <= WITHIN * error
    return N_CLAIMS, LEVEL * N_CLAIMS, held


def expected_difference(truth: BayesianNetwork, other: BayesianNetwork) -> float:
    """Return how much more likely a row of the first network is to it than to the other.

    Negative, in nats. Each of the other's arrows is one of the true network's.
    """
    total = 0.0
    for name in truth.graph.nodes:
        family = (*truth.graph.parents(name), name)
        joint = truth.query(family, joint=True).probabilities
        own = joint / joint.sum(axis=-1, keepdims=True).clip(1e-300)
        fewer = (*other.graph.parents(name), name)
        shape = [len(truth.states[one]) if one in fewer else 1 for one in family]
        # The axes that are left, in the order of the family.
        order = [fewer.index(one) for one in family if one in fewer]
        guess = other.tables[name].transpose(order).reshape(shape)
        seen = joint > 0
        ratios = np.broadcast_to(guess, joint.shape)[seen] / own[seen]
        total += float((joint[seen] * np.log(ratios)).sum())
    return total


def predictions(job: Job) -> Judged:
    """Predict columns of new rows; the probabilities of the labels predicted are what is said."""
    truth = network_of(job.case)
    learner = TsetlinSieve(random_state=job.seed, n_jobs=1)
    learner.fit(truth.sample(job.rows, random_state=job.seed))
    network = learner.network_
    chance = np.random.default_rng(job.seed)
    new = truth.sample(1_000, random_state=100_000 + job.seed)
    # Labels that no row had before cannot be asked about.
    known = np.all([new[name].isin(own) for name, own in network.states.items()], axis=0)
    new = new[known]
    n, said, held = 0, 0.0, 0
    for target in chance.permutation(truth.graph.nodes)[:5].tolist():
        found = network.predict_proba(new, target).dropna()
        n += len(found)
        said += float(found.max(axis=1).sum())
        held += int((found.idxmax(axis=1) == new.loc[found.index, target].astype(object)).sum())
    return n, said, held


def moves(job: Job) -> Judged:
    """Compare shares of labels in new rows with those in 100 times as many of the same kind."""
    chance = np.random.default_rng([job.seed, job.rows])
    n_states = int(job.case.split()[0])
    n, still = 500, 0
    for _ in range(n):
        shares = chance.dirichlet(np.full(n_states, chance.choice([0.1, 1.0, 10.0])))
        old, new = (chance.multinomial(size, shares) for size in (100 * job.rows, job.rows))
        still += not beyond_chance(np.array([old, new])[:, (old + new) > 0])
    return n, 0.999 * n, still


@dataclass(frozen=True)
class Kind:
    """How a claim is judged, in which cases, and by how much the share may miss what is said."""

    judge: Callable[[Job], Judged]
    cases: tuple[str, ...]
    rows: tuple[int, ...]
    n_samples: int
    slack: float


KINDS = {
    "slope": Kind(
        slopes, ("normal noise", "skewed noise", "noise that grows"), (100, 1_000, 5_000), 10, 0.05
    ),
    "effect": Kind(effects, NETWORKS, (1_000, 10_000), 20, 0.05),
    "difference": Kind(differences, NETWORKS, (500, 5_000), 4, 0.05),
    "prediction": Kind(predictions, NETWORKS, (500, 5_000), 3, 0.03),
    "no move": Kind(moves, ("2 labels", "10 labels", "50 labels"), (30, 300, 3_000), 4, 0.003),
}


def perform(job: Job) -> dict[str, object]:
    with threadpool_limits(1), timed() as spent:
        n, said, held = KINDS[job.claim].judge(job)
    return run_of(job, {"n": n, "said": said, "held": held, "cpu_seconds": spent.processor_seconds})


def report(runs: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return the tables, and the kinds of claims that miss their bar."""
    lines = [
        "Share of the claims that hold, and in brackets the share that should. `slope`: 90 %",
        "intervals from slopes and their errors; `effect`: 90 % intervals of what setting a column",
        "does, in the true graph; `difference`: 90 % intervals from the difference of two networks",
        "on new rows and its error; `prediction`: predicted labels that are right, and their mean",
        "probability; `no move`: columns of new rows that are not said to have moved.",
        "",
    ]
    wrong = []
    for name, own in runs.groupby("claim", sort=False):
        lines += [*by_size(own, "case", str(name), _cell), ""]
        for case, part in own.groupby("case", sort=False):
            off = (part["held"].sum() - part["said"].sum()) / part["n"].sum()
            if abs(off) > KINDS[str(name)].slack:
                wrong.append(f"{name}, {case}: off by {off:+.3f}")
    lines += [
        f"{int(runs['n'].sum()):,} claims, {runs['cpu_seconds'].sum() / 60:.1f} minutes of "
        "processor time.",
        "",
        *([f"Outside their bar: {'; '.join(wrong)}."] if wrong else ["No bar is missed."]),
    ]
    return lines, wrong


def _cell(runs: pd.DataFrame) -> str:
    n = runs["n"].sum()
    if not n:
        return ""
    return f"{runs['held'].sum() / n:.3f} ({runs['said'].sum() / n:.3f})"


def main(arguments: list[str]) -> None:
    """Run what is left, and write the page."""
    parser = parser_of("calibration", __doc__)
    parser.add_argument("--claims", nargs="+", choices=KINDS, default=list(KINDS))
    asked = parser.parse_args(arguments)
    jobs = [
        Job(claim, case, rows, FIRST_SEED + sample)
        for claim in asked.claims
        for sample in range(KINDS[claim].n_samples)
        for case in KINDS[claim].cases
        for rows in KINDS[claim].rows
    ]
    if asked.quick:
        jobs = [job for job in jobs if job.seed == FIRST_SEED and job.rows <= 500][::3]
    path = asked.output / "claims.csv"
    perform_left(
        jobs, path, perform, lambda run: f"{run['claim']}: {run['case']}", asked.jobs, asked.minutes
    )
    lines, wrong = report(read_runs(path))
    page = head("Claims of being sure", "calibration claims", arguments)
    write(asked.output / "claims.md", page + lines)
    print("\n".join(lines))
    if wrong and not asked.quick:
        sys.exit("error: a kind of claim misses its bar")
