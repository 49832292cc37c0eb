"""Marginal association of every pair of variables.

Every level is a bit in each row, and the bits that two levels share are counted. The
likelihood-ratio statistic G of a pair is zero if the pair is exactly independent in the data; what
chance alone gives it on average is its degrees of freedom. A row counts for a pair if both of its
cells are known.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.sieve.machine import Layout
from bnsieve.sieve.many_levels import count_pair, with_many_levels
from bnsieve.table import Table

# Rows at a time: bounds the memory.
_BLOCK_ROWS = 1 << 16
# From this many variables on, matrices of all pairs are held in single precision, one at a time.
WIDE = 2_000
# How surely two columns are copies, in nats: of 22,000 pairs that look it, one is a coincidence.
_COPY_EVIDENCE = 10.0
# Levels on one side of the product at a time: bounds the memory for wide tables.
_BLOCK_LEVELS = 512
# Bytes of indicators that are made once for all blocks of levels.
_MAX_READY = 1 << 28
# Cells of one pair that are held even if most are empty.
_DENSE_CELLS = 1 << 20


@dataclass(frozen=True, eq=False)
class Associations:
    """How strongly each two variables go together.

    Attributes
    ----------
    g : ndarray of float64, shape (n_variables, n_variables)
        The likelihood-ratio statistic; on the diagonal that of a variable with itself.
    df : ndarray of float64, shape (n_variables, n_variables)
        Degrees of freedom, which are the statistic's mean under independence.
    n_rows : ndarray of float64, shape (n_variables, n_variables)
        Rows in which both are known.
    """

    g: NDArray[np.float64]
    df: NDArray[np.float64]
    n_rows: NDArray[np.float64]

    @property
    def excess(self) -> NDArray[np.float64]:
        """Return G less what independence would give, zero on the diagonal."""
        excess = self.g - self.df
        np.fill_diagonal(excess, 0.0)
        return excess

    def originals(self) -> NDArray[np.int64]:
        """Return for each variable the first one of which it is a copy, or its own number.

        A copy has other labels for the same thing, row by row: each of its levels goes with
        exactly one level of the original. Nothing in the data can tell the two apart.
        """
        own = np.diag(self.g)
        same = np.isclose(self.g, own[:, np.newaxis], rtol=1e-9, atol=0.0)
        whole = self.n_rows == np.diag(self.n_rows)[:, np.newaxis]
        copy = same & same.T & whole & whole.T & _enough_for_a_copy(own, len(own))[:, np.newaxis]
        np.fill_diagonal(copy, True)
        first: NDArray[np.int64] = np.argmax(copy, axis=1)
        return first


def _enough_for_a_copy(own: NDArray[np.float64], n_variables: int) -> NDArray[np.bool_]:
    """Tell of each variable whether another with the same labels, row by row, is no coincidence.

    Half its G with itself is the logarithm of how many ways there are to deal its labels to the
    rows. One odd row of a hundred has a hundred; some pair of many columns shares it by chance.
    """
    n_pairs = max(1, n_variables * (n_variables - 1) // 2)
    enough: NDArray[np.bool_] = own / 2 >= _COPY_EVIDENCE + np.log(n_pairs)
    return enough


def screened(table: Table) -> tuple[NDArray[np.floating], NDArray[np.int64]]:
    """Return `Associations.excess` and `originals`, for wide tables in single precision.

    The matrices behind them are then never held: a table of 10,000 variables takes 0.4 GB, not 5.
    """
    many = with_many_levels(table)
    if len(many):
        return _with_many(table, many)
    if table.n_variables <= WIDE:
        pairs = associations(table)
        return pairs.excess, pairs.originals()
    first = Layout.of(table.n_levels).first
    excess = np.empty((table.n_variables, table.n_variables), dtype=np.float32)
    originals = np.empty(table.n_variables, dtype=np.int64)
    own, known = _own(table)
    indicators = _ready(table, first)
    for lower, upper in _level_blocks(first):
        counts = _level_counts(table, first, lower, upper, indicators)
        joint, margins, n_rows = _sums(counts, first, lower, upper)
        # The other side's margins: of each of its levels, the rows in which the first is known.
        seen = np.add.reduceat(counts, first[lower:upper] - first[lower], axis=0)
        others = np.add.reduceat(_n_log_n(seen), first[:-1], axis=1)
        g = np.maximum(2 * (joint - margins - others + _n_log_n(n_rows)), 0.0)
        same = np.isclose(g, own[lower:upper, np.newaxis], rtol=1e-9, atol=0.0)
        same &= np.isclose(g, own, rtol=1e-9, atol=0.0)
        same &= (n_rows == known) & (n_rows == known[lower:upper, np.newaxis])
        same &= _enough_for_a_copy(own[lower:upper], len(own))[:, np.newaxis]
        same[np.arange(upper - lower), np.arange(lower, upper)] = True
        originals[lower:upper] = np.argmax(same, axis=1)
        df = np.outer(table.n_levels[lower:upper] - 1, table.n_levels - 1)
        excess[lower:upper] = g - df
    np.fill_diagonal(excess, 0.0)
    return excess, originals


def _with_many(
    table: Table, many: NDArray[np.intp]
) -> tuple[NDArray[np.floating], NDArray[np.int64]]:
    """Return the same where some variables have many levels: their pairs are counted one by one."""
    few = np.setdiff1d(np.arange(table.n_variables), many)
    excess = np.zeros((table.n_variables, table.n_variables), dtype=_precision(table))
    originals = np.arange(table.n_variables)
    if len(few):
        among_few, first_copies = screened(table.select([table.names[v] for v in few.tolist()]))
        excess[np.ix_(few, few)] = among_few
        originals[few] = few[first_copies]
    for place, v in enumerate(many.tolist()):
        for u in [*few.tolist(), *many[:place].tolist()]:
            pair = count_pair(table, v, u)
            excess[v, u] = excess[u, v] = pair.g - pair.df
            if pair.copies:
                originals[v] = originals[u]
    return excess, originals


def _precision(table: Table) -> type[np.floating]:
    return np.float64 if table.n_variables <= WIDE else np.float32


def excess_of(table: Table, variable: int) -> NDArray[np.float64]:
    """Return one row of `Associations.excess`, without what all pairs would take."""
    own = table.codes[variable].astype(np.int64)
    excess = np.zeros(table.n_variables)
    for other, n_levels in enumerate(table.n_levels.tolist()):
        if other == variable:
            continue
        if table.n_levels[variable] * n_levels > _DENSE_CELLS:
            pair = count_pair(table, variable, other)
            excess[other] = pair.g - pair.df
            continue
        cells = own * n_levels + table.codes[other]
        unknown = [table.missing[v] for v in (variable, other) if v in table.missing]
        if unknown:
            cells = cells[~np.logical_or.reduce(unknown)]
        shape = int(table.n_levels[variable]), n_levels
        joint = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
        margins = (_n_log_n(joint.sum(axis=axis)).sum() for axis in (0, 1))
        g = 2 * (_n_log_n(joint).sum() - sum(margins) + float(_n_log_n(joint.sum())))
        excess[other] = max(g, 0.0) - (shape[0] - 1) * (n_levels - 1)
    return excess


def planned_bytes(table: Table) -> int:
    """Return about how much memory `screened` takes of a wide table."""
    n_levels = int(table.n_levels.sum())
    ready = _can_be_ready(n_levels, table.n_rows)
    indicators = n_levels * (table.n_rows if ready else min(table.n_rows, _BLOCK_ROWS)) // 8
    blocks = 6 * 8 * _BLOCK_LEVELS * n_levels
    return 4 * table.n_variables**2 + indicators + blocks


def _own(table: Table) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return each variable's G with itself, and in how many rows it is known."""
    own, known = np.empty(table.n_variables), np.empty(table.n_variables)
    for v, codes in enumerate(table.codes):
        counts = np.bincount(codes, minlength=int(table.n_levels[v])).astype(np.float64)
        if v in table.missing:
            counts[0] -= np.count_nonzero(table.missing[v])
        known[v] = counts.sum()
        own[v] = 2 * (_n_log_n(known[v : v + 1])[0] - _n_log_n(counts).sum())
    return own, known


