"""A graph's picture as SVG: one text, no script, no other file, every name escaped.

In: names and edges, with strengths and the reliability of directions. Out: a `Picture` that
notebooks show and files take, and that looks the same on dark and on light pages.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from bnsieve.graph.edge_lists import EdgeLists
from bnsieve.graph.layout import Flow, lay_out
from bnsieve.graph.marks import Mark
from bnsieve.text import (
    FONT,
    FONT_SIZE,
    Colour,
    escaped_xml,
    notebook_html,
    shown_label,
    text_width,
    write_whole,
)

_MARGIN = 16.0
HEAD = 7.0
# What lies between the two lines of a deterministic edge.
_BETWEEN = 2.0
# An edge found in fewer of the resamples is dashed, a direction in fewer of these is hollow.
FREQUENT = 0.7

MAX_NODES = 2000
# What a notebook draws unasked: graphs that are drawn in less than a second, which takes longer the
# denser they are. Of others it draws a part of so many nodes; one of 12 is always quick.
MAX_NODES_SHOWN, MAX_EDGES_SHOWN = 200, 300
PART_SIZES = (40, 20, 12)

# What became of an edge from one graph to another.
Fate = Literal["agreed", "missing", "extra", "turned"]
_FATES: dict[Fate, tuple[str, str]] = {
    "agreed": (Colour.ARROW, "in both"),
    "missing": (Colour.MISSING, "missing from the learned graph"),
    "extra": (Colour.EXTRA, "in the learned graph only"),
    "turned": (Colour.TURNED, "in both, not the same way"),
}


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
        write_whole(self.svg, path)

    def saved(self, path: str | PathLike[str] | None) -> "Picture":
        """Return the picture, written to a file if one is given."""
        if path is not None:
            self.save(path)
        return self

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return notebook_html("", picture=self.svg)


@dataclass(frozen=True)
class EdgeLook:
    """How an edge is drawn.

    Attributes
    ----------
    directed : bool
    strength : float or None
        From 0 to 1; None if it is not known.
    direction : float or None
        Share of the resamples with this edge in which it has this direction; None if not known.
    confirmed : bool or None
        Whether its direction is confirmed; None if that was not asked, or knowledge decides it.
    deterministic : bool
        Whether one end, or a state of it, is a deterministic function of the other.
    fate : {"agreed", "missing", "extra", "turned"} or None
        What became of it, where two graphs are compared; None if none are.
    marks : tuple of two Mark or None
        The marks at its ends, in a PAG; None in other graphs.
    n_bars : int
        Bars behind its head: one if knowledge decides its direction, two if knowledge requires it.
    label : str
        What stands on its line; empty for nothing.
    """

    directed: bool
    strength: float | None = None
    direction: float | None = None
    confirmed: bool | None = None
    deterministic: bool = False
    fate: Fate | None = None
    marks: tuple[Mark, Mark] | None = None
    n_bars: int = 0
    label: str = ""

    @property
    def colour(self) -> str:
        """The colour of its line."""
        if self.fate is not None:
            return _FATES[self.fate][0]
        return Colour.ARROW if self.directed else Colour.LINE

    @property
    def is_dashed(self) -> bool:
        """Whether the edge is missing, or found in too few resamples."""
        return self.fate == "missing" or (self.strength is not None and self.strength < FREQUENT)

    @property
    def is_seldom_directed(self) -> bool:
        """Whether too few of the resamples give it this direction."""
        return self.directed and self.direction is not None and self.direction < FREQUENT


def draw(
    names: Sequence[str],
    edges: EdgeLists,
    looks: Sequence[EdgeLook],
    highlight: Iterable[str] = (),
    title: str | None = None,
    flow: Flow | None = None,
    *,
    has_legend: bool = True,
) -> Picture:
    """Draw a graph; see `bnsieve.Graph.plot`. There is one look for each edge, directed ones first.

    Raises
    ------
    ValueError
        If there are too many nodes, a highlighted one is unknown, or `flow` is.
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
    layout, legend = lay_out(names, edges, flow), _legend(looks) if has_legend else []
    top = _MARGIN + (FONT_SIZE + 16 if title else 0)
    legend_width = sum(text_width(text, 11) + 60 for _, text in legend)
    width = max(layout.extent[0], legend_width, text_width(title or "", 15)) + 2 * _MARGIN
    height = top + layout.extent[1] + _MARGIN + (26 if legend else 0)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{FONT}" font-size="{FONT_SIZE:g}">',
        f'<rect width="100%" height="100%" fill="{Colour.PAPER}"/>',
    ]
    if title:
        lines.append(
            f'<text x="{_MARGIN:g}" y="{_MARGIN + 10:g}" font-size="15" font-weight="bold" '
            f'fill="{Colour.INK}">{escaped_xml(title)}</text>'
        )
    left = (width - layout.extent[0]) / 2
    lines.append(f'<g transform="translate({left:.1f} {top:.1f})">')
    # Weak edges first, so that strong ones lie above them.
    for number in np.argsort([look.strength or 0.0 for look in looks], kind="stable"):
        lines += _edge(layout.routes[number], looks[number], layout.flow == "down")
    lines += [
        _edge_label(route, look.label)
        for route, look in zip(layout.routes, looks, strict=True)
        if look.label
    ]
    for name, centre, size in zip(names, layout.centres, layout.sizes, strict=True):
        lines.append(_node(name, centre, size, name in chosen))
    lines.append("</g>")
    x, y = _MARGIN, height - 14
    for look, text in legend:
        lines += _edge(np.array([[x, y], [x, y], [x + 30, y]]), look, False)
        lines.append(
            f'<text x="{x + 36:.1f}" y="{y + 4:.1f}" font-size="11" fill="{Colour.INK}">'
            f"{text}</text>"
        )
        x += text_width(text, 11) + 60
    return Picture("\n".join([*lines, "</svg>", ""]))


