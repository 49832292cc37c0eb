"""How fast check goes through large files, beside pyarrow reading them.

``python -m benchmarks check speed`` writes 1,000,000 and 10,000,000 rows of alarm (37 columns) to
Parquet files in a temporary folder. It reads them with pyarrow alone, and checks them with a
learner that was fitted to 10,000 other rows, each in a process of its own and on one thread. It
runs what ``speed.csv`` has no line of and writes ``speed.md``. The bars: check takes at most 3.3
times the processor seconds of reading, and its memory does not grow with the rows.
"""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pandas as pd

from benchmarks.check.speed_child import NETWORK
from benchmarks.common.environments import for_children
from benchmarks.common.limited import ONE_THREAD
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, included, table, write
from benchmarks.common.runs import left, perform_left, read_runs, run_of
from benchmarks.scale.rows import parquet_rows
from bnsieve import load_network

SIZES = (1_000_000, 10_000_000)
N_REPEATS = 3
READING, CHECKING = "reading", "checking"
# Speed of check as a share of the speed of reading.
BAR = 0.3


@dataclass(frozen=True)
class Job:
    """One pass over the files."""

    rows: int
    repeat: int
    what: str


def perform(job: Job, place: Path) -> dict[str, object]:
    """Measure one pass in a process of its own."""
    folder = place / str(job.rows)
    parquet_rows(load_network(NETWORK), job.rows, 1, folder)
    command = [sys.executable, "-m", "benchmarks.check.speed_child", job.what, str(folder)]
    child = {**for_children(), **ONE_THREAD}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=child, check=True)
    return run_of(job, json.loads(done.stdout.splitlines()[-1]))


def report(runs: pd.DataFrame) -> list[str]:
    """Return the table."""
    rows = []
    for size, own in runs.groupby("rows"):
        reading, checking = (own[own["what"] == what] for what in (READING, CHECKING))
        if not len(reading) or not len(checking):
            continue
        read, checked = (part["cpu_seconds"].median() for part in (reading, checking))
        peak = checking["peak_mb"].median()
        cells = [f"{read:.1f}", f"{checked:.1f}", f"{read / checked:.2f}", f"{peak:.0f}"]
        rows.append([f"{size:,}", str(len(checking)), *cells])
    titles = ["rows", "passes", "reading s", "check s", "speed beside reading", "peak of check MB"]
    told = [
        f"Parquet files of {NETWORK} (37 columns), on one thread; medians of processor seconds.",
        f"Reading is pyarrow alone. The bar for the speed beside reading: {BAR}.",
        "",
        *table(titles, rows, None),
    ]
    return included("all", told)


def main(arguments: list[str] | None = None) -> None:
    given = sys.argv[1:] if arguments is None else arguments
    parser = parser_of("check", __doc__)
    parser.add_argument("--rows", nargs="+", type=int, default=list(SIZES))
    parser.add_argument("--repeats", type=int, default=N_REPEATS)
    parser.add_argument("--folder", type=Path, help="where files go, and are deleted again")
    asked = parser.parse_args(given)
    sizes, n_repeats = ((20_000,), 1) if asked.quick else (asked.rows, asked.repeats)
    path = asked.output / "speed.csv"
    jobs = [
        Job(size, repeat, what)
        for size in sizes
        for repeat in range(n_repeats)
        for what in (READING, CHECKING)
    ]
    if left(jobs, path):
        with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
            one = partial(perform, place=Path(folder))
            perform_left(jobs, path, one, lambda run: str(run["what"]), 1, asked.minutes)
    lines = report(read_runs(path))
    shown = ["FOLDER" if word == str(asked.folder) else word for word in given]
    write(asked.output / "speed.md", head("Speed of check", "check speed", shown) + lines)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
