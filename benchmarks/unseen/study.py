"""F1, distance and directions on bnRep's networks, columns and names shuffled.

``python -m benchmarks unseen --label NAME`` runs what ``runs.csv`` has no line of and writes
``report.md``: means over the networks of five nodes or more, size by size. ``python -m benchmarks
unseen peers CACHE`` runs other programs on the same samples; where ``peers.csv`` is beside, the
report compares with them.
"""

import sys
from dataclasses import dataclass
from typing import Literal

import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.common.clock import timed
from benchmarks.common.networks import bnrep_names
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.common.parts import run_part
from benchmarks.common.runs import perform_left, read_runs, run_of
from benchmarks.unseen.beside import beside_peers
from benchmarks.unseen.samples import MIN_NODES, networks_in_order, sample_of
from bnsieve import TsetlinSieve

ROWS = (500, 2_000, 10_000)


@dataclass(frozen=True)
class Job:
    """One program, a method of the default, on one sample of one network, numbered from 0."""

    label: str
    program: Literal["search", "tests"]
    network: str
    rows: int
    sample: int


def perform(job: Job) -> dict[str, object]:
    """Draw the sample, shuffle it, learn, and compare under the true names."""
    sample = sample_of(job.network, job.rows, job.sample)
    with threadpool_limits(1), timed() as spent:
        learner = TsetlinSieve(method=job.program, random_state=job.sample).fit(sample.rows.data)
    measures = sample.judge(learner.graph_, learner.dag_)
    return run_of(job, measures | {"cpu_seconds": spent.processor_seconds})


def report(runs: pd.DataFrame) -> list[str]:
    """Return the means by label, program and size."""
    large = runs[runs.nodes >= MIN_NODES]
    lines = [
        "Means over the networks of five nodes or more; columns and names shuffled by the sample's",
        "seed. Right arrows: of the arrows of the learned graphs, the share that the true CPDAG",
        "has, all networks together and (in brackets) on average over those with any arrow.",
        "Learned graphs are judged as they stand: a line claims no direction, and differs from an",
        "arrow by one in the SHD.",
        "",
    ]
    rows = []
    for (label, program, size), own in large.groupby(["label", "program", "rows"], sort=False):
        some = own[own.arrows > 0]
        of_all = some.right_arrows.sum() / max(1, some.arrows.sum())
        each = (some.right_arrows / some.arrows).mean()
        rows.append(
            [
                f"{label}: {program}",
                f"{size:,}",
                f"{own.network.nunique()}",
                f"{own.f1.mean():.4f}",
                f"{own.cpdag_shd.mean():.2f}",
                f"{of_all:.3f} ({each:.3f})",
                f"{own.cpu_seconds.mean():.2f}",
            ]
        )
    titles = ["program", "rows", "networks", "F1", "CPDAG SHD", "directions right", "seconds"]
    return [*lines, *table(titles, rows), "", *_differences(large)]


def _differences(runs: pd.DataFrame) -> list[str]:
    """Set each label's default beside the first label's, network by network."""
    own = runs[runs.program == "search"]
    labels = list(own.label.unique())
    if len(labels) < 2:
        return []
    f1 = own.pivot_table(index=["network", "rows", "sample"], columns="label", values="f1")
    lines = [f"F1 of `search` against {labels[0]}, on the runs that both have:", ""]
    rows = []
    for label in labels[1:]:
        both = f1[[labels[0], label]].dropna()
        for size, part in both.groupby(level="rows"):
            change = part[label] - part[labels[0]]
            counts = [(change > 1e-9).sum(), (change < -1e-9).sum(), len(change)]
            rows.append(
                [str(label), f"{size:,}", f"{change.mean():+.4f}", *(f"{n}" for n in counts)]
            )
    return [*lines, *table(["label", "rows", "change", "better", "worse", "of"], rows), ""]


def main(arguments: list[str] | None = None) -> None:
    if run_part("unseen", arguments, ["peers"]):
        return
    parser = parser_of("unseen", __doc__)
    parser.add_argument("--programs", nargs="+", choices=["search", "tests"], default=["search"])
    parser.add_argument("--networks", nargs="+", choices=bnrep_names(), metavar="NAME")
    parser.add_argument("--rows", nargs="+", type=int, default=ROWS)
    parser.add_argument("--samples", type=int, default=1, help="samples of each network and size")
    parser.add_argument("--subset", type=int, help="only the first networks in the study's order")
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = parser.parse_args(arguments)
    if asked.quick:
        asked.rows, asked.samples, asked.subset = [500], 1, 5
    jobs = [
        Job(asked.label, program, network, rows, sample)
        for program in asked.programs
        for rows in asked.rows
        for network in (asked.networks or networks_in_order())[: asked.subset]
        for sample in range(asked.samples)
    ]
    path = asked.output / "runs.csv"
    perform_left(
        jobs,
        path,
        perform,
        lambda run: f"{run['program']}: {run['network']}",
        asked.jobs,
        asked.minutes,
    )
    lines = head("Networks that no setting was fitted to", "unseen", arguments)
    runs = read_runs(path)
    lines += report(runs)
    peers = asked.output / "peers.csv"
    if peers.exists():
        own = runs[(runs.label == asked.label) & (runs.program == "search")]
        large = [one[one.nodes >= MIN_NODES] for one in (own, pd.read_csv(peers))]
        lines += beside_peers(*large)
    write(asked.output / "report.md", lines)


if __name__ == "__main__":
    main()
