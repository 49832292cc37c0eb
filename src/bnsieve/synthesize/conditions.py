"""Conditions on synthetic rows: ``{"plan": "pro", "age": (30, 40)}``.

In: the user's conditions, and a `TableRecord`. Out: the states that become evidence, and the drawn
rows that meet the conditions.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.synthesize.records import (
    CategoryColumn,
    ColumnRecord,
    DateColumn,
    IdentifierColumn,
    NumberColumn,
    TableRecord,
)
from bnsieve.synthesize.shaping import Cells
from bnsieve.table.prepare import require_known
from bnsieve.text import listed


@dataclass(frozen=True, eq=False)
class Condition:
    """The condition on the cells of one column.

    Attributes
    ----------
    column : ColumnRecord
    places : tuple of int
        The allowed cells of a category.
    low, high : float
        The lowest and highest number, or date in seconds, both included.
    """

    column: ColumnRecord
    places: tuple[int, ...] = ()
    low: float = 0.0
    high: float = 0.0

    def met(self, cells: Cells) -> NDArray[np.bool_]:
        """Return the rows that meet it; missing values never do."""
        if isinstance(self.column, CategoryColumn):
            there = np.isin(cells.values, self.places)
        else:
            there = (cells.values >= self.low) & (cells.values <= self.high)
        met: NDArray[np.bool_] = there & ~cells.missing
        return met


def read_conditions(record: TableRecord, where: Mapping[str, Any]) -> tuple[Condition, ...]:
    """Read the user's conditions.

    Parameters
    ----------
    record : TableRecord
    where : mapping of str to value
        A category; a number or a date; or a pair of the lowest and the highest value.

    Raises
    ------
    ValueError
        If a column or category does not exist, or the table has no values in a range.
    """
    columns = {one.name: one for one in record.columns}
    require_known(list(where), list(columns), "column")
    for name in where:
        column = columns[name]
        if isinstance(column, CategoryColumn) and not len(column.cells):
            raise ValueError(f"where: all values of {name!r} are missing: leave it out")
    return tuple(_condition(columns[name], value) for name, value in where.items())


def evidence_of(column: CategoryColumn, places: tuple[int, ...]) -> str | None:
    """Return the state that contains all of some cells; None if there are several."""
    states = {column.states[place] for place in places}
    return next(iter(states)) if len(states) == 1 else None


def _condition(column: ColumnRecord, value: Any) -> Condition:
    if isinstance(column, CategoryColumn):
        text = _text(value)
        places = tuple(i for i, cell in enumerate(column.cells) if _text(cell) == text)
        if not places:
            places = tuple(i for i, state in enumerate(column.states) if state == text)
        if not places:
            known = listed([repr(cell) for cell in column.cells], 10, last="or")
            raise ValueError(f"where: {column.name!r} is never {value!r}: it is {known}")
        return Condition(column, places)
    if isinstance(column, IdentifierColumn):
        raise ValueError(
            f"where: {column.name!r} is an identifier, which conditions cannot choose: leave out "
            "this condition"
        )
    if not isinstance(column, NumberColumn | DateColumn):
        raise ValueError(
            f"where: {column.name!r} does not hold categories, numbers or dates: leave out this "
            "condition"
        )
    ends = tuple(value) if isinstance(value, tuple | list) else (value, value)
    if len(ends) != 2:
        raise ValueError(f"where: {column.name!r} takes a value or a pair (low, high)")
    low, high = (_number(column, end) for end in ends)
    own = column.number if isinstance(column, NumberColumn) else column.seconds
    if isinstance(column, DateColumn) and not isinstance(value, tuple | list):
        high = low + (86_399 if low % 86_400 == 0 else 0)
    if low > high:
        raise ValueError(f"where: {column.name!r}: {ends[0]} is above {ends[1]}: swap the two")
    if high < own.values[0] or low > own.values[-1]:
        raise ValueError(
            f"where: {column.name!r} has no values from {ends[0]} to {ends[1]}: they are from "
            f"{_shown(column, own.values[0])} to {_shown(column, own.values[-1])}"
        )
    return Condition(column, (), low, high)


def _number(column: NumberColumn | DateColumn, value: Any) -> float:
    try:
        if isinstance(column, DateColumn):
            stamp = pd.Timestamp(value)
            if pd.isna(stamp):
                raise ValueError
            return float((stamp.tz_localize(None) - pd.Timestamp(0)).total_seconds())
        number = float(value)
        if math.isnan(number):
            raise ValueError
        return number
    except (TypeError, ValueError):
        kind = "a date" if isinstance(column, DateColumn) else "a number"
        raise ValueError(f"where: {column.name!r} takes {kind}, got {value!r}") from None


def _shown(column: NumberColumn | DateColumn, value: float) -> str:
    if isinstance(column, DateColumn):
        return str(np.datetime64(int(value), "s").astype("datetime64[D]"))
    return f"{value:g}"


def _text(value: Any) -> str:
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return str(value)
