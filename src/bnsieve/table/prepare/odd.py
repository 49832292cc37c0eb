"""Odd cells: those of a column of numbers or dates that are neither.

Each is named with its row and value, and is taken for missing, or, as ``<1``, for a limit.
"""

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.table.prepare.facts import ColumnFacts
from bnsieve.table.prepare.frame_columns import Columns
from bnsieve.table.prepare.parsing import limits, read_dates, read_numbered_days, read_numbers
from bnsieve.table.prepare.plan import OddCell
from bnsieve.table.prepare.roles import Taken

_SHOWN = 5


def find_odd(
    columns: Columns, name: str, facts: ColumnFacts, taken: Taken, missing: Collection[str]
) -> tuple[tuple[OddCell, ...], int]:
    """Return some odd cells of a column, and how many there are.

    Rows are looked at again only if there may be any.

    Parameters
    ----------
    columns : Columns
    name : str
    facts : ColumnFacts
    taken : Taken
    missing : collection of str
        Texts that stand for a missing cell.
    """
    is_odd = _question(facts, taken)
    if is_odd is None:
        return (), 0
    told_apart = facts.kind == "number" or not facts.distinct.more
    if told_apart and not is_odd(facts.distinct.values).any():
        return (), 0
    found = columns.odd(name, is_odd, missing)
    values = sorted(found, key=lambda value: found[value])
    words = [""] * len(values)
    if taken.use == "numbers" and facts.kind == "text":
        words = limits(np.array(values, dtype=object), taken.style)
    cells = tuple(
        OddCell(*found[value][:1], value, found[value][1], word or "missing")
        for value, word in zip(values, words, strict=True)
    )
    return cells[:_SHOWN], sum(n for _, n in found.values())


def _question(
    facts: ColumnFacts, taken: Taken
) -> Callable[[NDArray[Any]], NDArray[np.bool_]] | None:
    """Return what tells odd values from others; None if there can be none."""
    if taken.use == "numbers" and facts.kind == "number":
        return lambda values: ~np.isfinite(values.astype(np.float64))
    if taken.use == "numbers" and facts.kind == "text":
        return lambda values: (
            np.isnan(read_numbers(values, taken.style))
            | np.array([limit != "" for limit in limits(values, taken.style)], dtype=bool)
        )
    if taken.use == "dates" and facts.kind == "number":
        return lambda values: np.isnat(read_numbered_days(values))
    if taken.use == "dates" and facts.kind == "text":
        return lambda values: np.isnat(read_dates(values, taken.form))
    return None
