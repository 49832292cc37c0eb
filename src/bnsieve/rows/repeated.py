"""Rows that occur more than once by mistake, in memory or in files.

In: the rows as a `CountSource`, and their files. Out: the rows to count, and a `RowDependence` if
some are copies. In memory, each copied row is counted once. Otherwise the sample is examined, and
files with the same bytes are found, without another pass over the rows.
"""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from bnsieve.counts import CountSource, TableRows
from bnsieve.rows.paths import fingerprint
from bnsieve.table import (
    LIMITS,
    RowDependence,
    Table,
    find_near_repeats,
    find_repeats,
    some_rows,
)

# Of more cells in memory than `LIMITS.in_memory` so many rows are looked at.
_DRAWN_ROWS = 20_000
# Two smaller files may be equal by chance.
_SMALLEST_FILE = 10_000


def without_repeats(
    source: CountSource, paths: Sequence[Path] = ()
) -> tuple[CountSource, RowDependence | None]:
    """Return the rows to count, and the dependence among the given rows.

    Parameters
    ----------
    source : CountSource
        The prepared rows.
    paths : sequence of Path
        The files they come from, if any.
    """
    if isinstance(source, TableRows):
        table = source.table
        if table.n_rows * table.n_variables <= LIMITS.in_memory:
            repeats = find_repeats(table)
            if repeats is None:
                return source, None
            found = RowDependence.of_repeats(repeats.n_repeated, table.n_rows, counted_once=True)
            return TableRows(table.take(repeats.kept)), found
        drawn = some_rows(table, _DRAWN_ROWS, 0)
    else:
        drawn = source.larger_sample(source.sample().names)
    n_repeated = max(_n_repeated(drawn, source.n_rows), _n_in_copies(paths, source.n_rows))
    return source, RowDependence.of_repeats(n_repeated, source.n_rows) if n_repeated else None


def near_repeats(source: CountSource) -> RowDependence | None:
    """Return the dependence of rows if some differ from another row in hardly any column.

    It is unknown which of two such rows is right, so both are counted.
    """
    if isinstance(source, TableRows):
        table = some_rows(source.table, _DRAWN_ROWS, 0)
    else:
        table = source.larger_sample(source.sample().names)
    found = find_near_repeats(table)
    if found is None:
        return None
    n_rows = source.n_rows
    # Both rows of a pair are drawn with the square of the chance of one.
    n_repeated = min(round(found.n_rows * (n_rows / table.n_rows) ** 2), n_rows // 2)
    return RowDependence.of_near_repeats(n_repeated, n_rows, found.n_different, table.n_variables)


def _n_repeated(drawn: Table, n_rows: int) -> int:
    """Estimate how many of all rows are copies, from those among some that were drawn."""
    repeats = find_repeats(drawn, in_order=False)
    if repeats is None:
        return 0
    # Both rows of a pair are drawn with the square of the chance of one.
    return min(round(repeats.n_repeated * (n_rows / drawn.n_rows) ** 2), n_rows // 2)


def _n_in_copies(paths: Sequence[Path], n_rows: int) -> int:
    """Estimate how many rows lie in files whose bytes another file has too."""
    by_size = defaultdict(list)
    for path in set(paths):
        by_size[path.stat().st_size].append(path)
    total = sum(size * len(group) for size, group in by_size.items())
    copied = 0
    for size, group in by_size.items():
        if size >= _SMALLEST_FILE and len(group) > 1:
            digests = {fingerprint(path, path.parent).sha256 for path in group}
            copied += size * (len(group) - len(digests))
    return round(n_rows * copied / max(total, 1))
