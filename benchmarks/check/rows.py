"""How well odd rows are found, and which of their cells is wrong.

``python -m benchmarks check rows`` puts one wrong cell into 1 % of 2,000 new rows: a value that
another row has in the same column, so that it is odd given the rest of its row only. Six networks
and three tables of numbers; every program learns from the same 10,000 rows without mistakes. Rows
are ranked by their scores (average precision). Of the wrong rows that `check` lists, it counts
those whose wrong cell is named. Beside it scikit-learn's IsolationForest, and with ``--peers
CACHE`` pyod's IForest, ECOD and COPOD, all with categories as columns of zeros and ones. It runs
what ``rows.csv`` has no line of and writes ``rows.md``.
"""

import sys
import tempfile
import warnings
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score
from threadpoolctl import threadpool_limits

from benchmarks.check.peers import DETECTORS, answer_of, version_of
from benchmarks.check.sources import N_LEARNED, NETWORKS, rows_of
from benchmarks.common.clock import timed
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, included, table, write
from benchmarks.common.runs import perform_left, read_runs, run_of
from benchmarks.numbers import kinds
from benchmarks.numbers.curved import sample_curved
from bnsieve import TsetlinSieve
from bnsieve.learners.checking import learned_of
from bnsieve.rows import Sampling, open_data

Values = NDArray[np.float64]

# Linear, nonlinear with noise of any shape, and curved with skewed numbers.
NUMBERS = ("linear", "nonlinear", "curved")
TABLES = (*NETWORKS, *NUMBERS)
N_ROWS, SHARE, N_SEEDS = 2_000, 0.01, 3
_N_COLUMNS = 12
OURS, SKLEARN = "bnsieve", "scikit-learn IsolationForest"


@dataclass(frozen=True)
class Job:
    """One program on one batch."""

    table: str
    seed: int
    program: str


