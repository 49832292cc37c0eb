"""Temporary folders that end with their context; those of killed processes are removed.

A killed process cannot remove its folder. Each folder contains a lock that its process holds while
it lives. The next process that opens a folder removes those whose lock is free.
"""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows, whose folders of killed processes stay
    fcntl = None  # type: ignore[assignment]

_PREFIX = "bnsieve-"
_LOCK = "bnsieve.lock"
# A folder this young may be about to be locked.
_YOUNG_SECONDS = 60.0


@contextmanager
def scratch_folder(place: Path | None = None, prefix: str = _PREFIX) -> Iterator[Path]:
    """Yield an empty folder while the context lasts.

    Parameters
    ----------
    place : Path, optional
        The parent folder; by default the temporary folder of the system.
    prefix : str
        The prefix of its name, by which folders of killed processes are recognised.
    """
    where = Path(tempfile.gettempdir()) if place is None else place
    _remove_abandoned(where, prefix)
    with tempfile.TemporaryDirectory(prefix=prefix, dir=where) as name:
        folder = Path(name)
        with (folder / _LOCK).open("wb") as lock:
            _try_lock(lock)
            (folder / "files").mkdir()
            yield folder / "files"


def _try_lock(lock: IO[bytes]) -> bool:
    if fcntl is None:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove_abandoned(place: Path, prefix: str) -> None:
    for folder in place.iterdir():
        if not folder.name.startswith(prefix):
            continue
        # Another user's, or one that another process removes just now, is none of ours.
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime < _YOUNG_SECONDS or folder.is_symlink():
                continue
            with (folder / _LOCK).open("r+b") as lock:
                if _try_lock(lock):
                    shutil.rmtree(folder, ignore_errors=True)
