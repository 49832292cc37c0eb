"""Columns of numbers in files -> labels: cuts are found in a sample of rows and hold for all.

In: pieces of rows as they are read. Out: the rows that are drawn to find cuts in, and the same
pieces with labels in place of the numbers.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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


def table_of(drawn: Iterable[Drawn], n_rows: int) -> pa.Table:
    """Return the same rows as `frame_of`, as they are stored."""
    _, ranks, batches = zip(*sorted(drawn, key=lambda one: one[0]), strict=True)
    kept = np.sort(np.argsort(np.concatenate(ranks), kind="stable")[:n_rows])
    # Pieces have dictionaries of their own, of which one is made.
    return pa.Table.from_batches(batches).unify_dictionaries().combine_chunks().take(pa.array(kept))


@dataclass(frozen=True)
class CutNumbers:
    """Numbers are cut as a fitted `Discretizer` says: a `bnsieve.rows.recoding.Recoding`.

    Attributes
    ----------
    discretizer : Discretizer
    """

    discretizer: Discretizer

    @property
    def bins(self) -> dict[str, tuple[str, ...]]:
        """The labels of the columns that are cut, in their order."""
        return self.discretizer.labels_

    @property
    def numbers(self) -> dict[str, tuple[float, ...]]:
        """None: what is cut on request is labels."""
        return {}

    def cut_at(self, cuts: Mapping[str, Sequence[float]]) -> "CutNumbers":
        """Return the same: cuts on request stay where they are."""
        return self

    def kinds(self, stored: Mapping[str, str]) -> dict[str, str]:
        """Return the same columns; those that are cut hold text, and some hold integers."""
        texts = dict.fromkeys(self.discretizer.cuts_, "string")
        new = texts | dict.fromkeys(self.discretizer.whole_, "integer")
        kinds = {name: new.get(name, kind) for name, kind in stored.items()}
        for name, kind in kinds.items():
            if kind == "number":
                raise ValueError(f"column {name!r} is missing in every row that was drawn: drop it")
        return kinds

    def needed(self, names: Sequence[str]) -> list[str]:
        """Return the columns themselves."""
        return list(names)

    def recode(
        self,
        path: str,
        columns: Mapping[str, Any],
        names: Sequence[str],
        n_rows: int,
        numbers: Collection[str] = (),
    ) -> pa.RecordBatch:
        """Return some rows with labels in place of the numbers."""
        found = {name: columns[name] for name in names}
        for name in self.discretizer.cuts_.keys() & found.keys():
            codes = binned(_values(found[name]), self.discretizer.cuts_[name])
            indices = pa.array(codes.astype(np.int32), mask=codes < 0)
            labels = pa.array(self.discretizer.labels_[name])
            found[name] = pa.DictionaryArray.from_arrays(indices, labels)
        for name in set(self.discretizer.whole_) & found.keys():
            found[name] = _integers(path, name, found[name])
        return pa.RecordBatch.from_pydict(found)


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
