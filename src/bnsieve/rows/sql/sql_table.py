"""`SqlTable`: a query whose rows stay in the database, as a user hands it to `fit`.

In: the user's open connection and a query. Out: answers to statements, each of them in a log.
Statements run in a thread, so that an interrupt reaches the database.
"""

from dataclasses import dataclass, field
from numbers import Integral
from threading import Event, Thread
from time import perf_counter
from typing import Any

import pyarrow as pa

from bnsieve import _native
from bnsieve.engine import announce
from bnsieve.rows.duckdb_file import QUERY
from bnsieve.rows.secrets import refuse_addresses_in
from bnsieve.rows.sql.code_statements import CODES, CodeStatements
from bnsieve.rows.sql.database import Database
from bnsieve.rows.sql.duckdb import DuckDb
from bnsieve.rows.sql.postgresql import PostgreSql
from bnsieve.rows.sql.spark import SparkSql
from bnsieve.rows.sql.statements import SqlColumn, Statements, kind_of

_DATABASES: dict[str, type[Database]] = {
    "duckdb": DuckDb,
    "_duckdb": DuckDb,
    "psycopg": PostgreSql,
    "psycopg2": PostgreSql,
    "adbc_driver_postgresql": PostgreSql,
    "pyspark": SparkSql,
}
# How often a running statement looks for an interrupt, and how long a stopped one may take to end.
_TICK_SECONDS, _GRACE_SECONDS = 0.05, 10.0


@dataclass(frozen=True)
class Statement:
    """A statement that was run.

    Attributes
    ----------
    sql : str
        The text of the statement.
    n_rows : int
        The number of rows that it returned; -1 if it failed.
    seconds : float
        The seconds that it took.
    """

    sql: str
    n_rows: int
    seconds: float


