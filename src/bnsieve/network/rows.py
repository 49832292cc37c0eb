"""Rows of a frame as a network takes them: states, and numbers in their units.

In: a frame, a Table, or rows as the learner was given them. Out: a `Table` of states; columns of
values and codes. What is not a number where one is wanted is refused with column, value and cure.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.network.discrete.evidence import state_positions
from bnsieve.table import Table, named_columns, parse_lagged_name, whole_numbers
from bnsieve.table.prepare import Preparation

# As for tables of states: a column of fractions that holds no more whole numbers than these is
# categorical, as integers become where a value is missing.
_MOST_WHOLE = 20

MISSING_STATE = "(missing)"

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
        """Return the state of a number or of a grouped category; any other value as it is.

        An earlier value of a variable, such as ``load@t-1``, has the bins and groups of the
        variable.
        """
        if self.plan is None:
            return value
        is_output = any(output.name == name for output in self.plan.outputs)
        return self.plan.category_of(name if is_output else parse_lagged_name(name).variable, value)

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
        wanted = {*states, *inputs}.difference([ignored])
        made = select_columns(data, wanted, with_values=True)
        numbers: Mapping[str, NDArray[np.float64]] = {}
        if self.plan is not None:
            others = [name for name in states if name != ignored]
            if others and wanted.isdisjoint(column_names(data)):
                raise ValueError(
                    f"the data has none of the columns of the network, such as {others[0]!r}."
                )
            ready = [
                name
                for name in (made if isinstance(made, pd.DataFrame) else ())
                if name not in inputs or _holds_states(made[name], states.get(name, ()))
            ]
            frame, rest = made, select_columns(made, {*column_names(made)}.difference(ready))
            plan = self.plan.among(column_names(rest))
            made, numbers = plan.apply(rest), plan.numbers(rest)
            if ready:
                made = pd.concat([made, frame[ready]], axis=1)
            made = select_columns(made, states, with_values=True)
        if not column_names(made):
            return None
        table = Table.from_data(made).with_numbers(numbers)
        return missing_as_state(table) if self.missing_as_state else table


def missing_as_state(table: Table) -> Table:
    """Return the table in which a missing value is the state "(missing)"."""
    states = list(table.categories)
    for variable in table.missing:
        if MISSING_STATE in states[variable]:
            raise ValueError(
                f"column {table.names[variable]!r} has missing values and the category "
                f"{MISSING_STATE!r}: rename that category, or fill the values in"
            )
        states[variable] = (*states[variable], MISSING_STATE)
    codes, _ = table.missing_as_category()
    return replace(table, codes=codes, categories=tuple(states), missing={})


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
        chosen = data.iloc[:, places]
        chosen.columns = [str(name) for name in chosen.columns]
        return chosen
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


def read_columns(data: Any, states: States) -> dict[str, NDArray[Any]]:
    """Return values of numeric columns, NaN where missing, then codes of states, -1 where missing.

    Parameters
    ----------
    data : DataFrame, Arrow table, array or Table
    states : mapping from str to states
        Of the categorical columns; all others are numeric.
    """
    names = column_names(data)
    columns: dict[str, NDArray[Any]] = {}
    columns |= number_values(data, [name for name in names if name not in states])
    if categorical := [name for name in names if name in states]:
        columns |= state_codes(Table.from_data(select_columns(data, categorical)), states)
    return columns


def state_codes(table: Table, states: States) -> dict[str, NDArray[np.intp]]:
    """Return the position of each state among `states`, -1 where missing, of each variable."""
    return {name: codes_in(table, name, states[name]).astype(np.intp) for name in table.names}


def codes_in(table: Table, name: str, states: Sequence[Hashable]) -> NDArray[np.int32]:
    """Return the position of each row's state among `states`; -1 where missing.

    Raises
    ------
    ValueError
        If the column has another state; the message names the nearest one.
    """
    column = table.names.index(name)
    places = state_positions(name, table.categories[column], states)
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


def number_values(data: Any, names: Collection[str]) -> dict[str, NDArray[np.float64]]:
    """Return the values of numeric columns of a frame or Table, NaN where missing.

    Raises
    ------
    TypeError
        If such a column does not hold numbers.
    ValueError
        If a number is infinite.
    """
    if not isinstance(data, Table):
        held, columns, _ = named_columns(data)
        pairs = zip(held, columns, strict=True)
        return {name: _values(name, column) for name, column in pairs if name in names}
    kept = {data.names[v]: values for v, values in data.numbers.items()}
    for name in set(names).intersection(data.names).difference(kept):
        raise TypeError(
            f"{name!r} is numeric in the network, but this Table has only its bins: pass the frame "
            "that it was made of"
        )
    return {name: kept[name] for name in data.names if name in names}


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
    kind = column.dtype
    if isinstance(column, nw.Series):
        column = column.cast(nw.Float64).to_numpy() if kind.is_numeric() else column.to_pandas()
    series = pd.Series(column).infer_objects()
    if not pd.api.types.is_numeric_dtype(series.dtype):
        raise TypeError(
            f"column {name!r} must hold numbers, but its type is {kind}: convert it, or leave it "
            "categorical"
        )
    values = series.to_numpy(dtype=np.float64, na_value=np.nan)
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise ValueError(
            f"column {name!r} holds {values[row]} in row {row}: replace it by a missing value or "
            "by a number"
        )
    return values
