"""Rows of a frame as a network takes them: states, and numbers in their units.

In: a frame, a Table, or rows as the learner was given them. Out: a `Table` of states; `Rows` of
values and codes. What is not a number where one is wanted is refused with column, value and cure.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.network.discrete.evidence import unknown_state
from bnsieve.table import Table, named_columns, whole_numbers
from bnsieve.table.prepare import Preparation

# As for tables of states: a column of fractions that holds no more whole numbers than these is
# categorical, as integers become where a value is missing.
_MOST_WHOLE = 20

MISSING_LABEL = "(missing)"

States = Mapping[str, Sequence[Hashable]]


@dataclass(frozen=True, eq=False)
class RowReader:
    """Turns later values and rows into the states and numbers that a network was learned from.

    Attributes
    ----------
    plan : Preparation or None
    missing_as_state : bool
        Whether a missing value is a state of its own.
    """

    plan: Preparation | None = None
    missing_as_state: bool = False

    def state_of(self, name: str, value: Any) -> Any:
        """Return the state of a number or of a grouped category; any other value as it is."""
        return value if self.plan is None else self.plan.label_of(name, value)

    def names_made(self, names: Sequence[str]) -> list[str]:
        """Return the variables that columns of the data become."""
        if self.plan is None:
            return list(names)
        made = [output.name for output in self.plan.among(names).outputs]
        ready = {output.name for output in self.plan.outputs}.difference(made)
        return made + [name for name in names if name in ready]

    def table(self, data: Any, states: States, ignored: str | None = None) -> Table | None:
        """Return rows as states, with the numbers beside their bins; None if no column is known.

        Columns may be absent; those without a known value and those that the network does not have
        are left out. Columns of a pandas DataFrame that hold states already are taken as they are.

        Parameters
        ----------
        data : DataFrame, Arrow table, array or Table
        states : mapping from str to states
            Of the network.
        ignored : str, optional
            A column that is not looked at.

        Raises
        ------
        ValueError
            If no column of the data is one that the network was learned from.
        """
        if isinstance(data, Table):
            return data
        inputs = set() if self.plan is None else {column.name for column in self.plan.columns}
        known = {name for name in column_names(data) if name in states or name in inputs}
        known.discard(ignored or "")
        others = [name for name in states if name != ignored]
        if not known and others and self.plan is not None:
            raise ValueError(
                f"the data has no column that the network was learned from, such as {others[0]!r}."
            )
        frame = select_columns(data, known, with_values=True)
        ready: list[str] = []
        if isinstance(frame, pd.DataFrame):
            frame = frame.rename(columns=str)
            ready = [
                name
                for name in map(str, frame)
                if name not in inputs or _holds_states(frame[name], states.get(name, ()))
            ]
        rest = select_columns(frame, {*column_names(frame)}.difference(ready))
        numbers: Mapping[str, NDArray[np.float64]] = {}
        made = rest
        if self.plan is not None:
            plan = self.plan.among(column_names(rest))
            made, numbers = plan.apply(rest), plan.numbers(rest)
        if ready:
            made = pd.concat([made, frame[ready]], axis=1)
        made = select_columns(made, states, with_values=True)
        if not column_names(made):
            return None
        table = Table.from_data(made).with_numbers(numbers)
        if not self.missing_as_state:
            return table
        return replace(label_missing(table), numbers=table.numbers)


def label_missing(table: Table) -> Table:
    """Return the table in which a missing value is the state "(missing)"."""
    states = list(table.categories)
    for variable in table.missing:
        if MISSING_LABEL in states[variable]:
            raise ValueError(
                f"column {table.names[variable]!r} has missing values and the category "
                f"{MISSING_LABEL!r}: rename that category, or fill the values in"
            )
        states[variable] = (*states[variable], MISSING_LABEL)
    codes, _ = table.missing_as_category()
    return Table(codes, table.names, tuple(states), {})


def column_names(data: Any) -> list[str]:
    """Return the names of a frame's columns, as `Table` gives them."""
    return list(data.names) if isinstance(data, Table) else named_columns(data)[0]


def n_rows_of(data: Any) -> int:
    """Return how many rows there are."""
    return data.n_rows if isinstance(data, Table) else named_columns(data)[2]


