"""From rows of variables to the columns of the table.

In: drawn rows of variables. Out: the `Cells` of each column, with its missing values, and Arrow
arrays with the types of the table.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import compute

from bnsieve.synthesize.dates import (
    DAY,
    clock_at,
    dates_of_parts,
    day_within,
    in_form,
    month_start,
    times_of_seconds,
    written_dates,
    zones_at,
)
from bnsieve.synthesize.identifiers import identifiers, random_shares
from bnsieve.synthesize.numbers import as_integers, implied_by, written
from bnsieve.synthesize.records import (
    CategoryColumn,
    DateColumn,
    IdentifierColumn,
    NumberColumn,
    NumberValues,
)
from bnsieve.table import Floats

# Of a second, in the units of Arrow.
_TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a column in some rows.

    Attributes
    ----------
    values : ndarray
        Positions among the cells of a category; numbers; for a date, seconds since 1970; for an
        identifier, empty.
    missing : ndarray of bool
    """

    values: NDArray[Any]
    missing: NDArray[np.bool_]

    def take(self, rows: NDArray[Any]) -> "Cells":
        """Return some of the rows."""
        return Cells(self.values[rows], self.missing[rows])


def number_cells(
    column: NumberColumn, numbers: Mapping[str, Floats], states: Floats | None, shares: Floats
) -> Floats:
    """Return the numbers of a column.

    Parameters
    ----------
    column : NumberColumn
    numbers : mapping of str to ndarray of float64
        Of variables.
    states : ndarray of float64 or None
        The numbers that are the states of a variable.
    shares : ndarray of float64
        Random numbers between 0 and 1.
    """
    follows = column.follows
    if follows is not None and follows.of in numbers:
        found = implied_by(follows, numbers[follows.of], shares)
        return found if column.output else column.number.on_grid(found)
    if column.output in numbers:
        return numbers[column.output]
    return column.number.quantile(shares) if states is None else states


def date_cells(
    columns: Sequence[DateColumn],
    values: Mapping[str, NumberValues],
    numbers: Mapping[str, Floats],
    parts: Mapping[str, Floats],
    rng: np.random.Generator,
    n: int,
) -> dict[str, Floats]:
    """Return the dates of all columns of dates, in seconds since 1970.

    The date with the most parts is computed first, from these parts. The others follow from the
    time between dates. All are in the range of their column.

    Parameters
    ----------
    columns : sequence of DateColumn
    values : mapping of str to NumberValues
        The distributions of times between dates.
    numbers, parts : mapping of str to ndarray of float64
        The variables: times between dates, and parts of dates.
    """
    found: dict[str, Floats] = {}
    waiting = {one.name: one for one in columns}
    links = [one for one in columns if one.elapsed in numbers]
    while waiting:
        for link in links:
            earlier, later = link.since, link.name
            if (earlier in found) == (later in found):
                continue
            there, name = (earlier, later) if earlier in found else (later, earlier)
            if name in waiting:
                column, passed = waiting.pop(name), numbers[link.elapsed]
                found[name] = _linked_date(
                    column, link, found[there], passed, values[link.elapsed], parts, rng
                )
                break
        else:
            free = [one for one in waiting.values() if one.follows is None] or [*waiting.values()]
            root = max(free, key=lambda one: len(one.parts))
            del waiting[root.name]
            found[root.name] = _own_date(root, found, numbers, parts, rng, n)
    return found


def _linked_date(
    column: DateColumn,
    link: DateColumn,
    other: Floats,
    passed: Floats,
    values: NumberValues,
    parts: Mapping[str, Floats],
    rng: np.random.Generator,
) -> Floats:
    """Return dates by the time since others, or until others.

    Where that leads out of the range of the column, a time that does not is drawn instead: who was
    hired last year has not left in ten.
    """
    unit = link.unit if column is link else -link.unit
    found = _date_after(column, other, passed * unit, link.precision, parts, rng)
    beyond = found != _within(column, found)
    if beyond.any():
        start = other[beyond]
        ends = [(end - start) / unit for end in column.seconds.values[[0, -1]]]
        low = values.share_below(np.minimum(*ends))
        high = values.share_below(np.nextafter(np.maximum(*ends), np.inf))
        again = values.quantile(high - (high - low) * rng.random(len(start)))
        found[beyond] = _date_after(column, start, again * unit, link.precision, parts, rng)
    return _within(column, _at_known_hours(column, found, other, rng))


