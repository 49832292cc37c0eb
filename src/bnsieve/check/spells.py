"""Values of a series that are close together in time count as one event.

In: a table of rows with their past, and a mark for some of the rows. Out: the number of events
among the marked rows. A series that leaves its range stays outside for a while. Its values beyond
the range are then one piece of evidence, not many.
"""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from bnsieve.table import Table, lagged_name

Marks = NDArray[np.bool_]
Values = NDArray[np.float64]

# Two values beyond a range are one event if the correlation over the time between them is larger.
_FORGOTTEN = 0.1
# Values so far out among the rows learned from say how long a series stays away.
_TAIL, _LEAST_TAIL = 0.01, 10


@dataclass(frozen=True, eq=False)
class Spells:
    """Rows of series in order of time, entity by entity.

    Attributes
    ----------
    table : Table
        Rows of files have no steps, so the order in which they were drawn is used.
    """

    table: Table

    @cached_property
    def _steps(self) -> NDArray[np.int64]:
        return np.arange(self.table.n_rows) if self.table.steps is None else self.table.steps

    @cached_property
    def _entities(self) -> NDArray[np.int32]:
        if self.table.entities is None:
            return np.zeros(self.table.n_rows, dtype=np.int32)
        return self.table.entities

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        return np.argsort(self._steps, kind="stable")

    @cached_property
    def _follows(self) -> Marks:
        """Whether each row but the first, in order, follows the one before."""
        steps, entities = self._steps[self._order], self._entities[self._order]
        follows: Marks = (np.diff(steps) == 1) & (np.diff(entities) == 0)
        return follows

    def lengths(self, marked: Marks, gap: int) -> NDArray[np.int64]:
        """Return the number of steps of each spell of marked rows.

        Parameters
        ----------
        marked : ndarray of bool, shape (n_rows,)
        gap : int
            Marked rows of an entity that are at most this number of steps apart are in the same
            spell.
        """
        rows = self._order[marked[self._order]]
        steps, entities = self._steps[rows], self._entities[rows]
        ends = np.flatnonzero((np.diff(steps) > gap) | (np.diff(entities) != 0))
        if not len(rows):
            return np.zeros(0, dtype=np.int64)
        first, last = np.append(0, ends + 1), np.append(ends, len(rows) - 1)
        lengths: NDArray[np.int64] = steps[last] - steps[first] + 1
        return lengths

    def gap(self, name: str) -> int:
        """Return the number of steps after which a numeric variable no longer depends on its value.

        A variable without a past, which is constant within entities, always depends on it.
        """
        past = lagged_name(name, 1)
        if past not in self.table.names:
            return self.table.n_rows
        values, before = (self.numbers(one) for one in (name, past))
        known = ~np.isnan(values) & ~np.isnan(before)
        return _forgotten_after(values[known], before[known], self.table.n_rows)

    def numbers(self, name: str) -> Values:
        """Return a numeric variable; NaN where it is missing."""
        return self.table.numbers[self.table.names.index(name)]

    def longest_tail(self, values: Values, gap: int) -> int:
        """Return the longest spell of the highest hundredth of the values."""
        known = np.sort(values[~np.isnan(values)])
        n_tail = max(_LEAST_TAIL, round(_TAIL * len(known)))
        if len(known) <= n_tail:
            return 1
        return int(self.lengths(values > known[-n_tail - 1], gap).max(initial=1))

    def entries(self, name: str) -> dict[Hashable, int]:
        """Return the number of times that a series changes to each category, or begins with it."""
        v = self.table.names.index(name)
        codes = self.table.codes[v].astype(np.int64)[self._order]
        if v in self.table.missing:
            codes = np.where(self.table.missing[v][self._order], -1, codes)
        enters = np.append(True, (np.diff(codes) != 0) | ~self._follows)
        counts = Counter(codes[enters & (codes >= 0)].tolist())
        return {self.table.categories[v][code]: n for code, n in counts.items()}

    def rows_per_gap(self, name: str) -> float:
        """Return how many rows, for missing values, are equivalent to one independent row."""
        v = self.table.names.index(name)
        if v not in self.table.missing:
            return 1.0
        missing = self.table.missing[v][self._order].astype(np.float64)
        first, second = missing[:-1][self._follows], missing[1:][self._follows]
        share = float(missing.mean())
        if not len(first) or share in (0.0, 1.0):
            return 1.0
        product = float(((first - share) * (second - share)).mean())
        memory = min(max(product / (share * (1 - share)), 0.0), 1 - 1 / len(missing))
        return (1 + memory) / (1 - memory)


def _forgotten_after(values: Values, before: Values, longest: int) -> int:
    """Return after how many steps the correlation with the past is small, if it falls evenly."""
    if len(values) < 3 or values.std() == 0 or before.std() == 0:
        return longest
    memory = float(np.corrcoef(values, before)[0, 1])
    if memory <= _FORGOTTEN:
        return 1
    return longest if memory >= 1 else min(longest, ceil(log(_FORGOTTEN) / log(memory)))


def events_beyond(before: Spells, after: Spells, name: str, sign: int, edge: float) -> int:
    """Return the number of events among the new values beyond an edge.

    A spell counts once for every length of the longest spell in which a training series stayed
    among its most extreme values, and at least once.

    Parameters
    ----------
    before, after : Spells
        Training rows and new rows.
    name : str
        A numeric variable.
    sign : {-1, 1}
        1: above the edge; -1: below it.
    edge : float
    """
    gap = before.gap(name)
    usual = before.longest_tail(sign * before.numbers(name), gap)
    lengths = after.lengths(sign * after.numbers(name) > sign * edge, gap)
    return int(np.ceil(lengths / usual).sum())