def associations(table: Table) -> Associations:
    """Count all pairs of levels and return the pairs' association."""
    first = Layout.of(table.n_levels).first
    shape = (table.n_variables, table.n_variables)
    joint, margins, n_rows = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    indicators = _ready(table, first)
    for lower, upper in _level_blocks(first):
        counts = _level_counts(table, first, lower, upper, indicators)
        sums = _sums(counts, first, lower, upper)
        joint[lower:upper], margins[lower:upper], n_rows[lower:upper] = sums
    g = 2 * (joint - margins - margins.T + _n_log_n(n_rows))
    df = np.outer(table.n_levels - 1, table.n_levels - 1).astype(np.float64)
    return Associations(np.maximum(g, 0.0), df, n_rows)


def _sums(
    counts: NDArray[np.float64], first: NDArray[np.int64], lower: int, upper: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return sums over the levels of each pair: of cells, of first margins, and the rows."""
    starts, rows = first[:-1], first[lower:upper] - first[lower]
    # Of each level of the first variable: in how many rows it occurs and the second is known.
    seen = np.add.reduceat(counts, starts, axis=1)
    cells = np.add.reduceat(_n_log_n(counts), starts, axis=1)
    return (
        np.add.reduceat(cells, rows, axis=0),
        np.add.reduceat(_n_log_n(seen), rows, axis=0),
        np.add.reduceat(seen, rows, axis=0),
    )


def _n_log_n(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    product: NDArray[np.float64] = counts * np.log(np.maximum(counts, 1.0))
    return product


def _level_blocks(first: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Cut the variables into runs of about `_BLOCK_LEVELS` levels."""
    n_blocks = max(1, int(first[-1]) // _BLOCK_LEVELS)
    cuts = np.unique(np.searchsorted(first, np.linspace(0, first[-1], n_blocks + 1)))
    return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))