def _within(column: DateColumn, seconds: Floats) -> Floats:
    """Return the nearest dates in the range of the column."""
    low, high = column.seconds.values[[0, -1]]
    return np.clip(seconds, low, high)


def _date_after(
    column: DateColumn,
    other: Floats,
    passed: Floats,
    precision: str,
    parts: Mapping[str, Floats],
    rng: np.random.Generator,
) -> Floats:
    """Return the dates so many seconds after others; with a precision, from day to day or month.

    A time of day is then that which the column has, and so is the day of a month.
    """
    if precision == "second":
        return _to_step(column, other + passed)
    clock = column.seconds.origin % DAY
    if precision == "day":
        seconds = np.floor(other / DAY) * DAY + np.round(passed / DAY) * DAY
    else:
        # From the middle of one month to that of the other.
        months = times_of_seconds(month_start(other) + passed + 15 * DAY)
        seconds = month_start(months.astype(np.int64).astype(np.float64))
        if column.form != "ym":
            seconds = seconds + day_within(column, rng.random(len(seconds)), seconds)
    shares = rng.random(len(seconds))
    hours = parts.get(column.parts.get("hour", ""))
    return seconds + (clock if column.is_daily else clock_at(column, hours, shares))


def _own_date(
    column: DateColumn,
    found: Mapping[str, Floats],
    numbers: Mapping[str, Floats],
    parts: Mapping[str, Floats],
    rng: np.random.Generator,
    n: int,
) -> Floats:
    """Return dates that are not linked to one that is there by a variable."""
    follows, shares = column.follows, rng.random(n)
    low, high = column.seconds.values[[0, -1]]
    if follows is not None and follows.since in found:
        source, other = numbers.get(follows.of, np.zeros(n)), found[follows.since]
        before = implied_by(follows, source, shares, (other - high, other - low))
        seconds = _to_step(column, other - before)
        return _within(column, _at_known_hours(column, seconds, other, rng))
    if follows is not None and not follows.since and follows.of in numbers:
        ends = np.full(n, low), np.full(n, high)
        implied = implied_by(follows, numbers[follows.of], shares, ends)
        seconds = _to_step(column, implied)
        return _within(column, _at_known_hours(column, seconds, np.full(n, np.nan), rng))
    own = {part: parts[output] for part, output in column.parts.items() if output in parts}
    return _within(column, dates_of_parts(column, own, rng, n))


def _to_step(column: DateColumn, seconds: Floats) -> Floats:
    """Return times to the day where all of the table have one time of day, else to the second."""
    step, start = (DAY, column.seconds.origin % DAY) if column.is_daily else (1, 0.0)
    rounded: Floats = np.round((seconds - start) / step) * step + start
    return rounded


def _at_known_hours(
    column: DateColumn, seconds: Floats, other: Floats, rng: np.random.Generator
) -> Floats:
    """Return times, of which those that are too early or too late in the day get another hour.

    None moves past the other date that it precedes or follows: it then gets the first or the last
    hour of the column, or else stays.
    """
    first, last = column.clock.values[[0, -1]]
    clock = seconds % DAY
    nearest = seconds - clock + np.clip(clock, first, last)
    drawn = seconds - clock + column.clock.quantile(rng.random(len(seconds)))
    found = np.where((nearest - other) * (seconds - other) < 0, seconds, nearest)
    found = np.where((drawn - other) * (seconds - other) <= 0, found, drawn)
    known: Floats = np.where((clock < first) | (clock > last), found, seconds)
    return known


