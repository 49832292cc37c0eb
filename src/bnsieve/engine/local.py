"""The engine protocol, the threads of this process as an engine, and seeds.

In: a number of threads. Out: a map that distributes its items over them. The kernels release the
interpreter's lock, so threads are enough, and no data are copied. Linear algebra runs on the
calling thread only. With more threads for each small matrix, libraries take several times the
processor time, and the order of sums depends on the machine.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from threading import Event
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from joblib import effective_n_jobs
from threadpoolctl import threadpool_limits

from bnsieve import _native

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")
# Is told how much more work is complete; the unit is the caller's affair.
Tell = Callable[[int], None]

# Items go to the threads in batches: small enough that all threads finish together although
# some items take much longer, large enough that handing them over costs nothing.
_BATCHES_PER_THREAD = 16
# Parts per thread of work whose outcomes are merged: more would make all threads end closer
# together, but each part's outcome has to be made and merged.
_PARTS_PER_THREAD = 2


class Map(Protocol):
    """Applies a function to each item; results come in the order of the items."""

    def __call__(
        self, function: Callable[[Item], Outcome], items: Iterable[Item], /
    ) -> Iterable[Outcome]:
        """Apply it."""


@runtime_checkable
class Engine(Protocol):
    """Workers that process items. Pass an engine of your own as ``engine=``."""

    @property
    def n_workers(self) -> int:
        """The number of workers."""

    @property
    def n_parts(self) -> int:
        """The best number of equal items into which to divide work for `fold`."""

    @property
    def map(self) -> Map:
        """Apply a function to each item; results come in the order of the items."""

    def fold(
        self,
        work: Callable[[Item, Tell], Outcome],
        items: Sequence[Item],
        merge: Callable[[Outcome, Outcome], Outcome],
        tell: Tell,
    ) -> Outcome:
        """Apply `work` to each of at least one item, and merge the outcomes, in any grouping.

        `work` gets a function with which it reports how much more it has done. The sum of these
        numbers reaches `tell`, at once or when the item is done, in any thread of this process.
        """


@dataclass(frozen=True)
class Threads:
    """The threads of this process as an engine."""

    n_workers: int
    map: Map

    @property
    def n_parts(self) -> int:
        """The best number of equal items into which to divide work for `fold`; 1 for one thread."""
        return 1 if self.n_workers == 1 else self.n_workers * _PARTS_PER_THREAD

    def fold(
        self,
        work: Callable[[Item, Tell], Outcome],
        items: Sequence[Item],
        merge: Callable[[Outcome, Outcome], Outcome],
        tell: Tell,
    ) -> Outcome:
        """Apply `work` to each of at least one item, and merge the outcomes."""
        return reduce(merge, self.map(lambda item: work(item, tell), items))


@contextmanager
def threads(n_jobs: int | None) -> Iterator[Map]:
    """Yield a map that uses `n_jobs` threads while the context lasts.

    joblib interprets the number: None is one and -1 all processors that this process may use,
    unless ``joblib.parallel_config`` sets another number.
    """
    count = effective_n_jobs(n_jobs)
    if count == 1:
        yield map
        return
    with stoppable_pool(count) as (pool, stopped):

        def spread(
            function: Callable[[Item], Outcome], items: Iterable[Item], /
        ) -> Iterable[Outcome]:
            all_items = list(items)
            size = max(1, len(all_items) // (count * _BATCHES_PER_THREAD))
            batches = (all_items[i : i + size] for i in range(0, len(all_items), size))

            def work(batch: Sequence[Item]) -> list[Outcome]:
                return [function(item) for item in batch if not stopped.is_set()]

            return chain.from_iterable(pool.map(work, batches))

        yield spread


@contextmanager
def stoppable_pool(n_threads: int) -> Iterator[tuple[ThreadPoolExecutor, Event]]:
    """Yield threads that stop at once if an exception, such as an interrupt, ends the context.

    Kernels in these threads stop by themselves. Other code should check the event.
    """
    stopped, flag = Event(), _native.StopFlag()
    with ThreadPoolExecutor(n_threads, initializer=_native.obey, initargs=(flag,)) as pool:
        try:
            yield pool, stopped
        except BaseException as error:  # nobody waits for what is left
            stopped.set()
            flag.raise_()
            pool.shutdown(wait=False, cancel_futures=True)
            if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
                raise MemoryError(
                    f"there is no memory left to start {n_threads} threads: "
                    "use fewer, with n_jobs=1 (--jobs 1)"
                ) from None
            raise


def one_thread_each() -> AbstractContextManager[Any]:
    """Keep NumPy, SciPy and scikit-learn from starting threads while the context lasts."""
    limits: AbstractContextManager[Any] = threadpool_limits(1)
    return limits


RandomState = int | np.random.RandomState | np.random.Generator | None


def seed_of(random_state: RandomState) -> int:
    """Return a seed.

    Parameters
    ----------
    random_state : int, numpy.random.RandomState, numpy.random.Generator or None
        An int is the seed itself, which makes a result reproducible. From a RandomState or
        Generator, each call draws a new seed. None: the operating system provides one.

    Raises
    ------
    TypeError
        If it is of another type.
    ValueError
        If it is negative.
    """
    if isinstance(random_state, int | np.integer):
        if random_state < 0:
            raise ValueError(f"random_state must not be below zero; got {random_state}")
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint32)[0])
    raise TypeError(
        "random_state must be an int, a numpy RandomState or Generator, or None; got "
        f"{random_state!r}"
    )
