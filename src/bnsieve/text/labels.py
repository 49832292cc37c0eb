"""Labels in a picture: what is shown of a name, and how wide that is.

Comes in: a name, whatever characters it holds. Goes out: one short line of text, and its width.
There is no font here to measure with: widths are those of Helvetica and Arial, a little enlarged
for readers who have neither.
"""

import re
import unicodedata

FONT = "Helvetica, Arial, sans-serif"
FONT_SIZE = 12.0
MAX_CHARACTERS = 30

# Shares of the font's size.
_NARROW = dict.fromkeys("ijl|!.,:;'`", 0.28)
_WIDTHS = (
    _NARROW
    | dict.fromkeys('frtI()[]{}/\\- "', 0.36)
    | dict.fromkeys("mwMW%@", 0.9)
    | dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ&_+<>=~#", 0.68)
)
_OTHER, _WIDE = 0.56, 1.15
_SAFETY = 1.06


def shown_label(name: str) -> str:
    """Return a name as one line of at most 30 characters, an ellipsis for the rest."""
    line = one_line(name) or "·"
    return line if len(line) <= MAX_CHARACTERS else line[: MAX_CHARACTERS - 1] + "…"


def one_line(text: str) -> str:
    """Return text as one line: without control characters, and none that turn what follows."""
    controls = r"[\s\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]+"
    return re.sub(controls, " ", text).strip()


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """Estimate the width of a line of text in pixels."""
    total = sum(
        _WIDE if unicodedata.east_asian_width(sign) in "WF" else _WIDTHS.get(sign, _OTHER)
        for sign in text
        if not unicodedata.combining(sign)
    )
    return total * size * _SAFETY
