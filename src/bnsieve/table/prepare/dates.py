"""Dates and times in text: which of the usual ways of writing them a column has, and what they say.

Whether 3/4/2024 is in March or in April is decided by all cells of a column: by one whose day is
beyond 12. If there is none, it is said. Years of two digits are those from 1969 to 2068.
"""

import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsieve.table.prepare.readings import DateForm, Part

Texts = NDArray[np.object_]
Times = NDArray[np.datetime64]

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTH_OF = {name.lower(): number for number, name in enumerate(MONTHS, 1)}

_CLOCK = r"(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*([AaPp][Mm])?"
_ZONE = r"\s*(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})?"
_BEHIND = rf"(?:[T\s]+{_CLOCK}{_ZONE})?\s*"
_PATTERNS = {
    "ymd": re.compile(rf"\s*(\d{{4}})([-/.])(\d{{1,2}})\2(\d{{1,2}}){_BEHIND}"),
    "three": re.compile(rf"\s*(\d{{1,2}})([-/]|\.\s?)(\d{{1,2}})\2(\d{{4}}|\d{{2}}){_BEHIND}"),
    "day first": re.compile(
        rf"\s*(\d{{1,2}})[\s.-]+([A-Za-z]{{3,9}})\.?[\s,-]+(\d{{4}}|\d{{2}}){_BEHIND}"
    ),
    "month first": re.compile(rf"\s*([A-Za-z]{{3,9}})\.?\s(\d{{1,2}}),?\s(\d{{4}}){_BEHIND}"),
    "ym": re.compile(r"\s*(\d{4})[-/](\d{1,2})\s*"),
    "compact": re.compile(r"\s*(\d{4})(\d{2})(\d{2})\s*"),
    "time": re.compile(rf"\s*{_CLOCK}\s*"),
}
_LOOSE = re.compile(r"[^\d]*\d+\s*[-/.:,T\sA-Za-z]|\s*\d{8}\s*$")
_FORMS: tuple[DateForm, ...] = ("ymd", "dmy", "mdy", "ym", "compact", "time")
# Years that people have dates of, as far as digits alone are concerned.
_FIRST_YEAR, _LAST_YEAR = 1900, 2100

# Texts that are looked at first.
_LOOKED_AT = 50

_Fields = tuple[int, int, int, int, int, int]


class FoundForm(NamedTuple):
    """How the dates of a column are written, and how sure that is.

    Attributes
    ----------
    form : DateForm
    n_cells : int
        Cells that are dates in that form.
    doubt : {"", "order", "century"}
        "order": day and month may be the other way round. "century": years have two digits.
    example : str
        A cell in doubt.
    """

    form: DateForm
    n_cells: int
    doubt: Literal["", "order", "century"] = ""
    example: str = ""


def choose_form(texts: Texts, counts: NDArray[np.int64]) -> FoundForm:
    """Return in which form most cells of a column are dates.

    Parameters
    ----------
    texts : ndarray of str objects, shape (n,)
        Different texts.
    counts : ndarray of int64, shape (n,)
        How often each occurs.
    """
    # A form in which none of the most frequent texts and of some others is a date has too few.
    frequent = np.argsort(-counts, kind="stable")[:_LOOKED_AT]
    some = np.union1d(frequent, _first(texts))
    if not any(_LOOSE.match(text) for text in texts[some]):
        return FoundForm("ymd", 0)
    cells = {
        form: int(counts[~np.isnat(read_dates(texts, form))].sum())
        if not np.isnat(read_dates(texts[some], form)).all()
        else 0
        for form in _FORMS
    }
    best = max(_FORMS, key=lambda form: cells[form])
    if best not in ("dmy", "mdy"):
        return FoundForm(best, cells[best])
    three = [text for text in texts if _PATTERNS["three"].fullmatch(text)]
    if three and cells["dmy"] == cells["mdy"] and _orders_differ(texts):
        return FoundForm("mdy" if "/" in three[0] else "dmy", cells[best], "order", three[0])
    short = [text for text in three if len(_PATTERNS["three"].fullmatch(text)[4]) == 2]  # type: ignore[index]
    if short:
        return FoundForm(best, cells[best], "century", short[0])
    return FoundForm(best, cells[best])


def _first(texts: Texts) -> NDArray[np.intp]:
    return np.arange(min(len(texts), _LOOKED_AT))


def _orders_differ(texts: Texts) -> bool:
    return bool((read_dates(texts, "dmy") != read_dates(texts, "mdy")).any())


