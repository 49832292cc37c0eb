"""What a node reads of its parents: functions of the numbers, and a configuration of the labels.

In: columns by name. Out: a matrix of functions, and the number of each row's configuration.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.network.mixed.scale import Scale, Values

# By name: float64 values of a number, integer codes of a label.
Columns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class NumberInput:
    """One numeric parent.

    Attributes
    ----------
    name : str
    scale : Scale
        Functions are of its scores.
    knots : tuple of float
        None: the score itself is the only function. Three or more, ascending: also the curves of
        a cubic spline that bends at these scores and is straight beyond the first and last.
    """

    name: str
    scale: Scale
    knots: tuple[float, ...] = ()

    @property
    def n_functions(self) -> int:
        """How many functions the number has."""
        return 1 + max(0, len(self.knots) - 2)

    def functions(self, values: Values) -> Values:
        """Return the functions of some values, shape (n_functions, n_rows)."""
        return spline_functions(self.scale.to_scores(values), self.knots)


def spline_functions(scores: Values, knots: tuple[float, ...]) -> Values:
    """Return the restricted cubic spline's functions: the score, then one for each knot but two.

    Straight lines outside the knots keep a node sane where it saw no rows.
    """
    functions = np.empty((1 + max(0, len(knots) - 2), len(scores)))
    functions[0] = scores
    if len(knots) < 3:
        return functions
    before, last = knots[-2:]
    unit = (last - knots[0]) ** 2
    tail = last - before
    to_before, to_last = (np.maximum(scores - knot, 0) ** 3 for knot in (before, last))
    for i, knot in enumerate(knots[:-2], start=1):
        curve = np.maximum(scores - knot, 0) ** 3
        curve += (to_last * (before - knot) - to_before * (last - knot)) / tail
        functions[i] = curve / unit
    return functions


@dataclass(frozen=True, eq=False)
class Inputs:
    """All parents of a node.

    Attributes
    ----------
    numbers : tuple of NumberInput
    labels : tuple of str
        The label parents; the last one's level changes fastest in the number of a configuration.
    n_levels : tuple of int
        How many levels each of these has.
    """

    numbers: tuple[NumberInput, ...]
    labels: tuple[str, ...] = ()
    n_levels: tuple[int, ...] = ()

    @property
    def n_configurations(self) -> int:
        """How many configurations the label parents have."""
        return prod(self.n_levels)

    @property
    def levels_of_configurations(self) -> NDArray[np.intp]:
        """The levels of each configuration, shape (n_labels, n_configurations)."""
        if not self.n_levels:
            return np.empty((0, 1), dtype=np.intp)
        return np.array(np.unravel_index(np.arange(self.n_configurations), self.n_levels))

    @property
    def n_functions(self) -> int:
        """How many functions there are, with the constant one."""
        return 1 + sum(one.n_functions for one in self.numbers)

    @property
    def is_plain(self) -> bool:
        """Whether all functions are linear in the units of the data."""
        return all(one.scale.is_plain and not one.knots for one in self.numbers)

    def functions(self, columns: Columns, n_rows: int) -> Values:
        """Return the functions of each row, shape (n_functions, n_rows); the first is 1."""
        parts = [np.ones((1, n_rows))]
        parts += [one.functions(columns[one.name].astype(np.float64)) for one in self.numbers]
        return np.concatenate(parts)

    def configurations(self, columns: Columns, n_rows: int) -> NDArray[np.intp]:
        """Return the number of each row's configuration, shape (n_rows,)."""
        numbers = np.zeros(n_rows, dtype=np.intp)
        for name, radix in zip(self.labels, self.n_levels, strict=True):
            numbers = numbers * radix + columns[name].astype(np.intp)
        return numbers
