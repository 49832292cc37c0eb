"""Who wants to know which stage is running: a function in, calls of it out.

Stages announce themselves wherever they run; only what runs in the context of `watched` is heard,
which leaves out the replicates that other threads work on.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Lock

Watcher = Callable[[str, str], None]


@dataclass
class _Watch:
    """Who is told, and which stage was the last one that began."""

    watcher: Watcher
    stage: str = ""


_watch: ContextVar[_Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched(watcher: Watcher | None) -> Iterator[None]:
    """Tell a function of each stage that begins inside: its name, and how far it is if known."""
    token = _watch.set(None if watcher is None else _Watch(watcher))
    try:
        yield
    finally:
        _watch.reset(token)


def announce(stage: str, progress: str = "") -> None:
    """Say that a stage begins, or how far it is."""
    watch = _watch.get()
    if watch is not None:
        watch.stage = stage
        watch.watcher(stage, progress)


def listener() -> Watcher:
    """Return who watches here, for calls from elsewhere; without any, a function that is deaf."""
    watch = _watch.get()
    return (lambda stage, progress: None) if watch is None else watch.watcher


@contextmanager
def inner_stage(stage: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """Announce a stage inside the one that runs, which is announced again afterwards.

    Gives a function to call, from any thread, with how many more of `total` units are done.
    """
    watch = _watch.get()
    if watch is None:
        yield lambda more: None
        return
    outer, done, lock = watch.stage, 0, Lock()

    def advance(more: int) -> None:
        nonlocal done
        with lock:
            done += more
            watch.watcher(stage, f"{done:,} of {total:,} {unit}")

    announce(stage)
    yield advance
    if outer:
        announce(outer)
