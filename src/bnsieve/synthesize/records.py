"""The record of a table, which gives synthetic rows its columns, types and formats.

Frozen records that are saved with a learner. They describe single columns (values, frequencies,
formats), how missing values depend on other columns, and functions between columns. They contain no
rows: no record shows which cells were in one row, but for codes of several rows and the categories
that follow from them.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from bnsieve.table import Floats


@dataclass(frozen=True, eq=False)
class NumberValues:
    """The distribution of a number: quantiles, and the grid of its values.

    Attributes
    ----------
    values : ndarray of float64
        Ascending.
    below : ndarray of float64
        The share of rows up to each value; ascending to 1.
    exact : bool
        Whether these are all values that occur; if not, there are others between them.
    step, origin : float
        Values are the origin plus multiples of the step; a step of 0 means no grid.
    decimals : int
        Digits after the decimal point.
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
        """Return the nearest values on the grid, with the decimals of the table."""
        if self.step <= 0:
            return numbers
        steps = np.round((numbers - self.origin) / self.step)
        return np.round(self.origin + steps * self.step, self.decimals)

    def share_below(self, numbers: Floats) -> Floats:
        """Return the share of rows with less than each number."""
        if self.exact:
            places = np.searchsorted(self.values, numbers, side="left")
            return np.append(0.0, self.below)[places]
        found: Floats = np.interp(numbers, self.values, self.below, left=0.0, right=1.0)
        # Of a frequent value, which has several shares, the lowest is below it.
        places = np.searchsorted(self.values, numbers, side="left")
        places = np.minimum(places, len(self.values) - 1)
        return np.where(self.values[places] == numbers, self.below[places], found)


@dataclass(frozen=True)
class NumberText:
    """The format of numbers in text.

    Attributes
    ----------
    prefix, suffix : str
        Such as a currency or a unit, with blanks.
    decimals : int
        Digits after the decimal point of every number; -1: as many as needed.
    comma : bool
        Whether the decimal point is a comma.
    thousands : bool
        Whether there are thousands separators: the other one of point and comma.
    limits : tuple of (float, str)
        Numbers that most cells give as a limit, such as "<0.4", and these cells.
    """

    prefix: str = ""
    suffix: str = ""
    decimals: int = -1
    comma: bool = False
    thousands: bool = False
    limits: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, eq=False)
class Following:
    """A number that is a function of another one, up to a remainder.

    Attributes
    ----------
    of : str
        The variable, or the numeric column, that it is a function of.
    known, implied : ndarray of float64
        Values of that variable and the implied values; linear between them.
    remainders : ndarray of float64
        Quantiles of the remainder that is added; empty if there is none.
    since : str
        If it names a date column, the implied value is the time before that date. If empty, it is
        the number itself, or the date in seconds since 1970.
    """

    of: str
    known: Floats
    implied: Floats
    remainders: Floats
    since: str = ""


