"""Independent numbers of many distributions: every edge is wrong.

``python -m benchmarks noise distributions`` learns from 30 independent columns of each of fourteen
distributions, 200 to 20,000 rows. It runs what ``distributions.csv`` has no line of and writes
``distributions.md``. The bar: on average at most 0.1 edges per table. It ends with an error where
the bar is missed.
"""

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks.common.clock import timed
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.common.runs import perform_left, read_runs, run_of
from benchmarks.noise.columns import N_COLUMNS
from bnsieve import TsetlinSieve

SIZES = (200, 500, 2_000, 20_000)
N_SEEDS = 10
BAR = 0.1

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]


def _sparse(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Draw zeros, but for one row in 200 to one in 20."""
    return np.where(rng.random(n) < rng.uniform(0.005, 0.05), rng.normal(size=n), 0.0)


def _heteroscedastic(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    return rng.normal(size=n) * np.exp(rng.normal(size=n))


DISTRIBUTIONS: dict[str, Draw] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "Cauchy": lambda rng, n: rng.standard_cauchy(n),
    "lognormal": lambda rng, n: np.exp(2 * rng.normal(size=n)),
    "half zeros": lambda rng, n: np.where(rng.random(n) < 0.5, 0.0, rng.exponential(size=n)),
    "counts": lambda rng, n: rng.poisson(3.0, n).astype(float),
    "mixed scales": _heteroscedastic,
    "uniform": lambda rng, n: rng.random(n),
    "exponential": lambda rng, n: rng.exponential(size=n),
    "t, 3 degrees": lambda rng, n: rng.standard_t(3, n),
    "two bumps": lambda rng, n: rng.normal(size=n) + 6 * rng.integers(0, 2, n),
    "whole numbers": lambda rng, n: rng.integers(0, 1_000, n).astype(float),
    "beta": lambda rng, n: rng.beta(0.5, 0.5, n),
    "rounded": lambda rng, n: np.round(rng.normal(size=n), 1),
    "zero in 95 to 99.5 %": _sparse,
}


@dataclass(frozen=True)
class Job:
    """One fit of one table."""

    distribution: str
    rows: int
    seed: int


def columns(distribution: str, n_rows: int, seed: int) -> pd.DataFrame:
    """Draw independent columns of one distribution."""
    place = list(DISTRIBUTIONS).index(distribution)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(100 + place, n_rows)))
    draw = DISTRIBUTIONS[distribution]
    return pd.DataFrame({f"noise{i:02}": draw(rng, n_rows) for i in range(N_COLUMNS)})


def perform(job: Job) -> dict[str, object]:
    """Learn from a table."""
    frame = columns(job.distribution, job.rows, job.seed)
    with threadpool_limits(1), timed() as spent, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # columns that say nothing are left out
        learner = TsetlinSieve(random_state=job.seed, n_jobs=1).fit(frame)
    measures = {
        "edges": learner.graph_.n_edges,
        "sure": len(learner.confirmed_edges_),
        "cpu_seconds": spent.processor_seconds,
    }
    return run_of(job, measures)


def report(runs: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return the table, and what is above the bar."""
    sizes = sorted(runs["rows"].unique())
    rows, wrong = [], []
    for name, own in runs.groupby("distribution", sort=False):
        cells = []
        for size in sizes:
            edges = own.loc[own["rows"] == size, "edges"]
            cells.append(f"{edges.mean():.2f} ({len(edges)})" if len(edges) else "")
            if len(edges) and edges.mean() > BAR:
                wrong.append(f"{name}, {size:,} rows: {edges.mean():.2f} edges")
        rows.append([str(name), *cells])
    lines = [
        f"{N_COLUMNS} independent columns of numbers: edges per table on average, in brackets the",
        "number of tables.",
        "",
        *table(["distribution", *(f"{n:,} rows" for n in sizes)], rows),
        "",
        f"Tables: {len(runs)}; edges in all: {runs['edges'].sum()}; sure arrows in all: "
        f"{runs['sure'].sum()}; {runs['cpu_seconds'].sum() / 60:.0f} minutes of processor time.",
        "",
        *([f"Above the bar: {'; '.join(wrong)}."] if wrong else ["The bar is met everywhere."]),
    ]
    return lines, wrong


def main(arguments: list[str]) -> None:
    """Run the study."""
    parser = parser_of("noise", __doc__)
    parser.add_argument("--rows", nargs="+", type=int, choices=SIZES, default=list(SIZES))
    parser.add_argument("--seeds", type=int, default=N_SEEDS)
    asked = parser.parse_args(arguments)
    sizes, n_seeds = ((SIZES[0],), 1) if asked.quick else (asked.rows, asked.seeds)
    jobs = [
        Job(name, rows, seed) for seed in range(n_seeds) for rows in sizes for name in DISTRIBUTIONS
    ]
    path = asked.output / "distributions.csv"
    perform_left(
        jobs, path, perform, lambda run: str(run["distribution"]), asked.jobs, asked.minutes
    )
    lines, wrong = report(read_runs(path))
    given = ["distributions", *arguments]
    write(asked.output / "distributions.md", head("Numbers that are noise", "noise", given) + lines)
    print("\n".join(lines))
    # Of one table an edge proves nothing.
    if wrong and not asked.quick:
        sys.exit("error: the bar is missed")
