"""A run as plain values, as the command that repeats it, and as the subject of its report."""

import math
import shlex
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bnsieve.cli.run.run import RunResult, RunSettings
from bnsieve.engine import facts
from bnsieve.explain import Determinism, Edge
from bnsieve.learners import StructureLearner, blanket_of, findings_of
from bnsieve.report import Subject
from bnsieve.rows import PIPE


def rows_asked(outcome: RunResult) -> int:
    """Return how many rows score gains and strengths refer to: all, or the sample."""
    return outcome.learner.fit_result_.rows.n_rows


def record_of(outcome: RunResult) -> dict[str, Any]:
    """Return what ``run.json`` holds: values that JSON knows."""
    settings, learner = outcome.settings, outcome.learner
    installation = facts()
    return {
        "command": command(settings),
        "versions": {
            "bnsieve": installation["bnsieve"],
            "python": installation["python"],
            **installation["dependencies"],
        },
        "settings": _plain(asdict(settings)),
        "learner": {
            "class": type(learner).__name__,
            "parameters": {
                name: _plain(value)
                for name, value in learner.get_params(deep=False).items()
                # The first is below, the second a file; threads change nothing.
                if name not in ("prepare", "knowledge", "n_jobs")
            },
            "knowledge": None if learner.knowledge is None else learner.knowledge.to_dict(),
        },
        "data": {
            "files": [asdict(file) for file in outcome.files],
            "rows": outcome.n_rows,
            "columns": list(outcome.columns),
            "remarks": list(outcome.remarks),
        },
        "changes": [asdict(change) for change in outcome.changes],
        "preparation": [column.facts() for column in outcome.preparation.columns],
        "numbers": list(learner.numeric_features_),
        "cuts": {
            output.name: list(output.cuts)
            for output in outcome.preparation.outputs
            if output.cuts is not None
        },
        "missing": {"cells": dict(learner.n_missing_), "strategy": learner.missing_strategy_},
        "duplicates": dict(getattr(learner, "duplicates_", {})),
        "deterministic": outcome.determined.to_dict(),
        "examined": list(outcome.examined),
        "graph": {
            "nodes": list(outcome.graph.nodes),
            "support_rows": rows_asked(outcome),
            "edges": [_plain(asdict(edge) | {"weak": edge.is_weak}) for edge in outcome.edges],
            "left_out": [asdict(edge) for edge in outcome.left_out],
        },
        "suggested_knowledge": None if outcome.suggested is None else outcome.suggested.to_dict(),
        "seconds": {name: round(seconds, 3) for name, seconds in outcome.timings.items()},
    }


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
        Deterministic relations and edges, where they were found before.
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


def command(settings: RunSettings) -> str:
    """Return the command that repeats a run, but for the folder it writes to."""
    words = ["bnsieve", "learn", str(settings.data)]
    options = [
        ("--method", settings.method),
        ("--knowledge", settings.knowledge),
        ("--bootstrap", settings.bootstrap or None),
        ("--target", settings.target),
        ("--seed", settings.seed),
        *(("--drop", name) for name in settings.drop),
        *(("--keep", name) for name in settings.keep),
        *(("--na", text) for text in settings.missing_texts),
        *(("--role", f"{name}={role}") for name, role in settings.roles.items()),
        *(
            ("--cut", f"{name}={','.join(f'{cut:g}' for cut in cuts)}")
            for name, cuts in settings.cut.items()
        ),
        ("--sheet", settings.sheet),
        ("--header-row", settings.header_row),
    ]
    for option, value in options:
        if value is not None:
            words += [option, str(value)]
    return shlex.join(words)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no word for infinity
    return str(value) if isinstance(value, Path) else value
