"""Dates: their format, and dates with a given year, month, weekday and hour.

In: the times of some rows, as datetime64[s]; the parts of new times, as numbers. Out: patterns and
distributions; new times, and their text.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from bnsieve.synthesize.numbers import number_values
from bnsieve.synthesize.records import DateColumn, NumberValues
from bnsieve.table import Floats

Times = NDArray[np.datetime64]

DAY = 86_400
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
_CELLS = 60
# Behind the clock.
_ZONE = re.compile(r":\d{2}(?:[.,]\d+)?(\s?(?:Z|[A-Z]{3,4}|[+-]\d{2}:?\d{2}))$")
# Of a second, behind the clock.
_FRACTION = re.compile(r"[.,]\d+")


def _day_patterns() -> tuple[str, ...]:
    """Return patterns of days as text, the more usual first."""
    numbers = (
        *(("y:04", "m:02", "d:02"), ("d:02", "m:02", "y:04"), ("m:02", "d:02", "y:04")),
        *(("d", "m", "y:04"), ("m", "d", "y:04"), ("y:04", "m", "d")),
        *(("d:02", "m:02", "yy:02"), ("m:02", "d:02", "yy:02")),
        *(("d", "m", "yy:02"), ("m", "d", "yy:02")),
    )
    named = tuple(product(("d:02", "d"), ("mon", "month"), ("y:04", "yy:02")))
    return (
        *(sep.join(map("{{{}}}".format, part)) for sep in "-./ " for part in (*numbers, *named)),
        *("{y:04}{m:02}{d:02}", "{y:04}-{m:02}", "{y:04}/{m:02}"),
        *(f"{{{m}}} {{{d}}}{sep} {{{y}}}" for d, m, y in named for sep in (",", "")),
        *(f"{{{d}}}. {{{m}}} {{{y}}}" for d, m, y in named),
    )


def _clock_patterns() -> tuple[str, ...]:
    """Return patterns of a time of day."""
    seconds = (":{S:02}", "")
    return (
        *(f"{{{h}}}:{{M:02}}{s}" for h, s in product(("H:02", "H"), seconds)),
        *(
            f"{{{h}}}:{{M:02}}{s}{blank}{{{half}}}"
            for h, s, blank, half in product(("h:02", "h"), seconds, (" ", ""), ("half", "HALF"))
        ),
    )


_PARTS = (_day_patterns(), ("T", ", ", " "), _clock_patterns())


def pattern_of(texts: Sequence[str], times: Times) -> str:
    """Return the pattern of most texts.

    The pattern has a day, a time of day, and the most frequent text after it, such as a zone. A
    fraction of a second becomes zeros, because times are kept to the second.
    """
    known = [(text, time) for text, time in zip(texts, times, strict=True) if not np.isnat(time)]
    some = known[:: max(1, len(known) // _CELLS)][:_CELLS]
    if not some:
        return _PARTS[0][0]
    fields = _fields(np.array([time for _, time in some], dtype="datetime64[s]"))
    left = [(text, own) for (text, _), own in zip(some, fields, strict=True)]
    pattern = ""
    for patterns in _PARTS:
        begun = max(patterns, key=lambda one: sum(_matched(one, *cell) for cell in left))
        of_this = [(text[size:], own) for text, own in left if (size := _matched(begun, text, own))]
        if of_this:
            pattern, left = pattern + begun, of_this
    ends = Counter(
        _FRACTION.sub(lambda found: found[0][0] + "0" * (len(found[0]) - 1), text, count=1)
        for text, _ in left
    )
    end = ends.most_common(1)[0][0]
    return pattern + end.replace("{", "{{").replace("}", "}}")


def zones_of(texts: Sequence[str], times: Times) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return the time zones at the end of texts and their frequency in each month.

    Return nothing if there is only one, or if some end in something else.
    """
    counts: dict[str, NDArray[np.int64]] = {}
    months = times.astype("datetime64[M]").astype(np.int64) % 12
    for text, month, time in zip(texts, months.tolist(), times, strict=True):
        if np.isnat(time):
            continue
        match = _ZONE.search(text)
        if match is None:
            return ()
        counts.setdefault(match[1], np.zeros(12, dtype=np.int64))[month] += 1
    several = len(counts) > 1
    return tuple((zone, tuple(own.tolist())) for zone, own in sorted(counts.items())) * several


