"""Interactions with a target: all pairs and triples of variables, or pairs that clauses name.

Bits are counted: rows in which two or three variables have certain categories, and how many of
these have each category of the target. That is a test of the joint categories against the target.
It sees all pairs, or triples, so that nothing is left to luck; but its work grows with their
number, and it sees no more than three.
"""

import numpy as np
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.sieve.association import indicators
from bnsieve.sieve.machines import TrainedMachine
from bnsieve.table import Table

# Clauses of more variables say little about any two of them.
_LONGEST = 4
# A clause names two variables by chance; a second one seldom names the same two.
_FEWEST_CLAUSES = 2
# Two that interact show in few rows.
_ROWS = 1_024
# Of more rows than these, every second word is enough for triples: they are many.
_WORDS_OF_TRIPLES = 8
# Variables of more categories have few rows for each two of them.
_MOST_CATEGORIES = 8
# Of all variables together: counts of each two take 128 MB.
_MOST_CATEGORIES_IN_ALL = 4_096
# Pairs of categories, for each category of the target, that take about as long as a machine.
_QUICK = 200_000
# Triples of categories, for all rows and for each category of the target. The rest for the average
# target, where all variables are targets, takes less time than two long trainings.
_QUICK_TRIPLES = 6_000_000


def is_narrow(table: Table) -> bool:
    """Tell whether some target's pairs can be scanned in as little time as a machine takes."""
    return _is_quick(int(table.n_categories[_scannable(table)].sum()), 1)


def _scannable(table: Table) -> NDArray[np.intp]:
    return np.flatnonzero((table.n_categories >= 2) & (table.n_categories <= _MOST_CATEGORIES))


def _is_quick(n_categories: int, n_passes: int) -> bool:
    return n_passes * n_categories**2 / 2 <= _QUICK


