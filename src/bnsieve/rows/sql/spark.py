"""Spark SQL, by a session of PySpark 4, with or without Spark Connect."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import Any
from uuid import uuid4

import pyarrow as pa

from bnsieve.rows.sql.database import Database

# PySpark writes the message of a refused statement here, and the message may quote cells.
_LOGS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


class SparkSql(Database):
    """A session of PySpark."""

    name = "Spark SQL"
    text_type = "string"
    number_type = "double"

    def __init__(self, connection: Any) -> None:
        from pyspark.sql import DataFrame

        if not hasattr(DataFrame, "toArrow"):
            raise TypeError(
                "SqlTable needs PySpark 4 or newer: install it with pip install -U pyspark"
            )
        super().__init__(connection)
        self._group = f"bnsieve-{uuid4()}"
        self._is_remote = "connect" in type(connection).__module__.split(".")

    def run(self, sql: str) -> pa.Table:
        """Run a statement and return all that it gives."""
        if self._is_remote:
            self._connection.addTag(self._group)
        else:
            self._connection.sparkContext.setJobGroup(self._group, "bnsieve counts rows", True)
        with _without_logs():
            answer: pa.Table = self._connection.sql(sql).toArrow()
        return answer

    def cancel(self) -> None:
        """Stop the jobs of the running statement."""
        if self._is_remote:
            self._connection.interruptTag(self._group)
        else:
            self._connection.sparkContext.cancelJobGroup(self._group)

    def names_statement(self, query: str) -> str:
        """Return a statement that reads no row."""
        return f"describe query {query}"

    def names_of(self, answer: pa.Table) -> list[str]:
        """Return the names of a query's columns."""
        names: list[str] = answer["col_name"].to_pylist()
        return names

    def types_statement(self, query: str, n_columns: int) -> str:
        """Return a statement that reads no row."""
        return f"describe query {query}"

    def types_of(self, answer: pa.Table) -> list[str]:
        """Return the types of a query's columns."""
        types: list[str] = answer["data_type"].to_pylist()
        return types

    def exact_text(self, value: str) -> str:
        """Return an expression of a text whose groups hold one spelling, whatever its collation."""
        return f"collate(cast({value} as string), 'UTF8_BINARY')"

    def md5(self, text: str) -> str:
        """Return an expression of a text's MD5."""
        return f"md5({text})"


@contextmanager
def _without_logs() -> Iterator[None]:
    """Keep messages about the statements of this thread out of the logs of PySpark."""
    from pyspark.logger import PySparkLogger

    own = get_ident()

    def is_of_another_thread(record: logging.LogRecord) -> bool:
        return record.thread != own

    loggers = [PySparkLogger.getLogger(name) for name in _LOGS]
    for logger in loggers:
        logger.addFilter(is_of_another_thread)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(is_of_another_thread)
