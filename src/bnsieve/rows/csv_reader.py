"""CSV files -> typed Arrow batches: one reader for files of any size.

pyarrow parses the text into cells of text, and each block of rows keeps only the distinct cells of
a column. A first reading of all files infers the type of a column from all its distinct cells,
never from a sample. The rows of that reading are kept if they take little memory, and read again
otherwise. Text beside numbers makes the whole column text, as written: ``01`` stays ``01``. Dates
are text.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from bnsieve.engine import announce
from bnsieve.rows.csv_dialect import MIXED, UTF_8, CsvDialect, Utf8Text
from bnsieve.rows.paths import require_columns, rows_files
from bnsieve.table import EXACT

# What stands for a missing cell. "None" is a category in too many tables.
MISSING_TEXTS = (
    *("", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "NULL", "null", "NaN", "nan", "-NaN"),
    *("-nan", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN"),
)
# Bytes of text parsed at a time: as much as stays in the cache, and more for wide files, so that a
# block has rows enough to be worth the work per column. A row that is longer takes larger blocks.
_BLOCK = 1 << 22
_BLOCK_PER_COLUMN = 1 << 13
_MAX_BLOCK = 1 << 28
# Rows that take no more bytes are kept from the first reading.
_MAX_KEPT = 1 << 29
# Lists of distinct cells remembered at a time.
_MAX_KNOWN = 10_000
_ENCODINGS = {"cp1252": "Windows-1252 (Latin-1)", "latin-1": "Latin-1", "utf-16": "UTF-16"}
_BOOLEANS = frozenset(("True", "TRUE", "true", "False", "FALSE", "false"))
_CODE = r"^\s*[+-]?0\d+\s*$"
# Blanks around a number and a plus before it, which Arrow does not read.
_BLANKS_OR_PLUS = r"^\s*\+?([^+\s]\S*)\s*$"
_INTEGER = r"^\s*[+-]?\d+\s*$"
# Thousands may be set apart, by a sign that is no decimal comma.
_THOUSANDS = "[. '\u00a0\u202f]"
_DECIMAL_COMMA = rf"^[-+]?(?:\d{{1,3}}(?:{_THOUSANDS}\d{{3}})+|\d+)(?:,\d+)?$"

_Cells = TypeVar("_Cells")

ColumnKind = Literal["text", "integer", "number", "boolean", "empty"]


@dataclass(frozen=True)
class CsvColumn:
    """The type of a column, in all files.

    Attributes
    ----------
    kind : {"text", "integer", "number", "boolean", "empty"}
    has_missing : bool
    decimal_comma : bool
        Whether its numbers are written as 1,5.
    n_bytes : int
        The number of bytes of each of its integers.
    """

    kind: ColumnKind
    has_missing: bool
    decimal_comma: bool = False
    n_bytes: int = 8

    @property
    def arrow_type(self) -> pa.DataType:
        """The type of its values in Arrow; text is a dictionary."""
        if self.kind == "integer":
            return {1: pa.int8(), 2: pa.int16(), 4: pa.int32(), 8: pa.int64()}[self.n_bytes]
        return {
            "text": pa.dictionary(pa.int32(), pa.string()),
            "number": pa.float64(),
            "boolean": pa.bool_(),
            "empty": pa.null(),
        }[self.kind]


@dataclass(frozen=True)
class _Facts:
    """What some distinct cells show of their column.

    Attributes
    ----------
    has_missing, has_values : bool
    booleans : frozenset of str, or None
        The truth values as they are written; None if there are other cells.
    is_numeric : bool
    is_integer : bool
        Whether all are written as integers of 64 bits.
    is_whole : bool
        Whether all are whole numbers that float64 holds exactly.
    has_huge, has_fraction : bool
        Whether some are integers beyond 64 bits, or numbers that are not written as integers.
    has_code : bool
        Whether some are digits after a zero, such as 01: codes, for which the zero matters.
    low, high : float
        The smallest and the largest number.
    may_have_commas, has_comma : bool
        Whether all can be read as numbers with a decimal comma, and whether some have one.
    """

    has_missing: bool = False
    has_values: bool = False
    booleans: frozenset[str] | None = frozenset()
    is_numeric: bool = True
    is_integer: bool = True
    is_whole: bool = True
    has_huge: bool = False
    has_fraction: bool = False
    has_code: bool = False
    low: float = 0
    high: float = 0
    may_have_commas: bool = True
    has_comma: bool = False

    @classmethod
    def of(cls, texts: pa.StringArray, commas: bool) -> "_Facts":
        """Look at distinct cells, null where missing; `commas` allows decimal commas."""
        values = texts.drop_null()
        has_missing = bool(texts.null_count)
        if not len(values):
            return cls(has_missing)
        words = frozenset(values.to_pylist()) if len(values) <= len(_BOOLEANS) else None
        numbers = _numbers(values)
        may_have_commas = commas and _all_match(values, _DECIMAL_COMMA)
        found = cls(
            has_missing,
            True,
            words if words is not None and words <= _BOOLEANS else None,
            numbers is not None,
            may_have_commas=may_have_commas,
            has_comma=may_have_commas and pc.any(pc.match_substring(values, ",")).as_py(),
        )
        return found if numbers is None else found._with_numbers(values, numbers)

    def _with_numbers(self, values: pa.StringArray, numbers: pa.Array) -> "_Facts":
        array = numbers.to_numpy()
        low, high = array.min(), array.max()
        is_integer = array.dtype.kind == "i"
        is_whole = bool(low > -EXACT and high < EXACT and (array == np.floor(array)).all())
        has_huge = has_fraction = False
        if not is_integer:
            has_huge = _any_match(values.filter(pc.greater(pc.abs(numbers), 2.0**62)), _INTEGER)
            # A number that is no integer of 64 bits and is not huge has a fraction or an exponent.
            has_fraction = not has_huge or not _all_match(values, _INTEGER)
        return replace(
            self,
            is_integer=is_integer,
            is_whole=is_whole,
            has_huge=has_huge,
            has_fraction=has_fraction,
            has_code=(is_whole or is_integer) and _any_match(values, _CODE),
            low=low.item(),
            high=high.item(),
        )

    def join(self, other: "_Facts") -> "_Facts":
        """Return what both together show."""
        if other is self:
            return self
        joined: dict[str, Any] = {}
        for name, mine in vars(self).items():
            theirs = getattr(other, name)
            joined[name] = mine or theirs if name.startswith("has") else mine and theirs
        joined["booleans"] = None
        if self.booleans is not None and other.booleans is not None:
            joined["booleans"] = self.booleans | other.booleans
        joined["low"], joined["high"] = min(self.low, other.low), max(self.high, other.high)
        return _Facts(**joined)

    @property
    def column(self) -> CsvColumn:
        """The type of a column of these cells."""
        missing = self.has_missing
        if not self.has_values:
            return CsvColumn("empty", missing)
        if self.booleans is not None:
            spelled_once = len({word.lower() for word in self.booleans}) == len(self.booleans)
            return CsvColumn("boolean" if spelled_once else "text", missing)
        if not self.is_numeric:
            is_comma = self.may_have_commas and self.has_comma
            return CsvColumn("number" if is_comma else "text", missing, is_comma)
        if self.has_huge and not self.has_fraction:
            return CsvColumn("text", missing)
        # Beside missing cells, whole numbers are integers even if they are written as 1.0.
        if not (self.is_whole if missing else self.is_integer):
            return CsvColumn("number", missing)
        if self.has_code:
            return CsvColumn("text", missing)
        return CsvColumn("integer", missing, n_bytes=_n_bytes(self.low, self.high))


def _n_bytes(low: float, high: float) -> int:
    for dtype in (np.int8, np.int16, np.int32):
        if np.iinfo(dtype).min < low and high <= np.iinfo(dtype).max:
            return np.dtype(dtype).itemsize
    return 8


def _all_match(texts: pa.StringArray, pattern: str) -> bool:
    # A look at the first is enough for most columns.
    return all(
        pc.all(pc.match_substring_regex(part, pattern)).as_py() for part in (texts[:1], texts)
    )


def _any_match(texts: pa.StringArray, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(texts, pattern)).as_py())


def _numbers(texts: pa.StringArray) -> pa.Array | None:
    """Return texts as int64, else as float64; None if one is no number."""
    numbers = _cast(texts, pa.float64())  # not to int64 first: Arrow takes 0x10 for an integer
    if numbers is not None:
        if pc.any(pc.is_nan(numbers)).as_py():
            return None
        integers = _cast(texts, pa.int64())
        if integers is not None or not pc.any(pc.starts_with(texts, "+")).as_py():
            return numbers if integers is None else integers
    plain = pc.replace_substring_regex(texts, _BLANKS_OR_PLUS, r"\1")
    return numbers if plain.equals(texts) else _numbers(plain)


def _cast(texts: pa.StringArray, wanted: pa.DataType) -> pa.Array | None:
    try:
        return texts.cast(wanted)
    except pa.ArrowInvalid:
        return None


class _Texts:
    """Distinct cells of a column in some rows.

    Attributes
    ----------
    texts : pyarrow.StringArray
        Null where a text stands for a missing cell.
    """

    def __init__(self, texts: pa.StringArray, missing: pa.StringArray, commas: bool) -> None:
        is_missing = pc.is_in(texts, missing)
        if pc.any(is_missing).as_py():
            texts = pc.if_else(is_missing, pa.scalar(None, pa.string()), texts)
        self.texts = texts
        self._commas = commas
        self._typed: dict[CsvColumn, pa.Array] = {}

    @cached_property
    def facts(self) -> _Facts:
        """What they show of their column."""
        return _Facts.of(self.texts, self._commas)

    def rows(self, codes: pa.Array | None, column: CsvColumn) -> pa.Array:
        """Return rows in the type of their column."""
        if codes is None:
            is_text = column.kind == "text"
            return self.texts.dictionary_encode() if is_text else _typed(self.texts, column)
        if column not in self._typed:
            self._typed[column] = _typed(self.texts, column)
        values = self._typed[column]
        if column.kind == "text":
            return pa.DictionaryArray.from_arrays(self.places.take(codes), values)
        return values.take(codes)

    @cached_property
    def places(self) -> pa.Array:
        """The place of each cell among those that are not missing; null if it is."""
        missing = self.texts.is_null().to_numpy(zero_copy_only=False)
        return pa.array(np.cumsum(~missing, dtype=np.int32) - np.int32(1), mask=missing)


def _typed(texts: pa.StringArray, column: CsvColumn) -> pa.Array:
    if column.kind == "text":
        return texts.drop_null()
    if column.kind == "empty":
        return pa.nulls(len(texts))
    if column.kind == "boolean":
        return pc.equal(pc.utf8_lower(texts), "true")
    if column.decimal_comma:
        texts = pc.replace_substring_regex(texts, _THOUSANDS, "")
        texts = pc.replace_substring(texts, ",", ".")
    numbers: Any = _numbers(texts)
    # Integers beyond 53 bits are rounded where others have fractions.
    return numbers.cast(column.arrow_type, safe=column.kind == "integer")


# Distinct cells of some rows, and for each row which one; None if there is a text for each row.
_Coded = tuple[_Texts, pa.Array | None]


class _Encoder:
    """Finds the distinct cells of columns; a list of them that comes again is read only once."""

    def __init__(self, missing: Sequence[str], commas: bool) -> None:
        self._missing = pa.array([*MISSING_TEXTS, *missing], pa.string())
        self._commas = commas
        self._known: dict[tuple[str, ...], _Texts] = {}

    def encode(self, cells: pa.StringArray) -> _Coded:
        """Return the distinct cells and their codes; all cells if most of them are distinct."""
        single = _single_characters(cells)
        if single is not None:
            codes, texts = single
            return self._of(texts), codes
        encoded = cells.dictionary_encode()
        indices, n_distinct = encoded.indices, len(encoded.dictionary)
        if n_distinct < 128:
            return self._of(tuple(encoded.dictionary.to_pylist())), indices.cast(pa.int8())
        if 2 * n_distinct > len(cells):
            return self._read(cells), None
        if n_distinct < 1 << 15:
            indices = indices.cast(pa.int16())
        return self._read(encoded.dictionary), indices

    def _of(self, texts: tuple[str, ...]) -> _Texts:
        if texts not in self._known:
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
            self._known[texts] = self._read(pa.array(texts, pa.string()))
        return self._known[texts]

    def _read(self, texts: pa.StringArray) -> _Texts:
        return _Texts(texts, self._missing, self._commas)


def _single_characters(cells: pa.StringArray) -> tuple[pa.Array, tuple[str, ...]] | None:
    """Return codes and distinct cells if none has more than one byte; None otherwise.

    Most wide files hold such cells, of which Arrow makes a dictionary four times slower.
    """
    _, offsets, characters = cells.buffers()
    bounds = np.frombuffer(offsets, np.int32)[cells.offset : cells.offset + len(cells) + 1]
    n_bytes = int(bounds[-1] - bounds[0])
    if not 0 < n_bytes <= len(cells):
        return None
    lengths = bounds[1:] - bounds[:-1]
    if lengths.max() > 1:
        return None
    signs = np.frombuffer(characters, np.uint8)[bounds[0] : bounds[-1]]
    if n_bytes < len(cells):
        signs, present = np.zeros(len(cells), np.uint8), signs
        signs[lengths == 1] = present
    distinct = np.flatnonzero(np.bincount(signs)).tolist()
    codes = bytearray(256)
    for code, sign in enumerate(distinct):
        codes[sign] = code
    buffer = pa.py_buffer(signs.tobytes().translate(codes))
    texts = tuple(chr(sign) if sign else "" for sign in distinct)
    return pa.Array.from_buffers(pa.int8(), len(cells), [None, buffer]), texts


@dataclass(frozen=True, eq=False)
class CsvTable:
    """The rows of CSV files that have the same columns.

    Attributes
    ----------
    dialects : tuple of CsvDialect
        The dialect of each file.
    missing : tuple of str
        Texts that stand for a missing cell, beside the usual ones.
    columns : dict of str to CsvColumn
    n_rows : int
    kept : list of dict
        The rows of the first reading; empty if they took too much memory, or were released.
    """

    dialects: tuple[CsvDialect, ...]
    missing: tuple[str, ...]
    columns: dict[str, CsvColumn]
    n_rows: int
    kept: list[dict[str, _Coded]]

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks about these files."""
        encodings = sorted({dialect.encoding for dialect in self.dialects} - {UTF_8})
        separators = sorted({dialect.separator for dialect in self.dialects} - {","})
        remarks = [
            "some of the text is in Windows-1252 (Latin-1), the rest in UTF-8"
            if encoding == MIXED
            else f"the text is in {_ENCODINGS[encoding]}, not UTF-8"
            for encoding in encodings
        ]
        remarks += [
            f"line {one.n_titles + 1} of {one.path.name} names the columns, below "
            f"{one.n_titles} of titles"
            for one in self.dialects
            if one.n_titles
        ]
        remarks += [f"cells are separated by {separator!r}" for separator in separators]
        commas = [name for name, column in self.columns.items() if column.decimal_comma]
        if commas:
            remarks.append(f"numbers have a decimal comma in {', '.join(commas)}")
        return tuple(remarks)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows in the types of their columns, text as dictionaries.

        This releases the kept rows, and the next call reads the files again.
        """
        encoder = _Encoder(self.missing, commas=False)
        pieces = (piece for dialect in self.dialects for piece in _pieces(dialect, encoder.encode))
        if self.kept:
            pieces = (self.kept.pop(0) for _ in range(len(self.kept)))
        for piece in pieces:
            arrays = [
                texts.rows(codes, self.columns[name]) for name, (texts, codes) in piece.items()
            ]
            yield pa.RecordBatch.from_arrays(arrays, list(piece)).select(list(self.columns))


def read_csv(paths: Sequence[str | Path], missing: Sequence[str] = ()) -> CsvTable:
    """Read CSV files once, each in its own dialect, and infer the types of their columns.

    Parameters
    ----------
    paths : sequence of str or Path
        All with the same columns, in any order.
    missing : sequence of str
        Texts that stand for a missing cell, beside the usual ones.

    Raises
    ------
    ValueError
        If a file is not a table, lacks the columns of the first file, or has no rows.
    """
    dialects = tuple(CsvDialect.of(Path(path)) for path in paths)
    first = dialects[0]
    encoder = _Encoder(missing, any(dialect.separator != "," for dialect in dialects))
    facts: dict[str, _Facts] = {}
    kept: list[dict[str, _Coded]] = []
    n_rows = n_bytes = 0
    for dialect in dialects:
        require_columns(str(dialect.path), dialect.names, str(first.path), first.names)
        before = n_rows
        for piece in _pieces(dialect, encoder.encode):
            for name, (texts, codes) in piece.items():
                facts[name] = texts.facts.join(facts.get(name, texts.facts))
                n_bytes += texts.texts.nbytes + (0 if codes is None else codes.nbytes)
            n_rows += len(texts.texts if codes is None else codes)
            announce("reading", f"{n_rows:,} rows")
            kept = [*kept, piece] if n_bytes <= _MAX_KEPT else []
        if n_rows == before:
            cure = "leave it out" if len(dialects) > 1 else "pass at least one row"
            raise ValueError(f"{dialect.path} has columns but no rows: {cure}")
    columns = {name: facts[name].column for name in first.names}
    return CsvTable(dialects, tuple(missing), columns, n_rows, kept)


def first_texts(path: str | Path) -> dict[str, list[str]]:
    """Return the different cells of the first rows of a CSV file as written, without missing ones.

    These are the rows of one block.
    """
    dialect = CsvDialect.of(Path(path))
    piece = next(_pieces(dialect, _Encoder((), commas=False).encode), {})
    return {name: texts.texts.drop_null().to_pylist() for name, (texts, _) in piece.items()}


def cells_as_written(path: str | Path) -> pa.Table:
    """Return all rows of a CSV file or of a folder of them as text, missing cells too."""
    dialects = [CsvDialect.of(file) for file in rows_files([str(path)])]
    pieces = (piece for dialect in dialects for piece in _pieces(dialect, lambda cells: cells))
    return pa.concat_tables(pa.table(piece).select(dialects[0].names) for piece in pieces)


def _pieces(
    dialect: CsvDialect, encode: Callable[[pa.StringArray], _Cells]
) -> Iterator[dict[str, _Cells]]:
    """Read a file piece by piece, its columns encoded."""
    n_rows = 0
    n_bytes = max(_BLOCK, len(dialect.names) * _BLOCK_PER_COLUMN)
    while True:
        n_known = n_rows
        try:
            for block in _parsed(dialect, n_bytes):
                rows = block.slice(n_known)
                n_known = max(0, n_known - block.num_rows)
                if rows.num_rows:
                    n_rows += rows.num_rows
                    names = zip(dialect.names, rows.columns, strict=True)
                    yield {name: encode(cells) for name, cells in names}
            return
        except pa.ArrowInvalid as error:
            if "straddl" in str(error) and n_bytes < _MAX_BLOCK:
                n_bytes *= 8  # a row is longer than a block
                continue
            dialect.require_even_lines()
            raise ValueError(f"{dialect.path} is not a table: {error}") from None


def _parsed(dialect: CsvDialect, block_size: int) -> Iterator[pa.RecordBatch]:
    """Yield blocks of rows as text.

    Raises
    ------
    pyarrow.ArrowInvalid
        If the lines differ in their fields, or a quote does not close.
    """
    is_complete = False

    def on_uneven_line(line: Any) -> str:
        nonlocal is_complete
        is_end = line.text == dialect.last_line
        is_complete |= is_end
        is_blank = line.actual_columns == 1 and not line.text.strip(' \t"')
        return "skip" if is_end or is_blank else "error"

    with Utf8Text(dialect) as text:
        yield from pacsv.open_csv(
            text,
            pacsv.ReadOptions(
                use_threads=False,
                block_size=block_size,
                column_names=dialect.names,
                skip_rows_after_names=1,
            ),
            pacsv.ParseOptions(
                delimiter=dialect.separator,
                newlines_in_values=True,
                invalid_row_handler=on_uneven_line,
            ),
            pacsv.ConvertOptions(
                column_types=dict.fromkeys(dialect.names, pa.string()), strings_can_be_null=False
            ),
        )
    if not is_complete:
        raise pa.ArrowInvalid("a quote does not close")
