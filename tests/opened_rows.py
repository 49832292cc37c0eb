"""Rows of files as tests look at them: as they are stored, and as counts without preparation."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from bnsieve.counts import CountSource
from bnsieve.engine import Engine
from bnsieve.rows import Sampling, open_data
from bnsieve.rows.parquet import ParquetSource


@contextmanager
def open_stored(data: Any, **options: Any) -> Iterator[ParquetSource]:
    """Open data as it is stored."""
    with open_data(data, **options) as rows:
        yield rows.stored()


@contextmanager
def open_counts(
    data: Any, n_sample: int, memory: int, engine: Engine, seed: int
) -> Iterator[CountSource]:
    """Open data of labels as a learner does."""
    with open_data(data) as rows:
        yield rows.counts(None, Sampling(n_sample, memory, seed), engine)


def read_rows(path: Any, missing_texts: Any = (), **options: Any) -> SimpleNamespace:
    """Read all rows: a frame, the files and what was not as usual."""
    with open_data(path, missing_texts, **options) as rows:
        frame = rows.to_frame()
        return SimpleNamespace(frame=frame, files=rows.files, remarks=rows.remarks)
