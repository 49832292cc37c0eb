"""Rows that lie elsewhere: CSV, Parquet, datasets, iterators.

In: paths or datasets. Out: a sample as a `Table`, and counts of all rows.
"""

from bnsieve.rows.ranks import drawn_rows, n_drawn, some_rows
from bnsieve.rows.read_input import MAX_CELLS, PIPE, InputFile, Rows, at_rest, read_rows
from bnsieve.rows.recognise import is_source
from bnsieve.rows.scratch import scratch_folder
from bnsieve.rows.write_output import write_frame

__all__ = [
    "MAX_CELLS",
    "PIPE",
    "InputFile",
    "Rows",
    "at_rest",
    "drawn_rows",
    "is_source",
    "n_drawn",
    "read_rows",
    "scratch_folder",
    "some_rows",
    "write_frame",
]
