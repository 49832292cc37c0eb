"""Whether rows give one result from files, databases and clusters, and what each way costs.

``python -m benchmarks engines`` writes two tables, alarm and one of numbers, decimals, dates and
NULLs with a tenth of the rows, and fits each from every way that is installed here: Parquet,
DuckDB, polars, PostgreSQL, Spark, Dask, Ray. It compares graph, score and network with those of the
file, and counts processor seconds of this process, its descendants and the database server. Rows
stay in files or streams, as if they were too large for memory; ``key=`` makes samples equal.
Sessions, clients and servers are open before the first fit, which is cold; the others are warm, and
the fastest counts. A way whose first fit takes more than half a minute has one warm fit. Databases
that count inside draw another sample and bin numbers: only their graphs are compared, and only on
alarm. It fits what ``ways.csv`` has no line of, writes ``ways.md``, and ends with an error if a
result differs. ``engines groups``, ``engines flat`` and ``engines own`` are parts of their own.
"""

import os
import sys
import tempfile
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.common.parts import run_part
from benchmarks.common.stored_rows import rows_stay_in_files
from benchmarks.engines.processes import processor_seconds
from benchmarks.engines.tables import KEY, PART, write_tables
from benchmarks.engines.ways import COUNT_INSIDE, QUICK, WAYS, MissingError, Opened
from bnsieve import TsetlinSieve

ROWS, QUICK_ROWS = 2_000_000, 20_000
# Tables of categories only.
COUNTED_INSIDE = ("alarm",)
# The last reads the rows without bnsieve, where a way can.
FITS, READ = ("cold", "warm", "warm"), "read"
_LONG_SECONDS = 30


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
        Whether graph, score and network are those of the file; of counts made inside, the graph.
    differing : int
        Edges of only one of the two graphs.
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
    differing: int = 0
    skipped: str = ""


def fit_way(name: str, path: Path, way: str, workers: int, expected: TsetlinSieve) -> list[Run]:
    """Fit one table from one way."""
    runs: list[Run] = []
    rows = pq.read_metadata(path).num_rows
    try:
        with WAYS[way](path, workers) as opened:
            if opened.counts_inside and name not in COUNTED_INSIDE:
                return runs
            pids = (os.getpid(), *opened.servers)
            times: dict[str, float] = {}
            for fit in FITS:
                if max(times.values(), default=0) > _LONG_SECONDS and fit in times:
                    break
                before = processor_seconds(*pids)
                learner = learner_of(opened).fit(opened.data())
                times[fit] = taken = processor_seconds(*pids) - before
                edges = learner.graph_.n_edges
                same = is_same(learner, expected, opened.counts_inside)
                n = len(edges_of(learner) ^ edges_of(expected))
                runs.append(Run(name, way, fit, rows, taken, edges, same, n))
                said = "the same" if same else "ANOTHER RESULT"
                print(f"{name}, {way}, {fit}: {taken:.2f} s, {said}", flush=True)
            if opened.read is not None:
                before = processor_seconds(*pids)
                opened.read()
                taken = processor_seconds(*pids) - before
                runs.append(Run(name, way, READ, rows, taken, same=True))
    except MissingError as reason:
        runs.append(Run(name, way, "", rows, skipped=str(reason)))
        print(f"{name}, {way}: skipped, {reason}", flush=True)
    return runs


def learner_of(opened: Opened) -> TsetlinSieve:
    """Return the learner of all fits."""
    key = None if opened.counts_inside else KEY
    return TsetlinSieve(random_state=0, n_jobs=1, key=key, engine=opened.engine)


def is_same(learner: TsetlinSieve, expected: TsetlinSieve, counts_inside: bool) -> bool:
    """Tell whether two fits agree bit for bit: graph, candidates, score and CPTs."""
    if counts_inside:
        return learner.graph_ == expected.graph_

    def result(of: TsetlinSieve) -> tuple[Any, ...]:
        return of.graph_, of.candidates_, of.score_, of.network_

    return result(learner) == result(expected)


def edges_of(learner: TsetlinSieve) -> set[frozenset[str]]:
    """Return the edges without their directions."""
    graph = learner.graph_
    return {frozenset(edge) for edge in (*graph.directed_edges, *graph.undirected_edges)}


