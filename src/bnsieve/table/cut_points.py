"""Bin edges for numeric columns.

Four ways: bins of equal frequency, of equal width, those that lose least of what the column tells
about other columns (after Hartemink, 2001), and as many as the columns it is most associated with
can use (top down, by description length, after Fayyad and Irani, 1993). Bins are closed on the
left: a value on a cut belongs to the bin above.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Codes = NDArray[np.int64]

# The fine bins from which the last two ways start: fine enough for any use, and few enough that
# each holds some rows.
FINE_BINS = 30
COARSE_BINS = 5
# A cut may move past one in so many rows if that spares the reader digits.
_ROWS_PER_SLACK = 200
# Fewer rows above a frequent value are no bin.
_FEWEST_ABOVE = 5
# Counting more columns for each would change the sums of information little.
MAX_PARTNERS = 12


def equal_frequency(values: Values, n_bins: int) -> Values:
    """Return at most ``n_bins - 1`` cuts between which about equally many values lie.

    Equal values stay together, so that there are fewer bins where few values repeat. A value that
    fills more than a bin, such as zero, is parted from those above it.
    """
    ordered = np.sort(values)
    ranks = np.arange(1, n_bins) * len(ordered) / n_bins
    cuts = ordered[np.round(ranks).astype(np.int64).clip(0, len(ordered) - 1)]
    frequent = np.unique(cuts[1:][cuts[1:] == cuts[:-1]])
    above = np.searchsorted(ordered, frequent, side="right")
    above = above[above <= len(ordered) - _FEWEST_ABOVE]
    return _tidied(np.sort([*cuts, *ordered[above]]), ordered)


def equal_width(values: Values, n_bins: int) -> Values:
    """Return at most ``n_bins - 1`` cuts at equal distances; bins without values are not made."""
    ordered = np.sort(values)
    return _tidied(np.linspace(ordered[0], ordered[-1], n_bins + 1)[1:-1], ordered)


def binned(values: Values, cuts: Values) -> Codes:
    """Return each value's bin; -1 for NaN."""
    codes = np.searchsorted(cuts, values, side="right")
    return np.where(np.isnan(values), -1, codes)


def least_loss(
    fine: Sequence[Codes], numeric: Sequence[int], n_bins: dict[int, int]
) -> list[list[int]]:
    """Merge neighbouring bins, one of each column at a time, where it loses least information.

    Parameters
    ----------
    fine : sequence of ndarray of int64, shape (n_rows,)
        All columns as codes, -1 where missing.
    numeric : sequence of int
        Which of them have bins to merge.
    n_bins : dict
        How many bins each of these shall have in the end.

    Returns
    -------
    list of list of int
        For each numeric column the first fine bin of each merged bin but the first.
    """
    codes = dict(enumerate(fine))
    starts = {i: list(range(int(codes[i].max()) + 1)) for i in numeric}
    partners = {i: strongest_partners(fine, i) for i in numeric}
    while any(len(starts[i]) > n_bins[i] for i in numeric):
        for i in numeric:
            if len(starts[i]) <= n_bins[i]:
                continue
            loss = sum(
                (_merge_loss(_joint(codes[i], codes[j])) for j in partners[i]),
                start=np.zeros(len(starts[i]) - 1),
            )
            if not partners[i]:  # nothing to keep: even out the frequencies
                counts = np.bincount(codes[i][codes[i] >= 0], minlength=len(starts[i]))
                loss = (counts[:-1] + counts[1:]).astype(np.float64)
            lower = int(np.argmin(loss))
            codes[i] = codes[i] - (codes[i] > lower)
            del starts[i][lower + 1]
    return [starts[i][1:] for i in numeric]


def shortest_description(
    fine: Sequence[Codes], numeric: Sequence[int], n_bins: dict[int, int]
) -> list[list[int]]:
    """Cut each column where that helps most to describe the columns it is most associated with.

    A cut costs half the logarithm of the number of rows for each share of a column's categories
    that it adds. What it saves beyond that is summed over the columns for which it saves anything;
    the cut is made if the sum exceeds the logarithm of the number of places where it could be.
    Parameters and returns are those of `least_loss`; `n_bins` is the largest number. A column gets
    one cut at least, for a column with a single bin tells nothing to anyone.
    """
    # The finer the bins to be described, the less any cut seems worth.
    coarse = [
        codes * COARSE_BINS // (codes.max() + 1) if i in set(numeric) else codes
        for i, codes in enumerate(fine)
    ]
    return [_splits(fine[i], i, coarse, n_bins[i]) for i in numeric]


