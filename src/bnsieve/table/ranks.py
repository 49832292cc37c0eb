"""Which rows are drawn: those with the lowest random numbers, one for each row and seed."""

import numpy as np
from numpy.typing import NDArray

from bnsieve.table.table import Table

# Candidates that are to be counted in all rows are ranked on more rows than the sample has: up to
# ten times as many, as long as all pairs of columns in all of them are not too many to look at.
_LARGER = 10
_PAIRS_TO_RANK = 1 << 30


def row_ranks(first: int, n_rows: int, seed: int) -> NDArray[np.uint64]:
    """Return a random 64-bit number for each of some rows: SplitMix64 of seed and row number."""
    key = np.random.SeedSequence(seed, spawn_key=(2**31,)).generate_state(1, np.uint64)[0]
    with np.errstate(over="ignore"):
        z = np.arange(first, first + n_rows, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + key
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    ranks: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return ranks


def drawn_rows(n_rows: int, n_wanted: int, seed: int) -> NDArray[np.intp]:
    """Return the numbers of some of `n_rows` rows, ascending: all if no more are there."""
    if n_rows <= n_wanted:
        return np.arange(n_rows)
    ranks = row_ranks(0, n_rows, seed)
    return np.sort(np.argsort(ranks, kind="stable")[:n_wanted])


def some_rows(table: Table, n_rows: int, seed: int) -> Table:
    """Draw some rows, and a few more, so that every column has several categories among them."""
    if table.n_rows <= n_rows:
        return table
    rows = drawn_rows(table.n_rows, n_rows, seed)
    added = [
        np.flatnonzero(codes == label)[:1]
        for codes in table.codes
        if (codes[rows] == codes[rows[0]]).all()
        for label in range(2)
    ]
    return table.take(np.unique(np.concatenate([rows, *added])))


def n_drawn(n_sample: int, n_columns: int) -> int:
    """Return how many rows are drawn of many, of which so many are the sample."""
    return max(n_sample, min(_LARGER * n_sample, _PAIRS_TO_RANK // n_columns**2))
