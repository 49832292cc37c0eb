"""``bnsieve bench scale``: time and memory against rows, columns and workers."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from bnsieve.bench import scale as study
from bnsieve.catalogue import load_network
from bnsieve.cli.app import examples
from bnsieve.cli.bench import bench


class What(StrEnum):
    """What to measure."""

    PASSES = "passes"
    LEARNING = "learning"
    SAMPLE = "sample"
    UPDATE = "update"
    WIDE = "wide"


@bench.command(
    epilog=examples(
        "bnsieve bench scale passes --rows 20000000 --files 8 --threads 1 --threads 2 --repeats 3",
        "bnsieve bench scale passes --rows 20000000 --files 8 --engine ray",
        "bnsieve bench scale learning --rows 1000000",
        "bnsieve bench scale sample --size 5000 --size 10000 --size 20000",
        "bnsieve bench scale update --rows 20000000 --files 20",
        "bnsieve bench scale wide --columns 1000 --rows 5000",
    )
)
def scale(
    what: Annotated[What, typer.Argument(help="What to measure.")],
    network: Annotated[str, typer.Option(help="The network that rows are drawn from.")] = "alarm",
    rows: Annotated[int, typer.Option(min=100, help="How many rows.")] = 1_000_000,
    files: Annotated[int, typer.Option(min=1, help="In how many files.")] = 8,
    columns: Annotated[int, typer.Option(min=10, help="Columns of the random network.")] = 100,
    threads: Annotated[list[int] | None, typer.Option(help="Threads; may be repeated.")] = None,
    engine: Annotated[str, typer.Option(help="local, ray or the address of a cluster.")] = "local",
    size: Annotated[list[int] | None, typer.Option(help="Sample sizes; may be repeated.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="How often.")] = 1,
    folder: Annotated[Path, typer.Option(help="Where files are written and kept.")] = Path("rows"),
    output: Annotated[Path, typer.Option("--output", "-o", help="CSV file to add to.")] = Path(
        "measures.csv"
    ),
) -> None:
    """Measure learning from many rows or columns; figures are added to a CSV file.

    passes: reading alone, the first pass, the second. learning: all of it. sample: F1 against the
    size of the sample. update: new rows. wide: many columns in memory.
    """

    def measures() -> Iterator[study.Measure]:
        workers = [(engine, count) for count in threads or [1]]
        if what is What.WIDE:
            yield from study.measure_wide(columns, rows, (threads or [1])[0], repeats)
            return
        place = folder / f"{network}-{rows}-{files}"
        study.parquet_rows(load_network(network), rows, files, place)
        if what is What.PASSES:
            yield from study.measure_passes(network, rows, place, workers, repeats)
        elif what is What.LEARNING:
            yield from study.measure_learning(network, rows, place, workers, repeats)
        elif what is What.SAMPLE:
            sizes = size or [2_500, 5_000, 10_000, 20_000]
            yield from study.measure_sample(network, rows, place, sizes, repeats)
        else:
            yield from study.measure_update(network, rows, place, repeats)

    for one in study.record(output, measures()):
        typer.echo(
            f"{one.what}, {one.network}, {one.rows:,} rows, {one.engine} {one.workers}: "
            f"{one.seconds:.2f} s ({one.processor_seconds:.2f} s of processor), "
            f"{one.peak_mb:.0f} MB, F1 {one.f1:.3f} {one.detail}"
        )
