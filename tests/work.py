"""Work, counted: what a test may compare on a machine of any speed, however busy."""

import sys
import tracemalloc
from collections.abc import Callable
from typing import Any


def lines_run(work: Callable[[], object]) -> int:
    """Return how many lines of Python were run, libraries included, in this thread."""
    n_lines = 0

    def trace(frame: Any, event: str, argument: object) -> Any:
        nonlocal n_lines
        n_lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return n_lines


def peak_bytes(work: Callable[[], object]) -> int:
    """Return the most memory that was held at one time, beside what was held before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
