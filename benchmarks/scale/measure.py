"""What a study of scale notes: a `Job` in, a `Measure` of it out."""

import importlib.metadata
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.common.clock import Spent

NAN = float("nan")


@dataclass(frozen=True)
class Job:
    """What is measured.

    Attributes
    ----------
    what : str
        "learning" from files to a network, or "reading" alone.
    network : str
        Where rows are drawn from: a name of the catalogue, or "random".
    rows, columns, files : int
        How much lies in how many files.
    engine : str
        See `bnsieve.engine.open_engine`.
    workers : int
        Threads, or workers of Ray.
    sample_rows : int
        Size of the sample of the first pass.
    repeat : int
        Also the learner's seed.
    """

    what: str
    network: str
    rows: int
    columns: int
    files: int
    engine: str
    workers: int
    sample_rows: int
    repeat: int


@dataclass(frozen=True)
class Measure(Job):
    """A job and what it took.

    Attributes
    ----------
    seconds : float
        By the clock.
    processor_seconds : float
        Of all threads of the process; NaN where other processes did the work.
    peak_mb : float
        Most memory of a process that did nothing else, less what it had after its imports; NaN
        where the process did other things before.
    f1 : float
        Of the skeleton, where one was learned; NaN otherwise.
    detail : str
        More, as JSON: such as seconds by stage, distinct configurations to a table, bytes of files.
    version, date : str
        Of bnsieve, and when.
    """

    seconds: float
    processor_seconds: float
    peak_mb: float
    f1: float
    detail: str
    version: str
    date: str


def measure(
    job: Job, spent: Spent, detail: Mapping[str, float], *, peak_mb: float = NAN, f1: float = NAN
) -> Measure:
    """Put together a job and what it took; processors of Ray's workers are not ours to see."""
    return Measure(
        **asdict(job),
        seconds=spent.seconds,
        processor_seconds=spent.processor_seconds if job.engine == "local" else NAN,
        peak_mb=peak_mb,
        f1=f1,
        detail=json.dumps({key: round(value, 4) for key, value in detail.items()}),
        version=importlib.metadata.version("bnsieve"),
        date=f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
    )


def peak_mb() -> float:
    """Return the most memory that this process ever had, in units of 2^20 bytes.

    Linux's `getrusage` would do but for a trap: a process starts with the peak of the one that
    started it.
    """
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text(encoding="utf-8").splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 2**10
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)