@dataclass(frozen=True, eq=False)
class SqlTable:
    """A query whose rows stay in the database, except for a sample if you allow one.

    Counts of groups of rows, with the categories of each group, and quantiles of numeric columns
    leave the database. A quantile is a value of some row, and `min_count` does not apply to it.

    Attributes
    ----------
    connection : object
        An open connection of duckdb, psycopg or ADBC's driver for PostgreSQL, or a session of
        PySpark 4. The right to SELECT is enough.
    query : str
        The query that gives the rows, such as ``select * from orders``.
    key : str or None
        A column with a different value in every row, which is not learned from.
    sample : int or None
        The number of rows that may leave the database, drawn by the MD5 of the key. None: no row
        leaves.
    min_count : int
        The fewest rows of a group whose count leaves the database; 0 for no limit. Only without a
        sample.
    log : list of Statement
        The statements that ran, in order.
    """

    connection: Any = field(repr=False)
    query: str = field(repr=False)
    key: str | None = None
    sample: int | None = None
    min_count: int = 0
    log: list[Statement] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        refuse_addresses_in(self.query)
        if not QUERY.match(self.query):
            raise ValueError("SqlTable takes a query, such as 'select * from orders'")
        object.__setattr__(self, "query", self.query.strip().rstrip("; \t\r\n"))
        for name in ("sample", "min_count"):
            value = getattr(self, name)
            if value is None and name == "sample":
                continue
            if not isinstance(value, Integral) or isinstance(value, bool) or value < 0:
                raise ValueError(f"{name} must be a number of rows; got {value!r}")
            object.__setattr__(self, name, int(value))
        if self.sample is not None and self.key is None:
            raise ValueError("sample= draws rows by key=: name a column that differs in every row")
        if self.sample is not None and self.min_count > 1:
            raise ValueError(
                "min_count= hides small groups, and each row of sample= is a group of one: "
                "leave one of them out"
            )

    @property
    def least(self) -> int:
        """The fewest rows of a group that may be returned."""
        return max(1, self.min_count)

    def database(self) -> Database:
        """Return the dialect of the connection.

        Raises
        ------
        TypeError
            If it is of none that is known.
        """
        packages = [kind.__module__.partition(".")[0] for kind in type(self.connection).__mro__]
        if hasattr(self.connection, "adbc_get_info"):
            vendor = str(self.connection.adbc_get_info().get("vendor_name"))
            is_known = vendor == PostgreSql.name
            packages = ["adbc_driver_postgresql" if is_known else f"an ADBC driver for {vendor}"]
        known = (_DATABASES[package] for package in packages if package in _DATABASES)
        database = next(known, None)
        if database is None:
            raise TypeError(
                "SqlTable takes an open connection of duckdb, psycopg or "
                "adbc_driver_postgresql.dbapi, or a Spark session, not an object of "
                f"{packages[0]}: to fit rows of other databases, pass an ADBC cursor or the frame "
                "that pandas.read_sql gives"
            )
        return database(self.connection)

    def columns(self) -> tuple[SqlColumn, ...]:
        """Return all columns of the query; no row is read."""
        database = self.database()
        names = database.names_of(self.ask(database, database.names_statement(self.query)))
        repeated = [name for name in names if names.count(name) > 1]
        if repeated:
            raise ValueError(f"two columns are named {repeated[0]!r}: rename one in the query")
        if self.key is not None and self.key not in names:
            raise ValueError(f"the query has no column {self.key!r} for key=: it has {names}")
        asked = database.types_statement(self.query, len(names))
        types = database.types_of(self.ask(database, asked))
        return tuple(
            SqlColumn(name, place, kind_of(own), own)
            for place, (name, own) in enumerate(zip(names, types, strict=True))
        )

    def dry_run(self) -> tuple[str, ...]:
        """Return the statements that `fit` would run, one for each shape and column; read no row.

        The families of columns to count depend on earlier counts, so one statement represents them
        all.
        """
        columns = self.columns()
        told = [one.sql for one in self.log[-2:]]
        key = self.key_place(columns)
        usable = [one for one in columns if one.place != key and one.kind != "other"]
        rows = self.statements(self.database(), len(columns))
        told.append(rows.facts(key if self.sample is not None else None))
        for one in usable:
            if one.kind in ("number", "integer"):
                told.append(rows.quantiles(one))
            told.append(rows.categories(one, 1_000))
        if self.sample is not None and key is not None:
            told.append(rows.sample(usable, key, 0, self.sample, self.sample))
        if rows.database.makes_codes:
            codes = CodeStatements(rows, CODES)
            told.append(codes.values_table())
            for one in usable:
                told.append(codes.store_values(one.place, one, 1_000))
                told.append(codes.stored_categories(one.place, 1_000, 1_000))
            told.append(codes.stored_labels([one.place for one in usable]))
            told.append(codes.coded([(one, one.place, [1]) for one in usable]))
            told.append(codes.known_codes(len(usable)))
            told.extend(codes.without_codes())
        told.append(rows.joint(usable[:3], 1_000_000))
        return tuple(told)

    def statements(self, database: Database, n_columns: int) -> Statements:
        """Return the statements about the rows of the query, which has so many columns."""
        return Statements(database, self.query, n_columns, self.least)

    def key_place(self, columns: tuple[SqlColumn, ...]) -> int | None:
        """Return the number of the key."""
        return next((one.place for one in columns if one.name == self.key), None)

    def ask(self, database: Database, sql: str) -> pa.Table:
        """Run a statement in a thread, and log it; an interrupt stops it in the database.

        Raises
        ------
        RuntimeError
            If the database refuses it. Its own message may quote cells, and is not repeated.
        """
        answers: list[pa.Table] = []
        errors: list[Exception] = []

        def run() -> None:
            try:
                answers.append(database.run(sql))
            except Exception as error:
                errors.append(error)
            finally:
                ended.set()

        # An interrupted `Thread.join` takes the thread for ended, an event does not.
        ended, began = Event(), perf_counter()
        thread = Thread(target=run, daemon=True)
        try:
            thread.start()
            while not ended.wait(_TICK_SECONDS):
                _native.stop_if_asked()
        except BaseException:
            if thread.ident is not None:  # an interrupt can come before it has begun
                _stop(database, ended)
            raise
        n_rows = answers[0].num_rows if answers else -1
        self.log.append(Statement(sql, n_rows, perf_counter() - began))
        announce("database", f"{len(self.log):,} statements")
        if errors:
            code = getattr(errors[0], "sqlstate", None)
            raise RuntimeError(
                f"{database.name} refused statement {len(self.log)} of the log: "
                f"{type(errors[0]).__name__}{f', SQLSTATE {code}' if code else ''}. Run "
                f"log[{len(self.log) - 1}].sql yourself to see its message, which may quote cells"
            )
        return answers[0]


def _stop(database: Database, ended: Event) -> None:
    """Stop a statement. One that has not quite begun misses the first call, so there are more."""
    end = perf_counter() + _GRACE_SECONDS
    while not ended.is_set() and perf_counter() < end:
        database.cancel()
        ended.wait(_TICK_SECONDS)
