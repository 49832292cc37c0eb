"""A range of numbers as a category: what a machine's rule says of a number, in units."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bnsieve.table.cut_points import tidy_cut


@dataclass(frozen=True)
class Range:
    """The numbers from one bound up to, but without, another.

    Attributes
    ----------
    lower, upper : float
        Infinite where there is no bound.
    """

    lower: float = -math.inf
    upper: float = math.inf

    def __contains__(self, value: float) -> bool:
        return self.lower <= value < self.upper

    def __str__(self) -> str:
        if math.isinf(self.lower):
            return "any" if math.isinf(self.upper) else f"< {self.upper:.15g}"
        if math.isinf(self.upper):
            return f">= {self.lower:.15g}"
        return f"[{self.lower:.15g}, {self.upper:.15g})"

    def of(self, name: str) -> str:
        """Say that a column is in this range: ``age >= 60.5``."""
        bounded = not math.isinf(self.lower) and not math.isinf(self.upper)
        if bounded:
            return f"{self.lower:.15g} <= {name} < {self.upper:.15g}"
        return f"{name} {self}"

    def up_to(self, other: "Range") -> "Range":
        """Return the range from the beginning of this to the end of a later one."""
        return Range(self.lower, other.upper)


def ranges_of(values: NDArray[np.float64], codes: NDArray[np.integer]) -> tuple[Range, ...]:
    """Return the range of each bin; bounds have as few digits as part the values.

    Parameters
    ----------
    values : ndarray of float64, shape (n_rows,)
        Without NaN.
    codes : ndarray of int, shape (n_rows,)
        The bin of each: higher ones hold higher values, and none is empty.
    """
    n_bins = int(codes.max()) + 1
    lowest, highest = np.full(n_bins, np.inf), np.full(n_bins, -np.inf)
    np.minimum.at(lowest, codes, values)
    np.maximum.at(highest, codes, values)
    bounds: Sequence[float] = [
        tidy_cut(float(below), float(above))
        for below, above in zip(highest[:-1], lowest[1:], strict=True)
    ]
    return between_cuts(bounds)


def between_cuts(cuts: Sequence[float]) -> tuple[Range, ...]:
    """Return the ranges that cuts leave, from the lowest on."""
    ends = [-math.inf, *cuts, math.inf]
    return tuple(Range(low, high) for low, high in pairwise(ends))
