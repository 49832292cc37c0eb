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
from itertools import chain, islice
from pathlib import Path
from typing import IO

from bnsieve.rows.paths import quoted

UTF_8 = "utf-8-sig"
MIXED = "utf-8 and cp1252"
_BROKEN_GZIP = (gzip.BadGzipFile, EOFError, zlib.error)
_NOT_IN_CP1252 = b"\x81\x8d\x8f\x90\x9d"
_SEPARATORS = ",;\t|"
_BLOCK = 1 << 20
# Of a file that is not all UTF-8, one character in so many is enough to see that some of it is.
_ONE_IN, _FEW_LETTERS = 10, 5
# Lines in which titles are looked for.
_LOOKED_AT = 100
# Put after the last line of a file: a row of its own, unless a quote is open there.
_END = "the end of the file"


@dataclass(frozen=True)
class CsvDialect:
    """The dialect of one CSV file.

    Attributes
    ----------
    path : Path
    encoding : str
    separator : str
    names : tuple of str
        The columns. A column without a name is called, for example, "Unnamed: 1".
    n_titles : int
        The number of lines above the one with the column names.
    """

    path: Path
    encoding: str
    separator: str
    names: tuple[str, ...]
    n_titles: int = 0

    @classmethod
    def of(cls, path: Path) -> "CsvDialect":
        """Recognise the dialect of a file.

        Raises
        ------
        ValueError
            If it is not text, or its first line does not name the columns.
        """
        encoding = encoding_of(path)
        n_titles = _titles_above(path, encoding)
        separator, header = _separator_and_header(path, encoding, n_titles)
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
        return cls(path, encoding, separator, names, n_titles)

    @property
    def last_line(self) -> str:
        """The line that `Utf8Text` appends to the file: a row with one field too many."""
        return self.separator * len(self.names) + _END

    def require_even_lines(self) -> None:
        """Refuse a file in which a line has fewer or more fields than the first.

        Blank lines are skipped. A quoted cell may hold separators and line breaks.

        Raises
        ------
        ValueError
            The message has the line number, its number of fields, the expected number, and the fix.
        """
        start, end, row = 0, 0, [_END]
        with _text(self.path, self.encoding, self.n_titles) as file:
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
        start += self.n_titles
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
        for _ in range(dialect.n_titles):
            self._file.readline()
        codec, errors = _codec(dialect.encoding)
        self._decoder = (
            None if dialect.encoding == UTF_8 else codecs.getincrementaldecoder(codec)(errors)
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

    UTF-8 and UTF-16 are recognised reliably. All else is read as cp1252, the Western encoding of
    Windows, which is Latin-1 with more characters. If the file has characters of UTF-8 too, it
    counts as `MIXED`, because letters of cp1252 hardly ever look like UTF-8 by chance.

    Raises
    ------
    ValueError
        If the file is not text.
    """
    with _gunzipping(path), _open_bytes(path) as file:
        block = file.read(_BLOCK)
        is_utf_16 = block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        encoding = "utf-16" if is_utf_16 else UTF_8
        decoder = codecs.getincrementaldecoder(encoding)()
        while encoding in ("utf-16", UTF_8) or block:
            if not is_utf_16 and b"\0" in block:
                raise ValueError(f"{path} is not text: save it as CSV with the encoding UTF-8")
            if encoding in ("utf-16", UTF_8):
                try:
                    decoder.decode(block, final=not block)
                except UnicodeError:
                    if is_utf_16:
                        raise _not_decodable(path, encoding) from None
                    if _is_mixed(path):
                        return MIXED
                    encoding = "cp1252"
            if encoding == "cp1252" and block.translate(None, _NOT_IN_CP1252) != block:
                encoding = "latin-1"
            if not block:
                break
            block = file.read(_BLOCK)
    return encoding


def _from_cp1252(error: UnicodeError) -> tuple[str, int]:
    """Read a byte that is no UTF-8 as one of cp1252."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    byte = error.object[error.start : error.start + 1]
    return byte.decode("latin-1" if byte in _NOT_IN_CP1252 else "cp1252"), error.start + 1


codecs.register_error("bnsieve-cp1252", _from_cp1252)


def _codec(encoding: str) -> tuple[str, str]:
    """Return the codec of an encoding, and what it does with bytes that it does not know."""
    return (UTF_8, "bnsieve-cp1252") if encoding == MIXED else (encoding, "strict")


def _is_mixed(path: str | Path) -> bool:
    """Tell whether a file that is not all UTF-8 has many characters in it."""
    n_read = n_others = 0
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    with _open_bytes(path) as file:
        while block := file.read(_BLOCK):
            text = decoder.decode(block)
            n_others += text.count("\ufffd")
            n_read += sum(character > "\x7f" for character in text) - text.count("\ufffd")
    return n_read >= _FEW_LETTERS and n_read * _ONE_IN > n_others


def _titles_above(path: Path, encoding: str) -> int:
    """Return how many lines stand above the one that names the columns.

    There are some only if the first line is one field, whatever separates fields, and a later one
    has as many fields, none of them a number, as all lines of a separator behind it.
    """
    if encoding == "utf-16":
        return 0
    with _text(path, encoding) as file:
        lines = list(islice(file, _LOOKED_AT))
    if not lines or any(separator in lines[0] for separator in _SEPARATORS):
        return 0
    found: list[tuple[int, int]] = []
    for separator in _SEPARATORS:
        try:
            rows = list(csv.reader(lines, delimiter=separator))
        except csv.Error:
            continue
        if len(rows) != len(lines):  # a cell holds a line break
            continue
        n_fields = next((len(row) for row in reversed(rows) if any(row)), 0)
        uneven = [i for i, row in enumerate(rows) if any(row) and len(row) != n_fields]
        first = next((i for i in range(max(uneven, default=-1) + 1, len(rows)) if any(rows[i])), 0)
        is_header = 0 < first < len(rows) - 1 and n_fields > 1
        if is_header and not any(map(_is_number, rows[first])) and all(rows[first]):
            found.append((n_fields, first))
    return max(found, default=(0, 0))[1]


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _separator_and_header(path: Path, encoding: str, n_titles: int) -> tuple[str, list[str]]:
    """Return what separates cells, and the first line taken apart.

    Of the known separators it is the one that gives the first line the most fields.
    """
    with _text(path, encoding) as file:
        headers = []
        for separator in _SEPARATORS:
            file.seek(0)
            for _ in range(n_titles):
                file.readline()
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
def _text(path: str | Path, encoding: str, n_titles: int = 0) -> Iterator[IO[str]]:
    opened = gzip.open if str(path).lower().endswith(".gz") else open
    with _gunzipping(path):
        try:
            codec, errors = _codec(encoding)
            with opened(path, "rt", encoding=codec, errors=errors, newline="") as file:
                for _ in range(n_titles):
                    file.readline()
                yield file
        except UnicodeError:
            raise _not_decodable(path, encoding) from None


def _open_bytes(path: str | Path) -> gzip.GzipFile | BufferedReader:
    return gzip.open(path) if str(path).lower().endswith(".gz") else Path(path).open("rb")
