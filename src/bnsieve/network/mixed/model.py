"""A network with numeric variables as the parts that work on columns.

In: columns by name. Out: log densities of rows in units, draws, weighted draws.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from bnsieve.graph import Graph, reachable
from bnsieve.network.mixed.nodes import Columns, Node, NumberNode, StateNode
from bnsieve.network.mixed.scale import Values

# Uniform draws are multiples of 2**-53; the middle of a step is never 0 or 1.
_HALF_STEP = 2.0**-54


@dataclass(frozen=True, eq=False)
class MixedModel:
    """The parts of a network of which some nodes are numbers.

    Attributes
    ----------
    graph : Graph
    states : mapping from str to tuple of states
        Of the categorical variables.
    tables : mapping from str to ndarray of float64
        Of the categorical variables without numeric parents.
    parents : mapping from str to tuple of str
        In the order of the tables' axes.
    nodes : mapping from str to NumberNode or StateNode
        All others.
    """

    graph: Graph
    states: Mapping[str, tuple[Hashable, ...]]
    tables: Mapping[str, NDArray[np.float64]]
    parents: Mapping[str, tuple[str, ...]]
    nodes: Mapping[str, Node]

    @property
    def numbers(self) -> tuple[str, ...]:
        """The nodes that are numbers."""
        return tuple(name for name in self.graph.nodes if name not in self.states)

    def log_density(self, name: str, columns: Columns) -> Values:
        """Return the logarithm of the density, or probability, of one column given its parents."""
        own = columns[name]
        node = self.nodes.get(name)
        if isinstance(node, NumberNode):
            return node.log_density(own, columns)
        codes = own.astype(np.intp)
        if isinstance(node, StateNode):
            return node.log_probabilities(columns, len(codes))[np.arange(len(codes)), codes]
        table = self.tables[name]
        cells = tuple(columns[one].astype(np.intp) for one in (*self.parents[name], name))
        with np.errstate(divide="ignore"):
            logs: Values = np.log((table / table.sum(axis=-1, keepdims=True))[cells])
        return logs

    def log_likelihood(self, columns: Columns) -> Values:
        """Return the logarithm of the density of each row; columns are complete."""
        total: Values = np.sum([self.log_density(name, columns) for name in columns], axis=0)
        return total

    def draw(
        self,
        wanted: Iterable[str],
        given: Mapping[str, float],
        n: int,
        seed: int,
        first_row: int = 0,
    ) -> tuple[dict[str, NDArray[Any]], Values]:
        """Draw rows, weighted by the evidence (likelihood weighting): values and codes by name.

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
                uniforms = _uniforms(seed, stream[name], first_row, n)
                columns[name] = self.draw_column(name, columns, uniforms)
        return columns, logs

    def draw_column(self, name: str, columns: Columns, uniforms: Values) -> NDArray[Any]:
        """Return a value or code for each row, given its parents, from a number in (0, 1)."""
        node = self.nodes.get(name)
        if isinstance(node, NumberNode):
            return node.from_noise(ndtri(uniforms), columns)
        if isinstance(node, StateNode):
            return node.draw(uniforms, columns)
        given = tuple(columns[one].astype(np.intp) for one in self.parents[name])
        sums = np.cumsum(self.tables[name], axis=-1)
        shares = np.broadcast_to(
            (sums[..., :-1] / sums[..., -1:])[given], (len(uniforms), sums.shape[-1] - 1)
        )
        codes: NDArray[np.intp] = (shares <= uniforms[:, np.newaxis]).sum(axis=1)
        return codes

    def relevant(self, names: Iterable[str]) -> set[str]:
        """Return some nodes and all their ancestors: all else sums to 1."""
        return set(reachable(names, self.parents.__getitem__))

    def is_number(self, name: str) -> bool:
        """Tell whether a node is numeric."""
        return isinstance(self.nodes.get(name), NumberNode)


def _uniforms(seed: int, stream: int, first: int, n: int) -> Values:
    """Return numbers strictly between 0 and 1: those of the rows from `first` on."""
    generator = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(stream,)))
    generator.advance(first)
    drawn: Values = np.random.Generator(generator).random(n) + _HALF_STEP
    return drawn
