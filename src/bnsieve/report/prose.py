"""Names inside sentences: kept apart from the words around them, whatever letters they have.

A name is set between two invisible marks of Unicode, an isolate: a name that is written from right
to left leaves the sentence as it is. The page shows what is between them in bold.
"""

import re

from bnsieve.text import one_line, shortened

OPEN, CLOSE = "\u2068", "\u2069"
NO_NAME = "(no name)"
# Between the two ends of an edge.
FORTH, BACK, EITHER_WAY = "\u2192", "\u2190", "\u2013"
# Marks that would turn the text around them.
_MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LONGEST = 60
# A number and its sign stay on one line.
_SPACED = "\u00a0"


def named(name: object, longest: int = _LONGEST) -> str:
    """Return a name or label as part of a sentence: one line, not too long, between marks."""
    return f"{OPEN}{plain_name(name, longest)}{CLOSE}"


def plain_name(name: object, longest: int = _LONGEST) -> str:
    """Return a name as one line that is not too long."""
    return shortened(one_line(_MARKS.sub("", str(name))) or NO_NAME, longest)


def share(value: float) -> str:
    """Return a share as people write it: "68 %"; never a false 0 or 100."""
    if 0 < value < 0.01:
        return f"under 1{_SPACED}%"
    if 0.99 < value < 1:
        return f"over 99{_SPACED}%"
    return f"{value:.0%}".replace("%", f"{_SPACED}%")
