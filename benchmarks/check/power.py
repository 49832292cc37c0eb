"""How often check finds a change, and names what changed first.

``python -m benchmarks check power`` makes ten kinds of change to 5, 20 or 100 % of 200, 2,000 or
20,000 new rows, of six networks and of a table of numbers and categories. Detected: any section
raises an alarm at the level of 5 %. Right: the first line of the report names the variable that was
changed. With ``--peers CACHE`` other programs get the same batches, in environments that are made
in that folder: frouros and evidently test each column, and DoWhy, which is given the true graph,
attributes the changed mechanisms of the smaller tables. It runs what ``power.csv`` has no line of
and writes ``power.md``.
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
    MECHANISMS,
    TABLES,
    Batch,
    batch_of,
    kinds_of,
    rows_learned_from,
    true_graph,
)
from benchmarks.check.peers import CHANGE_FINDERS, DOWHY, answer_of, version_of
from benchmarks.common.clock import timed
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, included, table, write
from benchmarks.common.runs import perform_left, read_runs, run_of
from bnsieve import TsetlinSieve
from bnsieve.check import Check

SHARES = (0.05, 0.2, 1.0)
SIZES = (200, 2_000, 20_000)
N_SEEDS = 3
OURS = "bnsieve"
PROGRAMS = (OURS, *CHANGE_FINDERS)
GOAL = 0.9
# Between variables of one line.
_OR = " or "
# DoWhy attributes changes of mechanisms; its tests of independence take minutes in larger tables.
_DOWHY_TABLES, _DOWHY_SIZES = ("asia", "cancer", "sachs", "machines"), (200, 2_000)


@dataclass(frozen=True)
class Job:
    """One program on one batch."""

    table: str
    kind: str
    share: float
    rows: int
    seed: int
    program: str


def applies(job: Job) -> bool:
    """Tell whether a program has an answer to a kind of change."""
    return job.program != DOWHY or (
        job.kind in MECHANISMS and job.table in _DOWHY_TABLES and job.rows in _DOWHY_SIZES
    )


@lru_cache(maxsize=16)
def _learner(name: str) -> TsetlinSieve:
    return TsetlinSieve(random_state=0, n_jobs=1).fit(rows_learned_from(name))


def named_by(found: Check) -> list[tuple[str, ...]]:
    """Return what each cause names, in the order of the report, and then the odd rows."""
    rows = found.rows if "rows" in found.changed else ()
    return [*(one.names or (COPIES,) for one in found.causes), *((one.name,) for one in rows)]


def perform(job: Job, peers: Path | None) -> dict[str, object]:
    """Check one batch."""
    batch = batch_of(job.table, job.kind, job.share, job.rows, job.seed)
    with threadpool_limits(1), timed() as spent, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        if job.program == OURS:
            found = _learner(job.table).check(batch.rows)
            is_detected, named = bool(found.changed), named_by(found)
        else:
            assert peers is not None
            named = [(name,) for name in _by_others(job, batch, peers)]
            is_detected = bool(named)
    is_right = is_detected and bool(named) and not batch.right.isdisjoint(named[0])
    first = _OR.join(named[0]) if named else ""
    measures = {"detected": int(is_detected), "right": int(is_right), "first": first}
    return run_of(job, {**measures, "cpu_seconds": spent.processor_seconds})


def _by_others(job: Job, batch: Batch, peers: Path) -> list[str]:
    """Return the variables that another program names, the clearest first."""
    learned = rows_learned_from(job.table)
    numbers = [one for one in learned if learned[one].dtype.kind == "f"]
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder, f"{one}.csv")) for one in ("before", "after")]
        for frame, path in zip((learned, batch.rows), paths, strict=True):
            frame.to_csv(path, index=False)
        request: dict[str, object] = {"before": paths[0], "after": paths[1], "numbers": numbers}
        if job.program == DOWHY:
            graph = true_graph(job.table)
            # The last variable in the graph's order that depends on the changed one.
            after = [min(batch.right)]
            for name in graph.topological_order():
                if not set(graph.parents(name)).isdisjoint(after):
                    after.append(name)
            target = after[-1]
            request |= {"edges": list(graph.directed_edges), "target": target}
        return answer_of(job.program, peers, **request)


def report(runs: pd.DataFrame) -> list[str]:
    """Return the tables."""
    programs = [one for one in PROGRAMS if (runs["program"] == one).any()]
    sizes = [size for size in SIZES if (runs["rows"] == size).any()]
    summary = []
    for program in programs:
        for size in sizes:
            own = runs[(runs["program"] == program) & (runs["rows"] == size)]
            cells = [_cell(own[own["share"] == share]) for share in SHARES]
            if len(own):
                summary.append([program, f"{size:,}", str(len(own)), *cells])
    ours = _detected(runs)
    by_size = [(size, ours[ours["rows"] == size]) for size in sizes]
    told = [
        "A share of the rows of a batch was changed. Each cell has two figures: the share of",
        "batches in which a program detected a change, and the share in which its first line names",
        "what was changed.",
        "",
        *table(
            ["program", "rows", "batches", *(f"{share:.0%} of rows changed" for share in SHARES)],
            summary,
            2,
        ),
        "",
        f"In {ours['right'].mean():.0%} of the {len(ours)} batches in which any program detects a "
        f"change, the first line of bnsieve names it (the goal: {GOAL:.0%}). By size: "
        + ", ".join(f"{own['right'].mean():.0%} at {n:,} rows" for n, own in by_size if len(own))
        + f". This line names {_names_a_line(ours):.2f} variables on average.",
    ]
    if len(programs) > 1:
        told += ["", *_notes(programs)]
    ours_only = runs[runs["program"] == OURS]
    kinds = ["By kind of change, all shares together, bnsieve:", "", *_by_kind(ours_only, sizes)]
    lines = included("all", [*told, "", *kinds])
    for program in programs[1:]:
        own = runs[runs["program"] == program]
        lines += ["", f"## {program}", "", *_by_kind(own, sizes)]
    return [*lines, "", "## Named first by bnsieve", "", *_by_table(ours)]


def _names_a_line(runs: pd.DataFrame) -> float:
    first = runs["first"].dropna()
    return float(1 + first.str.count(_OR).mean())


def _detected(runs: pd.DataFrame) -> pd.DataFrame:
    """Return our runs of the batches in which any program detects a change."""
    keys = ["table", "kind", "share", "rows", "seed"]
    any_detects = runs.groupby(keys)["detected"].transform("max") == 1
    return runs[any_detects & (runs["program"] == OURS)]


def _by_kind(runs: pd.DataFrame, sizes: list[int]) -> list[str]:
    lines = []
    for kind in (*KINDS, "all"):
        own = runs if kind == "all" else runs[runs["kind"] == kind]
        cells = [_cell(own[own["rows"] == size]) for size in sizes]
        if len(own):
            lines.append([kind, str(len(own)), *cells])
    return table(["change", "batches", *(f"{size:,} rows" for size in sizes)], lines)


def _notes(programs: list[str]) -> list[str]:
    """Return how the other programs were used."""
    how = {
        "frouros": "KS and chi2, Bonferroni's correction.",
        "evidently": "`DataDriftPreset` as it comes, each column on its own; it has no test of "
        "mechanisms or copies.",
        DOWHY: "`gcm.distribution_change` with the true graph and a target that shows the change; "
        "changed mechanisms of four tables only.",
    }
    return [f"- {version_of(one)}: {how[one]}" for one in programs if one != OURS]


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
    parser.add_argument("--rows", nargs="+", type=int, choices=SIZES, default=list(SIZES))
    parser.add_argument("--peers", type=Path, metavar="CACHE", help="folder of environments")
    parser.add_argument("--programs", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    asked = parser.parse_args(given)
    programs = (OURS,) if asked.peers is None else asked.programs
    tables: tuple[str, ...] = TABLES
    shares: tuple[float, ...] = SHARES
    n_seeds, sizes = asked.seeds, asked.rows
    if asked.quick:
        tables, shares, n_seeds, sizes = ("asia",), SHARES[2:], 1, [SIZES[1]]
    # A whole round before the next, so that a study that is stopped has all cells.
    jobs = [
        Job(name, kind, share, size, seed, program)
        for seed in range(n_seeds)
        for size in sizes
        for share in shares
        for name in tables
        for kind in kinds_of(name)
        for program in programs
    ]
    jobs = [job for job in jobs if applies(job)]
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
