"""DuckDB, by a connection of its Python package."""

import pyarrow as pa

from bnsieve.rows.duckdb_file import refuse_other_statements
from bnsieve.rows.sql.database import Database


class DuckDb(Database):
    """A connection of the package duckdb."""

    name = "DuckDB"
    makes_codes = True

    def run(self, sql: str) -> pa.Table:
        """Run a statement and return all that it gives."""
        answer = self._connection.sql(sql)
        return pa.table({}) if answer is None else answer.to_arrow_table()

    def cancel(self) -> None:
        """Stop the running statement."""
        self._connection.interrupt()

    def names_statement(self, query: str) -> str:
        """Return a statement that reads no row.

        Raises
        ------
        ValueError
            If the text has other statements than one query: DuckDB would run them all.
        """
        refuse_other_statements(self._connection, query)
        return f"describe {query}"

    def names_of(self, answer: pa.Table) -> list[str]:
        """Return the names of a query's columns."""
        names: list[str] = answer["column_name"].to_pylist()
        return names

    def types_statement(self, query: str, n_columns: int) -> str:
        """Return a statement that reads no row."""
        return f"describe {query}"

    def types_of(self, answer: pa.Table) -> list[str]:
        """Return the types of a query's columns."""
        types: list[str] = answer["column_type"].to_pylist()
        return types

    def md5(self, text: str) -> str:
        """Return an expression of a text's MD5."""
        return f"md5({text})"
