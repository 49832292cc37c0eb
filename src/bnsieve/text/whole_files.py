"""Files that appear whole: whatever is interrupted leaves the earlier file as it was.

In: a path, and a text or a function that writes. Out: the file. Everything is written beside it
first, under a name that nothing else has, and renamed once it is complete.
"""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[Path]:
    """Give a path to write to; what is there becomes the file once the context ends well.

    The new file has the permissions of the earlier one. A link stays a link: what it leads to is
    replaced. What is no file, such as ``/dev/stdout``, is written to directly.

    Parameters
    ----------
    path : str or path
        The file. The path given for it has the same end, by which writers tell formats.

    Raises
    ------
    OSError
        If no file can be written there; it names the file that was asked for.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        yield Path(path)
        return
    partial = target.with_name(f".bnsieve-{secrets.token_hex(8)}.part{target.suffix[:16]}")
    try:
        # Exclusive: no file is taken over, and no link followed.
        os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    try:
        yield partial
        with suppress(FileNotFoundError):
            shutil.copymode(target, partial)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def write_whole(text: str | bytes, path: str | PathLike[str]) -> None:
    """Write a text as UTF-8, its line ends as they are, or bytes."""
    content = text.encode() if isinstance(text, str) else text
    with replacing(path) as partial:
        partial.write_bytes(content)
