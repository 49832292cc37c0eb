"""A frame becomes columns: float64 values of numbers, codes of labels.

In: a frame or a Table, and which columns are numbers. Out: `Rows`. What is not a number where one
is wanted is refused with the column, the value and the cure.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.table import Table, named_columns, whole_numbers
from bnsieve.text import listed

# As for tables of labels: a column of fractions that holds no more whole numbers than these is
# one of labels, as integers become where a cell is missing.
_MOST_WHOLE = 20


@dataclass(frozen=True, eq=False)
class Rows:
    """Columns by name.

    Attributes
    ----------
    numbers : mapping from str to ndarray of float64, shape (n_rows,)
        In the units of the data; NaN where missing.
    labels : Table or None
        The other columns; None if there are none.
    n_rows : int
    """

    numbers: Mapping[str, NDArray[np.float64]]
    labels: Table | None
    n_rows: int

    def codes(self, levels: Mapping[str, Sequence[Hashable]]) -> dict[str, NDArray[np.intp]]:
        """Return the position of each label among `levels`; -1 where missing.

        Raises
        ------
        ValueError
            If a label is not among them.
        """
        found: dict[str, NDArray[np.intp]] = {}
        if self.labels is None:
            return found
        for column, name in enumerate(self.labels.names):
            place = {label: i for i, label in enumerate(levels[name])}
            for label in self.labels.levels[column]:
                if label not in place:
                    known = listed(map(repr, levels[name]))
                    raise ValueError(f"{name!r} has no label {label!r}; its labels are {known}.")
            places = np.array([place[one] for one in self.labels.levels[column]], dtype=np.intp)
            codes = places[self.labels.codes[column]]
            if column in self.labels.missing:
                codes[self.labels.missing[column]] = -1
            found[name] = codes
        return found


def number_columns(data: Any) -> tuple[str, ...]:
    """Return the columns that hold numbers rather than labels.

    Those that a Table keeps the numbers of; of a frame, those of a fractional type, unless they
    hold a few whole numbers only.
    """
    if isinstance(data, Table):
        return tuple(data.names[v] for v in _kept(data))
    names, columns, _ = named_columns(data)
    return tuple(name for name, column in zip(names, columns, strict=True) if _is_number(column))


def read_rows(data: Any, numbers: Collection[str]) -> Rows:
    """Read a frame or Table of which some columns are numbers.

    Raises
    ------
    TypeError
        If such a column does not hold numbers.
    ValueError
        If a number is infinite, or there are no rows.
    """
    if isinstance(data, Table):
        return _rows_of_table(data, numbers)
    names, columns, n_rows = named_columns(data)
    if n_rows == 0:
        raise ValueError("the data has no rows: pass at least one row")
    values, others = {}, {}
    for name, column in zip(names, columns, strict=True):
        if name in numbers:
            values[name] = _values(name, column)
        else:
            others[name] = column
    if not others:
        return Rows(values, None, n_rows)
    if isinstance(data, np.ndarray):
        labels = pd.DataFrame(others)
    elif isinstance(data, pd.DataFrame):
        labels = data.loc[:, [str(name) in others for name in data.columns]]
    else:
        labels = nw.from_native(data, eager_only=True).select(list(others)).to_native()
    return Rows(values, Table.from_data(labels), n_rows)


def _kept(table: Table) -> Mapping[int, NDArray[np.float64]]:
    return getattr(table, "numbers", {})


def _rows_of_table(table: Table, numbers: Collection[str]) -> Rows:
    kept = {table.names[v]: values for v, values in _kept(table).items()}
    for name in numbers:
        if name in table.names and name not in kept:
            raise TypeError(
                f"{name!r} is a number in the network, but this Table has only its labels: pass "
                "the frame that it was made of"
            )
    others = [name for name in table.names if name not in numbers]
    return Rows(
        {name: kept[name] for name in table.names if name in numbers},
        table.select(others) if others else None,
        table.n_rows,
    )


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
            "leave it to be labels"
        ) from None
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise ValueError(
            f"column {name!r} holds {values[row]} in row {row}: replace it by a missing cell or "
            "by a number"
        )
    return values
