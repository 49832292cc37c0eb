"""Numbers: quantiles and grid, their format as text, and numbers that depend on others.

In: the numbers of some rows, and their cells. Out: `NumberValues`, `NumberText`, `Following`; the
text of drawn numbers.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from bnsieve.synthesize.records import Following, NumberText, NumberValues
from bnsieve.table import EXACT, Floats

# Different values that are kept; of more, so many quantiles.
MOST_VALUES = 1_024
# Values that stand in several rows are kept if they have at least such a share of the rows.
_HEAPED = 0.1
# More digits behind the point are noise of floats.
_MOST_DECIMALS = 8
_CELLS_TO_READ = 1_000
_NUMBER = re.compile(
    r"(?P<prefix>[^\d+\-\u2212.,]*)(?P<number>[+\-\u2212]?\d[\d.,]*)(?P<suffix>\D*)"
)
# The beginning of a cell that gives a limit.
_LIMITS = ("<", ">", "≤", "≥")
# Of ranks: what follows from a number, and what follows up to a remainder.
_SAME, _LIKE = 0.9999, 0.9
_FEWEST = 20
# What remains is compared without its ends.
_MOST_LEFT = (0.01, 0.99)
# Steps by which a rounded function may differ from the line between two of its rounded values.
_ROUNDINGS = 3.001


def number_values(numbers: Floats, edges: Sequence[float] | None = None) -> NumberValues:
    """Return the distribution of numbers, without NaN."""
    known = np.sort(numbers[np.isfinite(numbers)])
    own_edges = tuple(map(float, edges or ()))
    if not len(known):
        return NumberValues(np.zeros(1), np.ones(1), True, 0.0, 0.0, 0, own_edges)
    values, counts = np.unique(known, return_counts=True)
    step, decimals = grid_of(values)
    origin = float(values[0])
    if len(values) <= MOST_VALUES:
        below = np.cumsum(counts) / len(known)
        below[-1] = 1.0
        # Every value of a finite grid may occur; of numbers without a grid, any between these.
        exact = step > 0 or len(values) < _FEWEST
        if exact:
            return NumberValues(values, below, True, step, origin, decimals, own_edges)
    below = np.linspace(0.0, 1.0, MOST_VALUES + 1)
    quantiles = known[np.round(below * (len(known) - 1)).astype(np.int64)]
    if step > 0:
        quantiles, below = _with_frequent(quantiles, below, values, counts)
    return NumberValues(quantiles, below, False, step, origin, decimals, own_edges)


def _with_frequent(
    quantiles: Floats, below: Floats, values: Floats, counts: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Return quantiles and the shares below them, with the frequent values as often as they are.

    Interpolation between quantiles makes no value more frequent than its neighbours. A frequent
    value, such as a list price, therefore gets two entries: its first and its last share.
    """
    repeated = np.flatnonzero(counts > 1)
    if counts[repeated].sum() < _HEAPED * counts.sum():
        return quantiles, below
    frequent = np.sort(repeated[np.argsort(-counts[repeated], kind="stable")][:MOST_VALUES])
    last = np.cumsum(counts)[frequent] / counts.sum()
    first = last - counts[frequent] / counts.sum()
    place = np.searchsorted(first, below, side="right") - 1
    is_inside = (place >= 0) & (below <= last[np.maximum(place, 0)])
    shares = np.concatenate([below[~is_inside], np.nextafter(first, 1.0), last])
    found = np.concatenate([quantiles[~is_inside], values[frequent], values[frequent]])
    order = np.lexsort((shares, found))
    return found[order], np.maximum.accumulate(shares[order])


def grid_of(values: Floats) -> tuple[float, int]:
    """Return the step of the grid of some values, and its decimals; 0 if there is none."""
    for decimals in range(_MOST_DECIMALS + 1):
        scaled = values * 10.0**decimals
        if np.abs(scaled).max() >= EXACT:
            break
        whole = np.round(scaled)
        if np.abs(scaled - whole).max() <= 1e-9 * max(1.0, float(np.abs(scaled).max())):
            steps = np.diff(whole.astype(np.int64))
            step = int(np.gcd.reduce(steps)) if len(steps) else 1
            return step / 10.0**decimals, decimals
    return 0.0, 0


