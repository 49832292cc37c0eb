"""A network over variables and their lagged copies, as the step from some slices to the next one.

In: the parts of such a network, and which variable and lag each node is. Out: `Slices`, which draws
the next slice given the last ones; the network unrolled over several slices.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from bnsieve.graph import Graph
from bnsieve.network.mixed.nodes import Columns, Node
from bnsieve.network.parts import UNKNOWN, NetworkParts
from bnsieve.table import AtLag

# From the name of a node to its variable and how many steps back it is.
Split = Callable[[str], AtLag]


@dataclass(frozen=True, eq=False)
class Slices:
    """How a slice depends on those before.

    Attributes
    ----------
    parts : NetworkParts
        Of the network over variables and their lagged copies. Lagged copies have no parents.
    places : mapping from str to AtLag
        The variable that each node is, and how many steps back.
    static : tuple of str
        Variables that do not change over time, parents first.
    known : tuple of str
        Variables that are known ahead, such as the month of a time stamp.
    """

    parts: NetworkParts
    places: Mapping[str, AtLag]
    static: tuple[str, ...] = ()
    known: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        parts: NetworkParts,
        split: Split,
        static: Collection[str] = (),
        known: Collection[str] = (),
    ) -> "Slices":
        """Read the nodes of a network as variables and lags."""
        order = parts.graph.topological_order()
        return cls(
            parts,
            {node: split(node) for node in order},
            tuple(name for name in order if name in static),
            tuple(name for name in order if name in known),
        )

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The variables of a slice that are drawn, parents first."""
        left_out = {*self.static, *self.known}
        return tuple(
            node for node, (_, lag) in self.places.items() if lag == 0 and node not in left_out
        )

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The variables that are forecast, in the order of the network's nodes."""
        return tuple(name for name in self.parts.graph.nodes if name in self.order)

    @cached_property
    def n_lags(self) -> int:
        """How many slices back variables depend on; at least one."""
        parents = (parent for name in self.order for parent in self.parts.parents[name])
        return max((self.places[parent].lag for parent in parents), default=1) or 1

    @cached_property
    def lagged(self) -> dict[str, dict[int, str]]:
        """For each variable its lagged copies by lag, as far back as they matter."""
        nodes: dict[str, dict[int, str]] = {name: {} for name in self.order}
        for node, (variable, lag) in self.places.items():
            if 0 < lag <= self.n_lags and variable in nodes:
                nodes[variable][lag] = node
        return nodes

    def columns(self, past: Sequence[Columns], present: Columns) -> dict[str, NDArray[Any]]:
        """Return columns by node: `past` holds the slices before, the last one last."""
        columns = dict(present)
        for variable, nodes in self.lagged.items():
            for lag, node in nodes.items():
                columns[node] = past[-lag][variable]
        return columns


def unrolled(slices: Slices, first: int, last: int) -> NetworkParts:
    """Return the parts of the network over several slices, one after the other.

    The first slices, as many as there are lags, have no parents: their variables are independent,
    and distributed as the lagged copies are. Nodes are named by `slice_name`.

    Parameters
    ----------
    slices : Slices
    first, last : int
        Numbers of slices; 0 is the last one that was observed.
    """
    parts = slices.parts
    source, parents = {name: name for name in slices.static}, dict[str, tuple[str, ...]]()
    for step in range(first, last + 1):
        to_come = slices.n_lags - (step - first)
        for variable in (*slices.known, *slices.order):
            node = slice_name(variable, step)
            if to_come <= 0 or variable in slices.known:
                source[node] = variable
                parents[node] = tuple(_parents(slices, variable, step))
            elif copies := slices.lagged[variable]:
                source[node] = copies[min(copies, key=lambda lag: abs(lag - to_come))]
    parents = {node: parents.get(node, ()) for node in source}
    for name in slices.static:
        parents[name] = parts.parents[name]
    nodes = parts.mixed.nodes if parts.numbers else {}
    return NetworkParts.checked(
        Graph(list(source), [(parent, node) for node in source for parent in parents[node]]),
        {node: parts.states[of] for node, of in source.items() if of in parts.states},
        {node: parts.cpts[of] for node, of in source.items() if of not in nodes},
        parents,
        {
            node: _renamed(nodes[of], dict(zip(parts.parents[of], parents[node], strict=True)))
            for node, of in source.items()
            if of in nodes
        },
        UNKNOWN,
    )


def slice_name(variable: str, step: int) -> str:
    """Return the name of a variable in a slice: ``valve@t``, ``valve@t-1``, ``valve@t+2``."""
    return f"{variable}@t{step:+d}" if step else f"{variable}@t"


def _parents(slices: Slices, variable: str, step: int) -> Iterator[str]:
    """Yield the parents of a variable in a slice."""
    for parent in slices.parts.parents[variable]:
        name, lag = slices.places[parent]
        yield name if name in slices.static else slice_name(name, step - lag)


def _renamed(node: Node, names: Mapping[str, str]) -> Node:
    """Return the same regression of parents by other names."""
    inputs = replace(
        node.inputs,
        numbers=tuple(replace(one, name=names[one.name]) for one in node.inputs.numbers),
        categorical=tuple(names[name] for name in node.inputs.categorical),
    )
    return replace(node, inputs=inputs)
