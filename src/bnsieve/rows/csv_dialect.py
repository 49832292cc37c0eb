"""The dialect of a CSV file (encoding, separator, column names), and its first broken line.

In: a path. Out: a `CsvDialect`, and the text of the file in UTF-8. pyarrow parses the text. This
module does what pyarrow does not: it recognises encoding and separator, checks the header, and
names the line that has too few or too many fields or opens a quote that never closes.
"""

import codecs
import csv
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader, RawIOBase
from itertools import chain
from pathlib import Path
from typing import IO

from bnsieve.rows.paths import quoted

UTF_8 = "utf-8-sig"
_BROKEN_GZIP = (gzip.BadGzipFile, EOFError, zlib.error)
_NOT_IN_CP1252 = b"\x81\x8d\x8f\x90\x9d"
_SEPARATORS = ",;\t|"
_BLOCK = 1 << 20
# Put after the last line of a file: a row of its own, unless a quote is open there.
_END = "the end of the file"


@dataclass(frozen=True)
class CsvDialect:
    """How one CSV file is written.

    Attributes
    ----------
    path : Path
    encoding : str
    separator : str
    names : tuple of str
        The columns. A column without a name is called, for example, "Unnamed: 1".
    """

    path: Path
    encoding: str
    separator: str
    names: tuple[str, ...]

    @classmethod
    def of(cls, path: Path) -> "CsvDialect":
        """Recognise how a file is written.

        Raises
        ------
        ValueError
            If it is no text, or its first line does not name the columns.
        """
        encoding = encoding_of(path)
        separator, header = _separator_and_header(path, encoding)
        if not any(name.strip() for name in header):
            raise ValueError(f"the first line of {path} is blank: it must name the columns")
        if header[0].startswith("sep="):
            raise ValueError(
                f"the first line of {path} is an instruction to Excel, {quoted(header[0])}: "
                "delete it"
            )
        names = tuple(name or f"Unnamed: {i}" for i, name in enumerate(header))
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise ValueError(
                    f"{path} has two columns {quoted(name)}: rename one, or add a first line of "
                    "names if there is none"
                )
            seen.add(name)
        return cls(path, encoding, separator, names)

    @property
    def last_line(self) -> str:
        """What `Utf8Text` puts after the last line of the file: a row of one field too many."""
        return self.separator * len(self.names) + _END

    def require_even_lines(self) -> None:
        """Refuse a file in which a line has fewer or more fields than the first.

        Blank lines are skipped. A quoted cell may hold separators and line breaks.

        Raises
        ------
        ValueError
            With the number of the line, its fields, how many there should be, and the cure.
        """
        start, end, row = 0, 0, [_END]
        with _text(self.path, self.encoding) as file:
            rows = csv.reader(chain(file, [_END]), delimiter=self.separator)
            try:
                for row in rows:
                    start, end = end + 1, rows.line_num
                    is_blank = not row or (len(row) == 1 and not row[0].strip())
                    if len(row) != len(self.names) and not is_blank:
                        break
            except csv.Error:  # a cell of more than 131,072 characters
                raise _never_closed(self.path, end + 1) from None
        if row == [_END] and start == end:
            return
        if row[-1].endswith(_END):
            raise _never_closed(self.path, start)
        cure = f"put quotes around a cell that holds {self.separator!r}, or name every column"
        if len(row) < len(self.names):
            cure = f"add the others; an empty cell still takes its {self.separator!r}"
        raise ValueError(
            f"line {start:,} of {self.path} has {len(row):,} field{'' if len(row) == 1 else 's'}, "
            f"and the first line names {len(self.names):,}: {cure}"
        )


