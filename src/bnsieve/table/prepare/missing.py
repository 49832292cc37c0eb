"""Cells that mean a missing value: texts for all columns, and for one: ``age=-9,999``.

In: a column and the texts that the user gave. Out: the column without those cells. A code of one
column is a number there, whatever its unit: ``weight=999`` also means ``999 kg``.
"""

import re
from collections.abc import Collection, Mapping, Sequence

from bnsieve.table import Column, numbers_among

_NUMBER = re.compile(r"[^\d+\-\u2212.]*([+\-\u2212]?\d+(?:[.,]\d+)?)(?:[^\d.,].*)?")


def missing_texts_of(given: Sequence[str] | Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return texts that mean a missing value, those of one column as ``column=a,b``."""
    if not isinstance(given, Mapping):
        return tuple(given)
    return tuple(
        f"{name}={own if isinstance(own, str) else ','.join(map(str, own))}"
        for name, own in given.items()
    )


def own_texts(name: str, missing: Collection[str]) -> tuple[str, ...]:
    """Return the texts that mean a missing value in one column only."""
    given = (text.removeprefix(f"{name}=") for text in missing if text.startswith(f"{name}="))
    return tuple(part.strip() for own in given for part in own.split(",") if part.strip())


def without_missing(cells: Column, name: str, missing: Collection[str]) -> Column:
    """Return a column with the cells missing that mean a missing value."""
    own = own_texts(name, missing)
    if not own:
        return cells.without(missing)
    left = cells.without((*missing, *own))
    codes = numbers_among(own)
    if left.kind != "text" or not codes:
        return left
    return left.without({text for text in left.values.tolist() if _number(text) in codes})


def has_codes(name: str, missing: Collection[str]) -> bool:
    """Tell whether a number means a missing value in a column."""
    return bool(numbers_among((*missing, *own_texts(name, missing))))


def _number(text: str) -> float | None:
    match = _NUMBER.fullmatch(text.strip())
    return None if match is None else float(match[1].replace("\u2212", "-").replace(",", "."))
