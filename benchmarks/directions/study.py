"""How many arrows are right, and from which margin on they can be believed.

``python -m benchmarks directions --label NAME`` runs what ``runs.csv`` has no line of, writes
a line for each arrow to ``arrows.csv`` and ``report.md`` from both. An arrow is right if the true
CPDAG has it. ``graph_`` counts as it stands: a line claims no direction, and differs from an arrow
by one in the SHD. Confirmed arrows (``confirmed_edges_``) are judged on their own. If
it has ``direction_margins_``, a mapping from (tail, head) to nats,
arrows that it holds and the graph does not show (as undetermined) are in ``arrows.csv`` too.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.common.arrows import directions
from benchmarks.common.clock import timed
from benchmarks.common.networks import SMALLER_NETWORKS, network_of
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.common.runs import append, left, performed, read_runs, run_of
from bnsieve import Graph, TsetlinSieve
from bnsieve.metrics import compare

ROWS = (1_000, 5_000, 20_000)
# The share of arrows that must be right in every cell.
BAR = 0.85
RIGHT, WRONG, NO_EDGE = "right", "wrong", "no such edge"
# In nats; thresholds for a margin, and the bins between them.
MARGINS = (0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0, 50.0)

Arrow = tuple[str, str]
Line = dict[str, object]


@dataclass(frozen=True)
class Job:
    """One fit of the default on one sample."""

    label: str
    network: str
    rows: int
    seed: int


def perform(job: Job) -> tuple[Line, list[Line]]:
    """Return the line of the run, and those of its arrows."""
    truth = network_of(job.network).graph
    sample = network_of(job.network).sample(job.rows, random_state=job.seed)
    with threadpool_limits(1), timed() as spent:
        learner = TsetlinSieve(random_state=job.seed).fit(sample)
    margins: Mapping[Arrow, float] = getattr(learner, "direction_margins_", {})
    arrows = judged(learner.graph_, truth, margins)
    claims = directions(learner.graph_, truth)
    sure: Sequence[Arrow] = getattr(learner, "confirmed_edges_", ())
    true_arrows = set(truth.to_cpdag().directed_edges)
    measures: Line = {
        "arrows": claims.arrows,
        "right_arrows": claims.right_arrows,
        "sure_arrows": len(sure),
        "right_sure_arrows": len(true_arrows.intersection(sure)),
        "true_arrows": claims.true_arrows,
        "lines": claims.lines,
        "f1": compare(truth, learner.graph_).f1,
        "cpdag_shd": claims.distance,
        "cpu_seconds": spent.processor_seconds,
    }
    return run_of(job, measures), [run_of(job, one) for one in arrows]


def judged(graph: Graph, truth: Graph, margins: Mapping[Arrow, float]) -> list[Line]:
    """Judge the arrows of a learned graph, and those that have a margin but are not shown.

    Parameters
    ----------
    graph : Graph
        As learned.
    truth : Graph
        The true DAG.
    margins : mapping from (tail, head) to float

    Returns
    -------
    list of dict
        tail, head, margin (empty if not known), determined (1 if `graph` has the arrow), verdict.
        An arrow is wrong if the true CPDAG joins the two in another way.
    """
    true_arrows = set(truth.to_cpdag().directed_edges)
    shown = set(graph.directed_edges)
    lines: list[Line] = []
    for tail, end in sorted(shown | set(margins)):
        verdict = NO_EDGE
        if end in truth.adjacent(tail):
            verdict = RIGHT if (tail, end) in true_arrows else WRONG
        lines.append(
            {
                "tail": tail,
                "head": end,
                "margin": margins.get((tail, end), ""),
                "determined": int((tail, end) in shown),
                "verdict": verdict,
            }
        )
    return lines


def report(runs: pd.DataFrame, arrows: pd.DataFrame) -> list[str]:
    """Return the tables of every label."""
    lines = [
        "Share of the arrows of `graph_` that the true CPDAG has; in brackets how many of the true",
        "CPDAG's arrows were found so, of how many, on average over the seeds. Bold: below the bar",
        f"of {BAR}.",
        "",
    ]
    for label, own in runs.groupby("label", sort=False):
        lines += [f"## {label}", "", *_shares(own)]
        if "sure_arrows" in own and own.sure_arrows.notna().all():
            renamed = {"sure_arrows": "arrows", "right_sure_arrows": "right_arrows"}
            sure = own.drop(columns=["arrows", "right_arrows"]).rename(columns=renamed)
            lines += ["The same of arrows called sure:", "", *_shares(sure)]
        known = arrows[(arrows.label == label) & arrows.margin.notna()]
        if len(known):
            lines += _by_margin(known)
    return lines


def _shares(runs: pd.DataFrame) -> list[str]:
    sizes = sorted(runs.rows.unique())
    rows, n_cells, n_held = [], 0, 0
    for network, own in runs.groupby("network", sort=False):
        cells, distances = [], []
        for size in sizes:
            part = own[own.rows == size]
            if part.empty:
                cells.append("")
                distances.append("")
                continue
            if not part.arrows.sum():
                cells.append("no arrow")
                distances.append(f"{part.cpdag_shd.mean():.1f}")
                continue
            share = part.right_arrows.sum() / max(1, part.arrows.sum())
            n_cells += 1
            n_held += int(share >= BAR)
            figure = f"{share:.3f}" if share >= BAR else f"**{share:.3f}**"
            found = f"({part.right_arrows.mean():.1f} of {part.true_arrows.mean():.0f})"
            cells.append(f"{figure} {found}")
            distances.append(f"{part.cpdag_shd.mean():.1f}")
        rows.append([str(network), *cells, " / ".join(distances)])
    seconds = runs.cpu_seconds.mean()
    return [
        *table(["network", *(f"{size:,} rows" for size in sizes), "CPDAG SHD"], rows),
        "",
        f"At least {BAR} in {n_held} of {n_cells} cells. Mean CPDAG SHD "
        f"{runs.cpdag_shd.mean():.1f}, {seconds:.1f} s a fit.",
        "",
    ]


def _by_margin(arrows: pd.DataFrame) -> list[str]:
    """Show the share of right arrows in bins of the margin, and from each margin on."""
    right = arrows.verdict == RIGHT
    rows = []
    for low, high in zip(MARGINS, [*MARGINS[1:], float("inf")], strict=True):
        inside = (arrows.margin >= low) & (arrows.margin < high)
        above = arrows.margin >= low
        cells = arrows[above].assign(right=right[above]).groupby(["network", "rows"]).right.mean()
        rows.append(
            [
                f"{low:g} to {high:g}" if high < float("inf") else f"{low:g} and more",
                f"{inside.sum()}",
                f"{right[inside].mean():.3f}" if inside.any() else "",
                f"{above.sum()}",
                f"{right[above].mean():.3f}" if above.any() else "",
                f"{cells.min():.3f}" if len(cells) else "",
                f"{(cells < BAR).sum()} of {len(cells)}",
            ]
        )
    titles = ["margin", "arrows", "right", "from here on", "right", "worst cell", f"below {BAR}"]
    return [
        "By margin in nats, shown or not; a cell is a network at a size:",
        "",
        *table(titles, rows),
        "",
    ]


def main(arguments: list[str] | None = None) -> None:
    parser = parser_of("directions", __doc__)
    parser.add_argument("--networks", nargs="+", default=SMALLER_NETWORKS)
    parser.add_argument("--rows", nargs="+", type=int, default=ROWS)
    parser.add_argument("--samples", type=int, default=3, help="samples of each network and size")
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = parser.parse_args(arguments)
    if asked.quick:
        asked.networks, asked.rows, asked.samples = ["alarm"], [1_000], 1
    jobs = [
        Job(asked.label, network, rows, seed)
        for seed in range(asked.samples)
        for network in asked.networks
        for rows in asked.rows
    ]
    path, arrows_path = asked.output / "runs.csv", asked.output / "arrows.csv"
    for run, arrows in performed(left(jobs, path), perform, asked.jobs, asked.minutes):
        # The run comes last: without its line the job is done again.
        append(arrows_path, arrows)
        append(path, [run])
    lines = head("Directions", "directions", arguments)
    key = ["label", "network", "rows", "seed", "tail", "head"]
    known = read_runs(arrows_path).drop_duplicates(key, keep="last")
    write(asked.output / "report.md", lines + report(read_runs(path), known))


if __name__ == "__main__":
    main()
