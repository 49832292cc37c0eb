"""Jobs in, a CSV file of their outcomes out, each line written as soon as its job is done.

An interrupted study goes on where it stopped: a job whose line the file has is not done again. Jobs
and outcomes are dataclasses, and an outcome's class is derived from its job's.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any, TypeVar

JobT = TypeVar("JobT")
OutcomeT = TypeVar("OutcomeT")


def left(wanted: Sequence[JobT], path: Path) -> list[JobT]:
    """Return the jobs that the file has no line of yet."""
    if not wanted or not path.exists():
        return list(wanted)
    names = _names(wanted[0])
    with path.open(newline="", encoding="utf-8") as file:
        done = {tuple(line[name] for name in names) for line in csv.DictReader(file)}
    return [job for job in wanted if tuple(str(getattr(job, name)) for name in names) not in done]


def perform_all(
    wanted: Iterable[JobT], path: Path, perform: Callable[[JobT], OutcomeT]
) -> Iterator[OutcomeT]:
    """Perform jobs one after another; append each outcome to the file, then yield it."""
    for job in wanted:
        outcome = perform(job)
        append(path, outcome)
        yield outcome


def append(path: Path, outcome: object) -> None:
    """Add the line of an outcome to the file, which is made if it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(_names(outcome))
        writer.writerow(_rounded(outcome))


def _names(value: Any) -> list[str]:
    return [field.name for field in fields(value)]


def _rounded(outcome: Any) -> list[object]:
    return [round(value, 4) if isinstance(value, float) else value for value in astuple(outcome)]
