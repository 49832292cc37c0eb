"""The files that a run writes into a folder.

They are written to a temporary folder next to it first: whatever is interrupted leaves the folder
as it was. What a killed process leaves there goes at a later run.
"""

import math
import shlex
import signal
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bnsieve.cli.run.run import RunResult, RunSettings, now
from bnsieve.exchange import name_field, write
from bnsieve.explain import Drivers, Edge, EdgeEffect
from bnsieve.graph import MAX_NODES
from bnsieve.learners import MIN_EFFECT
from bnsieve.report import report_page, versions
from bnsieve.rows import PIPE, scratch_folder
from bnsieve.text import write_strict_json, write_whole

GRAPH = "graph.json"
NETWORK = "network.bif"
NUMERIC = "network.json"
MODEL = "learner.bnsieve"
RECORD = "run.json"
REPORT = "report.html"
SUGGESTED = "suggested.json"
DRIVERS = "drivers.csv"
TORNADO = "tornado.svg"
SUMMARY = "summary.svg"
SLICES = "slices.svg"
NAMES = (
    GRAPH,
    NETWORK,
    "network.bif.names.json",
    NUMERIC,
    "edges.csv",
    "graph.svg",
    SUMMARY,
    SLICES,
    DRIVERS,
    TORNADO,
    RECORD,
    SUGGESTED,
    MODEL,
    REPORT,
)


def require_free(folder: Path, force: bool) -> None:
    """Refuse a folder that cannot be written to, or has something in it and may not.

    It is better known before the learning than after.
    """
    there = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    if not there.is_dir():
        raise ValueError(f"{there} is a file: name a folder with -o")
    try:
        tempfile.TemporaryDirectory(dir=there, prefix=".bnsieve-").cleanup()
    except OSError as error:
        raise ValueError(
            f"nothing can be written to {folder} ({error.strerror}): name another folder with -o"
        ) from None
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise ValueError(
            f"the folder {folder} is not empty: name another, or replace the files of an earlier "
            "run in it with --force"
        )


