"""Rows drawn from a network -> a CSV or Parquet file, piece by piece.

Only one piece is in memory at a time. A file appears under its name once it is complete.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

import numpy as np
from rich.console import Console
from rich.progress import track

from bnsieve.exchange import csv_field
from bnsieve.network import BayesianNetwork

# Cells per piece, about: enough for fast columns, and some 100 MB of Python strings for CSV.
_PIECE_CELLS = 10_000_000


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
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".parquet"):
        raise ValueError(f"{path} must end in .csv or .parquet")
    partial = path.with_name(path.name + ".part")
    try:
        if suffix == ".csv":
            with partial.open("w", encoding="utf-8", newline="") as file:
                _write_csv(network, n_rows, seed, file)
        else:
            _write_parquet(network, n_rows, seed, partial)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _write_csv(network: BayesianNetwork, n_rows: int, seed: int, file: TextIO) -> None:
    nodes = network.graph.nodes
    if network.numbers:
        for first, n in _pieces(n_rows, len(nodes)):
            frame = network.sample(n, seed, first_row=first)
            frame.to_csv(file, header=first == 0, index=False, lineterminator="\n")
        return
    # Every cell is one of few labels: each is quoted once, with the separator that follows it.
    ends = [*"," * (len(nodes) - 1), "\n"]
    cells = [
        np.array([csv_field(str(label)) + end for label in network.levels[node]], dtype=object)
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

    writer = None
    try:
        for first, n in _pieces(n_rows, network.graph.n_nodes):
            frame = network.sample(n, seed, first_row=first)
            piece = pa.Table.from_pandas(frame, preserve_index=False)
            writer = writer or parquet.ParquetWriter(path, piece.schema)
            writer.write_table(piece)
    finally:
        if writer is not None:
            writer.close()


def _pieces(n_rows: int, n_columns: int) -> Iterator[tuple[int, int]]:
    """Yield the first row and the length of each piece, with a progress bar on a terminal."""
    step = max(1, _PIECE_CELLS // n_columns)
    starts: Sequence[int] = range(0, n_rows, step)
    console = Console(stderr=True)
    quiet = len(starts) == 1 or not console.is_terminal
    for first in track(starts, "drawing rows", console=console, transient=True, disable=quiet):
        yield first, min(step, n_rows - first)
