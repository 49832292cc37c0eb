"""``bnsieve bench scale``: time and memory against rows, columns and workers."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from bnsieve.bench import scale as study
from bnsieve.bench.scale_costs import pass_ratios, read_studies
from bnsieve.bench.scale_measure import Measure
from bnsieve.bench.scale_report import write_report
from bnsieve.cli.app import OneLineErrors, examples, print_grid
from bnsieve.cli.bench import bench
from bnsieve.watch import watched

scale = typer.Typer(
    cls=OneLineErrors,
    no_args_is_help=True,
    help="Time and memory against rows, columns and workers. Each study adds to a CSV file as it "
    "goes, and what the file has is not measured again; `report` makes tables and pictures.",
)
bench.add_typer(scale, name="scale")

Output = Annotated[Path, typer.Option("--output", "-o", help="Folder of the results.")]
Place = Annotated[Path, typer.Option("--folder", help="Where rows are written.")]
Delete = Annotated[bool, typer.Option("--delete", help="Delete rows once they are done with.")]
Network = Annotated[str, typer.Option(help="The network that rows are drawn from.")]
Rows = Annotated[int, typer.Option(min=100, help="How many rows.")]
Files = Annotated[int, typer.Option(min=1, help="In at most how many files.")]
Threads = Annotated[int, typer.Option(min=1, help="Threads.")]
Repeats = Annotated[int, typer.Option(min=1, help="How often.")]
_OUTPUT = Path("scale")
_PLACE = Path("rows")
_MILLION = 10**6


@scale.command(
    epilog=examples(
        "bnsieve bench scale rows --delete",
        "bnsieve bench scale rows --size 1000000 --size 10000000 --threads 2 -o two-threads",
    )
)
def rows(
    size: Annotated[
        list[int] | None,
        typer.Option(min=100, help="How many rows; may be repeated. Default: 10^4 to 10^8."),
    ] = None,
    network: Network = "alarm",
    files: Files = 8,
    threads: Threads = 1,
    repeats: Repeats = 3,
    folder: Place = _PLACE,
    delete: Delete = False,
    output: Output = _OUTPUT,
) -> None:
    """Learn from more and more rows, beside reading them only; each in a process of its own."""
    sizes = size or [10**n for n in range(4, 9)]
    jobs = study.row_jobs(network, sizes, files, threads, repeats)
    _show(study.learn_all(jobs, folder, output / "rows.csv", delete=delete))


@scale.command(
    epilog=examples(
        "bnsieve bench scale variables --threads 2 --delete",
        "bnsieve bench scale variables --size 10000 --rows 1000000",
    )
)
def variables(
    size: Annotated[
        list[int] | None,
        typer.Option(min=10, help="How many columns; may be repeated. Default: 100 to 10,000."),
    ] = None,
    rows: Rows = 5_000,
    threads: Threads = 1,
    repeats: Repeats = 1,
    folder: Place = _PLACE,
    delete: Delete = False,
    output: Output = _OUTPUT,
) -> None:
    """Learn from more and more columns, of random sparse networks; in a process of its own."""
    sizes = size or [100, 300, 1_000, 3_000, 10_000]
    jobs = study.variable_jobs(sizes, rows, threads, repeats)
    _show(study.learn_all(jobs, folder, output / "variables.csv", delete=delete))


@scale.command(
    epilog=examples(
        "bnsieve bench scale passes",
        "bnsieve bench scale passes --threads 2 --workers 1 --workers 2 --workers 3",
    )
)
def passes(
    threads: Annotated[
        list[int] | None, typer.Option(min=1, help="Threads; may be repeated. Default: 1 and 2.")
    ] = None,
    workers: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Workers of a Ray cluster on this machine; may be repeated."),
    ] = None,
    network: Network = "alarm",
    rows: Rows = 20 * _MILLION,
    files: Files = 8,
    repeats: Repeats = 3,
    folder: Place = _PLACE,
    output: Output = _OUTPUT,
) -> None:
    """Time both passes beside reading only; all engines take turns. Prints medians of ratios."""
    engines = [("local", n) for n in threads or [1, 2]] + [("ray", n) for n in workers or []]
    jobs = study.pass_jobs(network, rows, files, engines, repeats)
    _show(study.time_passes(jobs, folder, output / "passes.csv"))
    _print_ratios(output)


@scale.command(epilog=examples("bnsieve bench scale sample --network insurance --rows 300000"))
def sample(
    size: Annotated[
        list[int] | None,
        typer.Option(min=100, help="Of the sample; may be repeated. Default: 2,500 to 40,000."),
    ] = None,
    network: Network = "alarm",
    rows: Rows = _MILLION,
    files: Files = 8,
    repeats: Repeats = 3,
    folder: Place = _PLACE,
    output: Output = _OUTPUT,
) -> None:
    """Learn from the same rows with samples of several sizes."""
    sizes = size or [2_500, 5_000, 10_000, 20_000, 40_000]
    jobs = study.sample_jobs(network, rows, files, sizes, repeats)
    _show(study.learn_all(jobs, folder, output / "sample.csv"))


@scale.command(epilog=examples("bnsieve bench scale update --rows 20000000 --files 20"))
def update(
    network: Network = "alarm",
    rows: Rows = 20 * _MILLION,
    files: Annotated[int, typer.Option(min=2, help="In how many files; a tenth is new.")] = 20,
    repeats: Repeats = 3,
    folder: Place = _PLACE,
    output: Output = _OUTPUT,
) -> None:
    """Add a tenth of the rows to the others, beside counting them all; the counts are compared."""
    path = output / "update.csv"
    _show(study.time_updates(network, rows, files, repeats, folder, path))


@scale.command(epilog=examples("bnsieve bench scale report benchmarks/results/scale"))
def report(
    folder: Annotated[Path, typer.Argument(help="Folder of the results, where it is written.")],
) -> None:
    """Write README.md and pictures from the CSV files of a folder; measures nothing."""
    for path in write_report(folder):
        typer.echo(path)


def _show(measures: Iterator[Measure]) -> None:
    """Print measures as they come; meanwhile, on a terminal, what is being done."""
    shown = _stage if sys.stderr.isatty() else None
    with watched(shown):
        for one in measures:
            if shown:
                _stage("", "")
            typer.echo(_line(one))


def _stage(stage: str, progress: str) -> None:
    typer.echo(f"\r\x1b[K{stage} {progress}", err=True, nl=False)


def _line(one: Measure) -> str:
    return (
        f"{one.what}, {one.network}, {one.rows:,} rows x {one.columns:,}, {one.engine} "
        f"{one.workers}, repeat {one.repeat}: {one.seconds:.2f} s, processor "
        f"{one.processor_seconds:.2f} s, peak {one.peak_mb:.0f} MB, F1 {one.f1:.3f}"
    )


def _print_ratios(output: Path) -> None:
    table = pass_ratios(read_studies(output)["passes"])
    headers = ["network", "rows", "engine", "n", "reading s"]
    headers += ["1st pass", "2nd pass", "processor", "to threads"]
    figures = ("reading", "first_ratio", "second_ratio", "second_processor", "to_threads")
    lines = [
        [
            *(f"{line[name]}" for name in ("network", "rows", "engine", "workers")),
            *(f"{line[name]:.2f}" for name in figures),
        ]
        for line in table.reset_index().to_dict("records")
    ]
    print_grid(headers, lines, numbers_from=3)
