"""Numbers and dates in text: how a column writes them, and their values.

All cells of a column decide what one leaves open: whether a comma stands before a fraction or
between thousands, whether 3/4/2024 is in March or in April. If no cell decides, the result says so.
A limit such as ``<1`` is read as the nearest number on that side. Units around numbers are those of
`bnsieve.table.prepare.units`: one per column, others converted or left. Years of two digits are
those from 1969 to 2068.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsieve.table.prepare.readings import DateForm, NumberStyle, Part
from bnsieve.table.prepare.units import PREFIX_UNITS, UnitScale, choose_unit, unit_named

Texts = NDArray[np.object_]
Counts = NDArray[np.int64]
Times = NDArray[np.datetime64]

_EXPONENT = r"(?:[eE][+-]?\d{1,3})?"
# Where styles read as many cells, the first one is meant: 1,234 is more often a thousand than a
# fraction of just three digits.
_DIGITS: dict[NumberStyle, str] = {
    "plain": rf"(?:\d+\.?\d*|\.\d+){_EXPONENT}",
    "thousands": r"(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.\d+)?",
    "comma": rf"\d+(?:,\d+)?{_EXPONENT}",
    "thousands-comma": r"(?:[1-9]\d{0,2}(?:[. '\u00a0\u202f]\d{3})+|\d+)(?:,\d+)?",
}
_LIMITS = {
    "<": "below",
    ">": "above",
    "<=": "at most",
    ">=": "at least",
    "\u2264": "at most",
    "\u2265": "at least",
}
_BEFORE = rf"(?:({PREFIX_UNITS})\s*)?"
# What stands behind a number is a unit if it does not begin as more of the number would.
_NUMBERS = {
    style: re.compile(
        rf"\s*(<=|>=|<|>|\u2264|\u2265)?\s*{_BEFORE}([+\-\u2212]?)\s*{_BEFORE}({digits})"
        r"(\s*[^\d\s.,:;'+\-<>=_\u00a0\u202f].*|\s*)"
    )
    for style, digits in _DIGITS.items()
}
# Digits that begin with a zero are a code: a number is not written so.
_CODE = re.compile(r"\s*0\d+\s*")
# The beginning of a number in any style.
_NUMBER_START = re.compile(rf"[\s<>=\u2264\u2265+\-\u2212]*{_BEFORE}[\s+\-\u2212]*[.\d]")

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTH_OF = {name.lower(): number for number, name in enumerate(MONTHS, 1)}

_SECOND = r"(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
_CLOCK = rf"(?P<hour>\d{{1,2}}):(?P<minute>\d{{2}}){_SECOND}\s*(?P<half>[AaPp][Mm])?"
_BEHIND = rf"(?:[T\s]+{_CLOCK}\s*(?:Z|UTC|GMT|[+-]\d{{2}}:?\d{{2}})?)?"
_YEAR, _MONTH, _DAY = r"(?P<year>\d{4}|\d{2})", r"(?P<month>\d{1,2})", r"(?P<day>\d{1,2})"
_NAME = r"(?P<month>[A-Za-z]{3,9})\.?"
_NAMED_MONTH = (
    rf"{_DAY}[\s.-]+{_NAME}[\s,-]+{_YEAR}{_BEHIND}",
    rf"{_NAME}\s{_DAY},?\s(?P<year>\d{{4}}){_BEHIND}",
)
_SEPARATOR = r"(?P<separator>[-/]|\.\s?)"
_WRITTEN: dict[DateForm, tuple[str, ...]] = {
    "ymd": (rf"(?P<year>\d{{4}})(?P<separator>[-/.]){_MONTH}(?P=separator){_DAY}{_BEHIND}",),
    "dmy": (rf"{_DAY}{_SEPARATOR}{_MONTH}(?P=separator){_YEAR}{_BEHIND}", *_NAMED_MONTH),
    "mdy": (rf"{_MONTH}{_SEPARATOR}{_DAY}(?P=separator){_YEAR}{_BEHIND}", *_NAMED_MONTH),
    "ym": (rf"(?P<year>\d{{4}})[-/]{_MONTH}",),
    "compact": (r"(?P<year>19\d\d|20\d\d|2100)(?P<month>\d\d)(?P<day>\d\d)",),
    "time": (_CLOCK,),
}
_DATES = {
    form: tuple(re.compile(rf"\s*{pattern}\s*") for pattern in patterns)
    for form, patterns in _WRITTEN.items()
}
_DATE_START = re.compile(r"[^\d]*\d+\s*[-/.:,T\sA-Za-z]|\s*\d{8}\s*$")
# Seconds since 1970 that are read as a time: from 2000 to 2039.
_FIRST_EPOCH, _LAST_EPOCH, _ONE_DAY = 946_684_800.0, 2_208_988_800.0, 86_400.0
# Databases deliver infinite dates as the first and last instants of the type, in seconds from 1970.
# Those of days, and of microseconds or longer units, are more than 290,000 years away. For
# nanoseconds, NumPy's rounding overflows from the first second to the last but one.
_INFINITY = 290_000 * 31_556_952
_ENDS_OF_NANOSECONDS = (-9_223_372_037, 9_223_372_035, 9_223_372_036)
_FEW_STEPS = 5
_PER_SECOND: Mapping[Literal["seconds", "milliseconds"], float]
_PER_SECOND = {"seconds": 1.0, "milliseconds": 1000.0}
# Different numbers with a point before three digits, if it stands between thousands.
_SURELY_THOUSANDS = 10
# Texts that are looked at first.
_LOOKED_AT = 50


class _Said(NamedTuple):
    """What a text says: a number, the limit that it is, and its unit."""

    number: float
    limit: str
    unit: str


def _said(text: str, style: NumberStyle) -> _Said | None:
    """Return what a text says; None if it is no number."""
    match = _NUMBERS[style].fullmatch(text)
    if match is None:
        return None
    limit, before, sign, inside, digits, after = match.groups()
    unit = unit_named(before or inside or "", after)
    if unit is None or (before and inside):
        return None
    if style in ("comma", "thousands-comma"):
        digits = re.sub(r"[^\deE+\-,]", "", digits).replace(",", ".")
    number = float(digits.replace(",", ""))
    if not np.isfinite(number):
        return None
    return _Said(-number if sign and sign != "+" else number, limit or "", unit)


def read_numbers(
    texts: Texts, style: NumberStyle, units: Mapping[str, float] | None = None
) -> NDArray[np.float64]:
    """Return the number in each text, NaN if there is none.

    Parameters
    ----------
    texts : ndarray of str objects
    style : NumberStyle
    units : mapping of str to float, optional
        The units that are read, and what their numbers are multiplied by; see `UnitScale`. Without
        it, only numbers without a unit are.
    """
    factors = units or {"": 1.0}
    return np.array([_number(text, style, factors) for text in texts], dtype=np.float64)


def _number(text: str, style: NumberStyle, factors: Mapping[str, float]) -> float:
    said = _said(text, style)
    if said is None or said.unit not in factors:
        return np.nan
    number = said.number * factors[said.unit]
    toward = {"<": -np.inf, ">": np.inf}.get(said.limit)
    return number if toward is None else float(np.nextafter(number, toward))


def write_numbers(
    numbers: NDArray[np.float64], style: NumberStyle, unit: str, like: Texts
) -> list[str]:
    """Return texts that `read_numbers` reads as these numbers.

    Fractions have ten digits.

    Parameters
    ----------
    numbers : ndarray of float64
    style : NumberStyle
    unit : str
        The unit that the numbers are in.
    like : ndarray of str objects
        Cells of the column. Signs and spaces around the number are those of the first with a unit.
    """
    around = (_around(text, style, unit) for text in like)
    before, after = next(filter(None, around), ("", f" {unit}".rstrip()))
    point = "," if style in ("comma", "thousands-comma") else "."
    return [f"{before}{_digits(number).replace('.', point)}{after}" for number in numbers.tolist()]


def _around(text: str, style: NumberStyle, unit: str) -> tuple[str, str] | None:
    """Return what stands before and after a number in a unit; None if the text is no such."""
    match, said = _NUMBERS[style].fullmatch(text), _said(text, style)
    if match is None or said is None or said.limit or said.unit != unit:
        return None
    return text[: match.start(3)] + text[match.end(3) : match.start(5)], text[match.end(5) :]


def _digits(number: float) -> str:
    if number.is_integer():
        return f"{number:.0f}"
    return np.format_float_positional(number, precision=10, fractional=False, trim="-")


def limits(texts: Texts, style: NumberStyle) -> list[str]:
    """Return the limit that each text is, such as "below 1"; nothing if it is none."""
    matches = (_NUMBERS[style].fullmatch(text) for text in texts)
    return [
        f"{_LIMITS[match[1]]} {match.string[match.end(1) :].strip()}" if match and match[1] else ""
        for match in matches
    ]


def choose_style(texts: Texts, counts: Counts) -> tuple[NumberStyle, int, str]:
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

    def n_cells(matches: Callable[[str], object]) -> int:
        return int(counts[[matches(text) is not None for text in texts]].sum())

    total = int(counts.sum())
    if 2 * n_cells(_NUMBER_START.match) < total or 100 * n_cells(_CODE.fullmatch) > total:
        return "plain", 0, ""
    cells = {style: n_cells(partial(_said, style=style)) for style in _NUMBERS}
    best = max(cells, key=lambda style: cells[style])
    doubt = ""
    if best == "thousands" and cells["comma"] == cells["thousands"]:
        doubt = next((text for text in texts if "," in text), "")
    if best == "plain" and cells["thousands-comma"] == cells["plain"]:
        dotted = [text for text in texts if "." in text]
        doubt = dotted[0] if dotted else ""
        # Fractions of just three digits, never fewer, beside numbers without any, are thousands.
        if len(dotted) >= _SURELY_THOUSANDS and len(dotted) < len(texts):
            best = "thousands-comma"
    return best, cells[best], doubt


def find_unit(texts: Texts, counts: Counts, style: NumberStyle) -> UnitScale:
    """Return the unit that the numbers of a column are in; see `choose_style`."""
    said = [(one, n) for text, n in zip(texts, counts, strict=True) if (one := _said(text, style))]
    cells: dict[str, int] = {}
    for one, n in said:
        cells[one.unit] = cells.get(one.unit, 0) + int(n)
    bare = [one.number for one, _ in said if not one.unit]
    shares = [one.number for one, _ in said if one.unit == "%"]
    fractions = bool(bare and shares) and max(bare) <= 1 < float(np.median(shares))
    return choose_unit(cells, fractions)


class FoundForm(NamedTuple):
    """How the dates of a column are written, and how reliable that is.

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