def without_zone(text: str) -> str:
    """Return a text that ends with a time zone without it."""
    match = _ZONE.search(text)
    return text if match is None else text[: match.start(1)]


def zones_at(
    zones: Sequence[tuple[str, tuple[int, ...]]], times: Times, shares: Floats
) -> NDArray[np.object_]:
    """Return a zone for each time, drawn by the frequencies of its month."""
    names = np.array([zone for zone, _ in zones], dtype=object)
    counts = np.array([own for _, own in zones], dtype=np.float64)
    counts[:, counts.sum(axis=0) == 0] = counts.sum(axis=1, keepdims=True)
    below = np.cumsum(counts, axis=0) / counts.sum(axis=0)
    months = times.astype("datetime64[M]").astype(np.int64) % 12
    places = (below[:, months] <= shares).sum(axis=0)
    drawn: NDArray[np.object_] = names[np.minimum(places, len(names) - 1)]
    return drawn


def _matched(pattern: str, text: str, fields: Mapping[str, int | str]) -> int:
    """Return how many characters of a text are as the pattern writes them, from its beginning."""
    written = pattern.format(**fields)
    return len(written) if text.startswith(written) else 0


def written_dates(times: Times, pattern: str) -> NDArray[np.object_]:
    """Return times as text; each different time is formatted once."""
    values, places = np.unique(times.astype(np.int64), return_inverse=True)
    fields = _fields(values.astype("datetime64[s]"))
    texts = np.array([pattern.format(**own) for own in fields], dtype=object)
    made: NDArray[np.object_] = texts[places.ravel()]
    return made


