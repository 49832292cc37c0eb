"""Data that a user hands over, and rows that lie elsewhere: CSV, Parquet, datasets, iterators.

In: anything. Out: a `DataSource`: columns described for preparation, rows as a `Table` or as
counts.
"""

from bnsieve.rows.added_rows import KeptCounts, add_rows
from bnsieve.rows.data import PIPE, DataSource, FileData, MemoryData, in_memory, open_data
from bnsieve.rows.door import prepare
from bnsieve.rows.file_columns import Prepared
from bnsieve.rows.file_rows import Sampling
from bnsieve.rows.paths import InputFile
from bnsieve.rows.recoding import Recoding
from bnsieve.rows.scratch import scratch_folder
from bnsieve.rows.spill import convert_csv
from bnsieve.rows.write_output import write_frame

__all__ = [
    "PIPE",
    "DataSource",
    "FileData",
    "InputFile",
    "KeptCounts",
    "MemoryData",
    "Prepared",
    "Recoding",
    "Sampling",
    "add_rows",
    "convert_csv",
    "in_memory",
    "open_data",
    "prepare",
    "scratch_folder",
    "write_frame",
]
