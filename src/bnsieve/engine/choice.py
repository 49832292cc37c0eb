"""Open an engine by its name, for as long as a context lasts.

In: a name, or an engine of your own. Out: an `Engine`. Another package adds a name by an entry
point of the group ``bnsieve.engines``: a function that takes the number of jobs and returns a
context manager, which yields an `Engine`.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from importlib.metadata import entry_points
from numbers import Integral
from typing import cast

from joblib import effective_n_jobs

from bnsieve.engine.local import Engine, Threads, threads

GROUP = "bnsieve.engines"
"""The group of entry points that add engines."""

# The engines that take the session or client there is: what each is called, and its package.
_SESSIONS = {"spark": ("Spark", "pyspark"), "dask": ("Dask", "'dask[distributed]'")}
# "ray", and what Ray takes for an address although it has no port.
_RAY = ("ray", "auto")


@contextmanager
def open_engine(name: str | Engine, n_jobs: int | None) -> Iterator[Engine]:
    """Yield the engine with a name.

    Parameters
    ----------
    name : str or Engine
        "local" for threads of this process; "ray" for the Ray cluster that this process is
        connected to, or else a new one on this machine; "spark" for the active Spark session;
        "dask" for the active Dask client; a name that an installed package registered; or the
        address of a running Ray cluster. An `Engine` is yielded unchanged.
    n_jobs : int or None
        The number of threads of "local", as in scikit-learn, or of workers of a new Ray cluster
        (None: one per processor). A running cluster keeps its number of workers.

    Raises
    ------
    ValueError
        If there is no such engine, or if an engine has no workers or parts.
    """
    if not isinstance(name, str):
        _require_counts(name)
        yield name
        return
    if name == "local":
        with threads(n_jobs) as run:
            yield Threads(effective_n_jobs(n_jobs), run)
        return
    with _cluster(name, n_jobs) as engine:
        _require_counts(engine)
        yield engine


def _require_counts(engine: Engine) -> None:
    for name in ("n_workers", "n_parts"):
        value = getattr(engine, name)
        if not isinstance(value, Integral) or value < 1:
            raise ValueError(
                f"{type(engine).__name__}.{name} must be a whole number above 0, got {value!r}"
            )


def _cluster(name: str, n_jobs: int | None) -> AbstractContextManager[Engine]:
    if name in _SESSIONS:
        title, package = _SESSIONS[name]
        try:
            connected = import_module(f"bnsieve.engine.{name}").connected
        except ImportError as error:
            raise ImportError(
                f"engine={name!r} needs {title}: install it with pip install {package}"
            ) from error
        return cast("AbstractContextManager[Engine]", connected(n_jobs))
    for registered in entry_points(group=GROUP, name=name):
        return cast("AbstractContextManager[Engine]", registered.load()(n_jobs))
    if name not in _RAY and not {":", "/"} & set(name):
        names = sorted({"local", "ray", *_SESSIONS, *entry_points(group=GROUP).names})
        raise ValueError(
            f"there is no engine {name!r}: choose one of {', '.join(names)}, or the address of a "
            "Ray cluster, such as HOST:PORT"
        )
    try:
        from bnsieve.engine.ray import connected as connected_to_ray
    except ImportError as error:
        raise ImportError(
            f"engine={name!r} needs Ray: install it with pip install 'bnsieve[ray]'"
        ) from error
    return connected_to_ray(name, None if n_jobs is None else effective_n_jobs(n_jobs))
