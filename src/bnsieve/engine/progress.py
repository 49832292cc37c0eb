"""Which stage is running, and for how long: seconds by stage, and calls to a watcher.

Stages announce themselves wherever they run. Only announcements in the context of `watched` reach
the watcher, which leaves out replicates that other threads work on.
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
    """The function that is called, and the stage that began last."""

    watcher: Watcher
    stage: str = ""


_watch: ContextVar[_Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched(watcher: Watcher | None) -> Iterator[None]:
    """Call a function for each stage that begins inside: with its name, and progress if known."""
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
    """Return the watcher of this context, to call from elsewhere; one that does nothing if none."""
    watch = _watch.get()
    return (lambda stage, progress: None) if watch is None else watch.watcher


@contextmanager
def inner_stage(stage: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """Announce a stage inside the running one; the running one is announced again afterwards.

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
