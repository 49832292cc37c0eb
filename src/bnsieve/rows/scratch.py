"""A temporary folder for rows, which ends with its context; one that a killed process left goes.

A process that is killed outright cannot tidy up. Each folder holds a lock that its process keeps as
long as it lives: whoever opens the next one removes those whose lock is free.
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
_LOCK = "lock"
# A folder this young may be about to be locked.
_YOUNG_SECONDS = 60.0


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Give an empty folder for as long as the context lasts."""
    _remove_abandoned(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as name:
        folder = Path(name)
        with (folder / _LOCK).open("wb") as lock:
            _try_lock(lock)
            (folder / "rows").mkdir()
            yield folder / "rows"


def _try_lock(lock: IO[bytes]) -> bool:
    if fcntl is None:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove_abandoned(place: Path) -> None:
    for folder in place.glob(f"{_PREFIX}*"):
        # Another user's, or one that another process removes just now, is none of ours.
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime < _YOUNG_SECONDS or folder.is_symlink():
                continue
            with (folder / _LOCK).open("r+b") as lock:
                if _try_lock(lock):
                    shutil.rmtree(folder, ignore_errors=True)
