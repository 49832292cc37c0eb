"""What differs between databases: how statements are run and stopped, and a few words of SQL.

In: the user's connection. Out: Arrow tables. A dialect is one subclass in a file of its own.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import pyarrow as pa


class Database(ABC):
    """An open connection, and the dialect of its database.

    Parameters
    ----------
    connection : object
        The user's; it is neither opened nor closed here.
    """

    name: ClassVar[str]
    text_type: ClassVar[str] = "varchar"
    number_type: ClassVar[str] = "double precision"
    """What the database calls text of any length, and floating-point numbers of eight bytes."""
    makes_codes: ClassVar[bool] = False
    """Whether rows are stored as codes in a temporary table, which is counted instead."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    @abstractmethod
    def run(self, sql: str) -> pa.Table:
        """Run a statement and return all that it gives."""

    @abstractmethod
    def cancel(self) -> None:
        """Stop the running statement; called from another thread than `run`."""

    @abstractmethod
    def names_statement(self, query: str) -> str:
        """Return a statement that reads no row, for `names_of`."""

    @abstractmethod
    def names_of(self, answer: pa.Table) -> list[str]:
        """Return the names of a query's columns."""

    @abstractmethod
    def types_statement(self, query: str, n_columns: int) -> str:
        """Return a statement that reads no row, for `types_of`."""

    @abstractmethod
    def types_of(self, answer: pa.Table) -> list[str]:
        """Return the types of a query's columns, as the database calls them."""

    def exact_text(self, value: str) -> str:
        """Return an expression of a text whose groups hold one spelling, whatever its collation."""
        return f'cast({value} as {self.text_type}) collate "C"'

    @abstractmethod
    def md5(self, text: str) -> str:
        """Return an expression of a text's MD5 in lower hexadecimal digits, compared by bytes."""


def renamed(query: str, n_columns: int) -> str:
    """Return the rows of a query as a table `r` with the columns c0, c1, ...

    Columns are told by place, so that their names are in no statement, whatever they are.
    """
    names = ", ".join(f"c{i}" for i in range(n_columns))
    return f"({query}\n) as r({names})"
