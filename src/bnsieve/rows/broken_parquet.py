"""Whatever goes wrong with a Parquet file is said with its name."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from bnsieve.table import require_whole

# What Arrow raises where a file is damaged; the last ones where sizes or names in it are.
BROKEN = (
    *(pa.ArrowException, OSError, RuntimeError, OverflowError, UnicodeDecodeError),
    *(MemoryError, NotImplementedError),
)


@contextmanager
def named(path: str) -> Iterator[None]:
    """Add the name of the file to an error.

    Raises
    ------
    FileNotFoundError
        If it has vanished.
    PermissionError
        If it may not be read.
    ValueError
        If it is damaged.
    """
    try:
        yield
    except FileNotFoundError as error:
        if path in str(error):
            raise
        raise FileNotFoundError(f"{path} has vanished") from error
    except PermissionError as error:
        raise PermissionError(f"{path} may not be read: change its permissions") from error
    except BROKEN as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(
            f"{path} cannot be read as Parquet, it may be truncated or damaged: {said}"
        ) from error


def require_whole_columns(path: str, rows: Any) -> None:
    """Refuse rows of a file of which a column holds what its type forbids.

    Parameters
    ----------
    path : str
    rows : pyarrow.RecordBatch or pyarrow.Table

    Raises
    ------
    ValueError
        With the names of the file and of the column.
    """
    for name, column in zip(rows.schema.names, rows.columns, strict=True):
        # Places in a dictionary were checked by Arrow's reader: again would take a tenth of a pass.
        part = column.dictionary if isinstance(column, pa.DictionaryArray) else column
        try:
            require_whole(name, part)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
