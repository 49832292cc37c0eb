"""Time, measured so that a busy or slow machine fails no test.

A test compares with a baseline that it measures itself, and in processor time: other programs that
run at the same time change little of either, and nothing of the order of growth.
"""

import time
from collections.abc import Callable


def processor_seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """Return the least processor time of several calls, and never zero."""
    least = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        least = min(least, time.process_time() - start)
    return max(least, 1e-3)
