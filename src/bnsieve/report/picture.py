"""The picture of the page: what the template writes as SVG.

In: a graph and how its edges are to look. Out: boxes and lines with classes, not colours, so that
the page's style sheet can draw them light, dark or for paper.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bnsieve.explain import Edge
from bnsieve.graph import FREQUENT, HEAD, MAX_NODES, Graph, Placement, arrowhead, bars, curve
from bnsieve.text import FONT_SIZE, shown_label

_MARGIN = 16.0
# The letters of a small graph are not to be larger than a headline's.
_LEAST = (640.0, 420.0)


@dataclass(frozen=True)
class Box:
    """A node: its number, label, upper left corner, size, and where the label stands."""

    number: int
    label: str
    x: float
    y: float
    width: float
    height: float
    middle: float
    base: float


@dataclass(frozen=True)
class Line:
    """An edge: its number in the page, classes, path, width, the corners of its head, its bars.

    Bars are behind the head where knowledge decides the direction, two if it requires the edge.
    """

    number: int
    classes: str
    path: str
    width: float
    head: str | None
    bars: str | None = None

    @property
    def weak(self) -> bool:
        """Whether it is dashed."""
        return "weak" in self.classes.split()


@dataclass(frozen=True)
class Picture:
    """Boxes, lines, the weakest first, how many of these each box has, and the size of it all."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    degrees: tuple[int, ...]

    @property
    def view(self) -> str:
        """What is seen at first: all, and of a small picture room around it."""
        width, height = max(self.width, _LEAST[0]), max(self.height, _LEAST[1])
        left, top = (self.width - width) / 2, (self.height - height) / 2
        return f"{left:.0f} {top:.0f} {width:.0f} {height:.0f}"


def picture_of(graph: Graph, edges: Sequence[Edge]) -> Picture | None:
    """Return the picture of a graph; None if nobody could read it.

    Parameters
    ----------
    graph : Graph
    edges : sequence of Edge
        The most reliable first; a line's number is its edge's place here.
    """
    if not 0 < graph.n_nodes <= MAX_NODES:
        return None
    layout = graph.layout()
    place = {frozenset((edge.tail, edge.head)): i for i, edge in enumerate(edges)}
    lines = []
    pairs = (*graph.directed_edges, *graph.undirected_edges)
    for pair, route in zip(pairs, layout.routes, strict=True):
        number = place[frozenset(pair)]
        lines.append(_line(number, edges[number], route, layout.flow == "down"))
    lines.sort(key=lambda line: -line.number)
    degrees = tuple(len(graph.adjacent(name)) for name in graph.nodes)
    return Picture(*size_of(layout), boxes_of(graph.nodes, layout), tuple(lines), degrees)


def size_of(layout: Placement) -> tuple[float, float]:
    """Return the width and height of a layout with a margin around it."""
    width, height = layout.extent
    return width + 2 * _MARGIN, height + 2 * _MARGIN


def boxes_of(names: Sequence[str], layout: Placement) -> tuple[Box, ...]:
    """Return the boxes of a layout."""
    boxes = []
    for number, (name, centre, size) in enumerate(
        zip(names, layout.centres, layout.sizes, strict=True)
    ):
        x, y = centre - size / 2 + _MARGIN
        middle, base = centre[0] + _MARGIN, centre[1] + _MARGIN + FONT_SIZE * 0.35
        numbers = [round(float(value), 1) for value in (x, y, *size, middle, base)]
        boxes.append(Box(number, shown_label(name), *numbers))
    return tuple(boxes)


def drawn(
    route: np.typing.NDArray[np.float64], down: bool, width: float, ends: tuple[bool, bool]
) -> tuple[str, str | None]:
    """Return the path of a route, and the corners of the head at its start or at its end.

    Parameters
    ----------
    route : ndarray of float64
    down : bool
    width : float
        Of the line.
    ends : tuple of bool
        Whether there is a head at the start, and one at the end; there is at most one.
    """
    points = route + _MARGIN
    size = HEAD * max(1.0, width / 2)
    along = 1 if down else 0
    if ends[1]:
        tip = points[-1].copy()
        points[-1, along] -= size
        return curve(points, down), arrowhead(tip, down, size)
    if ends[0]:
        tip = points[0].copy()
        points[0, along] += size
        return curve(points, down), arrowhead(tip, down, -size)
    return curve(points, down), None


def _line(number: int, edge: Edge, route: np.typing.NDArray[np.float64], down: bool) -> Line:
    width = 1.4 if edge.strength is None else round(0.8 + 1.9 * edge.strength, 1)
    path, head = drawn(route, down, width, (False, edge.directed))
    classes: list[str] = [edge.reliability]
    if edge.strength is not None and edge.strength < FREQUENT:
        classes.append("weak")
    if edge.deterministic:
        classes.append("determined")
    across = None
    if edge.reliability == "knowledge":
        size = HEAD * max(1.0, width / 2)
        across = bars(route[-1] + _MARGIN, down, size, 2 if edge.required else 1)
    return Line(number, " ".join(classes), path, width, head, across)
