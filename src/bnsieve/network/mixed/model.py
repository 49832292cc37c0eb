"""A network with numbers as the parts that work on columns.

In: columns by name. Out: log densities of rows, draws, weighted draws.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.graph import Graph
from bnsieve.network.mixed.fitting import Node
from bnsieve.network.mixed.inputs import Columns
from bnsieve.network.mixed.number_node import NumberNode
from bnsieve.network.mixed.rows import draw_column, node_log_density, uniforms_of
from bnsieve.network.mixed.scale import Values


@dataclass(frozen=True, eq=False)
class MixedModel:
    """The parts of a network of which some nodes are numbers.

    Attributes
    ----------
    graph : Graph
    levels : mapping from str to tuple of labels
        Of the labels.
    tables : mapping from str to ndarray of float64
        Of the labels without numeric parents.
    parents : mapping from str to tuple of str
        In the order of the tables' axes.
    nodes : mapping from str to NumberNode or LabelNode
        All others.
    """

    graph: Graph
    levels: Mapping[str, tuple[Hashable, ...]]
    tables: Mapping[str, NDArray[np.float64]]
    parents: Mapping[str, tuple[str, ...]]
    nodes: Mapping[str, Node]

    @property
    def numbers(self) -> tuple[str, ...]:
        """The nodes that are numbers."""
        return tuple(name for name in self.graph.nodes if name not in self.levels)

    def log_density(self, name: str, columns: Columns) -> Values:
        """Return the logarithm of the density of one column given its parents."""
        return node_log_density(name, columns, self.nodes, self.tables, self.parents)

    def log_likelihood(self, columns: Columns) -> Values:
        """Return the logarithm of the density of each row; columns are complete."""
        total: Values = np.sum([self.log_density(name, columns) for name in columns], axis=0)
        return total

    def draw(self, n: int, seed: int, first_row: int = 0) -> dict[str, NDArray[Any]]:
        """Draw rows: values of numbers, codes of labels, by name."""
        drawn, _ = self.draw_given(self.graph.nodes, {}, n, seed, first_row)
        return drawn

    def draw_given(
        self,
        wanted: Iterable[str],
        given: Mapping[str, float],
        n: int,
        seed: int,
        first_row: int = 0,
    ) -> tuple[dict[str, NDArray[Any]], Values]:
        """Draw rows in which some columns are given, and weigh them (likelihood weighting).

        Parameters
        ----------
        wanted : iterable of str
            Columns to draw, with all their ancestors.
        given : mapping from str to value or code

        Returns
        -------
        columns : dict from str to ndarray, shape (n,)
        logs : ndarray of float64, shape (n,)
            The logarithm of the weight of each row.
        """
        stream = {name: number for number, name in enumerate(self.graph.nodes)}
        kept = set(wanted)
        columns: dict[str, NDArray[Any]] = {}
        logs = np.zeros(n)
        for name in self.graph.topological_order():
            if name in given:
                columns[name] = np.full(n, given[name])
                if name in kept:
                    logs += self.log_density(name, columns)
            elif name in kept:
                uniforms = uniforms_of(seed, stream[name], first_row, n)
                columns[name] = draw_column(
                    name, columns, uniforms, self.nodes, self.tables, self.parents
                )
        return columns, logs

    def relevant(self, names: Iterable[str]) -> set[str]:
        """Return some nodes and all their ancestors: all else sums to 1."""
        found: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.parents[name]
        return found

    def is_number(self, name: str) -> bool:
        """Tell whether a node is a number."""
        return isinstance(self.nodes.get(name), NumberNode)
