"""Progress: the running stage, its share done, and its time.

Every stage announces its start and its steps. Announcements go to watchers and to the logger
"bnsieve". Without a watcher, nothing is printed. Only announcements in the context of `watched`
reach its watcher, so replicates in other threads are left out.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Lock
from time import perf_counter
from typing import NamedTuple, TypeVar

Outcome = TypeVar("Outcome")

LOG = logging.getLogger("bnsieve")
LOG.addHandler(logging.NullHandler())


class Progress(NamedTuple):
    """An announcement of progress: the stage, and how much of it is done.

    Attributes
    ----------
    stage : str
        The stage, such as "reading", "sieve" or "search".
    text : str
        The progress in words, such as "1,500 of 9,000 rows". Empty when the stage begins.
    done, total : int or None
        The numbers in that text; None if unknown.
    """

    stage: str
    text: str = ""
    done: int | None = None
    total: int | None = None


Watcher = Callable[[Progress], None]


class TimeLeft:
    """The time left for the running stage, from the share that is done."""

    def __init__(self) -> None:
        self._stage, self._done, self._began = "", 0, 0.0

    def of(self, progress: Progress, now: float) -> str:
        """Return the time left in words; empty if the total is unknown.

        Parameters
        ----------
        progress : Progress
            The announcement of a step. The first one of a stage starts the clock.
        now : float
            Seconds of a monotonic clock.
        """
        done, total = progress.done or 0, progress.total
        if progress.stage != self._stage or done < self._done:
            self._began = now
        self._stage, self._done = progress.stage, done
        if not done or not total or done >= total:
            return ""
        seconds = (now - self._began) * (total - done) / done
        minutes = round(seconds / 60)
        return f"about {minutes} min left" if minutes >= 2 else f"about {seconds:.0f} s left"


@dataclass
class _Watch:
    """The functions that are called, and the stage that began last."""

    watchers: tuple[Watcher, ...]
    stage: str = ""

    def tell(self, progress: Progress) -> None:
        for watcher in self.watchers:
            watcher(progress)


_watch: ContextVar[_Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched(watcher: Watcher | None) -> Iterator[None]:
    """Call a function for each stage that begins inside, and for each of its steps.

    Outer functions are called too. None silences all of them, and the log.
    """
    outer = _watch.get()
    before = () if outer is None else outer.watchers
    token = _watch.set(_Watch(() if watcher is None else (*before, watcher)))
    try:
        yield
    finally:
        _watch.reset(token)


def announce(stage: str, text: str = "") -> None:
    """Announce that a stage begins, or its progress."""
    if text:
        _log(logging.DEBUG, "%s: %s", stage, text)
    watch = _watch.get()
    if watch is not None:
        watch.stage = stage
        watch.tell(Progress(stage, text))


def _log(level: int, message: str, *values: object) -> None:
    """Write a line to the log, unless this is a replicate, whose stages nobody wants to see."""
    watch = _watch.get()
    if watch is None or watch.watchers:
        LOG.log(level, message, *values)


@contextmanager
def inner_stage(stage: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """Announce a stage inside the running one, which is announced again afterwards.

    Yields a function to call, from any thread, with the number of further units done of `total`.
    """
    _log(logging.INFO, "%s: %s %s", stage, f"{total:,}", unit)
    watch = _watch.get()
    if watch is None:
        yield lambda more: None
        return
    outer, done, lock = watch.stage, 0, Lock()

    def advance(more: int) -> None:
        nonlocal done
        with lock:
            done += more
            watch.tell(_share(stage, done, total, unit))

    if outer != stage:
        announce(stage)
    yield advance
    if outer not in ("", stage):
        announce(outer)


def tallied(outcomes: Iterable[Outcome], total: int, unit: str) -> Iterator[Outcome]:
    """Pass outcomes on, and announce their number."""
    watch = _watch.get()
    for done, outcome in enumerate(outcomes, start=1):
        if watch is not None and watch.stage:
            watch.tell(_share(watch.stage, done, total, unit))
        yield outcome


def _share(stage: str, done: int, total: int, unit: str) -> Progress:
    return Progress(stage, f"{done:,} of {total:,} {unit}", done, total)


class Timings(dict[str, float]):
    """Seconds by stage, in the order of the stages; one stage runs at a time.

    While a stage runs inside another, the clock of the outer one stops, so every second counts
    once.
    """

    def __init__(self) -> None:
        super().__init__()
        self.running = ""
        self._since = 0.0

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time of the block to a stage, and announce the stage."""
        _log(logging.INFO, "%s begins", name)
        announce(name)
        outer, before = self.running, self.get(name, 0.0)
        self.switch(name)
        try:
            yield
        finally:
            self.switch(outer)
        _log(logging.INFO, "%s took %.2f s", name, self[name] - before)
        if outer:
            announce(outer)

    def switch(self, stage: str) -> float:
        """Stop the clock of the running stage and start another's, or none's; return the time."""
        now = perf_counter()
        if self.running:
            self[self.running] += now - self._since
        if stage:
            self.setdefault(stage, 0.0)
        self.running, self._since = stage, now
        return now
