"""``bnsieve networks``, ``sample`` and ``convert``: list networks, draw rows, convert files.

Rows are drawn and written piece by piece, only one of them in memory at a time. A file appears
under its name once it is complete.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, TextIO

import numpy as np
import typer
from rich.console import Console
from rich.progress import track

from bnsieve.cli.app import print_grid, print_json, say
from bnsieve.cli.models import OpenedModel, open_model, resolve
from bnsieve.cli.options import (
    AsJson,
    HeaderRow,
    MissingText,
    Model,
    RowCount,
    Seed,
    SheetName,
    seed_or_new,
)
from bnsieve.cli.outputs import require_apart
from bnsieve.exchange import csv_field, list_networks, write
from bnsieve.graph import Graph
from bnsieve.network import BayesianNetwork, unrolled_network
from bnsieve.text import replacing

EXAMPLES = {
    "networks": ("bnsieve networks", "bnsieve networks --json"),
    "sample": (
        "bnsieve sample asia --rows 5",
        "bnsieve sample alarm --rows 5000 --seed 0 -o alarm.csv",
        "bnsieve sample mine.bif --rows 100000000 --seed 1 -o rows.parquet",
    ),
    "convert": (
        "bnsieve convert alarm alarm.bif",
        "bnsieve convert mine.bif.gz mine.bif",
        "bnsieve convert mine.bif edges.csv",
        "bnsieve convert rows.csv rows.parquet",
        "bnsieve convert mine.xmlbif mine.json",
        "bnsieve convert alarm alarm.svg",
        "bnsieve convert data-network pag.svg --pag",
        "bnsieve convert readings-network slices.bif --slices 3",
    ),
}
# Cells per piece, about: enough for fast columns, and some 100 MB of Python strings for CSV.
_PIECE_CELLS = 10_000_000


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
    network: Model,
    rows: RowCount = 1000,
    seed: Seed = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="A .csv or .parquet file; default: CSV to standard output."
        ),
    ] = None,
) -> None:
    """Draw rows from a network.

    Rows are drawn and written in pieces, so any number of them fits in memory.
    """
    source = open_model(network).network
    seed = seed_or_new(seed)
    write_rows(source, rows, seed, output)
    where = "standard output" if output is None else output
    say(
        f"wrote {rows:,} rows of {source.graph.n_nodes:,} columns to {where} (seed {seed})",
        err=True,
    )


def convert(
    source: Annotated[
        str,
        typer.Argument(
            help="A folder that `bnsieve learn` wrote, a file of a network or a saved learner, a "
            "name that `bnsieve networks` lists; to .parquet: rows."
        ),
    ],
    target: Annotated[Path, typer.Argument(help="The file to write; replaced if it exists.")],
    pag: Annotated[
        bool,
        typer.Option("--pag", help="Write its PAG, which allows hidden common causes."),
    ] = False,
    slices: Annotated[
        int | None,
        typer.Option(min=1, help="Repeat a network learned with --time over this many steps."),
    ] = None,
    na: MissingText = None,
    sheet: SheetName = None,
    header_row: HeaderRow = None,
) -> None:
    """Convert a network, a graph or rows to another format.

    The file name extension selects the format.

    .bif, .bif.gz, .xmlbif and .json hold graph and probability tables. .csv, .dot, .graphml, .cyjs
    (Cytoscape), .modelstring (bnlearn) and .txt (Tetrad) hold the graph only. .svg is a picture of
    it. A PAG is written to .svg, .dot or .txt.

    A network learned with --time has nodes such as valve and valve@t-1. --slices repeats it over
    several steps: valve@t, valve@t+1. The variables of the first slices are independent.

    A .parquet target takes rows: CSV files of any size, a folder of them, an Excel workbook, or
    piped CSV.
    """
    if Path(source).is_file():
        require_apart((target,), (Path(source),), "TARGET")
    if pag or slices is not None or target.suffix.lower() != ".parquet":
        model = resolve(source)
        network = model if isinstance(model, Graph) else model.network
        if slices is not None:
            network = _unrolled(model, slices)
        graph = network if isinstance(network, Graph) else network.graph
        if target.suffix.lower() == ".svg":
            (graph.to_pag() if pag else graph).plot(target)
        else:
            write(graph.to_pag() if pag else network, target)
        written = "PAG" if pag else "graph" if isinstance(network, Graph) else "network"
        say(f"{written} written to {target}", err=True)
        return
    from bnsieve.rows import convert_rows

    n_rows = convert_rows(source, target, na or (), sheet=sheet, header_row=header_row)
    say(f"{n_rows:,} rows written to {target}", err=True)


def _unrolled(model: OpenedModel | Graph, steps: int) -> BayesianNetwork:
    """Return a network over time repeated over several steps, numbers in bins."""
    learner = None if isinstance(model, Graph) else model.learner
    timeline = None if learner is None else learner.fit_result_.timeline
    if isinstance(model, Graph) or timeline is None or not timeline.has_lags:
        raise ValueError("--slices takes the folder of a network that was learned with --time")
    return unrolled_network(model.network.parts, timeline, steps, None)


def write_rows(network: BayesianNetwork, n_rows: int, seed: int, path: Path | None) -> None:
    """Draw rows and write them to a ``.csv`` or ``.parquet`` file.

    Parameters
    ----------
    network : BayesianNetwork
    n_rows : int
    seed : int
        The rows are those of ``network.sample(n_rows, seed)``.
    path : Path or None
        None: CSV to standard output.
    """
    if not network.graph.nodes:
        raise ValueError("the network has no variables: there is nothing to draw")
    if path is None:
        _write_csv(network, n_rows, seed, sys.stdout)
        return
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise ValueError(f"{path} must end in .csv or .parquet")
    with replacing(path) as partial:
        if path.suffix.lower() == ".csv":
            with partial.open("w", encoding="utf-8", newline="") as file:
                _write_csv(network, n_rows, seed, file)
        else:
            _write_parquet(network, n_rows, seed, partial)


def _write_csv(network: BayesianNetwork, n_rows: int, seed: int, file: TextIO) -> None:
    nodes = network.graph.nodes
    if network.numbers:
        for first, n in _pieces(n_rows, len(nodes)):
            frame = network.sample(n, seed, first_row=first)
            frame.to_csv(file, header=first == 0, index=False, lineterminator="\n")
        return
    # Every cell is one of few states: each is quoted once, with the separator that follows it.
    ends = [*"," * (len(nodes) - 1), "\n"]
    cells = [
        np.array([csv_field(str(label)) + end for label in network.states[node]], dtype=object)
        for node, end in zip(nodes, ends, strict=True)
    ]
    file.write("".join(csv_field(node) + end for node, end in zip(nodes, ends, strict=True)))
    for first, n in _pieces(n_rows, len(nodes)):
        codes = network.sample_codes(n, seed, first_row=first)
        columns = [labels[column] for labels, column in zip(cells, codes, strict=True)]
        file.write("".join(map("".join, zip(*columns, strict=True))))


def _write_parquet(network: BayesianNetwork, n_rows: int, seed: int, path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.Schema.from_pandas(network.sample(1, seed), preserve_index=False)
    with parquet.ParquetWriter(path, schema) as writer:
        for first, n in _pieces(n_rows, network.graph.n_nodes):
            frame = network.sample(n, seed, first_row=first)
            writer.write_table(pa.Table.from_pandas(frame, schema, preserve_index=False))


def _pieces(n_rows: int, n_columns: int) -> Iterator[tuple[int, int]]:
    """Yield the first row and the length of each piece, with a progress bar on a terminal."""
    step = max(1, _PIECE_CELLS // n_columns)
    starts: Sequence[int] = range(0, n_rows, step)
    console = Console(stderr=True)
    quiet = len(starts) == 1 or not console.is_terminal
    for first in track(starts, "drawing rows", console=console, transient=True, disable=quiet):
        yield first, min(step, n_rows - first)
