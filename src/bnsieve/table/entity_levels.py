"""Entities or categories: whether many columns differ between groups as nothing else explains.

In: columns as `Scored`, and the group of each row. Out: yes or no. A store that is a category like
any other has few neighbours in the network of columns. It shifts these, and the columns that depend
on them follow. Given all other columns, only its neighbours still differ between groups. Patients
and machines have a level of their own in most columns, and no other column explains it.
"""

from collections.abc import Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bnsieve.table.column import Floats
from bnsieve.table.likeness import Scored, likeness_in_entities

# A column has group means of its own if the other columns leave so much of the likeness within
# groups. Less is what functions leave that are not linear.
_LEFT = 0.25
# Independent rows show such means so rarely; that many columns do so by chance is far rarer.
_CHANCE = 0.02
# Share of the columns that have group means of their own: most of entities, a quarter of
# categories.
_MANY = 0.4
# Rows, and groups for columns that are constant within them, to each score that may explain others.
_ROWS_PER_SCORE = 4
# Scores can be functions of each other, such as those of all categories of a column.
_RIDGE = 1e-6


def have_own_levels(columns: Mapping[str, Scored], group: NDArray[np.int64]) -> bool:
    """Tell whether many columns differ between groups as no other column explains.

    Columns that are constant within groups explain others but do not count themselves: the region
    of a store is as constant as the birthplace of a patient.

    Parameters
    ----------
    columns : mapping of str to Scored
        Without the column of groups.
    group : ndarray of int64, shape (n_rows,)
        From 0 on; -1: none.
    """
    known = group >= 0
    own = group[known]
    varying: list[Floats] = []
    static: list[Floats] = []
    for column in columns.values():
        scores = column.scores[:, known]
        (static if _is_constant_within(scores, own) else varying).append(scores)
    if not varying:
        return False
    varying = _spread(varying, len(own) // _ROWS_PER_SCORE)
    static = _spread(static, (int(own.max()) + 1) // _ROWS_PER_SCORE)
    rests = _unexplained([*varying, *static])[: len(varying)]
    n_own = sum(map(partial(_has_levels, group=own), varying, rests))
    return n_own >= _MANY * len(varying)


def _has_levels(scores: Floats, rest: Floats, group: NDArray[np.int64]) -> bool:
    """Tell whether a column and its rest are alike within groups.

    Given a common effect, columns differ between groups that do not differ by themselves.
    """
    before, chance_before = likeness_in_entities(scores, group)
    after, chance_after = likeness_in_entities(rest, group)
    return max(chance_before, chance_after) < _CHANCE and after > _LEFT * before


def _is_constant_within(scores: Floats, group: NDArray[np.int64]) -> bool:
    first = np.zeros(int(group.max()) + 1, dtype=np.intp)
    first[group[::-1]] = np.arange(len(group))[::-1]
    return bool((scores == scores[:, first[group]]).all())


def _spread(columns: list[Floats], most_scores: int) -> list[Floats]:
    """Return columns from all over the table that have no more than some scores together."""
    n_scores = sum(map(len, columns))
    if n_scores <= most_scores:
        return columns
    n_kept = max(1, len(columns) * most_scores // n_scores)
    return [columns[i * len(columns) // n_kept] for i in range(n_kept)]


def _unexplained(columns: list[Floats]) -> list[Floats]:
    """Return what a linear function of all other columns leaves of each.

    The squares of numbers explain as well.
    """
    squares = [own**2 - (own**2).mean() for own in columns if len(own) == 1]
    scores = np.vstack([*columns, *squares])
    products = scores @ scores.T / scores.shape[1]
    products[np.diag_indices_from(products)] += _RIDGE
    precision = np.linalg.inv(products)
    turned = precision @ scores
    rests, start, square = [], 0, len(scores) - len(squares)
    for own in columns:
        block = np.arange(start, start + len(own))
        start += len(own)
        if len(own) == 1:  # its own square does not explain a number
            block = np.append(block, square)
            square += 1
        rests.append(np.linalg.solve(precision[np.ix_(block, block)], turned[block])[: len(own)])
    return rests
