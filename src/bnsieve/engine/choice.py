"""Open an engine by its name, for as long as a context lasts."""

from collections.abc import Iterator
from contextlib import contextmanager

from joblib import effective_n_jobs

from bnsieve.engine.local import Engine, Threads, threads


@contextmanager
def open_engine(name: str, n_jobs: int | None) -> Iterator[Engine]:
    """Give the engine that a name stands for.

    Parameters
    ----------
    name : str
        "local" for threads of this process; "ray" for the Ray cluster that this process is
        connected to, or a new one on this machine; or the address of a running Ray cluster.
    n_jobs : int or None
        Number of threads of "local", as scikit-learn counts them; of workers of a Ray cluster that
        is started here, which has one per processor if None. A cluster that runs keeps its own.
    """
    if name == "local":
        with threads(n_jobs) as run:
            yield Threads(effective_n_jobs(n_jobs), run)
        return
    try:
        from bnsieve.engine.ray import connected
    except ImportError as error:
        raise ImportError(
            f"engine={name!r} needs Ray: install it with pip install 'bnsieve[ray]'"
        ) from error
    with connected(name, None if n_jobs is None else effective_n_jobs(n_jobs)) as engine:
        yield engine
