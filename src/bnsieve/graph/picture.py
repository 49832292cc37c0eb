"""A graph's picture as SVG: one text, no script, no other file, every name escaped.

In: names, edges, and what is known of their strengths and directions. Out: a `Picture` that
notebooks show and files take, and that looks the same on dark and on light pages.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from bnsieve.graph.edge_lists import EdgeLists
from bnsieve.graph.layout import Flow, Placement, lay_out
from bnsieve.text import FONT, FONT_SIZE, Colour, notebook_html, shown_label, text_width

_MARGIN = 16.0
HEAD = 7.0
# What lies between the two lines of an edge that is determined.
_BETWEEN = 2.0
# An edge found in fewer of the resamples is dashed, a direction in fewer of these is hollow.
SURE = 0.7

# What became of an edge from one graph to another.
Fate = Literal["agreed", "missing", "extra", "turned"]
_FATES: dict[Fate, tuple[str, str]] = {
    "agreed": (Colour.ARROW, "in both"),
    "missing": (Colour.MISSING, "missing from the learned graph"),
    "extra": (Colour.EXTRA, "in the learned graph only"),
    "turned": (Colour.TURNED, "in both, not the same way"),
}


@dataclass(frozen=True)
class EdgeLook:
    """How an edge is drawn.

    Attributes
    ----------
    directed : bool
    strength : float or None
        From 0 to 1; None if it is not known.
    direction : float or None
        Share of the resamples with this edge in which it points this way; None if not known.
    believed : bool or None
        Whether its direction is one to believe; None if that was not asked.
    determined : bool
        Whether one end determines the other, or a category of it.
    fate : {"agreed", "missing", "extra", "turned"} or None
        What became of it, where two graphs are compared; None if none are.
    """

    directed: bool
    strength: float | None = None
    direction: float | None = None
    believed: bool | None = None
    determined: bool = False
    fate: Fate | None = None

    @property
    def colour(self) -> str:
        """The colour of its line."""
        if self.fate is not None:
            return _FATES[self.fate][0]
        return Colour.ARROW if self.directed else Colour.LINE

    @property
    def is_sure(self) -> bool:
        """Whether the edge was found, and often enough, to be drawn without gaps."""
        return self.fate != "missing" and (self.strength is None or self.strength >= SURE)

    @property
    def points_surely(self) -> bool:
        """Whether it is believed, and pointed this way often enough, for a filled head."""
        return self.believed is not False and not self.points_seldom

    @property
    def points_seldom(self) -> bool:
        """Whether too few of the resamples have it point this way."""
        return self.direction is not None and self.direction < SURE


def draw(
    names: Sequence[str],
    layout: Placement,
    looks: Sequence[EdgeLook],
    chosen: Collection[str] = (),
    title: str | None = None,
) -> str:
    """Return the text of an SVG picture.

    Parameters
    ----------
    names : sequence of str
    layout : Placement
    looks : sequence of EdgeLook
        One for each route of the layout.
    chosen : collection of str
        Nodes to be drawn in another colour.
    title : str, optional
        Written above.
    """
    legend = _legend(looks)
    top = _MARGIN + (FONT_SIZE + 16 if title else 0)
    width = max(layout.extent[0], _legend_width(legend), text_width(title or "", 15)) + 2 * _MARGIN
    height = top + layout.extent[1] + _MARGIN + (26 if legend else 0)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{FONT}" font-size="{FONT_SIZE:g}">',
        f'<rect width="100%" height="100%" fill="{Colour.PAPER}"/>',
    ]
    if title:
        lines.append(
            f'<text x="{_MARGIN:g}" y="{_MARGIN + 10:g}" font-size="15" font-weight="bold" '
            f'fill="{Colour.INK}">{_escaped(title)}</text>'
        )
    left = (width - layout.extent[0]) / 2
    lines.append(f'<g transform="translate({left:.1f} {top:.1f})">')
    # Weak edges first, so that strong ones lie above them.
    for number in np.argsort([look.strength or 0.0 for look in looks], kind="stable"):
        lines += _edge(layout.routes[number], looks[number], layout.flow == "down")
    for name, centre, size in zip(names, layout.centres, layout.sizes, strict=True):
        lines += _node(name, centre, size, name in chosen)
    lines.append("</g>")
    lines += _drawn_legend(legend, height - 14)
    return "\n".join([*lines, "</svg>", ""])


def _node(
    name: str, centre: NDArray[np.float64], size: NDArray[np.float64], chosen: bool
) -> list[str]:
    fill, border = (Colour.CHOSEN, Colour.CHOSEN_BORDER) if chosen else (Colour.BOX, Colour.BORDER)
    x, y = centre - size / 2
    label = shown_label(name)
    return [
        f'<g><title>{_escaped(name)}</title><rect x="{x:.1f}" y="{y:.1f}" width="{size[0]:.1f}" '
        f'height="{size[1]:.1f}" rx="5" fill="{fill}" stroke="{border}"/>'
        f'<text x="{centre[0]:.1f}" y="{centre[1] + FONT_SIZE * 0.35:.1f}" text-anchor="middle" '
        f'fill="{Colour.INK}">{_escaped(label)}</text></g>'
    ]


def _edge(route: NDArray[np.float64], look: EdgeLook, down: bool) -> list[str]:
    width, opacity = 1.3, 1.0
    if look.strength is not None:
        width, opacity = 0.8 + 1.9 * look.strength, 0.4 + 0.6 * look.strength
    colour = look.colour
    size = HEAD * max(1.0, width / 2)
    points = route.copy()
    tip = points[-1].copy()
    if look.directed:
        points[-1, 1 if down else 0] -= size
    dashes = "" if look.is_sure else ' stroke-dasharray="5 4"'
    line = curve(points, down)
    drawn = width + 2 * _BETWEEN if look.determined else width
    lines = [
        f'<path d="{line}" fill="none" stroke="{colour}" '
        f'stroke-width="{drawn:.2g}" stroke-opacity="{opacity:.2g}"{dashes}/>'
    ]
    if look.determined:  # paper along its middle makes two lines of it
        lines.append(
            f'<path d="{line}" fill="none" stroke="{Colour.PAPER}" stroke-width="{_BETWEEN:.2g}"/>'
        )
    if look.directed:
        fill = colour if look.points_surely else Colour.PAPER
        lines.append(
            f'<polygon points="{arrowhead(tip, down, size)}" fill="{fill}" stroke="{colour}" '
            f'opacity="{opacity:.2g}"/>'
        )
    return lines


def curve(points: NDArray[np.float64], down: bool) -> str:
    """Write a path along the flow: straight inside layers, curved between them."""
    parts = [f"M{points[0, 0]:.1f} {points[0, 1]:.1f}"]
    for i in range(1, len(points)):
        (x0, y0), (x1, y1) = points[i - 1], points[i]
        if i % 2 == 1:
            parts.append(f"L{x1:.1f} {y1:.1f}")
        elif down:
            middle = (y0 + y1) / 2
            parts.append(f"C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} {x1:.1f} {y1:.1f}")
        else:
            middle = (x0 + x1) / 2
            parts.append(f"C{middle:.1f} {y0:.1f} {middle:.1f} {y1:.1f} {x1:.1f} {y1:.1f}")
    return "".join(parts)


def arrowhead(tip: NDArray[np.float64], down: bool, size: float) -> str:
    """Write the corners of an arrowhead that points along the flow."""
    x, y = tip
    half = size / 2
    corners = [(x, y), (x - half, y - size), (x + half, y - size)]
    if not down:
        corners = [(x, y), (x - size, y - half), (x - size, y + half)]
    return " ".join(f"{one:.1f},{other:.1f}" for one, other in corners)


def _legend(looks: Sequence[EdgeLook]) -> list[tuple[EdgeLook, str]]:
    """Explain what needs it: directions that are sure, unsure or not known, and unsure edges."""
    found = []
    if any(look.fate for look in looks):
        fates = {look.fate for look in looks}
        return [
            (EdgeLook(False, fate=fate), text)
            for fate, (_, text) in _FATES.items()
            if fate in fates
        ]
    if any(look.directed and look.believed for look in looks):
        found.append((EdgeLook(True), "direction sure"))
    if any(look.directed and look.believed is False for look in looks):
        found.append((EdgeLook(True, believed=False), "direction not sure"))
    if any(not look.directed for look in looks):
        found.append((EdgeLook(False), "direction not known"))
    if any(not look.is_sure for look in looks):
        found.append(
            (EdgeLook(True, SURE - 0.1), f"found in less than {SURE:.0%} of the resamples")
        )
    if any(look.directed and look.points_seldom for look in looks):
        found.append(
            (EdgeLook(True, None, 0.0), f"pointed this way in less than {SURE:.0%} of them")
        )
    if any(look.determined for look in looks):
        found.append((EdgeLook(False, determined=True), "one determines the other, or a label"))
    return found


def _legend_width(legend: list[tuple[EdgeLook, str]]) -> float:
    return sum(text_width(text, 11) + 60 for _, text in legend)


def _drawn_legend(legend: list[tuple[EdgeLook, str]], y: float) -> list[str]:
    lines, x = [], _MARGIN
    for look, text in legend:
        lines += _edge(np.array([[x, y], [x, y], [x + 30, y]]), look, False)
        lines.append(
            f'<text x="{x + 36:.1f}" y="{y + 4:.1f}" font-size="11" fill="{Colour.INK}">'
            f"{text}</text>"
        )
        x += text_width(text, 11) + 60
    return lines


def _escaped(text: str) -> str:
    """Return text for XML, what XML cannot hold replaced."""
    text = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "\ufffd", text)
    return (
        text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    )


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
