"""A network as a file declares it, checked variable by variable.

In: names, states, parents and numbers as written, each with a function that raises the error of
its place in the file. Out: the `BayesianNetwork`, under its original names.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Never, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnsieve.exchange.files import errors_name
from bnsieve.exchange.spelling import Originals
from bnsieve.graph import Graph
from bnsieve.network import BayesianNetwork, NumberNode, StateNode

Refuse: TypeAlias = Callable[[str], Never]

# What NumPy's arrays can have of axes; and what all CPTs of a file may hold together, 134 MB: a few
# words, such as a default, can stand for any number of cells.
MAX_AXES, MAX_CELLS = 64, 1 << 24


class NetworkDraft:
    """Collects variables, then their CPTs."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._cells_left = MAX_CELLS
        self.nodes: dict[str, None] = {}
        self.states: dict[str, list[Hashable]] = {}
        self.parents: dict[str, list[str]] = {}
        self.tables: dict[str, NDArray[np.float64]] = {}
        self.regressions: dict[str, NumberNode | StateNode] = {}
        self.originals = Originals({}, {})

    def declare(self, name: str, states: Iterable[Hashable] | None, refuse: Refuse) -> None:
        """Add a variable; a numeric one has no states."""
        if name in self.nodes:
            refuse(f"the variable {name!r} is declared twice")
        self.nodes[name] = None
        if states is not None:
            self.states[name] = list(states)
            if not 0 < len(set(self.states[name])) == len(self.states[name]):
                refuse(f"the variable {name!r} must have states, each of them once")

    def add_property(self, name: str, key: str, value: str, refuse: Refuse) -> None:
        """Take note of a property of a variable, which may hold an original name or state."""
        try:
            self.originals.add(name, key, value)
        except ValueError as error:
            refuse(str(error))

    def family(self, name: str, parents: Sequence[str], refuse: Refuse) -> list[int]:
        """Set the parents of a variable; return the shape of its CPT, parents' axes first."""
        for member in (name, *parents):
            if member not in self.nodes:
                refuse(f"the variable {member!r} is not declared")
            if member not in self.states:
                refuse(f"the variable {member!r} has no states")
        if name in self.parents:
            refuse(f"the variable {name!r} is defined twice")
        if len(set(parents)) < len(parents):
            refuse(f"{name!r} has a parent that is named twice")
        shape = [len(self.states[member]) for member in (*parents, name)]
        if len(shape) <= MAX_AXES:
            self._cells_left -= math.prod(shape)
        if len(shape) > MAX_AXES or self._cells_left < 0:
            refuse(
                f"the table of {name!r} is too large: all of a file may have {MAX_CELLS:,} cells"
            )
        self.parents[name] = list(parents)
        return shape

    def define(
        self, name: str, parents: Sequence[str], words: Iterable[str], refuse: Refuse
    ) -> None:
        """Set the CPT of a variable: its own states change fastest, then the last parent's."""
        shape = self.family(name, parents, refuse)
        numbers = numbers_of(words, name, math.prod(shape), refuse)
        self.tables[name] = np.array(numbers).reshape(shape)

    def network(self) -> BayesianNetwork:
        """Return the network; what is wrong with it as a whole is an error of the file."""
        edges = [(parent, name) for name, given in self.parents.items() for parent in given]
        with errors_name(self._path):
            graph = Graph(self.nodes, edges)
            network = BayesianNetwork(
                graph, self.states, self.tables, self.parents, self.regressions
            )
            return self.originals.restore(network)


def numbers_of(words: Iterable[str], name: str, n: int, refuse: Refuse) -> list[float]:
    """Return as many numbers as a variable must have here."""
    try:
        numbers = list(map(float, words))
    except ValueError as error:
        refuse(f"the table of {name!r} has a value that is not a number: {error}")
    if len(numbers) != n:
        refuse(f"the table of {name!r} has {len(numbers)} numbers here instead of {n}")
    return numbers
