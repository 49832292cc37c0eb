"""What the columns of CSV files hold, decided from all their cells.

In: pieces of a column as pandas reads them, one after the other. Out: a `CsvColumn`, and pieces in
the type that it says. Text beside numbers makes the whole column text. Needs no optional package.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

import pandas as pd

from bnsieve.rows.csv_pieces import SmallColumn, WholeNumbers

ColumnKind = Literal["text", "integer", "number", "boolean", "empty"]

# Thousands may be set apart, by a sign that is no decimal comma.
_DECIMAL_COMMA = r"[-+]?(?:\d{1,3}(?:[. '\u00a0\u202f]\d{3})+|\d+)(?:,\d+)?"
_THOUSANDS = r"[. '\u00a0\u202f]"


@dataclass(frozen=True)
class CsvColumn:
    """What a column holds, in all files.

    Attributes
    ----------
    kind : {"text", "integer", "number", "boolean", "empty"}
    has_missing : bool
    mixed : bool
        Whether some pieces of it look like another kind, such as numbers in a column of text. What
        is not mixed is found again piece by piece, several times faster than by asking for it.
    decimal_comma : bool
        Whether its numbers are written as 1,5.
    n_bytes : int
        Bytes that each of its integers takes.
    """

    kind: ColumnKind
    has_missing: bool
    mixed: bool
    decimal_comma: bool = False
    n_bytes: int = 8


@dataclass
class SeenColumn:
    """What was seen of a column so far."""

    kinds: set[str] = field(default_factory=set)
    has_missing: bool = False
    whole: bool = True
    maybe_commas: bool = True
    any_comma: bool = False
    n_bytes: int = 1
    last: "SmallColumn | None" = None

    def add(self, column: "pd.Series[Any]", small: SmallColumn, commas: bool) -> None:
        """Look at some rows, as they were read and as they are kept."""
        if small is self.last:
            return
        self.last = small
        if isinstance(small, WholeNumbers):
            self._add_numbers(column, small)
            return
        kind = _kind(column)
        self.kinds.add(kind)
        self.has_missing |= bool(column.hasnans)
        if kind in ("integer", "number"):
            self.whole = False
        if kind == "text":
            self.maybe_commas = self.maybe_commas and commas and all_match(column)
            if self.maybe_commas and not self.any_comma:
                self.any_comma = bool(column.str.contains(",", regex=False).any())
        elif kind in ("boolean", "huge"):
            self.maybe_commas = False

    def _add_numbers(self, column: "pd.Series[Any]", small: WholeNumbers) -> None:
        missing = small.missing
        self.has_missing |= missing is not None
        if missing is not None and missing.all():
            self.kinds.add("empty")
            return
        self.kinds.add("integer" if column.dtype.kind == "i" else "number")
        self.n_bytes = max(self.n_bytes, small.values.itemsize)
        # Beside missing cells, in whatever piece, these would have been read as fractions.
        self.whole = self.whole and small.is_exact

    @property
    def column(self) -> CsvColumn:
        """What the column holds, as far as it was seen."""
        # A column of huge integers alone is text, but looks like another kind.
        looks = self.kinds - {"empty"}
        mixed = len(looks) > 1 or "huge" in looks
        return CsvColumn(self._joined(), self.has_missing, mixed, n_bytes=self.n_bytes)

    def _joined(self) -> ColumnKind:
        seen = self.kinds - {"empty"}
        if not seen:
            return "empty"
        if seen <= {"integer", "number"}:
            # Integers beside missing cells are read as fractions.
            exact = self.whole if self.has_missing else "number" not in seen
            return "integer" if exact else "number"
        return "boolean" if seen == {"boolean"} else "text"


def _kind(column: "pd.Series[Any]") -> str:
    """Return what the cells of a piece were taken for; "huge" are integers beyond 64 bits."""
    if not column.notna().any():
        return "empty"
    if pd.api.types.is_bool_dtype(column):
        return "boolean"
    if pd.api.types.is_float_dtype(column):
        return "number"
    if pd.api.types.is_signed_integer_dtype(column):
        return "integer"
    inferred = pd.api.types.infer_dtype(column, skipna=True)
    return {"boolean": "boolean", "integer": "huge"}.get(inferred, "text")


def all_match(column: "pd.Series[Any]") -> bool:
    """Tell whether all cells are numbers such as 1,5 or 1."""
    known = column.dropna().astype(str)
    # One look at the first is enough for most columns.
    return all(bool(part.str.fullmatch(_DECIMAL_COMMA).all()) for part in (known[:1], known))


def typed(column: "pd.Series[Any]", wanted: CsvColumn) -> "pd.Series[Any]":
    """Return some rows of a column in the type that it has in all pieces."""
    if wanted.decimal_comma and column.notna().any():
        digits = column.str.replace(_THOUSANDS, "", regex=True).str.replace(",", ".", regex=False)
        return pd.to_numeric(digits).astype("float64")
    if wanted.kind == "integer":
        return column.astype("Int64" if wanted.has_missing else "int64")
    if wanted.kind == "boolean":
        return column.astype("boolean" if wanted.has_missing else "bool")
    if wanted.kind == "text":
        # A piece without any cell of it is read as numbers.
        return column.astype(object) if pd.api.types.is_float_dtype(column) else column
    return column.astype("float64")
