"""All pairs of variables at once, and which of them, taken together, a target depends on most.

Bits are counted: rows in which two variables have two levels, and how many of them have each level
of the target. That is a test of each pair's joint levels against the target. It sees all pairs, so
that nothing is left to luck; but its work grows with their number, and it sees no more than two.
"""

import numpy as np
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.sieve.association import indicators
from bnsieve.table import Table

# Two that act together show in few rows.
_ROWS = 1_024
# Variables of more levels have few rows for each two of them.
_MOST_LEVELS = 8
# Of all variables together: counts of each two take 128 MB.
_MOST_LEVELS_IN_ALL = 4_096
# Pairs of levels, for each level of the target, that take about as long as a machine.
_QUICK = 200_000


def is_narrow(table: Table) -> bool:
    """Tell whether some target's pairs can be looked at in as little time as a machine takes."""
    return _is_quick(int(table.n_levels[_seen(table)].sum()), 1)


def _seen(table: Table) -> NDArray[np.intp]:
    return np.flatnonzero((table.n_levels >= 2) & (table.n_levels <= _MOST_LEVELS))


def _is_quick(n_levels: int, n_passes: int) -> bool:
    return n_passes * n_levels**2 / 2 <= _QUICK


class PairScan:
    """Looks at all pairs of a table's variables of few levels.

    Parameters
    ----------
    table : Table
    seed : int
        Of the choice of rows.

    Attributes
    ----------
    seen : ndarray of bool
        The variables that are looked at.
    """

    def __init__(self, table: Table, seed: int) -> None:
        n_levels = table.n_levels
        self._variables = _seen(table)
        self._place: dict[int, int] = {}
        self.seen = np.zeros(len(n_levels), dtype=bool)
        if len(self._variables) < 3 or n_levels[self._variables].sum() > _MOST_LEVELS_IN_ALL:
            return
        self._place = {int(v): i for i, v in enumerate(self._variables)}
        self.seen[self._variables] = True
        self._sizes = n_levels[self._variables]
        self._first = np.concatenate([[0], np.cumsum(self._sizes)])
        rows = np.arange(table.n_rows)
        if table.n_rows > _ROWS:
            rows = np.sort(np.random.default_rng(seed).permutation(rows)[:_ROWS])
        few = table.select([table.names[v] for v in self._variables]).take(rows)
        self._n_rows = len(rows)
        self._chance: dict[tuple[int, bool], NDArray[np.float64]] = {}
        self._bits = indicators(few, self._first, 0, len(rows))
        self._together = np.empty((len(self._bits), len(self._bits)))
        _native.count_pairs(self._bits, self._bits, self._together)

    def is_quick(self, target: int) -> bool:
        """Tell whether a target's pairs can be looked at in as little time as a machine takes."""
        if target not in self._place:
            return False
        n_levels = int(self._sizes[self._place[target]])
        return _is_quick(int(self._first[-1]), 1 if n_levels == 2 else n_levels)

    def best(
        self, target: int, heard: NDArray[np.bool_], *, beyond_each: bool = False
    ) -> tuple[int, int] | None:
        """Return the two that a target depends on most, among those that count.

        With `beyond_each`, what each of the two tells alone is taken off. None if chance would give
        some two of them as much; see `beyond_chance`.
        """
        if target not in self._place:
            return None
        n_variables = len(self._variables)
        start, end = self._first[self._place[target] :][:2]
        shares = np.bitwise_count(self._bits[start:end]).sum(axis=1) / self._n_rows
        present = np.flatnonzero(shares)
        if len(present) < 2:
            return None
        ours = heard[self._variables]
        statistic = np.zeros((n_variables, n_variables))
        alone = np.zeros(n_variables)
        spread = np.zeros_like(statistic)
        # Of two levels both spread alike: what one has more, the other lacks.
        both = len(present) == 2 and shares.sum() == 1.0
        for level in present[: 1 if both else None]:
            marked = self._bits & self._bits[start + level]
            share = float(shares[level])
            _native.spread_over_pairs(
                self._bits, marked, self._first, ours, self._together, share, self._n_rows, spread
            )
            scale = share * (1.0 - share) if both else share
            spread /= scale
            statistic += spread
            alone += self._spread_of_each(self._together[start + level], share) / scale
        if beyond_each:
            statistic -= alone[:, None] + alone
        statistic -= self._by_chance(len(present) - 1, beyond_each)
        a, b = np.unravel_index(np.argmax(statistic), statistic.shape)
        if not statistic[a, b] > 0:
            return None
        return int(self._variables[a]), int(self._variables[b])

    def _spread_of_each(self, marked: NDArray[np.float64], share: float) -> NDArray[np.float64]:
        """Return of each variable what `spread_over_pairs` gives of two."""
        rows = np.diagonal(self._together)
        more = np.divide(
            (marked - share * rows) ** 2, rows, out=np.zeros_like(marked), where=rows > 0
        )
        summed: NDArray[np.float64] = np.add.reduceat(more, self._first[:-1])
        return summed

    def _by_chance(self, free: int, beyond_each: bool) -> NDArray[np.float64]:
        """Return what chance would hardly give any of the pairs; below the diagonal infinity.

        See `beyond_chance`; `free` are the target's levels less one.
        """
        if (free, beyond_each) in self._chance:
            return self._chance[free, beyond_each]
        sizes = self._sizes - 1.0
        all_free = free * np.outer(sizes, sizes)
        if not beyond_each:
            all_free += free * (sizes[:, None] + sizes)
        x = 2 * np.log(len(self._variables))
        most: NDArray[np.float64] = all_free + 2 * np.sqrt(all_free * x) + 2 * x
        most[np.tril_indices(len(most))] = np.inf
        self._chance[free, beyond_each] = most
        return most
