"""Parts of the time of rows that are known of any step: hour, weekday and month.

In: times, the length of a step and how long the rows last. Out: which parts are worth learning
from, and the code of each time. A part is offered if it differs from step to step and its period, a
day, a week or a year, passes three times or more.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.table.column import Column
from bnsieve.table.prepare.parsing import MONTHS, WEEKDAYS, part_of
from bnsieve.table.timeline import CalendarPart

_DAY = 86_400.0
_YEAR = 365.25 * _DAY
# Of each part: the longest step within which it still varies, and its period, in seconds.
_PARTS: dict[CalendarPart, tuple[float, float]] = {
    "hour": (_DAY / 4, _DAY),
    "weekday": (_DAY, 7 * _DAY),
    "month": (_YEAR / 12, _YEAR),
}
_LEAST_PERIODS = 3
# Months differ in length, and clocks jitter.
_SLACK = 1.05

LABELS: dict[CalendarPart, tuple[Any, ...]] = {
    "hour": tuple(range(24)),
    "weekday": WEEKDAYS,
    "month": MONTHS,
}


def covered_parts(step: float, span: float) -> tuple[CalendarPart, ...]:
    """Return the parts of a time that vary from step to step, and whose period passes three times.

    Parameters
    ----------
    step, span : float
        The length of a step and the time from the first row to the last, in seconds.
    """
    return tuple(
        part
        for part, (longest, period) in _PARTS.items()
        if step <= longest * _SLACK and span + step >= _LEAST_PERIODS * period
    )


def calendar_names(
    time: str, parts: Collection[CalendarPart], taken: Collection[str]
) -> dict[str, CalendarPart]:
    """Return a name for each part that no column has: "hour", or "hour of at"; none if both do."""
    names: dict[str, CalendarPart] = {}
    for part in parts:
        for name in (part, f"{part} of {time}"):
            if name not in taken:
                names[name] = part
                break
    return names


def calendar_codes(part: CalendarPart, microseconds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the code of each time, a place in `LABELS`."""
    numbers = part_of(microseconds.astype("datetime64[us]"), part)
    return np.nan_to_num(numbers).astype(np.int64) - (part == "month")


def calendar_column(name: str, part: CalendarPart, microseconds: NDArray[np.int64]) -> Column:
    """Return a part of each time, in order, as a column of categories."""
    column = Column.of_categories(LABELS[part], calendar_codes(part, microseconds))
    return replace(column, is_ordered=True).observed(name)
