"""Edge lists: a CSV file with the columns ``from`` and ``to``, one edge to a row.

Comes in: such a file. Goes out: a `Graph`; and back. An undirected edge is listed in both
directions, as bnlearn's ``arcs`` does; a node without edges is a row with an empty ``to``. Columns
of other names are ignored.
"""

import csv
import os
from pathlib import Path

from bnsieve.formats.errors import FormatError
from bnsieve.graph import Graph


def read_edges(path: str | os.PathLike[str]) -> Graph:
    """Read a graph from an edge list.

    Parameters
    ----------
    path : str or path-like
        A CSV file in UTF-8 whose first row names the columns ``from`` and ``to``.

    Returns
    -------
    Graph
        Its nodes are those that the file names, in order of appearance.

    Raises
    ------
    FormatError
        If a column is missing, or a row names no ``from`` node or repeats an edge.
    ValueError
        If the arrows make a cycle.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, strict=True)
            tail, head = _columns(next(rows, []), os.fspath(path))
            listed: dict[tuple[str, str], None] = {}
            nodes: dict[str, None] = {}
            for row in rows:
                if not row:
                    continue
                ends = tuple(row[i] if i < len(row) else "" for i in (tail, head))
                problem = _problem(ends, listed)
                if problem:
                    raise FormatError(problem, rows.line_num, 1, os.fspath(path))
                nodes.update(dict.fromkeys(end for end in ends if end))
                if ends[1]:
                    listed[ends[0], ends[1]] = None
    except csv.Error as error:
        raise FormatError(f"not a CSV row: {error}", rows.line_num, 1, os.fspath(path)) from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{os.fspath(path)} is not text in UTF-8: save it as such") from error
    place = {edge: i for i, edge in enumerate(listed)}
    return Graph(
        nodes,
        directed=[edge for edge in listed if edge[::-1] not in listed],
        undirected=[edge for edge in listed if place[edge] < place.get(edge[::-1], -1)],
    )


def write_edges(graph: Graph, path: str | os.PathLike[str]) -> None:
    """Write a graph as an edge list.

    Parameters
    ----------
    graph : Graph
    path : str or path-like
        Where to; a file that is there is replaced.

    Raises
    ------
    ValueError
        If a node's name is empty, which an edge list cannot say.
    """
    if "" in graph.nodes:
        raise ValueError("an edge list cannot name a node whose name is empty: rename it")
    rows = [*graph.directed_edges]
    for a, b in graph.undirected_edges:
        rows += [(a, b), (b, a)]
    joined = {node for row in rows for node in row}
    rows += [(node, "") for node in graph.nodes if node not in joined]
    lines = [f"{csv_field(tail)},{csv_field(head) if head else ''}\n" for tail, head in rows]
    Path(path).write_text("".join(["from,to\n", *lines]), encoding="utf-8", newline="")


def csv_field(text: str) -> str:
    """Write one cell of a CSV file, quoted where it must be.

    Before Python 3.13 the standard library's writer leaves a lone carriage return unquoted.
    """
    if text and not any(mark in text for mark in ',"\r\n'):
        return text
    return '"' + text.replace('"', '""') + '"'


def _columns(header: list[str], path: str) -> tuple[int, int]:
    names = [name.strip() for name in header]
    for name in ("from", "to"):
        if name not in names:
            found = ", ".join(map(repr, names[:5])) or "nothing"
            raise FormatError(
                f"an edge list needs the columns 'from' and 'to', found {found}", 1, 1, path
            )
    return names.index("from"), names.index("to")


def _problem(ends: tuple[str, ...], listed: dict[tuple[str, str], None]) -> str | None:
    tail, head = ends
    if not tail:
        return "the row names no node in the column 'from'"
    if tail == head:
        return f"the edge joins {tail!r} to itself"
    if (tail, head) in listed:
        return f"the edge from {tail!r} to {head!r} is listed twice"
    return None