@dataclass(frozen=True, eq=False)
class CategoryColumn:
    """A column of categories; with one category if constant, with none if empty.

    Attributes
    ----------
    name, stored : str
        The column, and its stored type.
    output : str
        The variable; empty if the column is not a variable.
    states : tuple of str
        For each different cell, its state, as text.
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
        The variable; empty if the column is not a variable.
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
        The format for reading.
    pattern : str
        The format for writing; empty if dates are not stored as text.
    seconds : NumberValues
        Since 1970.
    parts : dict of str to str
        The variables of its parts: year, month, weekday, hour.
    days : ndarray of int64, shape (31,)
        How often each day of the month occurs.
    clock : NumberValues
        Seconds since midnight.
    since : str
        The date column from which `elapsed` is counted; empty if there is none.
    elapsed : str
        The variable of that time.
    unit : int
        The number of seconds in one unit of `elapsed`.
    follows : Following or None
    precision : {"second", "day", "month"}
        The precision to which both dates are truncated before `elapsed` is computed.
    zones : tuple of (str, tuple of int)
        Time zones at the end of texts, such as "+01:00", if there are several; with their frequency
        in each month.
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
    zones: tuple[tuple[str, tuple[int, ...]], ...] = ()

    @property
    def is_daily(self) -> bool:
        """Whether all dates have the same time of day."""
        return self.seconds.step > 0 and not self.seconds.step % 86_400

    @property
    def is_days(self) -> bool:
        """Whether all dates are without a time of day."""
        return self.is_daily and not self.seconds.origin % 86_400


@dataclass(frozen=True, eq=False)
class KnownCodes:
    """The codes of a column of identifiers that stand in several rows, such as postcodes.

    They have one entry each. Besides, each combination of states has an entry for all other codes,
    which stand in one row each and are not kept.

    Attributes
    ----------
    columns : tuple of str
        Categorical columns whose states follow from the code.
    states : tuple of tuple of str
        For each entry, the states of these columns.
    codes : tuple of str
        For each entry, the code; "" for all other codes.
    counts : ndarray of int64
        For each entry, its rows.
    """

    columns: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    codes: tuple[str, ...]
    counts: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class IdentifierColumn:
    """A column of identifiers, for which new ones are generated.

    Attributes
    ----------
    name, stored : str
    pieces : tuple of (str, str)
        The pieces of an identifier, each with its kind and its content: "literal" and the text;
        "counter" and its width; "again" and its width, for a counter that begins again where its
        width ends; "digits", "letters" or "hex", with their characters and their
        number; "word" with the characters of its first letter, those of the others, and their
        number; "code" with the characters of each position, one line per position; "choice" and a
        `Choice` as JSON.
    start : int
        The first number of the counter.
    rows_each : float
        The number of rows of one identifier.
    known : KnownCodes or None
        Codes of the table to draw from, if the user asks for rare categories.
    """

    name: str
    stored: str
    pieces: tuple[tuple[str, str], ...]
    start: int
    rows_each: float
    known: KnownCodes | None = None


@dataclass(frozen=True)
class LeftOutColumn:
    """A column that synthetic rows do not have.

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
        Column and variable; the variable is empty if only the missing values of the column are
        used.
    levels : tuple of dict of str to int
        For each parent, the number of each state; 0 is a missing value, 1 any other state.
    shares : ndarray of float64, one axis per parent
        The share of missing values.
    """

    column: str
    parents: tuple[tuple[str, str], ...]
    levels: tuple[dict[str, int], ...]
    shares: Floats


@dataclass(frozen=True)
class Spelling:
    """The spelling of cells, where several spellings are read as one value.

    Attributes
    ----------
    decimals : dict of str to int
        Columns of CSV files whose numbers all have so many digits after the decimal point or more.
    words : dict of str to (str, str)
        False and True, as columns of CSV files write them.
    blanks : dict of str to dict of str to int
        Texts that stand for a missing value, such as "", with their frequencies.
    nulls : dict of str to int
        The number of cells of the same columns that are missing without a text.
    """

    decimals: dict[str, int] = field(default_factory=dict)
    words: dict[str, tuple[str, str]] = field(default_factory=dict)
    blanks: dict[str, dict[str, int]] = field(default_factory=dict)
    nulls: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class TableRecord:
    """The record of the training table.

    Attributes
    ----------
    columns : tuple of columns
        In the order of the table.
    numbers : dict of str to NumberValues
        The distribution of each variable that is numeric or was binned.
    missing : tuple of MissingCells
        How missing values are drawn, in this order.
    n_rows : int
        The number of rows behind this record.
    spelling : Spelling
    """

    columns: tuple[ColumnRecord, ...]
    numbers: dict[str, NumberValues]
    missing: tuple[MissingCells, ...]
    n_rows: int
    spelling: Spelling = field(default_factory=Spelling)

    def without_known_codes(self) -> "TableRecord":
        """Return the same with only new identifiers."""
        columns = (
            replace(one, known=None) if isinstance(one, IdentifierColumn) else one
            for one in self.columns
        )
        return replace(self, columns=tuple(columns))
