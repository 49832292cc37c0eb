"""Columns of very many levels, without work that grows with the product of levels.

Machines see the most frequent levels of such a column, and the others as one. Pairs with such a
column are counted one by one, by the configurations that occur, which are no more than the rows.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import count
from bnsieve.table import Table, code_dtype

# A machine has a literal per level and, for its target, a class per level: with more levels than
# this it would cost their square.
MACHINE_LEVELS = 128
# Where all levels together are more than these, or their products in all rows take seconds, even
# fewer of one column are many to multiply.
_MANY_IN_ALL = 8_192
_MUCH_WORK = 1 << 36
_MANY, _MANY_AMONG_MANY = 128, 32
# Labels of this name stand for many.
_POOLED = "(others)"


def pooled(table: Table) -> Table:
    """Return the table as machines see it: of a column of many levels the rarest are one."""
    if table.n_levels.max() <= MACHINE_LEVELS:
        return table
    codes, levels = table.codes.copy(), list(table.levels)
    for variable in np.flatnonzero(table.n_levels > MACHINE_LEVELS).tolist():
        counts = level_counts(table, variable)
        # A stable order, so that of levels equally frequent the first ones stay.
        kept = np.sort(np.argsort(-counts, kind="stable")[: MACHINE_LEVELS - 1])
        place = np.full(len(counts), len(kept))
        place[kept] = np.arange(len(kept))
        codes[variable] = place[codes[variable]]
        if variable in table.missing:
            codes[variable, table.missing[variable]] = 0
        levels[variable] = (*(table.levels[variable][level] for level in kept.tolist()), _POOLED)
    dtype = code_dtype(max(map(len, levels)))
    return Table(codes.astype(dtype, copy=False), table.names, tuple(levels), table.missing)


def level_counts(table: Table, variable: int) -> NDArray[np.int64]:
    """Return in how many rows each level of a variable occurs."""
    counts = np.bincount(table.codes[variable], minlength=int(table.n_levels[variable]))
    if variable in table.missing:
        counts[0] -= np.count_nonzero(table.missing[variable])
    return counts


def with_many_levels(table: Table) -> NDArray[np.intp]:
    """Return the variables of so many levels that their pairs are better counted one by one."""
    n_in_all = int(table.n_levels.sum())
    much = n_in_all > _MANY_IN_ALL or table.n_rows * n_in_all**2 > _MUCH_WORK
    limit = _MANY_AMONG_MANY if much else _MANY
    return np.flatnonzero(table.n_levels > limit)


@dataclass(frozen=True)
class CountedPair:
    """Two variables counted together.

    Attributes
    ----------
    g, df : float
        The likelihood-ratio statistic, and its degrees of freedom.
    copies : bool
        Whether each level of one goes with one level of the other, and both are known in the same
        rows.
    """

    g: float
    df: float
    copies: bool


def count_pair(table: Table, a: int, b: int) -> CountedPair:
    """Count two variables together, in memory that the rows bound."""
    whole = count(table, (a, b))
    joint = whole.complete()
    margins = [
        np.bincount(codes, weights=joint.counts, minlength=n)
        for codes, n in zip(joint.configurations, joint.n_levels, strict=True)
    ]
    told = _n_log_n(joint.counts) - math.fsum(_n_log_n(margin) for margin in margins)
    g = 2 * (told + _n_log_n(np.array([joint.total])))
    n_a, n_b = joint.n_levels
    one_to_one = len(joint.counts) == n_a == n_b
    # A row in which only one of the two is known is a configuration more.
    known_alike = len(whole.counts) - len(joint.counts) <= (
        a in table.missing and b in table.missing
    )
    return CountedPair(max(g, 0.0), float((n_a - 1) * (n_b - 1)), one_to_one and known_alike)


def _n_log_n(counts: NDArray[Any]) -> float:
    return float((counts * np.log(np.maximum(counts, 1.0))).sum())
