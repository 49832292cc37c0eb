"""The columns of rows in files, as preparation needs them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bnsieve import _native
from bnsieve.engine import Engine
from bnsieve.rows.parquet import ParquetSource, Rows
from bnsieve.rows.passes import draw_rows, run_pass
from bnsieve.table import Column
from bnsieve.table.prepare import ColumnFacts, IsOdd, OddFound, odd_in, without_missing

Facts = dict[str, ColumnFacts]


@dataclass(frozen=True)
class FileColumns:
    """Rows in files as `bnsieve.table.prepare.Columns`.

    Attributes
    ----------
    source : ParquetSource
        The rows as they are stored.
    engine : Engine
    seed : int
        The seed of the drawn rows.
    """

    source: ParquetSource
    engine: Engine
    seed: int

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return self.source.names

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.source.n_rows

    def facts(self, names: Sequence[str], missing: Collection[str]) -> Facts:
        """Return the facts about all rows of some columns, in one reading."""
        if not names:
            return {}
        return run_pass(
            self.source, self.engine, "columns", lambda: _FactsOf(missing), names, merge=_added
        )

    def sample(self, names: Sequence[str], missing: Collection[str]) -> dict[str, Column]:
        """Draw some rows of some columns, in one reading: all rows if they are few."""
        drawn = draw_rows(self.source.keep(names), self.seed, self.engine)
        return {name: without_missing(drawn[name], name, missing) for name in names}

    def odd(self, name: str, is_odd: IsOdd, missing: Collection[str]) -> OddFound:
        """Find odd cells in all rows of a column, in one reading."""
        return run_pass(
            self.source,
            self.engine,
            "columns",
            lambda: _OddIn(is_odd, missing),
            [name],
            merge=_both,
        )


class _FactsOf:
    def __init__(self, missing: Collection[str]) -> None:
        self.missing = missing
        self.found: Facts = {}

    def add(self, rows: Rows) -> None:
        for name, column in rows.categories.items():
            _native.stop_if_asked()  # a piece of thousands of columns takes seconds
            cells, facts = without_missing(column, name, self.missing), self.found.get(name)
            self.found[name] = ColumnFacts.of(cells) if facts is None else facts.plus(cells)

    def result(self) -> Facts:
        return self.found


class _OddIn:
    def __init__(self, is_odd: IsOdd, missing: Collection[str]) -> None:
        self.is_odd = is_odd
        self.missing = missing
        self.found: OddFound = {}

    def add(self, rows: Rows) -> None:
        for name, column in rows.categories.items():
            odd = odd_in(without_missing(column, name, self.missing), self.is_odd, rows.first)
            self.found = _both(self.found, odd)

    def result(self) -> OddFound:
        return self.found


def _added(a: Facts, b: Facts) -> Facts:
    return {name: a[name] + b[name] for name in a}


def _both(a: OddFound, b: OddFound) -> OddFound:
    found = dict(a)
    for value, (row, n) in b.items():
        before = found.get(value, (row, 0))
        found[value] = (min(row, before[0]), n + before[1])
    return found