@lru_cache(maxsize=4)
def samples(name: str, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return rows to learn from, which depend on the table only, and new ones."""
    if name in NETWORKS:
        return rows_of(name, N_LEARNED, 2_000_000), rows_of(name, N_ROWS, 2_000_001 + seed)
    # One sample in parts: its columns are scaled by all of its rows.
    n = N_LEARNED + N_ROWS * N_SEEDS
    if name == "curved":
        whole, _ = sample_curved(n, 0)
    else:
        whole, _ = kinds.sample("a" if name == "linear" else "b", _N_COLUMNS, n, 0)
    start = N_LEARNED + N_ROWS * seed
    new = whole.iloc[start : start + N_ROWS].reset_index(drop=True)
    return whole.iloc[:N_LEARNED], new


def corrupted(rows: pd.DataFrame, seed: int) -> tuple[pd.DataFrame, dict[int, str]]:
    """Return rows with wrong cells, and the column of each by its row."""
    rng = np.random.default_rng([seed, len(rows)])
    changed, wrong = rows.copy(), dict[int, str]()
    for row in rng.permutation(len(rows))[: round(SHARE * len(rows))].tolist():
        name = str(rng.choice([*map(str, rows)]))
        others = rows[name][rows[name] != rows[name].iloc[row]].to_numpy()
        changed.loc[row, name] = others[rng.integers(len(others))]
        wrong[row] = name
    return changed, wrong


@lru_cache(maxsize=2)
def _learner(name: str) -> TsetlinSieve:
    return TsetlinSieve(random_state=0, n_jobs=1).fit(samples(name, 0)[0])


def scores_of(learner: TsetlinSieve, rows: pd.DataFrame) -> Values:
    """Return how odd each row is: `check` lists the oddest only."""
    result = learner.fit_result_
    learned = learned_of(result, learner.network_)
    with open_data(rows) as data, learner._engine() as engine:
        numbers = bool(result.numeric_features)
        source = data.counts(result.preparation, Sampling(len(rows)), engine, numbers=numbers)
    by_cell = learned.cells.scores(learned.columns_of(source.sample()))
    scores: Values = np.max(list(by_cell.values()), axis=0)
    return scores


def encoded(learned: pd.DataFrame, new: pd.DataFrame) -> tuple[Values, Values]:
    """Return numbers as they are, and a column of zeros and ones for each category."""
    both = pd.get_dummies(pd.concat([learned, new], ignore_index=True), dtype=float).to_numpy()
    return both[: len(learned)], both[len(learned) :]


def perform(job: Job, peers: Path | None) -> dict[str, object]:
    """Rank the rows of one batch."""
    learned, new = samples(job.table, job.seed)
    rows, wrong = corrupted(new, job.seed)
    truth = np.isin(np.arange(len(rows)), list(wrong))
    listed = right = 0
    with threadpool_limits(1), timed() as spent, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        if job.program == OURS:
            learner = _learner(job.table)
            odd = [one for one in learner.check(rows).rows if one.row - 1 in wrong]
            listed = len(odd)
            right = sum(one.name == wrong[one.row - 1] for one in odd)
            scores = scores_of(learner, rows)
        else:
            scores = _of_others(job.program, *encoded(learned, rows), peers)
    precision = float(average_precision_score(truth, scores))
    measures = {"precision": precision, "wrong": len(wrong), "listed": listed, "right": right}
    return run_of(job, {**measures, "cpu_seconds": spent.processor_seconds})


def _of_others(program: str, learned: Values, new: Values, peers: Path | None) -> Values:
    if program == SKLEARN:
        found: Values = -IsolationForest(random_state=0).fit(learned).score_samples(new)
        return found
    assert peers is not None
    with tempfile.TemporaryDirectory() as folder:
        before, after = (str(Path(folder, f"{one}.npy")) for one in ("before", "after"))
        np.save(before, learned)
        np.save(after, new)
        return np.array(answer_of(program, peers, before=before, after=after))


def report(runs: pd.DataFrame) -> list[str]:
    """Return the table."""
    programs = [one for one in (OURS, SKLEARN, *DETECTORS) if (runs["program"] == one).any()]
    titles = ["table", "batches", *programs, "wrong rows listed", "wrong cell named"]
    lines = []
    for name in (*TABLES, "all"):
        own = runs if name == "all" else runs[runs["table"] == name]
        ours = own[own["program"] == OURS]
        if not len(ours):
            continue
        means = own.groupby("program")["precision"].mean()
        listed, right = ours["listed"].sum(), ours["right"].sum()
        lines.append(
            [
                name,
                str(len(ours)),
                *(f"{means[one]:.3f}" if one in means else "" for one in programs),
                f"{listed} of {ours['wrong'].sum()}",
                f"{right} of {listed}",
            ]
        )
    told = [
        f"Of {N_ROWS:,} rows, {SHARE:.0%} have one wrong cell. The table has the average precision",
        "of each program's ranking. A random ranking has the share of wrong rows as its precision.",
        "The last two columns say how many of the wrong rows `check` lists, and in how many of",
        "these it names the wrong cell.",
        "",
        *table(titles, lines),
    ]
    if len(programs) > 2:
        told += ["", f"Beside {version_of(DETECTORS[0])}."]
    return included("all", told)


def main(arguments: list[str] | None = None) -> None:
    given = sys.argv[1:] if arguments is None else arguments
    parser = parser_of("check", __doc__)
    parser.add_argument("--seeds", type=int, default=N_SEEDS, choices=range(1, N_SEEDS + 1))
    parser.add_argument("--peers", type=Path, metavar="CACHE", help="folder of environments")
    asked = parser.parse_args(given)
    programs = [OURS, SKLEARN, *(() if asked.peers is None else DETECTORS)]
    tables: tuple[str, ...] = TABLES
    n_seeds = asked.seeds
    if asked.quick:
        tables, n_seeds = ("asia",), 1
    jobs = [
        Job(name, seed, program)
        for seed in range(n_seeds)
        for name in tables
        for program in programs
    ]
    path = asked.output / "rows.csv"
    one = partial(perform, peers=asked.peers)
    perform_left(jobs, path, one, lambda run: str(run["table"]), asked.jobs, asked.minutes)
    lines = report(read_runs(path))
    shown = ["CACHE" if word == str(asked.peers) else word for word in given]
    title = head("Odd rows found by check", "check rows", shown)
    write(asked.output / "rows.md", title + lines)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
