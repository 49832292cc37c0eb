"""Values of a column that may not be what they look like, with the option that says so.

In: the facts of a column and how it is read. Out: warnings. Codes of missing values, such as -9 or
9999; texts such as "unknown"; categories that differ only in case, spaces or accents; a point that
may stand between thousands. They are used unchanged, as only the author of the table knows: but for
repeated codes of nines that are far from all other numbers, which are missing values.
"""

import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.table.prepare.facts import ColumnFacts
from bnsieve.table.prepare.parsing import read_numbers
from bnsieve.table.prepare.plan import Output
from bnsieve.table.prepare.readings import Labels, Numbers
from bnsieve.table.prepare.roles import quoted, shown
from bnsieve.text import listed

# The first ones are missing values in a CSV file, and categories in a frame or a Parquet file.
_PLACEHOLDERS = (
    *("NA", "N/A", "n/a", "NULL", "null", "NaN", "nan"),
    *("?", "-", "unknown", "Unknown", "UNKNOWN", "None", "none"),
)
# What programs and people write for a missing number.
_NINES = [sign * (10**n - 1) for n in range(2, 8) for sign in (-1, 1)]
_EIGHTS_AND_SEVENS = [
    sign * digit * (10**n - 1) // 9 for digit in (7, 8) for n in range(2, 6) for sign in (-1, 1)
]
_TENTHS = [-99.9, -999.9, 99.9, 999.9]
_BELOW_ZERO = [-1, -7, -8, -9]
_CODES = np.array([*_NINES, *_EIGHTS_AND_SEVENS, *_TENTHS, *_BELOW_ZERO], dtype=np.float64)
# A code among other numbers is a spike if it has so many cells, so many times those of the most
# frequent other number.
_SPIKE_CELLS, _SPIKE = 10, 5
# Whole numbers that are so many times the fractions may have a point between thousands.
_THOUSANDS = 20
_EXAMPLES = 3
# A code that is far from all other numbers is evidently one if it has so many cells, and at most
# this share of them.
_EVIDENT_CELLS, _EVIDENT_SHARE = 3, 0.2
_FAR = "is far from all other numbers"
# A spelling is evidently one if it is so many times rarer, of a word of so many letters.
_RARER, _LETTERS = 4, 2


def find_placeholders(name: str, facts: ColumnFacts, output: Output) -> list[str]:
    """Return a warning for each value that may be a placeholder for a missing one.

    They are texts such as "unknown", and codes such as -9 or 9999 that are further from all other
    numbers than these are from each other, that alone are below zero, or that are far more frequent
    than any other number.
    """
    values, counts = facts.distinct.values, facts.distinct.counts
    if facts.kind == "text" and isinstance(output.reading, Labels):
        there = set(values.tolist())
        return [
            f"{text!r} counts as a category: --na {quoted(text)} makes it a missing value"
            for text in _PLACEHOLDERS
            if text in there
        ]
    if facts.kind == "text" and not isinstance(output.reading, Numbers):
        return []
    reading = output.reading if isinstance(output.reading, Numbers) else Numbers()
    found = _codes_among(_numbers_of(facts, reading), counts)
    return [
        f"{shown(code)} {why} ({_share(n, facts.n_known)} of the cells): "
        f"--na {quoted(name)}={shown(code)} makes it a missing value"
        for code, n, why in found
    ]


def evident_codes(facts: ColumnFacts, reading: Numbers) -> list[float]:
    """Return codes such as -9999 that have several cells, far from all other numbers."""
    if facts.kind not in ("number", "text"):
        return []
    return [
        code
        for code, n, why in _codes_among(_numbers_of(facts, reading), facts.distinct.counts)
        if why == _FAR and _EVIDENT_CELLS <= n <= _EVIDENT_SHARE * facts.n_known
    ]


def are_codes(values: NDArray[Any], reading: Numbers, codes: Sequence[float]) -> NDArray[np.bool_]:
    """Tell which values, numbers or texts with a unit, are one of some codes."""
    found: NDArray[np.bool_] = np.isin(_as_numbers(values, reading), codes)
    return found


def _numbers_of(facts: ColumnFacts, reading: Numbers) -> NDArray[np.float64]:
    return _as_numbers(facts.distinct.values, reading)


def _as_numbers(values: NDArray[Any], reading: Numbers) -> NDArray[np.float64]:
    if values.dtype.kind in "OUST":
        return read_numbers(values, reading.style, reading.factors)
    return np.asarray(values, dtype=np.float64)


