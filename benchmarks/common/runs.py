"""Jobs in, one CSV line per finished run out; a study that was stopped goes on where it was.

A job is a frozen dataclass of plain values, of which one is the label: which version of the learner
ran. A run is a job's fields and what was measured. A job that the file has a line of is done.
"""

import csv
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from time import monotonic, process_time
from typing import Any, TypeVar

import pandas as pd
from threadpoolctl import threadpool_limits

JobT = TypeVar("JobT")
ResultT = TypeVar("ResultT")


@dataclass
class Timer:
    """Processor seconds of the block that `processor_time` opened, once it is left."""

    seconds: float = 0.0


@contextmanager
def processor_time() -> Iterator[Timer]:
    """Measure the processor seconds of this process, with numerical libraries on one thread."""
    timer = Timer()
    with threadpool_limits(1):
        start = process_time()
        yield timer
        timer.seconds = process_time() - start


def left(jobs: Sequence[JobT], path: Path) -> list[JobT]:
    """Return the jobs that the file has no line of yet."""
    if not jobs or not path.exists():
        return list(jobs)
    names = _names(jobs[0])
    with path.open(newline="", encoding="utf-8") as file:
        done = {tuple(line[name] for name in names) for line in csv.DictReader(file)}
    return [job for job in jobs if tuple(str(getattr(job, name)) for name in names) not in done]


def performed(
    jobs: Sequence[JobT],
    perform: Callable[[JobT], ResultT],
    n_processes: int = 1,
    minutes: float | None = None,
) -> Iterator[tuple[JobT, ResultT]]:
    """Perform jobs and yield each with its result as soon as it is done.

    Parameters
    ----------
    jobs : sequence
    perform : callable
        A function of a module, so that other processes can find it.
    n_processes : int
        Results come in the order of the jobs whatever it is.
    minutes : float, optional
        No job starts later than this after the first; without it all are done.
    """
    end = None if minutes is None else monotonic() + 60 * minutes
    in_time = (job for job in jobs if end is None or monotonic() < end)
    if n_processes == 1:
        for job in in_time:
            yield job, perform(job)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_processes, mp_context=context) as pool:
        # A chunk at a time, so that no job waits in the pool beyond the end.
        while chunk := [job for _, job in zip(range(4 * n_processes), in_time, strict=False)]:
            yield from zip(chunk, pool.map(perform, chunk), strict=True)


def append(path: Path, lines: Iterable[Mapping[str, object]]) -> None:
    """Add lines to a CSV file, which is made if it is not there.

    Raises
    ------
    ValueError
        If the file has other columns: it is from another version of the study.
    """
    lines = list(lines)
    if not lines:
        return
    names = list(lines[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            found = next(csv.reader(file), [])
        if found != names:
            raise ValueError(
                f"{path.name} has the columns {found}, not {names}: give another --output"
            )
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        if new:
            writer.writeheader()
        for line in lines:
            writer.writerow({name: _rounded(value) for name, value in line.items()})


def run_of(job: Any, measures: Mapping[str, object]) -> dict[str, object]:
    """Return the line of a run."""
    return {**asdict(job), **measures}


def read_runs(path: Path) -> pd.DataFrame:
    """Return the runs of a file, labels in the order in which they came."""
    return pd.read_csv(path, dtype={"label": str})


def _names(job: Any) -> list[str]:
    return [field.name for field in fields(job)]


def _rounded(value: object) -> object:
    return round(value, 6) if isinstance(value, float) else value
