"""Counts made inside a database, for rows that may not leave it.

In: an open connection and a query. Out: a `SqlTable`, and of it a count source.
"""

from bnsieve.rows.sql.counted_rows import SqlRows, count_in_database
from bnsieve.rows.sql.sql_table import SqlTable, Statement

__all__ = ["SqlRows", "SqlTable", "Statement", "count_in_database"]
