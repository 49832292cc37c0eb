"""Changes made to the columns, one sentence each, for the summary and the record of a run."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from bnsieve.table.prepare.plan import ColumnPlan
from bnsieve.table.prepare.preparation import Preparation


@dataclass(frozen=True)
class Change:
    """What was done to a column, and why.

    Attributes
    ----------
    column : str
    what : {"dropped", "dates", "odd", "grouped", "cut", "note"}
        "dates": a date was turned into its parts. "odd": cells were taken for missing, or for a
        limit. "note": nothing was done, but the reader may want to do something.
    why : str
    """

    column: str
    what: Literal["dropped", "dates", "odd", "grouped", "cut", "note"]
    why: str


def changes_of(plan: Preparation, numbers: Collection[str] = ()) -> list[Change]:
    """Return all that is done, in the order of the columns.

    Parameters
    ----------
    plan : Preparation
    numbers : collection of str
        Columns that were learned from as numbers: of these, bins were made for tables only.
    """
    left_out = {column.name for column in plan.left_out}
    return [
        change
        for column in plan.columns
        for change in _of(column, column.name in left_out, numbers)
    ]


def _of(column: ColumnPlan, left_out: bool, numbers: Collection[str]) -> list[Change]:
    name = column.name
    if left_out:
        return [Change(name, "dropped", column.why)]
    changes = []
    if column.role == "date":
        changes.append(Change(name, "dates", column.what))
    elif any(one.cuts is not None and one.name not in numbers for one in column.outputs):
        changes.append(Change(name, "cut", column.what.removeprefix("cut: ")))
    elif any(output.groups is not None for output in column.outputs):
        changes.append(Change(name, "grouped", column.what))
    elif any(output.blank is not None for output in column.outputs):
        changes.append(Change(name, "note", f"{column.what}: {column.why}"))
    if column.odd:
        changes.append(Change(name, "odd", _odd(column)))
    return changes + [Change(name, "note", text) for text in column.warnings]


def _odd(column: ColumnPlan) -> str:
    listed = "; ".join(
        f"{one.value!r} in row {one.row:,}"
        + (f" and {one.n_cells - 1:,} more" if one.n_cells > 1 else "")
        + f" taken for {one.taken_for}"
        for one in column.odd
    )
    shown = sum(one.n_cells for one in column.odd)
    more = f"; and {column.n_odd - shown:,} other cells" if column.n_odd > shown else ""
    return listed + more