def _splits(fine: Codes, column: int, coarse: Sequence[Codes], n_bins: int) -> list[int]:
    joint = [_joint(fine, coarse[j]) for j in strongest_partners(coarse, column)]
    n_fine = int(fine.max()) + 1
    if n_fine < 2:
        return []
    below = [np.concatenate([table[:1] * 0, table.cumsum(axis=0)]) for table in joint]
    cuts: list[int] = []
    # Of bins between two cuts, which most cuts elsewhere leave as they are.
    known: dict[tuple[int, int], list[float]] = {}
    while len(cuts) + 1 < n_bins:
        saved: dict[int, float] = {}
        for bounds in pairwise([0, *cuts, n_fine]):
            if bounds not in known:
                known[bounds] = _savings(below, *bounds, n_fine).tolist()
            lower, upper = bounds
            saved.update(zip(range(lower + 1, upper), known[bounds], strict=True))
        best = max(saved, key=lambda place: (saved[place], -abs(place - n_fine // 2)), default=0)
        if not best or (saved[best] <= 0 and cuts):
            break
        cuts = sorted([*cuts, best])
    return cuts


def _savings(
    below: Sequence[NDArray[np.float64]], lower: int, upper: int, n_fine: int
) -> NDArray[np.float64]:
    """Return what a cut before each of the bins lower + 1 .. upper - 1 saves, in nats.

    Parameters
    ----------
    below : sequence of ndarray of float64, shape (n_fine + 1, n_labels)
        Of each partner the rows that lie below each fine bin, by its categories.
    """
    saved = np.full(upper - lower - 1, -np.log(n_fine - 1))
    for table in below:
        left = table[lower + 1 : upper] - table[lower]
        both = table[upper] - table[lower]
        gain = _row_fits(left) + _row_fits(both - left) - _fit(both)
        cost = 0.5 * np.log(table[-1].sum()) * (np.count_nonzero(both) - 1)
        saved += np.maximum(0.0, gain - cost)
    return saved


def strongest_partners(fine: Sequence[Codes], column: int) -> list[int]:
    """Return the columns with which one goes together more than by chance, the strongest first."""
    excess = {}
    for other, codes in enumerate(fine):
        if other == column:
            continue
        table = _joint(fine[column], codes)
        gain = _fits(table) - _fit(table.sum(axis=0))
        rows, columns = (np.count_nonzero(table.sum(axis=axis)) for axis in (1, 0))
        excess[other] = 2 * gain - (rows - 1) * (columns - 1)
    order = sorted(excess, key=lambda other: (-excess[other], other))
    return [other for other in order if excess[other] > 0][:MAX_PARTNERS]


def _joint(a: Codes, b: Codes) -> NDArray[np.float64]:
    """Count two columns together, rows in which both are known."""
    shape = int(a.max()) + 1, int(b.max()) + 1
    if min(a.min(), b.min()) < 0:
        known = (a >= 0) & (b >= 0)
        a, b = a[known], b[known]
    cells = np.bincount(a * shape[1] + b, minlength=shape[0] * shape[1])
    return cells.reshape(shape).astype(np.float64)


def _merge_loss(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the information about the columns that merging each two neighbouring rows loses."""
    upper, lower = table[:-1], table[1:]
    return _row_fits(upper) + _row_fits(lower) - _row_fits(upper + lower)


def _row_fits(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log-likelihood of each row's counts at its own shares."""
    logs = table * np.log(np.maximum(table, 1.0))
    totals = table.sum(axis=1)
    fits: NDArray[np.float64] = logs.sum(axis=1) - totals * np.log(np.maximum(totals, 1.0))
    return fits


def _fits(table: NDArray[np.float64]) -> float:
    return float(_row_fits(table).sum())


def _fit(counts: NDArray[np.float64]) -> float:
    return float(_row_fits(counts[np.newaxis])[0])


def between(ordered: Values, places: Sequence[int], cuts: Values) -> Values:
    """Return some of the fine cuts, by the first fine bin above each, tidied."""
    return _tidied(cuts[[place - 1 for place in places]], ordered) if len(places) else cuts[:0]


def tidy_cut(below: float, above: float) -> float:
    """Return the number of fewest digits above one value and not above another."""
    return _shortest(0.5 * below + 0.5 * above, below, above)


def _tidied(cuts: Values, ordered: Values) -> Values:
    """Give cuts as few digits as part almost the same values; drop those that part nothing.

    Parameters
    ----------
    cuts : ndarray of float64
    ordered : ndarray of float64
        The values, sorted.
    """
    slack = len(ordered) // _ROWS_PER_SLACK
    found: dict[int, float] = {}
    for cut in np.unique(cuts).tolist():
        above = int(np.searchsorted(ordered, cut, side="left"))
        if not 0 < above < len(ordered):
            continue
        lowest = float(ordered[max(0, above - 1 - slack)])
        highest = float(ordered[min(len(ordered) - 1, above + slack)])
        short = _shortest(cut, lowest, highest)
        found.setdefault(int(np.searchsorted(ordered, short, side="left")), short)
    return np.array([found[place] for place in sorted(found)], dtype=np.float64)


def _shortest(cut: float, below: float, above: float) -> float:
    """Round a cut to the fewest digits that leave it above one value and not above another."""
    for digits in range(1, 17):
        rounded = float(f"{cut:.{digits}g}")
        if below < rounded <= above:
            return rounded
    return above


def x_log_x(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return counts times their logarithms, 0 for 0."""
    product: NDArray[np.float64] = counts * np.log(np.maximum(counts, 1.0))
    return product
