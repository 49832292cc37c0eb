"""What missing cells do to F1: three ways of bnsieve, beside bnlearn's structural EM.

``python -m benchmarks gaps OUTPUT_FOLDER`` runs what ``runs.csv`` there does not hold yet and
writes ``README.md`` from it. ``--networks``, ``--shares``, ``--seeds`` and ``--ways`` choose a part
of it. With R and bnlearn at hand, ``--bnlearn parents`` or ``--bnlearn bayes-lw`` adds bnlearn with
that way of filling cells in, for the same samples.
"""

import argparse
import csv
import subprocess
import tempfile
from dataclasses import astuple, fields
from pathlib import Path

import pandas as pd

from benchmarks.gaps.runner import WAYS, Manner, Outcome, study, with_gaps
from bnsieve import Graph, load_network
from bnsieve.metrics import compare

COLUMNS = [field.name for field in fields(Outcome)]
KEY = ["network", "manner", "share", "way", "seed"]
MANNERS: tuple[Manner, ...] = ("completely", "at random")


def bnlearn(
    network: str, share: float, manner: Manner, seed: int, n_rows: int, fill: str
) -> Outcome:
    """Run bnlearn's structural.em in a process of its own."""
    truth = load_network(network)
    data = with_gaps(truth.sample(n_rows, random_state=seed), share, manner, seed)
    with tempfile.TemporaryDirectory() as folder:
        rows, arrows = Path(folder) / "rows.csv", Path(folder) / "arrows.csv"
        data.to_csv(rows, index=False)
        script = Path(__file__).with_name("bnlearn.R")
        said = subprocess.run(
            ["Rscript", script, rows, arrows, fill], check=True, capture_output=True, text=True
        )
        edges = pd.read_csv(arrows).itertuples(index=False, name=None)
        found = compare(truth, Graph(truth.graph.nodes, directed=edges))
    way = f"bnlearn, {fill}"
    figures = (found.f1, found.precision, found.recall, found.shd, float(said.stdout))
    return Outcome(network, manner, share, way, seed, *figures)


def report(runs: pd.DataFrame, n_rows: int) -> str:
    """Return the means over the seeds as a page."""
    lines = [
        "# Missing cells and F1",
        "",
        f"Samples of {n_rows:,} rows. Cells are missing completely at random, or at random: the",
        "chance depends on another column's label. F1 of the skeleton, its mean over the seeds",
        "(their number in brackets where it is not that of the others), and seconds.",
        "Command: `python -m benchmarks gaps OUTPUT --bnlearn parents`.",
        "",
        "<!-- --8<-- [start:tables] -->",
    ]
    for network, part in runs.groupby("network", sort=False):
        complete = part[part.share == 0].groupby("way").f1.mean()
        means = ", ".join(f"{str(way).split(',')[0]} {f1:.3f}" for way, f1 in complete.items())
        lines += [f"### {network}", "", f"Without missing cells: {means}.", ""]
        gaps = part[part.share > 0]
        n_seeds = gaps.groupby("way").seed.nunique().max()
        columns = sorted({(m, s) for m, s in zip(gaps.manner, gaps.share, strict=True)})
        columns.sort(key=lambda column: (MANNERS.index(column[0]), column[1]))
        titles = [f"{share:.0%} {manner}" for manner, share in columns]
        lines += [f"| way | {' | '.join(titles)} | seconds |", "|---|" + "--:|" * (len(titles) + 1)]
        for way, own in gaps.groupby("way", sort=False):
            cells = []
            for manner, share in columns:
                some = own[(own.manner == manner) & (own.share == share)]
                few = f" ({some.seed.nunique()})" if some.seed.nunique() < n_seeds else ""
                cells.append(f"{some.f1.mean():.3f}{few}" if len(some) else "")
            lines.append(f"| {way} | {' | '.join(cells)} | {own.seconds.mean():.1f} |")
        lines.append("")
    lines.append("<!-- --8<-- [end:tables] -->")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Run what is left, and write the report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks gaps", description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--networks", nargs="+", default=["alarm", "insurance"])
    parser.add_argument("--shares", nargs="+", type=float, default=[0.05, 0.2, 0.4])
    parser.add_argument("--manners", nargs="+", default=MANNERS)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--ways", nargs="*", default=list(WAYS))
    parser.add_argument("--bnlearn", metavar="FILL", help="also bnlearn, with this imputation")
    asked = parser.parse_args(arguments)
    asked.output.mkdir(parents=True, exist_ok=True)
    path = asked.output / "runs.csv"
    if not path.exists():
        path.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")

    def done() -> set[tuple[object, ...]]:
        runs = pd.read_csv(path, keep_default_na=False)
        return set(runs[KEY].itertuples(index=False, name=None))

    def keep(outcome: Outcome) -> None:
        with path.open("a", newline="", encoding="utf-8") as file:
            csv.writer(file).writerow(astuple(outcome))

    wanted = (asked.networks, asked.shares, asked.manners, asked.seeds, asked.rows, asked.ways)
    for outcome in study(*wanted, skip=done()):
        keep(outcome)
    for network in asked.networks if asked.bnlearn else ():
        for seed in asked.seeds:
            for manner in asked.manners:
                for share in asked.shares:
                    key = (network, manner, share, f"bnlearn, {asked.bnlearn}", seed)
                    if key not in done():
                        keep(bnlearn(network, share, manner, seed, asked.rows, asked.bnlearn))
    runs = pd.read_csv(path, keep_default_na=False)
    (asked.output / "README.md").write_text(report(runs, asked.rows), encoding="utf-8")


if __name__ == "__main__":
    main()
