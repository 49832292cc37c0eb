"""How often check finds a change, and names what changed first.

``python -m benchmarks check power`` makes ten kinds of change to 5, 20 or 100 % of 2,000 new rows,
of six networks and of a table of numbers and categories. Detected: any section raises an alarm at
the level of 5 %. Right: the first line of the report names the variable that was changed. With
``--peers CACHE`` frouros tests each column of the same batches, in an environment that is made in
that folder. It runs what ``power.csv`` has no line of and writes ``power.md``.
"""

import sys
import tempfile
import warnings
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.check.changes import (
    COPIES,
    KINDS,
    TABLES,
    Batch,
    batch_of,
    kinds_of,
    rows_learned_from,
)
from benchmarks.check.peers import REQUIREMENTS, answer_of
from benchmarks.common.clock import timed
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, included, table, write
from benchmarks.common.runs import perform_left, read_runs, run_of
from bnsieve import TsetlinSieve
from bnsieve.check import Check

SHARES = (0.05, 0.2, 1.0)
N_ROWS = 2_000
N_SEEDS = 3
OURS, PEER = "bnsieve", "frouros"
GOAL = 0.9


@dataclass(frozen=True)
class Job:
    """One program on one batch."""

    table: str
    kind: str
    share: float
    seed: int
    program: str


@lru_cache(maxsize=16)
def _learner(name: str) -> TsetlinSieve:
    return TsetlinSieve(random_state=0, n_jobs=1).fit(rows_learned_from(name))


def named_by(found: Check) -> list[tuple[str, ...]]:
    """Return what each line of the report names, in its order; consequences are left out."""
    schema = sorted(found.schema_changes, key=lambda one: one.p_value)
    mechanisms = [one for one in found.mechanisms if one.changed]
    margins = [one for one in found.margins if one.changed and not one.follows_from]
    rows = found.rows if "rows" in found.changed else ()
    return [
        *((one.name or COPIES,) for one in schema),
        *((one.name,) for one in sorted(mechanisms, key=lambda one: (one.p_value, -one.size))),
        *((one.x, one.y) for one in found.dependence),
        *((one.name,) for one in sorted(margins, key=lambda one: (one.p_value, -one.size))),
        *((one.name,) for one in rows),
    ]


def perform(job: Job, peers: Path | None) -> dict[str, object]:
    """Check one batch."""
    batch = batch_of(job.table, job.kind, job.share, N_ROWS, job.seed)
    with threadpool_limits(1), timed() as spent, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        if job.program == OURS:
            found = _learner(job.table).check(batch.rows)
            is_detected, named = bool(found.changed), named_by(found)
        else:
            assert peers is not None
            named = [(name,) for name in _by_frouros(job.table, batch, peers)]
            is_detected = bool(named)
    is_right = is_detected and bool(named) and not batch.right.isdisjoint(named[0])
    first = " and ".join(named[0]) if named else ""
    measures = {"detected": int(is_detected), "right": int(is_right), "first": first}
    return run_of(job, {**measures, "cpu_seconds": spent.processor_seconds})


def _by_frouros(name: str, batch: Batch, peers: Path) -> list[str]:
    learned = rows_learned_from(name)
    numbers = [one for one in learned if learned[one].dtype.kind == "f"]
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder, f"{one}.csv")) for one in ("before", "after")]
        for frame, path in zip((learned, batch.rows), paths, strict=True):
            frame.to_csv(path, index=False)
        return answer_of(PEER, peers, before=paths[0], after=paths[1], numbers=numbers)


def report(runs: pd.DataFrame) -> list[str]:
    """Return the tables."""
    programs = [one for one in (OURS, PEER) if (runs["program"] == one).any()]
    titles = ["change", "batches"]
    titles += [f"{one}, {share:.0%} of rows" for one in programs for share in SHARES]
    lines = []
    for kind in (*KINDS, "all"):
        own = runs if kind == "all" else runs[runs["kind"] == kind]
        n = int((own["program"] == OURS).sum())
        cells = [
            _cell(own[(own["program"] == one) & (own["share"] == share)])
            for one in programs
            for share in SHARES
        ]
        lines.append([kind, str(n), *cells])
    keys = ["table", "kind", "share", "seed"]
    # Batches that a program was not asked about are left out.
    whole = runs[runs.groupby(keys)["program"].transform("nunique") == len(programs)]
    any_detects = whole.groupby(keys)["detected"].transform("max") == 1
    ours = whole[any_detects & (whole["program"] == OURS)]
    told = [
        f"Changes to a share of {N_ROWS:,} rows. In each cell, the share of batches in which a",
        "change was detected, then the share in which the line that comes first names what was",
        "changed.",
        "",
        *table(titles, lines),
        "",
        f"Of the {len(ours)} batches in which {' or '.join(programs)} detects a change, bnsieve "
        f"names what was changed first in {ours['right'].mean():.0%} (the goal: {GOAL:.0%}).",
    ]
    if PEER in programs:
        told += [f"{REQUIREMENTS[0].replace('==', ' ')}: KS and chi2, Bonferroni's correction."]
    return [*included("all", told), "", *_by_table(ours)]


def _by_table(ours: pd.DataFrame) -> list[str]:
    """Return for each table and kind how many detected changes are named right."""
    rows = []
    for kind in KINDS:
        own = ours[ours["kind"] == kind]
        cells = [
            f"{int(part['right'].sum())} of {len(part)}" if len(part) else ""
            for name in TABLES
            for part in [own[own["table"] == name]]
        ]
        rows.append([kind, *cells])
    return table(["named first", *TABLES], rows)


def _cell(runs: pd.DataFrame) -> str:
    if not len(runs):
        return ""
    return f"{runs['detected'].mean():.0%}, {runs['right'].mean():.0%}"


def main(arguments: list[str] | None = None) -> None:
    given = sys.argv[1:] if arguments is None else arguments
    parser = parser_of("check", __doc__)
    parser.add_argument("--seeds", type=int, default=N_SEEDS)
    parser.add_argument("--peers", type=Path, metavar="CACHE", help="folder of environments")
    asked = parser.parse_args(given)
    programs = (OURS,) if asked.peers is None else (OURS, PEER)
    tables: tuple[str, ...] = TABLES
    shares: tuple[float, ...] = SHARES
    n_seeds = asked.seeds
    if asked.quick:
        tables, shares, n_seeds = ("asia",), SHARES[2:], 1
    # A whole round before the next, so that a study that is stopped has all cells.
    jobs = [
        Job(name, kind, share, seed, program)
        for seed in range(n_seeds)
        for name in tables
        for kind in kinds_of(name)
        for share in shares
        for program in programs
    ]
    path = asked.output / "power.csv"
    one = partial(perform, peers=asked.peers)
    perform_left(jobs, path, one, lambda run: str(run["kind"]), asked.jobs, asked.minutes)
    lines = report(read_runs(path))
    shown = ["CACHE" if word == str(asked.peers) else word for word in given]
    title = head("Power of check", "check power", shown)
    write(asked.output / "power.md", title + lines)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