class Utf8Text(RawIOBase):
    """The text of a CSV file in UTF-8, followed by `CsvDialect.last_line`."""

    def __init__(self, dialect: CsvDialect) -> None:
        self._file = _open_bytes(dialect.path)
        self._decoder = (
            None if dialect.encoding == UTF_8 else codecs.getincrementaldecoder(dialect.encoding)()
        )
        self._rest = f"\n{dialect.last_line}\n".encode()

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()

    def read(self, size: int = -1, /) -> bytes:
        """Return at most `size` bytes; none at the end."""
        if self._decoder is None:
            block = self._file.read(size)
        else:
            # One byte becomes at most three.
            block = self._decoder.decode(self._file.read(max(2, size // 3))).encode()
        if not block:
            block, self._rest = self._rest[:size], self._rest[size:]
        return block


def encoding_of(path: str | Path) -> str:
    """Return the encoding of a CSV file.

    UTF-8 and UTF-16 are recognised for sure. Anything else is taken for the Western encoding of
    Windows, cp1252, which is Latin-1 with more characters.

    Raises
    ------
    ValueError
        If the file is no text.
    """
    with _gunzipping(path), _open_bytes(path) as file:
        block = file.read(_BLOCK)
        is_utf_16 = block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        encoding = "utf-16" if is_utf_16 else UTF_8
        decoder = codecs.getincrementaldecoder(encoding)()
        while encoding in ("utf-16", UTF_8) or block:
            if not is_utf_16 and b"\0" in block:
                raise ValueError(f"{path} is no text: save it as CSV with the encoding UTF-8")
            if encoding in ("utf-16", UTF_8):
                try:
                    decoder.decode(block, final=not block)
                except UnicodeError:
                    if is_utf_16:
                        raise _not_decodable(path, encoding) from None
                    encoding = "cp1252"
            if encoding == "cp1252" and block.translate(None, _NOT_IN_CP1252) != block:
                encoding = "latin-1"
            if not block:
                break
            block = file.read(_BLOCK)
    return encoding


def _separator_and_header(path: Path, encoding: str) -> tuple[str, list[str]]:
    """Return what separates cells, and the first line taken apart.

    Of the known separators it is the one that gives the first line the most fields.
    """
    with _text(path, encoding) as file:
        headers = []
        for separator in _SEPARATORS:
            file.seek(0)
            try:
                names = next(csv.reader(chain(file, [_END]), delimiter=separator))
            except csv.Error:  # a cell of more than 131,072 characters
                file.seek(0)
                if '"' in file.readline():
                    raise _never_closed(path, 1) from None
                raise ValueError(
                    f"the first line of {path} has a name of more than {csv.field_size_limit():,} "
                    "characters: shorten it"
                ) from None
            # With the wrong one, a quote is no longer where a cell begins.
            headers.append((len(names), '"' not in "".join(names), separator, names))
    *_, separator, names = max(headers, key=lambda header: header[:2])
    if names == [_END]:
        raise ValueError(f"{path} is empty: the first line must name the columns")
    if names and names[-1].endswith(_END):
        raise _never_closed(path, 1)
    return separator, names


def _never_closed(path: Path, line: int) -> ValueError:
    return ValueError(
        f'a quote (") that opens in line {line:,} of {path} does not close: close it, or double '
        "it if it belongs to the text and the cell begins with one"
    )


def _not_decodable(path: str | Path, encoding: str) -> ValueError:
    name = "UTF-8" if encoding == UTF_8 else encoding
    return ValueError(f"{path} is not {name} text: save it as CSV with the encoding UTF-8")


@contextmanager
def _gunzipping(path: str | Path) -> Iterator[None]:
    try:
        yield
    except _BROKEN_GZIP as error:
        raise ValueError(
            f"{path} is not a complete gzip file ({error}): compress it again"
        ) from None


@contextmanager
def _text(path: str | Path, encoding: str) -> Iterator[IO[str]]:
    opened = gzip.open if str(path).lower().endswith(".gz") else open
    with _gunzipping(path):
        try:
            with opened(path, "rt", encoding=encoding, newline="") as file:
                yield file
        except UnicodeError:
            raise _not_decodable(path, encoding) from None


def _open_bytes(path: str | Path) -> gzip.GzipFile | BufferedReader:
    return gzip.open(path) if str(path).lower().endswith(".gz") else Path(path).open("rb")
