"""Scored parent sets in, the DAG of highest score out: dynamic programming over subsets.

The method of Silander and Myllymäki (2006): the best network of a set of variables has a sink,
whose parents are the best set among the others, and the others form a best network of their own.
Time and memory double with each variable: 24 of them take 2 GB.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MAX_VARIABLES = 24


@dataclass(frozen=True, eq=False)
class Sets:
    """The scored parent sets of one variable.

    Attributes
    ----------
    masks : ndarray of int64, shape (n_sets,)
        Bit v stands for variable v. The empty set is among them, the variable itself in none.
    scores : ndarray of float64, shape (n_sets,)
    """

    masks: NDArray[np.int64]
    scores: NDArray[np.float64]


@dataclass(frozen=True)
class Optimum:
    """The best network: its score, and the parents of every variable."""

    score: float
    parents: tuple[tuple[int, ...], ...]


def best_network(sets: Sequence[Sets]) -> Optimum:
    """Return a DAG of highest score, in which each variable has one of its sets.

    Parameters
    ----------
    sets : sequence of Sets
        One for every variable, at most 24.
    """
    n = len(sets)
    if n > MAX_VARIABLES:
        raise ValueError(f"{n} variables need {2 ** (n - 23)} GB: give at most {MAX_VARIABLES}")
    best = [_best_within(own, v, n) for v, own in enumerate(sets)]
    totals = _best_totals(best, n)
    parents: list[tuple[int, ...]] = [()] * n
    rest = 2**n - 1
    while rest:
        sink = max(
            _members(rest),
            key=lambda v: totals[rest ^ 1 << v] + best[v][_without_bit(rest ^ 1 << v, v)],
        )
        rest ^= 1 << sink
        parents[sink] = _members(_best_set(sets[sink], rest))
    return Optimum(float(totals[-1]), tuple(parents))


def _best_within(own: Sets, variable: int, n: int) -> NDArray[np.float64]:
    """Return, for every set of other variables, the highest score of a parent set inside it."""
    best = np.full(2 ** (n - 1), -np.inf)
    best[_without_bit(own.masks, variable)] = own.scores
    for bit in range(n - 1):
        halves = best.reshape(-1, 2, 1 << bit)
        np.maximum(halves[:, 1], halves[:, 0], out=halves[:, 1])
    return best


def _best_totals(best: Sequence[NDArray[np.float64]], n: int) -> NDArray[np.float64]:
    """Return, for every set of variables, the score of its best network; size by size."""
    totals = np.zeros(2**n)
    sizes = np.bitwise_count(np.arange(2**n, dtype=np.uint32))
    by_size = np.argsort(sizes, kind="stable")
    ends = np.cumsum(np.bincount(sizes))
    for first, last in itertools.pairwise(ends):
        members = by_size[first:last]
        highest = np.full(len(members), -np.inf)
        for variable in range(n):
            inside = np.flatnonzero(members >> variable & 1)
            others = members[inside] ^ (1 << variable)
            value = totals[others] + best[variable][_without_bit(others, variable)]
            highest[inside] = np.maximum(highest[inside], value)
        totals[members] = highest
    return totals


def _best_set(own: Sets, allowed: int) -> int:
    inside = np.flatnonzero((own.masks & ~np.int64(allowed)) == 0)
    return int(own.masks[inside[np.argmax(own.scores[inside])]])


def _without_bit(masks: NDArray[np.int64] | int, bit: int) -> NDArray[np.int64] | int:
    """Return masks in which a bit that is not set is taken out and the higher ones move down."""
    low = (1 << bit) - 1
    return (masks >> (bit + 1) << bit) | (masks & low)


def _members(mask: int) -> tuple[int, ...]:
    return tuple(v for v in range(mask.bit_length()) if mask >> v & 1)
