"""Reads or checks a folder of Parquet files, in a process that does nothing else.

Started as ``python -m benchmarks.check.speed_child WHAT FOLDER``; prints one line of JSON.
"""

import json
import sys
from pathlib import Path

from benchmarks.check.sources import N_LEARNED, rows_of
from benchmarks.common.clock import timed
from benchmarks.scale.measure import peak_mb
from benchmarks.scale.rows import GROUP_ROWS
from bnsieve import TsetlinSieve

NETWORK = "alarm"
_SEED_LEARNED = 1_000_000


def read(folder: Path) -> int:
    """Read all columns of all rows with pyarrow alone, and count the rows."""
    import pyarrow.parquet as pq

    n_rows = 0
    for path in sorted(folder.glob("*.parquet")):
        with pq.ParquetFile(path, pre_buffer=False) as file:
            n_rows += sum(len(rows) for rows in file.iter_batches(GROUP_ROWS, use_threads=False))
    return n_rows


def main(what: str, path: str) -> None:
    folder = Path(path)
    if what == "reading":
        with timed() as spent:
            n_rows = read(folder)
        changed: tuple[str, ...] = ()
    else:
        learner = TsetlinSieve(random_state=0, n_jobs=1)
        learner.fit(rows_of(NETWORK, N_LEARNED, _SEED_LEARNED))
        with timed() as spent:
            found = learner.check(folder)
        n_rows, changed = found.n_after, found.changed
    measures = {
        "read_rows": n_rows,
        "changed": " ".join(changed),
        "seconds": spent.seconds,
        "cpu_seconds": spent.processor_seconds,
        "peak_mb": peak_mb(),
    }
    print(json.dumps(measures))


if __name__ == "__main__":
    main(*sys.argv[1:])
