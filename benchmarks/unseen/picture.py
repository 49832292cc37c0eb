"""The study in one look: mean F1 by program and size, one line of dots to a program."""

import pandas as pd

from benchmarks.unseen.beside import Beside, by_network, shared
from tools.drawings.canvas import BORDER, INK, ORANGE, SOFT, TEAL, Canvas

_LEFT, _RIGHT, _TOP, _STEP = 250, 670, 112, 27
_SHADES = ("#b3d6d2", "#5fa8a1", TEAL)
_OURS = ("#efc1a4", "#dc8a5b", ORANGE)


def picture(ours: pd.DataFrame, peers: pd.DataFrame) -> str:
    """Return an SVG.

    Parameters
    ----------
    ours : DataFrame
        Runs of one program of ours.
    peers : DataFrame
        Runs of other programs; those that we and all of them were run on count.
    """
    sizes = shared(ours, peers)
    # A size at which only some configurations were run would leave the others out at all sizes.
    n_names = max(one.theirs.name.nunique() for one in sizes)
    sizes = [one for one in sizes if one.theirs.name.nunique() == n_names]
    lines = _lines(sizes)
    canvas = Canvas(
        700,
        _TOP + _STEP * len(lines) + 46,
        "Mean F1 on published networks, columns shuffled, by program and number of rows",
    )
    canvas.text(
        16, 28, "Mean F1 of the edges on networks that no setting was fitted to", 16, weight="bold"
    )
    samples = [f"{one.ours.network.nunique()} at {one.size:,} rows" for one in sizes]
    about = f"Published networks, columns shuffled: {', '.join(samples)}"
    canvas.text(16, 50, about, 13, SOFT)
    _legend(canvas, sizes)
    _axis(canvas, lines)
    for i, (name, values) in enumerate(lines):
        y = _TOP + _STEP * (i + 0.5)
        own = i == 0
        canvas.text(_LEFT - 14, y + 5, name, 13, INK, "end", "bold" if own else "normal")
        points = [(_place(value), y) for value in values]
        if len(points) > 1:
            canvas.line([min(points), max(points)], BORDER, 1.2)
        shades = (_OURS if own else _SHADES)[-len(sizes) :]
        for (x, _), shade in zip(points, shades, strict=True):
            canvas.circle(x, y, 7 if own else 5, shade)
        canvas.text(max(points)[0] + 12, y + 4, f"{max(values):.2f}", 12, SOFT)
    return canvas.svg


def _lines(sizes: list[Beside]) -> list[tuple[str, list[float]]]:
    """Return ours, the best in hindsight, then each configuration, the best first."""
    own = [by_network(one.ours).f1.mean() for one in sizes]
    hindsight = [one.hindsight().f1.mean() for one in sizes]
    names = set.intersection(*(set(one.theirs.name) for one in sizes))
    each = [(name, [one.of(name).f1.mean() for one in sizes]) for name in sorted(names)]
    each.sort(key=lambda line: -sum(line[1]))
    first = [("bnsieve, one default", own), ("best of the others, in hindsight", hindsight)]
    return [*first, *((_short(name), values) for name, values in each)]


def _short(name: str) -> str:
    for word in ("score=", "test=", "corr="):
        name = name.replace(word, "")
    return name.replace(" alpha=", ", ").replace(" iss=", " ")


def _place(value: float) -> float:
    """Return where a value lies; the axis goes from .4 to 1."""
    return _LEFT + (_RIGHT - 40 - _LEFT) * (max(value, 0.4) - 0.4) / 0.6


def _axis(canvas: Canvas, lines: list[tuple[str, list[float]]]) -> None:
    bottom = _TOP + _STEP * len(lines) + 6
    for tenth in range(4, 11):
        x = _place(tenth / 10)
        canvas.line([(x, _TOP - 6), (x, bottom)], "#e4e7eb", 1)
        canvas.text(x, bottom + 18, f"{tenth / 10:.1f}", 12, SOFT, "middle")


def _legend(canvas: Canvas, sizes: list[Beside]) -> None:
    x = float(_LEFT)
    for one, shade in zip(sizes, _SHADES[-len(sizes) :], strict=True):
        canvas.circle(x, 80, 5, shade)
        canvas.text(x + 12, 85, f"{one.size:,} rows", 13, SOFT)
        x += 118
