"""Data in any form that a user passes: frames, CSV, Parquet, datasets, iterators.

In: data in any form. Out: a `DataSource`, with columns described for preparation and rows as a
`Table` or as counts.
"""

from bnsieve.rows.csv_reader import cells_as_written, first_texts
from bnsieve.rows.data import (
    PIPE,
    DataSource,
    FileData,
    MemoryData,
    convert_rows,
    dependent_rows,
    in_memory,
    open_data,
    prepared_source,
)
from bnsieve.rows.duckdb_file import duckdb_rows
from bnsieve.rows.file_rows import FileRows, KeptCounts, Sampling, add_rows, count_rows
from bnsieve.rows.key_order import in_key_order
from bnsieve.rows.keys import Entities, entities_of, own_entities, read_keys, without_columns
from bnsieve.rows.lag_choice import choose_lags, columns_in_order
from bnsieve.rows.lagged_source import LaggedSource
from bnsieve.rows.parquet import ParquetSource
from bnsieve.rows.paths import CSV_ENDS, PARQUET_ENDS, InputFile, is_csv, is_excel, rows_files
from bnsieve.rows.planned import prepare
from bnsieve.rows.prepared import Prepared
from bnsieve.rows.repeated import near_repeats, without_repeats
from bnsieve.rows.scratch import scratch_folder
from bnsieve.rows.sequences import Sequences, put_in_order
from bnsieve.rows.sql import SqlTable, Statement, count_in_database
from bnsieve.rows.stamps import Differences, Every, Stamps, stamps_of
from bnsieve.rows.survey import files_over_time
from bnsieve.rows.types_of_columns import stored_types
from bnsieve.rows.write_output import write_frame, write_frames

__all__ = [
    "CSV_ENDS",
    "PARQUET_ENDS",
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
    "ParquetSource",
    "Prepared",
    "Sampling",
    "Sequences",
    "SqlTable",
    "Stamps",
    "Statement",
    "add_rows",
    "cells_as_written",
    "choose_lags",
    "columns_in_order",
    "convert_rows",
    "count_in_database",
    "count_rows",
    "dependent_rows",
    "duckdb_rows",
    "entities_of",
    "files_over_time",
    "first_texts",
    "in_key_order",
    "in_memory",
    "is_csv",
    "is_excel",
    "near_repeats",
    "open_data",
    "own_entities",
    "prepare",
    "prepared_source",
    "put_in_order",
    "read_keys",
    "rows_files",
    "scratch_folder",
    "stamps_of",
    "stored_types",
    "without_columns",
    "without_repeats",
    "write_frame",
    "write_frames",
]
