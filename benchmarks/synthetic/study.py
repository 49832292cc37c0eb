"""Whether synthetic tables look like the original and keep what it says, beside other programs.

``python -m benchmarks synthetic`` learns 2,000 rows of nine made-up tables and five networks, makes
as many, and compares them with held-out rows: types, order, ranges, formats, roles, relations, and
fidelity by our own evaluation. Columns are shuffled. With ``--peers CACHE`` SDV's GaussianCopula
and DataSynthesizer make rows of the same tables, and SDMetrics' quality score judges all programs.
``real rows`` are those learned from: what is reachable. It runs what ``runs.csv`` has no line of
and writes ``report.md``. ``python -m benchmarks synthetic many`` and ``attacks`` are
parts of their own.
"""

import shlex
import sys
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

# Loaded before the time is taken, as the other programs are.
from sklearn import linear_model  # noqa: F401
from threadpoolctl import threadpool_limits

import bnsieve as bn
from benchmarks.common.clock import timed
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, write
from benchmarks.common.parts import run_part
from benchmarks.common.runs import perform_left, read_runs, run_of
from benchmarks.synthetic import peers
from benchmarks.synthetic.report import OURS, REAL, report
from benchmarks.synthetic.shape import (
    beyond_range,
    contradictions,
    implications_of,
    wrong_formats,
    wrong_types,
)
from benchmarks.synthetic.sources import NAMES, Sample, sample_of
from bnsieve.synthesize import Fidelity, fidelity_of
from bnsieve.table.prepare import Preparation

ROWS, N_SEEDS = 2_000, 2
# Of processor time, for each table and program.
SECONDS = 600


@dataclass(frozen=True)
class Job:
    """Rows of one table, made by one program."""

    table: str
    seed: int
    rows: int
    program: str


@dataclass(frozen=True, eq=False)
class Ours:
    """A fit and the rows that it makes."""

    learner: Any
    rows: pd.DataFrame
    seconds: float


@lru_cache(maxsize=2)
def ours(name: str, seed: int, n: int) -> Ours:
    """Learn and draw."""
    sample = sample_of(name, seed, n)
    with timed() as spent:
        learner = bn.TsetlinSieve(random_state=seed, n_jobs=1).fit(sample.training)
        rows = learner.synthesize(n, rare="drawn", random_state=seed)
    return Ours(learner, rows, spent.processor_seconds)


def perform(job: Job, cache: Path | None, limit: int) -> dict[str, object]:
    """Make and judge rows."""
    measures: dict[str, object] = dict.fromkeys(_MEASURES, float("nan"))
    measures |= dict.fromkeys(_TEXTS, "")
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            measures |= _measured(job, cache, limit)
        # Other programs may fail in any way; the next has its turn.
        except Exception as error:
            if job.program == OURS:
                raise
            measures["failed"] = peers.why(error, limit)
    return run_of(job, measures)


_MEASURES = (
    *("seconds", "columns", "left_out", "in_order", "wrong_roles", "implications"),
    *("contradictions", "margins", "pairs", "triples", "real_margins", "real_pairs"),
    *("real_triples", "predicted", "real_predicted", "quality"),
)
_TEXTS = ("wrong_types", "beyond_range", "wrong_formats", "score", "version", "judge", "failed")


