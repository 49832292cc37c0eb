"""Whether the rows of a table are independent of each other, as every test and score assumes.

In: some consecutive rows as `RowColumn`s. Out: a `RowDependence`, or None if nothing contradicts
independence. Three orders of the rows are looked at: the given one, never across a change of a
column by which the table is sorted or grouped; that of a column of dates; and the rows of one
entity, such as a machine or a patient, where a column is one by its structure or its name.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc

from bnsieve.table.column import Floats
from bnsieve.table.entity_levels import have_own_levels
from bnsieve.table.likeness import Group, Likeness, Scored, in_entities, in_windows, runs
from bnsieve.text import listed, one_line, shortened

# Columns that are compared, and those that may be a time or an entity; more take time only.
_MOST_COMPARED, _MOST_KEYS = 100, 20
# Entities of which a column has to have as many to be one by its name or by equal numbers of rows.
_FEWEST_ENTITIES = 10
# Two rows of one entity at one time: so many would be expected, and of these no more than a tenth
# may be there, where the two columns are a key by design.
_EXPECTED_TWICE, _FEW_TWICE = 20.0, 0.1
# Share of the steps within entities that are the most frequent one, if time goes on regularly.
_REGULAR = 0.8
# Chance of numbers of rows as equal as these, were each row's entity drawn.
_CHANCE = 1e-6
# A group of fewer rows has no order of its own.
_ROWS_OF_GROUP = 5
_SHOWN, _NAME_WIDTH = 4, 30

# Only capitals begin a word inside another: `patientId` is an identifier, and `paid` is none.
_TIME_NAME = re.compile(
    r"(?i:(?:^|[_\s.-])(?:time|date|datetime|timestamp|ts|at|day|week|month|quarter|year|hour|minute"
    r"|second|step|tick|period|wave|visit|round|cycle|epoch|t)(?:$|[_\s.-]))|[a-z](?:Time|Date|At)$"
)
_ENTITY_NAME = re.compile(
    r"(?i:(?:^|[_\s.-])(?:id|uuid|guid|key|nr|no|(?:patient|subject|person|participant|respondent"
    r"|customer|client|user|member|household|machine|device|sensor|unit|vehicle|animal|entity)"
    r"(?:id|nr|no)?)$)|[a-z](?:Id|ID)$"
)

REASON = "CI tests and resampling assume independent rows"
"""Why nothing is confirmed, and edge strengths are withheld."""


@dataclass(frozen=True)
class RowDependence:
    """Rows of a table that are not independent.

    Attributes
    ----------
    kind : {"successive", "entity", "repeated"}
        Whether successive rows are alike, or rows of one entity, or some rows are copies of others.
    columns : dict of str to float
        The columns that show it, each with the correlation of two such rows, the highest first.
    overall : float
        The mean correlation over all columns that were compared.
    n_compared : int
        How many these are.
    time, by : str or None
        The columns that look like the time and the entity of each row.
    n_repeated, n_rows : int
        Of copies: how many rows there are of them, about, and how many in all.
    is_counted_once : bool
        Of copies: whether they were left out.
    n_different : int
        Of copies: in at most so many columns they differ from the other row.
    """

    kind: Literal["successive", "entity", "repeated"]
    columns: dict[str, float]
    overall: float
    n_compared: int
    time: str | None = None
    by: str | None = None
    n_repeated: int = 0
    n_rows: int = 0
    is_counted_once: bool = False
    n_different: int = 0

    @classmethod
    def of_repeats(
        cls, n_repeated: int, n_rows: int, *, counted_once: bool = False
    ) -> "RowDependence":
        """Return what it is called that some rows are copies of others."""
        return cls(
            "repeated",
            {},
            1.0,
            0,
            n_repeated=n_repeated,
            n_rows=n_rows,
            is_counted_once=counted_once,
        )

    @classmethod
    def of_near_repeats(
        cls, n_repeated: int, n_rows: int, n_different: int, n_columns: int
    ) -> "RowDependence":
        """Return what it is called that some rows differ from another in hardly any column."""
        return cls(
            "repeated",
            {},
            1.0,
            n_columns,
            n_repeated=n_repeated,
            n_rows=n_rows,
            n_different=n_different,
        )

    @property
    def problem(self) -> str:
        """What was found, as a sentence without a full stop."""
        if self.kind == "repeated":
            about = "" if self.is_counted_once else "about "
            where = "every column"
            if self.n_different:
                columns = f"{self.n_different} of {self.n_compared:,} columns"
                where = f"all but {columns}"
            return (
                f"{about}{self.n_repeated:,} of {self.n_rows:,} rows repeat another row in "
                f"{where}, more than chance would explain in these columns"
            )
        rows = f"rows of the same {self.by}" if self.kind == "entity" else "successive rows"
        names = listed([shortened(one_line(name), _NAME_WIDTH) for name in self.columns], _SHOWN)
        highest = max(self.columns.values(), default=self.overall)
        return (
            f"{rows} depend on each other in {len(self.columns):,} of {self.n_compared:,} columns "
            f"({names}; correlation up to {highest:.2f})"
        )

    @property
    def consequence(self) -> str:
        """What follows for the result, as a sentence without a full stop."""
        begins = (
            f"the other {self.n_rows - self.n_repeated:,} rows are counted"
            if self.is_counted_once
            else "edges may be false"
        )
        return (
            f"{begins}, no direction counts as confirmed, and edge strengths are "
            f"withheld, because {REASON}"
        )

    def advice(self, *, command_line: bool = False) -> str:
        """Return what to do about it, as a sentence without a full stop.

        Parameters
        ----------
        command_line : bool, default False
            Whether the reader gives options, and not parameters.
        """
        if self.kind == "repeated":
            if self.n_different:
                by = "--by" if command_line else "by="
                return (
                    "remove the copies, or name the column whose rows belong together with "
                    f"{by}, and learn again"
                )
            return "remove the copies, such as a file that is among the data twice, and learn again"
        parts = [
            f"--{option} {name if name.isidentifier() else repr(name)}"
            if command_line
            else f"{option}={name!r}"
            for option, name in (("time", self.time), ("by", self.by))
            if name is not None
        ]
        if parts:
            joined = " ".join(parts) if command_line else f"TsetlinSieve({', '.join(parts)})"
            return f"learn again with {joined} if that is what these columns are"
        time, by = ("--time", "--by") if command_line else ("time= of TsetlinSieve", "by=")
        return (
            f"no column looks like the time of a row: add one, such as the number of the row, and "
            f"name it with {time}, and with {by} the column whose rows belong together, if any"
        )


class DependentRowsWarning(UserWarning):
    """The rows of the data are not independent of each other."""


@dataclass(frozen=True, eq=False)
class RowColumn:
    """Some consecutive rows of a column.

    Attributes
    ----------
    name : str
    codes : ndarray of int64, shape (n_rows,)
        Equal cells have equal codes, from 0 on; -1: missing.
    values : ndarray of float64, shape (n_rows,), or None
        Where cells have an order: numbers, times in seconds; NaN: missing.
    is_compared : bool
        Whether rows are compared in it: not in dates, identifiers and text.
    is_date : bool
    is_number : bool
        Whether it is compared by its values.
    is_scattered : bool
        Whether it was left out because most of its cells differ.
    """

    name: str
    codes: NDArray[np.int64]
    values: Floats | None = None
    is_compared: bool = True
    is_date: bool = False
    is_number: bool = False
    is_scattered: bool = False

    @cached_property
    def n_distinct(self) -> int:
        """Number of different cells."""
        return int(self.codes.max(initial=-1)) + 1

    @property
    def has_fractions(self) -> bool:
        """Whether some of its numbers are not whole."""
        values = self.values
        return values is not None and bool((values != np.floor(values))[~np.isnan(values)].any())

    @cached_property
    def time(self) -> Floats | None:
        """The values, if they may be a time: all known, dates or whole numbers."""
        values = self.values
        if values is None or self.n_distinct < 3 or not np.isfinite(values).all():
            return None
        return values if self.is_date or (values == np.floor(values)).all() else None

    @property
    def is_time_by_name(self) -> bool:
        """Whether it holds dates, or its name says that it is a time."""
        return self.is_date or _TIME_NAME.search(self.name) is not None

    def scored(self) -> Scored:
        """Return the cells as numbers to compare."""
        if self.is_number and self.values is not None:
            return Scored.of_numbers(self.values)
        return Scored.of_categories(self.codes)


class _Key(NamedTuple):
    """Columns that may say of what a row is, and when.

    Attributes
    ----------
    by, time : RowColumn
    is_by_size : bool
        Whether nothing but equal numbers of rows says so. Categories of a stratified sample have
        them too.
    """

    by: RowColumn
    time: RowColumn | None
    is_by_size: bool = False


def find_dependence(columns: Sequence[RowColumn], lengths: Sequence[int]) -> RowDependence | None:
    """Look whether rows depend on each other.

    Parameters
    ----------
    columns : sequence of RowColumn
        All columns of the data.
    lengths : sequence of int
        The rows are stretches of consecutive ones, each so long.
    """
    if not columns or not columns[0].codes.size:
        return None
    stretch = np.repeat(np.arange(len(lengths)), lengths)
    ordering, group = _order_of(columns, stretch)
    compared = {
        column.name: scored
        for column in _spread(
            [one for one in columns if one.is_compared and one.n_distinct > 1], _MOST_COMPARED
        )
        if (scored := column.scored()).varies
    }
    named_times = [one for one in columns if one.is_time_by_name and one.time is not None]
    for key in _keys(columns):
        left = _without(compared, [key.by, *([] if key.time is None else [key.time])])
        found = _within(key, left)
        if found is not None:
            time = key.time or next(iter(named_times), None)
            return _record(*found, left, time, key.by)
    left = _without(compared, ordering)
    likeness = in_windows(left, group)
    if likeness.is_found:
        time = next((one for one in ordering if one in named_times), None)
        likeness = likeness.of_neighbours(left, group)
        return _record("successive", likeness, left, time or next(iter(named_times), None), None)
    for time in (one for one in named_times if one.is_date and one not in ordering):
        rows = np.argsort(time.codes if time.time is None else time.time, kind="stable")
        left = _without(compared, [time])
        moved = {name: one.take(rows) for name, one in left.items()}
        group = np.zeros(len(rows), dtype=np.int64)
        likeness = in_windows(moved, group)
        if likeness.is_found:
            return _record("successive", likeness.of_neighbours(moved, group), left, time, None)
    return None


def _record(
    kind: Literal["successive", "entity"],
    likeness: Likeness,
    compared: Mapping[str, Scored],
    time: RowColumn | None,
    by: RowColumn | None,
) -> RowDependence:
    return RowDependence(
        kind,
        dict(likeness.columns),
        likeness.overall,
        len(compared),
        None if time is None else time.name,
        None if by is None else by.name,
    )


def _spread(columns: Sequence[RowColumn], most: int) -> list[RowColumn]:
    """Return no more than some columns, from all over the table."""
    if len(columns) <= most:
        return list(columns)
    return [columns[i * len(columns) // most] for i in range(most)]


def _without(compared: Mapping[str, Scored], gone: Sequence[RowColumn]) -> dict[str, Scored]:
    names = {column.name for column in gone}
    return {name: one for name, one in compared.items() if name not in names}


def _within(
    key: _Key, compared: Mapping[str, Scored]
) -> tuple[Literal["successive", "entity"], Likeness] | None:
    """Compare the rows of one entity: all of them, and if the time is known successive ones."""
    likeness = in_entities(compared, key.by.codes)
    if likeness.is_found and key.is_by_size and not have_own_levels(compared, key.by.codes):
        return None
    if likeness.is_found:
        return "entity", likeness
    if key.time is None or key.time.time is None:
        return None
    rows = np.lexsort((key.time.time, key.by.codes))
    moved = {name: one.take(rows) for name, one in compared.items()}
    group = runs(key.by.codes[rows])
    likeness = in_windows(moved, group)
    return ("successive", likeness.of_neighbours(moved, group)) if likeness.is_found else None


def _keys(columns: Sequence[RowColumn]) -> Iterator[_Key]:
    """Return the columns that may be entities, those with a time first."""
    n_rows = len(columns[0].codes)
    entities = [
        one
        for one in columns
        if 2 <= one.n_distinct < n_rows and not one.is_date and not one.has_fractions
    ]
    times = [one for one in columns if one.time is not None and one.n_distinct < n_rows]
    entities.sort(key=lambda one: -one.n_distinct)
    times.sort(key=lambda one: (not one.is_time_by_name, -one.n_distinct))
    found = [
        _Key(by, time)
        for time in times[:_MOST_KEYS]
        for by in entities[:_MOST_KEYS]
        if by is not time and not by.is_time_by_name and _is_key(by, time)
    ]
    # Of two whole numbers either may be the time: a name decides.
    yield from sorted(found, key=lambda key: key.time is None or not key.time.is_time_by_name)
    for by in entities[:_MOST_KEYS]:
        is_large = by.n_distinct >= _FEWEST_ENTITIES
        if by.is_scattered or (is_large and _ENTITY_NAME.search(by.name) is not None):
            yield _Key(by, None)
        elif is_large and _has_equal_shares(by):
            yield _Key(by, None, is_by_size=True)


def _is_key(by: RowColumn, time: RowColumn) -> bool:
    """Tell whether an entity has no two rows of one time, though chance would make many of them."""
    values = time.time
    n_rows = len(by.codes)
    if values is None or by.n_distinct * time.n_distinct < n_rows:
        return False
    known = by.codes >= 0
    pairs = by.codes[known] * np.int64(time.n_distinct) + time.codes[known]
    n_twice = _n_pairs(np.unique(pairs, return_counts=True)[1])
    share = _n_pairs(np.bincount(time.codes)) / max(1.0, _n_pairs(np.array([n_rows])))
    expected = _n_pairs(np.bincount(by.codes[known])) * share
    if expected >= _EXPECTED_TWICE:
        return n_twice <= _FEW_TWICE * expected
    if n_twice or not time.is_time_by_name:
        return False
    rows = np.lexsort((values[known], by.codes[known]))
    steps = np.diff(values[known][rows])[np.diff(by.codes[known][rows]) == 0]
    if len(steps) < max(30, n_rows // 2):
        return False
    return float(np.unique(steps, return_counts=True)[1].max()) >= _REGULAR * len(steps)


def _n_pairs(counts: NDArray[np.int64]) -> float:
    return float((counts * (counts - 1.0)).sum() / 2)


def _has_equal_shares(by: RowColumn) -> bool:
    """Tell whether entities have numbers of rows so equal that a design must have made them.

    Groups that have more rows than there are groups are rather the categories of a factor.
    """
    counts = np.bincount(by.codes[by.codes >= 0])
    mean = float(counts.mean())
    if mean < 2 or mean > len(counts):
        return False
    spread = float(((counts - mean) ** 2).sum() / mean)
    return bool(gammainc((len(counts) - 1) / 2, spread / 2) < _CHANCE)


def _order_of(columns: Sequence[RowColumn], stretch: Group) -> tuple[list[RowColumn], Group]:
    """Return the columns by which rows are sorted or grouped, from the outermost in.

    Returns
    -------
    list of RowColumn
    ndarray of int64
        The group of each row: between two changes of these columns.
    """
    group, n_rows = stretch.astype(np.int64), len(stretch)
    found: list[RowColumn] = []
    left = [column for column in columns if column.n_distinct > 1]
    while (int(group[-1]) + 1) * _ROWS_OF_GROUP <= n_rows:
        best: tuple[int, RowColumn] | None = None
        together = group[1:] == group[:-1]
        for column in left:
            n_steps = int(((column.codes[1:] != column.codes[:-1]) & together).sum())
            if n_steps and (best is None or n_steps < best[0]) and _orders(column, group, together):
                best = n_steps, column
        if best is None:
            break
        n_steps, column = best
        found.append(column)
        left.remove(column)
        if 2 * n_steps >= n_rows:  # hardly two rows are equal in it: no other can sort within it
            break
        changes = (column.codes[1:] != column.codes[:-1]) | ~together
        group = np.concatenate([[0], np.cumsum(changes)])
    return found, group


def _orders(column: RowColumn, group: Group, together: NDArray[np.bool_]) -> bool:
    """Tell whether a column never turns back within groups, or each of its cells has one run."""
    if column.values is not None and np.isfinite(column.values).all():
        before, after = column.values[:-1][together], column.values[1:][together]
        if not ((after > before).any() and (after < before).any()):
            return True
    n_changes = int(((column.codes[1:] != column.codes[:-1]) | ~together).sum())
    if 2 * n_changes >= len(group):
        return False
    cells = group * np.int64(column.n_distinct + 1) + column.codes
    return n_changes + 1 == len(np.unique(cells))
