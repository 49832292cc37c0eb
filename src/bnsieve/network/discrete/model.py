"""A network as numbers: variables are positions, tables are scaled to sum to 1.

In: the parts of a `bnsieve.network.BayesianNetwork`. Out: a `Model`, on which all inference works.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.graph import children_of, topological_order

Values = NDArray[np.float64]

# What became of a row: `RowState` in ``native/row_inference.hpp``.
IMPOSSIBLE, TOO_LARGE = 1, 2


class Factor(NamedTuple):
    """A table over some variables, one axis each, in the order of `scope`."""

    scope: tuple[int, ...]
    values: Values


@dataclass(frozen=True, eq=False)
class Model:
    """A network whose variables are numbered as in its graph.

    Attributes
    ----------
    names : tuple of str
    states : tuple of tuples
    parents : tuple of tuples of int
        In the order of the axes of each table.
    tables : tuple of ndarray of float64
        Parents first, the variable itself last; every line sums to 1.
    """

    names: tuple[str, ...]
    states: tuple[tuple[Hashable, ...], ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[Values, ...]

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        states: Mapping[str, tuple[Hashable, ...]],
        parents: Mapping[str, tuple[str, ...]],
        tables: Mapping[str, Values] | None,
    ) -> "Model":
        """Give each variable of a network its number; None for a model without CPTs."""
        position = {name: i for i, name in enumerate(names)}
        return cls(
            tuple(names),
            tuple(states[name] for name in names),
            tuple(tuple(position[parent] for parent in parents[name]) for name in names),
            () if tables is None else tuple(_scaled(tables[name]) for name in names),
        )

    @cached_property
    def index(self) -> dict[str, int]:
        """The position of each name."""
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def n_states(self) -> tuple[int, ...]:
        """How many states each variable has."""
        return tuple(map(len, self.states))

    @cached_property
    def children(self) -> list[list[int]]:
        """The children of each variable."""
        return children_of(self.parents)

    @cached_property
    def order(self) -> list[int]:
        """All variables, parents first."""
        return topological_order(self.parents, self.children)

    @cached_property
    def codes(self) -> tuple[dict[Hashable, int], ...]:
        """For each variable, the position of each state."""
        return tuple({state: i for i, state in enumerate(states)} for states in self.states)

    @cached_property
    def smallest(self) -> tuple[float, ...]:
        """The smallest cell of each table that is not 0."""
        return tuple(float(t.min(initial=1.0, where=t > 0)) for t in self.tables)

    @cached_property
    def rows(self) -> _native.NetworkRows:
        """The kernel that answers rows."""
        sizes = [table.size for table in self.tables]
        return _native.NetworkRows(
            np.array(self.n_states, dtype=np.int32),
            np.cumsum([0, *map(len, self.parents)], dtype=np.int64),
            np.array([p for own in self.parents for p in own], dtype=np.int32),
            np.cumsum([0, *sizes], dtype=np.int64),
            np.concatenate([np.empty(0), *(table.ravel() for table in self.tables)]),
        )

    def __getstate__(self) -> dict[str, Any]:
        # A kernel stays in its process; another makes its own when it needs one.
        return {name: value for name, value in self.__dict__.items() if name != "rows"}

    def family(self, variable: int) -> tuple[int, ...]:
        """Return the axes of a variable's table."""
        return (*self.parents[variable], variable)

    def n_cells(self, scope: Sequence[int]) -> int:
        """How many cells a table over these variables has."""
        return math.prod(self.n_states[variable] for variable in scope)


def _scaled(table: Values) -> Values:
    """Lines that sum to 1 exactly, as files round them; nothing is copied where they do."""
    sums = table.sum(axis=-1, keepdims=True)
    return table if (sums == 1).all() else table / sums
