"""Labels grouped by what they say: those with like distributions of other columns together.

In: `Evidence`. Out: for each category the number of its group. One group is split in two, and the
categories are dealt out again, as long as that shortens the description: groups pay for their
probabilities, and each category pays for the choice of its group. On noise that never happens.
"""

import numpy as np
from numpy.typing import NDArray

from bnsieve.table.prepare.evidence import Evidence

_MOST_GROUPS = 32
# Categories change their groups only in the first few rounds.
_ROUNDS = 12
# Added to every count, in all: so that a level that no row of a group has does not bar categories.
_SMOOTHING = 1.0


def cluster(evidence: Evidence, counts: NDArray[np.float64]) -> tuple[NDArray[np.int64], float]:
    """Group categories, rows of `counts`, by the distributions of the other columns.

    Returns
    -------
    groups : ndarray of int64, shape (n_labels,)
    gain : float
        What the groups tell less what they and the choices cost, in nats.
    """
    groups = np.zeros(len(counts), dtype=np.int64)
    gain = 0.0
    for n_groups in range(2, min(_MOST_GROUPS, len(counts)) + 1):
        tried = _deal(evidence, counts, _split(evidence, counts, groups), n_groups)
        used, tried = np.unique(tried, return_inverse=True)
        if len(used) < n_groups:
            break
        value = evidence.gain(_sums(counts, tried, n_groups)) - len(counts) * np.log(n_groups)
        if value <= gain:
            break
        groups, gain = tried, float(value)
    return groups, gain


def _split(
    evidence: Evidence, counts: NDArray[np.float64], groups: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Split the group whose halves differ most; the new half is one more group."""
    n_groups = int(groups.max()) + 1
    best, gain = groups, -np.inf
    for group in range(n_groups):
        members = np.flatnonzero(groups == group)
        if len(members) < 2:
            continue
        halves = _deal(evidence, counts[members], _halves(evidence, counts[members]), 2)
        told = evidence.gain(_sums(counts[members], halves, 2))
        if told > gain:
            gain, best = told, groups.copy()
            best[members[halves == 1]] = n_groups
    return best


def _halves(evidence: Evidence, counts: NDArray[np.float64]) -> NDArray[np.int64]:
    """Tell categories apart along the direction in which their distributions differ most."""
    whole = counts.sum(axis=0)
    rows = np.add.reduceat(counts, evidence.first, axis=1)
    widths = np.diff([*evidence.first.tolist(), counts.shape[1]])
    share = whole / np.repeat(np.maximum(np.add.reduceat(whole, evidence.first), 1.0), widths)
    expected = np.repeat(rows, widths, axis=1) * share
    differing = (counts - expected) / np.sqrt(np.maximum(expected, 1e-9) + 1.0)
    _, directions = np.linalg.eigh(differing.T @ differing)
    along = differing @ directions[:, -1]
    # The sign of a direction is arbitrary: the first category that lies off the middle decides.
    off = np.flatnonzero(np.abs(along) > 1e-9)
    if len(off) and along[off[0]] < 0:
        along = -along
    return np.where(along < 0, 1, 0)


def _deal(
    evidence: Evidence, counts: NDArray[np.float64], groups: NDArray[np.int64], n_groups: int
) -> NDArray[np.int64]:
    """Give each category to the group under which its rows are most probable, until none moves."""
    widths = np.diff([*evidence.first.tolist(), counts.shape[1]])
    whole = counts.sum(axis=0)
    prior = whole / np.repeat(np.maximum(np.add.reduceat(whole, evidence.first), 1.0), widths)
    for _ in range(_ROUNDS):
        sums = _sums(counts, groups, n_groups) + _SMOOTHING * prior
        totals = np.repeat(np.add.reduceat(sums, evidence.first, axis=1), widths, axis=1)
        fit = counts @ np.log(np.maximum(sums / totals, 1e-12)).T
        # Rounded, so that what is equal but for the order of a sum stays equal.
        dealt = np.argmax(np.round(fit, 6), axis=1)
        if np.array_equal(dealt, groups):
            break
        groups = dealt
    return groups


def _sums(
    counts: NDArray[np.float64], groups: NDArray[np.int64], n_groups: int
) -> NDArray[np.float64]:
    sums = np.zeros((n_groups, counts.shape[1]))
    np.add.at(sums, groups, counts)
    return sums
