"""How accurate `TsetlinSieve` is: jobs in, measures out.

In: which configurations, networks, sizes and seeds. Out: for each job one line with the distance of
the learned graph from the true one, and what it cost. Everything runs on one thread, so that
processor seconds can be set beside those of other programs.
"""

import itertools
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.accuracy.ablations import CONFIGURATIONS, DEFAULTS
from benchmarks.common.clock import timed
from benchmarks.common.networks import PAPER_NETWORKS, SMALLER_NETWORKS, network_of
from benchmarks.common.samples import sample_of
from benchmarks.common.shuffled import Renamed, as_it_is, shuffled
from bnsieve.learners import TsetlinSieve
from bnsieve.metrics import compare

IN_ORDER, SHUFFLED = "in order", "shuffled"
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
    columns : str
        "in order", as the sample has them, or "shuffled": in an order, and under names, that the
        seed draws. The learner works through columns by name, so that it takes both to tell it
        nothing.
    rows, seed : int
        Of the sample; the seed is the learner's too.
    """

    label: str
    configuration: str
    network: str
    samples: str
    columns: str
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
    columns: str
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
    columns: str = IN_ORDER,
) -> list[Job]:
    """Return the runs on several networks: all of the first seed, then all of the next."""
    return [
        Job(label, configuration, network, samples, columns, rows, seed)
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
    columns: str = IN_ORDER,
) -> list[Job]:
    """Return the runs of the default and its ablations, on networks that are not too large."""
    chosen = [network for network in SMALLER_NETWORKS if network in networks]
    return network_jobs(label, chosen, samples, rows, seeds, configurations, columns)


def row_jobs(
    label: str,
    networks: Sequence[str],
    sizes: Sequence[int],
    seeds: Sequence[int],
    columns: str = IN_ORDER,
) -> list[Job]:
    """Return the runs of the default on samples of growing size, the small ones first."""
    chosen = [network for network in PAPER_NETWORKS if network in networks]
    return [
        job
        for rows in sizes
        for job in network_jobs(label, chosen, "drawn", rows, seeds, ["search"], columns)
    ]


def stability_jobs(
    label: str,
    networks: Sequence[str],
    samples: str,
    rows: int,
    seed: int,
    learners: int,
    columns: str = IN_ORDER,
) -> list[StabilityJob]:
    """Return one job for each of the paper's networks."""
    return [
        StabilityJob(label, network, samples, columns, rows, seed, learners)
        for network in PAPER_NETWORKS
        if network in networks
    ]


def fit_timed(learner: TsetlinSieve, data: pd.DataFrame) -> tuple[float, float]:
    """Fit a learner on one thread; return the seconds of wall clock and processor it took."""
    with threadpool_limits(1), timed() as spent:
        learner.fit(data)
    return spent.seconds, spent.processor_seconds


def _sample(job: Job | StabilityJob, folder: Path | None) -> Renamed:
    given = folder if job.samples == "given" else None
    sample = sample_of(job.network, job.rows, job.seed, given)
    return shuffled(sample, job.seed) if job.columns == SHUFFLED else as_it_is(sample)


def perform(job: Job, folder: Path | None = None) -> Outcome:
    """Draw or read the sample, learn, and compare with the network."""
    sample = _sample(job, folder)
    learner = CONFIGURATIONS[job.configuration](job.seed)
    seconds, cpu_seconds = fit_timed(learner, sample.data)
    found = compare(network_of(job.network), sample.restore(learner.graph_))
    return Outcome(
        **asdict(job),
        seconds=seconds,
        cpu_seconds=cpu_seconds,
        sieve_seconds=learner.timings_.get("sieve", 0.0),
        ci_tests=learner.n_tests_,
        orientation_tests=learner.fit_result_.n_orientation_tests,
        edges=found.n_learned,
        precision=found.precision,
        recall=found.recall,
        f1=found.f1,
        shd=found.skeleton_shd,
        cpdag_shd=found.shd,
    )


def perform_stability(job: StabilityJob, folder: Path | None = None) -> StabilityOutcome:
    """Learn from one sample with several seeds of the learner, and compare the graphs."""
    data = _sample(job, folder).data
    graphs = []
    for seed in range(job.learners):
        learner = TsetlinSieve(random_state=seed)
        fit_timed(learner, data)
        graphs.append(learner.graph_)
    scores = [compare(b, a).f1 for a, b in itertools.combinations(graphs, 2)]
    return StabilityOutcome(
        **asdict(job), mean_f1=float(np.mean(scores)), least_f1=float(np.min(scores))
    )
