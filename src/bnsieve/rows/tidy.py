"""Keep the columns that can be learned from, and record what was done to the others.

Rows in memory and rows in files are tidied by the same rules (`tidy`, `tidy_source`). Nothing is
changed in silence: every column that is left out, and every column of numbers that is cut, has its
`Change`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import pandas as pd

from bnsieve.engine import Engine
from bnsieve.rows.column_facts import ColumnFacts, facts_of_frame, facts_of_source
from bnsieve.table import MAX_LEVELS, Discretizer, cut_numbers

if TYPE_CHECKING:
    from bnsieve.rows.parquet import ParquetSource

# Below this many, labels are few whatever the number of rows.
_FEW_LABELS = 20
_MANY_LABELS = 50
# What people write for "not known", which no reader takes for a missing cell by itself.
_PERHAPS_MISSING = ("?", "-", "unknown", "Unknown", "UNKNOWN", "None", "none")


@dataclass(frozen=True)
class Change:
    """What was done to a column, and why.

    Attributes
    ----------
    column : str
    what : {"dropped", "cut", "note"}
        "note": nothing was done, but the reader may want to do something.
    why : str
    """

    column: str
    what: Literal["dropped", "cut", "note"]
    why: str


def tidy_frame(
    frame: pd.DataFrame, drop: Collection[str] = (), keep: Collection[str] = ()
) -> tuple[pd.DataFrame, Discretizer | None, list[Change]]:
    """Leave out what cannot be learned from, and cut columns of numbers into labels.

    Parameters
    ----------
    frame : pandas.DataFrame
    drop, keep : collection of str
        Columns to leave out, and columns not to take for identifiers.

    Returns
    -------
    frame : pandas.DataFrame
    discretizer : Discretizer or None
        What cut the numbers.
    changes : list of Change

    Raises
    ------
    ValueError
        If fewer than two columns remain, or an option names a column that is not there.
    """
    frame = frame.rename(columns=str)
    for name in (*drop, *keep):
        require_column(name, frame.columns.tolist())
    facts = facts_of_frame(frame.drop(columns=[*drop]))
    changes = _dropped(frame.columns.tolist(), facts, drop, keep)
    frame = frame[_left(frame.columns.tolist(), changes)]
    cut, discretizer = cut_numbers(frame, "auto")
    changes += _cut_changes(discretizer, frame.columns.tolist(), changes)
    cut = cut[_left(cut.columns.tolist(), changes)]
    return cut, discretizer, changes + _notes(cut.columns.tolist(), facts, len(cut))


def tidy_source(
    source: "ParquetSource",
    drop: Collection[str],
    keep: Collection[str],
    seed: int,
    engine: Engine,
) -> tuple["ParquetSource", Discretizer | None, list[Change]]:
    """Do the same for rows in files: their columns are looked at in one reading.

    Cuts are found in rows that are drawn in another. `seed` says which.
    """
    from bnsieve.rows.file_rows import rows_to_cut

    for name in (*drop, *keep):
        require_column(name, source.names)
    facts = facts_of_source(source, drop)
    changes = _dropped(source.names, facts, drop, keep)
    source = source.keep(_left(source.names, changes))
    discretizer: Discretizer | None = None
    if {"number", "integer"} & {*source.kinds}:
        discretizer = Discretizer().fit(rows_to_cut(source, seed, engine))
        source = source.cut_by(discretizer)
        changes += _cut_changes(discretizer, source.names, changes)
        source = source.keep(_left(source.names, changes))
        if not discretizer.changes_anything:
            discretizer = None
    return source, discretizer, changes + _notes(source.names, facts, source.n_rows)


def require_column(name: str, columns: Sequence[str]) -> None:
    """Refuse the name of a column that is not there."""
    if name not in columns:
        listed = ", ".join(map(repr, columns[:10])) + (", ..." if len(columns) > 10 else "")
        raise ValueError(f"there is no column {name!r}: the columns are {listed}")


def _dropped(
    names: Sequence[str],
    facts: Mapping[str, ColumnFacts],
    drop: Collection[str],
    keep: Collection[str],
) -> list[Change]:
    """Return which columns are left out, and why."""
    changes = []
    for name in names:
        why = "as asked" if name in drop else _why_dropped(name, facts[name], name in keep)
        if why:
            changes.append(Change(name, "dropped", why))
    _require_two(names, changes)
    return changes


def _why_dropped(name: str, facts: ColumnFacts, kept: bool) -> str:
    """Return why nothing can be learned from a column, or nothing."""
    n_labels, n_known = len(facts.labels), facts.n_known
    if not n_known:
        return "all cells are empty"
    if facts.kind == "date":
        return "it holds dates: add a column of, say, the month"
    if facts.kind == "other":
        return f"its cells are of type {facts.type_name}, which are no labels"
    if n_labels == 1:
        return f"it is always {str(facts.first)!r}"
    if kept or facts.kind == "boolean":
        return ""
    each = f"another value in each of {n_known:,} rows (--keep {_quoted(name)} uses it)"
    if facts.kind == "number":
        return each if facts.whole and facts.distinct else ""
    if n_labels > MAX_LEVELS:
        return f"more than {MAX_LEVELS:,} labels in {n_known:,} rows: group them"
    if n_labels == n_known:
        return each
    if n_labels > max(_FEW_LABELS, n_known // 2):
        return f"{n_labels:,} labels in {n_known:,} rows: group them (or --keep {_quoted(name)})"
    return ""


def _cut_changes(
    discretizer: Discretizer | None, names: Sequence[str], before: Sequence[Change]
) -> list[Change]:
    """Return what was done to the columns of numbers, and which of them are left out."""
    if discretizer is None:
        return []
    why = "no cut of its numbers says anything about other columns"
    found = discretizer.labels_.items()
    changes = [Change(name, "dropped", why) for name, labels in found if len(labels) == 1]
    _require_two(names, changes, before)
    return changes + [
        Change(name, "cut", ", ".join(labels)) for name, labels in found if len(labels) > 1
    ]


def _left(names: Sequence[str], changes: Sequence[Change]) -> list[str]:
    dropped = {change.column for change in changes if change.what == "dropped"}
    return [name for name in names if name not in dropped]


def _notes(names: Sequence[str], facts: Mapping[str, ColumnFacts], n_rows: int) -> list[Change]:
    notes = []
    for name in names:
        own = facts[name]
        labels = own.labels if own.kind == "label" else set()
        if len(labels) > _MANY_LABELS:
            rows = n_rows / len(labels)
            why = f"{len(labels):,} labels, {rows:.0f} rows each: grouped labels would show more"
            notes.append(Change(name, "note", why))
        for text in _PERHAPS_MISSING:
            if text in labels:
                why = (
                    f"{text!r} counts as a label: --na {_quoted(text)} takes it for a missing cell"
                )
                notes.append(Change(name, "note", why))
    return notes


def _require_two(
    names: Sequence[str], changes: Sequence[Change], before: Sequence[Change] = ()
) -> None:
    n_left = len(_left(names, changes))
    if n_left >= 2:
        return
    dropped = [f"{one.column} ({one.why})" for one in (*before, *changes) if one.what == "dropped"]
    left = f"left out: {'; '.join(dropped)}" if dropped else "there are no others"
    raise ValueError(f"a network takes two columns or more, and {n_left} can be used: {left}")


def _quoted(text: str) -> str:
    """Return text as a shell takes it."""
    return text if text.replace("_", "").isalnum() else f"'{text}'"