def number_text(cells: Sequence[str], counts: NDArray[np.int64], comma: bool) -> NumberText:
    """Return the format of most cells with numbers."""
    found: Counter[tuple[str, str]] = Counter()
    decimals: Counter[int] = Counter()
    thousands, has_last_zeros = 0, False
    point, other = (",", ".") if comma else (".", ",")
    for text, n in list(zip(cells, counts.tolist(), strict=True))[:_CELLS_TO_READ]:
        match = _NUMBER.fullmatch(text)
        if match is None:
            continue
        found[match["prefix"], match["suffix"]] += n
        number = match["number"]
        decimals[len(number.rpartition(point)[2]) if point in number else 0] += n
        has_last_zeros |= point in number and number.endswith("0")
        thousands += n * (other in number)
    if not found:
        return NumberText()
    (prefix, suffix), _ = found.most_common(1)[0]
    digits, n_same = decimals.most_common(1)[0]
    # Who writes 24.0 writes so many digits always; the cells that do not are of another kind.
    fixed = has_last_zeros or n_same == sum(decimals.values())
    return NumberText(prefix, suffix, digits if fixed else -1, comma, thousands > 0)


def limits_in(
    texts: Sequence[str], counts: NDArray[np.int64], numbers: Floats
) -> tuple[tuple[float, str], ...]:
    """Return the numbers that most cells give as a limit, such as "<0.4", each with this cell.

    Parameters
    ----------
    texts : sequence of str, length n
        Different cells.
    counts : ndarray of int64, shape (n,)
    numbers : ndarray of float64, shape (n,)
        What is read of each cell; NaN for one that is no number.
    """
    of_number: dict[float, Counter[str]] = {}
    limits = {text for text in texts if text.lstrip().startswith(_LIMITS)}
    wanted = {
        number for text, number in zip(texts, numbers.tolist(), strict=True) if text in limits
    }
    for text, count, number in zip(texts, counts.tolist(), numbers.tolist(), strict=True):
        if number in wanted:
            of_number.setdefault(number, Counter())[text] += count
    found = []
    for number, cells in sorted(of_number.items()):
        n_limits = sum(count for text, count in cells.items() if text in limits)
        if 2 * n_limits > sum(cells.values()):
            found.append((number, max(limits & cells.keys(), key=lambda text: (cells[text], text))))
    return tuple(found)


def written(numbers: Floats, style: NumberText, decimals: int) -> NDArray[np.object_]:
    """Return numbers as text; each different number is formatted once."""
    values, places = np.unique(numbers, return_inverse=True)
    digits = decimals if style.decimals < 0 else style.decimals
    limits = dict(style.limits)
    texts = []
    for value in values.tolist():
        if not math.isfinite(value):
            texts.append("")
            continue
        if value in limits:
            texts.append(limits[value])
            continue
        text = f"{value:,.{digits}f}" if style.thousands else f"{value:.{digits}f}"
        if style.decimals < 0 and "." in text:
            text = text.rstrip("0").rstrip(".")
        if style.comma:
            text = text.translate({ord("."): ",", ord(","): "."})
        texts.append(f"{style.prefix}{text}{style.suffix}")
    made: NDArray[np.object_] = np.array(texts, dtype=object)[places.ravel()]
    return made


