"""How exact and how fast answers are, beside pyAgrum.

    python -m benchmarks inference [PART ...] [--python PYTHON | --cache FOLDER] [--networks NAME]

Parts: ``margins`` asks for all margins, without evidence and with five random sets of it, and for
the most probable explanation; ``rows`` for one target of 10,000 rows with 30 % of the cells
missing; ``refusals`` for what the default setting refuses, and how soon. Each
is repeated three times; the report gives medians. Our turn and pyAgrum's alternate, each on one
thread. ``--python`` is an interpreter that has pyAgrum; with ``--cache`` an
environment is made in that folder. Without either pyAgrum is not asked. A stopped study goes on
where it was.
"""

import sys
from pathlib import Path

from benchmarks.common.environments import PEERS, python_of
from benchmarks.common.options import parser_of
from benchmarks.common.runs import perform_left
from benchmarks.inference.report import write_report
from benchmarks.inference.runner import Job, margins_run, pyagrum_version, refusal_run, rows_run
from bnsieve import list_networks

PARTS = ("margins", "rows", "refusals")
N_ROWS = 10_000
# pyAgrum answers rows for so long; its rows per second are of those it answered.
ROWS_SECONDS = 4.0
QUICK = ["asia", "cancer", "alarm"]


def main(arguments: list[str] | None = None) -> None:
    """Run the parts, then write the report of all runs so far."""
    parser = parser_of("inference", __doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all without")
    parser.add_argument("--networks", nargs="+")
    parser.add_argument("--python", type=Path, help="an interpreter that has pyAgrum")
    parser.add_argument("--cache", type=Path, help="folder for an environment with pyAgrum")
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args(arguments)
    for part in options.parts:
        if part not in PARTS:
            parser.error(f"there is no part {part!r}: {', '.join(PARTS)}")
    python = options.python.absolute() if options.python else None
    if options.cache:
        python = python_of("pyagrum-alone", [PEERS["pyagrum"]], options.cache)
    names = options.networks or (QUICK if options.quick else [n.name for n in list_networks()])
    n_repetitions = 1 if options.quick else options.repetitions
    n_rows = 500 if options.quick else N_ROWS
    jobs = [Job(options.label, name, r) for r in range(n_repetitions) for name in names]

    def run(part: str, runner: object, wanted: list[Job]) -> None:
        if not options.parts or part in options.parts:
            path = options.output / f"{part}.csv"
            perform_left(wanted, path, runner, _said, minutes=options.minutes)  # type: ignore[arg-type]

    run("margins", lambda job: {**vars(job), **margins_run(job, python)}, jobs)
    run("rows", lambda job: {**vars(job), **rows_run(job, python, n_rows, ROWS_SECONDS)}, jobs)
    run("refusals", lambda job: {**vars(job), **refusal_run(job)}, jobs[: len(names)])
    version = pyagrum_version(python) if python else "not asked"
    write_report(options.output, sys.argv[2:] if arguments is None else arguments, version)


def _said(run: dict[str, object]) -> str:
    return f"{run['network']} {run['repetition']}"


if __name__ == "__main__":
    main()