def select_columns(data: Any, names: Collection[str], *, with_values: bool = False) -> Any:
    """Return the named columns of a frame, as far as it has them.

    Parameters
    ----------
    data : DataFrame, Arrow table, array or Table
    names : collection of str
    with_values : bool
        Whether to leave out columns in which every value is missing.
    """
    if isinstance(data, Table):
        return data.select([name for name in data.names if name in names])
    if isinstance(data, np.ndarray):
        held, columns, _ = named_columns(data)
        data = pd.DataFrame(dict(zip(held, columns, strict=True)))
    if isinstance(data, pd.DataFrame):
        places = [i for i, name in enumerate(data.columns) if str(name) in names]
        if with_values:
            places = [i for i in places if not data.iloc[:, i].isna().all()]
        return data.iloc[:, places]
    frame = nw.from_native(data, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        frame = nw.from_arrow(data, backend="pyarrow")
    held = [name for name in frame.columns if name in names]
    if with_values:
        held = [name for name in held if frame[name].null_count() < len(frame)]
    return frame.select(held).to_native()


def _holds_states(column: "pd.Series[Any]", states: Sequence[Hashable]) -> bool:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return all(category in states for category in column.dtype.categories)
    return column.dtype.kind == "O" and all(value in states for value in column.dropna().unique())


@dataclass(frozen=True, eq=False)
class Rows:
    """Columns by name.

    Attributes
    ----------
    numbers : mapping from str to ndarray of float64, shape (n_rows,)
        In the units of the data; NaN where missing.
    labels : Table or None
        The categorical columns; None if there are none.
    n_rows : int
    """

    numbers: Mapping[str, NDArray[np.float64]]
    labels: Table | None
    n_rows: int

    def codes(self, states: States) -> dict[str, NDArray[np.intp]]:
        """Return the position of each state among `states`; -1 where missing.

        Raises
        ------
        ValueError
            If a state is not among them.
        """
        if self.labels is None:
            return {}
        return {
            name: codes_in(self.labels, name, states[name]).astype(np.intp)
            for name in self.labels.names
        }


def codes_in(table: Table, name: str, states: Sequence[Hashable]) -> NDArray[np.int32]:
    """Return the position of each row's state among `states`; -1 where missing.

    Raises
    ------
    ValueError
        If the column has another state; the message names the nearest one.
    """
    column = table.names.index(name)
    place = {state: i for i, state in enumerate(states)}
    for state in table.categories[column]:
        if state not in place:
            raise unknown_state(name, state, states)
    places = np.array([place[one] for one in table.categories[column]], dtype=np.int32)
    codes: NDArray[np.int32] = places[table.codes[column]]
    if column in table.missing:
        codes[table.missing[column]] = -1
    return codes


def number_columns(data: Any) -> tuple[str, ...]:
    """Return the numeric columns.

    Those that a Table keeps the numbers of; of a frame, those of a fractional type, unless they
    hold a few whole numbers only.
    """
    if isinstance(data, Table):
        return tuple(data.names[v] for v in data.numbers)
    names, columns, _ = named_columns(data)
    return tuple(name for name, column in zip(names, columns, strict=True) if _is_number(column))


def read_rows(data: Any, numbers: Collection[str]) -> Rows:
    """Read a frame or Table of which some columns are numeric.

    Raises
    ------
    TypeError
        If such a column does not hold numbers.
    ValueError
        If a number is infinite, or there are no rows.
    """
    if isinstance(data, Table):
        kept = {data.names[v]: values for v, values in data.numbers.items()}
        for name in numbers:
            if name in data.names and name not in kept:
                raise TypeError(
                    f"{name!r} is numeric in the network, but this Table has only its bins: pass "
                    "the frame that it was made of"
                )
        values = {name: kept[name] for name in data.names if name in numbers}
        n_rows = data.n_rows
    else:
        names, columns, n_rows = named_columns(data)
        if n_rows == 0:
            raise ValueError("the data has no rows: pass at least one row")
        values = {
            name: _values(name, column)
            for name, column in zip(names, columns, strict=True)
            if name in numbers
        }
    others = [name for name in column_names(data) if name not in numbers]
    labels = Table.from_data(select_columns(data, others)) if others else None
    return Rows(values, labels, n_rows)


def _is_number(column: Any) -> bool:
    if isinstance(column, nw.Series):
        return bool(column.dtype.is_float())
    if column.dtype.kind != "f":
        return False
    if not isinstance(column, pd.Series):
        return True
    whole = whole_numbers(column)
    return whole is None or whole.nunique() > _MOST_WHOLE


def _values(name: str, column: Any) -> NDArray[np.float64]:
    """Return a column's values as float64, NaN where missing."""
    try:
        if isinstance(column, nw.Series):
            if not column.dtype.is_numeric():
                raise TypeError
            values = column.cast(nw.Float64).to_numpy().astype(np.float64)
        elif isinstance(column, pd.Series):
            if not pd.api.types.is_numeric_dtype(column.dtype):
                raise TypeError
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            values = np.asarray(column).astype(np.float64)
    except (TypeError, ValueError):
        raise TypeError(
            f"column {name!r} must hold numbers, but its type is {column.dtype}: convert it, or "
            "leave it categorical"
        ) from None
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise ValueError(
            f"column {name!r} holds {values[row]} in row {row}: replace it by a missing value or "
            "by a number"
        )
    return values
