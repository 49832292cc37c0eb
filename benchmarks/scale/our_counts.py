"""The tables of the second pass by bnsieve, for `duckdb_worker.py` to be compared with.

    python -P benchmarks/scale/our_counts.py FOLDER NEIGHBOURHOODS.json THREADS

The labels are known beforehand, from the first pass, which is not timed. Prints a line of JSON:
version, seconds, processor seconds and the number of configurations.
"""

import json
import sys
import time
from pathlib import Path

import bnsieve
from bnsieve.engine import open_engine
from bnsieve.rows.file_rows import make_plan, scan_all, tally_all
from bnsieve.rows.opening import open_source


def main(folder: str, path: str, threads: str) -> None:
    neighbourhoods = json.loads(Path(path).read_text(encoding="utf-8"))
    with open_source(folder) as source, open_engine("local", int(threads)) as engine:
        plan = make_plan(scan_all(source, 1, 0, engine), neighbourhoods, 1 << 40)
        clock, processor = time.perf_counter(), time.process_time()
        tables = tally_all(source, plan, engine)
        seconds, used = time.perf_counter() - clock, time.process_time() - processor
    answer = {
        "version": bnsieve.__version__,
        "seconds": seconds,
        "processor_seconds": used,
        "configurations": sum(len(table.keys) for table in tables.counted),
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
