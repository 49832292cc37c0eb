"""Ways to read the cells of a column: as categories, numbers, parts of a date, or time elapsed.

A reading is a value: it can be written to a file, and says all that is needed to read later rows in
the same way. What it makes of cells is in `bnsieve.table.prepare.apply`.
"""

from dataclasses import dataclass
from typing import Literal

NumberStyle = Literal["plain", "comma", "thousands", "thousands-comma"]
"""How numbers are written in text: 1234.5; 1234,5; 1,234.5; 1.234,5."""

DateForm = Literal["typed", "ymd", "dmy", "mdy", "ym", "compact", "time", "seconds", "milliseconds"]
"""How dates are written: not as text at all; 2024-01-31; 31.1.2024; 1/31/2024; 2024-01; 20240131;
12:30 alone; as seconds or milliseconds since 1970. All from ymd to mdy may have a time behind them.
"""

Part = Literal["year", "month", "weekday", "hour"]

Precision = Literal["second", "day", "month"]

Unit = Literal["years", "days", "hours", "minutes", "seconds"]


@dataclass(frozen=True)
class Labels:
    """Cells are categories.

    Attributes
    ----------
    as_text : bool
        Whether cells that are no text, as numbers beside words, are written as text.
    """

    as_text: bool = False


@dataclass(frozen=True)
class Numbers:
    """Cells are numbers, or text that says one; what says none is missing.

    Attributes
    ----------
    style : NumberStyle
    unit : str
        The unit of the column; nothing if cells have none.
    factors : dict of str to float, or None
        The units that are read, and what their numbers are multiplied by; "" is none. None: only
        numbers without a unit are read.
    """

    style: NumberStyle = "plain"
    unit: str = ""
    factors: dict[str, float] | None = None


@dataclass(frozen=True)
class DatePart:
    """Cells are dates, of which one part is taken."""

    form: DateForm
    part: Part


@dataclass(frozen=True)
class Elapsed:
    """Cells are dates; what is taken is the time since the date of another column.

    Attributes
    ----------
    form : DateForm
    since : str
        The other column.
    since_form : DateForm
    unit : Unit
    precision : Precision
        To which both are cut before: that of the coarser one.
    """

    form: DateForm
    since: str
    since_form: DateForm
    unit: Unit
    precision: Precision = "second"


Reading = Labels | Numbers | DatePart | Elapsed
