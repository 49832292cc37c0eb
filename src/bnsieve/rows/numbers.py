"""Columns of numbers in files -> labels: cuts are found in a sample of rows and hold for all.

In: pieces of rows as they are read. Out: the rows that are drawn to find cuts in, and the same
pieces with labels in place of the numbers.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from bnsieve.table import Discretizer, binned

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


def frame_of(drawn: Iterable[Drawn], n_rows: int) -> pd.DataFrame:
    """Return the rows with the lowest random numbers, in the order of the rows."""
    _, ranks, batches = zip(*sorted(drawn, key=lambda one: one[0]), strict=True)
    frame: pd.DataFrame = pd.concat([as_frame(batch) for batch in batches], ignore_index=True)
    kept = np.sort(np.argsort(np.concatenate(ranks), kind="stable")[:n_rows])
    return frame.iloc[kept]


def labelled(path: str, piece: pa.RecordBatch, discretizer: Discretizer | None) -> pa.RecordBatch:
    """Return a piece of rows with labels in place of the numbers.

    Parameters
    ----------
    path : str
        The file they are from, for error messages.
    piece : pyarrow.RecordBatch
        Some of the columns that the discretizer was fitted to.
    discretizer : Discretizer or None
        None: there are no numbers.
    """
    if discretizer is None:
        return piece
    columns = {name: piece.column(i) for i, name in enumerate(piece.schema.names)}
    for name in discretizer.cuts_.keys() & columns.keys():
        codes = binned(_values(columns[name]), discretizer.cuts_[name])
        indices = pa.array(codes.astype(np.int32), mask=codes < 0)
        labels = pa.array(discretizer.labels_[name])
        columns[name] = pa.DictionaryArray.from_arrays(indices, labels)
    for name in set(discretizer.whole_) & columns.keys():
        columns[name] = _integers(path, name, columns[name])
    return pa.RecordBatch.from_pydict(columns)


def _values(column: pa.Array) -> NDArray[np.float64]:
    """Return numbers of any type, NaN where a cell is missing."""
    values: NDArray[np.float64] = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return values


def _integers(path: str, name: str, column: pa.Array) -> pa.Array:
    values = _values(column)
    fractions = values[~np.isnan(values) & (values != np.floor(values))]
    if len(fractions):
        raise ValueError(
            f"{path}: column {name!r} holds {fractions[0]:g}, but whole numbers only in the rows "
            "that were drawn to cut it: give the learner discretize=Discretizer(max_categories=1)"
        )
    return pa.array(values, from_pandas=True).cast(pa.int64())
