"""A sheet of SVG to draw on: boxes, text, lines and bars, in the colours of bnsieve's graphs.

In: positions in pixels. Out: the text of one SVG picture, on paper of its own, so that it looks the
same on light and on dark pages.
"""

from html import escape
from pathlib import Path

PAPER, INK, SOFT = "#fdfdfc", "#1f2933", "#616e7c"
BOX, BORDER = "#eef2f6", "#9aa5b1"
BLUE, TEAL, ORANGE, RED = "#3e4c59", "#0f766e", "#c05621", "#b42318"
YELLOW, YELLOW_BORDER, GREEN = "#ffe8a3", "#b7791f", "#d7f0e5"
FONT = "Helvetica, Arial, sans-serif"
MONO = "Menlo, Consolas, 'DejaVu Sans Mono', monospace"
IMAGES = Path(__file__).parents[2] / "docs" / "images"


class Canvas:
    """A picture that grows as things are drawn on it; later things lie above earlier ones."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self._parts: list[str] = []

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str = BOX,
        stroke: str = BORDER,
        radius: float = 5,
    ) -> None:
        """Draw a rectangle with round corners."""
        self._parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'rx="{radius}" fill="{fill}" stroke="{stroke}"/>'
        )

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float = 14,
        fill: str = INK,
        anchor: str = "start",
        weight: str = "normal",
        font: str = FONT,
    ) -> None:
        """Write one line; ``anchor`` is "start", "middle" or "end"."""
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" '
            f'text-anchor="{anchor}" font-weight="{weight}" font-family="{font}">'
            f"{escape(words)}</text>"
        )

    def label(
        self, x: float, y: float, width: float, words: str, height: float = 28, **colours: str
    ) -> None:
        """Draw a box with one line in its middle."""
        self.box(x, y, width, height, colours.get("fill", BOX), colours.get("stroke", BORDER))
        self.text(
            x + width / 2,
            y + height / 2 + 5,
            words,
            anchor="middle",
            fill=colours.get("ink", INK),
            size=13.5,
        )

    def line(
        self,
        points: list[tuple[float, float]],
        stroke: str = BLUE,
        width: float = 1.6,
        head: bool = False,
        dashes: str = "",
    ) -> None:
        """Draw a line through the points; with ``head``, an arrow ends at the last."""
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        extra = f' stroke-dasharray="{dashes}"' if dashes else ""
        self._parts.append(
            f'<path d="{path}" fill="none" stroke="{stroke}" stroke-width="{width}"{extra}/>'
        )
        if head:
            (x0, y0), (x1, y1) = points[-2:]
            length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
            dx, dy = (x1 - x0) / length, (y1 - y0) / length
            left = f"{x1 - 8 * dx - 4 * dy:.1f},{y1 - 8 * dy + 4 * dx:.1f}"
            right = f"{x1 - 8 * dx + 4 * dy:.1f},{y1 - 8 * dy - 4 * dx:.1f}"
            self._parts.append(
                f'<polygon points="{x1:.1f},{y1:.1f} {left} {right}" fill="{stroke}"/>'
            )

    def circle(self, x: float, y: float, radius: float, fill: str, stroke: str = "none") -> None:
        """Draw a disc."""
        self._parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{fill}" stroke="{stroke}"/>'
        )

    @property
    def svg(self) -> str:
        """The picture as text."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" role="img">\n'
            f"<title>{escape(self.title)}</title>\n"
            f'<rect width="100%" height="100%" rx="6" fill="{PAPER}"/>\n'
        )
        return head + "\n".join(self._parts) + "\n</svg>\n"

    def save(self, name: str) -> None:
        """Write ``docs/images/NAME.svg``."""
        path = IMAGES / f"{name}.svg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.svg, encoding="utf-8")
