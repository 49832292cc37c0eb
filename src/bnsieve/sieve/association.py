"""Marginal association of every pair of variables.

Every category is a bit in each row, and the bits that two categories share are counted. The
likelihood-ratio statistic G of a pair is zero if the pair is exactly independent in the data; what
chance alone gives it on average is its degrees of freedom. A row counts for a pair if both of its
cells are known. Pairs with a variable of very many categories are counted one by one, by the
configurations that occur, which are no more than the rows.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.counts import CountSource, JointCounts, category_counts, count
from bnsieve.sieve.machine import Layout
from bnsieve.table import Table, x_log_x

Floats = NDArray[np.float64]

# Rows at a time: bounds the memory.
_BLOCK_ROWS = 1 << 16
# From this many variables on, associations are held in single precision.
WIDE = 2_000
# How surely two columns are duplicates, in nats: of 22,000 pairs that look it, one is a
# coincidence.
_DUPLICATE_NATS = 10.0
# Categories on one side of the product at a time: bounds the memory for wide tables.
_BLOCK_CATEGORIES = 512
# Bytes of indicators that are made once for all blocks of categories.
_MAX_READY = 1 << 28
# Variables of more categories are counted pair by pair; of fewer, where all categories together are
# more than these, or their products in all rows take seconds.
_MANY, _MANY_AMONG_MANY = 128, 32
_MANY_IN_ALL = 8_192
_MUCH_WORK = 1 << 36
_MEMINFO = Path("/proc/meminfo")


def screened(table: Table) -> tuple[NDArray[np.floating], NDArray[np.int64]]:
    """Return the association of all pairs, and which variables are duplicates.

    The matrices behind them are never held as a whole: a table of 10,000 variables takes 0.4 GB,
    not 5.

    Returns
    -------
    excess : ndarray of float64, or of float32 for wide tables, shape (n_variables, n_variables)
        G less its degrees of freedom, which are its mean under independence; zero on the diagonal.
    originals : ndarray of int64, shape (n_variables,)
        For each variable the first one that it duplicates, or its own number. A duplicate has other
        categories for the same thing, row by row: each of its categories goes with exactly one
        category of the original. Nothing in the data can tell the two apart.
    """
    precision = np.float64 if table.n_variables <= WIDE else np.float32
    excess = np.zeros((table.n_variables, table.n_variables), dtype=precision)
    originals = np.arange(table.n_variables, dtype=np.int64)
    many = _with_many_categories(table)
    few = np.setdiff1d(originals, many)
    if len(few):
        part = table if not len(many) else table.select([table.names[v] for v in few.tolist()])
        _screen_blocks(part, few, excess, originals)
    for place, v in enumerate(many.tolist()):
        for u in [*few.tolist(), *many[:place].tolist()]:
            excess[v, u], is_duplicate = _count_pair(table, v, u)
            excess[u, v] = excess[v, u]
            if is_duplicate:
                originals[v] = originals[u]
    return excess, originals


def _screen_blocks(
    table: Table, places: NDArray[np.int64], excess: NDArray[np.floating], originals: NDArray[Any]
) -> None:
    """Fill in the association of a table's variables, which have these places in the results."""
    first = Layout.of(table.n_categories).first
    own, known = _own(table)
    n_pairs = max(1, table.n_variables * (table.n_variables - 1) // 2)
    # Half a variable's G with itself is the logarithm of how many ways there are to deal its
    # categories to the rows. One odd row of a hundred has a hundred; some pair of many columns
    # shares it by chance.
    is_no_coincidence = own / 2 >= _DUPLICATE_NATS + np.log(n_pairs)
    ready = list(_blocks(table, first)) if _can_be_ready(int(first[-1]), table.n_rows) else None
    for lower, upper in _category_blocks(first):
        here = slice(lower, upper)
        counts = _category_counts(table, first, lower, upper, ready)
        rows = first[here] - first[lower]
        # Of each category of one variable: in how many rows it occurs and the other is known.
        seen = np.add.reduceat(counts, first[:-1], axis=1)
        seen_others = np.add.reduceat(counts, rows, axis=0)
        cells = np.add.reduceat(x_log_x(counts), first[:-1], axis=1)
        joint = np.add.reduceat(cells, rows, axis=0)
        margins = np.add.reduceat(x_log_x(seen), rows, axis=0)
        others = np.add.reduceat(x_log_x(seen_others), first[:-1], axis=1)
        n_rows = np.add.reduceat(seen, rows, axis=0)
        g = np.maximum(2 * (joint - margins - others + x_log_x(n_rows)), 0.0)
        same = np.abs(g - own) <= 1e-9 * own
        same &= np.abs(g - own[here, np.newaxis]) <= 1e-9 * own[here, np.newaxis]
        same &= (n_rows == known) & (n_rows == known[here, np.newaxis])
        same &= is_no_coincidence[here, np.newaxis]
        same[np.arange(upper - lower), np.arange(lower, upper)] = True
        originals[places[here]] = places[np.argmax(same, axis=1)]
        g -= np.outer(table.n_categories[here] - 1, table.n_categories - 1)
        excess[np.ix_(places[here], places)] = g
    excess[places, places] = 0.0


def excess_of(table: Table, variable: int) -> Floats:
    """Return one row of the excess of `screened`, without the cost of all pairs."""
    excess = np.zeros(table.n_variables)
    for other in range(table.n_variables):
        if other != variable:
            excess[other], _ = _count_pair(table, variable, other)
    return excess


def screened_counts(
    source: CountSource, table: Table
) -> tuple[NDArray[np.floating], NDArray[np.int64]]:
    """Return what `screened` does, from counts of all pairs, where there are no rows to look at."""
    n = table.n_variables
    excess, originals = np.zeros((n, n)), np.arange(n, dtype=np.int64)
    pairs = [(v, u) for v in range(n) for u in range(v)]
    no_coincidence = _DUPLICATE_NATS + math.log(max(1, len(pairs)))
    joints = source.joint_counts([(table.names[v], table.names[u]) for v, u in pairs])
    for (v, u), joint in zip(pairs, joints, strict=True):
        both_missing = v in table.missing and u in table.missing
        excess[v, u], is_duplicate = _compare(joint, both_missing=both_missing)
        excess[u, v] = excess[v, u]
        nats = (excess[v, u] + np.prod(np.subtract(joint.n_categories, 1))) / 2
        # Groups of rows that a source hides may be those that differ.
        is_whole = joint.total == source.n_rows
        if is_duplicate and is_whole and nats >= no_coincidence and originals[v] == v:
            originals[v] = originals[u]
    return excess, originals


def _with_many_categories(table: Table) -> NDArray[np.intp]:
    """Return the variables of so many categories that their pairs are better counted one by one."""
    n_in_all = int(table.n_categories.sum())
    much = n_in_all > _MANY_IN_ALL or table.n_rows * n_in_all**2 > _MUCH_WORK
    return np.flatnonzero(table.n_categories > (_MANY_AMONG_MANY if much else _MANY))


def _count_pair(table: Table, a: int, b: int) -> tuple[float, bool]:
    """Return the excess of two variables, and whether they are duplicates.

    They are counted together, in memory that the rows bound.
    """
    return _compare(count(table, (a, b)), both_missing=a in table.missing and b in table.missing)


def _compare(whole: JointCounts, *, both_missing: bool) -> tuple[float, bool]:
    """Return the excess of two counted variables, and whether they are duplicates."""
    joint = whole.complete()
    margins = [
        np.bincount(codes, weights=joint.counts, minlength=n)
        for codes, n in zip(joint.configurations, joint.n_categories, strict=True)
    ]
    told = x_log_x(joint.counts).sum() - math.fsum(x_log_x(margin).sum() for margin in margins)
    g = 2 * (told + float(x_log_x(np.array([joint.total])).sum()))
    n_a, n_b = joint.n_categories
    one_to_one = len(joint.counts) == n_a == n_b
    # A row in which only one of the two is known is a configuration more.
    known_alike = len(whole.counts) - len(joint.counts) <= both_missing
    return max(g, 0.0) - (n_a - 1) * (n_b - 1), one_to_one and known_alike


def _own(table: Table) -> tuple[Floats, Floats]:
    """Return each variable's G with itself, and in how many rows it is known."""
    counts = [category_counts(table, v).astype(np.float64) for v in range(table.n_variables)]
    known = np.array([own.sum() for own in counts])
    own = 2 * (x_log_x(known) - np.array([x_log_x(own).sum() for own in counts]))
    return own, known


def _category_blocks(first: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Split the variables into runs of about `_BLOCK_CATEGORIES` categories."""
    n_blocks = max(1, int(first[-1]) // _BLOCK_CATEGORIES)
    bounds = np.unique(np.searchsorted(first, np.linspace(0, first[-1], n_blocks + 1)))
    return list(pairwise(bounds.tolist()))


def _category_counts(
    table: Table,
    first: NDArray[np.int64],
    lower: int,
    upper: int,
    ready: Sequence[NDArray[np.uint64]] | None,
) -> Floats:
    """Count the rows in which categories of variables `lower` .. `upper` occur with all others.

    `ready` may be the indicators of all rows.
    """
    counts = np.zeros((first[upper] - first[lower], first[-1]))
    part = np.empty_like(counts)
    for bits in _blocks(table, first) if ready is None else ready:
        _native.count_pairs(bits[first[lower] : first[upper]], bits, part)
        counts += part
    return counts


def _can_be_ready(n_categories: int, n_rows: int) -> bool:
    return n_categories * n_rows <= 8 * _MAX_READY


def _blocks(table: Table, first: NDArray[np.int64]) -> Iterator[NDArray[np.uint64]]:
    for start in range(0, table.n_rows, _BLOCK_ROWS):
        yield indicators(table, first, start, _BLOCK_ROWS)


def indicators(
    table: Table, first: NDArray[np.int64], start: int, n_rows: int
) -> NDArray[np.uint64]:
    """Return, for a block of rows, which category each has: a bit per row, a line per category."""
    codes = table.codes[:, start : start + n_rows]
    n_bytes = -(-codes.shape[1] // 8)
    bits = np.zeros((first[-1], -(-n_bytes // 8) * 8), dtype=np.uint8)
    for variable, own in enumerate(codes):
        known = None
        if variable in table.missing:
            known = ~table.missing[variable][start : start + n_rows]
        for category, line in enumerate(range(first[variable], first[variable + 1])):
            rows = own == category if known is None else (own == category) & known
            bits[line, :n_bytes] = np.packbits(rows)
    return bits.view(np.uint64)


def require_memory(table: Table) -> None:
    """Refuse a table of so many variables that the results of all pairs do not fit.

    Raises
    ------
    MemoryError
        With both figures: an estimate in time is better than an exact figure after an hour.
    """
    if table.n_variables <= WIDE:
        return
    n_categories = int(table.n_categories.sum())
    ready = _can_be_ready(n_categories, table.n_rows)
    bits = n_categories * (table.n_rows if ready else min(table.n_rows, _BLOCK_ROWS)) // 8
    screening = bits + 6 * 8 * _BLOCK_CATEGORIES * n_categories
    # Of every pair: association and importance, and masks for a while.
    needed = screening + 12 * table.n_variables**2 + table.codes.nbytes
    available = available_bytes()
    if available is not None and needed > available:
        raise MemoryError(
            f"{table.n_variables:,} columns of {table.n_rows:,} rows take about "
            f"{needed / 1e9:.1f} GB, and {available / 1e9:.1f} GB are free: select fewer "
            "columns, or use a larger machine"
        )


def available_bytes() -> int | None:
    """Return the memory that can be had without swapping; None where the system does not tell."""
    if sys.platform != "linux":
        return None
    for line in _MEMINFO.read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return None
