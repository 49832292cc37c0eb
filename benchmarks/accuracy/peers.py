"""Run other programs on the samples of the accuracy study, each in an environment of its own.

    python -m benchmarks accuracy peers CACHE OUTPUT.csv [--networks alarm ...]
    python -m benchmarks accuracy peers CACHE OUTPUT.csv --shuffle

CACHE is a folder for virtual environments, made by pip where they are missing; bnlearn runs if
there is an Rscript that has it. Every run is a process of its own, one thread, ended after LIMIT
seconds of processor time. Lines are written as runs end, and what OUTPUT has is not run again,
except errors. It has the columns of ``peers.csv`` beside this; ``python -m benchmarks accuracy
--peers`` reads both. With ``--shuffle`` columns come as in the study of that name: for an OUTPUT of
its own, beside runs of ``python -m benchmarks accuracy --shuffle``.
"""

import argparse
import csv
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common.environments import has_bnlearn
from benchmarks.common.networks import PAPER_NETWORKS, network_of
from benchmarks.common.peer_learners import TOOLS, learn_all
from benchmarks.common.shuffled import Renamed, as_it_is, shuffled
from bnsieve import BayesianNetwork, Graph
from bnsieve.metrics import compare
from bnsieve.table import Table

LEARNERS = [
    ("pyagrum", "GHC", "score=BIC"),
    ("pyagrum", "GHC", "score=BDeu"),
    ("pyagrum", "tabu", "score=BIC"),
    ("pyagrum", "MIIC", "corr=nml"),
    ("pyagrum", "MIIC", "corr=mdl"),
    ("bnlearn", "hc", "score=bic"),
    ("bnlearn", "hc", "score=bde iss=1"),
    ("bnlearn", "tabu", "score=bic"),
    ("bnlearn", "tabu", "score=qnml"),
    ("bnlearn", "mmhc", ""),
    ("bnlearn", "h2pc", ""),
    ("bnlearn", "hpc", "test=mi-adf alpha=0.01"),
    ("bnlearn", "pc.stable", "test=mi-adf alpha=0.05"),
    ("causallearn", "PC", "test=gsq alpha=0.05"),
    ("causallearn", "PC", "test=gsq alpha=0.01"),
    ("causallearn", "BOSS", "score=BDeu"),
    ("causallearn", "GES", "score=BDeu"),
    ("pgmpy", "PC", "variant=stable alpha=0.05"),
    ("pgmpy", "HC", "score=bic-d"),
    ("pgmpy", "GES", "score=bic-d"),
    ("tetrad", "BOSS", "score=bdeu iss=1"),
    ("tetrad", "BOSS", "score=bic"),
    ("tetrad", "FGES", "score=bdeu iss=1"),
]
# Algorithms that learn a skeleton only, which has no CPDAG to compare.
SKELETONS = {"hpc", "mmpc", "si.hiton.pc"}


class Sample(NamedTuple):
    """Rows, and the network they come from."""

    network: str
    seed: int
    rows: Renamed
    truth: BayesianNetwork


def measures(graph: Graph, sample: Sample, algorithm: str) -> dict[str, Any]:
    """Compare with the truth."""
    found = compare(sample.truth, graph)
    return {
        "n_edges": found.n_learned,
        "precision": round(found.precision, 4),
        "recall": round(found.recall, 4),
        "f1": round(found.f1, 4),
        "skel_shd": found.skeleton_shd,
        "cpdag_shd": "" if algorithm in SKELETONS else found.shd,
    }


def perform(
    learner: tuple[str, str, str], sample: Sample, cache: Path, seconds: int
) -> dict[str, Any]:
    """Return the line of one run; constant columns are not shown to the learner."""
    table = Table.from_data(sample.rows.data)
    names = [name for name in table.names if name not in table.constant]
    line: dict[str, Any] = dict(zip(("tool", "algorithm", "settings"), learner, strict=True))
    line |= {"network": sample.network, "seed": sample.seed, "date": f"{datetime.now(UTC):%F}"}
    codes = table.select(names).codes.T
    [found] = learn_all(learner[0], [learner[1:]], codes, cache, seconds)
    if found.status != "ok":
        return line | {"status": found.status[:80]}
    graph = Graph(
        table.names,
        [(names[a], names[b]) for a, b in found.arrows],
        [(names[a], names[b]) for a, b in found.edges],
    )
    cost: dict[str, Any] = {
        "seconds_wall": round(found.seconds, 3),
        "cpu_s": round(found.cpu_seconds, 3),
    }
    cost |= {"n_ci_tests": found.n_tests, "version": found.version, "status": "ok"}
    return line | cost | measures(sample.rows.restore(graph), sample, learner[1])


def samples(options: argparse.Namespace) -> Iterator[Sample]:
    """Yield the samples, seed by seed."""
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        for name in options.networks:
            rows = network_of(name).sample(options.rows, random_state=seed)
            columns = shuffled(rows, seed) if options.shuffle else as_it_is(rows)
            yield Sample(name, seed, columns, network_of(name))


COLUMNS = ["tool", "version", "algorithm", "settings", "network", "seed"]
COLUMNS += ["seconds_wall", "cpu_s", "n_ci_tests"]
COLUMNS += ["n_edges", "precision", "recall", "f1", "skel_shd", "cpdag_shd", "status", "date"]


def main(arguments: list[str] | None = None) -> None:
    """Run what is left, and write each line as its run ends."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks accuracy peers", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("cache", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--networks", nargs="+", default=PAPER_NETWORKS, metavar="NAME")
    parser.add_argument("--shuffle", action="store_true", help="shuffle columns and their names")
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--limit", type=int, default=120, help="processor seconds for each run")
    parser.add_argument("--tools", nargs="+", choices=["bnlearn", *TOOLS])
    parser.add_argument(
        "--algorithms",
        nargs="+",
        default=sorted({algorithm for _, algorithm, _ in LEARNERS}),
        metavar="NAME",
        help="such as hc: large networks take most of the others hours",
    )
    options = parser.parse_args(arguments)
    tools = options.tools or [*TOOLS, *(["bnlearn"] if has_bnlearn() else [])]
    done = set()
    if options.output.exists():
        with options.output.open(newline="", encoding="utf-8") as file:
            keys = ("tool", "algorithm", "settings", "network", "seed")
            done = {
                tuple(line[key] for key in keys)
                for line in csv.DictReader(file)
                if not line["status"].startswith("error")
            }
    learners = [one for one in LEARNERS if one[0] in tools and one[1] in options.algorithms]
    for sample in samples(options):
        for learner in learners:
            if (*learner, sample.network, str(sample.seed)) in done:
                continue
            line = perform(learner, sample, options.cache, options.limit)
            new = not options.output.exists()
            with options.output.open("a", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                if new:
                    writer.writeheader()
                writer.writerow(line)
            said = f"{line['status']} F1 {line.get('f1')}"
            print(f"{sample.network} {sample.seed} {' '.join(learner)}: {said}")


if __name__ == "__main__":
    main()
