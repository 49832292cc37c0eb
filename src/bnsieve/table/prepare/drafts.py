"""Drafts of the columns to learn from: parts of dates, bins of numbers, groups of categories.

A `Draft` is an output with its values in some rows. Each step takes all drafts, and returns them
with more decided. A part of a date is used if it varies: at least two of its values are not rare.
Dates over more than thirty years give their year only: the weekday of a birth long ago varies with
nothing.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from bnsieve.table import Column, Discretizer
from bnsieve.table.prepare.facts import ColumnFacts
from bnsieve.table.prepare.grouping import (
    MAX_UNGROUPED,
    AssociationCounts,
    group_categories,
    quantile_bins,
)
from bnsieve.table.prepare.parsing import Times, part_of
from bnsieve.table.prepare.plan import Output
from bnsieve.table.prepare.reading import (
    SECONDS,
    at_precision,
    label_text,
    labelled,
    quantity_of,
    times_of,
)
from bnsieve.table.prepare.readings import (
    DateForm,
    DatePart,
    Elapsed,
    Labels,
    Numbers,
    Part,
    Precision,
    Unit,
)
from bnsieve.table.prepare.roles import InferredRole, quoted
from bnsieve.text import listed

# Other columns that show which categories are alike: more would show the same again.
_OTHERS = 200
# Bins of numbers where a few are enough to see association.
_COARSE = 5
# A value of a part is rare if it has less than so many rows, or one row in so many.
_FEW_ROWS = 5
_ONE_IN = 100
# So many different dates without a time of day have none.
_SURELY_DAYS = 5
_LONG_AGO = np.timedelta64(30 * 365, "D")
# Dates that are far from all others are no more than one in so many.
_FAR_ONE_IN = 100

Dates = Mapping[str, tuple[DateForm, Times]]
"""The columns of dates, and some rows of each."""


@dataclass(frozen=True, eq=False)
class Draft:
    """An output, and its values in some rows.

    Attributes
    ----------
    column : str
        The column of the data that it is made from.
    output : Output
    values : ndarray, shape (n_rows,)
        Codes of categories, int64, -1 where missing; or the float64 numbers of a quantity that is
        to be binned.
    categories : tuple of str or int, or None
        None of a quantity.
    rule : str
        How categories are grouped, in words.
    """

    column: str
    output: Output
    values: NDArray[Any] = field(default_factory=lambda: np.zeros(0))
    categories: tuple[Any, ...] | None = None
    rule: str = ""

    @property
    def codes(self) -> NDArray[np.int64]:
        """A few codes that go with the values, -1 where missing."""
        if self.categories is not None:
            return self.values
        return quantile_bins(self.values, _COARSE)


def draft_outputs(
    roles: Mapping[str, InferredRole],
    cells: Mapping[str, Column],
    bin_edges: Mapping[str, Sequence[float]],
    few: int,
) -> list[Draft]:
    """Draft the outputs of each column.

    Parameters
    ----------
    roles : mapping of str to InferredRole
        Of the columns that are used.
    cells : mapping of str to Column
        Some rows of these.
    bin_edges : mapping of str to sequence of float
        Those that are given.
    few : int
        Parts of dates with no more different values are categories.
    """
    dates = {
        name: (role.form, times_of(cells[name], role.form))
        for name, role in roles.items()
        if role.use == "dates"
    }
    cells = {**cells, **{name: Column("time", times) for name, (_, times) in dates.items()}}
    elapsed = elapsed_between(dates)
    implied = implied_parts(elapsed)
    drafts = []
    for name, role in roles.items():
        if role.use == "categories":
            outputs = [Output(name, Labels(cells[name].as_text))]
        elif role.use == "numbers":
            edges = tuple(map(float, bin_edges[name])) if name in bin_edges else None
            outputs = [Output(name, role.numbers, edges, fixed=edges is not None)]
        else:
            outputs = [
                Output(free_name(f"{name}_{part}", roles), DatePart(role.form, part))
                for part in varying_parts(*dates[name])
                if (name, part) not in implied
            ]
            if name in elapsed:
                since, unit = elapsed[name].since, elapsed[name].unit
                own_name = free_name(f"{name}_minus_{since}_{unit}", roles)
                outputs.append(Output(own_name, elapsed[name]))
        for output in outputs:
            if _is_categorical(output, role, few, name, cells):
                drafts.append(_categorical(name, output, cells))
            else:
                drafts.append(Draft(name, output, quantity_of(output.reading, name, cells)))
    return drafts


def _categorical(name: str, output: Output, cells: Mapping[str, Column], rule: str = "") -> Draft:
    column = labelled(output, name, cells)
    return Draft(name, output, column.places, tuple(column.values.tolist()), rule)


def _is_categorical(
    output: Output, role: InferredRole, few: int, name: str, cells: Mapping[str, Column]
) -> bool:
    reading = output.reading
    if isinstance(reading, DatePart):
        numbers = quantity_of(reading, name, cells)
        n_different = len(np.unique(numbers[~np.isnan(numbers)]))
        return reading.part in ("month", "weekday") or n_different <= few
    if isinstance(reading, Numbers):
        return output.bin_edges is not None or role.role != "quantity"
    return isinstance(reading, Labels)


def far_dates(roles: Mapping[str, InferredRole], cells: Mapping[str, Column]) -> dict[str, str]:
    """Return, for columns in which few dates are far from all others, what to say about them."""
    told = {}
    for name, role in roles.items():
        if role.use == "dates" and role.form != "time":
            times = times_of(cells[name], role.form)
            far = np.unique(times[~np.isnat(times) & ~_are_usual(times)].astype("datetime64[D]"))
            if len(far):
                shown = listed([str(day) for day in far], 3)
                told[name] = f"far from all other dates, and perhaps codes: {shown}"
    return told


def _are_usual(times: Times) -> NDArray[np.bool_]:
    """Tell which dates are known, and not one of few that are far from all others."""
    known = ~np.isnat(times)
    if not known.any():
        return known
    seconds = times.astype("datetime64[s]").astype(np.int64)
    ordered = np.sort(seconds[known])
    few = len(ordered) // _FAR_ONE_IN
    lowest, highest = int(ordered[few]), int(ordered[-1 - few])
    far = max(highest - lowest, int(_LONG_AGO.astype("timedelta64[s]").astype(np.int64)))
    usual: NDArray[np.bool_] = known & (seconds >= lowest - far) & (seconds <= highest + far)
    return usual


def varying_parts(form: DateForm, times: Times) -> list[Part]:
    """Return the parts of a date that vary."""
    known = times[_are_usual(times)]
    if not len(known):
        return []
    days = known.astype("datetime64[D]")
    parts: list[Part] = ["hour"] if form == "time" else ["year"]
    if form != "time" and known.max() - known.min() <= _LONG_AGO:
        parts.append("month")
        if form != "ym" and (days != days.astype("datetime64[M]").astype("datetime64[D]")).any():
            parts.append("weekday")
    if form != "time" and (known != days.astype("datetime64[s]")).any():
        parts.append("hour")
    # Years may be many, each of few rows: they are binned like other numbers.
    enough = max(_FEW_ROWS, len(known) // _ONE_IN)
    counts = {part: np.unique(part_of(known, part), return_counts=True)[1] for part in parts}
    return [part for part in parts if len(known) - int(counts[part].max()) >= enough]


def elapsed_between(dates: Dates) -> dict[str, Elapsed]:
    """Return for columns of dates the time since the date before it.

    Columns of dates are put in order by their middle, so that each is a time after one other.
    """
    elapsed = {}
    for earlier, later in pairwise(in_order(dates)):
        (since_form, before), (form, after) = dates[earlier], dates[later]
        precision = _coarser(dates[earlier], dates[later])
        before, after = at_precision(before, precision), at_precision(after, precision)
        passed = (after - before)[~np.isnat(after - before)]
        seconds = passed.astype("timedelta64[s]").astype(np.int64)
        if not len(seconds):
            continue
        # The largest unit of which a middling time has two; days where all are whole ones.
        middle = float(np.median(np.abs(seconds)))
        units = (unit for unit, length in SECONDS.items() if middle >= 2 * length)
        unit: Unit = next(units, "seconds")
        if not (seconds % SECONDS["days"]).any() and unit != "years":
            unit = "days"
        if len(np.unique(seconds // SECONDS[unit])) > 1:
            elapsed[later] = Elapsed(form, earlier, since_form, unit, precision)
    return elapsed


def _coarser(one: tuple[DateForm, Times], other: tuple[DateForm, Times]) -> Precision:
    """Return the precision of the coarser of two columns of dates.

    The hours between a date with a time of day and one without would be those of the first.
    """
    precisions = {_precision(*one), _precision(*other)}
    if len(precisions) == 1:
        return "second"
    return "month" if "month" in precisions else "day"


def _precision(form: DateForm, times: Times) -> Precision:
    if form == "ym":
        return "month"
    known = np.unique(times[~np.isnat(times)])
    has_clock = (known != known.astype("datetime64[D]")).any()
    # A few moments may be at midnight by chance.
    return "second" if has_clock or len(known) < _SURELY_DAYS else "day"


def in_order(dates: Dates) -> list[str]:
    """Return the columns of dates, the earliest first."""
    middles = {}
    for name, (form, times) in dates.items():
        known = times[~np.isnat(times)].astype(np.int64)
        if form != "time" and len(known):
            middles[name] = float(np.median(known))
    return sorted(middles, key=lambda name: (middles[name], name))


def implied_parts(elapsed: Mapping[str, Elapsed]) -> set[tuple[str, Part]]:
    """Return the parts of dates that follow from other outputs.

    The calendar of a date follows from that of another and the days between them; the year of a
    date from the year of another and the years between them. Edges among these would say nothing.
    """
    implied: set[tuple[str, Part]] = set()
    for later, reading in elapsed.items():
        if reading.unit == "years":
            implied.add((reading.since, "year"))
            continue
        implied |= {(later, "year"), (later, "month"), (later, "weekday")}
        if reading.unit != "days":
            implied.add((later, "hour"))
    return implied


def free_name(name: str, taken: Collection[str]) -> str:
    """Return a name that is not taken, as much like another as can be."""
    while name in taken:
        name += "_"
    return name


def bin_drafts(drafts: Sequence[Draft], discretizer: Discretizer) -> list[Draft]:
    """Bin the numbers where it tells most about the other columns.

    Those whose numbers have no bin edge that parts them are not among what is returned.
    """
    if all(draft.categories is not None for draft in drafts):
        return list(drafts)
    columns = {
        draft.output.name: draft.values
        if draft.categories is None
        else pd.Categorical.from_codes(
            draft.values, pd.Index(list(map(str, draft.categories)), dtype=object)
        )
        for draft in drafts
    }
    # Which whole numbers are categories is decided already.
    fitted = clone(discretizer).set_params(max_categories=1).fit(pd.DataFrame(columns))
    found = []
    for draft in drafts:
        edges = tuple(map(float, fitted.bin_edges_.get(draft.output.name, ())))
        if draft.categories is not None:
            found.append(draft)
        elif edges:
            found.append(replace(draft, output=replace(draft.output, bin_edges=edges)))
    return found


def fold_spellings(
    drafts: Sequence[Draft], groups: Mapping[str, dict[str, str]], cells: Mapping[str, Column]
) -> list[Draft]:
    """Make one category of spellings of it, in some columns.

    Parameters
    ----------
    drafts : sequence of Draft
    groups : mapping of str to dict
        By column: for each spelling the one that stands for it.
    cells : mapping of str to Column
        Some rows.
    """
    return [
        _categorical(
            draft.column,
            replace(draft.output, groups=groups[draft.column]),
            cells,
            _fold_rule(draft.column, groups[draft.column]),
        )
        if isinstance(draft.output.reading, Labels) and draft.column in groups
        else draft
        for draft in drafts
    ]


def _fold_rule(column: str, groups: Mapping[str, str]) -> str:
    """Return in words how spellings are made one."""
    text, first = next(((a, b) for a, b in groups.items() if a != b), ("", ""))
    some = f", such as {text!r} as {first!r}" if text else ""
    return f"spellings of a category as one{some} (--role {quoted(column)}=category: as they are)"


def group_drafts(
    drafts: Sequence[Draft],
    facts: Mapping[str, ColumnFacts],
    cells: Mapping[str, Column],
    asked: Collection[str],
) -> tuple[list[Draft], dict[str, str]]:
    """Group the categories of columns that have more of them than rows support.

    Parameters
    ----------
    drafts : sequence of Draft
    facts : mapping of str to ColumnFacts
        Of the columns of the data: how often each category occurs in all rows.
    cells : mapping of str to Column
        Some rows of these.
    asked : collection of str
        Columns that are used whatever they look like.

    Returns
    -------
    list of Draft
    dict of str to str
        Columns that are left out after all, and why.
    """
    found, left_out = [], {}
    for draft in drafts:
        column, output, distinct = draft.column, draft.output, facts[draft.column].distinct
        is_many = distinct.n_categories > MAX_UNGROUPED and output.groups is None
        if isinstance(output.reading, Labels) and is_many:
            names = tuple(map(str, draft.categories or ()))
            n_different = facts[draft.column].n_categories if distinct.more else None
            if n_different is None:
                texts = map(label_text, distinct.values.tolist())
                counts = dict(zip(texts, distinct.counts.tolist(), strict=True))
            else:  # the values kept are any; the frequent ones are in the rows drawn
                drawn = np.bincount(draft.values[draft.values >= 0], minlength=len(names))
                counts = {name: n for name, n in zip(names, drawn.tolist(), strict=True) if n}
            others = [other for other in drafts if other.column != column][:_OTHERS]
            values = {other.output.name: other.values for other in others}
            associations = AssociationCounts.of(draft.values, names, values)
            grouping = group_categories(counts, associations, n_different)
            if grouping.how == "left out" and (distinct.more or column not in asked):
                left_out[column] = grouping.rule
                continue
            if grouping.groups:
                output = replace(output, groups=grouping.groups, other=grouping.other)
                draft = _categorical(column, output, cells, grouping.rule)
        found.append(draft)
    return found, left_out
