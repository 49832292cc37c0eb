"""Who wants to know which stage is running: a function in, calls of it out.

Stages announce themselves wherever they run; only what runs in the context of `watched` is heard,
which leaves out the replicates that other threads work on.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Watcher = Callable[[str, str], None]

_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(watcher: Watcher | None) -> Iterator[None]:
    """Tell a function of each stage that begins inside: its name, and how far it is if known."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def announce(stage: str, progress: str = "") -> None:
    """Say that a stage begins, or how far it is."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(stage, progress)


def listener() -> Watcher:
    """Return who watches here, for calls from elsewhere; without any, a function that is deaf."""
    return _watcher.get() or (lambda stage, progress: None)
