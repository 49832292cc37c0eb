"""CSV files -> typed frames: the one reader, with one meaning whatever the size of the files.

What a column holds is decided from all its cells, in a first reading of all files, never from a
sample. Rows are kept from that reading as far as they take little memory; else they are read again,
piece by piece. Text beside numbers makes the whole column text, as written. Dates are text. Needs
no optional package.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from typing import Any, cast

import pandas as pd

from bnsieve.engine import announce
from bnsieve.rows import csv_cells
from bnsieve.rows.csv_cells import LookedAt, NotPlainError, coded_pieces
from bnsieve.rows.csv_kinds import CsvColumn, SeenColumn, all_match, typed
from bnsieve.rows.csv_pieces import CsvPiece
from bnsieve.rows.csv_spelling import spelled_in_two_ways
from bnsieve.rows.csv_text import (
    BROKEN_GZIP,
    UTF_8,
    encoding_of,
    not_decodable,
    not_gzip,
    require_even_lines,
    require_even_start,
    separator_of,
)
from bnsieve.rows.paths import require_columns

# What stands for a missing cell. "None" is a label in too many tables.
MISSING_TEXTS = (
    *("", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "NULL", "null", "NaN", "nan", "-NaN"),
    *("-nan", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN"),
)
# Cells that are read at a time: some hundred megabytes of text in memory. Of many columns more, so
# that a piece has rows enough to be worth what is done once for every column of it.
_PIECE_CELLS = 1 << 22
_WIDE_PIECE_CELLS = 1 << 24
_WIDE_PIECE_ROWS = 1 << 13
# Rows that take no more bytes are kept from the first reading.
_MAX_KEPT = 1 << 29
_ENCODINGS = {"cp1252": "Windows-1252 (Latin-1)", "latin-1": "Latin-1", "utf-16": "UTF-16"}


@dataclass(frozen=True, eq=False)
class CsvTable:
    """The rows of CSV files that have the same columns.

    Attributes
    ----------
    paths : tuple of Path
    separators, encodings : tuple of str
        Of each file.
    missing : tuple of str
        Texts that stand for a missing cell, beside the usual ones.
    columns : dict of str to CsvColumn
    n_rows : int
    kept : list of CsvPiece
        The rows as they were read first; nothing if they are too many to keep, or were let go.
    is_small : bool
        Whether they are few enough for a frame.
    """

    paths: tuple[Path, ...]
    separators: tuple[str, ...]
    encodings: tuple[str, ...]
    missing: tuple[str, ...]
    columns: dict[str, CsvColumn]
    n_rows: int
    kept: list[CsvPiece]
    is_small: bool

    @property
    def files(self) -> Iterator[tuple[Path, str, str]]:
        """Each file with its separator and its encoding."""
        return zip(self.paths, self.separators, self.encodings, strict=True)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is not as usual in these files."""
        unusual = sorted({separator for separator in self.separators if separator != ","})
        other = sorted({one for one in self.encodings if one != UTF_8})
        remarks = [f"the text is in {_ENCODINGS[one]}, not UTF-8" for one in other]
        remarks += [f"cells are separated by {separator!r}" for separator in unusual]
        commas = [name for name, column in self.columns.items() if column.decimal_comma]
        if commas:
            remarks.append(f"numbers have a decimal comma in {', '.join(commas)}")
        return tuple(remarks)

    @cached_property
    def frame(self) -> pd.DataFrame | None:
        """All rows; None if they are too many for a frame."""
        return pd.concat(self.frames(), ignore_index=True) if self.is_small else None

    def frames(self) -> Iterator[pd.DataFrame]:
        """Yield the rows piece by piece; a column has the same type in all pieces."""
        for piece in self.pieces():
            yield pd.DataFrame({name: self.typed(piece, name) for name in self.columns})

    def typed(self, piece: CsvPiece, name: str) -> "pd.Series[Any]":
        """Return a column of some rows in the type that it has in all pieces."""
        return typed(piece.series(name), self.columns[name])

    def pieces(self, let_go: bool = False) -> Iterator[CsvPiece]:
        """Yield the rows piece by piece, as pandas reads them; text if the whole column is.

        With `let_go` those that were kept are not kept any longer: whoever asks again has them read
        from the files.
        """
        texts = [
            name
            for name, one in self.columns.items()
            if one.mixed and (one.kind == "text" or one.decimal_comma)
        ]
        if not self.kept:
            for frame in self._read_again(texts):
                yield CsvPiece({name: frame[name] for name in self.columns}, len(frame))
            return
        kept = _emptied(self.kept) if let_go else iter(self.kept)
        if not texts:
            yield from kept
            return
        for own, again in zip(kept, self._read_again(texts, texts), strict=True):
            yield CsvPiece(own.columns | {name: again[name] for name in texts}, own.n_rows)

    def _read_again(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> Iterator[pd.DataFrame]:
        types: dict[str, type[str]] = dict.fromkeys(texts, str)
        return chain.from_iterable(
            _pieces(path, separator, encoding, self.missing, types, names)
            for path, separator, encoding in self.files
        )


def _emptied(pieces: list[CsvPiece]) -> Iterator[CsvPiece]:
    while pieces:
        yield pieces.pop(0)


def read_csv(
    paths: Sequence[str | Path], missing: Sequence[str] = (), max_cells: int = 0
) -> CsvTable:
    """Read CSV files once, each with a separator of its own, and find what their columns hold.

    Parameters
    ----------
    paths : sequence of str or Path
        All with the same columns, in any order.
    missing : sequence of str
        Texts that stand for a missing cell, beside the usual ones.
    max_cells : int
        Rows of more cells are too many for a frame.

    Raises
    ------
    ValueError
        If a file is no table, has not the columns of the first, or has no rows.
    """
    files = tuple(map(Path, paths))
    encodings = tuple(encoding_of(path) for path in files)
    separators = tuple(map(separator_of, files, encodings))
    commas = any(separator != "," for separator in separators)
    seen: dict[str, SeenColumn] = {}
    kept: list[CsvPiece] = []
    n_rows = n_bytes = 0
    parts = list(zip(files, separators, encodings, strict=True))
    for path, separator, encoding in parts:
        require_even_start(path, separator, encoding)
        before = n_rows
        for found in _first_reading(path, separator, encoding, missing):
            piece = found.rows
            seen = seen or {name: SeenColumn() for name in piece.columns}
            require_columns(str(path), piece.columns, str(files[0]), seen)
            for name, column in seen.items():
                column.add(found.values[name], found.small[name], commas)
            n_rows += piece.n_rows
            announce("reading", f"{n_rows:,} rows")
            n_bytes += piece.n_bytes
            kept = [*kept, piece] if n_bytes <= _MAX_KEPT else []
        if n_rows == before:
            cure = "leave it out" if len(files) > 1 else "there is nothing to learn from"
            raise ValueError(f"{path} has columns but no rows: {cure}")
    columns = {name: one.column for name, one in seen.items()}

    def as_written(names: Sequence[str]) -> Iterator[pd.DataFrame]:
        types: dict[str, type[str]] = dict.fromkeys(names, str)
        return chain.from_iterable(_pieces(*part, missing, types, names) for part in parts)

    parsed = [name for name, one in columns.items() if one.kind in ("integer", "boolean")]
    for name in spelled_in_two_ways(parts, parsed, as_written):
        columns[name] = replace(columns[name], kind="text", mixed=True)
    is_small = n_rows * len(seen) <= max_cells
    table = CsvTable(files, separators, encodings, tuple(missing), columns, n_rows, kept, is_small)
    candidates = [name for name, one in seen.items() if one.maybe_commas and one.any_comma]
    return _with_decimal_commas(table, candidates)


def _with_decimal_commas(table: CsvTable, candidates: Sequence[str]) -> CsvTable:
    """Return the table in which columns of numbers such as 1,5 are numbers.

    Pieces of a candidate were text such as 1,5, or numbers; how the latter were written is not
    known, and they are looked at again.
    """
    texts = {
        name: column
        for name, column in table.columns.items()
        if name in candidates and column.kind == "text"
    }
    mixed = [name for name, column in texts.items() if column.mixed]
    if mixed:
        types = dict.fromkeys(mixed, str)
        for path, separator, encoding in table.files:
            for piece in _pieces(path, separator, encoding, table.missing, types, mixed):
                for name in mixed:
                    if name in texts and not all_match(piece[name]):
                        del texts[name]
    numbers = {
        name: replace(column, kind="number", decimal_comma=True) for name, column in texts.items()
    }
    return replace(table, columns=table.columns | numbers)


def _piece_rows(n_columns: int) -> int:
    n_rows = min(_WIDE_PIECE_ROWS, _WIDE_PIECE_CELLS // n_columns)
    return max(1, _PIECE_CELLS // n_columns, n_rows)


def _first_reading(
    path: Path, separator: str, encoding: str, missing: Sequence[str]
) -> Iterator[LookedAt]:
    """Read a file piece by piece; of many columns only different cells are looked at."""
    n_done = 0
    names: list[str] = []
    with suppress(UnicodeError, pd.errors.ParserError):  # said by the reading of pandas
        names = list(_open(path, separator, encoding, missing, nrows=0).columns)
    if len(names) >= csv_cells.WIDE and encoding != "utf-16":

        def read(text: BytesIO, own: list[str]) -> pd.DataFrame:
            options = {"header": None, "names": own, "skip_blank_lines": False}
            return cast(pd.DataFrame, _open(text, separator, encoding, missing, **options))

        with suppress(NotPlainError):
            for piece in coded_pieces(path, separator, names, _piece_rows(len(names)), read):
                yield piece
                n_done += 1
            return
    for frame in islice(_pieces(path, separator, encoding, missing), n_done, None):
        yield LookedAt.of(frame)


def _pieces(
    path: Path,
    separator: str,
    encoding: str,
    missing: Sequence[str],
    types: dict[str, type[str]] | None = None,
    names: Sequence[str] | None = None,
) -> Iterator[pd.DataFrame]:
    """Read a file piece by piece; columns without a type get that of their cells in the piece."""
    even = False
    try:
        header = _open(path, separator, encoding, missing, nrows=0)
        n_rows = _piece_rows(max(1, len(header.columns)))
        options = {"dtype": types, "usecols": names, "chunksize": n_rows}
        with _open(path, separator, encoding, missing, **options) as pieces:
            for piece in pieces:
                # pandas takes a first cell too many for the row's name, and cells too few for
                # missing ones: then the last is missing.
                named = not isinstance(piece.index, pd.RangeIndex)
                if not even and (named or piece.iloc[:, -1].hasnans):
                    require_even_lines(path, separator, encoding)
                    even = True
                # pandas counts rows through all pieces; here each piece has its own count.
                yield piece.reset_index(drop=True)
    except UnicodeError:
        raise not_decodable(path, encoding) from None
    except BROKEN_GZIP as error:
        raise not_gzip(path, error) from None
    except pd.errors.ParserError as error:
        require_even_lines(path, separator, encoding)
        said = str(error).removeprefix("Error tokenizing data. C error: ")
        raise ValueError(f"{path} is not a table: {' '.join(said.split())}") from None


def _open(
    path: Path | BytesIO, separator: str, encoding: str, missing: Sequence[str], **options: Any
) -> Any:
    return pd.read_csv(
        path,
        sep=separator,
        encoding=encoding,
        keep_default_na=False,
        na_values=[*MISSING_TEXTS, *missing],
        low_memory=False,
        **options,
    )