def _node(name: str, centre: NDArray[np.float64], size: NDArray[np.float64], chosen: bool) -> str:
    fill, border = (Colour.CHOSEN, Colour.CHOSEN_BORDER) if chosen else (Colour.BOX, Colour.BORDER)
    x, y = centre - size / 2
    return (
        f'<g><title>{escaped_xml(name)}</title><rect x="{x:.1f}" y="{y:.1f}" width="{size[0]:.1f}" '
        f'height="{size[1]:.1f}" rx="5" fill="{fill}" stroke="{border}"/>'
        f'<text x="{centre[0]:.1f}" y="{centre[1] + FONT_SIZE * 0.35:.1f}" text-anchor="middle" '
        f'fill="{Colour.INK}">{escaped_xml(shown_label(name))}</text></g>'
    )


def _edge(route: NDArray[np.float64], look: EdgeLook, down: bool) -> list[str]:
    width, opacity = 1.3, 1.0
    if look.strength is not None:
        width, opacity = 0.8 + 1.9 * look.strength, 0.4 + 0.6 * look.strength
    colour = look.colour
    size = HEAD * max(1.0, width / 2)
    marks = look.marks or (Mark.TAIL, Mark.ARROW if look.directed else Mark.TAIL)
    before, after = (0.0 if mark is Mark.TAIL else size for mark in marks)
    points, along = route.copy(), 1 if down else 0
    points[:2, along] = np.maximum(points[:2, along], points[0, along] + before)
    points[-1, along] -= after
    dashes = ' stroke-dasharray="5 4"' if look.is_dashed else ""
    line = curve(points, down)
    drawn = width + 2 * _BETWEEN if look.deterministic else width
    lines = [
        f'<path d="{line}" fill="none" stroke="{colour}" '
        f'stroke-width="{drawn:.2g}" stroke-opacity="{opacity:.2g}"{dashes}/>'
    ]
    if look.deterministic:  # paper along its middle makes two lines of it
        lines.append(
            f'<path d="{line}" fill="none" stroke="{Colour.PAPER}" stroke-width="{_BETWEEN:.2g}"/>'
        )
    is_hollow = look.confirmed is False or look.is_seldom_directed
    for mark, tip, length in ((marks[0], route[0], -size), (marks[1], route[-1], size)):
        if mark is not Mark.TAIL:
            fill = Colour.PAPER if is_hollow or mark is Mark.CIRCLE else colour
            lines.append(
                f'<{_end(mark, tip, down, length)} fill="{fill}" stroke="{colour}" '
                f'opacity="{opacity:.2g}"/>'
            )
    if look.n_bars:
        lines.append(
            f'<path d="{bars(route[-1], down, size, look.n_bars)}" fill="none" stroke="{colour}" '
            f'stroke-width="1.6" stroke-opacity="{opacity:.2g}"/>'
        )
    return lines


