"""What the columns of a table look like: the facts from which it is decided what to do with them.

In: a frame, or rows in files, looked at piece by piece. Out: `ColumnFacts` of each column, the same
either way. What is remembered of a column is bounded, whatever the number of rows.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from bnsieve.engine import inner_stage
from bnsieve.table import MAX_LEVELS

if TYPE_CHECKING:
    from bnsieve.rows.parquet import ParquetSource

Kind = Literal["label", "number", "boolean", "date", "other"]

# A column of whole numbers is an identifier if none repeats in so many cells that are known.
_CELLS_TO_COMPARE = 1 << 20


@dataclass
class ColumnFacts:
    """What is known of a column.

    Attributes
    ----------
    kind : {"label", "number", "boolean", "date", "other"}
    type_name : str
        What the cells of a column of the kind "other" are.
    n_known : int
        Cells that are not missing, as far as the column was looked at.
    first : object
        One of them.
    labels : set
        The different cells of a column of labels, up to one more than can be used; of another
        column the first two.
    whole, distinct : bool
        Of numbers: whether all are whole, and whether none repeats in the first million.
    """

    kind: Kind
    type_name: str = ""
    n_known: int = 0
    first: Any = None
    labels: set[Any] = field(default_factory=set)
    whole: bool = True
    distinct: bool = True
    _compared: set[float] = field(default_factory=set)

    @property
    def settled(self) -> bool:
        """Whether further rows cannot change what is done with the column."""
        if self.kind in ("date", "other"):
            return True
        several = len(self.labels) > 1
        return self.kind == "number" and several and not (self.whole and self.distinct)

    def add_labels(self, labels: Iterable[Any], n_known: int) -> None:
        """Take note of some rows of a column of labels: which labels occur, in how many cells."""
        self.n_known += n_known
        for label in labels:
            if len(self.labels) > MAX_LEVELS:
                break
            if self.first is None:
                self.first = label
            self.labels.add(label)

    def add_numbers(self, values: "np.ndarray[Any, Any]") -> None:
        """Take note of some rows of a column of numbers, none of them missing."""
        if not len(values):
            return
        if self.first is None:
            self.first = values[0]
        self.n_known += len(values)
        if len(self.labels) < 2:
            self.labels.update(values[: np.argmax(values != values[0]) + 1].tolist())
        if self.whole:
            self.whole = bool((values == np.floor(values)).all())
        if self.distinct and self.whole:
            left = _CELLS_TO_COMPARE - len(self._compared)
            some = values[:left].tolist()
            before = len(self._compared)
            self._compared.update(some)
            self.distinct = len(self._compared) == before + len(some)
        if not (self.distinct and self.whole):
            self._compared.clear()


def facts_of_frame(frame: pd.DataFrame) -> dict[str, ColumnFacts]:
    """Look at the columns of a frame."""
    return {str(name): _facts_of_column(frame[name]) for name in frame.columns}


def _facts_of_column(column: "pd.Series[Any]") -> ColumnFacts:
    known = column.dropna()
    if known.empty:
        return ColumnFacts("label")
    inferred = pd.api.types.infer_dtype(known)
    if inferred.startswith(("date", "time", "period")):
        return ColumnFacts("date", n_known=len(known))
    if inferred in ("mixed", "bytes"):
        return ColumnFacts("other", type(known.iloc[0]).__name__, n_known=len(known))
    if pd.api.types.is_bool_dtype(known):
        facts = ColumnFacts("boolean")
    elif pd.api.types.is_numeric_dtype(known):
        facts = ColumnFacts("number")
        whole = pd.api.types.is_signed_integer_dtype(known)
        facts.add_numbers(known.to_numpy(dtype=np.int64 if whole else np.float64))
        return facts
    else:
        facts = ColumnFacts("label")
    facts.add_labels(known.unique().tolist(), len(known))
    return facts


def facts_of_source(source: "ParquetSource", drop: Collection[str]) -> dict[str, ColumnFacts]:
    """Look at the columns of rows in files, in one reading.

    Columns to be dropped whatever they hold are not looked at.
    """
    from bnsieve.rows.first_pass import pieces

    facts = {
        name: _facts_of_kind(kind) for name, kind in zip(source.names, source.kinds, strict=True)
    }
    empty = {name for name, kind in zip(source.names, source.kinds, strict=True) if kind == "empty"}
    left, n_chunks = source.chunks, 1
    with inner_stage("columns", source.n_rows, "rows") as tell:
        while left:
            # Most columns of numbers are soon settled, and are not read to the end.
            names = [n for n, one in facts.items() if n not in (*drop, *empty) and not one.settled]
            if not names:
                break
            for _, file, piece in source.read(left[:n_chunks], names):
                for name, column in zip(names, pieces(names, file, piece), strict=True):
                    _add_piece(facts[name], column.labels, column.indices)
                tell(piece.num_rows)
            left, n_chunks = left[n_chunks:], 2 * n_chunks
    return facts


def _facts_of_kind(kind: str) -> ColumnFacts:
    if kind in ("number", "integer"):
        return ColumnFacts("number")
    if kind == "boolean":
        return ColumnFacts("boolean")
    if kind in ("string", "empty"):
        return ColumnFacts("label")
    return ColumnFacts("date", n_known=1) if kind == "date" else ColumnFacts("other", kind, 1)


def _add_piece(facts: ColumnFacts, labels: list[Any], indices: "np.ndarray[Any, Any]") -> None:
    is_known = np.array([label is not None and label == label for label in labels], dtype=bool)
    known = indices[is_known[indices]] if len(labels) else indices[:0]
    if facts.kind == "number":
        # Integers stay exact: two large ones may be the same as fractions.
        whole = all(isinstance(label, int) for label in labels if label is not None)
        values = np.array([label or 0 for label in labels], dtype=None if whole else np.float64)
        facts.add_numbers(values[known])
    else:
        occurring = np.unique(known)
        facts.add_labels((labels[i] for i in occurring.tolist()), len(known))
