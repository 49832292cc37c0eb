"""Names inside sentences: kept apart from the words around them, whatever letters they have.

A name is set between two invisible marks of Unicode, an isolate: a name that is written from right
to left leaves the sentence as it is. The page shows what is between them in bold.
"""

import re

OPEN, CLOSE = "\u2068", "\u2069"
NO_NAME = "(no name)"
# Between the two ends of an edge.
FORTH, BACK, EITHER_WAY = "\u2192", "\u2190", "\u2013"
# Marks that would turn the text around them, and white space of all kinds.
_MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_LONGEST = 60
# A number and its sign stay on one line.
_SPACED = "\u00a0"


def named(name: object, longest: int = _LONGEST) -> str:
    """Return a name or label as part of a sentence: one line, not too long, between marks."""
    return f"{OPEN}{plain_name(name, longest)}{CLOSE}"


def plain_name(name: object, longest: int = _LONGEST) -> str:
    """Return a name as one line that is not too long."""
    line = _SPACE.sub(" ", _MARKS.sub("", str(name))).strip() or NO_NAME
    return line if len(line) <= longest else line[: longest - 1] + "…"


def listed(names: list[str], most: int = 5) -> str:
    """Join names that are marked already: "a, b and c", or "a, b and 7 more"."""
    if len(names) > most + 1:
        names = [*names[:most], f"{len(names) - most:,} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def share(value: float) -> str:
    """Return a share as people write it: "68 %"; never a false 0 or 100."""
    if 0 < value < 0.01:
        return f"under 1{_SPACED}%"
    if 0.99 < value < 1:
        return f"over 99{_SPACED}%"
    return f"{value:.0%}".replace("%", f"{_SPACED}%")


def counted(n: int, one: str, several: str | None = None) -> str:
    """Return a number with its noun: "1 edge", "2 edges"."""
    return f"{n:,} {one if n == 1 else several or one + 's'}"