class InteractionScan:
    """Scans all pairs and triples of a table's variables of few categories.

    Parameters
    ----------
    table : Table
    seed : int
        Of the choice of rows.

    Attributes
    ----------
    scanned : ndarray of bool
        The variables that are scanned.
    """

    def __init__(self, table: Table, seed: int) -> None:
        n_categories = table.n_categories
        self._variables = _scannable(table)
        self._place: dict[int, int] = {}
        self.scanned = np.zeros(len(n_categories), dtype=bool)
        self._sizes = n_categories[self._variables]
        if len(self._variables) < 3 or self._sizes.sum() > _MOST_CATEGORIES_IN_ALL:
            return
        self._place = {int(v): i for i, v in enumerate(self._variables)}
        self.scanned[self._variables] = True
        self._first = np.concatenate([[0], np.cumsum(self._sizes)])
        rows = np.arange(table.n_rows)
        if table.n_rows > _ROWS:
            rows = np.sort(np.random.default_rng(seed).permutation(rows)[:_ROWS])
        few = table.select([table.names[v] for v in self._variables]).take(rows)
        self._n_rows = len(rows)
        self._chance: dict[tuple[int, bool], NDArray[np.float64]] = {}
        self._bits = indicators(few, self._first, 0, len(rows))
        self._joint = np.empty((len(self._bits), len(self._bits)))
        _native.count_pairs(self._bits, self._bits, self._joint)
        self._n_fewer, self._fewer = len(rows), self._bits
        if len(rows) > 64 * _WORDS_OF_TRIPLES:
            self._n_fewer = int(np.count_nonzero(np.arange(len(rows)) // 64 % 2 == 0))
            self._fewer = np.ascontiguousarray(self._bits[:, ::2])
        n_known = np.add.reduceat(np.bitwise_count(self._fewer).sum(axis=1), self._first[:-1])
        self._complete = n_known == self._n_fewer

    def is_quick(self, target: int) -> bool:
        """Tell whether a target's pairs can be scanned in as little time as a machine takes."""
        if target not in self._place:
            return False
        return _is_quick(int(self._first[-1]), self._n_passes(target))

    def can_scan_triples(self, target: int) -> bool:
        """Tell whether a target's triples can be scanned in little time."""
        if target not in self._place:
            return False
        once, twice, thrice = (float((self._sizes**power).sum()) for power in (1, 2, 3))
        n_triples = (once**3 - 3 * once * twice + 2 * thrice) / 6
        return (1 + self._n_passes(target)) * n_triples <= _QUICK_TRIPLES

    def _n_passes(self, target: int) -> int:
        n_categories = int(self._sizes[self._place[target]])
        return 1 if n_categories == 2 else n_categories

    def best_pair(
        self, target: int, eligible: NDArray[np.bool_], *, beyond_each: bool = False
    ) -> tuple[int, int] | None:
        """Return the two that a target depends on most, among the eligible.

        With `beyond_each`, what each of the two explains alone is taken off. None if chance would
        give some two of them as much; see `beyond_chance`.
        """
        if target not in self._place:
            return None
        lines, shares, scales, free = self._categories_of(target, self._bits, self._n_rows)
        if not free:
            return None
        n_variables = len(self._variables)
        ours = eligible[self._variables]
        statistic = np.zeros((n_variables, n_variables))
        alone = np.zeros(n_variables)
        spread = np.zeros_like(statistic)
        for line, share, scale in zip(lines, shares.tolist(), scales.tolist(), strict=True):
            marked = self._bits & self._bits[line]
            _native.spread_over_pairs(
                self._bits, marked, self._first, ours, self._joint, share, self._n_rows, spread
            )
            spread /= scale
            statistic += spread
            alone += self._spread_of_each(self._joint[line], share) / scale
        if beyond_each:
            statistic -= alone[:, None] + alone
        statistic -= self._by_chance(free, beyond_each)
        a, b = np.unravel_index(np.argmax(statistic), statistic.shape)
        if not statistic[a, b] > 0:
            return None
        return int(self._variables[a]), int(self._variables[b])

    def best_triple(self, target: int, eligible: NDArray[np.bool_]) -> tuple[int, int, int] | None:
        """Return the three that a target depends on most, among the eligible.

        None if chance would give some three of them as much.
        """
        if target not in self._place:
            return None
        lines, shares, scales, free = self._categories_of(target, self._fewer, self._n_fewer)
        if not free:
            return None
        most_joint = int(self._sizes.max()) ** 3
        all_free = free * (np.arange(most_joint + 1) - 1.0).clip(0)
        triple = _native.strongest_triple(
            self._fewer,
            self._first,
            eligible[self._variables],
            self._complete,
            self._fewer[lines],
            shares,
            scales,
            _most_by_chance(all_free, 3 * np.log(len(self._variables))),
        )
        if not triple:
            return None
        a, b, c = self._variables[triple].tolist()
        return a, b, c

    def _categories_of(
        self, target: int, bits: NDArray[np.uint64], n_rows: int
    ) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64], int]:
        """Return bits, shares and scales of the categories to compare, and their number - 1."""
        start, end = self._first[self._place[target] :][:2]
        shares = np.bitwise_count(bits[start:end]).sum(axis=1) / n_rows
        present = np.flatnonzero(shares)
        own = shares[present]
        if len(present) == 2 and own.sum() == 1.0:
            # Both spread alike: what one has more, the other lacks.
            return start + present[:1], own[:1], own[:1] * own[1:], 1
        return start + present, own, own, max(0, len(present) - 1)

    def _spread_of_each(self, marked: NDArray[np.float64], share: float) -> NDArray[np.float64]:
        """Return of each variable what `spread_over_pairs` gives of two."""
        rows = np.diagonal(self._joint)
        more = np.divide(
            (marked - share * rows) ** 2, rows, out=np.zeros_like(marked), where=rows > 0
        )
        summed: NDArray[np.float64] = np.add.reduceat(more, self._first[:-1])
        return summed

    def _by_chance(self, free: int, beyond_each: bool) -> NDArray[np.float64]:
        """Return what chance would hardly give any of the pairs; below the diagonal infinity.

        See `beyond_chance`; `free` are the target's categories less one.
        """
        if (free, beyond_each) in self._chance:
            return self._chance[free, beyond_each]
        sizes = self._sizes - 1.0
        all_free = free * np.outer(sizes, sizes)
        if not beyond_each:
            all_free += free * (sizes[:, None] + sizes)
        x = 2 * np.log(len(self._variables))
        most = _most_by_chance(all_free, x)
        most[np.tril_indices(len(most))] = np.inf
        self._chance[free, beyond_each] = most
        return most


def _most_by_chance(free: NDArray[np.float64], x: float) -> NDArray[np.float64]:
    """Return what chi-squares of so many degrees of freedom exceed with a chance below exp(-x)."""
    most: NDArray[np.float64] = free + 2 * np.sqrt(free * x) + 2 * x
    return most


def pairs_in_clauses(
    trained: TrainedMachine, eligible: NDArray[np.bool_], most: int
) -> list[tuple[int, int]]:
    """Return the pairs of variables that several clauses name, those of most weight first.

    Parameters
    ----------
    trained : TrainedMachine
    eligible : ndarray of bool, shape (n_variables,)
        The variables that count; clauses are read as if they did not name the others.
    most : int
        How many pairs at most.
    """
    clauses = trained.clauses & eligible[trained.visible]
    sizes = clauses.sum(axis=1)
    several = (sizes >= 2) & (sizes <= _LONGEST)
    # Of wide tables only the columns that are named at all.
    named = np.flatnonzero(clauses[several].any(axis=0))
    own = clauses[np.ix_(several, named)].astype(np.float64)
    weights = trained.machine.sizes[several].astype(np.float64)
    often = np.triu(own.T @ own, k=1) >= _FEWEST_CLAUSES
    rows, columns = np.nonzero(often)
    weight = ((own * weights[:, None]).T @ own)[rows, columns]
    first = np.argsort(-weight, kind="stable")[:most]
    numbers = trained.visible[named]
    return [(int(numbers[rows[i]]), int(numbers[columns[i]])) for i in first]
