"""One fit of the study: a program on a sample in, what was measured out."""

from dataclasses import dataclass
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks.common.clock import timed
from benchmarks.common.runs import run_of
from benchmarks.common.shuffled import shuffled
from benchmarks.numbers.samples import sample_of
from bnsieve import Discretizer, Graph, TsetlinSieve
from bnsieve.metrics import compare

OURS: dict[str, dict[str, Any]] = {"numbers": {}, "cut": {"prepare": Discretizer()}}


@dataclass(frozen=True)
class Job:
    """One fit; `columns` is 0 for a published network, which has its own number."""

    label: str
    program: str
    data: str
    columns: int
    rows: int
    seed: int


def fit(job: Job) -> dict[str, object]:
    """Fit one of our configurations to shuffled columns, and compare with the truth."""
    frame, arrows = sample_of(job.data, job.columns, job.rows, job.seed)
    renamed = shuffled(frame, job.seed)
    learner = TsetlinSieve(random_state=0, **OURS[job.program])
    with threadpool_limits(1), timed() as spent:
        learner.fit(renamed.data)
    truth = Graph(frame.columns.tolist(), arrows)
    seconds = round(spent.processor_seconds, 3)
    found = _measures(renamed.restore(learner.graph_), truth, seconds)
    return run_of(job, {**found, "note": f"{len(learner.numeric_features_)} as numbers"})


_MEASURES = ("f1", "precision", "recall", "shd", "cpu_seconds")


def _measures(graph: Graph, truth: Graph, seconds: float) -> dict[str, object]:
    found = compare(truth, graph)
    values = found.f1, found.precision, found.recall, found.shd, seconds
    return dict(zip(_MEASURES, (round(value, 4) for value in values), strict=True))
