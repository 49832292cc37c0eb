"""PostgreSQL, by a connection of psycopg or of ADBC."""

import pyarrow as pa

from bnsieve.rows.sql.database import Database, renamed


class PostgreSql(Database):
    """A connection of psycopg, or of `adbc_driver_postgresql.dbapi`."""

    name = "PostgreSQL"

    def run(self, sql: str) -> pa.Table:
        """Run a statement and return all that it gives."""
        with self._connection.cursor() as cursor:
            if hasattr(cursor, "row_factory"):  # psycopg may be set to give rows as dictionaries
                from psycopg.rows import tuple_row

                cursor.row_factory = tuple_row
            cursor.execute(sql)
            if hasattr(cursor, "fetch_arrow_table"):
                return cursor.fetch_arrow_table()
            names = [column[0] for column in cursor.description]
            columns = list(zip(*cursor.fetchall(), strict=True)) or [()] * len(names)
            return pa.Table.from_arrays([pa.array(column) for column in columns], names=names)

    def cancel(self) -> None:
        """Stop the running statement."""
        is_adbc = hasattr(self._connection, "adbc_cancel")
        (self._connection.adbc_cancel if is_adbc else self._connection.cancel)()

    def names_statement(self, query: str) -> str:
        """Return a statement that reads no row."""
        return f"select * from ({query}\n) as r limit 0"

    def names_of(self, answer: pa.Table) -> list[str]:
        """Return the names of a query's columns."""
        return list(answer.column_names)

    def types_statement(self, query: str, n_columns: int) -> str:
        """Return a statement that reads no row."""
        types = ", ".join(f"cast(pg_typeof(c{i}) as text) as t{i}" for i in range(n_columns))
        return (
            f"select {types} from (select 1) as one left join {renamed(query, n_columns)} on false"
        )

    def types_of(self, answer: pa.Table) -> list[str]:
        """Return the types of a query's columns."""
        return [column[0].as_py() for column in answer.columns]

    def md5(self, text: str) -> str:
        """Return an expression of a text's MD5; no locale has a say in its order."""
        return f'md5({text}) collate "C"'
