"""One run: a table is made, a program learns from it, and what it found is judged."""

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from benchmarks.common import peer_learners
from benchmarks.common.limited import limited
from benchmarks.common.runs import run_of
from benchmarks.tables.catalogue import TABLES, RealTable, Truth, complete, truth_of
from benchmarks.tables.judging import Judgement, judge
from benchmarks.tables.make import file_of
from benchmarks.tables.reading import ColumnRead, RunRead, read_run
from benchmarks.tables.recount import Count, counted
from benchmarks.tables.watch import Watched, watch

BNSIEVE, BNLEARN = "bnsieve", "bnlearn tabu"


@dataclass(frozen=True)
class Job:
    """One program on one table."""

    label: str
    program: str
    table: str
    form: str
    rows: int


@dataclass(frozen=True)
class Limits:
    """Where a run is stopped, and where files lie.

    Attributes
    ----------
    seconds : float
        Of the processor.
    megabytes : float
    rows, results : Path
        Folders of the files and of what was found.
    keep : bool
        Whether files stay there after a run.
    """

    seconds: float
    megabytes: float
    rows: Path
    results: Path
    keep: bool


def perform(job: Job, limits: Limits) -> dict[str, object]:
    """Run a job and return its line."""
    table = TABLES[job.table]
    if job.program == BNLEARN:
        return run_of(job, _by_bnlearn(table, job.rows, limits))
    path = file_of(table, limits.rows, job.rows, job.form == "parquet")
    try:
        return run_of(job, _by_bnsieve(table, path, job, limits))
    finally:
        if not limits.keep:
            path.unlink()


def _by_bnsieve(table: RealTable, path: Path, job: Job, limits: Limits) -> dict[str, object]:
    truth = truth_of(table)
    with TemporaryDirectory(dir=limits.rows) as folder:
        out = Path(folder, "network")
        command = [str(Path(sys.executable).parent / "bnsieve"), "learn", str(path.absolute())]
        done = watch([*command, "-o", str(out)], Path(folder), limits.seconds, limits.megabytes)
        name = f"{job.label}-{job.table}-{job.form}-{job.rows}"
        _keep(done, limits.results / "said" / f"{name}.txt")
        if done.code or done.stopped:
            return _line(done, truth)
        found = read_run(out)
    counts = counted(path, found.columns) if job.form == "parquet" else {}
    plans = {column: asdict(read) for column, read in found.columns.items()}
    kept = limits.results / "plans" / f"{name}.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(plans, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    judgement = judge(truth, found.sources, found.edges, found.used)
    return _line(done, truth, found, judgement, counts)


def _keep(done: Watched, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(done.out + done.err, encoding="utf-8")


def _line(
    done: Watched,
    truth: Truth,
    found: RunRead | None = None,
    judgement: Judgement | None = None,
    counts: Mapping[str, Count] | None = None,
) -> dict[str, object]:
    """Return what was measured; empty where there is nothing to measure."""
    columns = found.columns if found else {}
    return {
        "ended": _ending(done),
        "cpu_seconds": done.cpu_seconds,
        "seconds": done.seconds,
        "peak_mb": done.peak_mb,
        "estimated_seconds": _or_blank(found.estimate_seconds if found else None),
        "estimated_mb": _or_blank(found.estimate_mb if found else None),
        "f1": judgement.f1 if judgement else "",
        "n_true": judgement.n_true if judgement else "",
        "n_learned": judgement.n_learned if judgement else "",
        "n_right": judgement.n_right if judgement else "",
        "lost": " | ".join(judgement.lost) if judgement else "",
        "misplaced": " | ".join(judgement.misplaced) if judgement else "",
        "wrong_roles": " | ".join(wrong_roles(truth, columns)),
        "wrong_counts": " | ".join(wrong_counts(columns, counts or {})),
    }


def _or_blank(value: float | None) -> float | str:
    return "" if value is None else value


def _ending(done: Watched) -> str:
    if done.stopped:
        return f"stopped: {done.stopped}"
    if not done.code:
        return "well"
    said = (done.err or done.out).strip().splitlines() or ["nothing"]
    return f"failed: {' '.join(line.strip(' │') for line in said[-4:])}"[:200]


def wrong_roles(truth: Truth, columns: Mapping[str, ColumnRead]) -> list[str]:
    """Return the columns that were taken for something else than they are, with the two roles."""
    return [
        f"{name}: {read.role}, not {truth.roles[name]}"
        for name, read in columns.items()
        if read.role is not None and read.role not in truth.roles[name].split("|")
    ]


def wrong_counts(columns: Mapping[str, ColumnRead], counts: Mapping[str, Count]) -> list[str]:
    """Return the columns whose missing cells or levels are not those of the file."""
    wrong = []
    for name, count in counts.items():
        read = columns[name]
        if read.n_missing not in (None, count.n_missing):
            wrong.append(f"{name}: {read.n_missing} missing, not {count.n_missing}")
        if read.exact and read.n_levels not in (None, count.n_levels):
            wrong.append(f"{name}: {read.n_levels} levels, not {count.n_levels}")
    return wrong


def _by_bnlearn(table: RealTable, n_rows: int, limits: Limits) -> dict[str, object]:
    """Learn from the table that a person prepared: of columns that can be learned from."""
    truth = truth_of(table)
    data = complete(table.prepared(n_rows))
    names = list(data.columns)
    measures: dict[str, object] = dict.fromkeys(_line_names(truth), "")
    with TemporaryDirectory() as folder:
        path = Path(folder, "data.csv")
        pd.DataFrame(data.to_numpy()).add_prefix("v").to_csv(path, index=False)
        script = str(Path(peer_learners.__file__).parent / "bnlearn.R")
        rscript = os.environ.get("RSCRIPT", "Rscript")
        try:
            text = limited([rscript, script, str(path), "tabu", "score=bic"], int(limits.seconds))
        except (TimeoutError, RuntimeError) as error:
            return measures | {"ended": f"failed: {error or 'out of time'}"[:200]}
    first, *lines = text.strip().splitlines()
    arcs = [tuple(names[int(number)] for number in line.split()) for line in lines]
    judgement = judge(truth, {name: name for name in names}, [(a, b) for a, b in arcs])
    return measures | {
        "ended": "well",
        "cpu_seconds": float(first.split()[2]),
        "seconds": float(first.split()[1]),
        "f1": judgement.f1,
        "n_true": judgement.n_true,
        "n_learned": judgement.n_learned,
        "n_right": judgement.n_right,
    }


def _line_names(truth: Truth) -> list[str]:
    return list(_line(Watched(0, "", "", 0.0, 0.0, 0.0, ""), truth))
