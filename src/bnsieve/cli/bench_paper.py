"""``bnsieve bench paper``: the paper's tables, run again."""

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bnsieve.bench import paper as experiment
from bnsieve.bench.paper_plots import draw, require_matplotlib
from bnsieve.bench.paper_report import write_report
from bnsieve.cli.app import examples
from bnsieve.cli.bench import bench


@bench.command(
    epilog=examples(
        "bnsieve bench paper --quick",
        "bnsieve bench paper -o results/paper --jobs 2",
        "bnsieve bench paper -o results/paper --algorithm tm --network alarm",
    )
)
def paper(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for tables, report and pictures.")
    ] = Path("paper"),
    runs: Annotated[int, typer.Option(min=1, help="Runs of each algorithm on each network.")] = 10,
    rows: Annotated[int, typer.Option(min=100, help="Rows of each sample.")] = 5000,
    network: Annotated[list[str] | None, typer.Option(help="Only these networks.")] = None,
    algorithm: Annotated[list[str] | None, typer.Option(help="Only these algorithms.")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Two networks, two runs of 2,000 rows each.")
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Threads; -1 for all.")] = 1,
) -> None:
    """Repeat the paper's experiment: seven networks, five algorithms, ten runs, two heatmaps.

    Writes runs.csv as it goes, so that an interrupted run is taken up where it stopped; then
    summary.csv, report.md with the paper's figures beside ours, and pictures.
    """
    require_matplotlib()
    networks = _chosen(network, experiment.NETWORKS, "network")
    algorithms = _chosen(algorithm, tuple(experiment.ALGORITHMS), "algorithm")
    if quick:
        networks, runs, rows = (
            [name for name in networks if name in ("insurance", "alarm")],
            2,
            2000,
        )
    wanted = experiment.jobs(networks, algorithms, runs, rows)
    if "tm" in algorithms and network is None:
        wanted += experiment.heatmap_jobs(min(runs, 1) if quick else runs, rows)
    path = output / "runs.csv"
    left = experiment.missing(wanted, path)
    columns = [TextColumn("{task.description}"), MofNCompleteColumn(), TimeRemainingColumn()]
    with Progress(*columns) as progress:
        task = progress.add_task("runs", total=len(wanted), completed=len(wanted) - len(left))
        for outcome in experiment.perform_all(left, path, jobs):
            description = f"{outcome.algorithm} on {outcome.network}, F1 {outcome.f1:.2f}"
            progress.update(task, advance=1, description=description)
    setting = (
        f"{runs} runs of {rows:,} rows per network and algorithm, each run on a sample of its own. "
        f"Command: `bnsieve bench paper --runs {runs} --rows {rows}`."
    )
    write_report(output, setting)
    for picture in draw(output):
        typer.echo(picture)
    typer.echo(output / "report.md")


def _chosen(asked: list[str] | None, known: tuple[str, ...], kind: str) -> list[str]:
    unknown = [name for name in asked or () if name not in known]
    if unknown:
        raise ValueError(f"no {kind} {unknown[0]!r} here: choose from {', '.join(known)}")
    return [name for name in known if asked is None or name in asked]
