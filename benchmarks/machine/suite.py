"""What the machine is for: gates that several parents decide together, with and without it.

    python -m benchmarks machine suite [--output FOLDER] [--seeds 10]

Writes ``suite.csv``, a line per run, and ``suite.md``. What ``suite.csv`` has is not run again.
A gate is found if as many pairs of its members are adjacent as it has parents: which member is the
child, a parity leaves open. Parents: of all pairs of a gate's child and parent, the share adjacent.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.common.clock import timed
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.common.runs import perform_left, read_runs, run_of
from benchmarks.common.shuffled import shuffled
from benchmarks.machine.gates import KINDS, Gate, gate_network
from benchmarks.machine.without import WithoutMachine
from bnsieve import Graph, TsetlinSieve
from bnsieve.metrics import compare

ROWS = 5_000
# Fresh ones: none was used while the learner was made.
FIRST_SEED = 1_800
OURS: dict[str, Callable[[int], TsetlinSieve]] = {
    "default": lambda seed: TsetlinSieve(random_state=seed),
    "without machine": lambda seed: WithoutMachine(random_state=seed),
}
# Among as many columns a small run would take long.
WIDE = ("epistatic pair",)


@dataclass(frozen=True)
class Job:
    """One program on a sample of one network."""

    label: str
    program: str
    kind: str
    rows: int
    seed: int


def perform(job: Job) -> dict[str, object]:
    """Draw the sample, shuffle it, learn, and judge."""
    n_columns = 60 if job.rows < ROWS and job.kind in WIDE else None
    network, gates = gate_network(job.kind, job.seed, n_columns)
    sample = shuffled(network.sample(job.rows, random_state=job.seed), job.seed)
    with threadpool_limits(1), timed() as spent:
        found = OURS[job.program](job.seed).fit(sample.data).graph_
    graph = sample.restore(found)
    measures = judge(graph, gates) | {"f1": compare(network, graph).f1}
    return run_of(job, measures | {"cpu_seconds": spent.processor_seconds})


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
    asked = parser.parse_args(arguments)
    if asked.quick:
        asked.seeds, asked.rows = 1, 500
    jobs = [
        Job(asked.label, program, kind, asked.rows, FIRST_SEED + i)
        for kind in asked.kinds
        for i in range(asked.seeds)
        for program in asked.programs
    ]
    path = asked.output / "suite.csv"
    perform_left(
        jobs,
        path,
        perform,
        lambda run: f"{run['program']}: {run['kind']}",
        asked.jobs,
        asked.minutes,
    )
    given = sys.argv[1:] if arguments is None else arguments
    lines = head("Gates, with and without the machine", "machine", ["suite", *given])
    lines += [
        (__doc__ or "").strip().splitlines()[-2],
        (__doc__ or "").strip().splitlines()[-1],
        "",
    ]
    write(asked.output / "suite.md", lines + report(read_runs(path)))


if __name__ == "__main__":
    main()
