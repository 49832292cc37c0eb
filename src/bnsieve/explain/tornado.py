"""A tornado plot as SVG: one bar per driver with its interval, every name escaped.

In: `Bar`s, the first at the top. Out: a `Picture` that is legible from a width of 320 pixels on.
The name and the difference of a bar are above it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bnsieve.graph import Picture
from bnsieve.text import FONT, FONT_SIZE, Colour, escaped_xml, one_line, shortened, text_width

_WIDTH = 360.0
_MARGIN = 14.0
_ROW = 40.0
_BAR = 12.0
_SMALL = 11.0
# At both ends, so that the caps of intervals have room.
_PAD = 6.0


@dataclass(frozen=True)
class Bar:
    """One bar.

    Attributes
    ----------
    name, text : str
        The texts above it, on the left and on the right.
    value, low, high : float
        The value and the ends of the interval; NaN if there is no interval.
    is_solid : bool
        Whether it is filled: the sign is determined, and the variable may be a cause.
    is_late : bool
        Whether it may have been recorded after the target.
    sets_scale : bool
        Whether the scale is long enough for the whole bar. An effect of the target is cut off at
        the edge, because it is often many times as large as any cause.
    """

    name: str
    text: str
    value: float
    low: float
    high: float
    is_solid: bool = True
    is_late: bool = False
    sets_scale: bool = True

    @property
    def ends(self) -> tuple[float, ...]:
        """Zero, the value and the ends of the interval."""
        return tuple(x for x in (0.0, self.value, self.low, self.high) if math.isfinite(x))

    @property
    def colour(self) -> str:
        """The colour for its sign."""
        return Colour.LINE if self.value > 0 else Colour.EXTRA


def draw_tornado(bars: Sequence[Bar], title: str, unit: str, n_more: int) -> Picture:
    """Draw bars on one scale.

    Parameters
    ----------
    bars : sequence of Bar
    title, unit : str
        Texts above the bars, and below their scale.
    n_more : int
        The number of drivers that are not drawn.
    """
    scaled = [bar for bar in bars if bar.sets_scale] or bars
    ends = [x for bar in scaled for x in bar.ends]
    least, most = min(ends, default=0.0), max(ends, default=0.0)
    if least == most:
        least, most = -1.0, 1.0
    left, right = _MARGIN + _PAD, _WIDTH - _MARGIN - _PAD
    top = _MARGIN + 30.0

    def at(value: float) -> float:
        share = (value - least) / (most - least)
        return left + min(max(share, 0.0), 1.0) * (right - left)

    legend = _legend(bars)
    if any(end < least or end > most for bar in bars for end in bar.ends):
        legend.append("effects of the outcome may extend beyond the edge")
    below = top + _ROW * len(bars)
    notes = [unit, *legend] + ([f"{n_more:,} more are not drawn"] if n_more else [])
    height = below + 24.0 + 15.0 * len(notes) + _MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {_WIDTH:.0f} {height:.0f}" font-family="{FONT}" '
        f'font-size="{FONT_SIZE:g}" role="img">',
        f"<title>{escaped_xml(title)}</title>",
        f'<rect width="100%" height="100%" fill="{Colour.PAPER}"/>',
        _text(_MARGIN, _MARGIN + 10, _fitting(title, _WIDTH - 2 * _MARGIN, 15), 15, bold=True),
        f'<line x1="{at(0):.1f}" y1="{top:.1f}" x2="{at(0):.1f}" y2="{below:.1f}" '
        f'stroke="{Colour.BORDER}"/>',
    ]
    for number, bar in enumerate(bars):
        lines += _bar(bar, top + _ROW * number, at)
    for value in _ticks(least, most):
        lines += [
            f'<line x1="{at(value):.1f}" y1="{below:.1f}" x2="{at(value):.1f}" '
            f'y2="{below + 4:.1f}" stroke="{Colour.ARROW}"/>',
            _text(at(value), below + 16, f"{value:g}", _SMALL, anchor="middle"),
        ]
    for number, note in enumerate(notes):
        fitted = _fitting(note, _WIDTH - 2 * _MARGIN, _SMALL)
        lines.append(_text(_MARGIN, below + 34 + 15 * number, fitted, _SMALL))
    return Picture("\n".join([*lines, "</svg>", ""]))


def _bar(bar: Bar, y: float, at: Callable[[float], float]) -> list[str]:
    start, end = sorted((at(0.0), at(bar.value)))
    fill = bar.colour if bar.is_solid else Colour.PAPER
    middle = y + 20 + _BAR / 2
    room = _WIDTH - 2 * _MARGIN - text_width(bar.text, _SMALL) - 10
    mark = " *" if bar.is_late else ""
    name = _fitting(bar.name, room - text_width(mark), FONT_SIZE)
    lines = [
        f"<g><title>{escaped_xml(one_line(f'{bar.name}: {bar.text}'))}</title>",
        _text(_MARGIN, y + 13, name + mark, FONT_SIZE),
        _text(_WIDTH - _MARGIN, y + 13, bar.text, _SMALL, anchor="end"),
        f'<rect x="{start:.1f}" y="{y + 20:.1f}" width="{max(end - start, 0.5):.1f}" '
        f'height="{_BAR:g}" fill="{fill}" stroke="{bar.colour}"/>',
    ]
    if math.isfinite(bar.low) and math.isfinite(bar.high):
        low, high = at(bar.low), at(bar.high)
        whisker = f"M{low:.1f} {middle:.1f}H{high:.1f}" + "".join(
            f"M{x:.1f} {middle - 4:.1f}V{middle + 4:.1f}" for x in (low, high)
        )
        lines.append(f'<path d="{whisker}" fill="none" stroke="{Colour.INK}" stroke-width="1.3"/>')
    return [*lines, "</g>"]


def _text(
    x: float, y: float, text: str, size: float, *, anchor: str = "start", bold: bool = False
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}"{weight} '
        f'fill="{Colour.INK}">{escaped_xml(text)}</text>'
    )


def _fitting(text: str, width: float, size: float) -> str:
    """Return as much of a text as fits, in one line."""
    text = one_line(text) or "·"
    for length in range(len(text), 1, -1):
        if text_width(shortened(text, length), size) <= width:
            return shortened(text, length)
    return shortened(text, 1)


def _legend(bars: Sequence[Bar]) -> list[str]:
    lines = []
    if any(not bar.is_solid for bar in bars):
        lines.append("hollow: no possible cause, or sign not certain")
    if any(bar.is_late for bar in bars):
        lines.append("*: may be recorded after the outcome")
    return lines


def _ticks(least: float, most: float) -> list[float]:
    """Return round numbers between two, zero among them: about four."""
    rough = (most - least) / 4
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * k for k in (1, 2, 5, 10) if unit * k >= rough)
    first, last = math.ceil(least / step), math.floor(most / step)
    return [k * step for k in range(first, last + 1)]
