"""Attacks of anonymeter on synthetic rows, beside other programs.

``python -m benchmarks synthetic attacks --peers CACHE`` learns 2,000 rows of three made-up tables,
makes as many, and lets anonymeter attack them: singling out (a guess that fits one training row
only), linkability (which two halves of a row belong together) and inference (a column from all
others). Held-out rows, which no program has seen, are the control. It runs what ``attacks.csv`` has
no line of and writes ``attacks.md``.
"""

import json
import shlex
import sys
import tempfile
import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from threadpoolctl import threadpool_limits

import bnsieve as bn
from benchmarks.common.environments import python_of
from benchmarks.common.limited import limited
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, included, table, write
from benchmarks.common.runs import perform_left, read_runs, run_of
from benchmarks.synthetic import peers
from benchmarks.synthetic.report import OURS
from benchmarks.synthetic.sources import NAMES, Sample, sample_of
from benchmarks.synthetic.study import SECONDS, ours

ANONYMETER = ("anonymeter==1.1.0",)
TABLES, ROWS, ATTACKS = ("churn", "hr", "survey"), 2_000, 200
PROGRAMS = (OURS, "SDV GaussianCopula", peers.SYNTHPOP)
KINDS = ("singling out", "linkability", "inference")
_WORKER = Path(__file__).with_name("attack_worker.py")
_USED = ("category", "code", "quantity")


@dataclass(frozen=True)
class Job:
    """Attacks on rows of one table, made by one program."""

    table: str
    seed: int
    rows: int
    attacks: int
    program: str


def perform(job: Job, cache: Path) -> dict[str, object]:
    """Make rows and attack them."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sample = sample_of(job.table, job.seed, job.rows)
        if job.program == OURS:
            made = ours(job.table, job.seed, job.rows).rows
        else:
            made = peers.rows_of(job.program, sample, job.seed, cache, SECONDS).rows
        found = _attacked(job, sample, made, cache)
    measures = {f"{kind} {what}": figure for kind in KINDS for what, figure in found[kind].items()}
    return run_of(job, {**measures, "version": found["version"]})


def _attacked(job: Job, sample: Sample, made: pd.DataFrame, cache: Path) -> dict[str, Any]:
    roles = {one.name: one.role for one in bn.prepare(sample.training).columns}
    names = [name for name in map(str, sample.training) if roles[name] in _USED and name in made]
    frames = {"training": sample.training, "held_out": sample.held_out, "made": made}
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: str(Path(folder, f"{name}.parquet")) for name in frames}
        for name, frame in frames.items():
            frame[names].to_parquet(paths[name])
        task = {**paths, "secret": sample.target, "attacks": job.attacks, "seed": job.seed}
        path = Path(folder, "job.json")
        path.write_text(json.dumps(task), encoding="utf-8")
        python = python_of("anonymeter", ANONYMETER, cache)
        printed = limited([str(python), str(_WORKER), str(path)], SECONDS)
    found: dict[str, Any] = json.loads(printed.strip().splitlines()[-1])
    return found


def report(runs: pd.DataFrame) -> list[str]:
    """Return a line for each table and program."""
    lines = [
        [
            run["table"],
            run["program"],
            *(
                f"{run[f'{kind} risk']:.2f} [{run[f'{kind} low']:.2f}, {run[f'{kind} high']:.2f}]"
                for kind in KINDS
            ),
        ]
        for run in runs.to_dict("records")
    ]
    first = runs.iloc[0]
    return [
        f"{first['rows']:,} rows to learn from, as many made, as many held out as the control; "
        f"{first['attacks']:,} attacks of each kind; anonymeter {first['version']}.",
        "",
        "Risk: how much more often an attack on training rows succeeds than one on held-out rows, "
        "as a share of the attacks that could; with its 95 % interval.",
        "",
        *included("attacks", table(["table", "program", *KINDS], lines, 2)),
    ]


def main(arguments: list[str] | None = None) -> None:
    """Run the study."""
    given = sys.argv[3:] if arguments is None else arguments
    parser = parser_of("synthetic attacks", __doc__)
    parser.add_argument("--tables", nargs="+", choices=NAMES, default=list(TABLES))
    parser.add_argument("--programs", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--peers", type=Path, metavar="CACHE", required=True, help="environments")
    asked = parser.parse_args(given)
    jobs = [
        Job(one, 0, ROWS, ATTACKS, program) for one in asked.tables for program in asked.programs
    ]
    path = asked.output / "attacks.csv"
    perform_left(
        jobs,
        path,
        partial(perform, cache=asked.peers),
        lambda run: f"{run['table']}, {run['program']}",
        asked.jobs,
        asked.minutes,
    )
    lines = report(read_runs(path))
    shown = ["CACHE" if word == str(asked.peers) else shlex.quote(word) for word in given]
    page = head("Attacks on synthetic rows", "synthetic attacks", shown)
    write(asked.output / "attacks.md", [*page, *lines])
    print("\n".join(lines))
