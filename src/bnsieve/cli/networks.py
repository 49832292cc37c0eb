"""``bnsieve networks``, ``sample`` and ``convert``: networks listed, drawn from and rewritten."""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from bnsieve.cli.app import AsJson, examples, print_grid, print_json, say
from bnsieve.cli.named import NameOrFile, load, load_tables
from bnsieve.cli.rows import write_rows
from bnsieve.exchange import list_networks, write
from bnsieve.graph import Graph


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the application."""
    app.command(epilog=examples("bnsieve networks", "bnsieve networks --json"))(networks)
    app.command(
        epilog=examples(
            "bnsieve sample asia --rows 5",
            "bnsieve sample alarm --rows 5000 --seed 0 -o alarm.csv",
            "bnsieve sample mine.bif --rows 100000000 --seed 1 -o rows.parquet",
        )
    )(sample)
    app.command(
        epilog=examples(
            "bnsieve convert alarm alarm.bif",
            "bnsieve convert mine.bif.gz mine.bif",
            "bnsieve convert mine.bif edges.csv",
            "bnsieve convert rows.csv rows.parquet",
            "bnsieve convert mine.xmlbif mine.json",
            "bnsieve convert alarm alarm.svg",
        )
    )(convert)


def networks(as_json: AsJson = False) -> None:
    """List the benchmark networks that come with bnsieve."""
    known = list_networks()
    if as_json:
        print_json([network._asdict() for network in known])
        return
    headers = [field.replace("_", " ") for field in known[0]._fields]
    rows = [[network.name, *(f"{value:,}" for value in network[1:])] for network in known]
    print_grid(headers, rows, numbers_from=1)


def sample(
    network: NameOrFile,
    rows: Annotated[int, typer.Option("--rows", "-n", min=1, help="How many rows.")] = 1000,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", "-s", min=0, help="The same seed gives the same rows; default: a new one."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="A .csv or .parquet file; default: CSV to standard output."
        ),
    ] = None,
) -> None:
    """Draw rows from a network, as data to try things on.

    Rows are drawn and written in pieces: any number of them fits in memory. Parquet files need
    bnsieve with the extra scale.
    """
    source = load_tables(network)
    if seed is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    write_rows(source, rows, seed, output)
    where = "standard output" if output is None else output
    say(
        f"wrote {rows:,} rows of {source.graph.n_nodes:,} columns to {where} (seed {seed})",
        err=True,
    )


def convert(
    source: Annotated[str, typer.Argument(help="A file, or a name that `bnsieve networks` lists.")],
    target: Annotated[Path, typer.Argument(help="The file to write; replaced if it is there.")],
) -> None:
    """Rewrite a network, or rows, in another format, known by the end of the file's name.

    .bif, .bif.gz, .xmlbif and .json hold graph and probability tables; .csv, .dot, .graphml, .cyjs
    (Cytoscape) and .modelstring (bnlearn) hold the graph only; .svg is a picture of it.

    To .parquet: the rows of a CSV file of any size, for learning from in two passes.
    """
    if target.suffix.lower() == ".svg":
        content = load(source)
        (content if isinstance(content, Graph) else content.graph).plot(target)
        return
    if target.suffix.lower() != ".parquet":
        write(load(source), target)
        return
    from bnsieve.rows.spill import convert_csv

    if not Path(source).is_file():
        raise FileNotFoundError(f"there is no file {source}: check the path")
    n_rows = convert_csv(source, target)
    say(f"{n_rows:,} rows written to {target}", err=True)
