"""Wide CSV files -> pieces of rows, without making a value of every cell.

A table of thousands of columns has few different cells in each. The kernel
(``native/csv_cells.hpp``) takes lines apart and numbers the different cells of each column; what
these mean is found out by pandas, once for each different cell, so that the result is that of
pandas. Columns of many different cells are handed to it as they are written. Text that is not plain
is left to it altogether. Needs no optional package.
"""

import codecs
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from gzip import GzipFile
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.rows.csv_pieces import CsvPiece, SmallColumn, WholeNumbers, small_column
from bnsieve.rows.csv_text import open_bytes

# Of fewer columns pandas makes all cells, which takes little time then.
WIDE = 256
# Bytes that are read at a time.
_BLOCK = 1 << 24

ReadText = Callable[[BytesIO, list[str]], pd.DataFrame]


class NotPlainError(ValueError):
    """Text that only pandas can take apart, or refuse."""


@dataclass(frozen=True, eq=False)
class LookedAt:
    """Some rows, and what has to be looked at to know what they hold.

    Attributes
    ----------
    values : dict of str to pandas.Series
        All different cells of each column, as pandas reads them, once or more often.
    small : dict of str to WholeNumbers or pandas.Series
        The same in little memory.
    rows : CsvPiece
    """

    values: "dict[str, pd.Series[Any]]"
    small: dict[str, SmallColumn]
    rows: CsvPiece

    @classmethod
    def of(cls, frame: pd.DataFrame) -> "LookedAt":
        """Return the rows of a frame."""
        rows = CsvPiece.of(frame)
        return cls({str(name): one for name, one in frame.items()}, rows.columns, rows)


def coded_pieces(
    path: Path, separator: str, names: Sequence[str], n_rows: int, read: ReadText
) -> Iterator[LookedAt]:
    """Yield pieces of `n_rows` rows.

    Parameters
    ----------
    path : Path
    separator : str
    names : sequence of str
        The columns.
    n_rows : int
    read : function
        Reads CSV text without a first line of names, into columns of the names given.

    Raises
    ------
    NotPlainError
        Where lines differ in their cells, or quotes are not around whole cells.
    """
    with open_bytes(path) as file:
        lines = _Lines(file, len(names), separator.encode())
        lines.take(1)
        lists = _Lists(separator.encode(), read)
        while (found := lines.take(n_rows)).n_rows:
            yield _looked_at(found, names, lists)


class _Split(NamedTuple):
    """Some lines; see ``native/bind_csv.cpp``."""

    n_rows: int
    codes: NDArray[np.uint8]
    lists: list[tuple[bytes, ...]]
    few: list[int]
    list_of: list[int]
    many: list[int]
    as_written: bytes


class _Lines:
    """The lines of a file, the first of names among them, taken apart."""

    def __init__(self, file: GzipFile | BufferedReader, n_columns: int, separator: bytes) -> None:
        self._file = file
        self._n_columns = n_columns
        self._separator = separator
        self._is_last = False
        self._text = b""
        self._read()
        self._text = self._text.removeprefix(codecs.BOM_UTF8)

    def _read(self) -> None:
        block = self._file.read(_BLOCK)
        self._text, self._is_last = self._text + block, not block

    def take(self, n_rows: int) -> _Split:
        """Return the next lines, fewer where the file ends."""
        while True:
            while not self._is_last and self._text.count(b"\n") < n_rows:
                self._read()
            end, n_found, used, codes, lists, few, list_of, many, written = _native.split_cells(
                self._text, self._n_columns, self._separator, n_rows, self._is_last
            )
            if end == "short":  # quoted cells have line breaks
                self._read()
                continue
            if end == "other":
                raise NotPlainError("lines differ, or quotes are within cells")
            self._text = self._text[used:]
            return _Split(n_found, codes, lists, few, list_of, many, written)


class _Different(NamedTuple):
    """What a list of different cells means."""

    values: "pd.Series[Any]"
    small: SmallColumn


class _Lists:
    """Lists of different cells, each read once: most columns and pieces have the same."""

    def __init__(self, separator: bytes, read: ReadText) -> None:
        self.read = read
        self._separator = separator
        self._known: dict[tuple[bytes, ...], _Different] = {}

    def of(self, lists: Sequence[tuple[bytes, ...]]) -> list[_Different]:
        """Return what the cells of some lists mean."""
        self._known = {one: self._known[one] for one in lists if one in self._known}
        new = [one for one in lists if one not in self._known]
        if new:
            # All in one text. A cell that is there twice changes nothing.
            n_rows = max(map(len, new))
            rows = zip(*([*one, *one[:1] * (n_rows - len(one))] for one in new), strict=True)
            text = b"\n".join(map(self._separator.join, rows)) + b"\n"
            frame = self.read(BytesIO(text), [str(i) for i in range(len(new))])
            for one, (_, column) in zip(new, frame.items(), strict=True):
                values = column.iloc[: len(one)]
                self._known[one] = _Different(values, small_column(values))
        return [self._known[one] for one in lists]


def _looked_at(found: _Split, names: Sequence[str], lists: _Lists) -> LookedAt:
    values: dict[str, pd.Series[Any]] = {}
    small: dict[str, SmallColumn] = {}
    rows: dict[str, SmallColumn] = {}
    meaning = lists.of(found.lists)
    # Bytes are put where the codes were, all columns in one array: it goes back to the system as a
    # whole, which thousands of small ones would not.
    room = found.codes.view(np.int8)[:, : found.n_rows]
    for column, number in zip(found.few, found.list_of, strict=True):
        name = names[column]
        values[name], small[name] = meaning[number]
        rows[name] = spread(small[name], found.codes[column, : found.n_rows], room[column])
    if found.many:
        frame = lists.read(BytesIO(found.as_written), [names[column] for column in found.many])
        values.update({str(name): one for name, one in frame.items()})
        long = CsvPiece.of(frame).columns
        small.update(long)
        rows.update(long)
    return LookedAt(values, small, CsvPiece({name: rows[name] for name in names}, found.n_rows))


def spread(different: SmallColumn, codes: NDArray[np.uint8], room: NDArray[np.int8]) -> SmallColumn:
    """Return row by row one of some different cells; numbers of one byte go to the `room`."""
    if isinstance(different, WholeNumbers):
        values = different.values.take(codes)
        if values.dtype == room.dtype:
            room[:] = values
            values = room
        return different._replace(values=values)
    return different.take(codes).reset_index(drop=True)
