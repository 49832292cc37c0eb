"""A frame as people have it in, the columns that can be learned from out, with what was done.

Nothing is changed in silence: every column that is left out, and every column of numbers that is
cut, has its `Change`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from bnsieve.discretize import Discretizer, cut_numbers
from bnsieve.encode import MAX_LEVELS

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


def tidy(
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
    changes = [
        Change(name, "dropped", "as asked" if name in drop else why)
        for name in frame.columns
        if (why := _why_dropped(name, frame[name], name in keep)) or name in drop
    ]
    frame = frame.drop(columns=[change.column for change in changes])
    _require_two(frame, changes)
    cut, discretizer = cut_numbers(frame, "auto")
    if discretizer is not None:
        for name, labels in discretizer.labels_.items():
            if len(labels) == 1:
                why = "no cut of its numbers says anything about other columns"
                changes.append(Change(name, "dropped", why))
                cut = cut.drop(columns=name)
        changes += cut_changes(discretizer)
    _require_two(cut, changes)
    changes += [note for name in cut.columns for note in _notes(name, cut[name])]
    return cut, discretizer, changes


def cut_changes(discretizer: Discretizer) -> list[Change]:
    """Return what was done to the columns of numbers that were cut."""
    return [
        Change(name, "cut", ", ".join(labels))
        for name, labels in discretizer.labels_.items()
        if len(labels) > 1
    ]


def require_column(name: str, columns: Sequence[str]) -> None:
    """Refuse the name of a column that is not there."""
    if name not in columns:
        listed = ", ".join(map(repr, columns[:10])) + (", ..." if len(columns) > 10 else "")
        raise ValueError(f"there is no column {name!r}: the columns are {listed}")


def _why_dropped(name: str, column: "pd.Series[Any]", kept: bool) -> str:
    """Return why nothing can be learned from a column, or nothing."""
    known = column.dropna()
    if known.empty:
        return "all cells are empty"
    kind = pd.api.types.infer_dtype(known)
    if kind.startswith(("date", "time", "period")):
        return "it holds dates: add a column of, say, the month"
    if kind in ("mixed", "bytes"):
        return f"its cells are of type {type(known.iloc[0]).__name__}, which are no labels"
    n_labels, n_known = known.nunique(), len(known)
    if n_labels == 1:
        return f"it is always {str(known.iloc[0])!r}"
    if kept or pd.api.types.is_bool_dtype(known):
        return ""
    numbers = pd.api.types.is_numeric_dtype(known)
    if not numbers and n_labels > MAX_LEVELS:
        return f"{n_labels:,} labels in {n_known:,} rows, more than {MAX_LEVELS:,}: group them"
    if n_labels == n_known and (not numbers or bool((known == known.round()).all())):
        return f"another value in each of {n_known:,} rows (--keep {_quoted(name)} uses it)"
    if not numbers and n_labels > max(_FEW_LABELS, n_known // 2):
        return f"{n_labels:,} labels in {n_known:,} rows: group them (or --keep {_quoted(name)})"
    return ""


def _notes(name: str, column: "pd.Series[Any]") -> list[Change]:
    labels = column.dropna().unique()
    notes = []
    if len(labels) > _MANY_LABELS:
        rows = len(column) / len(labels)
        why = f"{len(labels):,} labels, {rows:.0f} rows each: grouped labels would show more"
        notes.append(Change(name, "note", why))
    for text in _PERHAPS_MISSING:
        if (labels.astype(object) == text).any():
            why = f"{text!r} counts as a label: --na {_quoted(text)} takes it for a missing cell"
            notes.append(Change(name, "note", why))
    return notes


def _require_two(frame: pd.DataFrame, changes: Sequence[Change]) -> None:
    if len(frame.columns) >= 2:
        return
    dropped = [f"{one.column} ({one.why})" for one in changes if one.what == "dropped"]
    left = f"left out: {'; '.join(dropped)}" if dropped else "there are no others"
    raise ValueError(
        f"a network takes two columns or more, and {len(frame.columns)} can be used: {left}"
    )


def _quoted(text: str) -> str:
    """Return text as a shell takes it."""
    return text if text.replace("_", "").isalnum() else f"'{text}'"
