"""What a block of code takes: seconds by the clock, and of the processor."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Spent:
    """Seconds by the clock and of all threads of this process, once the block is left."""

    seconds: float = float("nan")
    processor_seconds: float = float("nan")


@contextmanager
def timed() -> Iterator[Spent]:
    """Give a record that says, after the block, what it took."""
    spent = Spent()
    clock, processor = time.perf_counter(), time.process_time()
    yield spent
    spent.seconds = time.perf_counter() - clock
    spent.processor_seconds = time.process_time() - processor
