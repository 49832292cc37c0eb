"""A graph's picture, from its edges to a value that notebooks show and files take.

In: names, edges, and what is known of their strengths. Out: a `Picture`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Protocol

from bnsieve.graph.drawing.layout import Flow, lay_out
from bnsieve.graph.drawing.svg import EdgeLook, Fate, draw
from bnsieve.graph.edge_lists import EdgeLists
from bnsieve.text import notebook_html

MAX_NODES = 2000
# What a notebook draws unasked: graphs that are drawn in less than a second, which takes longer the
# denser they are. Of others it draws a part of so many nodes; one of 12 is always quick.
MAX_NODES_SHOWN, MAX_EDGES_SHOWN = 200, 300
PART_SIZES = (40, 20, 12)


def is_quickly_drawn(n_nodes: int, n_edges: int) -> bool:
    """Tell whether a graph is small enough to be drawn without being asked."""
    return n_nodes <= MAX_NODES_SHOWN and n_edges <= min(MAX_EDGES_SHOWN, 4 * n_nodes + 40)


class Strengths(Protocol):
    """What `bootstrap` returns: how sure the edge between two nodes is."""

    def of(self, x: str, y: str) -> tuple[float, float]:
        """Return the strength of the edge, and the share of it that is x -> y."""


class Picture:
    """A picture of a graph, as SVG.

    Attributes
    ----------
    svg : str
        The text of the picture: one SVG element that needs no other file.
    """

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: str | PathLike[str]) -> None:
        """Write the picture to a file whose name ends in ``.svg``."""
        if not fspath(path).lower().endswith(".svg"):
            raise ValueError(f"pictures are SVG, so the name {fspath(path)!r} must end in .svg")
        Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return notebook_html("", picture=self.svg)


def plot(
    names: Sequence[str],
    edges: EdgeLists,
    *,
    highlight: Iterable[str] = (),
    strengths: Mapping[tuple[str, str], Any] | Strengths | None = None,
    sure: Iterable[tuple[str, str]] | None = None,
    determined: Iterable[Iterable[str]] = (),
    title: str | None = None,
    flow: Flow | None = None,
    fates: Mapping[frozenset[str], Fate] | None = None,
) -> Picture:
    """Draw a graph; see `bnsieve.Graph.plot`.

    `fates` says what became of each edge, where this is a picture of two graphs.
    """
    if flow not in (None, "down", "right"):
        raise ValueError(f"flow must be 'down' or 'right', not {flow!r}")
    if len(names) > MAX_NODES:
        raise ValueError(
            f"nobody can read a picture of {len(names):,} nodes: draw a part, such as "
            "graph.subgraph(graph.markov_blanket(node))"
        )
    chosen = set(highlight)
    unknown = chosen.difference(names)
    if unknown:
        raise ValueError(f"highlight names {min(unknown)!r}, which is not a node of the graph")
    look_up = _look_up(strengths)
    believed = None if sure is None else set(sure)
    bound = {frozenset(pair) for pair in determined}
    looks = [
        EdgeLook(
            directed,
            *look_up(names[a], names[b]),
            believed=None if believed is None else (names[a], names[b]) in believed,
            determined=frozenset((names[a], names[b])) in bound,
            fate=None if fates is None else fates[frozenset((names[a], names[b]))],
        )
        for pairs, directed in ((edges.directed, True), (edges.undirected, False))
        for a, b in pairs.tolist()
    ]
    return Picture(draw(names, lay_out(names, edges, flow), looks, chosen, title))


LookUp = Callable[[str, str], tuple[float | None, float | None]]


def _look_up(strengths: Mapping[tuple[str, str], Any] | Strengths | None) -> LookUp:
    """Return a function from an edge to its strength and direction, None where not known."""
    if strengths is None:
        return lambda tail, head: (None, None)
    if not isinstance(strengths, Mapping):
        return strengths.of

    def of(tail: str, head: str) -> tuple[float | None, float | None]:
        value = strengths.get((tail, head), strengths.get((head, tail)))
        if value is None:
            return None, None
        is_pair = isinstance(value, Sequence)
        strength = float(value[0] if is_pair else value)
        if not 0 <= strength <= 1:
            raise ValueError(
                f"strengths are between 0 and 1, but that of {tail!r} and {head!r} is {strength}"
            )
        if not is_pair:
            return strength, None
        return strength, float(value[1] if (tail, head) in strengths else 1 - value[1])

    return of
