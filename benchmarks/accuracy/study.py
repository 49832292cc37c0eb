"""How accurate the product is, what each of its parts is worth, and how it compares.

    python -m benchmarks accuracy --quick
    python -m benchmarks accuracy --samples samples --peers benchmarks/accuracy/peers.csv
    python -m benchmarks accuracy --study networks --seeds 5 --first-seed 100
    python -m benchmarks accuracy --study networks --shuffle
    python -m benchmarks accuracy --study rows --rows 5000 50000 --network alarm
    python -m benchmarks accuracy peers CACHE OUTPUT.csv      (other programs)

Networks: skeleton and CPDAG against the truth at 5,000 rows, by scores and by tests. Interactions:
exclusive ors, ten seeds. Stability: five seeds of the learner on one sample. Ablations: parts taken
away. Rows: 500 to 500,000. All of it on one thread.

Every run is written as soon as it is done, so that an interrupted study is taken up where it
stopped. Without ``--study`` all are run; the report shows whatever the folder has. With
``--shuffle`` columns come in an order, and under names, that the sample's seed draws; the report is
then on these runs, and where the folder has both sets them side by side. Those of interactions are
always in a random order.
"""

import argparse
import functools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.accuracy import interactions, runner
from benchmarks.accuracy.ablations import CONFIGURATIONS, DEFAULTS
from benchmarks.accuracy.plots import draw
from benchmarks.accuracy.report import read_results, write_report
from benchmarks.common.networks import NETWORKS
from benchmarks.common.parts import run_part
from benchmarks.common.pictures import require_matplotlib
from benchmarks.common.runs import perform_left
from bnsieve import __version__

STUDIES = ("networks", "interactions", "stability", "ablations", "rows")
QUICK_NETWORKS = ("insurance", "alarm")
INTERACTION_CONFIGURATIONS = ("search", "tests", "search, marginal")

# Ready to run: the jobs, the file their outcomes go to, and what performs them.
Plan = tuple[Sequence[Any], str, Callable[[Any], Any]]


def main(arguments: list[str] | None = None) -> None:
    """Run the studies asked for, then write the report and its pictures."""
    if run_part("accuracy", arguments, ("peers",)):
        return
    options = _parser().parse_args(arguments)
    require_matplotlib()
    plans = _plans(options)
    for name in options.study:
        jobs, file, perform = plans[name]
        describe = functools.partial(_described, name)
        perform_left(jobs, options.output / f"{file}.csv", perform, describe)
    size = _size(options)
    columns = _columns(options)
    results = read_results(options.output, options.label, size, options.peers, columns)
    setting = (
        f"Label: {options.label}. Samples of {size:,} rows where nothing else is said, columns "
        f"{columns}, one thread."
    )
    for picture in draw(options.output, results):
        print(picture)
    print(write_report(options.output, results, setting))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks accuracy",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--output", "-o", type=Path, default=Path("accuracy"), help="folder for all that is made")
    add("--study", nargs="+", choices=STUDIES, default=STUDIES, metavar="STUDY", help="only these")
    add("--network", nargs="+", metavar="NAME", help="only these, such as child or er100d4s1")
    add("--configuration", nargs="+", choices=list(CONFIGURATIONS), help="only these")
    add("--samples", type=Path, help="folder of NETWORK_SEED.npz files; else samples are drawn")
    add("--shuffle", action="store_true", help="shuffle columns and their names by the seed")
    add("--peers", nargs="+", type=Path, default=[], help="tables of other programs' runs")
    label = f"bnsieve {__version__}"
    add("--label", default=label, help="name of this version; the report is on it alone")
    add("--seeds", type=int, default=3, help="samples of each network")
    add("--first-seed", type=int, default=0, help="seed of the first sample")
    add("--rows", nargs="+", type=int, help="sizes in the study of rows")
    add("--quick", action="store_true", help="two networks, small samples, one seed each")
    return parser


def _size(options: argparse.Namespace) -> int:
    return 1_000 if options.quick else 5_000


def _columns(options: argparse.Namespace) -> str:
    return runner.SHUFFLED if options.shuffle else runner.IN_ORDER


def _plans(options: argparse.Namespace) -> dict[str, Plan]:
    quick, label, samples = options.quick, options.label, options.samples
    networks = options.network or (QUICK_NETWORKS if quick else NETWORKS)
    configurations = options.configuration or list(CONFIGURATIONS)
    seeds = range(options.first_seed, options.first_seed + (1 if quick else options.seeds))
    size = _size(options)
    sizes = options.rows or ((500, 1_000) if quick else runner.ROWS)
    origin = "drawn" if samples is None else "given"
    columns = _columns(options)
    perform = functools.partial(runner.perform, folder=samples)
    return {
        "networks": (
            runner.network_jobs(
                label, networks, origin, size, seeds, _those(DEFAULTS, configurations), columns
            ),
            "runs",
            perform,
        ),
        "interactions": (
            interactions.jobs(
                label,
                _those(INTERACTION_CONFIGURATIONS, configurations),
                2_000 if quick else 5_000,
                range(1 if quick else 10),
            ),
            "interactions",
            interactions.perform,
        ),
        "stability": (
            runner.stability_jobs(
                label, networks, origin, size, options.first_seed, 2 if quick else 5, columns
            ),
            "stability",
            functools.partial(runner.perform_stability, folder=samples),
        ),
        "ablations": (
            runner.ablation_jobs(label, networks, origin, size, seeds, configurations, columns),
            "runs",
            perform,
        ),
        "rows": (runner.row_jobs(label, networks, sizes, seeds, columns), "runs", runner.perform),
    }


def _those(names: Iterable[str], chosen: Sequence[str]) -> list[str]:
    return [name for name in names if name in chosen]


def _described(study: str, run: Any) -> str:
    return f"{study}: {getattr(run, 'network', f'seed {run.seed}')}"


if __name__ == "__main__":
    main()
