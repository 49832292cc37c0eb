"""Values in a notebook: a heading, a picture, and tables to unfold.

In: text, whatever characters it holds, and the SVG of a picture. Out: one HTML element, without
script or identifier, that is legible on light and on dark pages. All text is escaped.
"""

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bnsieve.text.words import one_line, shortened

# Longer names are shortened; pointing at one shows all of it.
_MAX_CHARACTERS = 80
MAX_TABLE_ROWS = 30
# A picture is made smaller to fit the page, but not so small that nobody can read it.
_LEAST_SCALE = 0.75


class Colour(StrEnum):
    """The colours of pictures and tables, on light pages."""

    PAPER = "#fdfdfc"
    INK = "#1f2933"
    ARROW = "#3e4c59"
    LINE = "#c05621"
    BOX = "#eef2f6"
    BORDER = "#9aa5b1"
    CHOSEN = "#ffe8a3"
    CHOSEN_BORDER = "#b7791f"
    MISSING = "#c53030"
    EXTRA = "#2b6cb0"
    TURNED = "#8a6d00"


# How notebooks and sites say that their page is dark: JupyterLab, VS Code, Colab, Sphinx themes,
# marimo, Quarto and MkDocs Material. What the system prefers says nothing about the page.
_DARK_PAGES = (
    "[data-jp-theme-light=false]",
    ".vscode-dark",
    ".vscode-high-contrast:not(.vscode-high-contrast-light)",
    "html[theme=dark]",
    "[data-theme=dark]",
    "body.dark",
    ".quarto-dark",
    "[data-md-color-scheme=slate]",
)
_LIGHT = {"paper": Colour.PAPER, "ink": Colour.INK, "faint": "#52606d", "rule": "#d9dee4"}
_DARK = {"paper": "#181c21", "ink": "#eef2f6", "faint": "#a8b3bf", "rule": "#3e4c59"}
# The picture's colours, and what they are on a dark page.
_DARK_PICTURE = {
    Colour.PAPER: _DARK["paper"],
    Colour.INK: _DARK["ink"],
    Colour.ARROW: "#cbd2d9",
    Colour.LINE: "#f6ad55",
    Colour.BOX: "#2b343e",
    Colour.BORDER: "#7b8794",
    Colour.CHOSEN: "#5c4813",
    Colour.CHOSEN_BORDER: "#ecc94b",
    Colour.MISSING: "#fc8181",
    Colour.EXTRA: "#90cdf4",
    Colour.TURNED: "#faf089",
}
# Hosts give tables widths, stripes and borders of their own, by rules of up to three classes.
_OWN = ".bnsieve" * 4


