"""Jobs in, one CSV line per finished run out; a study that was stopped goes on where it was.

A job is a frozen dataclass of plain values. A run is a job's fields and what was measured: a
dataclass derived from the job's, or a mapping. A job that the file has a line of is done.
"""

import csv
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, fields
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

import pandas as pd
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

JobT = TypeVar("JobT")
RunT = TypeVar("RunT")


def left(jobs: Sequence[JobT], path: Path) -> list[JobT]:
    """Return the jobs that the file has no line of yet.

    Raises
    ------
    ValueError
        If the file lacks a column of the jobs: it is from another version of the study.
    """
    if not jobs or not path.exists():
        return list(jobs)
    names = [field.name for field in fields(jobs[0])]  # type: ignore[arg-type]
    with path.open(newline="", encoding="utf-8") as file:
        lines = csv.DictReader(file)
        found = list(lines.fieldnames or [])
        if not set(names) <= set(found):
            raise _other_columns(path, found, names)
        done = {tuple(line[name] for name in names) for line in lines}
    return [job for job in jobs if tuple(str(getattr(job, name)) for name in names) not in done]


def performed(
    jobs: Iterable[JobT],
    perform: Callable[[JobT], RunT],
    n_processes: int = 1,
    minutes: float | None = None,
) -> Iterator[RunT]:
    """Perform jobs and yield each result as soon as it is there, in the order of the jobs.

    Parameters
    ----------
    jobs : iterable
        With one process, the next is asked for when the one before is done.
    perform : callable
        With several processes a function of a module, so that they can find it.
    n_processes : int
    minutes : float, optional
        No job starts later than this after the first; without it all are done.
    """
    end = None if minutes is None else monotonic() + 60 * minutes
    in_time = (job for job in jobs if end is None or monotonic() < end)
    if n_processes == 1:
        yield from map(perform, in_time)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_processes, mp_context=context) as pool:
        # A chunk at a time, so that no job waits in the pool beyond the end.
        while chunk := list(islice(in_time, 4 * n_processes)):
            yield from pool.map(perform, chunk)


def perform_all(
    jobs: Iterable[JobT],
    path: Path,
    perform: Callable[[JobT], RunT],
    n_processes: int = 1,
    minutes: float | None = None,
) -> Iterator[RunT]:
    """Perform jobs as `performed` does; append each run to the file, then yield it."""
    for run in performed(jobs, perform, n_processes, minutes):
        append(path, [run])
        yield run


def perform_left(
    jobs: Sequence[JobT],
    path: Path,
    perform: Callable[[JobT], RunT],
    describe: Callable[[RunT], str],
    n_processes: int = 1,
    minutes: float | None = None,
) -> None:
    """Perform and record what the file has no line of, with a progress bar.

    Parameters
    ----------
    jobs, path, perform, n_processes, minutes
        As for `perform_all`.
    describe : callable
        Says in a few words which run was the last.
    """
    wanted = left(jobs, path)
    columns = [TextColumn("{task.description}"), MofNCompleteColumn(), TimeRemainingColumn()]
    with Progress(*columns) as progress:
        task = progress.add_task("runs", total=len(jobs), completed=len(jobs) - len(wanted))
        for run in perform_all(wanted, path, perform, n_processes, minutes):
            progress.update(task, advance=1, description=describe(run))


def append(path: Path, runs: Iterable[Any]) -> None:
    """Add the lines of runs to a CSV file, which is made if it is not there.

    Raises
    ------
    ValueError
        If the file has other columns: it is from another version of the study.
    """
    lines = [run if isinstance(run, Mapping) else asdict(run) for run in runs]
    if not lines:
        return
    names = list(lines[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    new = not path.exists()
    if not new:
        with path.open(newline="", encoding="utf-8") as file:
            found = next(csv.reader(file), [])
        if found != names:
            raise _other_columns(path, found, names)
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        if new:
            writer.writeheader()
        for line in lines:
            writer.writerow({name: _rounded(value) for name, value in line.items()})


def run_of(job: Any, measures: Mapping[str, object]) -> dict[str, object]:
    """Return a run as a mapping."""
    return {**asdict(job), **measures}


def read_runs(path: Path) -> pd.DataFrame:
    """Return the runs of a file, in the order in which they came."""
    return pd.read_csv(path, dtype={"label": str})


def _other_columns(path: Path, found: list[str], wanted: list[str]) -> ValueError:
    return ValueError(f"{path.name} has the columns {found}, not {wanted}: give another --output")


def _rounded(value: object) -> object:
    return round(value, 6) if isinstance(value, float) else value