def choose_form(texts: Texts, counts: Counts) -> FoundForm:
    """Return in which form most cells of a column are dates; see `choose_style`."""
    # A form in which none of the most frequent texts and of some others is a date has too few.
    frequent = np.argsort(-counts, kind="stable")[:_LOOKED_AT]
    some = texts[np.union1d(frequent, np.arange(min(len(texts), _LOOKED_AT)))]
    if not any(_DATE_START.match(text) for text in some):
        return FoundForm("ymd", 0)
    cells = {
        form: int(counts[~np.isnat(read_dates(texts, form))].sum())
        for form in _DATES
        if not np.isnat(read_dates(some, form)).all()
    }
    best: DateForm = max(cells, key=lambda form: cells[form], default="ymd")
    found = FoundForm(best, cells.get(best, 0))
    if best not in ("dmy", "mdy"):
        return found
    matches = [match for text in texts if (match := _DATES["dmy"][0].fullmatch(text))]
    if (
        matches
        and cells.get("dmy") == cells.get("mdy")
        and (read_dates(texts, "dmy") != read_dates(texts, "mdy")).any()
    ):
        example = matches[0].string
        return FoundForm("mdy" if "/" in example else "dmy", found.n_cells, "order", example)
    short = next((match.string for match in matches if len(match["year"]) == 2), None)
    return found if short is None else found._replace(doubt="century", example=short)


