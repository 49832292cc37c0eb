"""Which stage is running, and for how long: seconds by stage, and calls of who wants to know.

Stages announce themselves wherever they run; only what runs in the context of `watched` is heard,
which leaves out the replicates that other threads work on.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Lock
from time import perf_counter

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
    """Announce a stage inside the one that runs, if another; that is announced again afterwards.

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

    if outer != stage:
        announce(stage)
    yield advance
    if outer not in ("", stage):
        announce(outer)


class Timings(dict[str, float]):
    """Seconds by stage, in the order of the stages.

    While a stage runs inside another, the other's clock stands still: every second counts once.
    """

    def __init__(self) -> None:
        super().__init__()
        self._running: list[str] = []
        self._since = 0.0

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time that the block takes to a stage, and announce the stage."""
        announce(name)
        self._settle()
        self._running.append(name)
        try:
            yield
        finally:
            self._settle()
            self._running.pop()
        if self._running:
            announce(self._running[-1])

    def _settle(self) -> None:
        """Give the time since the last change of stages to the one that runs."""
        now = perf_counter()
        if self._running:
            stage = self._running[-1]
            self[stage] = self.get(stage, 0.0) + now - self._since
        self._since = now
