"""The tables of the second pass by DuckDB: one GROUP BY per neighbourhood, from the same files.

Run in an environment of its own that has duckdb:

    python benchmarks/scale/duckdb_counts.py FOLDER NEIGHBOURHOODS.json [THREADS]

NEIGHBOURHOODS.json is a list of lists of column names (``neighbourhoods.py`` writes it). Prints
seconds, processor seconds and the number of configurations, as JSON.
"""

import json
import sys
import time
from pathlib import Path

import duckdb


def main(folder: str, path: str, threads: int) -> None:
    neighbourhoods = json.loads(Path(path).read_text(encoding="utf-8"))
    connection = duckdb.connect(config={"threads": threads})
    clock, processor = time.perf_counter(), time.process_time()
    n = 0
    for names in neighbourhoods:
        columns = ", ".join(f'"{name}"' for name in names)
        query = f"SELECT {columns}, count(*) FROM '{folder}/*.parquet' GROUP BY {columns}"
        n += connection.execute(f"SELECT count(*) FROM ({query})").fetchone()[0]
    print(
        json.dumps(
            {
                "seconds": time.perf_counter() - clock,
                "processor_seconds": time.process_time() - processor,
                "configurations": n,
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 1)
