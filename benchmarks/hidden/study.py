"""How close graphs come to the truth when variables are hidden, and whether marks tell of these.

    python -m benchmarks hidden                         (bnsieve alone)
    python -m benchmarks hidden --peers CACHE           (Tetrad and causal-learn too)
    python -m benchmarks hidden tetrad CACHE            (our PAGs and files, read by Tetrad)

A tenth of a network's variables is hidden and 5,000 rows are drawn, columns shuffled. The PAG of
bnsieve's DAG, and those of other programs, are compared with the true PAG. CACHE is a folder for
virtual environments, made by pip where they are missing. Runs that ``runs.csv`` has are not
repeated; ``report.md`` is written from it.
"""

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.common.clock import timed
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.common.parts import run_part
from benchmarks.common.peer_learners import learn_all
from benchmarks.common.runs import perform_left, read_runs, run_of
from benchmarks.hidden.judging import judge, marks_of
from benchmarks.hidden.samples import HiddenSample, sample_of
from bnsieve import TsetlinSieve
from bnsieve.table import Table

ROWS = 5_000
# Programs are compared on the first three; whether marks mean anything is asked on all.
COMPARED, N_COMPARED = ("child", "alarm", "insurance"), 2
NETWORKS, N_SAMPLES = (*COMPARED, "water", "hailfinder", "win95pts", "hepar2"), 3
OURS = "bnsieve"
# Tool, algorithm and settings of the other programs.
PEERS = {
    "Tetrad, BOSS to PAG": ("tetrad", "BOSS to PAG", ""),
    "Tetrad, BOSS-FCI": ("tetrad", "BOSS-FCI", "alpha=0.01 depth=4"),
    "Tetrad, FCIT": ("tetrad", "FCIT", "alpha=0.01 depth=4"),
    "Tetrad, GFCI": ("tetrad", "GFCI", "alpha=0.01 depth=4"),
    "Tetrad, FCI": ("tetrad", "FCI", "alpha=0.01 depth=4"),
    "Tetrad, RFCI": ("tetrad", "RFCI", "alpha=0.01 depth=4"),
    "causal-learn, FCI": ("causallearn", "FCI", "test=gsq alpha=0.01 depth=4"),
}


@dataclass(frozen=True)
class Job:
    """One program on one sample of one network, numbered from 0."""

    program: str
    network: str
    rows: int
    sample: int


def jobs_of(quick: bool, with_peers: bool) -> list[Job]:
    """Return the runs of the study, those in which programs are compared first."""
    if quick:
        return [Job(OURS, "child", 1_000, 0)]
    programs = [OURS, *(PEERS if with_peers else ())]
    compared = [
        Job(program, network, ROWS, sample)
        for program in programs
        for sample in range(N_COMPARED)
        for network in COMPARED
    ]
    all_ours = (Job(OURS, network, ROWS, i) for i in range(N_SAMPLES) for network in NETWORKS)
    return [*compared, *(job for job in all_ours if job not in compared)]


def perform(job: Job, cache: Path | None = None, limit: int = 600) -> dict[str, object]:
    """Learn a PAG and judge it; that of a program that failed or took too long has no edges."""
    sample = sample_of(job.network, job.rows, job.sample)
    if job.program == OURS:
        with threadpool_limits(1), timed() as spent:
            dag = TsetlinSieve(random_state=0, n_jobs=1).fit(sample.rows.data).dag_
            edges = sample.rows.restore(dag).to_pag().edges
        about = {"cpu_seconds": spent.processor_seconds, "status": "ok", "version": ""}
    elif cache is not None:
        edges, about = _by_peer(job.program, sample, cache, limit)
    return run_of(job, judge(sample, marks_of(edges)) | about)


def _by_peer(
    program: str, sample: HiddenSample, cache: Path, limit: int
) -> tuple[tuple[tuple[str, str, str], ...], dict[str, object]]:
    tool, algorithm, settings = PEERS[program]
    codes = Table.from_data(sample.rows.data)
    (found,) = learn_all(tool, [(algorithm, settings)], codes.codes.T, cache, limit)
    names = [sample.rows.names[name] for name in codes.names]
    edges = tuple((names[a], marks, names[b]) for a, marks, b in found.marked)
    cost = {"cpu_seconds": found.cpu_seconds, "status": found.status[:80]}
    return edges, cost | {"version": found.version}


def report(runs: pd.DataFrame) -> list[str]:
    """Return the table of programs, and that of marks."""
    return ["## Programs", "", *_programs(runs), "", "## Marks", "", *_marks(runs)]


def _programs(runs: pd.DataFrame) -> list[str]:
    both = runs[runs.network.isin(COMPARED) & (runs["sample"] < N_COMPARED)]
    rows = []
    for program, own in both.groupby("program", sort=False):
        ended = own[own.status == "ok"]
        n_double, n_failed = ended.double.sum(), len(own) - len(ended)
        failed = f" ({n_failed} of {len(own)} failed)" if n_failed else ""
        right = f"{ended.right_double.sum()} of {n_double}" if n_double else "none drawn"
        measures = [f"{ended.f1.mean():.3f}", f"{ended.distance.mean():.1f}", right]
        rows.append([f"{program}{failed}", *measures, f"{ended.cpu_seconds.mean():.1f}"])
    truth = both[both.program == OURS].true_double.sum()
    titles = ["program", "adjacency F1", "endpoint distance", "right bidirected edges", "seconds"]
    return [
        "<!-- --8<-- [start:programs] -->",
        *table(titles, rows),
        "",
        f"Means over {both[['network', 'sample']].drop_duplicates().shape[0]} samples, failed runs "
        f"left out. The true graphs have {truth} bidirected edges.",
        "<!-- --8<-- [end:programs] -->",
    ]


def _marks(runs: pd.DataFrame) -> list[str]:
    rows = []
    for program, own in runs.groupby("program", sort=False):
        counts = own[["visible", "visible_hidden", "others", "others_hidden"]].sum()
        rows.append(
            [
                str(program),
                f"{own.network.nunique()}",
                f"{counts.visible:,}",
                _share(counts.visible_hidden, counts.visible),
                f"{counts.others:,}",
                _share(counts.others_hidden, counts.others),
            ]
        )
    titles = ["program", "networks", "marked edges", "with a hidden cause", "other edges"]
    return [
        "<!-- --8<-- [start:marks] -->",
        *table([*titles, "with a hidden cause"], rows),
        "<!-- --8<-- [end:marks] -->",
    ]


def _share(part: int, of: int) -> str:
    return f"{part / of:.1%}".replace("%", " %") if of else ""


def main(arguments: list[str] | None = None) -> None:
    if run_part("hidden", arguments, ["tetrad"]):
        return
    parser = parser_of("hidden", __doc__)
    parser.add_argument("--peers", type=Path, metavar="CACHE", help="run other programs too")
    parser.add_argument("--limit", type=int, default=600, help="processor seconds for each run")
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = parser.parse_args(arguments)
    path = asked.output / "runs.csv"
    perform_left(
        jobs_of(asked.quick, asked.peers is not None),
        path,
        partial(perform, cache=asked.peers, limit=asked.limit),
        lambda run: f"{run['program']}: {run['network']}",
        asked.jobs,
        asked.minutes,
    )
    lines = head("Hidden common causes", "hidden", arguments)
    write(asked.output / "report.md", [*lines, *report(read_runs(path))])


if __name__ == "__main__":
    main()
