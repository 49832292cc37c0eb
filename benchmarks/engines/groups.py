"""Edges where small groups of rows may not leave a database that counts.

``python -m benchmarks engines groups`` draws 200,000 rows of three networks, learns each in DuckDB
with ``min_count`` 0, 5 and 10, and compares the edges with those of the network. It fits what
``groups.csv`` has no line of, and writes ``groups.md``.
"""

import sys
import warnings
from dataclasses import dataclass
from functools import lru_cache

import pandas as pd
import pyarrow as pa

from benchmarks.common.clock import timed
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, included, table, write
from benchmarks.common.runs import perform_left, read_runs
from bnsieve import Graph, TsetlinSieve, load_network
from bnsieve.rows import SqlTable

NETWORKS, LEAST = ("alarm", "hepar2", "insurance"), (0, 5, 10)
ROWS, SEEDS = 200_000, 2


@dataclass(frozen=True)
class Job:
    """One fit."""

    network: str
    rows: int
    seed: int
    min_count: int


@dataclass(frozen=True)
class Run(Job):
    """A fit and what it found.

    Attributes
    ----------
    true_edges, missed, false_edges : int
        Edges of the network, those that were not found, and those found that are not in it.
    seconds : float
    """

    true_edges: int
    missed: int
    false_edges: int
    seconds: float


@lru_cache(maxsize=1)
def rows_of(network: str, rows: int, seed: int) -> pa.Table:
    """Draw rows."""
    frame = load_network(network).sample(rows, random_state=seed)
    return pa.table({name: pa.array(frame[name].astype(str), pa.string()) for name in frame})


def perform(job: Job) -> Run:
    """Fit a table in DuckDB."""
    import duckdb

    with duckdb.connect() as connection, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        connection.execute("set threads = 1")
        connection.register("given", rows_of(job.network, job.rows, job.seed))
        connection.execute("create table rows as select * from given")
        counted = SqlTable(connection, "select * from rows", min_count=job.min_count)
        with timed() as spent:
            learner = TsetlinSieve(random_state=job.seed, n_jobs=1).fit(counted)
    true, found = _edges(load_network(job.network).graph), _edges(learner.graph_)
    return Run(
        **vars(job),
        true_edges=len(true),
        missed=len(true - found),
        false_edges=len(found - true),
        seconds=spent.processor_seconds,
    )


def _edges(graph: Graph) -> set[frozenset[str]]:
    return {frozenset(edge) for edge in (*graph.directed_edges, *graph.undirected_edges)}


def report(runs: pd.DataFrame) -> list[str]:
    """Return a table: one line for each network and least count, means of the seeds."""
    means = runs.groupby(["network", "min_count"], sort=False, as_index=False).mean()
    of_all = means[means["min_count"] == 0].set_index("network")["false_edges"]
    lines = [
        [
            str(run["network"]),
            f"{run['min_count']}",
            f"{run['true_edges']:.0f}",
            f"{run['missed']:.1f}",
            f"{run['false_edges']:.1f}",
            f"{run['false_edges'] - of_all[run['network']]:+.1f}",
        ]
        for run in means.to_dict("records")
    ]
    titles = ["network", "min_count", "edges", "missed", "false", "false, beside 0"]
    return included("groups", table(titles, lines))


def main(arguments: list[str] | None = None) -> None:
    """Run the study."""
    given = sys.argv[3:] if arguments is None else arguments
    parser = parser_of("engines groups", __doc__)
    parser.add_argument("--networks", nargs="+", default=list(NETWORKS), metavar="NETWORK")
    parser.add_argument("--rows", type=int, default=ROWS, help=f"default: {ROWS:,}")
    parser.add_argument("--seeds", type=int, default=SEEDS, help=f"default: {SEEDS}")
    asked = parser.parse_args(given)
    if asked.quick:
        asked.networks, asked.rows, asked.seeds = ["asia"], 5_000, 1
    jobs = [
        Job(network, asked.rows, seed, least)
        for network in asked.networks
        for seed in range(asked.seeds)
        for least in LEAST
    ]
    path = asked.output / "groups.csv"
    perform_left(
        jobs, path, perform, lambda run: f"{run.network}, {run.min_count}", 1, asked.minutes
    )
    lines = report(read_runs(path))
    rows = f"{asked.rows:,} rows in DuckDB, without a sample; seeds: {asked.seeds}."
    title = head("Groups too small to leave", "engines groups", given)
    write(asked.output / "groups.md", [*title, rows, "", *lines])
    print("\n".join(lines))
