"""Two views of a graph over variables and lags.

In: a graph whose nodes are variables at time t and lagged ones such as ``valve@t-1``. Out: a
`GraphOverTime`: the summary graph, in which each variable is one node and edges have lags, and the
slices, in which each step of time is a column. Both draw themselves.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike

import numpy as np
import pandas as pd

from bnsieve.graph.edge_lists import EdgeLists
from bnsieve.graph.marks import Mark
from bnsieve.graph.picture import HEAD, EdgeLook, Picture, draw
from bnsieve.table import lagged_name, parse_lagged_name
from bnsieve.text import (
    FONT,
    FONT_SIZE,
    Colour,
    counted,
    escaped_xml,
    shown_label,
    text_width,
)

_HEIGHT = FONT_SIZE + 10
_PADDING = 16.0
_MARGIN = 16.0
_ROW = 40.0
_COLUMN_GAP = 110.0
_TITLE = 26.0
# How far an edge inside a column bends out, for each row that it passes.
_BULGE = 16.0
_TRACK = 5.0
_OWN_PAST = "↻"


@dataclass(frozen=True)
class LaggedEdge:
    """An edge of the summary graph.

    Attributes
    ----------
    tail, head : str
        Variables; the same one if it depends on its own past.
    lags : tuple of int
        How many steps before the head, 0 for the same step.
    directed : bool
        False for an undirected edge, which is one of the same step.
    """

    tail: str
    head: str
    lags: tuple[int, ...]
    directed: bool = True


@dataclass(frozen=True, eq=False)
class GraphOverTime:
    """A graph over variables and lags.

    Attributes
    ----------
    names : tuple of str
        Nodes of the graph.
    directed_edges, undirected_edges : tuple of (str, str)
        Edges of the graph.
    """

    names: tuple[str, ...]
    directed_edges: tuple[tuple[str, str], ...]
    undirected_edges: tuple[tuple[str, str], ...]

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The variables, each once, in the order of the nodes."""
        return tuple(dict.fromkeys(parse_lagged_name(name).variable for name in self.names))

    @cached_property
    def lags(self) -> int:
        """The largest lag."""
        return max((parse_lagged_name(name).lag for name in self.names), default=0)

    @cached_property
    def edges(self) -> tuple[LaggedEdge, ...]:
        """The edges between variables, lags together, in the order of the variables."""
        lags: dict[tuple[str, str], list[int]] = {}
        for tail, head in self.directed_edges:
            (before, lag), (after, at) = parse_lagged_name(tail), parse_lagged_name(head)
            lags.setdefault((before, after), []).append(lag - at)
        place = {name: i for i, name in enumerate(self.variables)}
        found = [LaggedEdge(*pair, tuple(sorted(own))) for pair, own in lags.items()]
        found += [LaggedEdge(a, b, (0,), directed=False) for a, b in self.undirected_edges]
        return tuple(sorted(found, key=lambda edge: (place[edge.tail], place[edge.head])))

    @property
    def own_lags(self) -> Mapping[str, tuple[int, ...]]:
        """The lags at which variables depend on their own past."""
        return {edge.tail: edge.lags for edge in self.edges if edge.tail == edge.head}

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each edge of the summary graph and lag."""
        rows = [
            (edge.tail, edge.head, lag, edge.directed) for edge in self.edges for lag in edge.lags
        ]
        return pd.DataFrame(rows, columns=["tail", "head", "lag", "directed"])

    def __str__(self) -> str:
        between = [edge for edge in self.edges if edge.tail != edge.head]
        sizes = [(len(self.variables), "variable"), (self.lags, "lag"), (len(between), "edge")]
        lines = [", ".join(counted(n, word) for n, word in sizes) + " between two of them"]
        for edge in self.edges:
            lags = ", ".join("t" if lag == 0 else f"t-{lag}" for lag in edge.lags)
            if edge.tail == edge.head:
                lines.append(f"  {edge.tail} {_OWN_PAST} ({lags})")
            else:
                arrow = "->" if edge.directed else "-"
                lines.append(f"  {edge.tail} {arrow} {edge.head} ({lags})")
        return "\n".join(lines)

    def plot(self, path: str | PathLike[str] | None = None, *, title: str | None = None) -> Picture:
        """Draw the summary graph: numbers on edges are lags, 0 for the same step.

        A variable that depends on its own past has a round arrow and the lags behind its name.

        Parameters
        ----------
        path : str or path, optional
            An ``.svg`` file to write as well.
        title : str, optional
            Text above the picture.
        """
        place = {name: i for i, name in enumerate(self.variables)}
        pairs: dict[tuple[str, str], list[LaggedEdge]] = {}
        order = self._order()
        for edge in self.edges:
            if edge.tail != edge.head:
                first, second = sorted((edge.tail, edge.head), key=order.__getitem__)
                pairs.setdefault((first, second), []).append(edge)
        arrows = [(place[first], place[second]) for first, second in pairs]
        lists = EdgeLists(
            len(place),
            np.array(arrows, dtype=np.int64).reshape(-1, 2),
            np.empty((0, 2), dtype=np.int64),
        )
        looks = [_look(pair, edges) for pair, edges in pairs.items()]
        own = self.own_lags
        shown = [
            f"{name} {_OWN_PAST} {_numbers(own[name])}" if name in own else name
            for name in self.variables
        ]
        return draw(shown, lists, looks, title=title, flow="down", has_legend=False).saved(path)

    def _order(self) -> dict[str, int]:
        """Order the variables so that few edges run against it: causes first, most first."""
        left = list(self.variables)
        order: dict[str, int] = {}
        edges = {(e.tail, e.head) for e in self.edges if e.tail != e.head and e.directed}
        while left:
            balance = {
                name: sum(a == name and b in left for a, b in edges)
                - sum(b == name and a in left for a, b in edges)
                for name in left
            }
            first = max(left, key=lambda name: (balance[name], -left.index(name)))
            order[first] = len(order)
            left.remove(first)
        return order

    def plot_slices(self, path: str | PathLike[str] | None = None) -> Picture:
        """Draw a column for each step, the past on the left, and the edges into time t.

        Parameters
        ----------
        path : str or path, optional
            An ``.svg`` file to write as well.
        """
        return _Slices(self).picture().saved(path)


def _numbers(lags: Sequence[int]) -> str:
    return ", ".join(map(str, lags))


def _look(pair: tuple[str, str], edges: Sequence[LaggedEdge]) -> EdgeLook:
    """Return how all edges between two variables look as one."""
    forth = [lag for edge in edges if edge.directed and edge.tail == pair[0] for lag in edge.lags]
    back = [lag for edge in edges if edge.directed and edge.tail == pair[1] for lag in edge.lags]
    open_ = [lag for edge in edges if not edge.directed for lag in edge.lags]
    marks = tuple(Mark.ARROW if lags else Mark.TAIL for lags in (back, forth))
    if (forth and back) or (open_ and (forth or back)):
        parts = [(forth, "↓ "), (back, "↑ "), (open_, "- ")]
        label = " ".join(sign + _numbers(sorted(lags)) for lags, sign in parts if lags)
    else:
        label = _numbers(sorted(forth or back or open_))
    return EdgeLook(bool(forth or back), marks=(marks[0], marks[1]), label=label)


class _Slices:
    """The picture of a graph in slices of time."""

    def __init__(self, graph: GraphOverTime) -> None:
        self.graph = graph
        own = set(graph.names)
        rows = {name: row for row, name in enumerate(graph.variables)}
        lags = range(graph.lags, -1, -1)
        widest = max((text_width(shown_label(name)) for name in graph.variables), default=0.0)
        self.width = widest + _PADDING
        self.left = {lag: _MARGIN + i * (self.width + _COLUMN_GAP) for i, lag in enumerate(lags)}
        self.passing = Counter[tuple[float, float]]()
        self.boxes = {
            lagged_name(name, lag): (self.left[lag], _MARGIN + _TITLE + row * _ROW)
            for name, row in rows.items()
            for lag in lags
            if lagged_name(name, lag) in own
        }

    def picture(self) -> Picture:
        """Draw it."""
        graph = self.graph
        bulge = _BULGE * max(len(graph.variables), 2)
        width = self.left[0] + self.width + bulge + _MARGIN
        height = 2 * _MARGIN + _TITLE + _ROW * len(graph.variables)
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{FONT}" '
            f'font-size="{FONT_SIZE:g}">',
            f'<rect width="100%" height="100%" fill="{Colour.PAPER}"/>',
        ]
        for lag, x in self.left.items():
            lines.append(
                _text(x + self.width / 2, _MARGIN + 10, "t" if lag == 0 else f"t-{lag}", True)
            )
        for edges, directed in ((graph.directed_edges, True), (graph.undirected_edges, False)):
            for tail, head in edges:
                lines += self._edge(tail, head, directed)
        for name, (x, y) in self.boxes.items():
            lines += self._box(name, x, y)
        return Picture("\n".join([*lines, "</svg>", ""]))

    def _box(self, name: str, x: float, y: float) -> list[str]:
        variable = parse_lagged_name(name).variable
        return [
            f"<g><title>{escaped_xml(name)}</title>"
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{self.width:.1f}" height="{_HEIGHT:g}" '
            f'rx="5" fill="{Colour.BOX}" stroke="{Colour.BORDER}"/>',
            _text(x + self.width / 2, y + _HEIGHT / 2 + FONT_SIZE * 0.35, variable),
            "</g>",
        ]

    def _edge(self, tail: str, head: str, directed: bool) -> list[str]:
        """Draw an edge: across columns as a curve, inside one as a bow on its right."""
        (x0, y0), (x1, y1) = self.boxes[tail], self.boxes[head]
        y0, y1 = y0 + _HEIGHT / 2, y1 + _HEIGHT / 2
        colour = Colour.ARROW if directed else Colour.LINE
        tip = HEAD if directed else 0.0
        start = x0 + self.width
        if x0 == x1:
            out = start + _BULGE + _BULGE * abs(y1 - y0) / _ROW
            path = f"M{start:.1f} {y0:.1f}C{out:.1f} {y0:.1f} {out:.1f} {y1:.1f} "
            path += f"{start + tip:.1f} {y1:.1f}"
            corners = [(start, y1), (start + HEAD, y1 - HEAD / 2), (start + HEAD, y1 + HEAD / 2)]
        else:
            path = self._across((start, y0), (x1 - tip, y1))
            corners = [(x1, y1), (x1 - HEAD, y1 - HEAD / 2), (x1 - HEAD, y1 + HEAD / 2)]
        lines = [f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.3"/>']
        if directed:
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
            lines.append(f'<polygon points="{points}" fill="{colour}" stroke="{colour}"/>')
        return lines

    def _across(self, start: tuple[float, float], end: tuple[float, float]) -> str:
        """Write a path to a later column, between the boxes of the columns that it passes."""
        (x, y), path = start, f"M{start[0]:.1f} {start[1]:.1f}"
        passed = [left for left in sorted(self.left.values()) if start[0] < left < end[0] - HEAD]
        points = []
        for number, left in enumerate(passed, start=1):
            wanted = start[1] + (end[1] - start[1]) * number / (len(passed) + 1)
            first = _MARGIN + _TITLE + _HEIGHT / 2 + _ROW / 2
            between = first + _ROW * round((wanted - first) / _ROW)
            self.passing[left, between] += 1
            between += _TRACK * _track(self.passing[left, between])
            points += [(left, between), (left + self.width, between)]
        for number, (to_x, to_y) in enumerate([*points, end]):
            middle = (x + to_x) / 2
            path += (
                f"L{to_x:.1f} {to_y:.1f}"
                if number % 2
                else f"C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"
            )
            x, y = to_x, to_y
        return path


def _track(number: int) -> int:
    """Return where the edges that pass between the same boxes go: 0, 1, -1, 0, ... tracks aside."""
    return (0, 1, -1)[(number - 1) % 3]


def _text(x: float, y: float, text: str, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle"{weight} fill="{Colour.INK}">'
        f"{escaped_xml(shown_label(text))}</text>"
    )
