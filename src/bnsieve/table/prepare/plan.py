"""The plan for each column: its role, the reason, and its preparation.

`ColumnPlan` is of one column of the data, `Output` of one column to learn from. Both are frozen
values.
"""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from bnsieve.table.prepare.readings import Numbers, Reading

Role = Literal[
    "category", "quantity", "code", "date", "identifier", "constant", "text", "empty", "dropped"
]
"""The role of a column; "dropped" is one that was not read, as asked."""


# The reason of a role that the user gave.
AS_ASKED = "as asked"


@dataclass(frozen=True)
class OddCell:
    """A cell that does not fit the others of its column.

    Attributes
    ----------
    row : int
        The first row that has it; the first row of the data is 1.
    value : str
        The text of the cell.
    n_cells : int
        The number of cells with this text.
    read_as : str
        "missing", or the limit that the text means, such as "below 1".
    """

    row: int
    value: str
    n_cells: int
    read_as: str


@dataclass(frozen=True)
class Output:
    """A prepared column, from which learners learn.

    Attributes
    ----------
    name : str
        The name of the prepared column.
    reading : Reading
        The part of the cells that is used.
    bin_edges : tuple of float, or None
        The bin edges of a number; a number on an edge belongs to the bin above. None: no bins.
    groups : dict of str to str, or None
        The group of each category, as text. None: categories are not grouped.
    other : str or None
        The category of all categories in no group; None without groups.
    blank : str or None
        The category that missing values become; None: they stay missing.
    fixed : bool
        Whether the bin edges were given, so that the column is categorical.
    """

    name: str
    reading: Reading
    bin_edges: tuple[float, ...] | None = None
    groups: dict[str, str] | None = None
    other: str | None = None
    blank: str | None = None
    fixed: bool = False

    @property
    def is_number(self) -> bool:
        """Whether a learner may use the values as numbers."""
        return self.bin_edges is not None and not self.fixed and self.blank is None


@dataclass(frozen=True)
class ColumnPlan:
    """The role of a column, and its preparation.

    Attributes
    ----------
    name : str
        The name of the column.
    role : Role
        The role of the column.
    why : str
        The reason for the role.
    what : str
        The preparation, in words.
    n_known, n_missing : int
        The numbers of known and of missing values, in all rows. Odd cells that are read as missing
        are among the missing ones.
    n_categories : int
        The number of different known cells, an estimate if there are many.
    exact : bool
        Whether `n_categories` is exact.
    examples : tuple of str
        The most frequent cells.
    odd : tuple of OddCell
        Some of the odd cells, the first of each kind.
    n_odd : int
        The number of odd cells.
    warnings : tuple of str
        Points that may need a decision by the user.
    outputs : tuple of Output
        The columns used for learning; none if the column is left out.
    """

    name: str
    role: Role
    why: str
    what: str
    n_known: int
    n_missing: int
    n_categories: int
    exact: bool = True
    examples: tuple[str, ...] = ()
    odd: tuple[OddCell, ...] = ()
    n_odd: int = 0
    warnings: tuple[str, ...] = ()
    outputs: tuple[Output, ...] = ()

    @property
    def unit(self) -> str:
        """The unit of its numbers; empty if no cell has one."""
        readings = (output.reading for output in self.outputs)
        return next((one.unit for one in readings if isinstance(one, Numbers)), "")

    def facts(self) -> dict[str, Any]:
        """Return the plan as plain values for JSON, without the categories."""
        return {
            "name": self.name,
            "role": self.role,
            "why": self.why,
            "what": self.what,
            "categories": self.n_categories,
            "categories_counted": self.exact,
            "known": self.n_known,
            "missing": self.n_missing,
            "unit": self.unit,
            "examples": list(self.examples),
            "odd": [asdict(one) for one in self.odd],
            "odd_cells": self.n_odd,
            "warnings": list(self.warnings),
            "columns": [output.name for output in self.outputs],
        }
