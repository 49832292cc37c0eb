"""What must be settled before the libraries are loaded, which takes a second or so.

On the command line, Ctrl-C or SIGTERM while they load end in one line, without a traceback; and
where only the list of commands is asked for, they are not loaded at all. Under a limit on memory,
here and in other programs, those that would hang for want of it are not loaded. So this is the
first module that the package imports.
"""

import mmap
import os
import signal
import sys
import threading
from pathlib import PurePath
from types import FrameType

try:
    import resource
except ImportError:  # Windows, which has no such limits
    resource = None  # type: ignore[assignment]

INTERRUPTED = "interrupted: nothing was written"


def _is_command_line() -> bool:
    program = PurePath(sys.argv[0]).stem if getattr(sys, "argv", None) else ""
    return program.removesuffix("-script") == "bnsieve" or sys.orig_argv[1:3] == ["-m", "bnsieve"]


def _load_numpy() -> None:
    import numpy  # noqa: F401


def _load_scipy() -> None:
    import scipy.special  # noqa: F401


# Each brings an OpenBLAS, which asks for its buffers again and again, without end, if there is no
# room.
_WITH_BLAS = {"numpy": _load_numpy, "scipy.special": _load_scipy}
# In bytes: what either takes in all, and each thread of its OpenBLAS. Two threads were seen to take
# 123 MB.
_ROOM, _ROOM_OF_THREAD = 96 << 20, 32 << 20


def load_under_limit() -> None:
    """Where the memory of this process is limited, load what would hang while there is room for it.

    Raises
    ------
    MemoryError
        If there is none.
    """
    limit = resource.getrlimit(resource.RLIMIT_AS)[0] if resource is not None else -1
    if resource is None or limit == resource.RLIM_INFINITY:
        return
    for name, load in _WITH_BLAS.items():
        if name not in sys.modules:
            _require_room(name, limit)
            load()


def _require_room(library: str, limit: int) -> None:
    asked = os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS") or ""
    n_threads = int(asked) if asked.isdecimal() else os.cpu_count() or 1
    try:
        # Only asked for: pages that are never touched take no memory.
        mmap.mmap(-1, _ROOM + max(1, n_threads) * _ROOM_OF_THREAD).close()
    except (OSError, ValueError):
        raise MemoryError(
            f"the limit on this process's memory, {limit >> 20:,} MB (ulimit -v), leaves too "
            f"little to load {library.partition('.')[0]}: raise it"
        ) from None


def _end(number: int, frame: FrameType | None) -> None:
    os.write(2, f"{INTERRUPTED}\n".encode())
    os._exit(128 + signal.SIGINT)  # as later, for either signal


# `bnsieve --help`, which needs none of the package's names.
HELP_ONLY = _is_command_line() and sys.argv[1:] in (["--help"], ["-h"], ["--version"])

if _is_command_line() and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, _end)
    signal.signal(signal.SIGTERM, _end)

if not HELP_ONLY:
    try:
        load_under_limit()
    except MemoryError as error:
        if not _is_command_line():
            raise
        os.write(2, f"error: {error}\n".encode())
        os._exit(1)
