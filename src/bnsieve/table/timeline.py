"""`Timeline`: how the columns of a table over time belong together.

In: the names of the time column and the entity column, and how many past steps count. Out: which
column of a lagged table is which variable at which lag. A variable at time t keeps its name, and
its value one step before is the column ``X@t-1``. Everything that asks for "variable, lag" asks
here.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from typing import Literal, NamedTuple

from bnsieve.text import counted

MAX_LAGS = 100
"""More past steps than these make more columns than anybody can read."""

CalendarPart = Literal["hour", "weekday", "month"]

MOST_CHOSEN = 12
"""The most past steps that the data choose: a year of months, a week of days and more."""

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_LAGGED = re.compile(r"(?P<variable>.+)@t-(?P<lag>[1-9]\d*)", re.DOTALL)


class AtLag(NamedTuple):
    """A variable at a lag: 0 is time t, 1 the step before."""

    variable: str
    lag: int


def lagged_name(variable: str, lag: int) -> str:
    """Return the name of a variable some steps before: ``X@t-1``, and ``X`` for none."""
    return variable if lag == 0 else f"{variable}@t-{lag}"


def parse_lagged_name(name: str) -> AtLag:
    """Return the variable and the lag that a name says; a name without a lag is at time t.

    Examples
    --------
    >>> parse_lagged_name("valve@t-2")
    AtLag(variable='valve', lag=2)
    >>> parse_lagged_name("valve")
    AtLag(variable='valve', lag=0)
    """
    match = _LAGGED.fullmatch(name)
    return AtLag(name, 0) if match is None else AtLag(match["variable"], int(match["lag"]))


def earlier_in_words(name: str) -> str:
    """Return a variable at a lag in words.

    Examples
    --------
    >>> earlier_in_words("valve@t-2")
    'valve two steps earlier'
    """
    variable, lag = parse_lagged_name(name)
    if lag == 0:
        return name
    number = _NUMBERS[lag] if lag < len(_NUMBERS) else f"{lag:,}"
    return f"{variable} {number} {'step' if lag == 1 else 'steps'} earlier"


def is_past(name: str, names: Collection[str]) -> bool:
    """Tell whether a column is a past value of another column."""
    variable, lag = parse_lagged_name(name)
    return lag > 0 and variable in names


def duration(seconds: float) -> str:
    """Return a length of time in words: "10 seconds", "1 hour", "1 month"."""
    for unit, length in _UNITS.items():
        number = seconds / length
        if 0.9 <= number <= _MOST_UNITS and abs(number - round(number)) <= 1e-6 * number:
            return counted(round(number), unit)
    # Months and years differ in length: parts of them are days.
    parts = {unit: length for unit, length in _UNITS.items() if unit not in ("year", "month")}
    unit, length = next(
        ((unit, length) for unit, length in parts.items() if seconds >= length), ("second", 1.0)
    )
    unit, length = ("day", parts["day"]) if unit == "week" else (unit, length)
    return f"{seconds / length:.4g} {unit}s"


# Of a unit: more read better in a larger one.
_MOST_UNITS = 100.0
_UNITS = {
    "year": 365.25 * 86_400.0,
    "month": 365.25 * 86_400.0 / 12,
    "week": 604_800.0,
    "day": 86_400.0,
    "hour": 3_600.0,
    "minute": 60.0,
    "second": 1.0,
    "millisecond": 0.001,
}


@dataclass(frozen=True)
class Steps:
    """The steps that rows have over time.

    Attributes
    ----------
    n_rows : int
        Rows of the data.
    n_unplaced : int
        Rows without a time or an entity, which are left out.
    n_steps : int
        Rows that have a place; after resampling, steps.
    n_used : int
        Those that have all of their past, and are learned from.
    n_entities : int
    n_breaks : int
        Where steps are missing between two rows of one entity.
    length : str or None
        Of a step, in words; None if steps are uneven, so that one row is one step.
    usual : str
        The most frequent time between two rows, in words.
    usual_share : float
        The share of steps about as long.
    remarks : tuple of str
        How the time column was read.
    has_zone : bool
        Whether times had a time zone.
    """

    n_rows: int
    n_unplaced: int
    n_steps: int
    n_used: int
    n_entities: int
    n_breaks: int
    length: str | None
    usual: str
    usual_share: float
    remarks: tuple[str, ...] = ()
    has_zone: bool = False


@dataclass(frozen=True)
class LagChoice:
    """How a number of lags was chosen.

    Attributes
    ----------
    lags : int
    most : int
        Lags from 1 to this many were compared.
    log_likelihoods : tuple of float
        For each number of lags, of a held-out row on average, in nats; empty if there were too few
        rows to compare.
    n_trained, n_tested : int
        Rows that predictions were learned from, and held-out rows.
    """

    lags: int
    most: int
    log_likelihoods: tuple[float, ...] = ()
    n_trained: int = 0
    n_tested: int = 0

    def __str__(self) -> str:
        if not self.log_likelihoods:
            return "1 lag: there are too few rows to compare others"
        compared = f"{counted(self.lags, 'lag')} chosen from 1 to {self.most}"
        held_out = f"{counted(self.n_tested, 'held-out row')}"
        if self.lags == 1:
            return f"{compared}: more do not predict {held_out} better"
        gain = self.log_likelihoods[self.lags - 1] - self.log_likelihoods[0]
        return f"{compared}: they predict {held_out} best, by {gain:.2g} nats a row more than 1 lag"


@dataclass(frozen=True)
class Timeline:
    """How rows belong together: over time, by entity, or both.

    Attributes
    ----------
    time : str or None
        The column that says when a row was recorded; None: rows have no order, and only `by` says
        which of them belong together.
    by : str or None
        The column that says which entity (machine, patient, customer) a row is about; None: all
        rows are about one.
    lags : int
        How many past steps are columns of their own; 0 without `time`. The most there may be, if
        the data shall choose and have not yet.
    every : str or None
        The length of the steps that rows were resampled to, as it was given.
    variables : tuple of str
        The columns to learn from that change over time. Each has a copy per lag.
    static : tuple of str
        Those that are constant within every entity. They enter once, and have no parents.
    calendar : dict of str to str
        Columns made of the time of rows, each with its part of a date ("hour", "weekday", "month").
        They are known of every step, enter once, and have no parents.
    steps : Steps or None
        What was found when rows were put in order; None without `time`.
    has_open_lags : bool
        Whether the data shall choose the number of lags.
    lag_choice : LagChoice or None
        How they did; None if the user did.
    """

    time: str | None = None
    by: str | None = None
    lags: int = 0
    every: str | None = None
    variables: tuple[str, ...] = ()
    static: tuple[str, ...] = ()
    steps: Steps | None = None
    calendar: dict[str, CalendarPart] = field(default_factory=dict)
    has_open_lags: bool = False
    lag_choice: LagChoice | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns of the data that place rows, and are not learned from."""
        return tuple(name for name in (self.by, self.time) if name is not None)

    @property
    def has_lags(self) -> bool:
        """Whether there are lagged columns."""
        return self.lags > 0

    @property
    def names(self) -> tuple[str, ...]:
        """All columns of the lagged table: variables, static ones, the calendar, then the past."""
        return (*self.variables, *self.static, *self.calendar, *self.past)

    @cached_property
    def past(self) -> tuple[str, ...]:
        """The lagged columns, the last step first."""
        return tuple(
            lagged_name(name, lag) for lag in range(1, self.lags + 1) for name in self.variables
        )

    @cached_property
    def _places(self) -> dict[str, AtLag]:
        lags = range(self.lags + 1)
        places = {lagged_name(one, lag): AtLag(one, lag) for one in self.variables for lag in lags}
        return places | {name: AtLag(name, 0) for name in (*self.static, *self.calendar)}

    def place(self, name: str) -> AtLag:
        """Return the variable and the lag of a column of the lagged table.

        Raises
        ------
        KeyError
            If there is no such column; the message names the nearest.
        """
        if name not in self._places:
            near = get_close_matches(name, self._places, n=1)
            meant = f": did you mean {near[0]!r}?" if near else ""
            raise KeyError(f"there is no column {name!r}{meant}")
        return self._places[name]

    def one_step_earlier(self, names: Sequence[str]) -> dict[int, int]:
        """Return of each column the column that holds its variable one step earlier, by places."""
        places = {self.place(name): i for i, name in enumerate(names)}
        return {
            i: places[AtLag(variable, lag + 1)]
            for (variable, lag), i in places.items()
            if (variable, lag + 1) in places
        }

    def with_later_at_t(self, first: str, second: str) -> tuple[str, str]:
        """Return two columns as many steps later as it takes to have one of them at time t.

        Raises
        ------
        ValueError
            If they are further apart than the lags that were learned.
        """
        places = [parse_lagged_name(name) for name in (first, second)]
        changing = [place for place in places if place.variable in self.variables]
        later = min((place.lag for place in changing), default=0)
        apart = max((place.lag for place in changing), default=0) - later
        if apart > self.lags:
            raise ValueError(
                f"{first!r} and {second!r} are {counted(apart, 'step')} apart, and edges were "
                f"learned between values up to {counted(self.lags, 'step')} apart: use effect "
                "for effects over more steps"
            )
        names = zip((first, second), places, strict=True)
        one, other = (
            lagged_name(place.variable, place.lag - later) if place in changing else name
            for name, place in names
        )
        return one, other

    def is_exogenous(self, name: str) -> bool:
        """Tell whether a column has no parents: past, static, or of the calendar."""
        return name in {*self.static, *self.calendar} or self.place(name).lag > 0

    def with_columns(self, columns: Iterable[str], static: Collection[str] = ()) -> "Timeline":
        """Return the same for the columns that are learned from.

        Raises
        ------
        ValueError
            If a column has the name that a lagged one would get.
        """
        names = tuple(name for name in columns if name not in self.keys)
        found = replace(
            self,
            variables=tuple(name for name in names if name not in static),
            static=tuple(name for name in names if name in static),
        )
        taken = set(names).intersection(found.past)
        if taken:
            name = min(taken)
            variable = parse_lagged_name(name).variable
            raise ValueError(
                f"the data have a column {name!r}, which is the name of {variable!r} one or more "
                f"steps before: drop it, or rename it if it means something else"
            )
        return found

    def with_lags(self, choice: LagChoice) -> "Timeline":
        """Return the same with the number of lags that the data chose."""
        return replace(self, lags=choice.lags, has_open_lags=False, lag_choice=choice)

    def require_keys(self, names: Sequence[str], given: str = "the data") -> None:
        """Refuse a time or entity column that is not among the columns of the data.

        Raises
        ------
        ValueError
        """
        for parameter, key in (("time", self.time), ("by", self.by)):
            if key is None or key in names:
                continue
            near = get_close_matches(key, names, n=1)
            if self.variables:
                raise ValueError(
                    f"{given} has no column {key!r}, which was {parameter}= (--{parameter}) of the "
                    "training rows: add it, or rename the column that holds the same"
                )
            options = f"{parameter}= (--{parameter})"
            meant = f"did you mean {near[0]!r}?" if near else f"give {options} one of its columns"
            raise ValueError(f"{given} has no column {key!r}, which {parameter} names: {meant}")

    def added(self, new: "Timeline") -> "Timeline":
        """Return the timeline of these rows and of later ones."""
        if self.steps is None or new.steps is None:
            return self
        names = ("n_rows", "n_unplaced", "n_steps", "n_used", "n_entities", "n_breaks")
        sums = {name: getattr(self.steps, name) + getattr(new.steps, name) for name in names}
        sums["n_entities"] = max(self.steps.n_entities, new.steps.n_entities)
        return replace(self, steps=replace(self.steps, **sums))

    @property
    def copies(self) -> dict[str, str]:
        """The lagged columns, each with its variable."""
        return {name: self._places[name].variable for name in self.past}

    @property
    def is_uneven(self) -> bool:
        """Whether one row is one step, because the times between rows are uneven."""
        return self.steps is not None and self.steps.length is None

    def sentences(self) -> list[str]:
        """Say how rows were put in order, what a step is, and which rows were used."""
        steps = self.steps
        if steps is None:
            return [f"rows of one {self.by} belong together"]
        whose = "" if self.by is None else f" of {counted(steps.n_entities, self.by, 'entities')}"
        if self.by is not None and steps.n_entities != 1:
            whose = f" of {steps.n_entities:,} entities ({self.by})"
        length = "uneven length" if steps.length is None else steps.length
        if length[-1].isdigit():  # of a time column of numbers
            length = f"length {length}"
        resampled = "" if self.every is None else f", resampled from {steps.n_rows:,} rows"
        said = [f"{counted(steps.n_steps, 'step')} of {length}{whose}{resampled}"]
        if steps.length is None:
            said.append(
                f"uneven: {steps.usual_share:.0%} of the times between two rows are about "
                f"{steps.usual}, and others differ. A lag is one row, however much time lies "
                "between; every= (--every) makes steps of one length"
            )
        lost = steps.n_steps - steps.n_used
        past = f"fewer than {counted(self.lags, 'step')} before"
        short = f"1 has {past} it" if lost == 1 else f"{lost:,} have {past} them"
        said.append(f"{steps.n_used:,} used; {short}")
        if self.lag_choice is not None:
            said.append(str(self.lag_choice))
        if steps.n_breaks:
            said.append(
                f"steps are missing in {counted(steps.n_breaks, 'place')}: sequences end there"
            )
        if steps.n_unplaced:
            said.append(f"{counted(steps.n_unplaced, 'row')} without a time or entity left out")
        if self.every is not None:
            said.append("numeric variables: mean of each step; others: last known value")
        if self.static:
            said.append(f"static, constant within each {self.by}: {', '.join(self.static)}")
        if self.calendar:
            said.append(f"from {self.time}, known of every step: {', '.join(self.calendar)}")
        return [*said, *steps.remarks]

    def __str__(self) -> str:
        if self.time is None:
            return f"rows of one {self.by} belong together"
        each = "" if self.by is None else f" of each {self.by}"
        return f"rows{each} in the order of {self.time}, {counted(self.lags, 'lag')}"


def timeline_of(
    time: str | None,
    by: str | None,
    lags: int | Literal["auto"] | None,
    every: str | float | None,
) -> Timeline | None:
    """Return the timeline that the parameters of a learner ask for; None if they ask for none.

    Parameters
    ----------
    time, by : str or None
    lags : int, "auto" or None
        None is one lag if there is a time column; "auto": the data choose.
    every : str, number or None

    Raises
    ------
    ValueError
        If they contradict each other.
    """
    for name, given in (("lags", lags), ("every", every)):
        if time is None and given is not None:
            raise ValueError(
                f"{name}={given!r} needs a time column: pass time= (--time), the name of the "
                "column that says when each row was recorded"
            )
    if time is not None and time == by:
        raise ValueError(
            f"time and by are both {time!r}: time is the column with the time of each row, and "
            "by the column that names its machine, patient or customer"
        )
    if time is None and by is None:
        return None
    n_lags = 0 if time is None else 1 if lags is None else lags
    is_open = n_lags == "auto"
    n_lags = MOST_CHOSEN if n_lags == "auto" else int(n_lags)
    step = None if every is None else str(every)
    return Timeline(time, by, n_lags, step, has_open_lags=is_open)
