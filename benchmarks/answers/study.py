"""How far answers can be trusted: intervals, and effects.

    python -m benchmarks answers                  (all parts)
    python -m benchmarks answers --parts effects

Each part runs what its CSV file has no line of; ``report.md`` is written from all of them.

intervals: rows are drawn from known networks, and ten random questions asked. How often do 90 %
intervals hold the truth: with the true graph, and with a learned one, taken to be true or not?
effects: how far the effects of learned graphs are from the true ones.
"""

import sys

from benchmarks.answers import effects, intervals
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, write
from benchmarks.common.runs import perform_left, read_runs

PARTS = {"intervals": intervals, "effects": effects}


def main(arguments: list[str] | None = None) -> None:
    """Run the parts asked for, and write the report of all that have runs."""
    parser = parser_of("answers", __doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = parser.parse_args(arguments)
    lines = head("Answers", "answers", arguments)
    for name, part in PARTS.items():
        path = asked.output / f"{name}.csv"
        if name in asked.parts:
            perform_left(
                part.jobs(asked.quick),
                path,
                part.perform,
                lambda run: f"{run['network']} {run['seed']}",
                asked.jobs,
                asked.minutes,
            )
        if path.exists():
            lines += part.report(read_runs(path))
    write(asked.output / "report.md", lines)


if __name__ == "__main__":
    main()
