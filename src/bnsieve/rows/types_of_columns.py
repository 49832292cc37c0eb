"""The types of columns as they are stored.

In: a `DataSource`. Out: the name of the type of each column: pandas' name for a pandas DataFrame,
else Arrow's name, such as ``arrow int64``. Integers in text files have no width, so they count as
64 bits wide.
"""

import pandas as pd
import pyarrow as pa

from bnsieve.rows.data import DataSource, FileData, MemoryData
from bnsieve.rows.paths import is_csv
from bnsieve.table import Table


def stored_types(data: DataSource) -> dict[str, str]:
    """Return the type of each column, if it is known."""
    if isinstance(data, MemoryData):
        if isinstance(data.data, Table) or not isinstance(data.data, pd.DataFrame):
            return {}
        return {str(name): _pandas_type(own.dtype) for name, own in data.data.items()}
    if isinstance(data, FileData):
        for *_, rows in data.source.batches(data.source.chunks[:1], data.names):
            is_text = bool(data.paths) and is_csv(data.paths[0])
            return {own.name: f"arrow {_own_type(own.type, is_text)}" for own in rows.schema}
    return {}


def _own_type(stored: pa.DataType, is_text: bool) -> pa.DataType:
    return pa.int64() if is_text and pa.types.is_integer(stored) else stored


def _pandas_type(dtype: object) -> str:
    if isinstance(dtype, pd.CategoricalDtype):
        return "ordered category" if dtype.ordered else "category"
    return str(dtype)
