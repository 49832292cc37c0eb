"""Which parts of a date can be learned from, and which times between dates.

In: the times of some rows. Out: outputs and their numbers. A part is taken if it varies: at least
two of its values are not rare. What varies with nothing, such as the weekday of a birth long ago,
is not taken: dates over more than thirty years give their year only.
"""

from collections.abc import Collection, Mapping
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bnsieve.table.prepare.parsing import Times, part_of
from bnsieve.table.prepare.plan import Output
from bnsieve.table.prepare.reading import SECONDS
from bnsieve.table.prepare.readings import DateForm, DatePart, Elapsed, Part, Unit

# A value of a part is rare if it has less than so many rows, or one row in so many.
_FEW_ROWS = 5
_ONE_IN = 100
_LONG_AGO = np.timedelta64(30 * 365, "D")


def parts_of(name: str, form: DateForm, times: Times) -> list[Output]:
    """Return the parts of a date that vary."""
    known = times[~np.isnat(times)]
    if not len(known):
        return []
    return [
        Output(f"{name}_{part}", DatePart(form, part))
        for part in _candidates(form, known)
        if _varies(part_of(known, part))
    ]


def _candidates(form: DateForm, known: Times) -> list[Part]:
    if form == "time":
        return ["hour"]
    days = known.astype("datetime64[D]")
    parts: list[Part] = ["year"]
    if not _is_long(known):
        parts.append("month")
        monthly = days == days.astype("datetime64[M]").astype("datetime64[D]")
        if form != "ym" and not monthly.all():
            parts.append("weekday")
    if (known != days.astype("datetime64[s]")).any():
        parts.append("hour")
    return parts


def _varies(numbers: NDArray[np.float64]) -> bool:
    counts = np.sort(np.unique(numbers, return_counts=True)[1])[::-1]
    enough = max(_FEW_ROWS, len(numbers) // _ONE_IN)
    # Years may be many, each of few rows: they are cut like other numbers.
    return len(counts) > 1 and int(counts[1:].sum()) >= enough


def elapsed_between(
    dates: Mapping[str, tuple[DateForm, Times]], taken: Collection[str]
) -> dict[str, Output]:
    """Return for columns of dates the output that is the time since the date before it.

    Columns of dates are put in order by their middle, so that each is a time after one other.

    Parameters
    ----------
    dates : mapping of str to (DateForm, ndarray of datetime64)
        The columns of dates, and some rows of each.
    taken : collection of str
        Names that an output may not have.
    """
    found = {}
    for earlier, later in pairwise(in_order(dates)):
        seconds = _seconds_between(dates[earlier][1], dates[later][1])
        if not len(seconds):
            continue
        unit = _unit(np.abs(seconds))
        if len(np.unique(seconds // SECONDS[unit])) < 2:
            continue
        name = free_name(f"{later}_minus_{earlier}_{unit}", taken)
        form, since_form = dates[later][0], dates[earlier][0]
        found[later] = Output(name, Elapsed(form, earlier, since_form, unit))
    return found


def in_order(dates: Mapping[str, tuple[DateForm, Times]]) -> list[str]:
    """Return the columns of dates, the earliest first."""
    middles = {}
    for name, (form, times) in dates.items():
        known = times[~np.isnat(times)].astype(np.int64)
        if form != "time" and len(known):
            middles[name] = float(np.median(known))
    return sorted(middles, key=lambda name: (middles[name], name))


def told_by_others(elapsed: Mapping[str, Output]) -> set[tuple[str, Part]]:
    """Return the parts of dates that follow from other outputs.

    The calendar of a date follows from that of another and the days between them; the year of a
    date from the year of another and the years between them. Edges among these would say nothing.
    """
    told: set[tuple[str, Part]] = set()
    for later, output in elapsed.items():
        if not isinstance(output.reading, Elapsed):
            continue
        if output.reading.unit == "years":
            told.add((output.reading.since, "year"))
            continue
        told |= {(later, "year"), (later, "month"), (later, "weekday")}
        if output.reading.unit != "days":
            told.add((later, "hour"))
    return told


def _is_long(known: Times) -> bool:
    return bool(known.max() - known.min() > _LONG_AGO)


def _seconds_between(a: Times, b: Times) -> NDArray[np.int64]:
    passed = b - a
    return passed[~np.isnat(passed)].astype("timedelta64[s]").astype(np.int64)


def _unit(seconds: NDArray[np.int64]) -> Unit:
    """Return the largest unit of which a middling time has two; days where all are whole ones."""
    middle = float(np.median(seconds))
    if not (seconds % SECONDS["days"]).any() and middle < 2 * SECONDS["years"]:
        return "days"
    return next((unit for unit, own in SECONDS.items() if middle >= 2 * own), "seconds")


def free_name(name: str, taken: Collection[str]) -> str:
    """Return a name that is not taken, as much like another as can be."""
    while name in taken:
        name += "_"
    return name
