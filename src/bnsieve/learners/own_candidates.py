"""Candidates that the user passes, as a mapping or a function of the sample, checked.

In: the argument ``candidates=``, and the sample. Out: the candidates of each variable by name, or a
ValueError that says which name or number is wrong.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from bnsieve.decide import MAX_CANDIDATES, CandidateFinder
from bnsieve.table import Table

Candidates = Mapping[str, Sequence[str]] | CandidateFinder | None


def own_candidates(
    given: Mapping[str, Sequence[str]] | CandidateFinder, table: Table, names: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """Return the candidates of each variable.

    Parameters
    ----------
    given : mapping or callable
    table : Table
        The rows passed to a function. Constant and duplicate columns are left out.
    names : collection of str
        All columns. Columns that were left out may be named, and are ignored.

    Raises
    ------
    ValueError
        If a name is not a column, or a variable has too many candidates.
    """
    if not isinstance(given, Mapping) and not table.n_rows:
        raise ValueError("candidates must be a mapping: no row leaves the database for a function")
    found: Any = given if isinstance(given, Mapping) else given(frame_of(table))
    if not isinstance(found, Mapping):
        raise ValueError(
            "candidates must return a mapping from variables to the names of their candidate "
            f"parents, not {type(found).__name__}"
        )
    return {name: _checked(name, own, names) for name, own in found.items()}


def _checked(name: str, given: Any, names: Collection[str]) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        what = f"the text {given!r}" if isinstance(given, str) else repr(given)
        raise ValueError(f"candidates of {name!r} must be a list of names, not {what}")
    own = tuple(dict.fromkeys(given))
    for one in (name, *own):
        if one not in names:
            raise ValueError(f"candidates contain {one!r}, which is not a column after preparation")
    if name in own:
        raise ValueError(f"the candidates of {name!r} contain {name!r} itself: leave it out")
    if len(own) > MAX_CANDIDATES:
        raise ValueError(
            f"{name!r} has {len(own)} candidates, and at most {MAX_CANDIDATES} can be scored: keep "
            "the strongest"
        )
    return own


def frame_of(table: Table) -> pd.DataFrame:
    """Return rows as a frame for the user's function: categoricals, and numbers as floats."""
    frame = table.to_frame()
    for v, values in table.numbers.items():
        frame[table.names[v]] = values
    return frame


def candidates_among(given: Candidates, names: Collection[str]) -> Candidates:
    """Return the part of a mapping about some columns; a function is returned unchanged."""
    if not isinstance(given, Mapping):
        return given
    return {
        name: [one for one in own if one in names] for name, own in given.items() if name in names
    }
