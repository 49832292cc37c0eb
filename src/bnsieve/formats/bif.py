"""BIF, the Bayesian interchange format: the one that every program of the field reads and writes.

Comes in: a file or text in the dialect of bnlearn, pgmpy, pyAgrum, JavaBayes and kin, or a network.
Goes out: a network, or a file that all of them read; `_bif_words` tells how odd labels are written.

Probabilities are written with as many digits as it takes to read the same number again, and kept
as they are read: write and read gives the same network to the last bit. Properties and comments
are skipped; BIF knows labels only as text.
"""

import gzip
import itertools
import zlib
from collections.abc import Hashable, Sequence
from os import PathLike
from pathlib import Path

from bnsieve.formats._bif_syntax import parse_document
from bnsieve.formats._bif_tables import build_network
from bnsieve.formats._bif_words import quote_label, quote_name
from bnsieve.formats.errors import FormatError
from bnsieve.network import BayesianNetwork

# Two hundred times the largest of the benchmark networks; a hostile gzip file can claim more.
MAX_BYTES = 1 << 30

_GZIP = b"\x1f\x8b"


def read_bif(path: str | PathLike[str], *, encoding: str = "utf-8") -> BayesianNetwork:
    """Read a network from a BIF file, plain or compressed with gzip.

    Parameters
    ----------
    path : str or path
    encoding : str, default "utf-8"
        How characters beyond ASCII are written.

    Returns
    -------
    BayesianNetwork
        Variables in the order of the file, tables exactly as written.

    Raises
    ------
    FormatError
        With line and column, if the file is not a complete and consistent network.
    OSError
        If the file cannot be opened.
    """
    content = _content(Path(path))
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        before = content[: error.start].decode(encoding, errors="replace")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise FormatError(
            f"this is not {encoding} text: read_bif takes the right encoding",
            line,
            column,
            str(path),
        ) from None
    return build_network(parse_document(text.removeprefix("\ufeff"), str(path)))


def parse_bif(text: str) -> BayesianNetwork:
    """Read a network from the text of a BIF file; see `read_bif`.

    Examples
    --------
    >>> parse_bif('''network weather { }
    ... variable rain { type discrete [ 2 ] { no, yes }; }
    ... probability ( rain ) { table 0.8, 0.2; }''')
    BayesianNetwork with 1 node, 0 arcs and 1 parameter
    """
    return build_network(parse_document(text, None))


def write_bif(
    network: BayesianNetwork, path: str | PathLike[str], *, name: str = "unknown"
) -> None:
    """Write a network as a BIF file.

    Parameters
    ----------
    network : BayesianNetwork
        Labels that are not strings are written as ``str(label)``.
    path : str or path
        Compressed with gzip if it ends in ``.gz``; the same network gives the same bytes.
    name : str, default "unknown"
        What the file calls the network.

    Raises
    ------
    ValueError
        If two labels of a variable are the same once they are text.
    """
    content = format_bif(network, name=name).encode()
    if str(path).endswith(".gz"):
        content = gzip.compress(content, compresslevel=9, mtime=0)
    Path(path).write_bytes(content)


def format_bif(network: BayesianNetwork, *, name: str = "unknown") -> str:
    """Return the text of a BIF file with this network; see `write_bif`."""
    labels = {node: _labels(node, levels) for node, levels in network.levels.items()}
    lines = [f"network {quote_name(name)} {{", "}"]
    for node, own in labels.items():
        lines += [
            f"variable {quote_name(node)} {{",
            f"  type discrete [ {len(own)} ] {{ {', '.join(own)} }};",
            "}",
        ]
    for node, parents in network.parents.items():
        given = f" | {', '.join(map(quote_name, parents))}" if parents else ""
        lines.append(f"probability ( {quote_name(node)}{given} ) {{")
        table = network.tables[node]
        rows = table.reshape(-1, table.shape[-1]).tolist()
        for configuration, row in zip(
            itertools.product(*(labels[parent] for parent in parents)), rows, strict=True
        ):
            head = f"({', '.join(configuration)})" if parents else "table"
            lines.append(f"  {head} {', '.join(map(repr, row))};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def _labels(node: str, levels: Sequence[Hashable]) -> list[str]:
    labels = [quote_label(str(label)) for label in levels]
    if len(set(labels)) < len(labels):
        raise ValueError(
            f"BIF knows labels only as text, and two labels of {node!r} are the same as text."
        )
    return labels


def _content(path: Path) -> bytes:
    """Return the bytes of a file, decompressed; refuse what is too large or damaged."""
    with path.open("rb") as file:
        compressed = file.read(2) == _GZIP
        file.seek(0)
        try:
            content = (gzip.GzipFile(fileobj=file) if compressed else file).read(MAX_BYTES + 1)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FormatError(f"the gzip file is damaged: {error}", 1, 1, str(path)) from None
    if len(content) > MAX_BYTES:
        raise FormatError(f"the file holds more than {MAX_BYTES:,} bytes", 1, 1, str(path))
    return content
