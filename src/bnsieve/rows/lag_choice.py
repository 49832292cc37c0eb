"""The number of lags, chosen by the likelihood of held-out rows.

In: variables in order of entity and time, and the number of steps before each row. Out: a
`LagChoice`. For each number of lags, every variable is predicted from the past of all variables, by
a regression of normal scores or a table of counts, to which terms are added one by one. The number
of lags with the highest likelihood of held-out rows is chosen, and the smallest of equals. Even a
small difference counts, because an extra lag only costs time, while a missing lag hides a cause. A
term must gain more than the best of all terms gains by chance (the extended BIC), so lags without
effect add no terms.

The held-out rows are the last quarter of each of several blocks of successive rows. Rows whose past
crosses the border of their part are not used (hv-block validation, Racine 2000).
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.table import MOST_CHOSEN, LagChoice, Table, x_log_x

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

# Rows that are compared at most, and in how many blocks; fewer of many variables.
_MOST_ROWS, _BLOCKS, _BLOCK_ROWS, _LEAST_ROWS = 8_000, 8, 500, 2_000
_MANY_VARIABLES = 50
# Lagged columns at most.
_MOST_COLUMNS = 600
_TRAINED = 0.75
_LEAST_TRAINED, _LEAST_TESTED = 60, 20
# Of the rows that have one step before them, so many must have all lags: rows without are lost.
_LEAST_SHARE = 0.5
_BINS, _MOST_CATEGORIES = 4, 10
_MOST_TERMS = 20
_MANY = 10_000
# What is left of a column given other terms, as a share: less is rounding.
_LEAST_LEFT = 1e-6


@dataclass(frozen=True, eq=False)
class OrderedColumns:
    """Variables in order of entity and time.

    Attributes
    ----------
    variables, static : tuple of ndarray, shape (n_rows,)
        Numbers, with NaN for missing; or codes, with -1 for missing.
    depth : ndarray of int64, shape (n_rows,)
        The number of rows before each row that belong to its past.
    blocks : ndarray of int64, shape (n_blocks + 1,)
        The first row of each block, and the end. Blocks are treated as separate.
    """

    variables: tuple[NDArray[Any], ...]
    static: tuple[NDArray[Any], ...]
    depth: NDArray[np.int64]
    blocks: NDArray[np.int64]

    @property
    def most_lags(self) -> int:
        """The most lags that leave enough rows and not too many columns."""
        most = max(1, min(MOST_CHOSEN, _MOST_COLUMNS // max(1, len(self.variables))))
        least = _LEAST_SHARE * np.count_nonzero(self.depth >= 1)
        counts = [np.count_nonzero(self.depth >= lags) for lags in range(1, most + 1)]
        return max((lags for lags, n in enumerate(counts, 1) if n >= least), default=1)

    def parts(self, lags: int) -> tuple[Places, Places]:
        """Return training rows and test rows, which share no value at any lag."""
        trained, tested = [], []
        for start, end in zip(self.blocks[:-1].tolist(), self.blocks[1:].tolist(), strict=True):
            at = np.arange(start, end)
            border = start + int(_TRAINED * (end - start))
            oldest = np.where(self.depth[start:end] >= lags, at - lags, -1)
            trained.append(at[(oldest >= start) & (at < border)])
            tested.append(at[oldest >= border])
        return np.concatenate(trained), np.concatenate(tested)


def compared_rows(n_rows: int, n_variables: int) -> tuple[Places, NDArray[np.int64]]:
    """Return the rows to compare: some blocks of successive rows, and their first rows."""
    most = max(_LEAST_ROWS, _MOST_ROWS * _MANY_VARIABLES // max(n_variables, _MANY_VARIABLES))
    n_blocks = int(np.clip(min(n_rows, most) // _BLOCK_ROWS, 1, _BLOCKS))
    borders = np.linspace(0, n_rows, n_blocks + 1).astype(np.int64)
    sizes = np.minimum(np.diff(borders), most // n_blocks)
    rows = [np.arange(a, a + n) for a, n in zip(borders[:-1], sizes, strict=True)]
    return np.concatenate(rows), np.concatenate([[0], np.cumsum(sizes)])


def columns_in_order(
    table: Table, order: Places, depth: NDArray[np.int64], static: Collection[str]
) -> OrderedColumns:
    """Return the columns for the comparison of lags.

    Parameters
    ----------
    table : Table
    order : ndarray of int
        The rows of the table, in order of entity and time.
    depth : ndarray of int64
        The depth of these rows.
    static : collection of str
    """
    chosen, blocks = compared_rows(len(order), table.n_variables)
    rows = order[chosen]

    def column(v: int) -> NDArray[Any]:
        if v in table.numbers:
            return table.numbers[v][rows]
        codes = table.codes[v][rows].astype(np.int64)
        return codes if v not in table.missing else np.where(table.missing[v][rows], -1, codes)

    named = [(name in static, column(v)) for v, name in enumerate(table.names)]
    return OrderedColumns(
        tuple(own for is_static, own in named if not is_static),
        tuple(own for is_static, own in named if is_static),
        depth[chosen],
        blocks,
    )


def choose_lags(columns: OrderedColumns) -> LagChoice:
    """Return how many lags predict held-out rows best."""
    most = columns.most_lags
    trained, tested = columns.parts(most)
    while most > 1 and (len(trained) < _LEAST_TRAINED or len(tested) < _LEAST_TESTED):
        most -= 1
        trained, tested = columns.parts(most)
    if most == 1:
        return LagChoice(1, 1)
    rows = np.concatenate([trained, tested])
    is_trained = np.arange(len(rows)) < len(trained)
    numbers = [own for own in columns.variables if own.dtype.kind == "f"]
    others = [own for own in columns.variables if own.dtype.kind != "f"]
    sums = np.zeros(most)
    if numbers:
        scored = _Scored.of(*_lagged(columns, _scores, rows, most))
        for own in numbers:
            target = _normal_scores(own)[rows]
            known = ~np.isnan(target)
            sums += scored.likelihoods(target, known & is_trained, known & ~is_trained, most)
    if others:
        coded = _Coded(*_lagged(columns, _codes, rows, most))
        for own in others:
            codes = own[rows]
            known = codes >= 0
            sums += coded.likelihoods(codes, known & is_trained, known & ~is_trained, most)
    means = sums / len(tested)
    # Equal up to rounding: the same terms.
    best = int(np.flatnonzero(means >= means.max() - 1e-9)[0])
    return LagChoice(best + 1, most, tuple(means.tolist()), len(trained), len(tested))


def _lagged(
    columns: OrderedColumns, read: Callable[[NDArray[Any]], NDArray[Any]], rows: Places, most: int
) -> tuple[list[NDArray[Any]], Places]:
    """Return all variables at all lags as they are read, and the lag of each.

    Static columns are candidates whatever the number of lags.
    """
    variables = [read(one) for one in columns.variables]
    lags = range(1, most + 1)
    found = [one[rows - lag] for lag in lags for one in variables]
    found += [read(one)[rows] for one in columns.static]
    lag_of = [lag for lag in lags for _ in variables] + [1] * len(columns.static)
    return found, np.array(lag_of)


def _normal_scores(numbers: Floats) -> Floats:
    """Return the normal scores of the ranks of numbers; NaN where missing."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    known = ~np.isnan(numbers)
    scores = np.full(len(numbers), np.nan)
    scores[known] = ndtri((rankdata(numbers[known]) - 0.5) / max(1, known.sum()))
    return scores


