"""Times of rows: a column of dates, numbers or text becomes one number per row.

In: a column of the data. Out: `Stamps`, or an error that names a cell. `Every` is the requested
length of steps, and `Differences` finds the length of steps in the rows.
"""

import math
import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.table import duration
from bnsieve.table.prepare import (
    choose_form,
    epoch_unit,
    read_dates,
    read_numbered_days,
    read_numbered_times,
)

Floats = NDArray[np.float64]

# Microseconds: dates of any year fit, and no sensor is read faster.
_PER_SECOND = 1_000_000
_OFFSET = re.compile(r".*\d[T\s]+\d{1,2}:\d{2}.*?(Z|UTC|GMT|[+-]\d{2}:?\d{2})\s*", re.IGNORECASE)
_NAMED_ZONE = re.compile(r".*\d:\d{2}\S*\s*((?!AM|PM)[A-Z]{2,5}|[A-Z][a-z]+/\w+)\s*")
_QUARTER = re.compile(r"^\s*(?P<year>\d{4})[\s-]?Q(?P<quarter>[1-4])\s*$", re.IGNORECASE)
_WEEK = re.compile(r"^\s*(?P<year>\d{4})-?W(?P<week>\d{2})\s*$", re.IGNORECASE)
# Steps differ by no more than this share of their length: clocks jitter, and months differ.
TOLERANCE = 0.25
# The fewest and the most days of so many calendar months.
_DAYS = {1: (28, 31), 2: (59, 62), 3: (89, 92), 6: (181, 184), 12: (365, 366)}
_DAY = 86_400.0
# Rows are even if so many steps have one length; or fewer, if the others are multiples of it.
_MOST, _MANY, _MULTIPLES = 0.5, 0.25, 0.9


@dataclass(frozen=True, eq=False)
class Stamps:
    """The times of rows.

    Attributes
    ----------
    values : ndarray of int64 or float64, shape (n_rows,)
        Microseconds since 1970, or the numbers in the column.
    known : ndarray of bool, shape (n_rows,)
    is_date : bool
    remarks : tuple of str
        Remarks about how the column was read.
    has_zone : bool
        Whether the times were given with a time zone. They are converted to UTC then.
    """

    values: NDArray[Any]
    known: NDArray[np.bool_]
    is_date: bool
    remarks: tuple[str, ...] = ()
    has_zone: bool = False

    def at(self, rows: NDArray[np.integer]) -> "Stamps":
        """Return the times at some places; below 0 there is none."""
        return replace(self, values=self.values[rows], known=(rows >= 0) & self.known[rows])

    def shown(self, row: int) -> str:
        """Return one time as text."""
        value = self.values[row]
        if not self.is_date:
            return f"{float(value):.15g}"
        text = str(np.datetime64(int(value), "us")).replace("T", " ")
        return re.sub(r"(\.0+|(?<=:\d\d)\.?0*)$", "", text) if "." in text else text


