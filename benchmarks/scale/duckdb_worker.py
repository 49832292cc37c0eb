"""The tables of the second pass by DuckDB: one GROUP BY per neighbourhood, from the same files.

Run in an environment of its own that has duckdb; started by `peers.py`, which writes the lists of
column names:

    python -P benchmarks/scale/duckdb_worker.py FOLDER NEIGHBOURHOODS.json THREADS

Prints a line of JSON: version, seconds, processor seconds and the number of configurations.
"""

import json
import sys
import time
from pathlib import Path

import duckdb


def main(folder: str, path: str, threads: str) -> None:
    neighbourhoods = json.loads(Path(path).read_text(encoding="utf-8"))
    connection = duckdb.connect(config={"threads": int(threads)})
    clock, processor = time.perf_counter(), time.process_time()
    n = 0
    for names in neighbourhoods:
        columns = ", ".join(f'"{name}"' for name in names)
        query = f"SELECT {columns}, count(*) FROM '{folder}/*.parquet' GROUP BY {columns}"
        n += connection.execute(f"SELECT count(*) FROM ({query})").fetchone()[0]
    answer = {
        "version": duckdb.__version__,
        "seconds": time.perf_counter() - clock,
        "processor_seconds": time.process_time() - processor,
        "configurations": n,
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
