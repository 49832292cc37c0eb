"""How accurate `TsetlinSieve` is: jobs in, measures out.

In: which configurations, networks, sizes and seeds. Out: for each job one line with the distance of
the learned graph from the true one, and what it cost. Everything runs on one thread, so that
processor seconds can be set beside those of other programs.
"""

import itertools
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.accuracy.ablations import CONFIGURATIONS, DEFAULTS
from benchmarks.common.samples import PAPER_NETWORKS, sample_of, true_network
from bnsieve.learners import TsetlinSieve
from bnsieve.metrics import compare

# The larger ones would take hours with ten configurations each.
ABLATION_NETWORKS = (*PAPER_NETWORKS, "win95pts", "andes")
ROWS = (500, 1_000, 5_000, 20_000, 50_000, 500_000)


@dataclass(frozen=True)
class Job:
    """One run of one configuration on one sample.

    Attributes
    ----------
    label : str
        Which version of the learner this is; runs of another label are others.
    configuration : str
        A name of `CONFIGURATIONS`.
    network : str
    samples : str
        "drawn", or "given" if samples are read from a folder.
    rows, seed : int
        Of the sample; the seed is the learner's too.
    """

    label: str
    configuration: str
    network: str
    samples: str
    rows: int
    seed: int


@dataclass(frozen=True)
class Outcome(Job):
    """What one run gave.

    Attributes
    ----------
    seconds, cpu_seconds : float
        Wall clock and processor, from a data frame to a graph.
    sieve_seconds : float
        Of the wall clock, those that the machines took.
    ci_tests, orientation_tests : int
        Independence tests to find the edges, and to direct them.
    edges : int
    precision, recall, f1, shd : float
        Of the skeleton.
    cpdag_shd : int
    """

    seconds: float
    cpu_seconds: float
    sieve_seconds: float
    ci_tests: int
    orientation_tests: int
    edges: int
    precision: float
    recall: float
    f1: float
    shd: int
    cpdag_shd: int


MEASURES = tuple(field.name for field in fields(Outcome)[len(fields(Job)) :])


@dataclass(frozen=True)
class StabilityJob:
    """The default, with several seeds of its own, on one sample."""

    label: str
    network: str
    samples: str
    rows: int
    seed: int
    learners: int


@dataclass(frozen=True)
class StabilityOutcome(StabilityJob):
    """F1 between each two of the skeletons: its mean and its least."""

    mean_f1: float
    least_f1: float


def network_jobs(
    label: str,
    networks: Sequence[str],
    samples: str,
    rows: int,
    seeds: Sequence[int],
    configurations: Sequence[str] = tuple(DEFAULTS),
) -> list[Job]:
    """Return the runs on several networks: all of the first seed, then all of the next."""
    return [
        Job(label, configuration, network, samples, rows, seed)
        for seed in seeds
        for network in networks
        for configuration in configurations
    ]


def ablation_jobs(
    label: str,
    networks: Sequence[str],
    samples: str,
    rows: int,
    seeds: Sequence[int],
    configurations: Sequence[str] = tuple(CONFIGURATIONS),
) -> list[Job]:
    """Return the runs of the default and its ablations, on networks that are not too large."""
    chosen = [network for network in ABLATION_NETWORKS if network in networks]
    return network_jobs(label, chosen, samples, rows, seeds, configurations)


def row_jobs(
    label: str, networks: Sequence[str], sizes: Sequence[int], seeds: Sequence[int]
) -> list[Job]:
    """Return the runs of the default on samples of growing size, the small ones first."""
    chosen = [network for network in PAPER_NETWORKS if network in networks]
    return [
        job
        for rows in sizes
        for job in network_jobs(label, chosen, "drawn", rows, seeds, ["search"])
    ]


def stability_jobs(
    label: str, networks: Sequence[str], samples: str, rows: int, seed: int, learners: int
) -> list[StabilityJob]:
    """Return one job for each of the paper's networks."""
    return [
        StabilityJob(label, network, samples, rows, seed, learners)
        for network in PAPER_NETWORKS
        if network in networks
    ]


def fit_timed(learner: TsetlinSieve, data: pd.DataFrame) -> tuple[float, float]:
    """Fit a learner on one thread; return the seconds of wall clock and processor it took."""
    with threadpool_limits(1):
        start, cpu_start = perf_counter(), process_time()
        learner.fit(data)
        return perf_counter() - start, process_time() - cpu_start


def perform(job: Job, folder: Path | None = None) -> Outcome:
    """Draw or read the sample, learn, and compare with the network."""
    data = sample_of(job.network, job.rows, job.seed, folder if job.samples == "given" else None)
    learner = CONFIGURATIONS[job.configuration](job.seed)
    seconds, cpu_seconds = fit_timed(learner, data)
    found = compare(true_network(job.network), learner.graph_)
    return Outcome(
        **asdict(job),
        seconds=seconds,
        cpu_seconds=cpu_seconds,
        sieve_seconds=learner.timings_["sieve"],
        ci_tests=learner.n_tests_,
        orientation_tests=learner.n_orientation_tests_,
        edges=found.n_learned,
        precision=found.precision,
        recall=found.recall,
        f1=found.f1,
        shd=found.skeleton_shd,
        cpdag_shd=found.shd,
    )


def perform_stability(job: StabilityJob, folder: Path | None = None) -> StabilityOutcome:
    """Learn from one sample with several seeds of the learner, and compare the graphs."""
    data = sample_of(job.network, job.rows, job.seed, folder if job.samples == "given" else None)
    graphs = []
    for seed in range(job.learners):
        learner = TsetlinSieve(random_state=seed)
        fit_timed(learner, data)
        graphs.append(learner.graph_)
    scores = [compare(b, a).f1 for a, b in itertools.combinations(graphs, 2)]
    return StabilityOutcome(
        **asdict(job), mean_f1=float(np.mean(scores)), least_f1=float(np.min(scores))
    )