def stamps_of(name: str, column: "pd.Series[Any]") -> Stamps:
    """Read the times of rows.

    Parameters
    ----------
    name : str
        Of the column, for messages.
    column : pandas.Series

    Raises
    ------
    ValueError
        If a cell is not a time, or times with and without a time zone are mixed.
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        categories = pd.Series(column.cat.categories)
        own = stamps_of(name, categories)
        return own.at(column.cat.codes.to_numpy())
    if isinstance(column.dtype, pd.PeriodDtype):
        return _of_times(column.dt.to_timestamp())
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return _of_times(column)
    if pd.api.types.is_bool_dtype(column.dtype):
        raise ValueError(f"column {name!r} holds true and false, not times: pass another as time")
    if pd.api.types.is_numeric_dtype(column.dtype):
        return _of_numbers(column.to_numpy(dtype=np.float64, na_value=np.nan))
    codes, distinct = pd.factorize(column)
    if not len(distinct):
        raise ValueError(f"column {name!r}, the time of rows, is missing in every row")
    return _of_objects(name, pd.Series(distinct, dtype=object)).at(codes)


def _of_times(column: "pd.Series[Any]") -> Stamps:
    has_zone = getattr(column.dtype, "tz", None) is not None
    if has_zone:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    times = column.to_numpy(dtype="datetime64[us]")
    return Stamps(times.view(np.int64), ~np.isnat(times), is_date=True, has_zone=has_zone)


def _of_numbers(numbers: Floats) -> Stamps:
    known = np.isfinite(numbers)
    if not known.any():
        return Stamps(np.zeros(len(numbers)), known, is_date=False)
    held = numbers[known]
    for read in (
        read_numbered_days,
        lambda months: read_numbered_days(months * 100 + 1),  # such as 202401
        read_numbered_times,
        _since_1970,
    ):
        found = read(held)
        if not np.isnat(found).any():
            times = np.full(len(numbers), "NaT", dtype="datetime64[us]")
            times[known] = found
            shown = Stamps(times.view(np.int64), known, is_date=True).shown(int(known.argmax()))
            shown = shown.removesuffix(" 00:00:00")
            remark = f"numbers such as {held[0]:.15g} are read as {shown}"
            return Stamps(times.view(np.int64), known, is_date=True, remarks=(remark,))
    return Stamps(np.where(known, numbers, 0.0), known, is_date=False)


def _since_1970(numbers: Floats) -> NDArray[np.datetime64]:
    """Return the times that seconds or milliseconds since 1970 are, to the microsecond."""
    unit = epoch_unit(numbers)
    if unit is None:
        return np.full(len(numbers), "NaT", dtype="datetime64[us]")
    per_number = _PER_SECOND if unit == "seconds" else _PER_SECOND // 1000
    return np.rint(numbers * per_number).astype(np.int64).astype("datetime64[us]")


def _of_objects(name: str, values: "pd.Series[Any]") -> Stamps:
    """Read different cells: text, dates, or both."""
    if not values.map(lambda value: isinstance(value, str)).all():
        try:
            zones = {getattr(value, "tzinfo", None) is not None for value in values}
            times = pd.to_datetime(values, utc=True)
        except (ValueError, TypeError) as error:
            raise ValueError(f"column {name!r} holds no times: {error}") from None
        _refuse_mixed(name, zones)
        return replace(_of_times(times), has_zone=True in zones)
    blank = values.str.strip() == ""
    numbers = pd.to_numeric(values.where(~blank), errors="coerce").to_numpy(np.float64)
    if np.isfinite(numbers[~blank]).all():
        return _of_numbers(numbers)
    texts = values[~blank]
    begins = _of_periods(texts)
    if begins is not None:
        stamps = _of_times(begins.reindex(values.index))
        first = stamps.shown(int(stamps.known.argmax())).removesuffix(" 00:00:00")
        remark = f"times such as {texts.iloc[0]} are read as {first}"
        return replace(stamps, remarks=(remark,))
    offsets = texts.str.extract(_OFFSET, expand=False).str.upper()
    offsets = offsets.replace({"UTC": "Z", "GMT": "Z", "+00:00": "Z", "+0000": "Z"})
    if offsets.notna().any():
        for text in texts[offsets.isna()]:
            _refuse_named_zone(name, text)
    _refuse_mixed(name, set(offsets.notna()))
    remarks: tuple[str, ...] = ()
    if offsets.nunique() > 1:
        remarks = (f"{offsets.nunique()} offsets from UTC occur: times are compared as UTC",)
    times = pd.to_datetime(texts, utc=True, format="ISO8601", errors="coerce")
    if times.isna().any():
        written, form = _written(name, texts)
        times = pd.Series(written, index=texts.index)
        if form == "time":
            remarks = (f"times such as {texts.iloc[0]} have no date: all rows count as one day's",)
    stamps = _of_times(times.reindex(values.index))
    return replace(stamps, remarks=remarks, has_zone=bool(offsets.notna().any()))


def _of_periods(texts: "pd.Series[Any]") -> "pd.Series[Any] | None":
    """Return the first days of quarters such as 2024Q1, or of weeks such as 2024-W05.

    None unless each text is a quarter, or each is a week of ISO 8601.
    """
    quarters = texts.str.extract(_QUARTER)
    if quarters.notna().all(axis=None):
        months = (3 * quarters["quarter"].astype(int) - 2).astype(str).str.zfill(2)
        return pd.to_datetime(quarters["year"] + "-" + months + "-01")
    weeks = texts.str.extract(_WEEK)
    if weeks.notna().all(axis=None):
        mondays = weeks["year"] + "-" + weeks["week"] + "-1"
        days = pd.to_datetime(mondays, format="%G-%V-%u", errors="coerce")
        return days if days.notna().all() else None
    return None


def _written(name: str, texts: "pd.Series[Any]") -> tuple[NDArray[np.datetime64], str]:
    """Read dates that are not written year, month, day; also return their form."""
    cells = texts.to_numpy(dtype=object)
    found = choose_form(cells, np.ones(len(cells), dtype=np.int64))
    times = read_dates(cells, found.form)
    if np.isnat(times).any():
        example = cells[int(np.flatnonzero(np.isnat(times))[0])]
        _refuse_named_zone(name, str(example))
        raise ValueError(
            f"column {name!r}, the time of rows, holds {example!r}, which is not a time: write "
            "times as 2024-01-31 or 2024-01-31 12:00:00, or as numbers; leave the cell empty if "
            "there is none"
        )
    if found.doubt == "order":
        raise ValueError(
            f"column {name!r}, the time of rows, holds {found.example!r}, in which day and month "
            "may be swapped: write times as 2024-01-31"
        )
    return times, found.form


def _refuse_named_zone(name: str, text: str) -> None:
    if _NAMED_ZONE.fullmatch(text):
        raise ValueError(
            f"column {name!r}, the time of rows, holds {text!r}, whose time zone is a name: "
            "write it as an offset, such as 2024-01-31 12:00:00+02:00"
        )


def _refuse_mixed(name: str, has_zone: set[bool]) -> None:
    if len(has_zone) > 1:
        raise ValueError(
            f"column {name!r} has times with a time zone and times without: write all of them "
            "with, or all without, because the two cannot be put in order"
        )


@dataclass(frozen=True)
class Every:
    """The requested length of steps.

    Attributes
    ----------
    text : str
        The text as given.
    months : int
        The number of calendar months; 0 for other lengths.
    length : float
        The length in seconds, or in the unit of a numeric time column.
    is_duration : bool
        Whether it has a unit of time.
    """

    text: str
    months: int
    length: float
    is_duration: bool

    @classmethod
    def of(cls, text: str) -> "Every":
        """Read a length such as "10s", "5min", "1h", "1d", "1w", "1mo" or "0.5".

        Raises
        ------
        ValueError
        """
        match = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)?\s*([A-Za-z]*)\s*", text)
        number = float(match[1] or 1) if match and (match[1] or match[2]) else 0.0
        unit = "" if match is None else match[2]
        unit = unit.lower() if unit != "M" else "mo"
        if number > 0 and not unit:
            return cls(text, 0, number, is_duration=False)
        if number > 0 and unit in _MONTHS:
            months = number * _MONTHS[unit]
            if months == int(months):
                return cls(text, int(months), math.nan, is_duration=True)
        if number > 0 and unit in _SECONDS:
            return cls(text, 0, number * _SECONDS[unit], is_duration=True)
        raise ValueError(
            f"every={text!r} is not a length of time: write a number and ms, s, min, h, d, w, mo "
            "or y, such as '10s', or a number alone if the time column holds numbers"
        )

    def steps(self, name: str, stamps: Stamps) -> NDArray[np.int64]:
        """Return the number of the step that each row falls into.

        Steps begin at multiples of the length: of dates since 1970 in UTC, weeks on Monday; of
        numbers since 0.

        Raises
        ------
        ValueError
            If the length does not suit the time column.
        """
        if stamps.is_date != self.is_duration:
            kind, cure = ("dates", "10s or 1h") if stamps.is_date else ("numbers", "0.5 or 10")
            raise ValueError(
                f"every={self.text!r} does not suit the time column {name!r}, which holds "
                f"{kind}: write a length such as {cure}"
            )
        if self.months:
            months = stamps.values.view("datetime64[us]").astype("datetime64[M]").astype(np.int64)
            return months // self.months
        values = stamps.values
        if stamps.is_date:
            length = max(1, round(self.length * _PER_SECOND))
            if length % (7 * 86_400 * _PER_SECOND) == 0:
                values = values - 4 * 86_400 * _PER_SECOND  # 1970 began on a Thursday
            found: NDArray[np.int64] = values // length
            return found
        return np.floor(values / self.length).astype(np.int64)

    @property
    def seconds(self) -> float:
        """The length in seconds, with months of average length; for a number, the number."""
        return self.months * 30.4375 * 86_400 if self.months else self.length

    def begins(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the start of the step of each date, in microseconds.

        For steps of months or weeks, the date itself, because it is in the month and the week of
        its step.
        """
        length = 0 if self.months else max(1, round(self.length * _PER_SECOND))
        if length == 0 or length % (7 * 86_400 * _PER_SECOND) == 0:
            return values
        return values // length * length

    def __str__(self) -> str:
        if self.months:
            return duration(self.months * 30.4375 * 86_400)
        return duration(self.length) if self.is_duration else f"{self.length:g}"


