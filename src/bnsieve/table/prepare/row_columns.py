"""Columns as `bnsieve.table.find_dependence` compares rows in them, by the roles that they have.

In: some consecutive rows of a column, and its plan. Out: a `RowColumn`. Columns that are left out
tell of entities and times as well.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.table import Column, Floats, RowColumn
from bnsieve.table.prepare.parsing import choose_form
from bnsieve.table.prepare.plan import ColumnPlan, Role
from bnsieve.table.prepare.reading import numbers_of, times_of
from bnsieve.table.prepare.readings import DatePart, Elapsed, Numbers

_NOT_COMPARED: tuple[Role, ...] = ("date", "identifier", "text", "dropped")
# Of a column without a plan: numbers of more different values are no categories.
_FEW_NUMBERS = 20


def row_column(name: str, cells: Column, plan: ColumnPlan | None) -> RowColumn | None:
    """Return some rows of a column; None if nothing can be compared in it.

    Parameters
    ----------
    name : str
    cells : Column
        Cells that mean a missing value are missing.
    plan : ColumnPlan or None
        None: the column holds categories as they are.
    """
    if cells.kind in ("other", "empty") or (plan is not None and plan.role == "empty"):
        return None
    codes = _codes(cells)
    if plan is None:
        values = _values(cells)
        is_number = values is not None and int(codes.max(initial=0)) >= _FEW_NUMBERS
        return RowColumn(name, codes, values, is_number=is_number)
    role = plan.role
    is_date = role == "date"
    values = _dates(cells, plan) if is_date else _values(cells)
    if role == "quantity" and values is None:
        readings = [one.reading for one in plan.outputs if isinstance(one.reading, Numbers)]
        values = numbers_of(cells, readings[0] if readings else Numbers())
    left_out = role in ("identifier", "text")
    return RowColumn(
        name,
        codes,
        values,
        is_compared=role not in _NOT_COMPARED,
        is_date=is_date,
        is_number=role == "quantity" and values is not None,
        is_scattered=left_out and plan.n_known < 2 * plan.n_categories,
    )


def _codes(cells: Column) -> NDArray[np.int64]:
    """Return codes of the different cells."""
    places, _ = pd.factorize(cells.values)
    spread = cells.spread(places.astype(np.int64), -1)
    codes, _ = pd.factorize(np.where(spread < 0, np.nan, spread))
    return codes.astype(np.int64)


def _values(cells: Column) -> Floats | None:
    if cells.kind == "number":
        return numbers_of(cells, Numbers())
    return _seconds(times_of(cells, "typed")) if cells.kind == "time" else None


def _dates(cells: Column, plan: ColumnPlan) -> Floats:
    readings = (one.reading for one in plan.outputs)
    forms = [one.form for one in readings if isinstance(one, DatePart | Elapsed)]
    form = forms[0] if forms else "typed"
    if cells.kind == "text" and not forms:
        form = choose_form(cells.values, np.ones(len(cells.values), dtype=np.int64)).form
    return _seconds(times_of(cells, form))


def _seconds(times: NDArray[np.datetime64]) -> Floats:
    seconds = times.astype("datetime64[s]").astype(np.int64).astype(np.float64)
    return np.where(np.isnat(times), np.nan, seconds)
