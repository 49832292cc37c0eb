"""Pieces of rows as they are read -> a frame, or the rows that were drawn of them."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

_INTEGERS = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
_NULLABLE = {pa.type_for_alias(name.lower()): pd.api.types.pandas_dtype(name) for name in _INTEGERS}

# Some rows that were drawn: the first row's number among all, random numbers, and the rows.
Drawn = tuple[int, NDArray[np.uint64], pa.RecordBatch]


def as_frame(rows: pa.RecordBatch | pa.Table) -> pd.DataFrame:
    """Return rows as a frame: integers stay what they are beside missing cells, and exact."""
    floats = [
        pa.field(one.name, pa.float64()) if pa.types.is_decimal(one.type) else one
        for one in rows.schema
    ]
    frame: pd.DataFrame = rows.cast(pa.schema(floats)).to_pandas(types_mapper=_NULLABLE.get)
    return frame


def table_of(drawn: Iterable[Drawn], n_rows: int) -> pa.Table:
    """Return the rows with the lowest random numbers, in the order of the rows."""
    _, ranks, batches = zip(*sorted(drawn, key=lambda one: one[0]), strict=True)
    kept = np.sort(np.argsort(np.concatenate(ranks), kind="stable")[:n_rows])
    # Pieces have dictionaries of their own, of which one is made.
    return pa.Table.from_batches(batches).unify_dictionaries().combine_chunks().take(pa.array(kept))
