"""Rows in files as studies take them: as they are stored, and never in memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bnsieve.rows import open_data
from bnsieve.rows.parquet import ParquetSource
from bnsieve.table import LIMITS


@contextmanager
def open_stored(data: Any) -> Iterator[ParquetSource]:
    """Open data as it is stored."""
    with open_data(data) as rows:
        yield rows.stored()


@contextmanager
def rows_stay_in_files() -> Iterator[None]:
    """Take files for too large for memory, as long as the context lasts."""
    before, LIMITS.in_memory = LIMITS.in_memory, 0
    try:
        yield
    finally:
        LIMITS.in_memory = before
