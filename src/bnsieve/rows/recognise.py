"""Is this a table in memory, or rows that lie elsewhere? Needs no optional package."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any


def is_source(data: Any) -> bool:
    """Tell whether data is one that `bnsieve.rows.opening.open_source` opens.

    Paths and lists of paths, pyarrow and Ray datasets, iterators of Arrow batches and functions
    that return one.
    """
    if isinstance(data, str | Path | Iterator) or callable(data):
        return True
    if isinstance(data, list | tuple):
        return bool(data) and all(isinstance(item, str | Path) for item in data)
    module = type(data).__module__
    return module == "pyarrow._dataset" or module == "bnsieve.rows.parquet" or is_ray(data)


def is_ray(data: Any) -> bool:
    """Tell whether data is a Ray dataset."""
    return type(data).__module__.split(".")[0] == "ray" and hasattr(data, "iter_batches")
