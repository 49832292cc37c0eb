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
from pathlib import Path

from benchmarks.common.environments import has_bnlearn
from benchmarks.common.networks import bnrep_names
from benchmarks.common.options import parser_of
from benchmarks.common.peer_learners import TOOLS, learn_all
from benchmarks.common.runs import append, performed
from benchmarks.unseen.samples import sample_of
from bnsieve import Graph
from bnsieve.table import Table

# Fast ones first: a slow one may use up the time.
LEARNERS: dict[str, list[tuple[str, str]]] = {
    "bnlearn": [
        ("tabu", "score=bic"),
        ("tabu", "score=qnml"),
        ("hc", "score=bic"),
        ("hc", "score=bde iss=1"),
        ("tabu", "score=bde iss=10"),
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

Job = tuple[str, str, int, int]


def main(arguments: list[str] | None = None) -> None:
    """Run what is left, and write the lines of each sample as its runs end."""
    parser = parser_of("unseen", __doc__)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--tools", nargs="+", choices=LEARNERS)
    parser.add_argument("--networks", nargs="+", choices=bnrep_names(), metavar="NAME")
    parser.add_argument("--rows", nargs="+", type=int, default=[500, 2_000, 10_000])
    parser.add_argument("--samples", type=int, default=1, help="samples of each network and size")
    parser.add_argument("--min-nodes", type=int, default=5)
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
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            done = {
                (line["tool"], line["network"], int(line["rows"]), int(line["sample"]))
                for line in csv.DictReader(file)
            }
    for sample in range(options.samples):
        for rows in options.rows:
            for network in options.networks or bnrep_names():
                for tool in options.tools or installed():
                    job = (tool, network, rows, sample)
                    if job not in done and _n_nodes(network) >= options.min_nodes:
                        yield job


def installed() -> list[str]:
    """Return the programs that can run here; those in Python are installed when they are needed."""
    needs = {"bnlearn": has_bnlearn(), "tetrad": shutil.which("java") is not None}
    return [tool for tool in LEARNERS if needs.get(tool, tool in TOOLS)]


def _n_nodes(network: str) -> int:
    from benchmarks.common.networks import read_bnrep

    return read_bnrep(network).graph.n_nodes


def perform(job: Job, cache: Path, limit: int) -> list[dict[str, object]]:
    """Return one line per learner; constant columns are not shown to other programs.

    A learner that failed or took too long has found nothing: it is judged as an empty graph, and
    its status says so.
    """
    tool, network, n_rows, number = job
    sample = sample_of(network, n_rows, number)
    table = Table.from_data(sample.rows.data)
    names = [name for name in table.names if name not in table.constant]
    found = learn_all(tool, LEARNERS[tool], table.select(names).codes.T, cache, limit)
    lines = []
    for (algorithm, settings), one in zip(LEARNERS[tool], found, strict=True):
        graph = Graph(
            table.names,
            [(names[a], names[b]) for a, b in one.arrows],
            [(names[a], names[b]) for a, b in one.edges],
        )
        measures = sample.judge(graph.to_cpdag() if graph.is_dag else graph)
        if algorithm in SKELETONS:
            measures |= {"cpdag_shd": "", "arrows": "", "right_arrows": "", "held_out": ""}
        about: dict[str, object] = {
            "tool": tool,
            "version": one.version,
            "algorithm": algorithm,
            "settings": settings,
            "network": network,
            "rows": n_rows,
            "sample": number,
        }
        cost = {"cpu_seconds": one.cpu_seconds, "status": one.status[:80]}
        lines.append(about | measures | cost)
    return lines


if __name__ == "__main__":
    main()
