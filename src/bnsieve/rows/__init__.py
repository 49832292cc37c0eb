"""Rows that lie elsewhere: CSV, Parquet, datasets, iterators.

In: paths or datasets. Out: a sample as a `Table`, and counts of all rows.
"""

from bnsieve.rows.door import plan_rows, prepare
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
    "is_source",
    "plan_rows",
    "prepare",
    "read_rows",
    "scratch_folder",
    "write_frame",
]
