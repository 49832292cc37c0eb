"""How far effects can be trusted: coverage of intervals, signs, overlap, other programs beside.

    python -m benchmarks effects                     (200 networks, two sizes of samples)
    python -m benchmarks effects --peers CACHE       (the same, with DoWhy and EconML)
    python -m benchmarks effects published CACHE     (three public data sets)

Networks of 10 to 40 categories and numbers are drawn, a third with structural zeros, and a
treatment and an outcome in each. The contrast that `effect` reports is compared with the true one
on the population that it is about: with the true graph given, with tiers given and the graph
learned, and with the learned graph alone. With ``--peers`` the rows with overlap and the
adjustment set of the true graph are also given to DoWhy and EconML, installed in CACHE.

``runs.csv`` has a line for each sample and graph, ``peers.csv`` one for each estimator;
``report.md`` is written from both. What the first has is not run again.
"""

import sys
from functools import partial
from pathlib import Path

from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, write
from benchmarks.common.parts import run_part
from benchmarks.common.runs import append, left, performed, read_runs
from benchmarks.effects import report
from benchmarks.effects.peers import estimates
from benchmarks.effects.runner import ROWS, Job, Lines, contrast_lines

N_NETWORKS = 200
QUICK = (Job(1, 500), Job(3, 500))


def main(arguments: list[str] | None = None) -> None:
    """Run what is left, and write the report."""
    if run_part("effects", arguments, ("published",)):
        return
    parser = parser_of("effects", __doc__)
    parser.add_argument("--networks", type=int, default=N_NETWORKS)
    parser.add_argument("--first", type=int, default=0, help="number of the first network")
    parser.add_argument("--rows", nargs="+", type=int, default=list(ROWS))
    parser.add_argument("--peers", type=Path, metavar="CACHE", help="folder of environments")
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = parser.parse_args(arguments)
    numbers = range(asked.first, asked.first + asked.networks)
    jobs = list(QUICK) if asked.quick else [Job(k, n) for k in numbers for n in asked.rows]
    runs, peers = asked.output / "runs.csv", asked.output / "peers.csv"
    perform = partial(lines_of, cache=asked.peers)
    for found in performed(left(jobs, runs), perform, asked.jobs, asked.minutes):
        append(peers, found.peers)
        append(runs, found.runs)
        print(*(found.runs[0][name] for name in ("network", "rows")), flush=True)
    lines = head("Effects", "effects", arguments)
    lines += report.lines(read_runs(runs), read_runs(peers) if peers.exists() else None)
    write(asked.output / "report.md", lines)


def lines_of(job: Job, cache: Path | None) -> Lines:
    """Return the lines of one sample."""
    found = contrast_lines(job)
    if cache is None or found.rows is None:
        return found
    true_graph = found.runs[0]
    about = {
        name: true_graph[name] for name in ("network", "rows", "treatment", "outcome", "truth")
    }
    others = [one._asdict() for one in estimates(found.rows, cache)]
    ours = {
        "estimator": "bnsieve",
        "value": true_graph["difference"],
        "error": true_graph["error"],
        "seconds": true_graph["effect_seconds"],
        "failure": "",
    }
    return Lines(found.runs, [{**about, **one} for one in (ours, *others)], None)


if __name__ == "__main__":
    main()
