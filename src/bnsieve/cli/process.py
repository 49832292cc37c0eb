"""The process behind the command line: signals, and the limit on its memory.

Nothing here imports a library, so that Ctrl-C ends in one line while the libraries still load.
"""

import mmap
import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from types import FrameType
from typing import Literal

try:
    import resource
except ImportError:  # Windows, which has no such limits
    resource = None  # type: ignore[assignment]

INTERRUPTED = "interrupted: nothing was written"
# As shells report them: 128 plus the number of the signal.
INTERRUPTED_CODE, TERMINATED_CODE = 130, 143

# Each of these brings an OpenBLAS, which retries for ever if it cannot allocate its buffers.
_WITH_BLAS = ("numpy", "scipy.special")
# Bytes that either takes, and each thread of its OpenBLAS. Two threads were seen to take 123 MB.
_BYTES, _BYTES_PER_THREAD = 96 << 20, 32 << 20


class Phase:
    """How far the command is, which decides what a signal does."""

    now: Literal["loading", "running", "done"] = "running"
    # The exit code of a command that is interrupted.
    interrupted_code = INTERRUPTED_CODE


def run(command: Callable[[], None]) -> None:
    """Run a command line; Ctrl-C and SIGTERM end it in one line on standard error.

    While libraries load, the process ends at once. While a command runs, it ends as by an
    exception, so that temporary files are removed. Afterwards only printing is left.
    """
    Phase.now = "loading"
    Phase.interrupted_code = INTERRUPTED_CODE
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, on_signal)
    try:
        command()
    except SystemExit as ending:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        if ending.code in (INTERRUPTED_CODE, TERMINATED_CODE):
            # Temporary files are gone; tearing down libraries and tables would only take time.
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(ending.code)
        raise


def on_signal(number: int, frame: FrameType | None) -> None:
    """Handle SIGINT or SIGTERM."""
    code = TERMINATED_CODE if number == signal.SIGTERM else INTERRUPTED_CODE
    if Phase.now == "loading":
        # An exception may be swallowed by the library that is being imported.
        os.write(2, f"{INTERRUPTED}\n".encode())
        os._exit(code)
    if Phase.now == "running":
        Phase.interrupted_code = code
        raise KeyboardInterrupt
    # If nobody reads the output, a second signal ends the process.
    signal.signal(number, signal.SIG_DFL)


def load_under_limit() -> None:
    """If the memory of this process is limited, load what would hang while there is room for it.

    Raises
    ------
    MemoryError
        If there is none.
    """
    limit = resource.getrlimit(resource.RLIMIT_AS)[0] if resource is not None else -1
    if resource is None or limit == resource.RLIM_INFINITY:
        return
    for library in _WITH_BLAS:
        if library not in sys.modules:
            _require_room(library, limit)
            import_module(library)


def _require_room(library: str, limit: int) -> None:
    threads = os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS") or ""
    n_threads = int(threads) if threads.isdecimal() else os.cpu_count() or 1
    try:
        # Only reserved: pages that are never touched take no memory.
        mmap.mmap(-1, _BYTES + max(1, n_threads) * _BYTES_PER_THREAD).close()
    except (OSError, ValueError):
        raise MemoryError(
            f"the limit on this process's memory, {limit >> 20:,} MB (ulimit -v), leaves too "
            f"little to load {library.partition('.')[0]}: raise it"
        ) from None
