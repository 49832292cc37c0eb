"""Tables as screening and machines see them: numbers in bins of ranks, rare categories as one.

Bins that a reader likes have edges of few digits; those here depend on ranks alone, so that what is
found does not depend on the scale of a column.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from bnsieve.counts import category_counts
from bnsieve.table import Codes, Range, Table, code_dtype, ranges_of

# A machine has a literal and, for its target, a class per category: with more categories than this
# it would cost their square.
MACHINE_CATEGORIES = 128
# Categories of this name stand for many.
_POOLED = "(others)"
N_BINS = 5


def rank_codes(values: NDArray[np.float64], n_bins: int) -> NDArray[np.int64]:
    """Return the bin of each value, of about equally many each; -1 of NaN.

    Equal values share a bin. Empty bins are left out. Where nearly all values are equal, those
    below and those above are a bin each.
    """
    known = ~np.isnan(values)
    codes = np.full(len(values), -1, dtype=np.int64)
    if not known.any():
        return codes
    ranks = rankdata(values[known])
    bins = np.minimum((ranks - 0.5) * n_bins / len(ranks), n_bins - 1).astype(np.int64)
    if bins.min() == bins.max():
        bins = np.sign(ranks - np.median(ranks)).astype(np.int64)
    codes[known] = np.unique(bins, return_inverse=True)[1]
    return codes


def with_rank_bins(table: Table, n_bins: int = N_BINS) -> Table:
    """Return the table with each number binned by its rank; itself if it has no numbers.

    The categories of a number are `Range`s, in order.
    """
    if not table.numbers:
        return table
    bins = {}
    for v, values in table.numbers.items():
        codes = rank_codes(values, n_bins)
        known = codes >= 0
        categories = ranges_of(values[known], codes[known]) if known.any() else (Range(),)
        bins[v] = np.maximum(codes, 0), categories
    return with_bins(table, bins)


def with_bins(
    table: Table, bins: Mapping[int, tuple[NDArray[np.integer], Sequence[Hashable]]]
) -> Table:
    """Return the table with other codes and categories of some numbers, which stay beside them."""
    categories = list(table.categories)
    for v, (_, names) in bins.items():
        categories[v] = tuple(names)
    codes: Codes = table.codes.astype(code_dtype(max(map(len, categories))))
    for v, (bins_of_v, _) in bins.items():
        codes[v] = bins_of_v
    return replace(table, codes=codes, categories=tuple(categories))


def numeric_duplicates(table: Table, originals: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return which columns are duplicates, where some of those with the same bins hold numbers.

    A number duplicates another if it has the same ranks, or the same from the other end; it
    duplicates no category.

    Parameters
    ----------
    table : Table
    originals : ndarray of int64, shape (n_variables,)
        For each variable the first one with the same bins, or its own number.
    """
    found = originals.copy()
    sizes = np.bincount(originals)
    first: dict[tuple[int, bytes], int] = {}
    for v, original in enumerate(originals.tolist()):
        key = _ranks_from_either_end(table, v) if sizes[original] > 1 else b""
        found[v] = first.setdefault((original, key), v)
    return found


def _ranks_from_either_end(table: Table, v: int) -> bytes:
    """Return the ranks of a number, the same if all its values are negated; nothing if none."""
    if v not in table.numbers:
        return b""
    ranks = rankdata(table.numbers[v], method="dense", nan_policy="omit")
    return min(ranks.tobytes(), (np.nanmax(ranks) + 1 - ranks).tobytes())


def pooled(table: Table) -> Table:
    """Return the table as machines see it: of a column of many categories the rarest are one."""
    if table.n_categories.max() <= MACHINE_CATEGORIES:
        return table
    codes, categories = table.codes.copy(), list(table.categories)
    for variable in np.flatnonzero(table.n_categories > MACHINE_CATEGORIES).tolist():
        counts = category_counts(table, variable)
        # A stable order, so that of categories equally frequent the first ones stay.
        kept = np.sort(np.argsort(-counts, kind="stable")[: MACHINE_CATEGORIES - 1])
        place = np.full(len(counts), len(kept))
        place[kept] = np.arange(len(kept))
        codes[variable] = place[codes[variable]]
        if variable in table.missing:
            codes[variable, table.missing[variable]] = 0
        names = table.categories[variable]
        categories[variable] = (*(names[category] for category in kept.tolist()), _POOLED)
    dtype = code_dtype(max(map(len, categories)))
    return Table(codes.astype(dtype, copy=False), table.names, tuple(categories), table.missing)
