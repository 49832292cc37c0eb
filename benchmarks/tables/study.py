"""What `bnsieve learn` makes of twelve tables as people have them, without any option.

``python -m benchmarks tables --label NAME`` runs what ``runs.csv`` has no line of, and writes
``report.md``. ``--forms parquet --rows 5000000`` is the same in big-file mode. Files are made where
they are missing, one at a time, and deleted after the run unless ``--keep`` is given. ``tables
make`` only makes the files.
"""

import sys
from functools import partial
from pathlib import Path

from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, write
from benchmarks.common.parts import run_part
from benchmarks.common.runs import perform_left, read_runs
from benchmarks.tables.catalogue import TABLES
from benchmarks.tables.report import report
from benchmarks.tables.runner import Job, Limits, perform


def main(arguments: list[str] | None = None) -> None:
    if run_part("tables", arguments, ("make", "messy", "drivers")):
        return
    parser = parser_of("tables", __doc__)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--forms", nargs="+", choices=["csv", "parquet"], default=["csv"])
    parser.add_argument("--rows", nargs="+", type=int, default=[200_000])
    parser.add_argument("--folder", type=Path, default=Path("build/tables"), help="of the files")
    parser.add_argument("--keep", action="store_true", help="keep the files")
    parser.add_argument("--seconds", type=float, default=600, help="stop a run after this")
    parser.add_argument("--megabytes", type=float, default=6_000, help="stop a run beyond this")
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = parser.parse_args(arguments)
    if asked.quick:
        asked.rows, asked.tables = [1_000], ["hospital", "churn"]
    asked.folder.mkdir(parents=True, exist_ok=True)
    # The command runs in a folder of its own.
    folder = asked.folder.resolve()
    limits = Limits(asked.seconds, asked.megabytes, folder, asked.output, asked.keep)
    jobs = [
        Job(asked.label, name, form, rows)
        for rows in asked.rows
        for form in asked.forms
        for name in asked.tables
    ]
    path = asked.output / "runs.csv"
    perform_left(
        jobs,
        path,
        partial(perform, limits=limits),
        lambda run: f"{run['table']}",
        asked.jobs,
        asked.minutes,
    )
    lines = head("Tables as people have them", "tables", arguments)
    write(asked.output / "report.md", lines + report(read_runs(path), asked.output))


if __name__ == "__main__":
    main()
