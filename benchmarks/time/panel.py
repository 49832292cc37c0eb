"""Large panels in Parquet files: time and memory of a fit over time, beside independent rows.

    python -m benchmarks time panel                        (100,000 and 1,000,000 entities)
    python -m benchmarks time panel --quick                (5,000 entities)

Each entity has 12 months of 20 columns, categories alone or with every third a number, from a known
graph: every variable depends on its own past, and on one other variable at the same time or one
month before. The files are sorted by entity and month, or have their rows in a random order. Each
panel is learned from in four ways: with the keys dropped, as if rows were independent; with
``time=``, ``by=`` and one lag, from sorted and from shuffled files; and with ``every="3mo"``. Every
fit runs in a process that does nothing else, so that the peak of its memory is that of the fit.

``panel.csv`` has a line for each fit; ``panel.md`` is written from it. What the file has is not run
again. Files lie in ``--folder`` while the study runs.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.common.clock import timed
from benchmarks.common.environments import for_children
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.common.runs import perform_left, read_runs, run_of
from benchmarks.scale.measure import peak_mb
from benchmarks.time.study import graph_of
from benchmarks.time.truth import LaggedGraph, judge
from bnsieve import TsetlinSieve, prepare

Values = NDArray[np.float32]

N_MONTHS, N_COLUMNS = 12, 20
N_FILES = 10
N_BURN_IN = 5
GROUP_ROWS = 1 << 18
# Entities that are drawn at a time.
N_BLOCK = 10_000
KINDS = ("categories", "mixed")
WAYS = ("as independent", "over time", "over time, shuffled", "every 3 months")
STATES = np.array(["low", "mid", "high", "top"])
NAMES = [f"v{j:02}" for j in range(N_COLUMNS)]


@dataclass(frozen=True)
class Job:
    """One fit."""

    kind: str
    entities: int
    way: str


def is_number(kind: str, v: int) -> bool:
    """Tell whether a column holds numbers."""
    return kind == "mixed" and v % 3 == 2


def parents() -> dict[int, tuple[int, int]]:
    """Return of each variable the other variable that it depends on, and at which lag."""
    return {v: ((v - 1) // 2, v % 2) for v in range(1, N_COLUMNS)}


def truth() -> LaggedGraph:
    """Return the graph that rows are drawn from."""
    causes = [(cause, v, lag) for v, (cause, lag) in parents().items()]
    own = [(v, v, 1) for v in range(N_COLUMNS)]
    lagged = [*own, *(edge for edge in causes if edge[2])]
    return LaggedGraph.of(lagged, [edge[:2] for edge in causes if not edge[2]])


def next_month(kind: str, before: Values, seed: tuple[int, ...]) -> Values:
    """Draw a month of some entities from the month before: each variable has variance about 1."""
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal(before.shape, dtype=np.float32)
    now = np.empty_like(before)
    for v in range(N_COLUMNS):
        score = 0.6 * before[v] + 0.5 * noise[v]
        if v:
            cause, lag = parents()[v]
            score += 0.6 * (before if lag else now)[cause]
        now[v] = score if is_number(kind, v) else np.clip(np.rint(1.5 * score), -1, 1 + v % 2)
    return now


def columns_of(kind: str, values: Values) -> dict[str, Any]:
    """Return the columns of rows as they are stored."""
    columns: dict[str, Any] = {}
    for v, name in enumerate(NAMES):
        if is_number(kind, v):
            columns[name] = values[v].astype(np.float64)
        else:
            columns[name] = pa.DictionaryArray.from_arrays(values[v].astype(np.int8) + 1, STATES)
    return columns


def write_panel(kind: str, n_entities: int, folder: Path, *, is_shuffled: bool) -> None:
    """Write a panel: sorted by entity and month, or a file for each month in a random order."""
    folder.mkdir(parents=True)
    months = pd.date_range("2024-01-01", periods=N_MONTHS, freq="MS").to_numpy("datetime64[ms]")
    blocks = [
        np.arange(first, min(n_entities, first + N_BLOCK))
        for first in range(0, n_entities, N_BLOCK)
    ]
    state = [np.zeros((N_COLUMNS, len(block)), dtype=np.float32) for block in blocks]
    for step in range(N_BURN_IN):
        state = [next_month(kind, one, (i, step)) for i, one in enumerate(state)]
    if is_shuffled:
        for m, month in enumerate(months):
            state = [next_month(kind, one, (i, N_BURN_IN + m)) for i, one in enumerate(state)]
            order = np.random.default_rng(m).permutation(n_entities)
            whole = np.concatenate(state, axis=1)[:, order]
            keys = {"customer": order, "month": np.full(n_entities, month)}
            rows = pa.table({**keys, **columns_of(kind, whole)})
            pq.write_table(rows, folder / f"{m:02}.parquet", row_group_size=GROUP_ROWS)
        return
    for number, own in enumerate(np.array_split(np.arange(len(blocks)), N_FILES)):
        if not len(own):
            continue
        writer: pq.ParquetWriter | None = None
        for i in own.tolist():
            steps = [state[i]]
            for m in range(N_MONTHS):
                steps.append(next_month(kind, steps[-1], (i, N_BURN_IN + m)))
            values = np.stack(steps[1:], axis=2).reshape(N_COLUMNS, -1)
            keys = {
                "customer": np.repeat(blocks[i], N_MONTHS),
                "month": np.tile(months, len(blocks[i])),
            }
            rows = pa.table({**keys, **columns_of(kind, values)})
            writer = writer or pq.ParquetWriter(folder / f"{number:02}.parquet", rows.schema)
            writer.write_table(rows, row_group_size=GROUP_ROWS)
        assert writer is not None
        writer.close()


def perform(job: Job, folder: Path) -> dict[str, object]:
    """Write the files of a job unless they are there, and measure it in a process of its own."""
    is_shuffled = job.way.endswith("shuffled")
    own = folder / f"{job.kind}-{job.entities}-{'shuffled' if is_shuffled else 'sorted'}"
    if not own.exists():
        for old in folder.iterdir():
            shutil.rmtree(old)
        write_panel(job.kind, job.entities, own, is_shuffled=is_shuffled)
    command = [sys.executable, "-m", __name__, json.dumps(asdict(job)), str(own)]
    done = subprocess.run(command, capture_output=True, text=True, env=for_children())
    if done.returncode:
        raise RuntimeError(f"{job} failed: {done.stderr.strip()[-500:]}")
    return run_of(job, json.loads(done.stdout.splitlines()[-1]))


def measure(job: Job, folder: str) -> dict[str, object]:
    """Learn in this process; return what it took."""
    # Learners import pyarrow by way of this when they first see files: not what the job takes.
    import bnsieve.rows.file_rows  # noqa: F401

    before = peak_mb()
    every = "3mo" if job.way.startswith("every") else None
    with warnings.catch_warnings(), timed() as spent:
        warnings.simplefilter("ignore", UserWarning)  # that rows are alike is what is measured
        if job.way == "as independent":
            plan = prepare(folder, drop=["customer", "month"])
            learner = TsetlinSieve(random_state=0, prepare=plan).fit(folder)
        else:
            learner = TsetlinSieve(
                time="month", by="customer", lags=1, every=every, random_state=0
            ).fit(folder)
    measures: dict[str, object] = {
        "seconds": spent.seconds,
        "processor_seconds": spent.processor_seconds,
        "peak_mb": peak_mb() - before,
        "threads": os.environ.get("OMP_NUM_THREADS", str(os.cpu_count())),
    }
    judged = judge(graph_of(learner), truth()) if job.way.startswith("over") else {}
    chosen = ("lagged_f1", "contemporaneous_f1")
    return measures | {name: judged.get(name, float("nan")) for name in chosen}


def report(runs: pd.DataFrame) -> list[str]:
    """Return the table."""
    cells = []
    for (kind, entities), own in runs.groupby(["kind", "entities"], sort=False):
        alone = own[own["way"] == "as independent"]
        for run in own.itertuples():
            ratio = (
                [f"{getattr(run, name) / alone[name].mean():.2f}" for name in _TIMES]
                if len(alone)
                else ["", ""]
            )
            f1 = [
                "" if np.isnan(value) else f"{value:.2f}"
                for value in map(float, (run.lagged_f1, run.contemporaneous_f1))  # type: ignore[arg-type]
            ]
            shown = [f"{run.seconds:.0f}", f"{run.processor_seconds:.0f}", *ratio]
            cells.append(
                [str(kind), f"{entities:,}", str(run.way), *shown, f"{run.peak_mb:,.0f}", *f1]
            )
    titles = ["columns", "entities", "fit", "seconds", "processor seconds", "ratio"]
    titles += ["ratio of processor seconds", "MB", "lagged F1", "contemporaneous F1"]
    threads = ", ".join(sorted({str(one) for one in runs["threads"]}))
    said = [
        f"Each entity has {N_MONTHS} months of {N_COLUMNS} columns, and every fit used {threads} "
        "threads. Ratios compare a fit with one that treats the same rows as independent. MB is "
        "the peak memory of the process, minus its memory after the imports.",
        "",
    ]
    return ["--8<-- [start:panel]", *said, *table(titles, cells, 3), "--8<-- [end:panel]"]


def main(arguments: list[str] | None = None) -> None:
    """Run what is left, and write the report."""
    given = sys.argv[1:] if arguments is None else arguments
    parser = parser_of("time", __doc__)
    parser.add_argument("--entities", nargs="+", type=int, default=[100_000, 1_000_000])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--folder", type=Path, help="where files lie meanwhile")
    asked = parser.parse_args(given)
    sizes = [5_000] if asked.quick else asked.entities
    jobs = [Job(*one) for one in product(asked.kinds, sizes, asked.ways)]
    path = asked.output / "panel.csv"
    with tempfile.TemporaryDirectory(dir=asked.folder) as name:
        perform_left(
            # One panel after the other, each by the order of its rows.
            sorted(jobs, key=lambda job: (job.kind, job.entities, job.way.endswith("shuffled"))),
            path,
            partial(perform, folder=Path(name)),
            lambda run: f"{run['kind']} {run['entities']:,} {run['way']}",
            minutes=asked.minutes,
        )
    lines = head("Large panels", "time", ["panel", *given])
    # A fit has as many threads as the environment says: the page says how many.
    lines = [
        line.split("; every fit")[0] + "." if "; every fit" in line else line for line in lines
    ]
    lines += report(read_runs(path))
    write(asked.output / "panel.md", lines)
    print("\n".join(lines))


_TIMES = ("seconds", "processor_seconds")

if __name__ == "__main__":
    print(json.dumps(measure(Job(**json.loads(sys.argv[1])), sys.argv[2])))