def _level_counts(
    table: Table,
    first: NDArray[np.int64],
    lower: int,
    upper: int,
    ready: Sequence[NDArray[np.uint64]] | None = None,
) -> NDArray[np.float64]:
    """Count the rows in which each level of variables `lower` .. `upper` occurs with each level.

    `ready` may be the indicators of all rows, see `_ready`.
    """
    counts = np.zeros((first[upper] - first[lower], first[-1]))
    part = np.empty_like(counts)
    for indicators in _blocks(table, first) if ready is None else ready:
        _native.count_pairs(indicators[first[lower] : first[upper]], indicators, part)
        counts += part
    return counts


def _ready(table: Table, first: NDArray[np.int64]) -> list[NDArray[np.uint64]] | None:
    """Return the indicators of all rows, block by block; None if they take too much memory."""
    return list(_blocks(table, first)) if _can_be_ready(int(first[-1]), table.n_rows) else None


def _can_be_ready(n_levels: int, n_rows: int) -> bool:
    return n_levels * n_rows <= 8 * _MAX_READY


def _blocks(table: Table, first: NDArray[np.int64]) -> Iterator[NDArray[np.uint64]]:
    for start in range(0, table.n_rows, _BLOCK_ROWS):
        yield indicators(table, first, start, _BLOCK_ROWS)


def indicators(
    table: Table, first: NDArray[np.int64], start: int, n_rows: int
) -> NDArray[np.uint64]:
    """Return, for a block of rows, which level each has: a bit per row, a line per level."""
    codes = table.codes[:, start : start + n_rows]
    n_bytes = -(-codes.shape[1] // 8)
    bits = np.zeros((first[-1], -(-n_bytes // 8) * 8), dtype=np.uint8)
    for variable, own in enumerate(codes):
        known = None
        if variable in table.missing:
            known = ~table.missing[variable][start : start + n_rows]
        for level, line in enumerate(range(first[variable], first[variable + 1])):
            rows = own == level if known is None else (own == level) & known
            bits[line, :n_bytes] = np.packbits(rows)
    return bits.view(np.uint64)