def read_dates(texts: Texts, form: DateForm) -> Times:
    """Return the time that each text says, NaT if it says none; a time alone is on one day."""
    fields = np.array(list(_fields(texts, form)), dtype=np.int64).reshape(-1, 6)
    return _times(fields)


def read_numbered_days(numbers: NDArray[Any]) -> Times:
    """Return the dates that numbers such as 20240131 say, NaT if they say none."""
    whole = np.where(np.abs(numbers) < 1e9, numbers, 0)
    days = whole.astype(np.int64)
    days = np.where(days == whole, days, 0)
    fields = np.zeros((len(days), 6), dtype=np.int64)
    fields[:, 0], fields[:, 1], fields[:, 2] = days // 10_000, days // 100 % 100, days % 100
    fields[(fields[:, 0] < _FIRST_YEAR) | (fields[:, 0] > _LAST_YEAR)] = 0
    return _times(fields)


def part_of(times: Times, part: Part) -> NDArray[np.float64]:
    """Return the year, the month from 1 on, the weekday from Monday, 0, on or the hour.

    NaN where there is no time.
    """
    if part == "year":
        numbers = times.astype("datetime64[Y]").astype(np.int64) + 1970
    elif part == "month":
        numbers = times.astype("datetime64[M]").astype(np.int64) % 12 + 1
    elif part == "weekday":
        numbers = (times.astype("datetime64[D]").astype(np.int64) + 3) % 7
    else:
        numbers = times.astype("datetime64[h]").astype(np.int64) % 24
    return np.where(np.isnat(times), np.nan, numbers.astype(np.float64))


def _times(fields: NDArray[np.int64]) -> Times:
    """Put years, months, days, hours, minutes and seconds together, if there is such a time."""
    year, month, day, hour, minute, second = fields.T
    valid = (year > 0) & (month >= 1) & (month <= 12) & (hour < 24) & (minute < 60) & (second < 61)
    months = ((year - 1970) * 12 + np.clip(month, 1, 12) - 1).astype("datetime64[M]")
    days = months.astype("datetime64[D]") + (day - 1)
    valid &= (day >= 1) & (days.astype("datetime64[M]") == months)
    times: Times = days.astype("datetime64[s]") + (hour * 3600 + minute * 60 + second)
    times[~valid] = np.datetime64("NaT")
    return times


def _fields(texts: Texts, form: DateForm) -> Iterator[_Fields]:
    read = {"dmy": _day_first, "mdy": _month_first}.get(form)
    for text in texts:
        if read is not None:
            yield read(text)
            continue
        match = _PATTERNS[form].fullmatch(text)
        if match is None:
            yield _NONE
        elif form == "ymd":
            year, _, month, day, *clock = match.groups()
            yield (int(year), int(month), int(day), *_clock(*clock))
        elif form == "ym":
            yield (int(match[1]), int(match[2]), 1, 0, 0, 0)
        elif form == "compact":
            likely = _FIRST_YEAR <= int(match[1]) <= _LAST_YEAR
            yield (int(match[1]), int(match[2]), int(match[3]), 0, 0, 0) if likely else _NONE
        else:
            yield (1970, 1, 1, *_clock(*match.groups()))


_NONE: _Fields = (0, 0, 0, 0, 0, 0)


def _day_first(text: str) -> _Fields:
    match = _PATTERNS["three"].fullmatch(text)
    if match is not None:
        day, _, month, year, *clock = match.groups()
        return (_full(year), int(month), int(day), *_clock(*clock))
    return _named_month(text)


def _month_first(text: str) -> _Fields:
    match = _PATTERNS["three"].fullmatch(text)
    if match is not None:
        month, _, day, year, *clock = match.groups()
        return (_full(year), int(month), int(day), *_clock(*clock))
    return _named_month(text)


def _named_month(text: str) -> _Fields:
    match = _PATTERNS["day first"].fullmatch(text)
    if match is not None:
        day, month, year, *clock = match.groups()
    else:
        match = _PATTERNS["month first"].fullmatch(text)
        if match is None:
            return _NONE
        month, day, year, *clock = match.groups()
    number = _MONTH_OF.get(month[:3].lower(), 0)
    return (_full(year), number, int(day), *_clock(*clock))


def _full(year: str) -> int:
    number = int(year)
    if len(year) == 4:
        return number
    return number + (2000 if number < 69 else 1900)


def _clock(
    hour: str | None, minute: str | None, second: str | None, half: str | None
) -> tuple[int, int, int]:
    if hour is None or minute is None:
        return 0, 0, 0
    number = int(hour)
    if half is not None:
        number = number % 12 + (12 if half.lower() == "pm" else 0)
    return number, int(minute), int(second or 0)
