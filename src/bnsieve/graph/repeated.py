"""The graph over variables and lags, repeated over past steps.

In: a graph whose nodes are variables at time t and lagged ones such as ``valve@t-1``, with edges
into time t only. Out: the same edges copied to earlier steps, for parameters are equal over time.
What to adjust for to see the effect of an earlier value, and which variables act on another at
which lag, follow from it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush

from bnsieve.graph.edge_lists import reachable
from bnsieve.graph.graph import Graph
from bnsieve.table import AtLag, lagged_name, parse_lagged_name

Edge = tuple[str, str]


@dataclass(frozen=True, eq=False)
class RepeatedGraph:
    """A graph over variables and lags whose edges hold at every step.

    Attributes
    ----------
    graph : Graph
        Over variables at time t and lagged ones; only those at time t have parents.
    changing : frozenset of str
        The variables that change over time. Others are one node for all steps.
    """

    graph: Graph
    changing: frozenset[str]

    @cached_property
    def lags(self) -> int:
        """How many steps the graph looks back."""
        return max((self.place(name).lag for name in self.graph.nodes), default=0)

    def place(self, name: str) -> AtLag:
        """Return the variable and the lag of a node."""
        found = parse_lagged_name(name)
        return found if found.variable in self.changing else AtLag(name, 0)

    def before(self, name: str, steps: int) -> str:
        """Return the name of a node so many steps earlier; after, if the number is negative."""
        variable, lag = self.place(name)
        return lagged_name(variable, lag + steps) if variable in self.changing else name

    @cached_property
    def _present(self) -> tuple[str, ...]:
        return tuple(name for name in self.graph.nodes if self.place(name).lag == 0)

    def _nodes(self, last: int) -> list[str]:
        """Return the nodes up to a lag, statics first, then the past."""
        static = [name for name in self._present if name not in self.changing]
        changing = [name for name in self._present if name in self.changing]
        lags = range(last, -1, -1)
        return [*static, *(lagged_name(name, lag) for lag in lags for name in changing)]

    def unrolled(self, steps: int) -> Graph:
        """Return the graph with its edges at time t and at so many steps before.

        Edges of the same step have the same direction, or none, in each copy.
        """

        def copied(edges: Sequence[Edge]) -> Iterator[Edge]:
            for tail, head in edges:
                for step in range(steps + 1):
                    yield self.before(tail, step), self.before(head, step)

        return Graph(
            self._nodes(self.lags + steps),
            dict.fromkeys(copied(self.graph.directed_edges)),
            dict.fromkeys(copied(self.graph.undirected_edges)),
        )

    def dag(self, steps: int, treatment: str, outcome: str) -> Graph:
        """Return the DAG by which an effect is identified, if this graph is a DAG.

        Nodes whose causes lie before the first step may depend on each other in any way: between
        those that precede treatment or outcome there are all edges. Every independence that this
        DAG implies then holds, however far the past reaches.

        Parameters
        ----------
        steps : int
            The lag of the treatment, or a larger one.
        treatment, outcome : str
            Nodes of the repeated graph.
        """
        repeated = self.unrolled(steps)
        ancestors = reachable([treatment, outcome], repeated.parents)
        first = [
            name
            for name in self._first_nodes(repeated, steps, treatment)
            if name in ancestors and (name != treatment or name not in self.changing)
        ]
        added = [(a, b) for i, a in enumerate(first) for b in first[i + 1 :]]
        return Graph(repeated.nodes, dict.fromkeys((*repeated.directed_edges, *added)))

    def _first_nodes(self, repeated: Graph, steps: int, treatment: str) -> list[str]:
        """Return the nodes whose causes are unknown, in an order of time; a treatment last."""
        places = map(self.place, self.graph.nodes)
        with_past = {place.variable for place in places if place.lag > 0}

        def rank(name: str) -> tuple[int, bool, int]:
            variable, lag = self.place(name)
            if variable not in self.changing:
                return 1, name == treatment, 0
            # Without lagged copies it is known ahead, such as the month of a time stamp.
            return (2 if variable in with_past else 0), False, -lag

        found = [
            name
            for name in repeated.nodes
            if self.place(name).lag > steps
            or self.place(name).variable not in self.changing
            or rank(name)[0] == 0
        ]
        return sorted(found, key=rank)

    def acting(self, target: str) -> dict[str, tuple[int, ...]]:
        """Return the variables that may act on a variable, each with lags.

        The lags are those of edges into the target, and the shortest one at which a path that may
        be directed leads there, of whatever length. Static variables have the lag 0.
        """
        into = self._edges_into
        shortest: dict[str, int] = {}
        waiting: list[tuple[int, str]] = []
        for variable, lag in into.get(target, ()):
            heappush(waiting, (lag, variable))
        while waiting:
            lag, variable = heappop(waiting)
            if variable in shortest or (variable == target and lag == 0):
                continue
            shortest[variable] = lag
            for parent, more in into.get(variable, ()):
                heappush(waiting, (lag + more, parent))
        direct: dict[str, set[int]] = {}
        for variable, lag in into.get(target, ()):
            direct.setdefault(variable, set()).add(lag)
        return {
            variable: tuple(sorted({lag, *direct.get(variable, ())}))
            for variable, lag in shortest.items()
        }

    @cached_property
    def _edges_into(self) -> dict[str, list[AtLag]]:
        """The edges that may lead into each variable, by variable and lag."""
        turned = (edge[::-1] for edge in self.graph.undirected_edges)
        result: dict[str, list[AtLag]] = {}
        for tail, head in (*self.graph.directed_edges, *self.graph.undirected_edges, *turned):
            result.setdefault(head, []).append(self.place(tail))
        return result

    def causes_in_common(self, one: str, other: str) -> tuple[str, ...]:
        """Return the nearest variables that act on both of two, now or earlier."""
        of_both = {*self.acting(one)} & {*self.acting(other)}
        near = {parent.variable for parent in self._edges_into.get(one, ())}
        near |= {parent.variable for parent in self._edges_into.get(other, ())}
        return tuple(sorted(of_both & near or of_both))
