"""Rows that lie elsewhere: CSV, Parquet, datasets, iterators.

In: paths or datasets. Out: a sample as a `Table`, and counts of all rows.
"""

from bnsieve.rows.read_input import InputFile, Rows, at_rest, read_rows
from bnsieve.rows.recognise import is_source
from bnsieve.rows.tidy import Change, require_column, tidy_frame, tidy_source
from bnsieve.rows.write_output import write_frame

__all__ = [
    "Change",
    "InputFile",
    "Rows",
    "at_rest",
    "is_source",
    "read_rows",
    "require_column",
    "tidy_frame",
    "tidy_source",
    "write_frame",
]
