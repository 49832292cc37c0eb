"""Memory of a fit whose rows come as a stream of Arrow batches.

``python -m benchmarks engines flat`` fits 200,000, 2,000,000 and 20,000,000 rows of alarm, each in
a process of its own. The rows are drawn batch by batch, as text, and pass by once, as those of a
database do. It notes the most memory and the processor seconds beyond drawing. It makes what
``flat.csv`` has no line of, and writes ``flat.md``.
"""

import json
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import pandas as pd
import pyarrow as pa

from benchmarks.common.clock import timed
from benchmarks.common.environments import for_children
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, included, table, write
from benchmarks.common.runs import perform_left, read_runs
from benchmarks.scale.measure import peak_mb
from bnsieve import TsetlinSieve, load_network

SIZES = (200_000, 2_000_000, 20_000_000)
NETWORK, BATCH_ROWS = "alarm", 1 << 16


@dataclass(frozen=True)
class Job:
    """How many rows to fit."""

    rows: int


@dataclass(frozen=True)
class Run(Job):
    """What they took.

    Attributes
    ----------
    mb_before, mb_most : float
        The most memory of the process before the fit, when a batch was drawn, and at the end.
    drawing_seconds, seconds : float
        Processor seconds: of drawing the rows, and of the fit with it.
    edges : int
    """

    mb_before: float
    mb_most: float
    drawing_seconds: float
    seconds: float
    edges: int


class Drawn:
    """Rows of a network, drawn batch by batch."""

    def __init__(self, rows: int) -> None:
        self._network = load_network(NETWORK)
        self._rows = rows
        self.schema = pa.schema([(name, pa.string()) for name in self._network.graph.nodes])
        self.seconds = 0.0

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows once."""
        for first in range(0, self._rows, BATCH_ROWS):
            with timed() as spent:
                n_rows = min(BATCH_ROWS, self._rows - first)
                frame = self._network.sample(n_rows, random_state=first)
                rows = pa.Table.from_pandas(frame, preserve_index=False)
                batch = rows.select(self.schema.names).cast(self.schema).to_batches()[0]
            self.seconds += spent.processor_seconds
            yield batch


def perform(job: Job) -> Run:
    """Fit rows in a process of its own."""
    command = [sys.executable, "-m", __name__, str(job.rows)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=for_children())
    return Run(**json.loads(done.stdout.splitlines()[-1]))


def fit_here(rows: int) -> Run:
    """Fit rows in this process."""
    warnings.simplefilter("ignore")
    next(Drawn(BATCH_ROWS).batches())
    before, drawn = peak_mb(), Drawn(rows)
    reader = pa.RecordBatchReader.from_batches(drawn.schema, drawn.batches())
    with timed() as spent:
        learner = TsetlinSieve(random_state=0, n_jobs=1).fit(reader)
    edges = learner.graph_.n_edges
    return Run(rows, before, peak_mb(), drawn.seconds, spent.processor_seconds, edges)


def report(runs: pd.DataFrame) -> list[str]:
    """Return a table, one line for each number of rows."""
    lines = [
        [
            f"{run['rows']:,}",
            f"{run['mb_before']:,.0f}",
            f"{run['mb_most']:,.0f}",
            f"{run['seconds'] - run['drawing_seconds']:,.0f}",
            f"{run['edges']}",
        ]
        for run in runs.sort_values("rows").to_dict("records")
    ]
    titles = ["rows", "MB before", "MB, most", "s, without drawing", "edges"]
    return included("flat", table(titles, lines, 0))


def main(arguments: list[str] | None = None) -> None:
    """Run the study."""
    given = sys.argv[3:] if arguments is None else arguments
    parser = parser_of("engines flat", __doc__)
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES), metavar="ROWS")
    asked = parser.parse_args(given)
    if asked.quick:
        asked.sizes = [20_000]
    path = asked.output / "flat.csv"
    jobs = [Job(rows) for rows in asked.sizes]
    perform_left(jobs, path, perform, lambda run: f"{run.rows:,} rows", 1, asked.minutes)
    lines = report(read_runs(path))
    title = head("Memory of rows that come as a stream", "engines flat", given)
    write(asked.output / "flat.md", [*title, *lines])
    print("\n".join(lines))


if __name__ == "__main__":
    print(json.dumps(asdict(fit_here(int(sys.argv[1])))))
