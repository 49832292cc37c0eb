"""Whole files as text, plain or compressed with gzip.

Comes in: a path. Goes out: its text, never more than a limit, or an error that names the file.
"""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from bnsieve.exchange.formats.errors import FormatError

# Sixteen times the largest of the benchmark networks; a hostile gzip file can claim more.
MAX_BYTES = 1 << 26

_GZIP = b"\x1f\x8b"


def read_bytes(path: str | PathLike[str], limit: int | None = None) -> bytes:
    """Return the bytes of a file, decompressed; refuse what is damaged or above the limit."""
    limit = MAX_BYTES if limit is None else limit
    with Path(path).open("rb") as file:
        compressed = file.read(2) == _GZIP
        file.seek(0)
        try:
            content = (gzip.GzipFile(fileobj=file) if compressed else file).read(limit + 1)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FormatError(f"the gzip file is damaged: {error}", 1, 1, str(path)) from None
    if len(content) > limit:
        raise FormatError(f"the file holds more than {limit:,} bytes", 1, 1, str(path))
    return content


def read_text(
    path: str | PathLike[str], encoding: str = "utf-8", cure: str = "save it as such"
) -> str:
    """Return the text of a file, without a byte order mark, line ends as they are.

    Parameters
    ----------
    path : str or path
    encoding : str, default "utf-8"
    cure : str
        What the error says to do about a file in another encoding.
    """
    content = read_bytes(path)
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode(encoding, errors="replace")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        message = f"this is not {encoding} text: {cure}"
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

    An old file is whole until the new one is, see `write_bytes`.
    """
    content = encoded(text)
    if str(path).endswith(".gz"):
        content = gzip.compress(content, compresslevel=9, mtime=0)
    write_bytes(content, path)


def write_bytes(content: bytes, path: str | PathLike[str]) -> None:
    """Write beside and then rename: an old file is whole until the new one is."""
    target = Path(path)
    if target.exists() and not target.is_file():
        target.write_bytes(content)  # such as /dev/stdout
        return
    partial = target.with_name(target.name + ".part")
    try:
        partial.write_bytes(content)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def encoded(text: str) -> bytes:
    """Return text in UTF-8; half a surrogate pair, which Python allows in a string, has no such."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        around = text[max(0, error.start - 20) : error.end]
        raise ValueError(
            f"{around!r} holds half a character, which no file can hold: rename it"
        ) from None
