"""The paper's tables, run again: seven networks, five algorithms, ten runs.

    python -m benchmarks paper --quick
    python -m benchmarks paper -o paper --jobs 2
    python -m benchmarks paper -o paper --algorithm tm --network alarm

Writes runs.csv as it goes, so that an interrupted run is taken up where it stopped; then
summary.csv, and report.md with the paper's figures beside ours.
"""

import argparse
from functools import partial
from pathlib import Path

from benchmarks.common.runs import perform_left
from benchmarks.paper import runner
from benchmarks.paper.report import write_report

QUICK_NETWORKS = ("insurance", "alarm")


def main(arguments: list[str] | None = None) -> None:
    """Make the runs that are left, then write tables and report."""
    options = _parser().parse_args(arguments)
    asked, runs, rows = options.network or runner.NETWORKS, options.runs, options.rows
    networks = [name for name in runner.NETWORKS if name in asked]
    algorithms = [name for name in runner.ALGORITHMS if name in options.algorithm]
    if options.quick:
        networks, runs, rows = [name for name in networks if name in QUICK_NETWORKS], 2, 2000
    wanted = runner.jobs(networks, algorithms, runs, rows)
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
