"""Forecasts as SVG: a panel per variable, medians within their intervals, shares of states.

In: `Fan`s. Out: a `Picture`, every name escaped.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bnsieve.graph import Picture
from bnsieve.network.mixed.scale import Values
from bnsieve.text import FONT, FONT_SIZE, Colour, escaped_xml, one_line, shortened

_WIDTH, _PANEL, _MARGIN, _LEFT, _SMALL = 420.0, 120.0, 14.0, 60.0, 11.0


@dataclass(frozen=True, eq=False)
class Fan:
    """What is drawn of one variable.

    Attributes
    ----------
    name : str
    values : ndarray of float64, shape (n_steps, 4), or None
        Mean, median, low and high of a number.
    shares : ndarray of float64, shape (n_steps, n_states), or None
        Of a categorical variable.
    states : tuple of str
    """

    name: str
    values: Values | None = None
    shares: Values | None = None
    states: tuple[str, ...] = ()


def draw_fans(fans: Sequence[Fan], title: str, ends: tuple[str, str], band: str) -> Picture:
    """Draw panels below each other on one axis of steps, with its first and last time stamp."""
    height = _MARGIN + 24 + _PANEL * len(fans) + 34
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {_WIDTH:.0f} {height:.0f}" font-family="{FONT}" '
        f'font-size="{FONT_SIZE:g}" role="img">',
        f"<title>{escaped_xml(one_line(title))}</title>",
        f'<rect width="100%" height="100%" fill="{Colour.PAPER}"/>',
        _text(_MARGIN, _MARGIN + 10, shortened(one_line(title), 60), FONT_SIZE + 1),
    ]
    for place, fan in enumerate(fans):
        lines += _panel(fan, _MARGIN + 24 + _PANEL * place)
    below = _MARGIN + 24 + _PANEL * len(fans) + 12
    lines += [
        _text(_LEFT, below, ends[0], _SMALL),
        _text(_WIDTH - _MARGIN, below, ends[1], _SMALL, "end"),
        _text(_LEFT, below + 16, f"line: median; band: {band}; bars: shares of states", _SMALL),
    ]
    return Picture("\n".join([*lines, "</svg>", ""]))


def _panel(fan: Fan, top: float) -> list[str]:
    lines = [_text(_MARGIN, top + 10, shortened(one_line(fan.name) or "·", 50), FONT_SIZE)]
    drawn_from, drawn_to = top + 18, top + _PANEL - 10
    if fan.values is not None:
        lines += _band(fan.values, drawn_from, drawn_to)
    elif fan.shares is not None:
        lines += _bars(fan.shares, fan.states, drawn_from, drawn_to)
    return lines


def _band(values: Values, top: float, bottom: float) -> list[str]:
    low, high = float(values[:, 2].min()), float(values[:, 3].max())
    room = (high - low) or 1.0
    at = _places(len(values))

    def heights(column: Values) -> Values:
        return np.asarray(bottom - (column - low) / room * (bottom - top), dtype=np.float64)

    lower = _points(at, heights(values[:, 2]))
    upper = _points(at, heights(values[:, 3]))
    around = " ".join([*upper, *reversed(lower)])
    middle = " ".join(_points(at, heights(values[:, 1])))
    return [
        f'<polygon points="{around}" fill="{Colour.LINE}" fill-opacity="0.25"/>',
        f'<polyline points="{middle}" fill="none" stroke="{Colour.LINE}" stroke-width="1.6"/>',
        _text(_LEFT - 6, top + 8, f"{high:.4g}", _SMALL, "end"),
        _text(_LEFT - 6, bottom, f"{low:.4g}", _SMALL, "end"),
    ]


def _bars(shares: Values, states: Sequence[str], top: float, bottom: float) -> list[str]:
    """Stack the shares of each step; the darkest state is the first."""
    at = _places(len(shares))
    width = 0.8 * (_WIDTH - _MARGIN - _LEFT) / max(len(shares), 1)
    lines = []
    for place, own in zip(at.tolist(), shares, strict=True):
        y = bottom
        for code, share in enumerate(own.tolist()):
            tall = share * (bottom - top)
            y -= tall
            shade = 0.9 - 0.8 * code / max(len(own) - 1, 1)
            name = escaped_xml(one_line(f"{states[code]}: {share:.2f}"))
            lines.append(
                f'<rect x="{place - width / 2:.1f}" y="{y:.1f}" width="{width:.1f}" '
                f'height="{tall:.1f}" fill="{Colour.LINE}" fill-opacity="{shade:.2f}">'
                f"<title>{name}</title></rect>"
            )
    lines.append(_text(_LEFT - 6, bottom, shortened(one_line(states[0]), 8), _SMALL, "end"))
    lines.append(_text(_LEFT - 6, top + 8, shortened(one_line(states[-1]), 8), _SMALL, "end"))
    return lines


def _places(n_steps: int) -> Values:
    room = (_WIDTH - _MARGIN - _LEFT) / max(n_steps, 1)
    return np.array([_LEFT + room * (step + 0.5) for step in range(n_steps)])


def _points(xs: Values, ys: Values) -> list[str]:
    return [f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True)]


def _text(x: float, y: float, text: str, size: float, anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}" '
        f'fill="{Colour.INK}">{escaped_xml(text)}</text>'
    )