def _codes_among(
    numbers: NDArray[np.float64], counts: NDArray[np.int64]
) -> list[tuple[float, int, str]]:
    """Return the codes among numbers, how many cells each has, and why it is one."""
    is_finite = np.isfinite(numbers)
    numbers, counts = numbers[is_finite], counts[is_finite]
    is_code = np.isin(numbers, _CODES)
    others = numbers[~is_code]
    if len(others) < 2:
        return []
    lowest, highest = float(others.min()), float(others.max())
    far, most = highest - lowest, int(counts[~is_code].max())
    found = []
    for code in np.unique(numbers[is_code]).tolist():
        n = int(counts[numbers == code].sum())
        is_below = code in _BELOW_ZERO
        if not is_below and (code < lowest - far or code > highest + far):
            found.append((code, n, _FAR))
        elif code < 0 <= lowest and (code < -1 or lowest > 0):
            found.append((code, n, "is below zero, unlike the other numbers"))
        elif n >= max(_SPIKE_CELLS, _SPIKE * most):
            found.append((code, n, "is far more frequent than any other number"))
    return found


def _share(n: int, total: int) -> str:
    return f"{n / max(1, total):.1%}"


def find_variants(name: str, facts: ColumnFacts, output: Output) -> list[str]:
    """Return a warning where categories differ only in case, spaces or accents."""
    if facts.kind != "text" or not isinstance(output.reading, Labels) or output.other is not None:
        return []
    folded = output.groups or {}
    groups = [
        left
        for group in spellings(facts).values()
        if len(left := list(dict.fromkeys(folded.get(text, text) for text in group))) > 1
    ]
    if not groups:
        return []
    some = [" and ".join(map(repr, group[:2])) for group in groups]
    return [
        f"categories differ only in case, spaces or accents: {listed(some, _EXAMPLES)}; "
        f"--role {quoted(name)}=spelling makes them one"
    ]


def spellings(facts: ColumnFacts) -> dict[str, list[str]]:
    """Return the categories of a column by what they are without case, spaces and accents.

    The most frequent spelling comes first.
    """
    order = np.lexsort((np.arange(len(facts.distinct.counts)), -facts.distinct.counts))
    groups: dict[str, list[str]] = {}
    for text in facts.distinct.values[order].tolist():
        groups.setdefault(plain_spelling(str(text)), []).append(str(text))
    return groups


def folds_of(facts: ColumnFacts) -> dict[str, str]:
    """Return for each spelling of a category the most frequent one."""
    groups = spellings(facts).values()
    return {text: group[0] for group in groups for text in group}


def evident_folds(facts: ColumnFacts) -> dict[str, str]:
    """Return the same where spellings are evidently of one category; nothing if none are.

    They are if each is far rarer than the most frequent one, and words, not letters: "w" and "W"
    may be two codes. "w", "W", "m" and "M" alone are two letters in the wrong case at times. Where
    all categories would become one, as of the genotypes AA, Aa and aa, the case is what they tell.
    """
    found: dict[str, str] = {}
    counts = dict(zip(map(str, facts.distinct.values), facts.distinct.counts, strict=True))
    groups = list(spellings(facts).values())
    if len(groups) == 1:
        return found
    in_one_case = "".join(first for first, *_ in groups)
    letters_vary = in_one_case.islower() or in_one_case.isupper()
    for first, *others in groups:
        rare = [text for text in others if _RARER * counts[text] <= counts[first]]
        letters_vary &= len(others) == len(rare) == 1
        if sum(map(str.isalpha, first)) >= _LETTERS:
            found |= dict.fromkeys(rare, first)
    if letters_vary:
        found |= {text: first for first, *others in groups for text in others}
    return found


def plain_spelling(text: str) -> str:
    """Return a text without case, accents, and spaces at its ends or repeated."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(one for one in parts if not unicodedata.combining(one)).split())


def find_thousands(facts: ColumnFacts) -> list[str]:
    """Return a warning where a point in numbers may stand between thousands: 1.234 beside 999."""
    if facts.kind != "number":
        return []
    numbers = np.asarray(facts.distinct.values, dtype=np.float64)
    numbers = numbers[np.isfinite(numbers)]
    is_whole = numbers == np.floor(numbers)
    whole, fractions = numbers[is_whole], numbers[~is_whole]
    if len(whole) < 2 or len(fractions) < 2 or fractions.min() < 1 or np.abs(whole).max() >= 1000:
        return []
    in_thousands = np.abs(1000 * fractions - np.round(1000 * fractions)) < 1e-6
    if not in_thousands.all() or np.median(whole) < _THOUSANDS * np.median(fractions):
        return []
    example = shown(_last_with_three(fractions))
    return [
        f"{example} is read with a decimal point, beside whole numbers such as "
        f"{shown(float(whole.max()))}: if the point stands between thousands, write them without"
    ]


def _last_with_three(fractions: Sequence[Any] | NDArray[np.float64]) -> float:
    return float(max(fractions, key=lambda number: len(f"{number:.3f}".rstrip("0"))))