def _edge_label(route: NDArray[np.float64], label: str) -> str:
    """Write a label on the middle curve of a line, on paper so that it stands out."""
    curve_start = 2 * ((len(route) // 2 - 1) // 2) + 1
    x, y = (route[curve_start] + route[curve_start + 1]) / 2
    width = text_width(label, 11) + 4
    return (
        f'<rect x="{x - width / 2:.1f}" y="{y - 7:.1f}" width="{width:.1f}" height="14" '
        f'fill="{Colour.PAPER}"/><text x="{x:.1f}" y="{y + 4:.1f}" font-size="11" '
        f'text-anchor="middle" fill="{Colour.INK}">{escaped_xml(label)}</text>'
    )


def bars(tip: NDArray[np.float64], down: bool, size: float, number: int) -> str:
    """Write a path of bars across an edge, behind its head."""
    half = size / 2 + 1.5
    parts = []
    for place in range(number):
        behind = size + 3.5 + 3.5 * place
        x, y = (tip[0] - half, tip[1] - behind) if down else (tip[0] - behind, tip[1] - half)
        parts.append(f"M{x:.1f} {y:.1f}{'h' if down else 'v'}{2 * half:.1f}")
    return "".join(parts)


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


def _end(mark: Mark, tip: NDArray[np.float64], down: bool, length: float) -> str:
    """Write the shape of a mark; its length is negative at the end where the edge begins."""
    if mark is Mark.ARROW:
        return f'polygon points="{arrowhead(tip, down, length)}"'
    x, y = tip - np.array([0.0, length / 2] if down else [length / 2, 0.0])
    return f'circle cx="{x:.1f}" cy="{y:.1f}" r="{abs(length) / 2:.1f}"'


def arrowhead(tip: NDArray[np.float64], down: bool, size: float) -> str:
    """Write the corners of an arrowhead that points along the flow."""
    x, y = tip
    half = size / 2
    corners = [(x, y), (x - half, y - size), (x + half, y - size)]
    if not down:
        corners = [(x, y), (x - size, y - half), (x - size, y + half)]
    return " ".join(f"{one:.1f},{other:.1f}" for one, other in corners)


_DETERMINISTIC = EdgeLook(False, deterministic=True)
_MARKS = {
    (Mark.TAIL, Mark.ARROW): "a cause",
    (Mark.ARROW, Mark.ARROW): "a hidden common cause",
    (Mark.CIRCLE, Mark.ARROW): "a cause, a hidden common cause, or both",
    (Mark.CIRCLE, Mark.CIRCLE): "undetermined",
}


def _legend(looks: Sequence[EdgeLook]) -> list[tuple[EdgeLook, str]]:
    """Explain what needs it: directions, seldom edges, deterministic ones; or fates, or marks."""
    marks = {look.marks for look in looks}
    if marks - {None}:
        return [
            (EdgeLook(Mark.ARROW in ends, marks=ends), text)
            for ends, text in _MARKS.items()
            if ends in marks
        ]
    fates = {look.fate for look in looks}
    if fates - {None}:
        return [
            (EdgeLook(False, fate=fate), text)
            for fate, (_, text) in _FATES.items()
            if fate in fates
        ]
    confirmed = {look.confirmed for look in looks if look.directed}
    n_bars = {look.n_bars for look in looks}
    seldom = f"found in less than {FREQUENT:.0%} of the resamples"
    seldom_so = f"pointed this way in less than {FREQUENT:.0%} of them"
    entries = [
        (EdgeLook(True), "direction confirmed", True in confirmed),
        (EdgeLook(True, confirmed=False), "direction tentative", False in confirmed),
        (EdgeLook(False), "direction undetermined", not all(look.directed for look in looks)),
        (EdgeLook(True, n_bars=1), "direction given by knowledge", 1 in n_bars),
        (EdgeLook(True, n_bars=2), "edge required by knowledge", 2 in n_bars),
        (EdgeLook(True, 0.6), seldom, any(look.is_dashed for look in looks)),
        (EdgeLook(True, None, 0.0), seldom_so, any(look.is_seldom_directed for look in looks)),
        (_DETERMINISTIC, "deterministic", any(look.deterministic for look in looks)),
    ]
    return [(look, text) for look, text, is_needed in entries if is_needed]


def is_quickly_drawn(n_nodes: int, n_edges: int) -> bool:
    """Tell whether a graph is small enough to be drawn without being asked."""
    return n_nodes <= MAX_NODES_SHOWN and n_edges <= min(MAX_EDGES_SHOWN, 4 * n_nodes + 40)


class Strengths(Protocol):
    """What `bootstrap` returns: the strength of the edge between two nodes."""

    def of(self, x: str, y: str) -> tuple[float, float]:
        """Return the strength of the edge, and the share of it that is x -> y."""


def edge_looks(
    edges: Iterable[tuple[str, str]],
    directed: bool,
    strengths: Mapping[tuple[str, str], Any] | Strengths | None,
    confirmed: Iterable[tuple[str, str]] | None,
    deterministic: Iterable[Iterable[str]],
    fates: Mapping[frozenset[str], Fate] | None,
    knowledge: Iterable[tuple[str, str]] = (),
    required: Iterable[tuple[str, str]] = (),
) -> list[EdgeLook]:
    """Return how each of some edges looks; see `bnsieve.Graph.plot`."""
    known = None if confirmed is None else set(confirmed)
    n_bars = dict.fromkeys(knowledge, 1) | dict.fromkeys(required, 2)
    functions = {frozenset(pair) for pair in deterministic}
    return [
        EdgeLook(
            directed,
            *_strength_of(edge, strengths),
            confirmed=None if known is None or edge in n_bars else edge in known,
            deterministic=frozenset(edge) in functions,
            fate=None if fates is None else fates[frozenset(edge)],
            n_bars=n_bars.get(edge, 0) if directed else 0,
        )
        for edge in edges
    ]


def _strength_of(
    edge: tuple[str, str], strengths: Mapping[tuple[str, str], Any] | Strengths | None
) -> tuple[float | None, float | None]:
    """Return strength and direction of an edge, None where not known."""
    if strengths is None or not isinstance(strengths, Mapping):
        return (None, None) if strengths is None else strengths.of(*edge)
    value = strengths.get(edge, strengths.get(edge[::-1]))
    if value is None:
        return None, None
    strength, *direction = value if isinstance(value, Sequence) else [value]
    if not 0 <= strength <= 1:
        raise ValueError(
            f"strengths are between 0 and 1, but that of {edge[0]!r} and {edge[1]!r} is {strength}"
        )
    if not direction:
        return float(strength), None
    return float(strength), float(direction[0] if edge in strengths else 1 - direction[0])
