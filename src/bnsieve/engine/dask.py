"""The Dask cluster of the active client as an engine: the only file that imports distributed.

Tasks read their row groups from the files. Their shared input is the outcome of a task too, so the
scheduler can compute it again if the worker that held it died. Outcomes are merged in the order of
the items, so the result is that of one thread.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import cloudpickle
from distributed import get_client
from distributed.scheduler import KilledWorker

from bnsieve.engine.local import Item, Outcome, Tell, threads
from bnsieve.engine.remote import Answer, RemoteEngine, perform


@dataclass(frozen=True)
class DaskEngine(RemoteEngine):
    """The workers of a Dask cluster."""

    def answers(
        self, work: Callable[[Item, Tell], Outcome], items: Sequence[Item]
    ) -> Generator[Answer]:
        """Yield the answers of tasks in order; those that are no longer needed are stopped."""
        client = get_client()
        # Pickled here: Dask would look for keys of its own in everything that it sends.
        shared = client.submit(bytes, cloudpickle.dumps(work), pure=False)
        waiting = [client.submit(_task, shared, item, pure=False) for item in items][::-1]
        try:
            while waiting:
                answer = waiting[-1].result()
                waiting.pop()
                yield answer
        except KilledWorker as error:
            raise RuntimeError(
                f"the Dask cluster lost the workers of a task repeatedly: {error}"
            ) from error
        finally:
            client.cancel([*waiting, shared])


def _task(work: bytes, item: Any) -> Answer:
    return perform(cloudpickle.loads(work), item)


@contextmanager
def connected(n_jobs: int | None = None) -> Iterator[DaskEngine]:
    """Yield the cluster of the active Dask client, which stays open.

    Raises
    ------
    RuntimeError
        If there is no client, or its cluster has no workers.
    """
    try:
        client = get_client()
    except ValueError:
        raise RuntimeError(
            "engine='dask' takes the active Dask client, and there is none: make one with "
            "dask.distributed.Client()"
        ) from None
    n_workers = sum(client.nthreads().values())
    if not n_workers:
        raise RuntimeError("the Dask cluster has no workers: start some, or wait for them")
    with threads(n_jobs) as run:
        yield DaskEngine(n_workers, run)
