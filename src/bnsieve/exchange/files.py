"""Whole files as text, plain or compressed with gzip, and the error of every reader.

In: a path. Out: its text, never more than a limit; or a `FormatError` that says what is wrong and
where.
"""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Never

from bnsieve.text import write_whole

# Sixteen times the largest of the benchmark networks; a hostile gzip file can claim more.
MAX_BYTES = 1 << 26
# Networks as text become a tenth or a thirtieth; what claims far more is no network.
_MOST_UNPACKED = 50

_GZIP = b"\x1f\x8b"
# A damaged file can have a whole page where a name should be.
_LONGEST_MESSAGE = 400


class FormatError(ValueError):
    """A file whose content does not have the right format.

    Parameters
    ----------
    message : str
        The fault, in one sentence. The middle of a very long message is left out.
    line, column : int, optional
        The position of the fault, counted from 1. None if the message itself names the entry.
    path : str, optional
        The file, if it has a name.

    Attributes
    ----------
    message, line, column, path : object
        The parameters, unchanged.
    """

    def __init__(
        self,
        message: str,
        line: int | None = None,
        column: int | None = None,
        path: str | None = None,
    ) -> None:
        if len(message) > _LONGEST_MESSAGE:
            half = _LONGEST_MESSAGE // 2
            message = f"{message[:half]} ... {message[-half:]}"
        super().__init__(message, line, column, path)
        self.message = message
        self.line = line
        self.column = column
        self.path = path

    def __str__(self) -> str:
        where = [] if self.path is None else [self.path]
        if self.line is not None:
            where.append(f"line {self.line}, column {self.column}")
        return ": ".join([", ".join(where), self.message] if where else [self.message])


@dataclass(frozen=True)
class Source:
    """The text of a file; `fail` turns a position in it into an error with line and column."""

    text: str
    path: str | None

    def fail(self, position: int, message: str) -> Never:
        """Raise a `FormatError` that points at `position`."""
        line = self.text.count("\n", 0, position) + 1
        column = position - self.text.rfind("\n", 0, position)
        raise FormatError(message, line, column, self.path)


def read_bytes(path: str | PathLike[str], limit: int | None = None) -> bytes:
    """Return the bytes of a file, decompressed; refuse what is damaged or above the limit.

    A compressed file may unpack to 64 MB, or to 50 times its size if that is more.
    """
    limit = MAX_BYTES if limit is None else limit
    if not Path(path).exists():
        raise FileNotFoundError(f"there is no file {path}: check the path")
    with Path(path).open("rb") as file:
        compressed = file.read(2) == _GZIP
        if compressed:
            size = Path(path).stat().st_size
            limit = min(limit, max(MAX_BYTES, _MOST_UNPACKED * size))
        file.seek(0)
        try:
            content = (gzip.GzipFile(fileobj=file) if compressed else file).read(limit + 1)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FormatError(f"the gzip file is damaged: {error}", 1, 1, str(path)) from None
    if len(content) > limit:
        raise FormatError(f"the file holds more than {limit:,} bytes", 1, 1, str(path))
    return content


def read_text(path: str | PathLike[str], encoding: str = "utf-8", limit: int | None = None) -> str:
    """Return the text of a file, without a byte order mark, line ends as they are."""
    content = read_bytes(path, limit)
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode(encoding, errors="replace")
        message = f"this is not {encoding} text: save it as UTF-8, or read it with encoding="
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise FormatError(message, line, column, str(path)) from None


@contextmanager
def errors_name(path: str | None) -> Iterator[None]:
    """Turn what a graph or network finds wrong with itself into an error of the file."""
    try:
        yield
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError(str(error).removesuffix("."), path=path) from None


def write_text(text: str, path: str | PathLike[str]) -> None:
    """Write text as UTF-8, compressed if the name ends in ``.gz``; same text, same bytes.

    The new file is written beside an old one, which stays whole until the new one is.
    """
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        around = text[max(0, error.start - 20) : error.end]
        raise ValueError(
            f"{around!r} holds half a character, which no file can hold: rename it"
        ) from None
    if str(path).endswith(".gz"):
        content = gzip.compress(content, compresslevel=9, mtime=0)
    write_whole(content, path)
