"""A last stage for bins: remove parents that finer bins of the other parents explain.

In: the result of a search over bins, and rows with their numbers. Out: the same with fewer parents.
Within a bin, a parent's number still varies. The bin misses the effect of this variation, and false
edges from columns associated with the number make up for it. The more rows, the more false edges.
With finer and finer bins of the other parents, the information of a false parent given these goes
to zero. A true parent keeps its own information.

The weaker a parent, the more rows are needed to see this. If there are too few rows, a parent stays
only if it has more information than it shares with the other parents. This bounds the information
that these can leave to a false parent (the data processing inequality).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import MOST_SCORED_ROWS
from bnsieve.decide import ChosenParents, CountScorer
from bnsieve.engine import Map
from bnsieve.learners.refining import with_parents
from bnsieve.search import NetworkSearchResult
from bnsieve.sieve import rank_codes
from bnsieve.table import Table

# Every bin is divided at the edges of so many bins of equal frequency. The finest ones decide for
# which the parent's information given undivided bins is at least so many standard errors.
_FINER = (64, 32, 16, 8, 4)
_LEAST_ERRORS = 10.0
# A parent stays if more than this share of its information given undivided bins is left.
_OWN_SHARE = 0.2
# An edge is weak if its information in the rows that scores count is below so many errors.
_ERRORS_WEAK = 4.0
# In thinner strata, chance is no longer known.
_ROWS_PER_STRATUM = 10


@dataclass(frozen=True)
class _Information:
    """The information of two variables about each other, alone or given others.

    Attributes
    ----------
    nats : float
        The information per row, minus the amount expected by chance.
    error : float
        The standard error if the variables are independent.
    n_rows : int
    """

    nats: float
    error: float
    n_rows: int

    @classmethod
    def of(cls, counts: NDArray[np.int64]) -> "_Information":
        """Estimate it from a table of counts, whose first axis has the strata.

        The estimate is half of Pearson's statistic minus its exact mean given the margins. The
        likelihood ratio would be biased in thin strata.
        """
        rows, columns, strata = counts.sum(axis=2), counts.sum(axis=1), counts.sum(axis=(1, 2))
        n_rows = int(strata.sum())
        in_stratum = np.maximum(strata, 1)
        expected = rows[:, :, None] * columns[:, None, :] / in_stratum[:, None, None]
        statistic = float((counts**2 / np.where(expected > 0, expected, 1)).sum()) - n_rows
        free = [np.maximum((margin > 0).sum(axis=1) - 1, 0) for margin in (rows, columns)]
        df = free[0] * free[1]
        mean = float((df * strata / np.maximum(strata - 1, 1)).sum())
        error = float(np.sqrt(df.sum() / 2)) / n_rows
        return cls((statistic - mean) / (2 * n_rows), error, n_rows)

    @property
    def is_weak(self) -> bool:
        """Whether it is not significant in the number of rows that scores of numbers count."""
        return self.nats * MOST_SCORED_ROWS < _ERRORS_WEAK * self.error * self.n_rows


def remove_explained_parents(
    result: NetworkSearchResult, table: Table, run: Map
) -> NetworkSearchResult:
    """Remove parents with hardly any information given finer bins of the other parents.

    If there are too few rows to decide, a weak parent is also removed, unless it has clearly more
    information than it shares with the other parents.

    Parameters
    ----------
    result : NetworkSearchResult
        A result scored by counts of independent rows. Any other is returned unchanged.
    table : Table
        Rows with these bins and their numbers.
    run : Map
        Distributes the variables over threads.
    """
    scorer = result.scorer
    if not isinstance(scorer, CountScorer) or not table.n_rows:
        return result
    finer, constraints = _FinerBins(table), scorer.constraints

    def choose(target: int) -> ChosenParents:
        left = list(result.network.parents[target])
        required = constraints.required_parents(target)
        while True:
            shares = {v: finer.own_share(target, v, left) for v in left if v not in required}
            least = min(shares, key=shares.__getitem__, default=None)
            if least is None or shares[least] > _OWN_SHARE:
                return ChosenParents(tuple(left), {})
            left.remove(least)

    chosen = list(run(choose, range(table.n_variables)))
    return with_parents(result, scorer, chosen)


class _FinerBins:
    """Counts of variables in finer and finer strata of others."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._codes: dict[tuple[int, int], NDArray[np.int64]] = {}

    def own_share(self, target: int, parent: int, parents: Sequence[int]) -> float:
        """Return a lower bound of the share of a parent's information that is its own.

        It is 1 if nothing contradicts that.
        """
        others = [v for v in parents if v != parent]
        if not any(v in self.table.numbers for v in others):
            return 1.0
        before = self._information(target, parent, others, 1)
        if before is None or before.nats <= 0:
            return 1.0
        for n_bins in _FINER:
            found = self._information(target, parent, others, n_bins)
            if found is not None and _LEAST_ERRORS * found.error <= before.nats:
                # Bins without width are assumed to explain as much again as the last division.
                coarser = self._information(target, parent, others, n_bins // 2) or before
                falls_further = max(0.0, coarser.nats - found.nats)
                return (found.nats - falls_further) / before.nats
        if before.n_rows > MOST_SCORED_ROWS and before.is_weak:
            return 1.0 - max(0.0, self._shared(parent, others)) / before.nats
        return 1.0

    def _information(
        self, target: int, parent: int, others: Sequence[int], n_bins: int
    ) -> _Information | None:
        """Return the information of two variables about each other; None in too small strata."""
        both = [self._finer(v, 1) for v in (parent, target)]
        given = [self._finer(v, n_bins) for v in others]
        known = np.logical_and.reduce([own >= 0 for own in (*both, *given)])
        strata = _strata([own[known] for own in given])
        if (strata.max(initial=0) + 1) * _ROWS_PER_STRATUM > len(strata):
            return None
        return _Information.of(_counts(strata, *(own[known] for own in both)))

    def _shared(self, parent: int, others: Sequence[int]) -> float:
        """Return the information that a parent shares with the bins of the others, per row."""
        own, given = self._finer(parent, 1), [self._finer(v, 1) for v in others]
        known = np.logical_and.reduce([codes >= 0 for codes in (own, *given)])
        strata = _strata([codes[known] for codes in given])
        return _Information.of(_counts(np.zeros_like(strata), own[known], strata)).nats

    def _finer(self, v: int, n_bins: int) -> NDArray[np.int64]:
        """Return the codes of a variable in finer bins; -1 for missing values."""
        if (v, n_bins) not in self._codes:
            codes: NDArray[np.int64] = self.table.codes[v].astype(np.int64)
            missing = self.table.missing.get(v)
            if v in self.table.numbers and n_bins > 1:
                narrow = rank_codes(self.table.numbers[v], n_bins)
                codes = np.unique(codes * n_bins + narrow, return_inverse=True)[1]
            if missing is not None:
                codes = np.where(missing, -1, codes)
            self._codes[v, n_bins] = codes
        return self._codes[v, n_bins]


def _strata(codes: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the number of each row's combination of codes."""
    strata, n_strata = np.zeros(len(codes[0]), dtype=np.int64), 1
    for own in codes:
        size = int(own.max(initial=0)) + 1
        strata, n_strata = strata * size + own, n_strata * size
        if n_strata * _ROWS_PER_STRATUM > len(strata):
            present, strata = np.unique(strata, return_inverse=True)
            n_strata = len(present)
    return strata


def _counts(*codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the combinations of codes, with one axis for each."""
    shape = tuple(int(own.max(initial=0)) + 1 for own in codes)
    cells = np.ravel_multi_index(codes, shape)
    return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape)