@dataclass(frozen=True)
class NotebookTable:
    """A table below the picture.

    Attributes
    ----------
    title : str
    columns : sequence of str
        Their names; none for a table of titles and texts.
    rows : sequence of sequences of str
        Those to show, at most `MAX_TABLE_ROWS` of them are.
    n_rows : int or None
        How many there are in all, if these are not all.
    folded : bool
        Whether the reader has to unfold it.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    n_rows: int | None = None
    folded: bool = True


def notebook_html(
    heading: str, *, note: str = "", picture: str = "", tables: Iterable[NotebookTable] = ()
) -> str:
    """Return the HTML of a value.

    Parameters
    ----------
    heading : str
        What the value is, in a line.
    note : str
        A sentence below it, such as what is left out.
    picture : str
        The SVG of a picture, made by `bnsieve.graph.picture`.
    tables : iterable of NotebookTable
        Those without rows are left out.
    """
    parts = [f'<div class="bnsieve"><style>{_STYLE}</style>']
    if heading:
        parts.append(f"<p><b>{escaped_html(heading, None)}</b></p>")
    if note:
        parts.append(f'<p class="faint">{escaped_html(note, None)}</p>')
    if picture:
        width = re.search(r'width="(\d+)"', picture)
        least = int(width[1]) * _LEAST_SCALE if width else 0
        svg = picture.replace("\n", "")  # so that a page in Markdown takes it as it is
        parts.append(f'<div class="picture" style="--least:{least:.0f}px">{svg}</div>')
    parts += [_table(table) for table in tables if table.rows]
    return "".join([*parts, "</div>"])


def escaped_html(text: str, most: int | None = _MAX_CHARACTERS) -> str:
    """Return text as HTML: in one line, escaped, and on its own whichever way it runs.

    Parameters
    ----------
    text : str
    most : int or None
        How many characters are shown.
    """
    line = one_line(text)
    whole = html.escape(line)
    if most is None or len(line) <= most:
        return f"<bdi>{whole}</bdi>"
    return f'<bdi title="{whole}">{html.escape(shortened(line, most))}</bdi>'


def _table(table: NotebookTable) -> str:
    head = "".join(f"<th>{escaped_html(name)}</th>" for name in table.columns)
    lines = [f"<tr>{head}</tr>"] if head else []
    for row in table.rows[:MAX_TABLE_ROWS]:
        first, *others = (escaped_html(cell, _MAX_CHARACTERS if head else None) for cell in row)
        # Of a table without names of columns, the first column names the others.
        start = f"<td>{first}</td>" if head else f"<th>{first}</th>"
        lines.append(f"<tr>{start}{''.join(f'<td>{cell}</td>' for cell in others)}</tr>")
    n_rows = len(table.rows) if table.n_rows is None else table.n_rows
    n_more = n_rows - min(len(table.rows), MAX_TABLE_ROWS)
    more = f'<p class="faint">… and {n_more:,} more</p>' if n_more else ""
    body = f"<table>{''.join(lines)}</table>{more}"
    if not table.folded:
        return body
    return f"<details><summary>{escaped_html(table.title)}</summary>{body}</details>"


def _style() -> str:
    """Write the style sheet, which touches nothing outside of the element."""

    def variables(values: dict[str, str]) -> str:
        return "".join(f"--{name}:{value};" for name, value in values.items())

    dark = f":is({','.join(_DARK_PAGES)}) {_OWN}"
    rules = {
        "": f"{variables(_LIGHT)}color:var(--ink);background:var(--paper);"
        "border:1px solid var(--rule);border-radius:6px;padding:8px 12px;overflow:auto;"
        "font:13px/1.45 system-ui,sans-serif",
        "p": "margin:2px 0 6px;color:inherit;font-size:inherit",
        ".faint": "color:var(--faint)",
        ".picture": "overflow:auto;max-height:80vh;margin:4px 0",
        "svg": "display:block;max-width:max(100%,var(--least));height:auto",
        "table": "border-collapse:collapse;border:0;margin:4px 0;width:auto;display:table;"
        "font-size:inherit;background:none;box-shadow:none;color:inherit",
        ":is(tr,th,td)": "background:none;border:0;color:inherit",
        ":is(th,td)": "padding:2px 14px 2px 0;text-align:left;vertical-align:top;"
        "border-top:1px solid var(--rule);font-size:inherit;min-width:0;max-width:60em;"
        "white-space:normal;overflow-wrap:break-word",
        "th": "font-weight:600;color:var(--faint)",
        # A sentence beside its title may break anywhere; other tables would lose their columns.
        "th+td": "overflow-wrap:anywhere",
        "details": "margin:4px 0;padding:0;border:0;box-shadow:none;background:none;"
        "font-size:inherit;color:inherit",
        "summary": "cursor:pointer;color:var(--faint);background:none;border:0;margin:0;padding:0;"
        "display:list-item;font-weight:inherit",
        "summary::before": "content:none",
        "summary::after": "content:none",
    }
    lines = [f"{_OWN} {what}{{{how}}}" for what, how in rules.items()]
    lines.append(f"{dark}{{{variables(_DARK)}}}")
    for light, colour in _DARK_PICTURE.items():
        lines += [
            f'{dark} svg [{what}="{light}"]{{{what}:{colour}}}' for what in ("fill", "stroke")
        ]
    return "".join(lines)


_STYLE = _style()
