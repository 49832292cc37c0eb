"""A job in, its measure out, taken in a process that does nothing else.

Only so is the peak of its memory that of the job: a process's peak never falls. Started by
`in_child` as ``python -m benchmarks.scale.child JOB FOLDER``, with the job as JSON.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common.clock import timed
from benchmarks.common.environments import for_children
from benchmarks.scale.measure import Job, Measure, measure, peak_mb
from benchmarks.scale.rows import GROUP_ROWS, n_bytes, network_of
from bnsieve.engine import Engine, Tell, open_engine
from bnsieve.learners import TsetlinSieve
from bnsieve.metrics import compare


def in_child(job: Job, folder: Path) -> Measure:
    """Measure "learning" or "reading" from a folder of files in a process of its own."""
    command = [sys.executable, "-m", __name__, json.dumps(asdict(job)), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, env=for_children())
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise RuntimeError(
            f"{job.what} {job.rows:,} rows of {job.columns:,} columns failed: {reason}"
        )
    return Measure(**json.loads(done.stdout.splitlines()[-1]))


def measure_here(job: Job, folder: Path) -> Measure:
    """Measure a job in this process."""
    # Learners import pyarrow by way of this when they first see files: not what the job takes.
    import bnsieve.rows.file_rows  # noqa: F401

    before = peak_mb()
    detail = {"bytes": float(n_bytes(folder))}
    if job.what == "reading":
        from benchmarks.common.stored_rows import open_stored

        with (
            timed() as spent,
            open_stored(folder) as source,
            open_engine(job.engine, job.workers) as engine,
        ):
            read_only(source, engine)
        return measure(job, spent, detail, peak_mb=peak_mb() - before)
    learner = TsetlinSieve(
        random_state=job.repeat,
        engine=job.engine,
        n_jobs=job.workers,
        sample_rows=job.sample_rows,
    )
    with timed() as spent:
        learner.fit(folder).network_  # noqa: B018 - the probability tables are part of it
    peak = peak_mb() - before
    detail |= learner.timings_
    result: Any = learner.fit_result_
    if result.counted is not None:
        counted = result.counted.tables[0].counted
        detail["configurations"] = float(np.mean([len(table.keys) for table in counted]))
        detail["trimmed"] = len(result.sieve.trimmed)
    f1 = compare(network_of(job).graph, learner.graph_).f1
    return measure(job, spent, detail, peak_mb=peak, f1=f1)


def read_only(source: Any, engine: Engine) -> int:
    """Read all columns of all rows with pyarrow alone, and count the rows."""
    from bnsieve.rows.passes import split

    paths, names = [file.path for file in source.files], list(source.names)

    def work(part: Sequence[Any], tell: Tell) -> int:
        import pyarrow.parquet as pq

        n_rows = 0
        for path in sorted({paths[chunk.file] for chunk in part}):
            groups = [chunk.group for chunk in part if paths[chunk.file] == path]
            with pq.ParquetFile(path, read_dictionary=names, pre_buffer=False) as file:
                batches = file.iter_batches(GROUP_ROWS, row_groups=groups, use_threads=False)
                n_rows += sum(batch.num_rows for batch in batches)
        return n_rows

    return engine.fold(work, split(source.chunks, engine.n_parts), int.__add__, lambda more: None)


def main(job: str, folder: str) -> None:
    """Print the measure as a line of JSON."""
    print(json.dumps(asdict(measure_here(Job(**json.loads(job)), Path(folder)))))


if __name__ == "__main__":
    main(*sys.argv[1:])
