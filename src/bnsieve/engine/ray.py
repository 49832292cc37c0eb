"""A Ray cluster as an engine: the only file that imports Ray.

The input of a function goes to the cluster's shared memory once, and each task gets some items. Ray
starts the tasks of a lost worker or node again elsewhere. The outcome of a task depends only on its
items, and outcomes are merged exactly, so the result is that of one thread. Few tasks run at the
same time, so that outcomes waiting to be merged do not fill the cluster's memory.
"""

import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import ray
from ray.exceptions import RayError, RayTaskError

from bnsieve.engine.local import Item, Outcome, Tell

# How often a task is started again after its worker or node was lost. An error that the task itself
# raises is final: it would only be raised again.
_RETRIES = 5
# Tasks under way per worker: one that runs, and one whose inputs travel meanwhile.
_IN_FLIGHT = 2
# How long tasks that are no longer needed may go on before they are stopped.
_GRACE_SECONDS = 1.0
# Parts per worker, so that all workers end at about the same time and are heard of meanwhile.
_PARTS = 4

# One entry, the address, for each context that shares the connection which the first of them made;
# the last one ends it. Ray has one connection per process, and ends the process where two threads
# make or end it at once.
_sharing: list[str] = []
_connecting = threading.Lock()

Value = TypeVar("Value")


@dataclass(frozen=True)
class RayEngine:
    """A cluster that this process is connected to."""

    n_workers: int

    @property
    def n_parts(self) -> int:
        """The best number of equal items into which to divide work for `fold`."""
        return self.n_workers * _PARTS

    def map(
        self, function: Callable[[Item], Outcome], items: Iterable[Item], /
    ) -> Iterable[Outcome]:
        """Apply a function to each item; results come in the order of the items."""
        everything = list(items)
        size = max(1, len(everything) // (self.n_workers * _PARTS))
        parts = [everything[i : i + size] for i in range(0, len(everything), size)]
        shared = ray.put(function)
        tasks = [(_apply, shared, part) for part in parts]
        results = {number: outcome for number, _, outcome in self._run(tasks)}
        return [outcome for number in range(len(parts)) for outcome in _get(results[number])]

    def fold(
        self,
        work: Callable[[Item, Tell], Outcome],
        items: Sequence[Item],
        merge: Callable[[Outcome, Outcome], Outcome],
        tell: Tell,
    ) -> Outcome:
        """Apply `work` to each item and merge the outcomes in a tree, all on the cluster.

        The progress of a task is passed on when it ends.
        """
        shared = ray.put(work)
        waiting = []
        for _, told, worked in self._run([(_work, shared, item) for item in items]):
            tell(told)
            waiting.append(worked)
        while len(waiting) > 1:
            pairs = zip(waiting[::2], waiting[1::2], strict=False)
            odd = waiting[len(waiting) // 2 * 2 :]
            merged = self._run([(_merge, merge, a, b) for a, b in pairs])
            waiting = [both for _, _, both in merged] + odd
        (result,) = _get(waiting[0])
        outcome: Outcome = result
        return outcome

    def _run(self, tasks: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, int, Any]]:
        """Start tasks, few at a time; yield of each, as it ends, its number and both its outcomes.

        A task is a remote function and its arguments. After an error the tasks that are still under
        way are stopped.
        """
        under_way: dict[Any, tuple[int, Any]] = {}
        left = list(enumerate(tasks))[::-1]
        try:
            while left or under_way:
                while left and len(under_way) < self.n_workers * _IN_FLIGHT:
                    number, (function, *arguments) = left.pop()
                    done, outcome = function.remote(*arguments)
                    under_way[done] = number, outcome
                (done,), _ = ray.wait(list(under_way), num_returns=1)
                told = _get(done)
                yield under_way[done][0], told, under_way.pop(done)[1]
        finally:
            if under_way:
                _stop(list(under_way))


# Each task has two outcomes: how much it has done, which is small enough to look at from here, and
# its results, which stay on the cluster.
@ray.remote(num_returns=2, max_retries=_RETRIES)
def _apply(function: Callable[[Any], Any], items: Sequence[Any]) -> tuple[int, list[Any]]:
    return len(items), [function(item) for item in items]


@ray.remote(num_returns=2, max_retries=_RETRIES)
def _work(work: Callable[[Any, Tell], Any], item: Any) -> tuple[int, list[Any]]:
    told: list[int] = []
    outcome = work(item, told.append)
    return sum(told), [outcome]


@ray.remote(num_returns=2, max_retries=_RETRIES)
def _merge(
    merge: Callable[[Value, Value], Value], a: Sequence[Value], b: Sequence[Value]
) -> tuple[int, list[Value]]:
    return 2, [merge(a[0], b[0])]


def _stop(started: Sequence[Any]) -> None:
    """Stop tasks, given in the order of their start, that may have ended meanwhile.

    Ray ends this process if a task is stopped at the very moment at which it ends by itself. So
    tasks about to end may do so. Of the others, those that wait for a worker are stopped first, so
    that they do not start in place of one that was stopped.
    """
    _, left = ray.wait(started, num_returns=len(started), timeout=_GRACE_SECONDS)
    for done in reversed(left):
        ray.cancel(done, force=True)


def _get(reference: Any) -> Any:
    try:
        return ray.get(reference)
    except RayTaskError as error:  # as if the task had run here
        raise error.cause from None
    except RayError as error:
        raise RuntimeError(
            f"the Ray cluster lost a task {_RETRIES + 1} times, or itself: {error}"
        ) from error


@contextmanager
def connected(address: str, n_workers: int | None = None) -> Iterator[RayEngine]:
    """Connect to a cluster while the context lasts, or share an existing connection.

    Parameters
    ----------
    address : str
        The address of a running cluster. "ray" is the cluster that this process is connected to, or
        the one in ``RAY_ADDRESS``, or else a new one on this machine, which ends with the context.
    n_workers : int or None
        The number of workers of a new cluster; None: one per processor.
    """
    with _connecting:
        # Fits in several threads share the connection of the first, and the last one ends it.
        shared = bool(_sharing) or not ray.is_initialized()
        if not ray.is_initialized():
            _connect(address, n_workers)
        if shared:
            _sharing.append(address)
    try:
        yield RayEngine(max(1, int(ray.cluster_resources().get("CPU", 1))))
    finally:
        if shared:
            with _connecting:
                _sharing.pop()
                if not _sharing:
                    ray.shutdown()


def _connect(address: str, n_workers: int | None) -> None:
    if address == "ray":
        address = os.environ.get("RAY_ADDRESS", "local")
    # A cluster of our own reports to nobody.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # What a task raises is raised here; Ray would also print it, for its outcome that nobody asked.
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")
    new = {"include_dashboard": False, "num_cpus": n_workers}
    own: dict[str, Any] = new if address == "local" else {}
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **own)
    except ImportError as error:  # an address that begins with ray:// takes more of Ray
        raise ImportError(
            f"engine={address!r} needs Ray's client: pip install 'ray[client]', or give the "
            "address of the cluster as HOST:PORT from a machine of the cluster"
        ) from error
