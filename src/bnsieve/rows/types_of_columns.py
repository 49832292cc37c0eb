"""The types of columns as they are stored.

In: a `DataSource`. Out: a name of the type of each column: that of pandas for a pandas DataFrame,
else that of Arrow, as ``arrow int64``.
"""

import pandas as pd

from bnsieve.rows.data import DataSource, FileData, MemoryData
from bnsieve.table import Table


def stored_types(data: DataSource) -> dict[str, str]:
    """Return the type of each column, as far as it is known."""
    if isinstance(data, MemoryData):
        if isinstance(data.data, Table) or not isinstance(data.data, pd.DataFrame):
            return {}
        return {str(name): _pandas_type(own.dtype) for name, own in data.data.items()}
    if isinstance(data, FileData):
        for *_, rows in data.source.batches(data.source.chunks[:1], data.names):
            return {own.name: f"arrow {own.type}" for own in rows.schema}
    return {}


def _pandas_type(dtype: object) -> str:
    if isinstance(dtype, pd.CategoricalDtype):
        return "ordered category" if dtype.ordered else "category"
    return str(dtype)
