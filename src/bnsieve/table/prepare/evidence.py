"""Association of a column's categories with other columns, in a bounded sample of rows.

In: the categories of one column and the other columns of the same rows. Out: `Evidence`, one table
of categories by categories for each other column that the categories are associated with, beyond
chance. Only these decide how categories are grouped: a column of noise would otherwise find, among
thousands of categories, some that go with it, and grouping those would invent an association.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.table.cut_points import x_log_x

# Another column's categories beyond its most frequent ones count as one, and its numbers are cut
# into so many parts: enough to see what categories say of it.
_MOST_LEVELS = 16
# Only what is surely associated decides: so many standard deviations above chance.
_SURE = 6.0
# Categories have 16 bits.
_MOST_LABELS = 1 << 16
# The most associated columns decide; with more, each category would say the same again.
_MOST_COLUMNS = 32


@dataclass(frozen=True, eq=False)
class Evidence:
    """How often each category occurs with each level of the columns that it says something about.

    Attributes
    ----------
    labels : tuple
        The categories, in the order of their texts.
    counts : ndarray of float64, shape (n_labels, n_categories of all columns)
        Rows of each category with each level; the categories of one column after those of another.
    first : ndarray of int64, shape (n_columns,)
        Where the categories of each column begin.
    n_rows : int
        Rows in which the category is known.
    """

    labels: tuple[Hashable, ...]
    counts: NDArray[np.float64]
    first: NDArray[np.int64]
    n_rows: int

    @classmethod
    def of(cls, column: Sequence[Hashable], others: Mapping[str, Sequence[Any]]) -> "Evidence":
        """Count a column's categories with other columns.

        Parameters
        ----------
        column : sequence
            Categories of some rows; None and NaN are missing.
        others : mapping of str to sequence
            The other columns of the same rows: categories or numbers.

        Returns
        -------
        Evidence
            The same for any order of the rows and of the columns.
        """
        codes, labels = _coded(pd.Series(column))
        coded = {name: _categories(pd.Series(cells)) for name, cells in others.items()}
        return cls.of_codes(codes, labels, coded)

    @classmethod
    def of_codes(
        cls,
        codes: NDArray[np.int64],
        labels: Sequence[Hashable],
        others: Mapping[str, NDArray[np.int64] | NDArray[np.float64]],
    ) -> "Evidence":
        """Count a column's categories with other columns.

        Parameters
        ----------
        codes : ndarray of int64, shape (n_rows,)
            Places among the categories; -1 where missing.
        labels : sequence
            In the order of their texts.
        others : mapping of str to ndarray, shape (n_rows,)
            Integers are codes, -1 where missing, whose order does not depend on the rows; others
            are numbers, NaN where missing.
        """
        codes, labels = _with_company(codes, labels)
        tables = []
        for name in sorted(others):
            own = others[name]
            categories = _few(_cut(own) if own.dtype.kind == "f" else own.astype(np.int64))
            n_categories = int(categories.max(initial=-1)) + 1
            both = (codes >= 0) & (categories >= 0)
            cells = codes[both] * n_categories + categories[both]
            above_chance = _association(cells, n_categories)
            if above_chance > _SURE:
                table = np.bincount(cells, minlength=len(labels) * n_categories)
                tables.append((-above_chance, name, table.reshape(-1, n_categories)))
        chosen = [table for *_, table in sorted(tables, key=lambda one: one[:2])[:_MOST_COLUMNS]]
        widths = [table.shape[1] for table in chosen]
        first = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)[: len(chosen)]
        counts = np.hstack([np.zeros((len(labels), 0)), *chosen]).astype(np.float64)
        return cls(tuple(labels), counts, first, int((codes >= 0).sum()))

    @property
    def n_free(self) -> int:
        """Number of probabilities that each group of categories has to learn."""
        return int(self.counts.shape[1]) - len(self.first)

    def gain(self, counts: NDArray[np.float64]) -> float:
        """Return what groups tell about the other columns, in nats, less what they cost.

        `counts` are of groups, rows as in `counts`. Each group pays half a logarithm of the rows
        for each probability (the Bayesian information criterion).
        """
        whole = counts.sum(axis=0, keepdims=True)
        told = float(self.log_likelihoods(counts).sum() - self.log_likelihoods(whole).sum())
        return told - (len(counts) - 1) * self.price

    @property
    def price(self) -> float:
        """What one more group costs, in nats."""
        return 0.5 * self.n_free * float(np.log(max(self.n_rows, 2)))

    def log_likelihoods(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-likelihood of the other columns in each group, shape (n_groups,)."""
        if not len(self.first):
            return np.zeros(len(counts))
        totals = np.add.reduceat(counts, self.first, axis=1)
        told: NDArray[np.float64] = x_log_x(counts).sum(axis=1) - x_log_x(totals).sum(axis=1)
        return told


def _association(cells: NDArray[np.int64], n_categories: int) -> float:
    """Return the standard deviations by which two columns' categories agree beyond chance.

    Chance is every arrangement of the rows with these margins, so that few rows per category do not
    mislead. `cells` holds the category and the level of each row in one number.
    """
    keys, counts = np.unique(cells, return_counts=True)
    pairs = np.array(np.divmod(keys, max(n_categories, 1)), dtype=np.uint16)
    if not len(keys):
        return 0.0
    found = _native.strata_statistics(pairs, counts.astype(np.int64))
    return (found.damped - found.mean) / math.sqrt(found.variance) if found.variance > 0 else 0.0


def _with_company(
    codes: NDArray[np.int64], labels: Sequence[Hashable]
) -> tuple[NDArray[np.int64], list[Hashable]]:
    """Leave out categories of one row, which go with anything, and the rarest beyond 16 bits."""
    counts = np.bincount(codes[codes >= 0], minlength=len(labels))
    frequent = np.argsort(-counts, kind="stable")[:_MOST_LABELS]
    kept = np.sort(frequent[counts[frequent] > 1])
    place = np.full(len(labels) + 1, -1)
    place[kept] = np.arange(len(kept))
    return place[codes], [labels[i] for i in kept.tolist()]


def _categories(column: "pd.Series[Any]") -> NDArray[np.int64] | NDArray[np.float64]:
    """Return the numbers of another column, or the codes of its categories."""
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    return _coded(column)[0]


def _coded(column: "pd.Series[Any]") -> tuple[NDArray[np.int64], list[Hashable]]:
    """Return codes, -1 where missing, and the categories in the order of their texts."""
    codes, found = pd.factorize(column)
    labels: list[Hashable] = found.tolist()
    order = sorted(range(len(labels)), key=lambda i: str(labels[i]))
    place = np.empty(len(labels) + 1, dtype=np.int64)
    place[order] = np.arange(len(labels))
    place[-1] = -1
    return place[codes], [labels[i] for i in order]


def _cut(values: NDArray[Any]) -> NDArray[np.int64]:
    """Cut numbers into parts of about as many rows each; -1 where missing."""
    known = np.isfinite(values)
    if not known.any():
        return np.full(len(values), -1)
    cuts = np.unique(np.quantile(values[known], np.arange(1, _MOST_LEVELS // 2) * 2 / _MOST_LEVELS))
    return np.where(known, np.searchsorted(cuts, values, side="right"), -1)


def _few(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return codes in the order of frequency; the categories beyond the first few are one."""
    counts = np.bincount(codes[codes >= 0], minlength=1)
    place = np.empty(len(counts) + 1, dtype=np.int64)
    place[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    place[-1] = -1
    return np.minimum(place[codes], _MOST_LEVELS - 1)
