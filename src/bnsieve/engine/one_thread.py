"""Linear algebra on the thread that calls it.

Learners spread work over threads of their own. Libraries that start more threads for each small
matrix take several times the processor time, and sum in another order on another machine.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Keep NumPy, SciPy and scikit-learn from starting threads as long as the context lasts."""
    with threadpool_limits(1):
        yield
