"""A run as plain values, as the command that repeats it, and as a page."""

import math
import shlex
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bnsieve.cli.run.run import RunResult, RunSettings
from bnsieve.report import report_page, versions
from bnsieve.rows import PIPE


def record_of(outcome: RunResult) -> dict[str, Any]:
    """Return what ``run.json`` holds: values that JSON knows."""
    settings, learner = outcome.settings, outcome.learner
    plan = learner.preparation_
    return {
        "command": command(settings),
        "versions": versions(),
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
        "preparation": [column.facts() for column in plan.columns],
        "numbers": list(learner.numeric_features_),
        "cuts": {
            output.name: list(output.cuts) for output in plan.outputs if output.cuts is not None
        },
        "missing": {"cells": dict(learner.n_missing_), "strategy": learner.missing_strategy_},
        "duplicates": dict(getattr(learner, "duplicates_", {})),
        "deterministic": outcome.determinism.to_dict(),
        "examined": list(outcome.examined),
        "graph": {
            "nodes": list(outcome.graph.nodes),
            "support_rows": learner.fit_result_.rows.n_rows,
            "edges": [_plain(asdict(edge) | {"weak": edge.is_weak}) for edge in outcome.edges],
            "left_out": [asdict(edge) for edge in outcome.left_out],
        },
        "suggested_knowledge": None if outcome.suggested is None else outcome.suggested.to_dict(),
        "seconds": {name: round(seconds, 3) for name, seconds in outcome.timings.items()},
    }


def page_of(outcome: RunResult, record: Mapping[str, Any]) -> str:
    """Return the report page of a run."""
    data = outcome.settings.data
    title = "piped rows" if str(data) == PIPE else data.name
    return report_page(outcome, title, record["command"], record)


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
