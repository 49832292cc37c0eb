"""How accurate the product is on networks that programs are usually compared on.

    python -m benchmarks accuracy --quick
    python -m benchmarks accuracy --peers benchmarks/accuracy/peers.csv
    python -m benchmarks accuracy --shuffle --seeds 5 --first-seed 100
    python -m benchmarks accuracy peers CACHE OUTPUT.csv      (other programs)

Skeleton and CPDAG against the truth at 5,000 rows, by scores and by tests, on one thread. With
``--shuffle`` columns come in an order, and under names, that the sample's seed draws. Every run is
written as soon as it is done, so that an interrupted study is taken up where it stopped. The report
is on the runs of one label, and sets columns in order beside columns shuffled where it has both.
"""

import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks.accuracy import peer_runs
from benchmarks.accuracy.report import report
from benchmarks.common.clock import timed
from benchmarks.common.networks import NETWORKS, network_of
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, write
from benchmarks.common.parts import run_part
from benchmarks.common.runs import perform_left, read_runs
from benchmarks.common.shuffled import as_it_is, shuffled
from bnsieve import TsetlinSieve
from bnsieve.metrics import compare

IN_ORDER, SHUFFLED = "in order", "shuffled"
QUICK_NETWORKS = ("insurance", "alarm")
METHODS = ("search", "tests")


@dataclass(frozen=True)
class Job:
    """One run of one configuration on one sample.

    Attributes
    ----------
    label : str
        Which version of the learner this is; runs of another label are others.
    configuration : str
        The learner's `method`.
    network : str
    columns : str
        "in order", as the sample has them, or "shuffled", their names too.
    rows, seed : int
        Of the sample; the seed is the learner's too.
    """

    label: str
    configuration: str
    network: str
    columns: str
    rows: int
    seed: int


def perform(job: Job) -> dict[str, object]:
    """Draw the sample, learn, and compare with the network."""
    rows = network_of(job.network).sample(job.rows, random_state=job.seed)
    sample = shuffled(rows, job.seed) if job.columns == SHUFFLED else as_it_is(rows)
    learner = TsetlinSieve(method=job.configuration, random_state=job.seed)  # type: ignore[arg-type]
    with threadpool_limits(1), timed() as spent:
        learner.fit(sample.data)
    found = compare(network_of(job.network), sample.restore(learner.graph_))
    return asdict(job) | {
        "seconds": spent.seconds,
        "cpu_seconds": spent.processor_seconds,
        "ci_tests": learner.fit_result_.n_tests,
        "edges": found.n_learned,
        "precision": found.precision,
        "recall": found.recall,
        "f1": found.f1,
        "shd": found.skeleton_shd,
        "cpdag_shd": found.shd,
    }


def main(arguments: list[str] | None = None) -> None:
    """Make the runs that are left, then write the report."""
    if run_part("accuracy", arguments, ("peers",)):
        return
    parser = parser_of("accuracy", __doc__)
    add = parser.add_argument
    add("--network", nargs="+", metavar="NAME", help="only these, such as child or er100d4s1")
    add("--method", nargs="+", choices=METHODS, default=METHODS)
    add("--shuffle", action="store_true", help="shuffle columns and their names by the seed")
    add("--peers", nargs="+", type=Path, default=[], help="tables of other programs' runs")
    add("--rows", type=int, default=5_000)
    add("--seeds", type=int, default=3, help="samples of each network")
    add("--first-seed", type=int, default=0, help="seed of the first sample")
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = parser.parse_args(arguments)
    networks = asked.network or (QUICK_NETWORKS if asked.quick else NETWORKS)
    if asked.quick:
        asked.rows, asked.seeds = 1_000, 1
    columns = SHUFFLED if asked.shuffle else IN_ORDER
    jobs = [
        Job(asked.label, method, network, columns, asked.rows, seed)
        for seed in range(asked.first_seed, asked.first_seed + asked.seeds)
        for network in networks
        for method in asked.method
    ]
    path = asked.output / "runs.csv"
    perform_left(
        jobs,
        path,
        perform,
        lambda run: f"{run['network']}, F1 {run['f1']:.3f}",
        asked.jobs,
        asked.minutes,
    )
    runs = read_runs(path)
    own = runs[(runs["label"] == asked.label) & (runs["rows"] == asked.rows)]
    peers = peer_runs.configuration_means(peer_runs.read_runs(asked.peers))
    lines = head("How accurate TsetlinSieve is", "accuracy", arguments)
    setting = f"Samples of {asked.rows:,} rows, columns {columns}."
    write(asked.output / "report.md", [*lines, setting, "", *report(own, columns, peers)])


if __name__ == "__main__":
    main()