_SECONDS = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 0.001),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3_600.0),
    **dict.fromkeys(("d", "day", "days"), 86_400.0),
    **dict.fromkeys(("w", "week", "weeks"), 604_800.0),
}
_MONTHS = {
    **dict.fromkeys(("mo", "mos", "month", "months"), 1),
    **dict.fromkeys(("q", "quarter", "quarters"), 3),
    **dict.fromkeys(("y", "year", "years"), 12),
}


class Differences:
    """Times between successive rows, counted to two digits, so memory does not grow."""

    def __init__(self) -> None:
        self._bins: dict[int, list[float]] = {}

    def add(self, differences: Floats) -> None:
        """Add some differences above 0."""
        if not len(differences):
            return
        # Even steps have few different lengths, each of which is handled once.
        values, times = np.unique(differences, return_counts=True)
        exponent = np.floor(np.log10(values))
        digits = np.rint(values / 10.0 ** (exponent - 1))
        keys, place = np.unique(exponent * 1_000 + digits, return_inverse=True)
        counts, sums = np.bincount(place, times), np.bincount(place, values * times)
        lowest = np.full(len(keys), np.inf)
        highest = np.zeros(len(keys))
        np.minimum.at(lowest, place, values)
        np.maximum.at(highest, place, values)
        for i, key in enumerate(keys.tolist()):
            own = self._bins.setdefault(int(key), [0.0, 0.0, math.inf, 0.0])
            own[0] += float(counts[i])
            own[1] += float(sums[i])
            own[2] = min(own[2], float(lowest[i]))
            own[3] = max(own[3], float(highest[i]))

    def usual(self) -> tuple[float, float]:
        """Return the most frequent difference, and the share of differences close to it."""
        if not self._bins:
            return 0.0, 0.0
        bins = np.array([self._bins[key] for key in sorted(self._bins)])
        counts, means = bins[:, 0], bins[:, 1] / bins[:, 0]
        mode = int(np.argmax(counts))
        near = np.abs(means / means[mode] - 1) <= TOLERANCE
        low, high = bins[near, 2].min(), bins[near, 3].max()
        usual = low if low == high else bins[near, 1].sum() / counts[near].sum()
        near = np.abs(means / usual - 1) <= TOLERANCE
        return float(usual), float(counts[near].sum() / counts.sum())

    def usual_in_words(self, *, is_date: bool) -> str:
        """Return the most frequent difference, in words that `Every.of` can read."""
        usual, _ = self.usual()
        if is_date:
            return duration(self._n_months() * Every.of("1mo").seconds or usual)
        return np.format_float_positional(usual, precision=6, fractional=False, trim="-")

    def _n_months(self) -> int:
        """Return the calendar months that a step has, if seconds differ as months do; else 0."""
        usual, share = self.usual()
        if not usual:
            return 0
        bins = [one for one in self._bins.values() if abs(one[1] / one[0] / usual - 1) <= TOLERANCE]
        low, high = min(one[2] for one in bins) / _DAY, max(one[3] for one in bins) / _DAY
        if share < _MOST or (low == high and low not in (365, 366)):
            return 0
        fitting = (n for n, (least, most) in _DAYS.items() if least <= low and high <= most)
        return next(fitting, 0)

    def step(self) -> float | None:
        """Return the length of a step; None if steps are uneven."""
        usual, share = self.usual()
        if not usual:
            return None
        bins = np.array([self._bins[key] for key in sorted(self._bins)])
        counts, times = bins[:, 0], bins[:, 1] / bins[:, 0] / usual
        nearest = np.maximum(1, np.rint(times))
        is_multiple = np.abs(times - nearest) <= np.where(nearest == 1, TOLERANCE, 0.1)
        multiples = counts[is_multiple].sum() / counts.sum()
        is_even = share >= _MOST or (share >= _MANY and multiples >= _MULTIPLES)
        return usual if is_even else None