def read_dates(texts: Texts, form: DateForm) -> Times:
    """Return the time in each text, NaT if there is none; a time alone is on one day."""
    return _times(np.array([_fields(text, form) for text in texts], dtype=np.int64).reshape(-1, 6))


def _fields(text: str, form: DateForm) -> tuple[int, ...]:
    """Return year, month, day, hour, minute and second; zeros if the text is no date."""
    for pattern in _DATES[form]:
        match = pattern.fullmatch(text)
        if match is not None:
            break
    else:
        return (0, 0, 0, 0, 0, 0)
    part = {"year": "1970", "month": "1", "day": "1"} | match.groupdict("")
    year, hour = int(part["year"]), int(part.get("hour") or 0)
    if len(part["year"]) == 2:
        year += 2000 if year < 69 else 1900
    if part.get("half"):
        hour = hour % 12 + (12 if part["half"].lower() == "pm" else 0)
    named = part["month"][:3].lower()
    month = _MONTH_OF.get(named, 0) if named.isalpha() else int(named)
    clock = hour, int(part.get("minute") or 0), int(part.get("second") or 0)
    return (year, month, int(part["day"]), *clock)


def read_numbered_days(numbers: NDArray[Any]) -> Times:
    """Return the dates that numbers such as 20240131 are, NaT if they are none."""
    whole = np.where(np.abs(numbers) < 1e9, numbers, 0)
    days = whole.astype(np.int64)
    year = np.where((days == whole) & (days // 10_000 >= 1900), days // 10_000, 0)
    year[year > 2100] = 0
    clock = np.zeros_like(days)
    return _times(np.stack([year, days // 100 % 100, days % 100, clock, clock, clock], axis=1))


def read_numbered_times(numbers: NDArray[Any]) -> Times:
    """Return the times that numbers such as 202401311230 or 20240131123000 are, NaT if none."""
    whole = np.where(np.isfinite(numbers) & (np.abs(numbers) < 1e14), numbers, 0)
    digits = whole.astype(np.int64)
    is_whole = digits == whole
    digits = np.where(digits < 10**12, digits * 100, digits)
    year = np.where(is_whole & (digits // 10**10 >= 1900), digits // 10**10, 0)
    year[year > 2100] = 0
    parts = (digits // 100**power % 100 for power in (4, 3, 2, 1, 0))
    return _times(np.stack([year, *parts], axis=1))


def read_epochs(numbers: NDArray[Any], form: DateForm) -> Times:
    """Return the times that seconds or milliseconds since 1970 are, NaT if they are none."""
    own = np.asarray(numbers, dtype=np.float64)
    seconds = own if form == "seconds" else own / 1000
    is_time = np.isfinite(seconds) & (np.abs(seconds) < _LAST_EPOCH)
    times: Times = np.floor(np.where(is_time, seconds, 0)).astype(np.int64).astype("datetime64[s]")
    times[~is_time] = np.datetime64("NaT")
    return times


def epochs_in(numbers: NDArray[np.float64]) -> DateForm | None:
    """Return whether whole numbers are seconds or milliseconds since 1970; None if neither.

    All must lie from 2000 to 2039 and span a day or more. Numbers at few different distances from
    each other are counted up: identifiers.
    """
    form = epoch_unit(numbers)
    if form is None or np.ptp(numbers) < _ONE_DAY * _PER_SECOND[form]:
        return None
    steps = np.diff(np.unique(numbers))
    return form if len(np.unique(steps)) > min(_FEW_STEPS, len(steps) - 1) else None


def epoch_unit(numbers: NDArray[np.float64]) -> Literal["seconds", "milliseconds"] | None:
    """Return the unit in which all numbers, counted since 1970, lie from 2000 to 2039, if any."""
    low, high = float(numbers.min()), float(numbers.max())
    for unit, per_second in _PER_SECOND.items():
        if low >= _FIRST_EPOCH * per_second and high < _LAST_EPOCH * per_second:
            return unit
    return None


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


def part_of(times: Times, part: Part) -> NDArray[np.float64]:
    """Return the year, the month from 1 on, the weekday from Monday, 0, on or the hour.

    NaN where there is no time.
    """
    if part == "year":
        numbers = times.astype("datetime64[Y]").astype(np.int64) + 1970
    else:
        unit, first, period = {"month": ("M", 0, 12), "weekday": ("D", 3, 7), "hour": ("h", 0, 24)}[
            part
        ]
        numbers = (times.astype(f"datetime64[{unit}]").astype(np.int64) + first) % period
    return np.where(np.isnat(times), np.nan, numbers + float(part == "month"))


def are_infinite(times: Times) -> NDArray[np.bool_]:
    """Tell which times are what a database delivers for "infinity" or "-infinity"."""
    seconds = times.astype("datetime64[s]").astype(np.int64)
    far = (np.abs(seconds) >= _INFINITY) | np.isin(seconds, _ENDS_OF_NANOSECONDS)
    return far & ~np.isnat(times)
