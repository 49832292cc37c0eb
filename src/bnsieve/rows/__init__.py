"""Data that a user hands over, and rows that lie elsewhere: CSV, Parquet, datasets, iterators.

In: anything. Out: a `DataSource`: columns described for preparation, rows as a `Table` or as
counts.
"""

from bnsieve.rows.data import (
    PIPE,
    DataSource,
    FileData,
    MemoryData,
    convert_rows,
    dependent_rows,
    in_memory,
    open_data,
    prepare,
    prepared_source,
)
from bnsieve.rows.file_rows import FileRows, KeptCounts, Sampling, add_rows, count_rows
from bnsieve.rows.keys import Entities, entities_of, own_entities, read_keys, without_columns
from bnsieve.rows.lagged_source import LaggedSource
from bnsieve.rows.paths import InputFile
from bnsieve.rows.prepared import Prepared
from bnsieve.rows.scratch import scratch_folder
from bnsieve.rows.sequences import Sequences, put_in_order
from bnsieve.rows.stamps import Differences, Every, Stamps, stamps_of
from bnsieve.rows.survey import files_over_time
from bnsieve.rows.write_output import write_frame

__all__ = [
    "PIPE",
    "DataSource",
    "Differences",
    "Entities",
    "Every",
    "FileData",
    "FileRows",
    "InputFile",
    "KeptCounts",
    "LaggedSource",
    "MemoryData",
    "Prepared",
    "Sampling",
    "Sequences",
    "Stamps",
    "add_rows",
    "convert_rows",
    "count_rows",
    "dependent_rows",
    "entities_of",
    "files_over_time",
    "in_memory",
    "open_data",
    "own_entities",
    "prepare",
    "prepared_source",
    "put_in_order",
    "read_keys",
    "scratch_folder",
    "stamps_of",
    "without_columns",
    "write_frame",
]