def following(
    target: Floats, others: Mapping[str, Floats], step: float, *, exactly: bool, since: str = ""
) -> Following | None:
    """Return how a number depends on one of several others; None if it does not.

    Parameters
    ----------
    target : ndarray of float64, shape (n_rows,)
    others : mapping of str to ndarray of float64
    step : float
        Of the grid of the target.
    exactly : bool
        Whether no remainder is allowed.
    since : str
        See `Following`.
    """
    best, strength = "", _SAME if exactly else _LIKE
    for name, values in others.items():
        both = ~(np.isnan(target) | np.isnan(values))
        if both.sum() < max(_FEWEST, 0.5 * (~np.isnan(target)).sum()):
            continue
        ranks = rankdata(target[both]), rankdata(values[both])
        if min(np.ptp(ranks[0]), np.ptp(ranks[1])) == 0:
            continue
        found = abs(float(np.corrcoef(*ranks)[0, 1]))
        if found > strength:
            best, strength = name, found
    if not best:
        return None
    both = ~(np.isnan(target) | np.isnan(others[best]))
    x, y = others[best][both], target[both]
    known, implied = _means(x, y)
    left = y - np.interp(x, known, implied)
    if exactly:
        if np.abs(left).max() > max(1e-9 * float(np.abs(y).max()), 0.0):
            return None
        return Following(best, known, implied, np.zeros(0), since)
    if np.abs(left).max() <= step * 1.001:
        return Following(best, known, implied, np.zeros(0), since)
    # Of many values the highest and the lowest are no middle of others, and yet follow.
    pairs = _pairs(x, y)
    if np.abs(y - np.interp(x, *pairs)).max() <= step * _ROUNDINGS:
        return Following(best, *pairs, np.zeros(0), since)
    # The middle of few rows is uncertain: of what is straight, a line leaves less.
    ends = np.array([x.min(), x.max()])
    line = np.polynomial.Polynomial.fit(x, y, 1)
    beside = y - line(x)
    if np.ptp(np.quantile(beside, _MOST_LEFT)) < np.ptp(np.quantile(left, _MOST_LEFT)):
        known, implied, left = ends, line(ends), beside
    return Following(best, known, implied, np.quantile(left, np.linspace(0, 1, 101)), since)


def _means(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return values of x, at most `MOST_VALUES`, and the middle of y at each."""
    values, places = np.unique(x, return_inverse=True)
    if len(values) > MOST_VALUES:
        cuts = np.unique(np.quantile(x, np.linspace(0, 1, MOST_VALUES)))
        places = np.clip(np.searchsorted(cuts, x, side="right") - 1, 0, len(cuts) - 2)
        values = cuts[:-1]
    order = np.lexsort((y, places))
    starts = np.searchsorted(places[order], np.arange(len(values) + 1))
    middle = (starts[:-1] + starts[1:] - 1) // 2
    # Both in the middle of the same rows, as of values that are taken together.
    return np.sort(x)[middle], y[order][middle]


def _pairs(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return some rows, half in steps of equal many, half in equal steps of y; with both ends."""
    order = np.lexsort((y, x))
    by_rank = np.linspace(0, len(x) - 1, MOST_VALUES // 2).round().astype(np.intp)
    heights = y[order]
    upward = np.maximum.accumulate(heights if heights[-1] >= heights[0] else -heights)
    levels = np.linspace(upward[0], upward[-1], MOST_VALUES // 2)
    by_height = np.searchsorted(upward, levels)
    some = order[np.unique(np.concatenate([by_rank, by_height]))]
    known, first = np.unique(x[some], return_index=True)
    return known, y[some][first]


def implied_by(
    follows: Following,
    numbers: Floats,
    shares: Floats,
    ends: tuple[Floats, Floats] | None = None,
) -> Floats:
    """Return the implied values, with a remainder for each row from a number between 0 and 1.

    With `ends`, remainders are chosen that give values between these, if possible.
    """
    implied: Floats = np.interp(numbers, follows.known, follows.implied)
    implied = np.where(np.isnan(numbers), np.nan, implied)
    if len(follows.remainders):
        positions = np.linspace(0, 1, len(follows.remainders))
        if ends is not None:
            low, high = (np.interp(end - implied, follows.remainders, positions) for end in ends)
            shares = low + (high - low) * shares
        implied = implied + np.interp(shares, positions, follows.remainders)
    return implied


def as_integers(numbers: Floats) -> NDArray[Any]:
    """Return numbers as int64; missing values become 0."""
    whole: NDArray[Any] = np.round(np.nan_to_num(numbers)).astype(np.int64)
    return whole
