"""Edge lists: CSV files with the columns ``from`` and ``to``, and one edge per row.

In: such a file. Out: a `Graph`; and back. An undirected edge is listed in both directions, as in
bnlearn's ``arcs``. An isolated node is a row with an empty ``to``.

The optional columns ``strength`` and ``direction`` have the meaning of bnlearn's ``boot.strength``:
the share of replicates with the edge in either direction, and the share of these with this
direction. Other columns are ignored.
"""

import csv
import io
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from bnsieve.exchange.files import FormatError, errors_name, read_text
from bnsieve.graph import Graph, Strengths
from bnsieve.text import listed

NamedEdges: TypeAlias = list[tuple[str, str]]
Place: TypeAlias = tuple[int, int, str | None]
# A list of all pairs of a thousand columns takes 40 MB.
MAX_BYTES = 1 << 30


class Strength(NamedTuple):
    """The bootstrap strength of a directed edge.

    Attributes
    ----------
    strength : float
        The share of replicates with an edge between the two nodes.
    direction : float
        The share of these replicates in which the edge has this direction.
    """

    strength: float
    direction: float


def parse_edges(text: str, path: str | None = None) -> Graph:
    """Read a graph from an edge list.

    Parameters
    ----------
    text : str
        CSV whose first row names the columns ``from`` and ``to``.
    path : str, optional
        The file name, for error messages.

    Returns
    -------
    Graph
        A graph whose nodes are in the order in which the file names them.

    Raises
    ------
    FormatError
        If a column is missing, a row names no ``from`` node or repeats an edge, there is a directed
        cycle, or the file lists the strengths of all pairs, adjacent or not.
    """
    edges: dict[tuple[str, str], float | None] = {}
    nodes: dict[str, None] = {}
    for place, (tail, head), row in _rows(text, path):
        nodes.update(dict.fromkeys(end for end in (tail, head) if end))
        if head:
            edges[tail, head] = _number(row, "strength", place)
    if len(edges) == len(nodes) * (len(nodes) - 1) and 0 in edges.values():
        message = "this is not a graph but a list of all pairs, which read_strengths reads"
        raise FormatError(message, path=path)
    return graph_of_pairs(nodes, list(edges), [], path)


def read_strengths(path: str | os.PathLike[str]) -> dict[tuple[str, str], Strength]:
    """Read the strength of each edge from an edge list, or from a list of all pairs.

    Parameters
    ----------
    path : str or path-like
        A CSV file with the columns ``from``, ``to``, ``strength`` and ``direction``, as
        `bnsieve.write` and R's ``write.csv(boot.strength(...))`` write it.

    Returns
    -------
    dict of (str, str) to Strength
        The strength for each row of the file, tail first. Rows without a strength are left out.

    Raises
    ------
    FormatError
        If a column is missing, or a number is not between 0 and 1.
    """
    strengths: dict[tuple[str, str], Strength] = {}
    text = read_text(path, limit=MAX_BYTES)
    for place, edge, row in _rows(text, os.fspath(path), "strength", "direction"):
        numbers = [_number(row, column, place) for column in ("strength", "direction")]
        strength, direction = numbers
        if strength is not None and direction is not None:
            strengths[edge] = Strength(strength, direction)
        elif numbers != [None, None]:
            raise FormatError("strength and direction go together", *place)
    return strengths


def format_edges(
    graph: Graph, strengths: Mapping[tuple[str, str], tuple[float, float]] | Strengths | None = None
) -> str:
    """Return the text of an edge list.

    Parameters
    ----------
    graph : Graph
        The graph to write.
    strengths : EdgeStrengths or mapping from (str, str) to (strength, direction), optional
        The strength of each edge: what `bootstrap` returned, or a mapping, in which pairs that are
        not adjacent are ignored. The file then has the columns ``strength`` and ``direction``,
        which are empty for edges without a strength.

    Raises
    ------
    ValueError
        If the name of a node is empty, because an edge list cannot hold it.
    """
    if "" in graph.nodes:
        raise ValueError("an edge list cannot name a node whose name is empty: rename it")
    rows = [*graph.directed_edges]
    for a, b in graph.undirected_edges:
        rows += [(a, b), (b, a)]
    rows += [(node, "") for node in graph.nodes if not graph.adjacent(node)]
    lines = ["from,to" if strengths is None else "from,to,strength,direction"]
    for tail, head in rows:
        cells = [name_field(tail), name_field(head) if head else ""]
        if strengths is not None:
            cells += _strength_cells(strengths, tail, head)
        lines.append(",".join(cells))
    return "\n".join([*lines, ""])


