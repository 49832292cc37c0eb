"""The rows of two tables in one, whatever categories each of them has.

In: rows that were learned from, and new ones with the same columns. Out: one table of all of them.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from bnsieve.network import MISSING_LABEL
from bnsieve.table import Codes, Table, code_dtype


def joined(old: Table, new: Table, order: Mapping[str, Sequence[Hashable]]) -> Table:
    """Put the rows of two tables below each other.

    Parameters
    ----------
    old, new : Table
        With the same columns, in any order.
    order : mapping from str to sequence of categories
        The order of the categories of some columns, such as those that were cut. Others keep that
        of `old`; categories that only `new` has come last, or where they belong if categories are
        sorted.

    Raises
    ------
    ValueError
        If columns or the types of their categories differ.
    """
    apart = sorted({*old.names} ^ {*new.names})
    if apart:
        where = "not in the new rows" if apart[0] in old.names else "in the new rows only"
        raise ValueError(f"the column {apart[0]!r} is {where}: give all columns learned from")
    new = new.select(old.names)
    states = [
        _all_labels(name, a, b, order.get(name))
        for name, a, b in zip(old.names, old.categories, new.categories, strict=True)
    ]
    codes: Codes = np.empty(
        (len(states), old.n_rows + new.n_rows), dtype=code_dtype(max(map(len, states)))
    )
    missing = {}
    for i, labels in enumerate(states):
        place = {label: code for code, label in enumerate(labels)}
        masks = []
        for table, part in ((old, codes[i, : old.n_rows]), (new, codes[i, old.n_rows :])):
            own = np.array([place[label] for label in table.categories[i]], dtype=codes.dtype)
            part[:] = own[table.codes[i]]
            masks.append(table.missing.get(i, np.zeros(table.n_rows, dtype=bool)))
        mask = np.concatenate(masks)
        if mask.any():
            codes[i][mask] = 0
            missing[i] = mask
    numbers = {
        v: np.concatenate([old.numbers[v], new.numbers[v]]) for v in old.numbers if v in new.numbers
    }
    return Table(codes, old.names, tuple(states), missing, numbers)


def without_missing_label(table: Table) -> Table:
    """Take the category "(missing)" for what it stands for."""
    codes = table.codes.copy()
    states, missing = list(table.categories), dict(table.missing)
    for i, labels in enumerate(table.categories):
        if labels[-1] == MISSING_LABEL:
            mask = codes[i] == len(labels) - 1
            codes[i][mask] = 0
            states[i], missing[i] = labels[:-1], mask
    return Table(codes, table.names, tuple(states), missing)


def _all_labels(
    name: str,
    old: Sequence[Hashable],
    new: Sequence[Hashable],
    order: Sequence[Hashable] | None,
) -> tuple[Hashable, ...]:
    kinds = {type(label).__name__ for label in (*old, *new)}
    if len(kinds) > 1:
        raise ValueError(
            f"column {name!r} has categories of type {' and '.join(sorted(kinds))} in the "
            "new rows and those before: write all with one type"
        )
    union: list[Any] = list(dict.fromkeys((*old, *new)))
    if order is not None:
        rank = {label: i for i, label in enumerate(order)}
        return tuple(sorted(union, key=lambda label: rank.get(label, len(rank))))
    return tuple(sorted(union)) if list(old) == sorted(old) else tuple(union)  # type: ignore[type-var]
