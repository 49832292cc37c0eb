"""Time and memory of many synthetic rows.

``python -m benchmarks synthetic many`` learns 20,000 rows of 40 columns: the 37 of alarm, a number,
a date and an identifier. It writes 100,000, 1,000,000 and 10,000,000 rows to a Parquet file, each
in a process of its own, and notes rows per second and the most memory. It makes what ``many.csv``
has no line of, and writes ``many.md``.
"""

import json
import subprocess
import sys
import tempfile
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

import bnsieve as bn
from benchmarks.common.clock import timed
from benchmarks.common.environments import for_children
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, included, table, write
from benchmarks.common.runs import perform_left, read_runs
from benchmarks.scale.measure import peak_mb
from bnsieve.learners import load, synthesizer_of
from bnsieve.synthesize import write_tables

SIZES, LEARNED_FROM = (100_000, 1_000_000, 10_000_000), 20_000


@dataclass(frozen=True)
class Job:
    """How many rows to make."""

    rows: int


@dataclass(frozen=True)
class Run(Job):
    """What they took.

    Attributes
    ----------
    columns : int
    processor_seconds, seconds : float
    learner_mb, peak_mb : float
        The most memory of the process before the first row, and at the end.
    file_mb : float
    """

    columns: int
    processor_seconds: float
    seconds: float
    learner_mb: float
    peak_mb: float
    file_mb: float


def learned(folder: Path) -> Path:
    """Learn the table and save the learner."""
    rng = np.random.default_rng(5)
    frame = bn.load_network("alarm").sample(LEARNED_FROM, random_state=5)
    is_low = (frame["BP"].astype(str) == "LOW").to_numpy()
    frame["weight"] = np.round(rng.normal(70 + 10 * is_low, 12), 1)
    frame["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(
        rng.integers(0, 700, len(frame)), "D"
    )
    frame["case"] = [f"C-{number:07d}" for number in range(len(frame))]
    path = folder / "learner.bns"
    # It says that the identifier is not learned from.
    warnings.simplefilter("ignore")
    bn.TsetlinSieve(random_state=0, n_jobs=1).fit(frame).save(path)
    return path


def perform(job: Job) -> Run:
    """Make rows in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = learned(Path(folder))
        command = [sys.executable, "-m", __name__, str(job.rows), str(path)]
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, env=for_children()
        )
    return Run(**json.loads(done.stdout.splitlines()[-1]))


def make_here(rows: int, path: Path) -> Run:
    """Make rows in this process."""
    synthesizer = synthesizer_of(load(path))
    made = path.with_name("rows.parquet")
    # The first rows find the quantiles of the network.
    list(synthesizer.tables(1, {}, 0))
    before = peak_mb()
    with timed() as spent:
        pieces = synthesizer.tables(rows, {}, 0)
        write_tables(pieces, synthesizer.no_rows(), synthesizer.record, made)
    written = pq.read_metadata(made)
    assert written.num_rows == rows
    return Run(
        rows,
        written.num_columns,
        spent.processor_seconds,
        spent.seconds,
        before,
        peak_mb(),
        made.stat().st_size / 1e6,
    )


def report(runs: pd.DataFrame) -> list[str]:
    """Return a table, one line for each number of rows."""
    lines = [
        [
            f"{run['rows']:,}",
            f"{run['columns']}",
            f"{run['rows'] / run['processor_seconds']:,.0f}",
            f"{run['processor_seconds']:,.0f}",
            f"{run['learner_mb']:,.0f}",
            f"{run['peak_mb']:,.0f}",
            f"{run['file_mb']:,.0f}",
        ]
        for run in runs.sort_values("rows").to_dict("records")
    ]
    titles = ["rows", "columns", "rows per s", "s", "MB before", "MB, most", "MB of the file"]
    return included("many", table(titles, lines, 0))


def main(arguments: list[str] | None = None) -> None:
    """Run the study."""
    given = sys.argv[3:] if arguments is None else arguments
    parser = parser_of("synthetic many", __doc__)
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES), metavar="ROWS")
    asked = parser.parse_args(given)
    if asked.quick:
        asked.sizes = [20_000]
    path = asked.output / "many.csv"
    jobs = [Job(rows) for rows in asked.sizes]
    perform_left(jobs, path, perform, lambda run: f"{run.rows:,} rows", 1, asked.minutes)
    lines = report(read_runs(path))
    write(asked.output / "many.md", [*head("Many rows", "synthetic many", given), *lines])
    print("\n".join(lines))


if __name__ == "__main__":
    print(json.dumps(asdict(make_here(int(sys.argv[1]), Path(sys.argv[2])))))
