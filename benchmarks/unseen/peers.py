"""Other programs on the samples of the study, each in an environment of its own.

    python -m benchmarks unseen peers CACHE [--tools bnlearn pyagrum] [--samples 3] [--rows 2000]

CACHE is a folder for virtual environments, made by pip where they are missing; bnlearn runs if
there is an Rscript that has it, Tetrad if there is a Java. Runs are on one thread, each ended after
LIMIT seconds of processor time. What ``peers.csv`` has is not run again.
"""

import argparse
import csv
import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

from benchmarks.common.environments import has_bnlearn
from benchmarks.common.networks import bnrep_names
from benchmarks.common.options import parser_of
from benchmarks.common.peer_learners import TOOLS, PeerGraph, learn_all
from benchmarks.common.runs import append, performed
from benchmarks.unseen.samples import networks_in_order, sample_of
from bnsieve import Graph
from bnsieve.table import Table

Learner = tuple[str, str]

# The likely best and the fast ones first: a slow one may use up the time.
LEARNERS: dict[str, list[Learner]] = {
    "bnlearn": [
        ("tabu", "score=bic"),
        ("tabu", "score=qnml"),
        ("tabu", "score=bde iss=1"),
        ("tabu", "score=bde iss=10"),
        ("hc", "score=bic"),
        ("hc", "score=qnml"),
        ("hc", "score=bde iss=1"),
        ("mmhc", ""),
        ("h2pc", ""),
        ("hpc", "test=mi-adf alpha=0.01"),
        ("pc.stable", "test=mi-adf alpha=0.05"),
    ],
    "pyagrum": [
        ("GHC", "score=BIC"),
        ("GHC", "score=BDeu"),
        ("tabu", "score=BIC"),
        ("MIIC", "corr=nml"),
        ("MIIC", "corr=mdl"),
    ],
    "tetrad": [
        ("BOSS", "score=bdeu iss=1"),
        ("BOSS", "score=bic"),
        ("FGES", "score=bdeu iss=1"),
    ],
    "causallearn": [
        ("PC", "test=gsq alpha=0.01"),
        ("PC", "test=gsq alpha=0.05"),
        ("BOSS", "score=BDeu"),
        ("GES", "score=BDeu"),
    ],
    "pgmpy": [
        ("HC", "score=bic-d"),
        ("PC", "variant=stable alpha=0.05"),
        ("GES", "score=bic-d"),
    ],
}
# These learn a skeleton only, which has no CPDAG to compare.
SKELETONS = {"hpc"}


class Job(NamedTuple):
    """Learners of one program that are left to run on one sample."""

    tool: str
    network: str
    rows: int
    sample: int
    learners: tuple[Learner, ...]


def main(arguments: list[str] | None = None) -> None:
    """Run what is left, and write the lines of each sample as its runs end."""
    parser = parser_of("unseen", __doc__)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--tools", nargs="+", choices=LEARNERS)
    parser.add_argument("--networks", nargs="+", choices=bnrep_names(), metavar="NAME")
    parser.add_argument("--rows", nargs="+", type=int, default=[500, 2_000, 10_000])
    parser.add_argument("--samples", type=int, default=1, help="samples of each network and size")
    parser.add_argument("--subset", type=int, help="only the first networks in the study's order")
    parser.add_argument("--learners", type=int, help="only the first so many of each program")
    parser.add_argument("--limit", type=int, default=60, help="processor seconds for each run")
    options = parser.parse_args(arguments)
    path = options.output / "peers.csv"
    for lines in performed(
        _left(options, path),
        lambda job: perform(job, options.cache, options.limit),
        minutes=options.minutes,
    ):
        append(path, lines)
        one = lines[0]
        print(one["tool"], one["network"], one["rows"], one["sample"], one["f1"], flush=True)


def _left(options: argparse.Namespace, path: Path) -> Iterator[Job]:
    done = set()
    names = ("tool", "algorithm", "settings", "network", "rows", "sample")
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            done = {tuple(line[name] for name in names) for line in csv.DictReader(file)}
    networks = options.networks or networks_in_order()[: options.subset]
    tools = options.tools or installed()
    for sample, rows, network, tool in product(
        range(options.samples), options.rows, networks, tools
    ):
        left = tuple(
            one
            for one in LEARNERS[tool][: options.learners]
            if (tool, *one, network, str(rows), str(sample)) not in done
        )
        if left:
            yield Job(tool, network, rows, sample, left)


def installed() -> list[str]:
    """Return the programs that can run here; those in Python are installed when they are needed."""
    needs = {"bnlearn": has_bnlearn(), "tetrad": shutil.which("java") is not None}
    return [tool for tool in LEARNERS if needs.get(tool, tool in TOOLS)]


def perform(job: Job, cache: Path, limit: int) -> list[dict[str, object]]:
    """Return one line per learner; constant columns are not shown to other programs.

    A learner that failed or took too long has found nothing: it is judged as an empty graph, and
    its status says so.
    """
    sample = sample_of(job.network, job.rows, job.sample)
    table = Table.from_data(sample.rows.data)
    names = [name for name in table.names if name not in table.constant]
    if len(names) > 1:
        found = learn_all(job.tool, job.learners, table.select(names).codes.T, cache, limit)
    else:  # there is no edge to find
        found = [PeerGraph("ok")] * len(job.learners)
    lines = []
    for (algorithm, settings), one in zip(job.learners, found, strict=True):
        graph = Graph(
            table.names,
            [(names[a], names[b]) for a, b in one.arrows],
            [(names[a], names[b]) for a, b in one.edges],
        )
        measures = sample.judge(graph.to_cpdag() if graph.is_dag else graph)
        if algorithm in SKELETONS:
            measures |= {"cpdag_shd": "", "arrows": "", "right_arrows": "", "held_out": ""}
        about: dict[str, object] = {
            "tool": job.tool,
            "version": one.version,
            "algorithm": algorithm,
            "settings": settings,
            "network": job.network,
            "rows": job.rows,
            "sample": job.sample,
        }
        cost = {"cpu_seconds": one.cpu_seconds, "status": one.status[:80]}
        lines.append(about | measures | cost)
    return lines


if __name__ == "__main__":
    main()
