"""Rows that lie elsewhere: CSV, Parquet, datasets, iterators.

In: paths or datasets. Out: a sample as a `Table`, and counts of all rows.
"""

from bnsieve.rows.ranks import drawn_rows
from bnsieve.rows.read_input import MAX_CELLS, Rows, at_rest, read_rows
from bnsieve.rows.recognise import is_source

__all__ = [
    "MAX_CELLS",
    "Rows",
    "at_rest",
    "drawn_rows",
    "is_source",
    "read_rows",
]