def _measured(job: Job, cache: Path | None, limit: int) -> dict[str, object]:
    sample, own = sample_of(job.table, job.seed, job.rows), ours(job.table, job.seed, job.rows)
    if job.program == OURS:
        made, seconds, version = own.rows, own.seconds, bn.__version__
    elif job.program == REAL:
        made, seconds, version = sample.training, float("nan"), ""
    else:
        assert cache is not None
        found = peers.rows_of(job.program, sample, job.seed, cache, limit)
        made, seconds, version = found.rows, found.seconds, found.version
    # All programs are judged by the columns that ours makes: no free text.
    columns = [str(name) for name in own.rows]
    kept = made[[name for name in made if name in columns]]
    fidelity = _fidelity(sample, own, kept, job.seed)
    distances = {one.what: one for one in fidelity.distances}
    implications = implications_of(sample)
    before = bn.prepare(sample.training[[*kept]])
    identifiers = [one.name for one in before.columns if one.role == "identifier"]
    assert fidelity.prediction is not None
    measures = {
        "seconds": seconds,
        "columns": len(columns),
        "left_out": sample.training.shape[1] - len(columns),
        "in_order": [*kept] == [name for name in sample.training if name in columns],
        "wrong_roles": len(wrong_roles(before, bn.prepare(kept.head(job.rows)), kept)),
        "wrong_types": ", ".join(wrong_types(sample, kept)),
        "beyond_range": ", ".join(beyond_range(sample, kept, identifiers)),
        "wrong_formats": ", ".join(wrong_formats(sample, kept)),
        "implications": len(implications),
        "contradictions": contradictions(implications, kept),
        **{what: one.synthetic for what, one in distances.items()},
        **{f"real_{what}": one.real for what, one in distances.items()},
        "predicted": fidelity.prediction.synthetic,
        "real_predicted": fidelity.prediction.real,
        "score": fidelity.prediction.score,
        "version": version,
    }
    if cache is not None:
        measures["quality"], measures["judge"] = peers.quality_of(sample, kept, columns, cache)
    return measures


def wrong_roles(before: Preparation, after: Preparation, names: Iterable[object]) -> list[str]:
    """Return columns that `prepare` finds another role for than for the original."""
    return [name for name in map(str, names) if after[name].role != before[name].role]


def _fidelity(sample: Sample, own: Ours, made: pd.DataFrame, seed: int) -> Fidelity:
    """Compare rows with the held-out ones, beside those learned from; all read by one plan."""
    plan = own.learner.preparation_
    plan = plan.among([name for name in plan.needed if name in own.rows])
    numbers = {output.name for output in plan.outputs if output.is_number}

    def variables(frame: pd.DataFrame) -> pd.DataFrame:
        categories, found = plan.apply(frame), plan.numbers(frame)
        return pd.DataFrame(
            {
                output.name: found.get(output.name, categories[output.name].to_numpy(object))
                for output in plan.outputs
            }
        )

    synthetic, training, held_out = map(variables, (made, sample.training, sample.held_out))
    rng = np.random.default_rng(seed)
    return fidelity_of(synthetic, training, held_out, numbers, sample.target, rng)


def main(arguments: list[str] | None = None) -> None:
    if run_part("synthetic", arguments, ("many", "attacks")):
        return
    given = sys.argv[1:] if arguments is None else arguments
    parser = parser_of("synthetic", __doc__)
    parser.add_argument("--tables", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--rows", type=int, default=ROWS, help=f"default: {ROWS:,}")
    parser.add_argument("--seeds", type=int, default=N_SEEDS, help=f"default: {N_SEEDS}")
    parser.add_argument("--peers", type=Path, metavar="CACHE", help="folder of environments")
    parser.add_argument("--programs", nargs="+", choices=peers.PROGRAMS, default=peers.DEFAULT)
    parser.add_argument(
        "--limit", type=int, default=SECONDS, help="processor seconds of a program for one table"
    )
    asked = parser.parse_args(given)
    if asked.quick:
        asked.tables, asked.rows, asked.seeds = ["hr", "asia"], 1_000, 1
    programs = [OURS, REAL, *(() if asked.peers is None else asked.programs)]
    jobs = [
        Job(name, seed, asked.rows, program)
        for seed in range(asked.seeds)
        for name in asked.tables
        for program in programs
    ]
    path = asked.output / "runs.csv"
    one = partial(perform, cache=asked.peers, limit=asked.limit)
    perform_left(
        jobs, path, one, lambda run: f"{run['table']}, {run['program']}", asked.jobs, asked.minutes
    )
    lines = report(read_runs(path))
    shown = ["CACHE" if word == str(asked.peers) else shlex.quote(word) for word in given]
    write(asked.output / "report.md", head("Synthetic rows", "synthetic", shown) + lines)
    print("\n".join(lines))