def arrow_column(
    column: CategoryColumn | NumberColumn | DateColumn | IdentifierColumn,
    cells: Cells,
    first_row: int,
    seed: int,
    states: Mapping[str, NDArray[np.object_]],
) -> pa.Array:
    """Return some rows of a column as an Arrow array with the type in the table.

    The states are those of the columns that parts of identifiers depend on.
    """
    missing = cells.missing
    if isinstance(column, CategoryColumn):
        labels = pa.array(column.cells, _arrow_type_of(column.cells))
        places = pa.array(cells.values.astype(np.int32), mask=missing)
        made = pa.DictionaryArray.from_arrays(places, labels)
        if column.stored.endswith("category"):
            return made
        made = made.cast(labels.type)
    elif isinstance(column, IdentifierColumn):
        texts = identifiers(column, first_row, len(missing), seed, states)
        made = pa.array(texts, pa.string(), mask=missing)
    elif isinstance(column, DateColumn):
        made = _arrow_dates(column, cells, first_row, seed)
    elif column.text is not None:
        texts = written(cells.values, column.text, column.number.decimals)
        made = pa.array(texts, pa.string(), mask=missing | np.isnan(cells.values))
    else:
        missing = missing | np.isnan(cells.values)
        is_whole = "int" in column.stored.lower()
        values = as_integers(cells.values) if is_whole else cells.values
        made = pa.array(values, mask=missing)
    return _as_stored(made, column.stored)


def _arrow_type_of(cells: Sequence[Any]) -> pa.DataType:
    types = {type(cell) for cell in cells}
    plain = {bool: pa.bool_(), int: pa.int64(), float: pa.float64()}
    if len(types) == 1 and (found := next(iter(types))) in plain:
        return plain[found]
    return pa.null() if not types else pa.string()


def _arrow_dates(column: DateColumn, cells: Cells, first_row: int, seed: int) -> pa.Array:
    times = times_of_seconds(cells.values)
    if column.pattern:
        texts = written_dates(times, column.pattern)
        if column.zones:  # all dates of a row are drawn by one number
            rows = np.arange(first_row, first_row + len(times), dtype=np.int64)
            texts = texts + zones_at(column.zones, times, random_shares(rows, seed))
        return pa.array(texts, pa.string(), mask=cells.missing)
    numbers = in_form(times, column.form)
    if numbers is not None:
        return pa.array(numbers, mask=cells.missing)
    return pa.array(times.astype("datetime64[s]"), mask=cells.missing)


def _as_stored(made: pa.Array, stored: str) -> pa.Array:
    """Return an array with the type of the table, where that is known and can hold it."""
    wanted = arrow_type(stored)
    if wanted is None or wanted == made.type:
        return made
    try:
        if pa.types.is_timestamp(wanted) and wanted.tz is not None:
            # Dates are those that a clock there shows; an hour that is skipped is the one before.
            local = made.cast(pa.timestamp(wanted.unit), safe=False)
            return compute.assume_timezone(
                local, wanted.tz, ambiguous="earliest", nonexistent="earliest"
            )
        if pa.types.is_duration(wanted):  # numbers are seconds
            ticks = compute.multiply(made.cast(pa.float64()), float(_TICKS[wanted.unit]))
            return compute.round(ticks).cast(pa.int64()).cast(wanted)
        return made.cast(wanted, safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return made


def arrow_type(stored: str) -> pa.DataType | None:
    """Return the Arrow type with a name; None if it is a type of another library."""
    if not stored.startswith("arrow "):
        return None
    name = stored.removeprefix("arrow ")
    if match := re.fullmatch(r"dictionary<values=(\S+), .*>", name):
        name = match[1]
    if match := re.fullmatch(r"decimal128\((\d+), (-?\d+)\)", name):
        return pa.decimal128(int(match[1]), int(match[2]))
    if match := re.fullmatch(r"timestamp\[(s|ms|us|ns), tz=(.*)\]", name):
        return pa.timestamp(match[1], match[2])
    try:
        return pa.type_for_alias(name)
    except ValueError:
        return None
