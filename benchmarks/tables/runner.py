"""One run: a table is made, a program learns from it, and what it found is judged."""

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.common.runs import run_of
from benchmarks.tables.catalogue import TABLES, RealTable, Truth, truth_of
from benchmarks.tables.judging import Judgement, judge
from benchmarks.tables.make import file_of
from benchmarks.tables.reading import ColumnRead, RunRead, read_run
from benchmarks.tables.watch import Watched, watch


@dataclass(frozen=True)
class Job:
    """One table."""

    label: str
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
    path = file_of(table, limits.rows, job.rows, job.form == "parquet")
    try:
        return run_of(job, _learned(table, path, job, limits))
    finally:
        if not limits.keep:
            path.unlink()


def _learned(table: RealTable, path: Path, job: Job, limits: Limits) -> dict[str, object]:
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
    plans = {column: asdict(read) for column, read in found.columns.items()}
    kept = limits.results / "plans" / f"{name}.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(plans, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    judgement = judge(truth, found.sources, found.edges, found.used)
    return _line(done, truth, found, judgement)


def _keep(done: Watched, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(done.out + done.err, encoding="utf-8")


def _line(
    done: Watched,
    truth: Truth,
    found: RunRead | None = None,
    judgement: Judgement | None = None,
) -> dict[str, object]:
    """Return what was measured; empty where there is nothing to measure."""
    columns = found.columns if found else {}
    return {
        "ended": _ending(done),
        "cpu_seconds": done.cpu_seconds,
        "seconds": done.seconds,
        "peak_mb": done.peak_mb,
        "f1": judgement.f1 if judgement else "",
        "n_true": judgement.n_true if judgement else "",
        "n_learned": judgement.n_learned if judgement else "",
        "n_right": judgement.n_right if judgement else "",
        "lost": " | ".join(judgement.lost) if judgement else "",
        "misplaced": " | ".join(judgement.misplaced) if judgement else "",
        "wrong_roles": " | ".join(wrong_roles(truth, columns)),
    }


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
