"""The paper's tables, run again: seven networks, five algorithms, ten runs, two heatmaps.

    python -m benchmarks paper --quick
    python -m benchmarks paper -o paper --jobs 2
    python -m benchmarks paper -o paper --algorithm tm --network alarm
    python -m benchmarks paper asked OUTPUT        (tests, if nothing remembered them)
    python -m benchmarks paper choices OUTPUT      (what the paper leaves open)

Writes runs.csv as it goes, so that an interrupted run is taken up where it stopped; then
summary.csv, report.md with the paper's figures beside ours, and pictures.
"""

import argparse
from functools import partial
from pathlib import Path

from benchmarks.common.parts import run_part
from benchmarks.common.pictures import require_matplotlib
from benchmarks.common.runs import perform_left
from benchmarks.paper import runner
from benchmarks.paper.plots import draw
from benchmarks.paper.report import write_report

QUICK_NETWORKS = ("insurance", "alarm")


def main(arguments: list[str] | None = None) -> None:
    """Make the runs that are left, then write tables, report and pictures."""
    if run_part("paper", arguments, ("asked", "choices")):
        return
    options = _parser().parse_args(arguments)
    require_matplotlib()
    asked, runs, rows = options.network or runner.NETWORKS, options.runs, options.rows
    networks = [name for name in runner.NETWORKS if name in asked]
    algorithms = [name for name in runner.ALGORITHMS if name in options.algorithm]
    if options.quick:
        networks, runs, rows = [name for name in networks if name in QUICK_NETWORKS], 2, 2000
    wanted = runner.jobs(networks, algorithms, runs, rows)
    if "tm" in algorithms and options.network is None:
        wanted += runner.heatmap_jobs(1 if options.quick else runs, rows)
    path = options.output / "runs.csv"
    perform = partial(runner.perform, n_jobs=options.jobs)
    perform_left(
        wanted, path, perform, lambda run: f"{run.algorithm} on {run.network}, F1 {run.f1:.2f}"
    )
    setting = (
        f"{runs} runs of {rows:,} rows per network and algorithm, each run on a sample of its own. "
        f"Command: `python -m benchmarks paper --runs {runs} --rows {rows}`."
    )
    write_report(options.output, setting)
    for picture in draw(options.output):
        print(picture)
    print(options.output / "report.md")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks paper",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--output", "-o", type=Path, default=Path("paper"), help="folder for all that is made")
    add("--runs", type=int, default=10, help="runs of each algorithm on each network")
    add("--rows", type=int, default=5000, help="rows of each sample")
    add("--network", nargs="+", choices=runner.NETWORKS, metavar="NETWORK", help="only these")
    every = list(runner.ALGORITHMS)
    add("--algorithm", nargs="+", choices=every, default=every, metavar="ALGORITHM")
    add("--quick", action="store_true", help="two networks, two runs of 2,000 rows each")
    add("--jobs", "-j", type=int, default=1, help="threads; -1 for all")
    return parser


if __name__ == "__main__":
    main()
