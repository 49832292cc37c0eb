"""Numbers in text: which of the usual ways of writing them a column has, and what they say.

A decimal comma and commas between thousands look alike in one cell, and are told apart by all cells
of a column. A limit such as ``<1`` is read as the number next to it on that side. Signs of
currencies and percent are left out.
"""

import re
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from bnsieve.table.prepare.readings import NumberStyle

Texts = NDArray[np.object_]

_EXPONENT = r"(?:[eE][+-]?\d{1,3})?"
_DIGITS = {
    "plain": rf"(?:\d+\.?\d*|\.\d+){_EXPONENT}",
    "comma": rf"\d+(?:,\d+)?{_EXPONENT}",
    "thousands": r"(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.\d+)?",
    "thousands-comma": r"(?:[1-9]\d{0,2}(?:[. '\u00a0\u202f]\d{3})+|\d+)(?:,\d+)?",
}
_LIMIT = r"(<=|>=|<|>|\u2264|\u2265)?\s*"
_SIGN = r"([+\-\u2212]?)"
_UNIT = r"[$\u20ac\u00a3\u00a5%\s]*"
_WRITTEN = {
    style: re.compile(rf"\s*{_LIMIT}{_UNIT}{_SIGN}{_UNIT}({digits}){_UNIT}")
    for style, digits in _DIGITS.items()
}
_NO_DIGITS = re.compile(r"[^\d.eE+\-]")
# Digits that begin with a zero are a code: a number is not written so.
_CODE = re.compile(r"\s*0\d+\s*")
# Whatever is a number in some style begins like this.
_LOOSE = re.compile(r"[\s<>=\u2264\u2265$\u20ac\u00a3\u00a5+\-\u2212]*[.\d]")


def read_numbers(texts: Texts, style: NumberStyle) -> NDArray[np.float64]:
    """Return the number that each text says, NaN if it says none."""
    return np.array([_number(text, style) for text in texts], dtype=np.float64)


def limits(texts: Texts, style: NumberStyle) -> list[str]:
    """Say for each text which limit it is, such as "below 1"; nothing if it is none."""
    words = {"<": "below", ">": "above", "<=": "at most", ">=": "at least"}
    words |= {"\u2264": "at most", "\u2265": "at least"}
    found = []
    for text in texts:
        match = _WRITTEN[style].fullmatch(text)
        limit = match and match[1]
        said = text.strip().lstrip("<>=\u2264\u2265").strip()
        found.append(f"{words[limit]} {said}" if limit else "")
    return found


def choose_style(texts: Texts, counts: NDArray[np.int64]) -> tuple[NumberStyle, int, str]:
    """Return in which style most cells of a column are numbers.

    Parameters
    ----------
    texts : ndarray of str objects, shape (n,)
        Different texts.
    counts : ndarray of int64, shape (n,)
        How often each occurs.

    Returns
    -------
    style : NumberStyle
    n_cells : int
        Cells that are numbers in that style; 0 if digits that begin with a zero show that the
        column holds codes.
    doubt : str
        A text that would be another number in another style, if no cell decides; else nothing.
    """
    total = int(counts.sum())
    loose = np.array([_LOOSE.match(text) is not None for text in texts], dtype=bool)
    if 2 * int(counts[loose].sum()) < total:
        return "plain", 0, ""
    codes = np.array([_CODE.fullmatch(text) is not None for text in texts], dtype=bool)
    if 100 * int(counts[codes].sum()) > total:
        return "plain", 0, ""
    cells = {
        style: int(counts[[pattern.fullmatch(text) is not None for text in texts]].sum())
        for style, pattern in _WRITTEN.items()
    }
    # Where styles do as well as each other, the one that is listed first is meant; but 1,234 is
    # more often a thousand than a fraction of just three digits.
    order: list[NumberStyle] = ["plain", "thousands", "comma", "thousands-comma"]
    best = max(order, key=lambda style: cells[style])
    doubt = ""
    if best == "thousands" and cells["comma"] == cells["thousands"]:
        doubt = next((text for text in texts if "," in text), "")
    return best, cells[best], doubt


def _number(text: str, style: NumberStyle) -> float:
    match = _WRITTEN[style].fullmatch(text)
    if match is None:
        return np.nan
    limit, sign, digits = match.groups()
    if style in ("comma", "thousands-comma"):
        whole, _, fraction = digits.partition(",")
        digits = _NO_DIGITS.sub("", whole.replace(".", "")) + "." + fraction
    number = float(digits.replace(",", ""))
    if sign and sign != "+":
        number = -number
    if not np.isfinite(number):
        return np.nan
    if limit == "<":
        return float(np.nextafter(number, -np.inf))
    return float(np.nextafter(number, np.inf)) if limit == ">" else number


assert set(_DIGITS) == set(get_args(NumberStyle))
