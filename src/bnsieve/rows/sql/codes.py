"""Rows as codes in a temporary table, which a database groups many times faster than text.

In: a `SqlTable`, and its columns one after another. Out: their categories, and at the end
`CodedRows`, or None where the database makes no such table or refuses it. No statement holds a
category: the database numbers them itself.
"""

from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count

import pyarrow as pa

from bnsieve.rows.sql.code_statements import CODES, CodeStatements
from bnsieve.rows.sql.sql_table import SqlTable
from bnsieve.rows.sql.statements import SqlColumn, Statements

# The codes of all rows take no more bytes than this; each takes two at most.
_MOST_BYTES = 1 << 32
# Values of a column that are stored. Those that differ may be of one category: blank text.
_MOST_VALUES = 10_000
_NUMBERS = count(1)
CHANGED = (
    "the rows changed while they were counted: if others write to the table, fit again in a "
    "transaction that sees one state, such as BEGIN ISOLATION LEVEL REPEATABLE READ; if the query "
    "draws rows by chance, store its rows first"
)


@dataclass(frozen=True)
class CodedRows:
    """A temporary table of codes.

    Attributes
    ----------
    name : str
    columns : dict of str to SqlColumn
        Its columns, with the category of each code. NULL stands for a category that may not leave.
    """

    name: str
    columns: dict[str, SqlColumn]

    @property
    def query(self) -> str:
        """The query that gives the codes."""
        return f"select * from {self.name}"


class Coding:
    """The making of a table of codes, which ends without one at the first refusal.

    Parameters
    ----------
    table : SqlTable
    rows : Statements
        About its rows.
    n_rows : int
    """

    def __init__(self, table: SqlTable, rows: Statements, n_rows: int) -> None:
        self._table, self._database, self._n_rows = table, rows.database, n_rows
        self._statements = CodeStatements(rows, f"{CODES}_{next(_NUMBERS)}")
        # The number under which the values of a column are stored, which may be stored twice: as
        # whole numbers, which are too many, and in bins.
        self._numbers: dict[str, int] = {}
        n_bytes = 2 * n_rows * rows.n_columns
        self._began = rows.database.makes_codes and n_bytes <= _MOST_BYTES
        self._is_possible = self._began
        self._ask(self._statements.values_table())

    def categories(self, column: SqlColumn, most: int) -> pa.Table | None:
        """Return the categories of a column, and their counts; None if they were not stored."""
        number = self._numbers[column.name] = next(_NUMBERS)
        if self._ask(self._statements.store_values(number, column, _MOST_VALUES)) is None:
            return None
        answer = self._ask(self._statements.stored_categories(number, most, _MOST_VALUES))
        return answer if answer is not None and answer.num_rows else None

    def rows(
        self, columns: Mapping[str, SqlColumn], counts: Sequence[Mapping[Hashable, int]]
    ) -> CodedRows | None:
        """Make the table of the columns, whose categories were counted.

        Raises
        ------
        ValueError
            If the rows are no longer those that were counted.
        """
        numbers = [self._numbers.get(name, 0) for name in columns]
        answer = self._ask(self._statements.stored_labels(numbers))
        if answer is None:
            return None
        texts: dict[int, list[tuple[str | None, int]]] = {}
        for number, text, n in zip(*(one.to_pylist() for one in answer.columns), strict=True):
            texts.setdefault(number, []).append((text, n))
        stored, labels = [], []
        for column, number in zip(columns.values(), numbers, strict=True):
            own = texts.get(number, [])
            stored.append((column, number, [n for _, n in own]))
            labels.append(tuple(column.label(text) for text, _ in own))
        if any(set(own) != of.keys() for own, of in zip(labels, counts, strict=True)):
            return None  # a column whose values were too many to store
        self._ask(self._statements.coded(stored))
        known = self._ask(self._statements.known_codes(len(columns)))
        if known is None:
            return None
        expected = [self._n_rows, *(sum(own.values()) for own in counts)]
        if [*known.to_pylist()[0].values()] != expected:
            raise ValueError(CHANGED)
        coded = [
            replace(one, place=i, labels=own)
            for i, (one, own) in enumerate(zip(columns.values(), labels, strict=True))
        ]
        return CodedRows(self._statements.name, dict(zip(columns, coded, strict=True)))

    def end(self) -> None:
        """Remove the temporary tables."""
        for sql in self._statements.without_codes() if self._began else ():
            with suppress(RuntimeError):  # a failed transaction has removed them
                self._table.ask(self._database, sql)

    def _ask(self, sql: str) -> pa.Table | None:
        """Run a statement; None if the database refuses it, or refused one before."""
        if not self._is_possible:
            return None
        try:
            return self._table.ask(self._database, sql)
        except RuntimeError:  # the log has it
            self._is_possible = False
            return None
