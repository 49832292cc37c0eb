"""One column of a piece of Arrow data -> its categories, and for each row which one.

In: an Arrow array of strings, booleans, integers or a dictionary of these. Out: `Piece`. As in
`bnsieve.table.encode` nothing is guessed: a column of another kind is refused.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Never

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bnsieve.table import bin_labels, binned


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows of one column.

    Attributes
    ----------
    labels : list
        What the indices stand for, None being a missing cell; not all of them need occur.
    indices : ndarray of int32, shape (n_rows,)
    values : ndarray of float64, shape (n_rows,), or None
        The numbers that the categories are bins of, where these are wanted; NaN where missing.
    """

    labels: list[Hashable]
    indices: NDArray[np.int32]
    values: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, array: pa.Array) -> "Piece":
        """Read an Arrow array."""
        if not pa.types.is_dictionary(array.type):
            if pa.types.is_string_view(array.type):
                array = array.cast(pa.large_string())
            array = array.dictionary_encode()
        labels = array.dictionary.to_pylist()
        indices = array.indices
        if indices.null_count:
            labels.append(None)
            indices = pc.fill_null(indices.cast(pa.int32()), len(labels) - 1)
        values = indices.to_numpy()
        return cls(labels, np.ascontiguousarray(values, dtype=np.int32))

    @classmethod
    def of_numbers(cls, array: pa.Array, cuts: Sequence[float]) -> "Piece":
        """Cut an Arrow array of numbers, NaN where missing, and keep these beside their bins."""
        values = array.to_numpy()
        edges = np.array(cuts, dtype=np.float64)
        codes = binned(values, edges)
        labels: list[Hashable] = [*bin_labels(edges), None]
        indices = np.where(codes < 0, len(labels) - 1, codes).astype(np.int32)
        return cls(labels, indices, values)


LABELS = ("string", "integer", "boolean")
"""The kinds of columns that are categories as they are stored."""


def kind_of(arrow_type: Any) -> str:
    """Return what a column holds: string, integer, boolean, number, date, empty or another type.

    A dictionary is of the kind of its entries, so that files may differ in how they store
    categories.
    """
    if pa.types.is_dictionary(arrow_type):
        arrow_type = arrow_type.value_type
    types = pa.types
    if types.is_string(arrow_type) or types.is_large_string(arrow_type):
        return "string"
    if types.is_string_view(arrow_type):
        return "string"
    if types.is_integer(arrow_type):
        return "integer"
    if types.is_boolean(arrow_type):
        return "boolean"
    if types.is_floating(arrow_type) or types.is_decimal(arrow_type):
        return "number"
    if types.is_temporal(arrow_type):
        return "date"
    return "empty" if types.is_null(arrow_type) else str(arrow_type)


def refuse_type(where: str, name: str, arrow_type: Any, cells: list[Any]) -> Never:
    """Refuse a column that holds no categories.

    Raises
    ------
    ValueError
        If it is empty.
    TypeError
        If it holds something else.
    """
    kind = kind_of(arrow_type)
    if kind == "empty":
        raise ValueError(f"{where}: column {name!r} is missing in every row: drop it")
    cure = "cast it to string, integer or category first"
    if kind == "number":
        cure = "leave the learner's prepare at 'auto', or cast it if each number is a label"
    raise TypeError(
        f"{where}: column {name!r} holds values of type {arrow_type}, but categories "
        f"must be strings, booleans or integers: {cure} (the first cell is {cells})"
    )
