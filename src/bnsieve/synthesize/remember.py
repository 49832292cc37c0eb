"""From the plan of a table and some of its rows to a `TableRecord`."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from bnsieve.synthesize.dates import (
    DAY,
    clock_of,
    days_of_month,
    pattern_of,
    seconds_of,
    without_zone,
    zones_of,
)
from bnsieve.synthesize.identifiers import identifier_column
from bnsieve.synthesize.known_codes import States
from bnsieve.synthesize.missing_cells import Variable, missing_cells
from bnsieve.synthesize.numbers import following, limits_in, number_text, number_values
from bnsieve.synthesize.records import (
    CategoryColumn,
    ColumnRecord,
    DateColumn,
    Following,
    LeftOutColumn,
    NumberColumn,
    NumberText,
    NumberValues,
    Spelling,
    TableRecord,
)
from bnsieve.table import Column, Floats
from bnsieve.table.prepare import (
    SECONDS,
    ColumnPlan,
    DatePart,
    Elapsed,
    Numbers,
    Output,
    Preparation,
    choose_form,
    labelled,
    numbers_of,
    quantity_of,
    times_of,
    with_times,
)

# Rows and numeric columns in which functions are looked for.
_ROWS, _MOST_NUMBERS = 2_000, 400
_LIKELY = 0.85
# Rows in which two dates are known, at least, to say that they are always as far apart.
_FEWEST = 20


def read_names(plan: Preparation) -> list[str]:
    """Return the columns whose cells are needed for the record."""
    return [one.name for one in plan.columns if one.role not in ("text", "dropped")]


def state_text(value: Any) -> str:
    """Return a state as text, independent of its stored type."""
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return str(value)


def record_table(
    plan: Preparation,
    cells: Mapping[str, Column],
    stored: Mapping[str, str],
    spelling: Spelling | None = None,
) -> TableRecord:
    """Return the record of a table.

    Parameters
    ----------
    plan : Preparation
    cells : mapping of str to Column
        Some rows of the columns that `read_names` returns, with missing values.
    stored : mapping of str to str
        The stored types of columns, if known.
    spelling : Spelling, optional
    """
    reading = _Reading(plan, dict(cells), stored)
    columns = tuple(map(reading.column, plan.columns))
    missing = missing_cells(reading.missing, reading.variables)
    n_rows = next((one.n_rows for one in cells.values()), 0)
    return TableRecord(columns, reading.number_values, missing, n_rows, spelling or Spelling())


class _Reading:
    """Some rows of a table, read as the plan says, each variable once."""

    def __init__(
        self, plan: Preparation, cells: dict[str, Column], stored: Mapping[str, str]
    ) -> None:
        self.plan = plan
        self.raw = cells
        self.stored = stored
        self.missing = {name: one.missing for name, one in cells.items()}
        self.n_rows = next((one.n_rows for one in cells.values()), 0)
        self.times = self._times()
        self.cells = with_times(plan.columns, cells)
        self.numbers: dict[str, Floats] = {}
        self.number_values: dict[str, NumberValues] = {}
        for column in plan.columns:
            for output in column.outputs:
                if output.bin_edges is not None:
                    numbers = quantity_of(output.reading, column.name, self.cells)
                    self.numbers[output.name] = numbers
                    self.number_values[output.name] = number_values(numbers, output.bin_edges)
        self.alike = self._alike()

    def _times(self) -> dict[str, NDArray[np.datetime64]]:
        """Return the times of all columns of dates."""
        found = {}
        for column in self.plan.columns:
            if column.role != "date" or column.name not in self.raw:
                continue
            cells = self.raw[column.name]
            form = self._form(column, cells)
            if cells.kind == "time" or form != "typed":
                found[column.name] = times_of(cells, form)  # type: ignore[arg-type]
        return found

    def _form(self, column: ColumnPlan, cells: Column) -> str:
        for one in self.plan.columns:
            for output in one.outputs:
                if isinstance(output.reading, DatePart | Elapsed) and one is column:
                    return output.reading.form
                if isinstance(output.reading, Elapsed) and output.reading.since == column.name:
                    return output.reading.since_form
        if cells.kind == "text":
            counts = np.ones(len(cells.values), dtype=np.int64)
            return choose_form(cells.values, counts).form
        return "typed"

    def _alike(self) -> dict[str, list[str]]:
        """Return for each number those before it whose ranks are much like its own."""
        names = list(self.numbers)[:_MOST_NUMBERS]
        if len(names) < 2:
            return {}
        ranks = np.stack([_ranks(self.numbers[name][:_ROWS]) for name in names])
        with np.errstate(invalid="ignore", divide="ignore"):
            like = np.abs(np.corrcoef(ranks)) >= _LIKELY
        return {
            name: [other for j, other in enumerate(names[:i]) if like[i, j]]
            for i, name in enumerate(names)
        }

    def column(self, plan: ColumnPlan) -> ColumnRecord:
        """Return the record of one column."""
        name, role = plan.name, plan.role
        if role == "dropped":
            return LeftOutColumn(name, "it was not read, as asked")
        if role == "text":
            return LeftOutColumn(name, "free text is not made up")
        cells, stored = self.raw[name], self.stored.get(name, "")
        stored = stored or _stored_as(cells)
        if cells.kind == "other":
            return LeftOutColumn(name, f"its cells are {cells.type_name or 'of no simple type'}")
        if role == "date" and name in self.times:
            return self._date(plan, stored)
        if role == "identifier" and cells.kind != "time":
            n_categories = max(1, plan.n_categories)
            all_rows = cells.n_rows >= self.plan.n_rows
            each = plan.n_known / n_categories
            return identifier_column(name, stored, cells, each, self.categories, all_rows=all_rows)
        if role == "quantity":
            return self._number(plan, stored)
        return self._category(plan, stored)

    @cached_property
    def categories(self) -> list[States]:
        """The states of all columns of categories."""
        roles = {column.name: column.role for column in self.plan.columns}
        return [
            States(one.column, one.states, np.where(self.missing[one.column], -1, one.codes))
            for one in self.variables
            if one.name and roles[one.column] in ("category", "code")
        ]

    def _category(self, plan: ColumnPlan, stored: str) -> CategoryColumn:
        cells, output = self.raw[plan.name], next(iter(plan.outputs), None)
        known = ~cells.missing
        places, values = pd.factorize(cells.values)
        of_row = places[cells.places[known]]
        states: NDArray[Any] = np.array([state_text(_plain(value)) for value in values], object)
        if output is not None:
            made = labelled(output, plan.name, self.cells)
            own = np.array([state_text(_plain(value)) for value in made.values], dtype=object)
            first = np.zeros(len(values), dtype=np.int64)
            first[of_row] = made.places[known]
            states = np.where(first >= 0, own[first], "") if len(own) else states
        counts = np.bincount(of_row, minlength=len(values)).astype(np.int64)
        there = np.flatnonzero((counts > 0) & (states != ""))
        if not cells.is_ordered:
            there = there[np.argsort([str(values[i]) for i in there], kind="stable")]
        own_states = tuple(str(states[i]) for i in there)
        own_cells = tuple(_plain(values[i]) for i in there)
        # The name of a group may be no cell of the table.
        groups = sorted({*own_states} - {state_text(cell) for cell in own_cells})
        if (
            output is None
            or output.groups is None
            or not all(isinstance(c, str) for c in own_cells)
        ):
            groups = []
        return CategoryColumn(
            plan.name,
            stored,
            "" if output is None else output.name,
            (*own_states, *groups),
            (*own_cells, *groups),
            np.append(counts[there], np.zeros(len(groups), dtype=np.int64)),
        )

    def _number(self, plan: ColumnPlan, stored: str) -> NumberColumn:
        cells, output = self.raw[plan.name], next(iter(plan.outputs), None)
        reading = output.reading if output is not None else Numbers()
        style: NumberText | None = None
        if cells.kind == "text":
            form = reading if isinstance(reading, Numbers) else Numbers()
            comma = form.style in ("comma", "thousands-comma")
            counts = np.bincount(cells.places[~cells.missing], minlength=len(cells.values))
            counts = counts.astype(np.int64)
            style = number_text(cells.values.tolist(), counts, comma)
            if output is not None:
                numbers = quantity_of(reading, plan.name, self.cells)
                number = self.number_values.get(output.name)
                if number is not None and not number.exact:
                    numbers = number.on_grid(numbers)
                style = replace(style, limits=_limits(cells, counts, numbers))
        if output is not None and output.name in self.numbers:
            number = self.number_values[output.name]
            follows = self._follows(output.name, number.step)
            return NumberColumn(plan.name, stored, output.name, number, style, follows)
        if output is not None:
            numbers = quantity_of(reading, plan.name, self.cells)
            return NumberColumn(plan.name, stored, output.name, number_values(numbers), style, None)
        numbers = (
            numbers_of(cells, Numbers())
            if cells.kind in ("number", "text", "empty")
            else np.full(cells.n_rows, np.nan)
        )
        number = number_values(numbers)
        follows = following(numbers, self.numbers, number.step, exactly=False)
        return NumberColumn(plan.name, stored, "", number, style, follows)

    def _follows(self, name: str, step: float) -> Following | None:
        others = {one: self.numbers[one] for one in self.alike.get(name, ())}
        return following(self.numbers[name], others, step, exactly=True) if others else None

    def _date(self, plan: ColumnPlan, stored: str) -> DateColumn:
        name, times, cells = plan.name, self.times[plan.name], self.raw[plan.name]
        parts: dict[str, str] = {
            output.reading.part: output.name
            for output in plan.outputs
            if isinstance(output.reading, DatePart)
        }
        links = [output for output in plan.outputs if isinstance(output.reading, Elapsed)]
        since, elapsed, unit, precision = "", "", 1, "second"
        for output in links:
            assert isinstance(output.reading, Elapsed)
            since, elapsed = output.reading.since, output.name
            unit, precision = SECONDS[output.reading.unit], output.reading.precision
        pattern, zones = "", tuple[tuple[str, tuple[int, ...]], ...]()
        if cells.kind == "text":
            known = np.flatnonzero(~cells.missing)
            _, first = np.unique(cells.places[known], return_index=True)
            some = known[np.sort(first)][:_ROWS]
            texts = [str(cells.values[cells.places[row]]) for row in some.tolist()]
            zones = zones_of(texts, times[some])
            if zones:
                texts = [without_zone(text) for text in texts]
            pattern = pattern_of(texts, times[some])
        seconds = number_values(seconds_of(times))
        follows = None
        is_linked = since or any(
            isinstance(output.reading, Elapsed) and output.reading.since == name
            for output in self.plan.outputs
        )
        if not is_linked:
            follows = self._same_date(name)
            if follows is None and not parts:
                follows = self._date_follows(name)
        return DateColumn(
            name, stored, self._form(plan, cells), pattern, seconds, parts,
            days_of_month(times), clock_of(times), since, elapsed, unit, follows, precision,
            zones,
        )  # fmt: skip

    def _same_date(self, name: str) -> Following | None:
        """Return how a date follows from one before it that is always as far from it."""
        own = seconds_of(self.times[name])
        for other, times in self.times.items():
            if other == name:
                return None
            between = seconds_of(times) - own
            known = between[~np.isnan(between)]
            if 2 * len(known) >= max(_FEWEST, (~np.isnan(own)).sum()) and not np.ptp(known):
                return Following("", np.zeros(1), known[:1], np.zeros(0), other)
        return None

    def _date_follows(self, name: str) -> Following | None:
        """Return how a date, or the time to another one, follows from a number, such as an age."""
        own = seconds_of(self.times[name])
        between = {
            other: seconds_of(times) - own for other, times in self.times.items() if other != name
        }
        for other, passed in between.items():
            found = following(passed, self.numbers, DAY, exactly=False, since=other)
            if found is not None:
                return found
        found = following(own, self.numbers, DAY, exactly=False)
        if found is not None:
            return found
        spreads = {other: _spread(passed) for other, passed in between.items()}
        nearest = min(spreads, key=lambda other: spreads[other], default="")
        if not nearest or not spreads[nearest] < _spread(own):
            return None
        known = between[nearest][~np.isnan(between[nearest])]
        remainders = np.quantile(known, np.linspace(0, 1, 101))
        return Following("", np.zeros(1), np.zeros(1), remainders, nearest)

    @cached_property
    def variables(self) -> list[Variable]:
        """Return the states of all columns on which missing values may depend."""
        found = []
        for column in self.plan.columns:
            if column.name not in self.raw:
                continue
            if not column.outputs or self.missing[column.name].any():
                codes = np.zeros(self.n_rows, dtype=np.int64)
                found.append(Variable(column.name, "", ("",), codes))
            found += [self._variable(column, output) for output in column.outputs]
        return found

    def _variable(self, column: ColumnPlan, output: Output) -> Variable:
        made = labelled(output, column.name, self.cells)
        states = tuple(state_text(_plain(value)) for value in made.values)
        return Variable(column.name, output.name, states, np.asarray(made.places, dtype=np.int64))


def _ranks(values: Floats) -> Floats:
    """Return ranks, the middle one where a number is missing."""
    is_known = ~np.isnan(values)
    ranks = np.full(len(values), (is_known.sum() + 1) / 2)
    ranks[is_known] = rankdata(values[is_known])
    return ranks


def _limits(
    cells: Column, counts: NDArray[np.int64], numbers: Floats
) -> tuple[tuple[float, str], ...]:
    """Return the numbers of a column of text that most cells give as a limit."""
    of_text = np.full(len(cells.values), np.nan)
    of_text[cells.places[~cells.missing]] = numbers[~cells.missing]
    return limits_in(list(map(str, cells.values.tolist())), counts, of_text)


def _spread(values: Floats) -> float:
    """Return the distance between the quartiles of numbers; infinite of none."""
    known = values[~np.isnan(values)]
    return float(np.subtract(*np.quantile(known, [0.75, 0.25]))) if len(known) else np.inf


def _plain(value: Any) -> Any:
    """Return a cell as a plain value, as text if it is of another type."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, bool | int | float | str) else str(value)


def _stored_as(cells: Column) -> str:
    """Return a type for cells of which none is known."""
    if cells.kind == "number":
        kind = cells.values.dtype.kind
        if kind == "f":
            return "float64"
        return "Int64" if cells.missing.any() else "int64"
    if cells.kind == "boolean":
        return "boolean" if cells.missing.any() else "bool"
    return "datetime64[ns]" if cells.kind == "time" else "object"