def is_done(runs: pd.DataFrame, name: str, way: str, path: Path) -> bool:
    """Tell whether a way was measured before, with as many rows of a table."""
    if not len(runs):
        return False
    rows = pq.read_metadata(path).num_rows
    same = (runs["table"] == name) & (runs["way"] == way) & (runs["rows"] == rows)
    return bool((same & (runs["skipped"] == "")).any())


def report(runs: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return the page, and the ways that gave another result."""
    lines: list[str] = []
    fitted = runs[runs["skipped"] == ""]
    for (name, n_rows), own in fitted.groupby(["table", "rows"], sort=False):
        fastest = own.groupby(["way", "fit"], sort=False)["cpu_seconds"].min()
        seconds = fastest.unstack(sort=False).reindex(columns=["cold", "warm", READ])
        file = seconds["warm"].iloc[0]
        rows = [
            [
                str(way),
                _figure(line["warm"]),
                _figure(line["warm"] / file),
                f"{line['cold'] / file:.1f}",
                _figure(line["warm"] / line[READ]),
                _sameness(own[own["way"] == way]),
            ]
            for way, line in seconds.iterrows()
        ]
        lines += [f"## {name}, {n_rows:,} rows, {own['edges'].iloc[0]} edges", ""]
        titles = ["way", "s, warm", "to the file, warm", "cold", "to reading alone", "same result"]
        lines += table(titles, rows)
        lines.append("")
    if fitted["way"].isin(COUNT_INSIDE).any():
        lines += [
            "Databases that count inside draw a sample by the MD5 of the key, a fit of the file by "
            "the number of the row. From another sample, candidates and graph may differ.",
            "",
        ]
    skipped = runs[runs["skipped"] != ""].drop_duplicates("way")
    lines += [
        f"Not measured: {way} ({why})." for way, why in skipped[["way", "skipped"]].to_numpy()
    ]
    wrong = fitted[~fitted["same"] & ~fitted["way"].isin(COUNT_INSIDE)]
    return lines, sorted({f"{run.table}: {run.way}" for run in wrong.itertuples()})


def _sameness(runs: pd.DataFrame) -> str:
    if runs["same"].all():
        return "yes"
    differing = runs["differing"].max()
    return "**no**" if pd.isna(differing) else f"**no**, edges that differ: {differing:.0f}"


def _figure(number: float) -> str:
    return "" if pd.isna(number) else f"{number:.1f}"


def main(arguments: list[str] | None = None) -> None:
    """Run the study, or a part of it."""
    if run_part("engines", arguments, ("groups", "flat", "own")):
        return
    parser = parser_of("engines", __doc__)
    parser.add_argument("--rows", type=int, help=f"of alarm (default: {ROWS:,})")
    parser.add_argument("--mixed-rows", type=int, help="of the other table (default: a tenth)")
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), metavar="WAY", help="only these")
    parser.add_argument("--workers", type=int, default=2, help="of each engine (default: 2)")
    options = parser.parse_args(arguments)
    rows = options.rows or (QUICK_ROWS if options.quick else ROWS)
    mixed_rows = options.mixed_rows or rows // PART
    ways = options.ways or (QUICK if options.quick else list(WAYS))
    ways = list(dict.fromkeys(["Parquet file", *ways]))
    stored = options.output / "ways.csv"
    runs = (
        pd.read_csv(stored, dtype={"skipped": str}).fillna({"skipped": ""})
        if stored.exists()
        else pd.DataFrame()
    )
    wrong: list[str] = []
    title = head("Rows from files, databases and clusters", "engines", arguments or sys.argv[2:])
    with tempfile.TemporaryDirectory() as folder, rows_stay_in_files(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, path in write_tables(Path(folder), rows, mixed_rows).items():
            left = [way for way in ways if not is_done(runs, name, way, path)]
            expected = learner_of(Opened(lambda: None)).fit(path) if left else None
            for way in left:
                assert expected is not None
                made = fit_way(name, path, way, options.workers, expected)
                runs = pd.concat([runs, pd.DataFrame(map(asdict, made))])
                stored.parent.mkdir(parents=True, exist_ok=True)
                runs.to_csv(stored, index=False)
        lines, wrong = report(runs)
        write(options.output / "ways.md", [*title, *lines])
    if wrong:
        sys.exit(f"another result than from the file: {'; '.join(wrong)}")
