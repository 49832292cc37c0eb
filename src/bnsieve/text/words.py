"""Words and names in messages, tables and pictures: joined, counted, shortened, measured.

In: texts, whatever characters they hold. Out: one line of text, or its width in pixels.
"""

import html
import re
import unicodedata
from collections.abc import Iterable

FONT = "Helvetica, Arial, sans-serif"
FONT_SIZE = 12.0
# Of a name in a picture.
_LABEL_WIDTH = 30

# White space, control characters, and marks that change the direction of the text after them.
_CONTROLS = re.compile(
    r"[\s\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]+"
)

_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

# Widths of characters in Helvetica and Arial, as a fraction of the font's size.
_WIDTHS = (
    dict.fromkeys("ijl|!.,:;'`", 0.28)
    | dict.fromkeys('frtI()[]{}/\\- "', 0.36)
    | dict.fromkeys("mwMW%@", 0.9)
    | dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ&_+<>=~#", 0.68)
)
_OTHER, _WIDE = 0.56, 1.15
# For readers who have neither of the two fonts.
_SAFETY = 1.06


def listed(items: Iterable[object], most: int | None = 5, last: str = "and") -> str:
    """Join items into words.

    Parameters
    ----------
    items : iterable
        Written as `str` writes them.
    most : int or None
        How many are named if there are more than one above it; None names all.
    last : str
        The word before the last item.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b and c'
    >>> listed("abcdefgh", most=2)
    'a, b and 6 more'
    """
    words = [str(item) for item in items]
    if most is not None and len(words) > most + 1:
        words = [*words[:most], f"{len(words) - most:,} more"]
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: "1 edge", "2 edges"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def shortened(text: str, width: int) -> str:
    """Return at most `width` characters of a text, the last an ellipsis if some were left out."""
    return text if len(text) <= width else text[: width - 1] + "…"


def one_line(text: str) -> str:
    """Return text as one line, without control characters and marks of direction."""
    return _CONTROLS.sub(" ", text).strip()


def escaped_xml(text: str) -> str:
    """Return text for XML, what XML cannot hold replaced."""
    return html.escape(_NOT_IN_XML.sub("\ufffd", text))


def shown_label(name: str) -> str:
    """Return a name as a picture shows it: one line of at most 30 characters."""
    return shortened(one_line(name) or "·", _LABEL_WIDTH)


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """Estimate the width of a line of text in pixels, without a font to measure with."""
    total = sum(
        _WIDE if unicodedata.east_asian_width(sign) in "WF" else _WIDTHS.get(sign, _OTHER)
        for sign in text
        if not unicodedata.combining(sign)
    )
    return total * size * _SAFETY
