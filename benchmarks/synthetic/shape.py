"""Whether a synthetic table looks like the original, told without bnsieve's own reading of it.

In: frames. Out: names of columns that differ in type, range or format; rows that contradict what
all original rows have in common.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.synthetic.sources import Sample

# Texts of more shapes than this have none.
_MOST_SHAPES = 200
_MOST_DIGITS = 7
_MOST_MONTHS = 12
# Columns in which implications are looked for; rows of a category that implies another one, and
# rows that chance would have against that.
_MOST_CATEGORIES, _ENOUGH_ROWS, _ENOUGH_AGAINST = 50, 50, 10.0
_DECIMAL_COMMA = re.compile(r"\d,\d{1,2}\D*$")
_PLAIN_NUMBER = r"^([+-]?\d+(?:\.\d+)?)$"


@dataclass(frozen=True)
class Implication:
    """A category that goes with one of another column in all original rows, both as text."""

    column: str
    cell: str
    other: str
    implied: str


def wrong_types(sample: Sample, made: pd.DataFrame) -> list[str]:
    """Return columns of another type."""
    return [str(name) for name in made if made[name].dtype != sample.training[name].dtype]


def beyond_range(
    sample: Sample, made: pd.DataFrame, identifiers: Collection[str] = ()
) -> list[str]:
    """Return columns with a number or date outside of the range, or a category that is none.

    Identifiers are left out: new ones are no values of the table.
    """
    found = []
    for name in map(str, made):
        if name in identifiers:
            continue
        before, after = sample.training[name].dropna(), made[name].dropna()
        if name in sample.dates:
            known, values = as_dates(before), as_dates(after)
        elif name in sample.numbers:
            known, values = as_numbers(before), as_numbers(after)
        else:
            if name in sample.plain and not {*as_texts(after)} <= {*as_texts(before)}:
                found.append(name)
            continue
        if len(values) and (values.min() < known.min() or values.max() > known.max()):
            found.append(name)
    return found


def as_numbers(cells: "pd.Series[Any]") -> "pd.Series[Any]":
    """Return the numbers in cells; texts such as "n/a" or "<0.5" are left out."""
    if pd.api.types.is_numeric_dtype(cells):
        return cells.astype(float)
    texts = cells.astype(str)
    if len(texts) and texts.map(lambda text: bool(_DECIMAL_COMMA.search(text))).mean() > 0.5:
        texts = texts.str.replace(".", "", regex=False).str.replace(",", ".", regex=False)
    return pd.to_numeric(texts.str.extract(_PLAIN_NUMBER)[0]).dropna()


def as_dates(cells: "pd.Series[Any]") -> "pd.Series[Any]":
    """Return the dates in cells; of texts that begin with 13 or more, the day comes first."""
    if cells.dtype.kind == "M":
        return cells
    texts = cells.astype(str)
    first = texts.str.extract(r"^(\d{1,2})[./-]")[0].astype(float)
    day_first = bool((first > _MOST_MONTHS).any())
    return pd.to_datetime(texts, format="mixed", dayfirst=day_first, errors="coerce").dropna()


def as_texts(cells: "pd.Series[Any]") -> list[str]:
    """Return cells as text, the same whatever type numbers have."""
    return [
        f"{cell:.0f}" if isinstance(cell, float) and cell.is_integer() else str(cell)
        for cell in cells.tolist()
    ]


def wrong_formats(sample: Sample, made: pd.DataFrame) -> list[str]:
    """Return columns with a cell that is written as none of the original ones."""
    found = []
    for name in map(str, made):
        original = pd.concat([sample.training[name], sample.held_out[name]]).dropna()
        cells = made[name].dropna()
        if pd.api.types.is_numeric_dtype(original) and pd.api.types.is_numeric_dtype(cells):
            wrong = _digits(cells) > _digits(original)
        elif original.dtype.kind == cells.dtype.kind == "M":
            wrong = _is_day(original) and not _is_day(cells)
        else:
            known = shapes(original)
            wrong = len(known) <= _MOST_SHAPES and not shapes(cells) <= known
        if wrong:
            found.append(name)
    return found


def _digits(cells: "pd.Series[Any]") -> int:
    """Return how many digits behind the point the numbers have."""
    numbers = cells.astype(float)
    return next(
        (d for d in range(_MOST_DIGITS) if np.isclose(numbers, numbers.round(d), atol=1e-9).all()),
        _MOST_DIGITS,
    )


def _is_day(cells: "pd.Series[Any]") -> bool:
    return bool((cells == cells.dt.normalize()).all())


def shapes(cells: "pd.Series[Any]") -> set[str]:
    """Return texts with 9 for digits and a for letters; how long words are says nothing.

    Numbers of up to four digits, as in dates, keep their length; those before a point do not.
    """
    found = set()
    for text in cells.astype(str).unique().tolist():
        letters = re.sub(r"[^\W\d_]+", "a", text)
        whole = re.sub(r"\d{1,3}([.,]\d{3})*(?=[.,]\d{1,2}\D*$)|^\d+$", "9", letters)
        found.add(re.sub(r"\d+", lambda run: "9" * min(4, len(run[0])), whole))
    return found


def implications_of(sample: Sample) -> list[Implication]:
    """Return what holds in all original rows between two columns of few categories.

    By chance at least ten rows would contradict each.
    """
    rows = pd.concat([sample.training, sample.held_out], ignore_index=True)
    coded = {}
    for name in sample.plain:
        codes, different = pd.factorize(rows[name].astype(object))
        if 2 <= len(different) <= _MOST_CATEGORIES:
            coded[name] = codes, as_texts(pd.Series(different, dtype=object))
    found = []
    for a, b in permutations(coded, 2):
        (x, cells), (y, others) = coded[a], coded[b]
        both = (x >= 0) & (y >= 0)
        counts = np.zeros((len(cells), len(others)), dtype=np.int64)
        np.add.at(counts, (x[both], y[both]), 1)
        n, shares = counts.sum(axis=1), counts.sum(axis=0) / max(1, counts.sum())
        for code in np.flatnonzero((n >= _ENOUGH_ROWS) & (counts.max(axis=1) == n)).tolist():
            implied = int(counts[code].argmax())
            if n[code] * (1 - shares[implied]) >= _ENOUGH_AGAINST:
                found.append(Implication(a, cells[code], b, others[implied]))
    return found


def contradictions(implications: Iterable[Implication], made: pd.DataFrame) -> int:
    """Return how many rows contradict at least one implication."""
    wrong = np.zeros(len(made), dtype=np.bool_)
    texts = {str(name): np.array(as_texts(made[name].astype(object)), object) for name in made}
    known = {str(name): made[name].notna().to_numpy() for name in made}
    for one in implications:
        if one.column in texts and one.other in texts:
            given = known[one.column] & (texts[one.column] == one.cell)
            wrong |= given & known[one.other] & (texts[one.other] != one.implied)
    return int(wrong.sum())