def _scores(column: NDArray[Any]) -> Floats:
    """Return a column as terms of a regression, shape (n_rows, n_terms); 0 where missing."""
    if column.dtype.kind == "f":
        scores = _normal_scores(column)
        terms = np.stack([scores, scores**2 - 1], axis=1)
        return np.where(np.isnan(terms), 0.0, terms)
    codes = _codes(column)
    return np.asarray(codes[:, np.newaxis] == np.arange(int(codes.max(initial=0)) + 1), np.float64)


def _codes(column: NDArray[Any]) -> NDArray[np.int64]:
    """Return a column as few categories: bins of numbers, rare categories as one, missing as one.

    The codes of what is left count from the most frequent.
    """
    if column.dtype.kind == "f":
        known = column[~np.isnan(column)]
        if not len(known):
            return np.zeros(len(column), dtype=np.int64)
        edges = np.unique(np.quantile(known, np.arange(1, _BINS) / _BINS))
        codes = np.where(np.isnan(column), len(edges) + 1, np.searchsorted(edges, column, "right"))
    else:
        codes = column
    _, codes, counts = np.unique(codes, return_inverse=True, return_counts=True)
    rank = np.empty(len(counts), dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    return np.minimum(rank, _MOST_CATEGORIES - 1)[codes]


@dataclass(frozen=True, eq=False)
class _Scored:
    """Regressions of normal scores.

    Attributes
    ----------
    terms : ndarray of float64, shape (n_rows, n_terms)
        About 0 on average.
    lag_of : ndarray of int, shape (n_terms,)
    """

    terms: Floats
    lag_of: Places

    @classmethod
    def of(cls, columns: Sequence[Floats], lag_of: Places) -> "_Scored":
        widths = [one.shape[1] for one in columns]
        terms = np.concatenate(columns, axis=1)
        return cls(terms - terms.mean(axis=0), np.repeat(lag_of, widths))

    def likelihoods(
        self, target: Floats, trained: NDArray[np.bool_], tested: NDArray[np.bool_], most: int
    ) -> Floats:
        """Return the log-likelihood of the tested rows for each number of lags."""
        n = int(trained.sum())
        if n < _LEAST_TRAINED:
            return np.zeros(most)
        own = target[trained]
        search = _Terms(self.terms[trained], own - own.mean())
        found = np.zeros(most)
        n_before = -1
        for lags in range(1, most + 1):
            search.add(self.lag_of <= lags)
            if len(search.chosen) == n_before:
                found[lags - 1] = found[lags - 2]
                continue
            n_before = len(search.chosen)
            chosen = np.column_stack([np.ones(len(target)), self.terms[:, search.chosen]])
            slopes = np.linalg.lstsq(chosen[trained], own, rcond=None)[0]
            left = target - chosen @ slopes
            variance = max(float((left[trained] ** 2).sum()) / max(1, n - n_before - 1), 1e-12)
            errors = left[tested] ** 2 / variance + np.log(2 * np.pi * variance)
            found[lags - 1] = -0.5 * errors.sum()
        return found


class _Terms:
    """Adds one term after the other to a regression, each the one that gains most.

    What is left of squares and products, given the terms chosen, is kept by a Cholesky
    decomposition that grows with them.
    """

    def __init__(self, terms: Floats, target: Floats) -> None:
        n = len(target)
        sums = terms.sum(axis=0)
        self._terms, self._n = terms, n
        self._means = sums / n
        self._products = terms.T @ target
        self._squares = np.einsum("ij,ij->j", terms, terms) - sums * self._means
        self._whole, self._rest = self._squares.copy(), float((target**2).sum())
        self._cost = 0.5 * np.log(n) + np.log(max(1, terms.shape[1]))
        self._factors: list[Floats] = []
        self.chosen: list[int] = []

    def add(self, allowed: NDArray[np.bool_]) -> None:
        """Add terms among those allowed as long as they gain."""
        while len(self.chosen) < _MOST_TERMS:
            usable = allowed & (self._squares > _LEAST_LEFT * self._whole) & (self._whole > 0)
            usable[self.chosen] = False
            if not usable.any() or self._rest <= 0:
                return
            shares = np.zeros(len(usable))
            np.divide(self._products**2, self._squares, out=shares, where=usable)
            best = int(np.argmax(shares))
            share = min(shares[best] / self._rest, 1 - 1e-12)
            if -0.5 * self._n * np.log1p(-share) <= self._cost:
                return
            own = self._terms[:, best] - self._means[best]
            factor = self._terms.T @ own
            for before in self._factors:
                factor -= before * before[best]
            root = np.sqrt(self._squares[best])
            factor /= root
            self._rest -= shares[best]
            self._products -= factor * (self._products[best] / root)
            self._squares -= factor**2
            self._factors.append(factor)
            self.chosen.append(best)


@dataclass(frozen=True, eq=False)
class _Coded:
    """Tables of counts of categories given those of others.

    Attributes
    ----------
    columns : list of ndarray of int64, shape (n_rows,)
    lag_of : ndarray of int, shape (n_columns,)
    """

    columns: list[NDArray[np.int64]]
    lag_of: Places

    def likelihoods(
        self, target: NDArray[Any], trained: NDArray[np.bool_], tested: NDArray[np.bool_], most: int
    ) -> Floats:
        """Return the log-likelihood of the tested rows for each number of lags."""
        n = int(trained.sum())
        states = np.unique(target[trained | tested])
        if n < _LEAST_TRAINED or len(states) < 2:
            return np.zeros(most)
        own = np.searchsorted(states, target)
        search = _Parents(
            np.array([column[trained] for column in self.columns]), own[trained], len(states)
        )
        found = np.zeros(most)
        n_before = -1
        for lags in range(1, most + 1):
            search.add(self.lag_of, lags)
            if len(search.chosen) == n_before:
                found[lags - 1] = found[lags - 2]
                continue
            n_before = len(search.chosen)
            parents = np.zeros(len(own), dtype=np.int64)
            for column in search.chosen:
                parents = _joined(parents, self.columns[column])
            found[lags - 1] = _likelihood(parents, own, trained, tested, len(states))
        return found


class _Parents:
    """Adds one parent after the other to a table of counts, each the one that gains most.

    Parameters
    ----------
    columns : ndarray of int64, shape (n_columns, n_rows)
    own : ndarray of int64, shape (n_rows,)
    n_states : int
    """

    def __init__(self, columns: NDArray[np.int64], own: NDArray[np.int64], n_states: int) -> None:
        self._columns, self._own, self._n_states = columns, own, n_states
        n = len(own)
        self._x_log_x = x_log_x(np.arange(n + 1))
        self._cost = float(np.log(len(columns)))
        self._cell_cost = 0.5 * (n_states - 1) * float(np.log(n))
        self._parents = np.zeros(n, dtype=np.int64)
        self._score = self._scored(self._parents)
        self._seen = 0
        self.chosen: list[int] = []

    def add(self, lag_of: Places, lags: int) -> None:
        """Add parents of at most so many lags as long as they gain."""
        # Those of fewer lags were tried before.
        candidates = np.flatnonzero((lag_of <= lags) & (lag_of > self._seen))
        self._seen = lags
        while len(candidates) and len(self.chosen) < _MOST_TERMS:
            scores = [self._scored(_joined(self._parents, self._columns[c])) for c in candidates]
            best = int(np.argmax(scores))
            if scores[best] - self._score <= self._cost:
                return
            self._score = scores[best]
            self._parents = _joined(self._parents, self._columns[candidates[best]])
            self.chosen.append(int(candidates[best]))
            candidates = np.setdiff1d(np.flatnonzero(lag_of <= lags), self.chosen)

    def _scored(self, parents: NDArray[np.int64]) -> float:
        """Return the log-likelihood of the rows, less the costs of the lines of the table."""
        counts = np.bincount(parents * self._n_states + self._own)
        sums = np.bincount(parents)
        likelihood = self._x_log_x[counts].sum() - self._x_log_x[sums].sum()
        return float(likelihood - self._cell_cost * np.count_nonzero(sums))


def _joined(parents: NDArray[np.int64], column: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the configurations of parents and one more."""
    both = parents * (int(column.max(initial=0)) + 1) + column
    # Few of many configurations occur.
    return both if len(both) == 0 or both.max() < _MANY else np.unique(both, return_inverse=True)[1]


def _likelihood(
    parents: NDArray[np.int64],
    own: NDArray[np.int64],
    trained: NDArray[np.bool_],
    tested: NDArray[np.bool_],
    n_states: int,
) -> float:
    """Return the log-likelihood of tested rows; the margin counts as one row in each line."""
    n = int(parents.max()) + 1
    cells = np.bincount(parents[trained] * n_states + own[trained], minlength=n * n_states)
    counts = cells.reshape(n, n_states)
    margin = counts.sum(axis=0) + 0.5
    shares = counts + margin / margin.sum()
    shares /= shares.sum(axis=1, keepdims=True)
    return float(np.log(shares[parents[tested], own[tested]]).sum())
