"""What a fit remembers of its table, to give rows their shape back.

Frozen records that are saved with a learner. They hold what one column says by itself (its values
and how often, how they are written), how missing values depend on other columns, and functions
between columns. They hold no rows: nothing says which cells stood beside each other.
"""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsieve.table import Floats


@dataclass(frozen=True, eq=False)
class NumberValues:
    """The distribution of a number: quantiles, and the grid that values lie on.

    Attributes
    ----------
    values : ndarray of float64
        Ascending.
    below : ndarray of float64
        The share of rows with no more than each value; ascending to 1.
    exact : bool
        Whether these are all values that occur; else there are others between them.
    step, origin : float
        Values are the origin and multiples of the step; a step of 0 is none.
    decimals : int
        Digits behind the point.
    edges : tuple of float
        Bin edges of the variable.
    """

    values: Floats
    below: Floats
    exact: bool
    step: float
    origin: float
    decimals: int
    edges: tuple[float, ...] = ()

    def quantile(self, shares: Floats) -> Floats:
        """Return the value below which each share of the rows lies."""
        if self.exact:
            places = np.searchsorted(self.below, shares, side="left")
            found: Floats = self.values[np.minimum(places, len(self.values) - 1)]
            return found
        return self.on_grid(np.interp(shares, self.below, self.values))

    def on_grid(self, numbers: Floats) -> Floats:
        """Return the nearest values that are written as those of the table."""
        if self.step <= 0:
            return numbers
        steps = np.round((numbers - self.origin) / self.step)
        return np.round(self.origin + steps * self.step, self.decimals)

    def share_below(self, numbers: Floats) -> Floats:
        """Return the share of rows with less than each number."""
        if self.exact:
            places = np.searchsorted(self.values, numbers, side="left")
            return np.append(0.0, self.below)[places]
        return np.interp(numbers, self.values, self.below, left=0.0, right=1.0)


@dataclass(frozen=True)
class NumberText:
    """How numbers are written in text.

    Attributes
    ----------
    prefix, suffix : str
        Such as a currency or a unit, with blanks.
    decimals : int
        Digits behind the point of every number; -1: as many as it needs.
    comma : bool
        Whether the decimal point is a comma.
    thousands : bool
        Whether thousands are parted, by the other of the two.
    """

    prefix: str = ""
    suffix: str = ""
    decimals: int = -1
    comma: bool = False
    thousands: bool = False


@dataclass(frozen=True, eq=False)
class Following:
    """A number that follows from another one, up to a remainder.

    Attributes
    ----------
    of : str
        The variable, or the numeric column, that it follows from.
    known, implied : ndarray of float64
        Values of that and what they imply; linear between them.
    remainders : ndarray of float64
        Quantiles of what is added; empty if nothing is.
    since : str
        What is implied is the time before the date of this column; nothing: the number itself, or
        the date in seconds since 1970.
    """

    of: str
    known: Floats
    implied: Floats
    remainders: Floats
    since: str = ""


@dataclass(frozen=True, eq=False)
class CategoryColumn:
    """A column of categories; of one, or none, if it is constant or empty.

    Attributes
    ----------
    name, stored : str
        The column, and its type as stored.
    output : str
        The variable; nothing if the column is none.
    states : tuple of str
        For each cell, the state that it belongs to, as text.
    cells : tuple
        The different cells.
    counts : ndarray of int64
        How often each occurs.
    """

    name: str
    stored: str
    output: str
    states: tuple[str, ...]
    cells: tuple[Hashable, ...]
    counts: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """A column of numbers.

    Attributes
    ----------
    name, stored : str
    output : str
        The variable; nothing if the column is none.
    number : NumberValues
    text : NumberText or None
    follows : Following or None
    """

    name: str
    stored: str
    output: str
    number: NumberValues
    text: NumberText | None
    follows: Following | None


@dataclass(frozen=True, eq=False)
class DateColumn:
    """A column of dates.

    Attributes
    ----------
    name, stored : str
    form : str
        How it is read.
    pattern : str
        How it is written as text; nothing if it is no text.
    seconds : NumberValues
        Since 1970.
    parts : dict of str to str
        The variables of its parts: year, month, weekday, hour.
    days : ndarray of int64, shape (31,)
        How often each day of the month occurs.
    clock : NumberValues
        Seconds since midnight.
    since : str
        The other column that `elapsed` is the time since; nothing if there is none.
    elapsed : str
        The variable of that time.
    unit : int
        Seconds in one unit of it.
    follows : Following or None
    precision : {"second", "day", "month"}
        To which both dates are cut before `elapsed` is taken.
    """

    name: str
    stored: str
    form: str
    pattern: str
    seconds: NumberValues
    parts: dict[str, str]
    days: NDArray[np.int64]
    clock: NumberValues
    since: str
    elapsed: str
    unit: int
    follows: Following | None
    precision: str = "second"

    @property
    def is_days(self) -> bool:
        """Whether all dates are without a time of day."""
        return self.seconds.step > 0 and not self.seconds.step % 86_400


@dataclass(frozen=True, eq=False)
class IdentifierColumn:
    """A column of identifiers, of which new ones are made.

    Attributes
    ----------
    name, stored : str
    pieces : tuple of (str, str)
        What an identifier is put together from, each piece as its kind and what it needs: "literal"
        and the text; "counter" and its width; "digits", "letters" or "hex", their characters and
        how many; "word" and those of its first letter, of the others, and how many; "code" and the
        characters of each place, one line per place; "choice" and a `Choice` as JSON.
    start : int
        The first number of the counter.
    rows_each : float
        Rows of one identifier.
    """

    name: str
    stored: str
    pieces: tuple[tuple[str, str], ...]
    start: int
    rows_each: float


@dataclass(frozen=True)
class LeftOutColumn:
    """A column of which no values are made.

    Attributes
    ----------
    name, why : str
    """

    name: str
    why: str


ColumnRecord = CategoryColumn | NumberColumn | DateColumn | IdentifierColumn | LeftOutColumn


@dataclass(frozen=True, eq=False)
class MissingCells:
    """How the missing values of a column depend on other columns.

    Attributes
    ----------
    column : str
    parents : tuple of (str, str)
        Column and variable; the variable is empty if only missing values of the column matter.
    levels : tuple of dict of str to int
        For each parent the level of each state; 0 is a missing value, 1 any other state.
    shares : ndarray of float64, one axis per parent
        The share of missing values.
    """

    column: str
    parents: tuple[tuple[str, str], ...]
    levels: tuple[dict[str, int], ...]
    shares: Floats


@dataclass(frozen=True, eq=False)
class TableRecord:
    """What a fit remembers of the table that it was given.

    Attributes
    ----------
    columns : tuple of columns
        In the order of the table.
    numbers : dict of str to NumberValues
        By variable: of each that is a number or was binned.
    missing : tuple of MissingCells
        In the order in which they are drawn.
    n_rows : int
        Rows that this was taken from.
    """

    columns: tuple[ColumnRecord, ...]
    numbers: dict[str, NumberValues]
    missing: tuple[MissingCells, ...]
    n_rows: int
