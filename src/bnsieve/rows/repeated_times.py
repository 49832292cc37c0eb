"""Reasons why times of one entity repeat or interleave, and what to do about it.

In: rows in order of entity and time, and the other columns. Out: sentences. The usual reasons are
entity names that occur at several sites, clocks that were set back, and copies of rows.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.rows.stamps import TOLERANCE, Differences, Stamps
from bnsieve.table import Timeline, duration

Places = NDArray[np.intp]
OtherColumns = Callable[[], Mapping[str, "pd.Series[Any]"]]

# A column that tells entities of one name apart has many rows of each value within a name.
_ROWS_OF_EACH = 5
# Few repeats may differ in a column by chance.
_MANY_REPEATS = 20
# Shares of steps that are as long as the usual one: by name alone, and beside another column.
_UNEVEN, _EVEN = 0.75, 0.9
# Clocks are set back on a Sunday before four o'clock, in autumn.
_SUNDAY, _HOUR, _AUTUMN = 6, 4, (3, 4, 9, 10, 11)


def clock_was_set_back(stamps: Stamps, rows: Places) -> bool:
    """Tell whether all of some times are in an hour that local clocks may show twice."""
    if not stamps.is_date or not len(rows):
        return False
    times = pd.DatetimeIndex(stamps.values[rows].view("datetime64[us]"))
    days = times.normalize().unique()
    in_night = (times.day_of_week == _SUNDAY) & (times.hour < _HOUR) & times.month.isin(_AUTUMN)
    return bool(in_night.all()) and len(days) == days.year.nunique()


def reason_of_repeats(
    timeline: Timeline, stamps: Stamps, order: Places, twice: Places, others: OtherColumns
) -> str:
    """Return the likely reason for repeated times, and the fix; "" if none is found.

    Parameters
    ----------
    timeline : Timeline
    stamps : Stamps
    order : ndarray of int
        The rows, entity by entity, in order of time.
    twice : ndarray of int
        Positions in this order whose next row has the same entity and time.
    others : callable
        Returns the columns that do not place rows.
    """
    if clock_was_set_back(stamps, order[twice]):
        return (
            "All lie in an hour that clocks show twice when they are set back: write times in UTC "
            "or with their offset, such as 02:30:00+02:00"
        )
    columns = others()
    first, second = order[twice], order[twice + 1]
    alike = [_codes(column) for column in columns.values()]
    if all((codes[first] == codes[second]).all() for codes in alike):
        return "They are copies of other rows: drop them, in pandas by drop_duplicates()"
    if timeline.by is None or len(twice) < _MANY_REPEATS:
        return ""
    for name, codes in zip(columns, alike, strict=True):
        if (codes[first] != codes[second]).all() and _has_many_rows_of_each(codes[order]):
            return (
                f"No row repeats one with the same {name}: if {timeline.by} names several "
                f"entities, one for each {name}, make one column of both for by="
            )
    return ""


def interleaving(
    timeline: Timeline,
    order: Places,
    same: NDArray[np.bool_],
    differences: NDArray[np.float64],
    is_date: bool,
    others: OtherColumns,
) -> str:
    """Return a note if rows of several entities with one name interleave; else "".

    If so, steps within a name are uneven, and steps within a name and a value of another column are
    even.

    Parameters
    ----------
    timeline : Timeline
    order : ndarray of int
        The rows, entity by entity, in order of time.
    same : ndarray of bool
        Whether each row but the first is of the same entity as the one before.
    differences : ndarray of float64
        The differences between the times of these rows.
    is_date : bool
    others : callable
        Returns the columns that do not place rows.
    """
    if timeline.by is None or _usual(differences[same])[1] >= _UNEVEN:
        return ""
    # Times since the first row, and numbers of entities, in order.
    elapsed = np.concatenate([[0.0], np.cumsum(differences)])
    entities = np.concatenate([[0], np.cumsum(~same)])
    for name, column in others().items():
        if pd.api.types.is_float_dtype(column.dtype):
            continue
        codes = _codes(column)[order]
        if not _has_many_rows_of_each(codes):
            continue
        apart = np.lexsort((elapsed, codes, entities))
        beside = np.diff(entities[apart]) == 0
        beside &= np.diff(codes[apart]) == 0
        between = np.diff(elapsed[apart])[beside]
        length, share = _usual(between)
        n_groups = len(codes) - np.count_nonzero(beside)
        if share >= _EVEN and n_groups > int(entities[-1]) + 1:
            in_words = duration(length) if is_date else f"{length:g}"
            return (
                f"{share:.0%} of steps are {in_words} among rows with the same {timeline.by} and "
                f"{name}, and those of different {name} interleave: if {timeline.by} names several "
                f"entities, one for each {name}, make one column of both for by="
            )
    return ""


def _codes(column: "pd.Series[Any]") -> NDArray[np.int64]:
    return pd.factorize(column)[0].astype(np.int64)


def _has_many_rows_of_each(codes: NDArray[np.int64]) -> bool:
    return 2 <= int(codes.max()) + 1 <= len(codes) // _ROWS_OF_EACH


def _usual(differences: NDArray[np.float64]) -> tuple[float, float]:
    """Return the most frequent of some differences, and the share of those about as long."""
    if not len(differences):
        return 0.0, 0.0
    found = Differences()
    found.add(differences[differences > 0])
    length, _ = found.usual()
    if not length:
        return 0.0, 0.0
    return length, float((np.abs(differences / length - 1) <= TOLERANCE).mean())
