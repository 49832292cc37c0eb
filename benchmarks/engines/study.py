"""Whether rows give one result from files, databases and clusters, and what each way costs.

``python -m benchmarks engines`` writes two tables, alarm and one of numbers, decimals, dates and
NULLs, and fits each from every way that is installed here: Parquet, DuckDB, polars, PostgreSQL,
Spark, Dask, Ray. It compares graph, score and network with those of the file, and counts processor
seconds of this process, its descendants and the database server. Rows stay in files or streams, as
if they were too large for memory; ``key=`` makes samples equal. Sessions, clients and servers are
open before the first fit, which is cold; the second is warm. It writes ``ways.md`` and
``ways.csv``, and ends with an error if a result differs.
"""

import os
import sys
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.common.stored_rows import rows_stay_in_files
from benchmarks.engines.processes import processor_seconds
from benchmarks.engines.tables import KEY, write_tables
from benchmarks.engines.ways import QUICK, WAYS, MissingError
from bnsieve import TsetlinSieve

ROWS, QUICK_ROWS = 2_000_000, 20_000
FITS = ("cold", "warm")


@dataclass(frozen=True)
class Run:
    """One fit of one table, or why there is none.

    Attributes
    ----------
    table, way, fit : str
    rows : int
    cpu_seconds : float
    edges : int
    same : bool
        Whether graph, score and network are those of the file.
    skipped : str
        The reason, or nothing.
    """

    table: str
    way: str
    fit: str
    rows: int
    cpu_seconds: float = float("nan")
    edges: int = 0
    same: bool = False
    skipped: str = ""


def fit_all(name: str, path: Path, ways: Sequence[str], rows: int, workers: int) -> list[Run]:
    """Fit one table from each way; the first is the file itself."""
    runs: list[Run] = []
    expected: TsetlinSieve | None = None
    for way in ways:
        try:
            with WAYS[way](path, workers) as opened:
                for fit in FITS:
                    pids = (os.getpid(), *opened.servers)
                    before = processor_seconds(*pids)
                    learner = learner_of(opened.engine).fit(opened.data())
                    taken = processor_seconds(*pids) - before
                    expected = expected or learner
                    edges, same = learner.graph_.n_edges, is_same(learner, expected)
                    runs.append(Run(name, way, fit, rows, taken, edges, same))
                    said = "the same" if same else "ANOTHER RESULT"
                    print(f"{name}, {way}, {fit}: {taken:.2f} s, {said}", flush=True)
        except MissingError as reason:
            runs.append(Run(name, way, "", rows, skipped=str(reason)))
            print(f"{name}, {way}: skipped, {reason}", flush=True)
    return runs


def learner_of(engine: str) -> TsetlinSieve:
    """Return the learner of all fits."""
    return TsetlinSieve(random_state=0, n_jobs=1, key=KEY, engine=engine)


def is_same(learner: TsetlinSieve, expected: TsetlinSieve) -> bool:
    """Tell whether two fits agree bit for bit: graph, candidates, score and CPTs."""

    def result(of: TsetlinSieve) -> tuple[Any, ...]:
        return of.graph_, of.candidates_, of.score_, of.network_

    return result(learner) == result(expected)


def report(runs: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return the page, and the ways that gave another result."""
    lines: list[str] = []
    fitted = runs[runs["skipped"] == ""]
    for name, own in fitted.groupby("table", sort=False):
        seconds = own.pivot_table(index="way", columns="fit", values="cpu_seconds", sort=False)
        file = seconds["warm"].iloc[0]
        rows = [
            [
                str(way),
                f"{line['warm']:.1f}",
                f"{line['warm'] / file:.1f}",
                f"{line['cold'] / file:.1f}",
                "yes" if own.loc[own["way"] == way, "same"].all() else "**no**",
            ]
            for way, line in seconds.iterrows()
        ]
        lines += [f"## {name}, {own['rows'].iloc[0]:,} rows, {own['edges'].iloc[0]} edges", ""]
        lines += table(["way", "s, warm", "to the file, warm", "cold", "same result"], rows)
        lines.append("")
    skipped = runs[runs["skipped"] != ""].drop_duplicates("way")
    lines += [
        f"Not measured: {way} ({why})." for way, why in skipped[["way", "skipped"]].to_numpy()
    ]
    wrong = fitted[~fitted["same"]]
    return lines, sorted({f"{run.table}: {run.way}" for run in wrong.itertuples()})


def main(arguments: list[str] | None = None) -> None:
    """Run the study."""
    parser = parser_of("engines", __doc__)
    parser.add_argument("--rows", type=int, help=f"of each table (default: {ROWS:,})")
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), metavar="WAY", help="only these")
    parser.add_argument("--workers", type=int, default=2, help="of each engine (default: 2)")
    options = parser.parse_args(arguments)
    rows = options.rows or (QUICK_ROWS if options.quick else ROWS)
    ways = options.ways or (QUICK if options.quick else list(WAYS))
    ways = list(dict.fromkeys(["Parquet file", *ways]))
    runs: list[Run] = []
    wrong: list[str] = []
    title = head("Rows from files, databases and clusters", "engines", arguments or sys.argv[2:])
    with tempfile.TemporaryDirectory() as folder, rows_stay_in_files(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, path in write_tables(Path(folder), rows).items():
            runs += fit_all(name, path, ways, rows, options.workers)
            frame = pd.DataFrame(map(asdict, runs))
            lines, wrong = report(frame)
            write(options.output / "ways.md", [*title, *lines])
            frame.to_csv(options.output / "ways.csv", index=False)
    if wrong:
        sys.exit(f"another result than from the file: {'; '.join(wrong)}")
