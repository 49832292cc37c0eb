"""Bytes in, choices out: how one string of bytes becomes a frame, or a call of compiled code.

The same bytes give the same choices, so that a finding is kept as a small file; and a fuzzer that
changes a byte changes a choice.
"""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Choices:
    """What the bytes choose; where they end, always the first.

    Parameters
    ----------
    content : bytes
    """

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 0

    def take(self, n: int) -> bytes:
        """Return the next `n` bytes, zeros where there are none left."""
        taken = self.content[self.at : self.at + n]
        self.at += n
        return taken.ljust(n, b"\0")

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1."""
        return int.from_bytes(self.take(1 if n <= 256 else 4), "little") % n

    def pick(self, values: Sequence[T]) -> T:
        """Return one of the values."""
        return values[self.below(len(values))]
