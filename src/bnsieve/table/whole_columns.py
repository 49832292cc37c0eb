"""Columns as other libraries hold them -> columns that every step can read, or an error.

Arrow has types that few of its own functions know (views of text, dictionaries with unsigned
places), and believes that text is UTF-8. NumPy marks missing cells by a mask that need not lie in
one piece, and its text may hold what pandas refuses.
"""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray


def plain_arrow(name: str, column: Any) -> Any:
    """Return an Arrow column in a type that all functions of Arrow know, once it is found whole.

    Parameters
    ----------
    name : str
        For error messages.
    column : pyarrow.ChunkedArray

    Returns
    -------
    pyarrow.ChunkedArray

    Raises
    ------
    ValueError
        If the column holds what its type forbids, such as text that is not UTF-8.
    """
    require_whole(name, column)
    kind = column.type
    if pa.types.is_string_view(kind):
        return column.cast(pa.large_string())
    if not pa.types.is_dictionary(kind):
        return column
    views = pa.types.is_string_view(kind.value_type)
    if not views and not pa.types.is_unsigned_integer(kind.index_type):
        return column
    chunks = [
        pa.DictionaryArray.from_arrays(
            chunk.indices.cast(pa.int64()),
            chunk.dictionary.cast(pa.large_string()) if views else chunk.dictionary,
            ordered=kind.ordered,
        )
        for chunk in column.chunks
    ]
    entries = pa.large_string() if views else kind.value_type
    return pa.chunked_array(chunks, pa.dictionary(pa.int64(), entries, kind.ordered))


def require_whole(name: str, column: Any) -> None:
    """Refuse an Arrow array that holds what its type forbids.

    Raises
    ------
    ValueError
        With the name of the column.
    """
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        said = str(error)
        if "UTF8" in said:
            raise ValueError(
                f"column {name!r} holds text that is not UTF-8: decode it with the encoding that "
                "it was written in"
            ) from None
        raise ValueError(f"column {name!r} is damaged ({said}): write it again") from None


def as_series(array: NDArray[Any]) -> "pd.Series[Any]":
    """Return a NumPy vector as a pandas Series that holds the same values exactly."""
    values = np.asarray(array)
    missing = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    kind = values.dtype.kind
    if kind in "UTO":
        # As objects: strings of pandas cannot hold a lone surrogate.
        objects = values.astype(object)
        if missing is not None:
            objects[missing] = None
        return pd.Series(objects, dtype=object)
    if missing is not None and missing.any() and kind in "iu":
        # pandas would make fractions of them, which large integers do not survive.
        exact = values.astype(values.dtype.newbyteorder("="))
        return pd.Series(pd.arrays.IntegerArray(exact, np.ascontiguousarray(missing)))
    return pd.Series(array)
