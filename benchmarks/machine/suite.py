"""What the machine is for: gates that several parents decide together, with and without it.

    python -m benchmarks machine suite [--output FOLDER] [--seeds 10] [--peers CACHE]

Writes ``suite.csv``, a line per run, and ``suite.md``. What ``suite.csv`` has is not run again.
With ``--peers``, BOSS (Tetrad) and tabu (bnlearn) run on the same samples: see ``unseen peers``.
A gate is found if as many pairs of its members are adjacent as it has parents: which member is the
child, a parity leaves open. Parents: of all pairs of a gate's child and parent, the share adjacent.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.accuracy.ablations import WithoutMachine
from benchmarks.common.clock import timed
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.common.peer_learners import learn_all
from benchmarks.common.runs import perform_left, read_runs, run_of
from benchmarks.common.shuffled import shuffled
from benchmarks.machine.gates import KINDS, Gate, gate_network
from bnsieve import Graph, TsetlinSieve
from bnsieve.metrics import compare
from bnsieve.table import Table

ROWS = 5_000
# Fresh ones: none was used while the learner was made.
FIRST_SEED = 1_800
OURS: dict[str, Callable[[int], TsetlinSieve]] = {
    "default": lambda seed: TsetlinSieve(random_state=seed),
    "without machine": lambda seed: WithoutMachine(random_state=seed),
}
PEERS = {
    "BOSS bic": ("tetrad", "BOSS", "score=bic"),
    "BOSS bdeu 1": ("tetrad", "BOSS", "score=bdeu iss=1"),
    "tabu bic": ("bnlearn", "tabu", "score=bic"),
}
# Others take minutes among 1,000 columns.
WIDE = ("epistatic pair",)
PEER_SECONDS = 120


@dataclass(frozen=True)
class Job:
    """One program on a sample of one network."""

    label: str
    program: str
    kind: str
    rows: int
    seed: int


def perform(job: Job, cache: Path | None) -> dict[str, object]:
    """Draw the sample, shuffle it, learn, and judge."""
    n_columns = 60 if job.rows < ROWS and job.kind in WIDE else None
    network, gates = gate_network(job.kind, job.seed, n_columns)
    sample = shuffled(network.sample(job.rows, random_state=job.seed), job.seed)
    if job.program in OURS:
        with threadpool_limits(1), timed() as spent:
            found = OURS[job.program](job.seed).fit(sample.data).graph_
        seconds = spent.processor_seconds
    else:
        found, seconds = _by_peer(job.program, sample.data, cache)
    graph = sample.restore(found)
    measures = judge(graph, gates) | {"f1": compare(network, graph).f1, "cpu_seconds": seconds}
    return run_of(job, measures)


def _by_peer(program: str, data: pd.DataFrame, cache: Path | None) -> tuple[Graph, float]:
    assert cache is not None
    coded = Table.from_data(data)
    tool, *learner = PEERS[program]
    found = learn_all(tool, [(learner[0], learner[1])], coded.codes.T, cache, PEER_SECONDS)[0]
    if found.status != "ok":
        raise RuntimeError(f"{program}: {found.status}")
    names = coded.names
    arrows = [(names[a], names[b]) for a, b in found.arrows]
    lines = [(names[a], names[b]) for a, b in found.edges]
    return Graph(names, arrows, lines), found.cpu_seconds


def judge(graph: Graph, gates: tuple[Gate, ...]) -> dict[str, object]:
    """Say which gates a graph has, and how many of their parents."""
    edges = {frozenset(edge) for edge in graph.skeleton().undirected_edges}
    links = [link for gate in gates for link in gate.links]
    return {
        "gates": len(gates),
        "gates_found": sum(len(edges & gate.pairs) >= len(gate.parents) for gate in gates),
        "parents": len(links),
        "parents_found": sum(link in edges for link in links),
    }


def report(runs: pd.DataFrame) -> list[str]:
    """Return a table: a line per kind and program."""
    rows = []
    for (kind, label, program), own in runs.groupby(["kind", "label", "program"], sort=False):
        rows.append(
            [
                f"{kind}",
                f"{label}: {program}",
                f"{len(own)}",
                f"{own.gates_found.sum() / own.gates.sum():.3f}",
                f"{own.parents_found.sum() / own.parents.sum():.3f}",
                f"{own.f1.mean():.3f}",
                f"{own.cpu_seconds.mean():.1f}",
            ]
        )
    order = {kind: i for i, kind in enumerate(KINDS)}
    rows.sort(key=lambda row: order[row[0]])
    titles = ["gate", "program", "samples", "gates found", "parents found", "F1", "seconds"]
    start, end = (f"<!-- --8<-- [{side}:gates] -->" for side in ("start", "end"))
    return [start, "", *table(titles, rows, n_text=2), "", end]


def main(arguments: list[str] | None = None) -> None:
    parser = parser_of("machine", __doc__)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--programs", nargs="+", choices=OURS, default=list(OURS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--peers", type=Path, metavar="CACHE", help="environments of the peers")
    asked = parser.parse_args(arguments)
    if asked.quick:
        asked.seeds, asked.rows = 1, 500
    ours = [
        Job(asked.label, program, kind, asked.rows, FIRST_SEED + i)
        for kind in asked.kinds
        for i in range(asked.seeds)
        for program in asked.programs
    ]
    peers = [
        Job("peer", program, kind, asked.rows, FIRST_SEED + i)
        for kind in asked.kinds
        for i in range(asked.seeds)
        for program in (PEERS if asked.peers and kind not in WIDE else ())
    ]
    path = asked.output / "suite.csv"
    perform_left(
        ours + peers,
        path,
        partial(perform, cache=asked.peers),
        lambda run: f"{run['program']}: {run['kind']}",
        asked.jobs,
        asked.minutes,
    )
    given = sys.argv[1:] if arguments is None else arguments
    shown = ["CACHE" if text == str(asked.peers) else text for text in given]
    lines = head("Gates, with and without the machine", "machine", ["suite", *shown])
    lines += [
        (__doc__ or "").strip().splitlines()[-2],
        (__doc__ or "").strip().splitlines()[-1],
        "",
    ]
    write(asked.output / "suite.md", lines + report(read_runs(path)))


if __name__ == "__main__":
    main()
