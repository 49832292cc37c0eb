"""Which format a file is in, by the end of its name.

Comes in: a path. Goes out: the network or graph in the file; or the file, written. A new format is
one more entry in `FORMATS`.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from bnsieve.formats.bif import read_bif, write_bif
from bnsieve.formats.edges import read_edges, write_edges
from bnsieve.graph import Graph
from bnsieve.network import BayesianNetwork

FilePath: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True)
class Format:
    """One kind of file.

    Attributes
    ----------
    name : str
        What people call it.
    suffixes : tuple of str
        How the names of such files end, in lower case.
    content : {Graph, BayesianNetwork}
        What the files hold: the graph alone, or the probability tables as well.
    read : callable
        From a path to the content.
    write : callable
        From the content and a path to a file.
    """

    name: str
    suffixes: tuple[str, ...]
    content: type[Graph] | type[BayesianNetwork]
    read: Callable[[FilePath], Any]
    write: Callable[[Any, FilePath], None]


FORMATS = (
    Format("BIF", (".bif", ".bif.gz"), BayesianNetwork, read_bif, write_bif),
    Format("edge list", (".csv",), Graph, read_edges, write_edges),
)


def format_of(path: FilePath) -> Format:
    """Return the format of a file by the end of its name.

    Raises
    ------
    ValueError
        If no format has such files.
    """
    name = Path(path).name.lower()
    for known in FORMATS:
        if name.endswith(known.suffixes):
            return known
    suffixes = ", ".join(suffix for known in FORMATS for suffix in known.suffixes)
    raise ValueError(f"{os.fspath(path)} has no known format: its name must end in {suffixes}")


def read(path: FilePath) -> BayesianNetwork | Graph:
    """Read a file of any known format.

    Returns
    -------
    BayesianNetwork or Graph
        A graph where the format holds no probability tables.

    Raises
    ------
    FormatError
        With line and column, if the file is not what its name says.
    ValueError
        If no format has files of that name.
    OSError
        If the file cannot be opened.
    """
    content: BayesianNetwork | Graph = format_of(path).read(path)
    return content


def write(content: BayesianNetwork | Graph, path: FilePath) -> None:
    """Write a network or graph in the format that the file's name says.

    Of a network, a format for graphs keeps the graph only.

    Raises
    ------
    ValueError
        If the format needs probability tables and a graph has none, or no format has such files.
    """
    known = format_of(path)
    if known.content is Graph and isinstance(content, BayesianNetwork):
        content = content.graph
    if not isinstance(content, known.content):
        graph_suffixes = ", ".join(s for f in FORMATS if f.content is Graph for s in f.suffixes)
        raise ValueError(
            f"{known.name} holds probability tables, and a graph has none: write the graph to a "
            f"file that ends in {graph_suffixes}"
        )
    known.write(content, path)
