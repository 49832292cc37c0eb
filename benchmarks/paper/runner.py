"""The paper's experiment, run again: seven networks, five algorithms, ten runs of 5,000 rows.

In: which networks, algorithms and runs. Out: ``runs.csv`` with one line per run, written as soon as
the run is done, so that an interrupted experiment goes on where it stopped. Every run draws its own
sample of the network and gives every algorithm the same one.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from time import perf_counter

from benchmarks.common.networks import PAPER_NETWORKS
from bnsieve.exchange import load_network
from bnsieve.learners import FSMBPC, PC, HitonPC, StructureLearner, TsetlinPC
from bnsieve.metrics import compare

NETWORKS = PAPER_NETWORKS

# By the names of the paper's tables; `run` seeds what is random, threads change nothing but time.
# HITON-PC and FSMB-PC join where either end keeps the other: only so are recalls as high, and
# precisions as low, as the paper reports.
ALGORITHMS: dict[str, Callable[[int, int | None], StructureLearner]] = {
    "tm": lambda run, n_jobs: TsetlinPC(random_state=run, n_jobs=n_jobs),
    "hiton-pc": lambda run, n_jobs: HitonPC(join="either", n_jobs=n_jobs),
    "fsmb-pc": lambda run, n_jobs: FSMBPC(join="either", n_jobs=n_jobs),
    "pc-original": lambda run, n_jobs: PC(variant="original", n_jobs=n_jobs),
    "pc-stable": lambda run, n_jobs: PC(variant="stable", n_jobs=n_jobs),
}


@dataclass(frozen=True)
class Job:
    """One run of one algorithm on one network."""

    network: str
    algorithm: str
    run: int
    rows: int


@dataclass(frozen=True)
class Outcome:
    """What one run gave: the paper's measures, and seconds, which the paper left out."""

    network: str
    algorithm: str
    run: int
    rows: int
    seconds: float
    ci_tests: int
    precision: float
    recall: float
    f1: float
    missing_nodes: int
    missing_edges: int
    wrong_edges: int
    shd: int


MEASURES = tuple(field.name for field in fields(Outcome)[4:])


def jobs(networks: Sequence[str], algorithms: Sequence[str], n_runs: int, rows: int) -> list[Job]:
    """Return the runs to make, those of the cheaper algorithms first."""
    return [
        Job(network, algorithm, run, rows)
        for algorithm in algorithms
        for network in networks
        for run in range(n_runs)
    ]


def perform(job: Job, n_jobs: int | None = None) -> Outcome:
    """Draw the run's sample, learn, and compare with the network."""
    truth = load_network(job.network)
    data = truth.sample(job.rows, random_state=job.run)
    start = perf_counter()
    learner = ALGORITHMS[job.algorithm](job.run, n_jobs).fit(data)
    seconds = perf_counter() - start
    found = compare(truth, learner.graph_.skeleton())
    return Outcome(
        **asdict(job),
        seconds=seconds,
        ci_tests=learner.fit_result_.n_tests,
        precision=found.precision,
        recall=found.recall,
        f1=found.f1,
        missing_nodes=found.missing_nodes,
        missing_edges=found.missing_edges,
        wrong_edges=found.wrong_edges,
        shd=found.skeleton_shd,
    )
