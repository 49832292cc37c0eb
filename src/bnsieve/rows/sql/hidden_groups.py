"""Groups of rows too small to leave a database, estimated from larger groups that may.

In: the groups of the first columns of a family that were returned, once with and once without its
first column. Out: counts of the whole family that add up to all rows.

Columns are added one by one. The rows of a group that are missing from its returned parts belong to
hidden parts. They are spread over these parts, such that the group keeps its total, and the groups
without the first column nearly keep theirs. Apart from that, the added column is taken to be
independent of the first, so that hidden rows add no dependence.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsieve.table import Floats

# Rounds of proportional fitting; totals of groups are met exactly, the others nearly.
_ROUNDS = 8


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of rows by some columns.

    Attributes
    ----------
    keys : ndarray of int64, shape (n_groups,)
        The codes of the columns in mixed radix, the first column the most significant.
    counts : ndarray of int64, shape (n_groups,)
    """

    keys: NDArray[np.int64]
    counts: NDArray[np.int64]


def fill_hidden(
    returned: Sequence[Groups],
    others: Sequence[Groups],
    radices: Sequence[int],
    rng: np.random.Generator,
) -> Groups:
    """Return the groups of a family, with estimates of those that were not returned.

    Parameters
    ----------
    returned : sequence of Groups
        By the first column, by the first two, and so on.
    others : sequence of Groups
        By the second column, by the second and third, and so on.
    radices : sequence of int
        The number of codes of each column.
    rng : Generator
        Rounds estimates up or down.
    """
    found, n_contexts = returned[0], 1
    for larger, margin, radix in zip(returned[1:], others, radices[1:], strict=True):
        found = _with_column(found, larger, margin, radix, n_contexts, rng)
        n_contexts *= radix
    return found


def _with_column(
    found: Groups,
    larger: Groups,
    margin: Groups,
    radix: int,
    n_contexts: int,
    rng: np.random.Generator,
) -> Groups:
    """Return groups by one more column; a context is a group without the first column."""
    within = np.searchsorted(found.keys, larger.keys // radix)
    left = found.counts - np.bincount(within, larger.counts, len(found.keys)).astype(np.int64)
    is_hidden = np.ones((len(left), radix), dtype=np.bool_)
    is_hidden[within, larger.keys % radix] = False
    lacking = np.flatnonzero((left > 0) & is_hidden.any(axis=1))
    contexts, context_of = np.unique(found.keys[lacking] % n_contexts, return_inverse=True)
    rows = np.bincount(context_of, left[lacking], len(contexts)).astype(np.float64)
    wanted = _hidden_rows(contexts, rows, larger, margin, radix, n_contexts)
    group, code = np.nonzero(is_hidden[lacking])
    estimates = _fitted(
        left[lacking].astype(np.float64), wanted.ravel(), group, context_of[group] * radix + code
    )
    counts = _rounded(estimates, left[lacking], group, rng)
    some = counts > 0
    keys = np.concatenate([larger.keys, (found.keys[lacking[group]] * radix + code)[some]])
    counts = np.concatenate([larger.counts, counts[some]])
    order = np.argsort(keys)
    return Groups(keys[order], counts[order])


def _hidden_rows(
    contexts: NDArray[np.int64],
    rows: Floats,
    larger: Groups,
    margin: Groups,
    radix: int,
    n_contexts: int,
) -> Floats:
    """Return how many hidden rows each code has in each context, shape (n_contexts, radix).

    Where the context was not returned with a code, the rows that remain are spread by how frequent
    the codes are in others.
    """
    known = np.full((len(contexts), radix), np.nan)
    place, there = _places(margin.keys // radix, contexts)
    known[place, margin.keys[there] % radix] = margin.counts[there]
    place, there = _places(larger.keys // radix % n_contexts, contexts)
    np.subtract.at(known, (place, larger.keys[there] % radix), larger.counts[there])
    unknown = np.isnan(known)
    known = np.maximum(np.nan_to_num(known), 0.0)
    remaining = np.maximum(rows - known.sum(axis=1), 0.0)
    frequency = 1.0 + np.bincount(margin.keys % radix, margin.counts, radix)
    shares = np.where(unknown, frequency, 0.0)
    shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1.0)
    hidden: Floats = known + shares * remaining[:, np.newaxis]
    return hidden


def _places(
    wanted: NDArray[np.int64], among: NDArray[np.int64]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return which values are among others, and the places of those that are."""
    there = np.isin(wanted, among)
    return np.searchsorted(among, wanted[there]), there


def _fitted(
    totals: Floats, others: Floats, group: NDArray[np.intp], other: NDArray[np.intp]
) -> Floats:
    """Return estimates of cells by proportional fitting; those of a group add up to its total."""
    cells = np.maximum(others[other], 1e-9)
    for _ in range(_ROUNDS):
        cells = _scaled(_scaled(cells, totals, group), others, other)
    return _scaled(np.maximum(cells, 1e-9), totals, group)


def _scaled(cells: Floats, totals: Floats, group: NDArray[np.intp]) -> Floats:
    sums = np.bincount(group, cells, len(totals))
    factors = np.divide(totals, sums, out=np.zeros_like(totals), where=sums > 0)
    return cells * factors[group]


def _rounded(
    cells: Floats, totals: NDArray[np.int64], group: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return whole numbers that add up to the total of each group, at random where they must."""
    first = np.flatnonzero(np.diff(group, prepend=-1))
    last = np.append(first[1:], len(group))[: len(first)] - 1
    before = np.concatenate([[0.0], np.cumsum(cells)])[first]
    sums = np.cumsum(cells) - before[group] + rng.random(len(totals))[group]
    upper = np.clip(np.floor(sums).astype(np.int64), 0, totals[group])
    upper[last] = totals
    lower = np.concatenate([[0], upper[:-1]]).astype(np.int64)[: len(group)]
    lower[first] = 0
    counts: NDArray[np.int64] = upper - lower
    return counts