def write_files(outcome: RunResult, record: dict[str, Any], folder: Path) -> tuple[str, ...]:
    """Write the files; return their names.

    There is a network in units if there are numeric variables. A graph too large for a
    picture gets none, knowledge is suggested only if there is some, and the
    names of ``network.bif`` are listed only if some are spelled otherwise in it. What an earlier
    run left under these names goes.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    written: tuple[str, ...] = ()
    try:
        with ExitStack() as last, scratch_folder(folder.parent, f".{folder.name}-") as partial:
            _write_all(outcome, record, partial)
            found = tuple(name for name in NAMES if (partial / name).exists())
            folder.mkdir(exist_ok=True)
            last.enter_context(_undisturbed())
            # The record goes first and comes last: a folder that has one is of one run.
            (folder / RECORD).unlink(missing_ok=True)
            for name in sorted(NAMES, key=lambda name: name == RECORD):
                if name in found:
                    (partial / name).replace(folder / name)
                else:
                    (folder / name).unlink(missing_ok=True)
            written = found
    except KeyboardInterrupt:
        if not written:
            raise
        # It came when all was in place: too late to interrupt anything.
    return written


def _write_all(outcome: RunResult, record: dict[str, Any], folder: Path) -> None:
    write(outcome.graph, folder / GRAPH)
    write(outcome.network, folder / NETWORK)
    if outcome.numeric is not None:
        write(outcome.numeric, folder / NUMERIC)
    write_whole(_edges_text(outcome), folder / "edges.csv")
    if outcome.graph.n_nodes <= MAX_NODES:
        outcome.graph.plot(
            folder / "graph.svg",
            strengths=outcome.strengths,
            confirmed=outcome.learner.confirmed_edges_,
            knowledge=outcome.learner.knowledge_edges_,
            required=[(edge.tail, edge.head) for edge in outcome.edges if edge.required],
            deterministic=outcome.determinism.pairs,
            highlight=[] if outcome.target is None else [outcome.target],
        )
    timeline = outcome.learner.fit_result_.timeline
    if timeline is not None and timeline.has_lags and outcome.graph.n_nodes <= MAX_NODES:
        outcome.graph.over_time().plot(folder / SUMMARY)
        outcome.graph.over_time().plot_slices(folder / SLICES)
    if outcome.drivers is not None:
        write_drivers(outcome.drivers, folder)
    if outcome.suggested is not None:
        write(outcome.suggested, folder / SUGGESTED)
    text = write_strict_json(record, indent=2)
    write_whole(text + "\n", folder / RECORD)
    outcome.learner.save(folder / MODEL)
    write_whole(page_of(outcome, record), folder / REPORT)


def write_drivers(drivers: Drivers, folder: Path) -> tuple[str, ...]:
    """Write the drivers of a target as a table and as a picture; return the names of the files."""
    folder.mkdir(parents=True, exist_ok=True)
    frame = drivers.to_frame()
    lines = [",".join(frame.columns)]
    lines += [",".join(map(_cell, line)) for line in frame.itertuples(index=False)]
    write_whole("\n".join([*lines, ""]), folder / DRIVERS)
    drivers.plot(folder / TORNADO)
    return DRIVERS, TORNADO


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let signals wait that would end the program, so that files of two runs do not mix."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


def _edges_text(outcome: RunResult) -> str:
    """Write the edges, the most reliable first; an undirected edge is listed in both directions."""
    strengths = ",strength,direction" if outcome.strengths is not None else ""
    header = "score_gain,margin,reliability,required,deterministic,size,size_kind,"
    header += "nats_per_row,explained,explained_low,explained_high"
    lines = [f"from,to{strengths},{header}"]
    for edge in outcome.edges:
        directions = [(edge.tail, edge.head, edge.direction)]
        if not edge.directed:
            turned = None if edge.direction is None else 1.0 - edge.direction
            directions.append((edge.head, edge.tail, turned))
        for tail, head, direction in directions:
            cells = [name_field(tail), name_field(head)]
            if strengths:
                # As in bnlearn, an edge that no replicate has points nowhere.
                cells += [_number(edge.strength), _number(direction or 0.0)]
            cells += [_number(_comparable_gain(edge)), _number(edge.margin), edge.reliability]
            cells.append("yes" if edge.required else "no")
            cells.append(name_field(edge.deterministic) if edge.deterministic else "")
            size = edge.size
            cells += ["", ""] if size is None else [_number(size.value), size.kind]
            cells += _effect_cells(edge.effect)
            lines.append(",".join(cells))
    joined = {name for edge in outcome.edges for name in (edge.tail, edge.head)}
    empty = "," * lines[0].count(",")
    lines += [name_field(name) + empty for name in outcome.graph.nodes if name not in joined]
    return "\n".join([*lines, ""])


def _effect_cells(effect: EdgeEffect | None) -> list[str]:
    if effect is None:
        return [""] * 4
    return list(map(_number, (effect.nats, effect.share, effect.share_low, effect.share_high)))


def _comparable_gain(edge: Edge) -> float | None:
    """Return the score gain of an edge if it is of the same score and rows as its margin.

    Without the edge, the best network is no worse than the same network less the edge. So a gain
    below the margin is of another score, or of a sample.
    """
    gain, margin = edge.score_gain, edge.margin
    if gain is None or margin is None or not math.isfinite(margin):
        return gain
    return gain if gain >= margin - 1e-6 * abs(margin) else None


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else _number(value)
    return "" if value is None or value == "" else name_field(str(value))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _time_of(outcome: RunResult) -> dict[str, Any] | None:
    """Return how rows belong together, and the graph of variables with lags on its edges."""
    timeline = outcome.learner.fit_result_.timeline
    if timeline is None:
        return None
    edges = outcome.graph.over_time().edges if timeline.has_lags else ()
    return {
        **_plain(asdict(timeline)),
        "said": timeline.sentences(),
        "edges": [_plain(asdict(edge)) for edge in edges],
    }


def record_of(outcome: RunResult) -> dict[str, Any]:
    """Return what ``run.json`` holds: values that JSON knows."""
    settings, learner = outcome.settings, outcome.learner
    plan, dependence = learner.preparation_, learner.fit_result_.dependence
    return {
        "format": "bnsieve run",
        "version": 1,
        "started": outcome.started,
        "ended": now(),
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
        "dependence": None if dependence is None else asdict(dependence),
        "time": _time_of(outcome),
        "changes": [asdict(change) for change in outcome.changes],
        "preparation": [column.facts() for column in plan.columns],
        "numbers": list(learner.numeric_features_),
        "cuts": {name: list(edges) for name, edges in plan.bin_edges.items()},
        "missing": {"cells": dict(learner.n_missing_), "strategy": learner.missing_strategy_},
        "duplicates": dict(getattr(learner, "duplicates_", {})),
        "deterministic": outcome.determinism.to_dict(),
        "examined": list(outcome.examined),
        "graph": {
            "nodes": list(outcome.graph.nodes),
            "support_rows": learner.fit_result_.rows.n_rows,
            "edges": [_plain(asdict(edge) | {"weak": edge.is_weak}) for edge in outcome.edges],
            "left_out": [_plain(asdict(edge)) for edge in outcome.left_out],
            "small": [_plain(asdict(edge)) for edge in outcome.small],
        },
        "drivers": None if outcome.drivers is None else outcome.drivers.to_dict(),
        "suggested_knowledge": None if outcome.suggested is None else outcome.suggested.to_dict(),
        "seconds": {name: round(seconds, 3) for name, seconds in outcome.timings.items()},
    }


def page_of(outcome: RunResult, record: Mapping[str, Any]) -> str:
    """Return the report page of a run."""
    data = outcome.settings.data
    title = "piped rows" if str(data) == PIPE else data.name
    return report_page(outcome, title, record["command"], record)


# Options that need no naming.
_DEFAULTS = (("bootstrap", 0), ("min_effect", MIN_EFFECT))


def command(settings: RunSettings) -> str:
    """Return the command that repeats a run, but for the folder it writes to."""
    words = ["bnsieve", "learn", str(settings.data)]
    if settings.sql is not None:
        words.insert(2, "--duckdb")
    for name, value in vars(settings).items():
        texts = value if isinstance(value, tuple) else [str(value)]
        if name == "data" or value is None or (name, value) in _DEFAULTS:
            continue
        if name == "cut":
            texts = [f"{column}={','.join(map(_exact, own))}" for column, own in value.items()]
        elif name == "roles":
            texts = [f"{column}={role}" for column, role in value.items()]
        option = {"missing_texts": "na", "roles": "role"}.get(name, name).replace("_", "-")
        words += [word for text in texts for word in (f"--{option}", text)]
    return shlex.join(words)


def _exact(number: float) -> str:
    """Spell a number so that it is read as the same again, and 25 as 25."""
    return repr(float(number)).removesuffix(".0")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no word for infinity
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)
