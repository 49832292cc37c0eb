"""Blank cells that mean something: where a cell is blank tells about other columns.

In: some rows of all columns as codes. Out: for a column the one that its blanks tell most about.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

Codes = NDArray[np.int64]

# Blank in fewer rows, it may be forgetfulness.
FREQUENT = 0.05
# Chance of so much association by chance, over all columns that are looked at.
_CHANCE = 1e-6
# Share of what could be told: less is sure in many rows, but of no use.
_STRENGTH = 0.1


def told_by_blanks(
    missing: NDArray[np.bool_], others: Mapping[str, Codes], ticks: bool = False
) -> str | None:
    """Return the column that blank cells tell most about; None if they tell nothing.

    Parameters
    ----------
    missing : ndarray of bool, shape (n_rows,)
    others : mapping of str to ndarray of int64
        The other columns as codes, -1 where missing.
    ticks : bool
        Whether the column is one category or blank. Then anything that is no chance is enough: a
        tick that is rare can tell no more, and all that the column says is where it is blank.
    """
    least = 0.0 if ticks else _STRENGTH
    best: tuple[float, str] | None = None
    for name, codes in others.items():
        known = codes >= 0
        strength = _association(missing[known], codes[known], len(others))
        if strength > 0 and strength >= least and (best is None or strength > best[0]):
            best = strength, name
    return None if best is None else best[1]


def _association(missing: NDArray[np.bool_], codes: Codes, n_tests: int) -> float:
    """Return Cramer's V of a yes or no and a column; zero if chance explains it."""
    n = len(codes)
    if not n or missing.all() or not missing.any():
        return 0.0
    n_codes = int(codes.max()) + 1
    table = np.bincount(codes * 2 + missing, minlength=2 * n_codes).reshape(n_codes, 2)
    table = table[table.sum(axis=1) > 0].astype(np.float64)
    if len(table) < 2:
        return 0.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    statistic = float(((table - expected) ** 2 / expected).sum())
    if chi2.sf(statistic, len(table) - 1) * n_tests > _CHANCE:
        return 0.0
    return float(np.sqrt(statistic / n))
