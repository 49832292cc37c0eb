"""Columns of numbers: as numbers, cut into bins, and by other programs, on the same samples.

``python -m benchmarks numbers --label NAME`` fits what ``runs.csv`` has no line of and writes
``report.md``. ``peers.csv`` has runs of bnlearn, causal-learn and Tetrad on the same samples.
``python -m benchmarks numbers oracle`` tells the search the true covariance of random networks,
``python -m benchmarks numbers growth`` fits more and more rows of the same networks.
"""

import sys

import pandas as pd

from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, write
from benchmarks.common.parts import run_part
from benchmarks.common.runs import perform_left, read_runs
from benchmarks.numbers.kinds import KINDS
from benchmarks.numbers.report import report
from benchmarks.numbers.runner import OURS, Job, fit
from benchmarks.numbers.samples import EVERY

ROWS = (500, 2_000, 10_000)
# Published networks are judged at fewer rows, as in the literature.
_ROWS_OF_NAMED = 2_000
# No choice was made on these.
SEEDS = (100, 101, 102)


def main(arguments: list[str] | None = None) -> None:
    if run_part("numbers", arguments, ("oracle", "growth")):
        return
    parser = parser_of("numbers", __doc__)
    parser.add_argument("--configurations", nargs="+", choices=OURS, default=list(OURS))
    parser.add_argument("--data", nargs="+", choices=EVERY, default=EVERY)
    parser.add_argument("--columns", nargs="+", type=int, default=(20, 60))
    parser.add_argument("--rows", nargs="+", type=int, default=ROWS)
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = parser.parse_args(arguments)
    if asked.quick:
        asked.data, asked.columns, asked.rows, asked.seeds = ["a", "d"], [8], [300], [0]
    samples = [
        (data, columns, rows, seed)
        for rows in asked.rows
        for seed in asked.seeds
        for data in asked.data
        if data in KINDS or rows <= _ROWS_OF_NAMED
        for columns in (asked.columns if data in KINDS else [0])
    ]

    def describe(run: dict[str, object]) -> str:
        return f"{run['program']}: {run['data']} {run['columns']} {run['rows']}"

    limits = asked.jobs, asked.minutes
    own, others = asked.output / "runs.csv", asked.output / "peers.csv"
    jobs = [Job(asked.label, name, *one) for one in samples for name in asked.configurations]
    perform_left(jobs, own, fit, describe, *limits)
    peers = read_runs(others) if others.exists() else pd.DataFrame(columns=list(_COLUMNS))
    lines = head("Numbers as numbers", "numbers", arguments)
    write(asked.output / "report.md", lines + report(read_runs(own), peers))


_COLUMNS = ("program", "data", "columns", "rows", "seed", "f1", "shd", "cpu_seconds", "note")

if __name__ == "__main__":
    main()
