"""What the report of a run is about."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bnsieve.explain import Determinism, Edge
from bnsieve.learners import StructureLearner, blanket_of, findings_of
from bnsieve.report import Subject
from bnsieve.rows import PIPE


def subject_of(
    learner: StructureLearner,
    record: Mapping[str, Any],
    known: tuple[Determinism, tuple[Edge, ...]] | None = None,
) -> Subject:
    """Return what the page says of a learner and the record of its run.

    Parameters
    ----------
    learner : StructureLearner
        Fitted.
    record : mapping
        What ``run.json`` holds.
    known : (Determinism, tuple of Edge), optional
        What is determined, and the edges, where they were found before.
    """
    target = record["settings"]["target"]
    graph, network = learner.graph_, learner.network_.binned
    if target is not None:
        graph, network = blanket_of(learner, target)
    data = record["settings"]["data"]
    return Subject(
        learner,
        record["data"]["rows"],
        "piped rows" if data == PIPE else Path(data).name,
        record["command"],
        record["versions"],
        graph,
        network,
        record,
        target,
        lambda: findings_of(learner.fit_result_, learner.get_params(deep=False)),
        known,
    )