def _fields(times: Times) -> list[dict[str, int | str]]:
    years = times.astype("datetime64[Y]").astype(np.int64) + 1970
    months = times.astype("datetime64[M]").astype(np.int64) % 12 + 1
    days = (times.astype("datetime64[D]") - times.astype("datetime64[M]")).astype(np.int64) + 1
    seconds = (times - times.astype("datetime64[D]")).astype(np.int64)
    return [
        {
            "y": y, "yy": y % 100, "m": m, "d": d,
            "mon": _MONTHS[m - 1][:3], "month": _MONTHS[m - 1],
            "H": s // 3600, "M": s // 60 % 60, "S": s % 60,
            "h": (s // 3600 - 1) % 12 + 1,
            "half": "pm" if s >= DAY // 2 else "am", "HALF": "PM" if s >= DAY // 2 else "AM",
        }
        for y, m, d, s in zip(*(x.tolist() for x in (years, months, days, seconds)), strict=True)
    ]  # fmt: skip


def days_of_month(times: Times) -> NDArray[np.int64]:
    """Return how often each day of the month occurs, shape (31,)."""
    known = times[~np.isnat(times)]
    days = known.astype("datetime64[D]") - known.astype("datetime64[M]")
    return np.bincount(days.astype(np.int64), minlength=31).astype(np.int64)


def clock_of(times: Times) -> NumberValues:
    """Return the distribution of the time of day, in seconds."""
    known = times[~np.isnat(times)]
    return number_values((known - known.astype("datetime64[D]")).astype(np.float64))


def seconds_of(times: Times) -> Floats:
    """Return seconds since 1970; NaN where a time is missing."""
    seconds = times.astype("datetime64[s]").astype(np.int64).astype(np.float64)
    return np.where(np.isnat(times), np.nan, seconds)


def times_of_seconds(seconds: Floats) -> Times:
    """Return times from seconds since 1970; a missing value becomes 1970."""
    return np.round(np.nan_to_num(seconds)).astype(np.int64).astype("datetime64[s]")


def dates_of_parts(
    column: DateColumn, parts: Mapping[str, Floats], rng: np.random.Generator, n: int
) -> Floats:
    """Return dates with given parts, in seconds since 1970.

    A part that is not given is drawn by its frequency. Of the days with this year, month and
    weekday in the range of the table, one is drawn by the frequencies of days of the month. If
    there is none, the weekday is ignored, and then the month.

    Parameters
    ----------
    column : DateColumn
    parts : mapping of str to ndarray of float64, shape (n_rows,)
        Some of year, month (1 to 12), weekday (0: Monday) and hour.
    """
    shares, clock_shares = rng.random(n), rng.random(n)
    typical = times_of_seconds(column.seconds.quantile(rng.random(n)))
    clock = clock_at(column, parts.get("hour"), clock_shares)
    if column.form == "time":
        return (
            times_of_seconds(column.seconds.quantile(np.zeros(n)))
            .astype("datetime64[D]")
            .astype("datetime64[s]")
            .astype(np.int64)
            + clock
        )
    if not {"year", "month", "weekday"} & parts.keys():
        return typical.astype("datetime64[D]").astype("datetime64[s]").astype(np.int64) + clock
    months = typical.astype("datetime64[M]").astype(np.int64)
    years, month = months // 12 + 1970, months % 12 + 1
    if "year" in parts:
        years = np.round(parts["year"]).astype(np.int64)
    if "month" in parts:
        month = np.round(parts["month"]).astype(np.int64)
    first = ((years - 1970) * 12 + month - 1).astype("datetime64[M]")
    lowest, highest = times_of_seconds(column.seconds.values[[0, -1]]).astype("datetime64[D]")
    if "month" not in parts:
        # The typical month may lie outside of the range in the first and the last year.
        first = np.clip(first, lowest.astype("datetime64[M]"), highest.astype("datetime64[M]"))
    days = first.astype("datetime64[D]")[:, None] + np.arange(31)
    is_month = days.astype("datetime64[M]") == first[:, None]
    in_range = is_month & (days >= lowest) & (days <= highest)
    weights = (column.days + (column.days.sum() == 0)) * in_range
    if "weekday" in parts:
        weekday = (days.astype(np.int64) + 3) % 7
        on_day = weights * (weekday == np.round(parts["weekday"]).astype(np.int64)[:, None])
        # Days of the month that no row of the table has may still be the only ones.
        weights = np.where(on_day.any(axis=1)[:, None], on_day, weights)
    weights = np.where(weights.any(axis=1)[:, None], weights, is_month)
    sums = weights.cumsum(axis=1)
    chosen = (sums <= shares[:, None] * sums[:, -1:]).sum(axis=1)
    day = days[np.arange(n), np.minimum(chosen, 30)]
    found: Floats = day.astype("datetime64[s]").astype(np.int64) + clock
    return found


def month_start(seconds: Floats) -> Floats:
    """Return the first second of the month of each time."""
    months = times_of_seconds(seconds).astype("datetime64[M]")
    return months.astype("datetime64[s]").astype(np.int64).astype(np.float64)


def day_within(column: DateColumn, shares: Floats, starts: Floats) -> Floats:
    """Return a day of each month, in seconds since the start of the month."""
    sums = np.cumsum(column.days + (column.days.sum() == 0))
    days = np.minimum(np.searchsorted(sums, shares * sums[-1], side="right"), 30)
    months = times_of_seconds(starts).astype("datetime64[M]")
    last = ((months + 1).astype("datetime64[D]") - months.astype("datetime64[D]")).astype(np.int64)
    seconds: Floats = (np.minimum(days, last - 1) * DAY).astype(np.float64)
    return seconds


def clock_at(column: DateColumn, hours: Floats | None, shares: Floats) -> Floats:
    """Return seconds since midnight, within the given hours, if any."""
    if hours is None:
        return column.clock.quantile(shares)
    low = column.clock.share_below(hours * 3600)
    high = column.clock.share_below((hours + 1) * 3600)
    drawn = column.clock.quantile(np.clip(low + (high - low) * shares, 1e-12, 1.0))
    return np.clip(drawn, hours * 3600, hours * 3600 + 3599)


def in_form(times: Times, form: str) -> NDArray[np.int64] | None:
    """Return dates as the numbers that represent them; None if they are not numbers."""
    if form == "seconds":
        return times.astype(np.int64)
    if form == "milliseconds":
        return times.astype(np.int64) * 1000
    if form == "compact":
        years = times.astype("datetime64[Y]").astype(np.int64) + 1970
        months = times.astype("datetime64[M]").astype(np.int64) % 12 + 1
        days = (times.astype("datetime64[D]") - times.astype("datetime64[M]")).astype(np.int64) + 1
        numbers: NDArray[np.int64] = years * 10_000 + months * 100 + days
        return numbers
    return None
