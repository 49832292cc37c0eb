"""Find out how a CSV file is written and separates its cells; an error names the line at fault.

The reader of pandas does the reading. Here is what it does not do: see encoding and separator, and
say which line has not as many fields as the first (pandas takes a short line's last cells for
missing ones) or where a quote opens that never closes. Needs no optional package.
"""

import codecs
import csv
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import IO

from bnsieve.rows.paths import quoted

BROKEN_GZIP = (gzip.BadGzipFile, EOFError, zlib.error)
UTF_8 = "utf-8-sig"
_NOT_IN_CP1252 = b"\x81\x8d\x8f\x90\x9d"
_SEPARATORS = ",;\t|"
_BLOCK = 1 << 20
# Put after a file's last line: a row of its own, unless a quote is open there.
_AFTER = "the end of the file"


def encoding_of(path: str | Path) -> str:
    """Return how the characters of a CSV file are written.

    UTF-8 and UTF-16 are recognised for sure. What is neither is taken for the encoding of Windows
    in the west, cp1252, which is Latin-1 with more signs.

    Raises
    ------
    ValueError
        If the file is no text.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    encoding = UTF_8
    with open_bytes(path) as file:
        try:
            first = True
            while block := file.read(_BLOCK):
                if first and block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                    return "utf-16"
                first = False
                if b"\0" in block:
                    raise ValueError(f"{path} is no text: save it as CSV with the encoding UTF-8")
                if encoding == UTF_8:
                    try:
                        decoder.decode(block)
                    except UnicodeDecodeError:
                        encoding = "cp1252"
                if encoding == "cp1252" and block.translate(None, _NOT_IN_CP1252) != block:
                    encoding = "latin-1"
            if encoding == UTF_8:
                decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return "cp1252"
        except BROKEN_GZIP as error:
            raise not_gzip(path, error) from None
    return encoding


def separator_of(path: str | Path, encoding: str = UTF_8) -> str:
    """Return what separates the cells of a CSV file: the sign that parts its first line most.

    Raises
    ------
    ValueError
        If the first line does not name the columns, or names one twice.
    """
    with _text(path, encoding) as file:
        headers = []
        for separator in _SEPARATORS:
            file.seek(0)
            try:
                names = next(csv.reader(chain(file, [_AFTER]), delimiter=separator))
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
    *_, separator, names = max(headers, key=lambda one: one[:2])
    if names == [_AFTER]:
        raise ValueError(f"{path} is empty: the first line must name the columns")
    if not any(name.strip() for name in names):
        raise ValueError(f"the first line of {path} is blank: it must name the columns")
    if names[-1].endswith(_AFTER):
        raise _never_closed(path, 1)
    if names[0].startswith("sep="):
        raise ValueError(
            f"the first line of {path} is an instruction to Excel, {quoted(names[0])}: delete it"
        )
    seen: set[str] = set()
    for name in names:
        if name and name in seen:
            raise ValueError(
                f"{path} has two columns {quoted(name)}: rename one, or add a first line of "
                "names if there is none"
            )
        seen.add(name)
    return separator


def not_decodable(path: str | Path, encoding: str) -> ValueError:
    """Return the error that a file of broken text deserves."""
    name = "UTF-8" if encoding == UTF_8 else encoding
    return ValueError(f"{path} is not {name} text: save it as CSV with the encoding UTF-8")


def require_even_lines(path: str | Path, separator: str, encoding: str = UTF_8) -> None:
    """Refuse a CSV file of which a line has fewer or more fields than the first.

    Blank lines are skipped. A cell in quotes may hold separators and line breaks.

    Raises
    ------
    ValueError
        With the number of the line, its fields, how many there should be, and the cure.
    """
    if encoding == "utf-16" or not _plainly_even(path, separator):
        _compare_lines(path, separator, encoding)


def require_even_start(path: str | Path, separator: str, encoding: str = UTF_8) -> None:
    """Refuse a CSV file of which the second line has more fields than the first.

    pandas would take the first of them for the row's name; of thousands it makes a name for hours.

    Raises
    ------
    ValueError
        As `require_even_lines` says it.
    """
    with _text(path, encoding) as file:
        rows = csv.reader(file, delimiter=separator)
        try:
            n_fields = len(next(rows))
            second = next((row for row in rows if not _is_blank(row)), [])
        except csv.Error:  # a cell of more than 131,072 characters, which pandas reads
            return
    if len(second) > n_fields:
        _compare_lines(path, separator, encoding)


def _plainly_even(path: str | Path, separator: str) -> bool:
    """Tell whether every line has the separators of the first, and all of them separate.

    They do where the quotes between any two are even in number: whatever these quotes mean, none is
    open then. This is some ten times faster than taking lines apart, which it leaves to others if
    it finds anything else.
    """
    others = bytes(set(range(256)) - set(f'{separator}"\n'.encode()))
    line = b""
    with open_bytes(path) as file:
        while block := file.read(_BLOCK) + file.readline():
            if not block.endswith(b"\n"):  # the last line
                block += b"\n"
            signs = block.translate(None, others).replace(b'""', b"")
            line = line or signs[: signs.find(b"\n") + 1]
            if b'"' in line or block.count(b"\r") > block.count(b"\r\n"):
                return False
            if signs != line * (len(signs) // len(line)):
                return False
    return True


def _compare_lines(path: str | Path, separator: str, encoding: str) -> None:
    n_fields, end, row = 0, 0, [_AFTER]
    with _text(path, encoding) as file:
        rows = csv.reader(chain(file, [_AFTER]), delimiter=separator)
        try:
            for row in rows:
                start, end = end + 1, rows.line_num
                n_fields = n_fields or len(row)
                if len(row) != n_fields and not _is_blank(row):
                    break
        except csv.Error:  # a cell of more than 131,072 characters
            raise _never_closed(path, end + 1) from None
    if row == [_AFTER]:
        return
    if row[-1].endswith(_AFTER):
        raise _never_closed(path, start)
    cure = f"put quotes around a cell that holds {separator!r}, or name every column"
    if len(row) < n_fields:
        cure = f"add the others; an empty cell still takes its {separator!r}"
    raise ValueError(
        f"line {start:,} of {path} has {len(row):,} field{'' if len(row) == 1 else 's'}, and the "
        f"first line names {n_fields:,}: {cure}"
    )


def _is_blank(row: list[str]) -> bool:
    return not row or (len(row) == 1 and not row[0].strip())


def _never_closed(path: str | Path, line: int) -> ValueError:
    return ValueError(
        f'a quote (") that opens in line {line:,} of {path} does not close: close it, or double '
        "it if it belongs to the text and the cell begins with one"
    )


def not_gzip(path: str | Path, error: Exception) -> ValueError:
    """Return the error that a broken compressed file deserves."""
    return ValueError(f"{path} is not a complete gzip file ({error}): compress it again")


@contextmanager
def _text(path: str | Path, encoding: str) -> Iterator[IO[str]]:
    opened = gzip.open if str(path).lower().endswith(".gz") else open
    try:
        with opened(path, "rt", encoding=encoding, newline="") as file:
            yield file
    except UnicodeError:  # utf-16 has an error of its own for what ends too early
        raise not_decodable(path, encoding) from None
    except BROKEN_GZIP as error:
        raise not_gzip(path, error) from None


def open_bytes(path: str | Path) -> gzip.GzipFile | BufferedReader:
    """Open a file, decompressed."""
    return gzip.open(path) if str(path).lower().endswith(".gz") else Path(path).open("rb")
