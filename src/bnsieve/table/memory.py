"""Bounds on the data held in memory at a time, in cells, all in one place."""

from dataclasses import dataclass


@dataclass
class MemoryLimits:
    """Bounds in cells.

    Attributes
    ----------
    in_memory : int
        Rows of more cells stay in files: as a frame each takes some ten bytes, or more.
    codes : int
        A learner that goes through the rows many times holds no more: a byte or two each.
    drawn : int
        Of the rows that are drawn to find bins and groups in.
    piece : int
        Of a piece of a file: the pieces of all threads together stay far below a gigabyte.
    """

    in_memory: int = 1 << 24
    codes: int = 1 << 28
    drawn: int = 1 << 25
    piece: int = 1 << 24


LIMITS = MemoryLimits()
