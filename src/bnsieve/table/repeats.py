"""Rows that repeat others, where the columns lead one to expect that rows differ.

In: a `Table`. Out: `Repeats`, which says which rows to count, or None. Rows of few categories
repeat each other by nature. Three things show copies all the same. Every row is there twice, or
three times, and so on. A stretch of rows comes again, row by row. Or some rows equal another in
every column, and hardly any two differ in just one, or in two that depend on each other; and most
rows differ from all others, or numeric columns have ties almost only in rows that are equal.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bnsieve.table.hashes import Hashes, mixed
from bnsieve.table.near_repeats import distances
from bnsieve.table.table import Table

# Fewer different rows may be there equally often by chance.
_FEWEST_DISTINCT = 30
# Chance that one stretch of so many rows comes again in independent rows.
_CHANCE = 1e-6
# A stretch of more rows is not looked for, and copies come in no more blocks.
_LONGEST_STRETCH, _MOST_BLOCKS = 200, 20
# Pairs of equal rows that may be chance; pairs that differ in one column, to each equal pair.
_FEW_PAIRS, _NEAR_PAIRS = 5, 0.5
# With fewer columns, pairs that differ in two of them are too frequent to tell anything.
_COLUMNS_TO_DIFFER_IN_TWO = 12
# Of more columns than these some are looked at for rows that differ in one of them.
_MOST_COLUMNS = 100
# One numeric column may be an identifier, such as the number of a shop.
_FEWEST_NUMBERS = 2
# Columns in which a design is looked for.
_DESIGNED = 30
_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Repeats:
    """Rows that are copies of others.

    Attributes
    ----------
    kept : ndarray of bool, shape (n_rows,)
        The rows to count: each of those that were copied once.
    """

    kept: NDArray[np.bool_]

    @property
    def n_repeated(self) -> int:
        """Number of rows that repeat another."""
        return int((~self.kept).sum())


def find_repeats(table: Table, *, in_order: bool = True) -> Repeats | None:
    """Look for rows that repeat others beyond what their columns lead one to expect.

    Parameters
    ----------
    table : Table
    in_order : bool
        Whether these are all rows, in the order given, and not a sample of them.
    """
    if table.n_rows < 2 or not table.n_variables:
        return None
    rows = _hash_rows(table)
    _, place, counts = np.unique(rows, return_inverse=True, return_counts=True)
    n_pairs = _n_pairs(counts)
    if n_pairs < _FEW_PAIRS:
        return None
    kept = _whole_copies(place, counts) if in_order else None
    if kept is None and in_order:
        kept = _copied_stretches(rows, place, counts)
    if kept is not None and _is_designed(table):
        kept = None
    most_differ = 2 * len(counts) > table.n_rows or _numbers_equal_in_copies(table, n_pairs)
    is_apart = kept is None and most_differ and _are_apart(table, rows, n_pairs)
    if is_apart and not _differ_in_two(table):
        kept = np.zeros(table.n_rows, dtype=bool)
        kept[np.unique(place, return_index=True)[1]] = True
    return None if kept is None else Repeats(kept)


def _hash_cells(table: Table, v: int) -> Hashes:
    start = mixed(np.array([v + 1], dtype=np.uint64))
    if v in table.numbers:
        numbers = table.numbers[v] + 0.0  # no negative zero
        cells = np.where(np.isnan(numbers), np.inf, numbers).view(np.uint64)
        return mixed(mixed(cells) ^ start)
    of_category: Hashes = mixed(np.arange(len(table.categories[v]) + 1, dtype=np.uint64) ^ start)
    codes = table.codes[v].astype(np.intp)
    if v in table.missing:
        codes = np.where(table.missing[v], len(of_category) - 1, codes)
    hashes: Hashes = of_category[codes]
    return hashes


def _hash_rows(table: Table) -> Hashes:
    """Return a number for each row: the sum of those of its cells."""
    rows = np.zeros(table.n_rows, dtype=np.uint64)
    for v in range(table.n_variables):
        rows += _hash_cells(table, v)
    return rows


def _whole_copies(place: NDArray[np.intp], counts: NDArray[np.int64]) -> NDArray[np.bool_] | None:
    """Return which rows to count if every different row is there a multiple of some number."""
    divisor = int(np.gcd.reduce(counts))
    if divisor < 2 or len(counts) < _FEWEST_DISTINCT:
        return None
    order = np.argsort(place, kind="stable")
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    nth = np.empty(len(place), dtype=np.int64)
    nth[order] = np.arange(len(place)) - np.repeat(first, counts)
    kept: NDArray[np.bool_] = nth < (counts // divisor)[place]
    return kept


def _copied_stretches(
    rows: Hashes, place: NDArray[np.intp], counts: NDArray[np.int64]
) -> NDArray[np.bool_] | None:
    """Return which rows to count if stretches of rows come again, row by row, in a few blocks."""
    n_rows = len(rows)
    alike = float(((counts / n_rows) ** 2).sum())
    if alike >= 1:
        return None
    length = max(3, int(np.ceil(np.log(n_rows**2 / 2 / _CHANCE) / -np.log(alike))))
    if length > min(_LONGEST_STRETCH, n_rows // 2):
        return None
    stretches = _hash_stretches(rows, length)
    changes = np.concatenate([[0], np.cumsum(place[1:] != place[:-1])])
    # In sorted rows equal ones follow each other, and a stretch of them says nothing.
    varies = changes[length - 1 :] - changes[: n_rows - length + 1]
    _, first, which = np.unique(stretches, return_index=True, return_inverse=True)
    offset = np.arange(len(stretches)) - first[which]
    offset[varies < (1 - alike) * length / 2] = 0
    again = np.flatnonzero(offset)
    if not len(again):
        return None
    breaks = (np.diff(again) > 1) | (np.diff(offset[again]) != 0)
    n_blocks = 1 + int(breaks.sum())
    covered = np.zeros(n_rows + 1, dtype=np.int64)
    np.add.at(covered, again, 1)
    np.add.at(covered, again + length, -1)
    repeated = np.cumsum(covered[:-1]) > 0
    if n_blocks > _MOST_BLOCKS or repeated.sum() < 2 * length * n_blocks:
        return None
    return ~repeated


def _hash_stretches(rows: Hashes, length: int) -> Hashes:
    """Return a number for so many rows from each row on; their order matters."""
    with np.errstate(over="ignore"):
        found = np.zeros(len(rows) - length + 1, dtype=np.uint64)
        for i in range(length):
            found = found * _ODD + rows[i : i + len(found)]
    return found


def _is_designed(table: Table) -> bool:
    """Tell whether two columns are crossed with exactly equal numbers of rows, as in a design."""
    balanced = [
        table.codes[v]
        for v in range(min(table.n_variables, _DESIGNED))
        if v not in table.missing and _is_balanced(table.codes[v], len(table.categories[v]))
    ]
    for a, b in combinations(balanced, 2):
        n_a, n_b = int(a.max()) + 1, int(b.max()) + 1
        if _is_balanced(a.astype(np.int64) * n_b + b, n_a * n_b):
            return True
    return False


def _is_balanced(codes: NDArray[np.integer], n_codes: int) -> bool:
    counts = np.bincount(codes, minlength=n_codes)
    return n_codes > 1 and bool((counts == counts[0]).all())


def _are_apart(table: Table, rows: Hashes, n_equal: float) -> bool:
    """Tell whether hardly any two rows differ in one column, for the number of those that equal.

    Where rows equal each other by nature, more of them differ in one column.
    """
    n_near, most = 0.0, _NEAR_PAIRS * n_equal
    for column in _columns(table):
        n_near += _n_pairs(np.unique(rows - column, return_counts=True)[1]) - n_equal
        if n_near > most:
            return False
    return True


def _differ_in_two(table: Table) -> bool:
    """Tell whether more rows differ in one or two columns than if columns were independent.

    Where each column is a function of others, no two rows differ in just one.
    """
    if table.n_variables < _COLUMNS_TO_DIFFER_IN_TWO:
        return False
    pairs = distances(table).pairs
    alike = np.array([_share_alike(table, v) for v in range(table.n_variables)])
    odds = (1 - alike) / alike
    in_one_or_two = float(np.prod(alike) * (odds.sum() + (odds.sum() ** 2 - (odds**2).sum()) / 2))
    return bool(pairs[1] + pairs[2] - in_one_or_two * pairs.sum() > _NEAR_PAIRS * pairs[0])


def _share_alike(table: Table, v: int) -> float:
    """Return the chance that two cells of a column are equal."""
    counts = np.unique(_hash_cells(table, v), return_counts=True)[1]
    return float(((counts / table.n_rows) ** 2).sum())


def _numbers_equal_in_copies(table: Table, n_equal: float) -> bool:
    """Tell whether at least two numeric columns have ties almost only in rows that are equal.

    This is true of a bootstrap sample, where most rows equal another.
    """
    n_found = 0
    for v, numbers in table.numbers.items():
        counts = np.unique(numbers, return_counts=True)[1]
        if v not in table.missing and len(counts) >= _FEWEST_DISTINCT:
            n_found += _n_pairs(counts) <= (1 + _NEAR_PAIRS) * n_equal
        if n_found == _FEWEST_NUMBERS:
            return True
    return False


def _n_pairs(counts: NDArray[np.integer]) -> float:
    """Return how many pairs of equal members there are in groups of these sizes."""
    return float((counts * (counts - 1.0)).sum() / 2)


def _columns(table: Table) -> Iterator[Hashes]:
    n = table.n_variables
    for i in range(min(n, _MOST_COLUMNS)):
        yield _hash_cells(table, i * n // min(n, _MOST_COLUMNS))
