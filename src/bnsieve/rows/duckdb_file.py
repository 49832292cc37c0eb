"""A query on a DuckDB file of this machine -> a relation, for the command line.

In: the path of the file and a query. Out: a relation that `open_data` reads. The file is opened
read-only.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bnsieve.rows.secrets import refuse_address, refuse_addresses_in
from bnsieve.text import counted

# Comments and brackets may stand before the first word.
QUERY = re.compile(
    r"(?:\s|\(|--[^\n]*\n|/\*.*?\*/)*(?:select|with|from|table|values)\b",
    re.IGNORECASE | re.DOTALL,
)


@contextmanager
def duckdb_rows(path: Path, query: str) -> Iterator[Any]:
    """Yield the rows of a query as a DuckDB relation, while the context lasts.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the text is not a query, or DuckDB refuses it.
    ImportError
        If duckdb is not installed.
    """
    refuse_addresses_in(query)
    if not path.is_file():
        refuse_address(str(path))
        raise FileNotFoundError(f"there is no file {path}: check the path")
    if not QUERY.match(query):
        raise ValueError("--sql takes a query, such as --sql 'select * from orders'")
    try:
        import duckdb
    except ImportError as error:
        raise ImportError("--duckdb needs duckdb: install it with pip install duckdb") from error
    try:
        with duckdb.connect(str(path), read_only=True) as connection:
            refuse_other_statements(connection, query)
            yield connection.sql(query)
    except duckdb.Error as error:
        raise ValueError(f"{path}: {error}") from None


def refuse_other_statements(connection: Any, query: str) -> None:
    """Refuse a text that is not one query: DuckDB would run every statement of it.

    Raises
    ------
    ValueError
    """
    try:
        statements = connection.extract_statements(query)
    except Exception:  # a text that DuckDB cannot read is refused when it runs, in its own words
        return
    kinds = [one.type.name for one in statements]
    if kinds != ["SELECT"]:
        raise ValueError(
            f"pass a single query: the text has {counted(len(kinds), 'statement')} "
            f"({', '.join(kinds)})"
        )