def _strength_cells(
    strengths: Mapping[tuple[str, str], tuple[float, float]] | Strengths, tail: str, head: str
) -> list[str]:
    if not head:
        return ["", ""]
    if isinstance(strengths, Mapping):
        return [repr(float(number)) for number in strengths.get((tail, head), ())] or ["", ""]
    strength, direction = strengths.of(tail, head)
    # As in bnlearn, an edge that was never found points nowhere.
    return [repr(strength), repr(0.0 if math.isnan(direction) else direction)]


def csv_field(text: str) -> str:
    """Write one cell of a CSV file, quoted where it must be.

    Before Python 3.13 the standard library's writer leaves a lone carriage return unquoted.
    """
    if text and not any(mark in text for mark in ',"\r\n'):
        return text
    return '"' + text.replace('"', '""') + '"'


# What spreadsheets take for a formula, which may call programs.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def name_field(text: str) -> str:
    """Write a name as a cell of an edge list: one that looks like a formula gets an apostrophe.

    Spreadsheets then show it as text. Readers of edge lists take the apostrophe away.
    """
    return csv_field(f"'{text}" if _FORMULA.match(text) else text)


def _name(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _rows(
    text: str, path: str | None, *also: str
) -> Iterator[tuple[Place, tuple[str, str], dict[str, str]]]:
    """Yield the place, the edge and the cells by column, for each row that is not empty."""
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    edges: set[tuple[str, str]] = set()
    try:
        header = [column.strip() for column in next(rows, [])]
        if not {"from", "to", *also} <= set(header):
            needed = listed(map(repr, ("from", "to", *also)))
            found = listed(map(repr, header)) or "nothing"
            raise FormatError(f"an edge list needs the columns {needed}, found {found}", 1, 1, path)
        for row in filter(None, rows):
            place = (rows.line_num, 1, path)
            cells = dict(zip(header, row + [""] * (len(header) - len(row)), strict=False))
            tail, head = edge = _name(cells["from"]), _name(cells["to"])
            if not tail:
                raise FormatError("the row names no node in the column 'from'", *place)
            if tail == head:
                raise FormatError(f"the edge leads from {tail!r} to itself", *place)
            if edge in edges:
                raise FormatError(f"the edge from {tail!r} to {head!r} is listed twice", *place)
            if head:
                edges.add(edge)
            yield place, edge, cells
    except csv.Error as error:
        raise FormatError(f"not a CSV row: {error}", rows.line_num, 1, path) from error


def _number(row: dict[str, str], column: str, place: Place) -> float | None:
    """Return a number between 0 and 1, or None for an empty cell or a column that is not there."""
    text = row.get(column, "").strip()
    if text in ("", "NA"):
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:
        raise FormatError(f"{column} must be between 0 and 1, not {text!r}", *place)
    return number


def graph_of_pairs(
    nodes: Iterable[str], directed: NamedEdges, undirected: NamedEdges, path: str | None
) -> Graph:
    """Return a graph; of directed edges, two in opposite directions are an undirected one.

    What is given twice in the same direction stays twice, for `Graph` to refuse.
    """
    given = set(directed)
    one_way = [(a, b) for a, b in directed if (b, a) not in given]
    both_ways = {frozenset((a, b)): (a, b) for a, b in reversed(directed) if (b, a) in given}
    with errors_name(path):
        return Graph(nodes, one_way, [*undirected, *both_ways.values()])
