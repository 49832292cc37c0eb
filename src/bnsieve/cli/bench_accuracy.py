"""``bnsieve bench accuracy``: how accurate the product is, and what each of its parts is worth."""

import functools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bnsieve import __version__
from bnsieve.bench import accuracy as experiment
from bnsieve.bench import interactions, record
from bnsieve.bench.ablations import CONFIGURATIONS, DEFAULTS
from bnsieve.bench.accuracy_plots import draw
from bnsieve.bench.accuracy_report import read_results, write_report
from bnsieve.bench.paper_plots import require_matplotlib
from bnsieve.bench.samples import NETWORKS
from bnsieve.cli.app import examples
from bnsieve.cli.bench import bench

STUDIES = ("networks", "interactions", "stability", "ablations", "rows")
QUICK_NETWORKS = ("insurance", "alarm")
INTERACTION_CONFIGURATIONS = ("search", "tests", "search, marginal")


@bench.command(
    epilog=examples(
        "bnsieve bench accuracy --quick",
        "bnsieve bench accuracy --samples samples --peers benchmarks/accuracy/peers.csv",
        "bnsieve bench accuracy --study networks --seeds 5 --first-seed 100",
        "bnsieve bench accuracy --study rows --rows 5000 --rows 50000 --network alarm",
    )
)
def accuracy(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for runs, report and pictures.")
    ] = Path("accuracy"),
    study: Annotated[
        list[str] | None, typer.Option(help=f"Only these, of {', '.join(STUDIES)}.")
    ] = None,
    network: Annotated[list[str] | None, typer.Option(help="Only these networks.")] = None,
    configuration: Annotated[
        list[str] | None, typer.Option(help="Only these: search, tests or an ablation's name.")
    ] = None,
    samples: Annotated[
        Path | None,
        typer.Option(help="Folder of NETWORK_SEED.npz files; without it samples are drawn."),
    ] = None,
    peers: Annotated[
        list[Path] | None, typer.Option(help="Table of other programs' runs; may be repeated.")
    ] = None,
    label: Annotated[
        str, typer.Option(help="Name of this version of the learner; the report is on it alone.")
    ] = f"bnsieve {__version__}",
    seeds: Annotated[int, typer.Option(min=1, help="Samples of each network.")] = 3,
    first_seed: Annotated[int, typer.Option(min=0, help="Seed of the first sample.")] = 0,
    rows: Annotated[
        list[int] | None, typer.Option(min=100, help="Sizes in the study of rows.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Two networks, small samples, one seed each.")
    ] = False,
) -> None:
    """Measure accuracy and cost of TsetlinSieve on published networks, one thread.

    Networks: skeleton and CPDAG against the truth at 5,000 rows, by scores and by tests.
    Interactions: exclusive ors, ten seeds. Stability: five seeds of the learner on one sample.
    Ablations: parts taken away. Rows: 500 to 500,000.

    Every run is written as soon as it is done, so that an interrupted study is taken up where it
    stopped. Without --study all are run; the report shows whatever the folder has.
    """
    require_matplotlib()
    studies = _chosen(study, STUDIES, "study")
    networks = _chosen(network, QUICK_NETWORKS if quick else NETWORKS, "network")
    configurations = _chosen(configuration, tuple(CONFIGURATIONS), "configuration")
    drawn_seeds = range(first_seed, first_seed + (1 if quick else seeds))
    size = 1_000 if quick else 5_000
    sizes = rows or ((500, 1_000) if quick else experiment.ROWS)
    origin = "drawn" if samples is None else "given"
    n_learners = 2 if quick else 5
    interaction_seeds = range(1 if quick else 10)
    # Ready to run: the jobs, the file their outcomes go to, and what performs them.
    plans: dict[str, tuple[Sequence[Any], str, Callable[[Any], Any]]] = {
        "networks": (
            experiment.network_jobs(
                label, networks, origin, size, drawn_seeds, _those(DEFAULTS, configurations)
            ),
            "runs",
            functools.partial(experiment.perform, folder=samples),
        ),
        "interactions": (
            interactions.jobs(
                label,
                _those(INTERACTION_CONFIGURATIONS, configurations),
                2_000 if quick else 5_000,
                interaction_seeds,
            ),
            "interactions",
            interactions.perform,
        ),
        "stability": (
            experiment.stability_jobs(label, networks, origin, size, first_seed, n_learners),
            "stability",
            functools.partial(experiment.perform_stability, folder=samples),
        ),
        "ablations": (
            experiment.ablation_jobs(label, networks, origin, size, drawn_seeds, configurations),
            "runs",
            functools.partial(experiment.perform, folder=samples),
        ),
        "rows": (
            experiment.row_jobs(label, networks, sizes, drawn_seeds),
            "runs",
            experiment.perform,
        ),
    }
    for name in studies:
        jobs, file, perform = plans[name]
        _run(name, jobs, output / f"{file}.csv", perform)
    results = read_results(output, label, size, peers or ())
    setting = f"Label: {label}. Samples of {size:,} rows where nothing else is said, one thread."
    for picture in draw(output, results):
        typer.echo(picture)
    typer.echo(write_report(output, results, setting))


def _those(names: Iterable[str], chosen: Sequence[str]) -> list[str]:
    return [name for name in names if name in chosen]


def _run(study: str, jobs: Sequence[Any], path: Path, perform: Callable[[Any], Any]) -> None:
    """Perform what the file does not have yet, with a progress bar."""
    left = record.left(jobs, path)
    columns = [TextColumn("{task.description}"), MofNCompleteColumn(), TimeRemainingColumn()]
    with Progress(*columns) as progress:
        task = progress.add_task(study, total=len(jobs), completed=len(jobs) - len(left))
        for outcome in record.perform_all(left, path, perform):
            network = getattr(outcome, "network", f"seed {outcome.seed}")
            progress.update(task, advance=1, description=f"{study}: {network}")


def _chosen(asked: list[str] | None, known: tuple[str, ...], kind: str) -> list[str]:
    unknown = [name for name in asked or () if name not in known]
    if unknown:
        raise ValueError(f"no {kind} {unknown[0]!r} here: choose from {', '.join(known)}")
    return [name for name in known if asked is None or name in asked]
