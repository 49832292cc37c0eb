"""Apply a `Reading` to cells, row by row: numbers, times, and the categories of an output.

In: some rows, a `Column` each. Out: codes and categories. One code for rows in memory and
for pieces of files.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.table import EXACT, Column, bin_labels, binned
from bnsieve.table.prepare.parsing import (
    MONTHS,
    WEEKDAYS,
    Times,
    are_infinite,
    part_of,
    read_dates,
    read_epochs,
    read_numbered_days,
    read_numbers,
)
from bnsieve.table.prepare.plan import ColumnPlan, Output
from bnsieve.table.prepare.readings import (
    DateForm,
    DatePart,
    Elapsed,
    Labels,
    Numbers,
    Precision,
    Reading,
    Unit,
)

SECONDS: dict[Unit, int] = {
    "years": 31_557_600,
    "days": 86_400,
    "hours": 3_600,
    "minutes": 60,
    "seconds": 1,
}


def date_forms(columns: Sequence[ColumnPlan]) -> dict[str, DateForm]:
    """Return the columns of the data that are read as dates, and how these are written."""
    forms: dict[str, DateForm] = {}
    for column in columns:
        for output in column.outputs:
            if isinstance(output.reading, DatePart | Elapsed):
                forms[column.name] = output.reading.form
            if isinstance(output.reading, Elapsed):
                forms[output.reading.since] = output.reading.since_form
    return forms


def with_times(columns: Sequence[ColumnPlan], cells: Mapping[str, Column]) -> dict[str, Column]:
    """Return the cells of columns with dates read, once for all outputs that take from them."""
    forms = date_forms(columns)
    return {
        name: Column("time", times_of(one, forms[name])) if name in forms else one
        for name, one in cells.items()
    }


def times_of(cells: Column, form: DateForm) -> Times:
    """Return the times that cells say, row by row; NaT where they are missing or say none."""
    if cells.kind == "empty":
        return np.full(cells.n_rows, "NaT", dtype="datetime64[s]")
    if cells.kind == "time":
        found: Times = np.where(are_infinite(cells.values), np.datetime64("NaT"), cells.values)
    elif cells.kind == "number":
        found = numbered_times(cells.values, form)
    else:
        found = read_dates(cells.values, "ymd" if form == "typed" else form)
    times: Times = cells.spread(found, np.datetime64("NaT"))
    return times


def numbered_times(numbers: NDArray[Any], form: DateForm) -> Times:
    """Return the times that numbers say, NaT if they say none."""
    if form in ("seconds", "milliseconds"):
        return read_epochs(numbers, form)
    return read_numbered_days(numbers)


def at_precision(times: Times, precision: Precision) -> Times:
    """Return times cut to the second, the day or the month."""
    unit = {"second": "s", "day": "D", "month": "M"}[precision]
    cut: Times = times.astype(f"datetime64[{unit}]").astype("datetime64[s]")
    return cut


def numbers_of(cells: Column, reading: Numbers) -> NDArray[np.float64]:
    """Return the numbers that cells say, row by row; NaN where they are missing or say none."""
    if cells.kind == "empty":
        return np.full(cells.n_rows, np.nan)
    if cells.kind == "number":
        found = cells.values.astype(np.float64)
        found = np.where(np.isfinite(found), found, np.nan)
    elif cells.kind == "time":
        raise TypeError("dates are no numbers")
    else:
        found = read_numbers(cells.values, reading.style, reading.factors)
    numbers: NDArray[np.float64] = cells.spread(found, np.nan)
    return numbers


def quantity_of(reading: Reading, own: str, cells: Mapping[str, Column]) -> NDArray[np.float64]:
    """Return what a reading other than of categories takes from a column, row by row."""
    if isinstance(reading, DatePart):
        return part_of(times_of(cells[own], reading.form), reading.part)
    if isinstance(reading, Elapsed):
        later = at_precision(times_of(cells[own], reading.form), reading.precision)
        before = times_of(cells[reading.since], reading.since_form)
        passed = later - at_precision(before, reading.precision)
        seconds = passed.astype("timedelta64[s]").astype(np.float64)
        return np.where(np.isnat(passed), np.nan, seconds / SECONDS[reading.unit])
    if isinstance(reading, Labels):
        raise TypeError("labels are no quantity")
    return numbers_of(cells[own], reading)


def fixed_labels(output: Output) -> tuple[str, ...] | None:
    """Return the categories of an output, in their order, where they do not depend on the rows."""
    reading = output.reading
    labels: tuple[str, ...] | None = None
    if output.bin_edges is not None:
        labels = bin_labels(np.array(output.bin_edges, dtype=np.float64))
    elif isinstance(reading, DatePart) and reading.part == "month":
        labels = MONTHS
    elif isinstance(reading, DatePart) and reading.part == "weekday":
        labels = WEEKDAYS
    if labels is not None and output.blank is not None:
        labels = (*labels, output.blank)
    return labels


def labelled(output: Output, own: str, cells: Mapping[str, Column]) -> Column:
    """Return some rows of an output.

    Parameters
    ----------
    output : Output
    own : str
        The column of the data that it is made from.
    cells : mapping of str to Column
    """
    if isinstance(output.reading, Labels):
        found = _texts(output, cells[own])
    else:
        found = _coded(output, own, quantity_of(output.reading, own, cells))
    if output.blank is None:
        return found
    labels = [str(value) for value in found.values.tolist()]
    if output.blank not in labels:
        labels.append(output.blank)
    codes = np.where(found.missing, labels.index(output.blank), found.places)
    return Column.of_categories(labels, codes)


def _texts(output: Output, cells: Column) -> Column:
    texts = [label_text(value) for value in cells.texts.tolist()]
    if output.groups is not None:
        # A category that was not there when groups were made goes with the rest.
        texts = [output.groups.get(text, output.other or text) for text in texts]
    # A declared order stays.
    labels = tuple(dict.fromkeys(texts) if cells.is_ordered else sorted(set(texts)))
    place = {label: i for i, label in enumerate(labels)}
    codes = np.array([place[text] for text in texts], dtype=np.int64)
    return Column.of_categories(labels, cells.spread(codes, -1))


def label_text(value: object) -> str:
    """Return a category as text, a whole number without a point."""
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return str(value)


def _coded(output: Output, own: str, numbers: NDArray[np.float64]) -> Column:
    if output.bin_edges is not None:
        edges = np.array(output.bin_edges, dtype=np.float64)
        return Column.of_categories(bin_labels(edges), binned(numbers, edges))
    known = numbers[~np.isnan(numbers)]
    fractions = known[(known != np.floor(known)) | (np.abs(known) >= EXACT)]
    if len(fractions):
        raise ValueError(
            f"column {own!r} holds {fractions[0]:g}, but whole numbers only when it was prepared: "
            "prepare the data again"
        )
    if isinstance(output.reading, DatePart) and output.reading.part in ("month", "weekday"):
        first = 1 if output.reading.part == "month" else 0
        codes = np.where(np.isnan(numbers), -1, np.nan_to_num(numbers) - first).astype(np.int64)
        return Column.of_categories(MONTHS if first else WEEKDAYS, codes)
    whole = np.unique(known)
    codes = np.where(np.isnan(numbers), -1, np.searchsorted(whole, numbers))
    return Column.of_categories(whole.astype(np.int64).tolist(), codes)
