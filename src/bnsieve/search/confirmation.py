"""Independence tests of a network that a score has found.

`verify_edges` keeps the edges that pass tests: a variable is independent of what comes before it
given its parents. So each edge is tested, the weakest of a variable's first, given small sets of
the variable's other parents; if one separates its ends, the edge goes. What goes can only make the
graph smaller: there is no cycle.

`confirmed_directions` says which directions are confirmed: score and tests agree. A score believes
what it can afford. Where the true parents of a variable make a large table, a DAG with effects for
causes may be cheaper by many nats, and reversing any of its edges costs as much again. So a
direction is confirmed only if small tests, which need no large table, contradict it nowhere:

* the edge stands: its ends depend on each other alone, and given any one or two neighbours. Three
  variables of which each two are independent, such as an exclusive or and its inputs, may each be
  made of the other two: three graphs with other edges each, equivalent to the data;
* the direction follows (Meek 1995) from triples a - c - b whose ends are not adjacent, and each of
  these is clear: the ends are independent given parents, as the DAG says; and of the sets of up to
  two neighbours, none that holds c separates them if both edges point to c, and none without c if
  not. This is the conservative rule of Ramsey, Spirtes and Zhang (2006).

What a test cannot tell, because rows are few or a variable is a function of others, is not
confirmed. Nor is what knowledge decides: that is no result. Directions that follow only from tests
and knowledge together are told apart.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Generic, TypeVar

from bnsieve.decide import IndependenceTest
from bnsieve.engine import Map
from bnsieve.graph import Graph, children_of, descendants_as_bits, topological_order
from bnsieve.knowledge import Constraints
from bnsieve.search.skeleton import (
    Pair,
    SeparatingSets,
    Skeleton,
    first_separating,
    pair_of,
    subsets,
)

# Two are independent at or above the first p-value and dependent below the second; in between
# nothing is confirmed.
_INDEPENDENT, _DEPENDENT = 0.05, 0.01
_MAX_CONDITIONING = 2
# Of a hub's neighbours only so many make sets, its parents first: bounds the number of tests.
_MAX_NEIGHBOURS = 10


def verify_edges(
    test: IndependenceTest,
    parents: Sequence[Sequence[int]],
    max_conditioning: int | None,
    run: Map,
    constraints: Constraints | None = None,
) -> Skeleton:
    """Test every edge of a network.

    Parameters
    ----------
    test : IndependenceTest
    parents : sequence of sequences of int
        For every variable, the strongest first. Without a cycle.
    max_conditioning : int or None
        Largest conditioning set; None for no limit.
    run : Map
        Spreads the variables over threads.
    constraints : Constraints or None, default None
        Required parents stay and are not tested.

    Returns
    -------
    Skeleton
        With directions. Exact if the test is an oracle, there is no limit, and every variable's
        parents hold the true ones and none of its descendants.
    """
    limit = len(parents) if max_conditioning is None else max_conditioning
    known = constraints or Constraints.none(len(parents))

    def verify(target: int) -> tuple[list[int], SeparatingSets]:
        kept = list(parents[target])
        required = known.required_parents(target)
        separated: SeparatingSets = {}
        for variable in [v for v in reversed(kept) if v not in required]:
            others = [other for other in kept if other != variable]
            given = first_separating(test, target, variable, subsets(others, 0, limit))
            if given is not None:
                kept.remove(variable)
                separated[pair_of(target, variable)] = given
        return kept, separated

    verified = list(run(verify, range(len(parents))))
    separating_sets = {pair: given for _, sets in verified for pair, given in sets.items()}
    return Skeleton.of_dag([kept for kept, _ in verified], separating_sets, test.n_tests)


Node = TypeVar("Node", int, str)


@dataclass(frozen=True)
class ConfirmedDirections(Generic[Node]):
    """Directed edges, parent first, by number or by name.

    Attributes
    ----------
    by_data : set
        Score and tests confirm them, without knowledge.
    implied : set
        Tests confirm them only together with knowledge. No edge that knowledge itself decides is
        in either.
    """

    by_data: set[tuple[Node, Node]]
    implied: set[tuple[Node, Node]]


def confirmed_directions(
    parents: Sequence[Sequence[int]],
    supported: Iterable[Pair],
    test: IndependenceTest,
    known: Iterable[Pair] = (),
) -> ConfirmedDirections[int]:
    """Return the directed edges that score and tests confirm.

    Parameters
    ----------
    parents : sequence of sequences of int
        Of every variable, in a DAG.
    supported : iterable of (int, int)
        Directed edges of it that the score supports.
    test : IndependenceTest
    known : iterable of (int, int)
        Directed edges that knowledge decides. They are not confirmed, but others may follow.
    """
    questions, decided = _Questions(parents, test), set(known)
    by_data = questions.answer(set(supported), set())
    implied = questions.answer(set(supported), decided) if decided else set()
    return ConfirmedDirections(by_data - decided, implied - decided - by_data)


def confirmed_by_name(
    dag: Graph, graph: Graph, test: IndependenceTest, constraints: Constraints
) -> ConfirmedDirections[str]:
    """Return the confirmed directed edges of a graph, which is the class of a DAG."""
    number = {name: i for i, name in enumerate(dag.nodes)}
    parents = [[number[parent] for parent in dag.parents(name)] for name in dag.nodes]
    supported = [(number[tail], number[head]) for tail, head in graph.directed_edges]
    known = [edge for edge in supported if constraints.forces(*edge)]
    return named_directions(confirmed_directions(parents, supported, test, known), dag.nodes)


def named_directions(
    found: ConfirmedDirections[int], names: Sequence[str]
) -> ConfirmedDirections[str]:
    """Return numbered directions by name."""
    by_data, implied = (
        {(names[a], names[b]) for a, b in edges} for edges in (found.by_data, found.implied)
    )
    return ConfirmedDirections(by_data, implied)


class _Questions:
    """The tests of one DAG, each asked once."""

    def __init__(self, parents: Sequence[Sequence[int]], test: IndependenceTest) -> None:
        self._parents = parents
        self._children = children_of(parents)
        order = topological_order(parents, self._children)
        self._descendants = descendants_as_bits(order, self._children)
        self._adjacent = [
            {*own, *below} for own, below in zip(parents, self._children, strict=True)
        ]
        self._test = test
        self._stands: dict[Pair, bool] = {}
        self._clear: dict[tuple[int, int, int], bool] = {}

    def answer(self, supported: set[Pair], known: set[Pair]) -> set[Pair]:
        confirmed = set(known)
        for c, own in enumerate(self._parents):
            for a, b in combinations(sorted(own), 2):
                both = {(a, c), (b, c)}
                if b not in self._adjacent[a] and both <= supported and not both <= confirmed:
                    stand = all(edge in known or self._edge_stands(*edge) for edge in both)
                    if stand and self._is_clear(a, c, b, collider=True):
                        confirmed |= both
        left = sorted(supported - confirmed)
        while new := {edge for edge in left if self._follows(*edge, confirmed)}:
            confirmed |= new
            left = [edge for edge in left if edge not in new]
        return confirmed

    def _follows(self, tail: int, head: int, confirmed: set[Pair]) -> bool:
        """Tell whether a direction follows: reversed, the edge would close a cycle or collide.

        Meek's third and fourth rule need more than one undirected edge; they add hardly any here.
        """
        cycle = any(
            (tail, between) in confirmed and (between, head) in confirmed
            for between in self._children[tail]
        )
        collide = (
            before
            for before in self._parents[tail]
            if (before, tail) in confirmed and head not in self._adjacent[before]
        )
        return (
            cycle or any(self._is_clear(before, tail, head, collider=False) for before in collide)
        ) and self._edge_stands(tail, head)

    def _edge_stands(self, tail: int, head: int) -> bool:
        """Tell whether the ends of an edge depend on each other, whatever few neighbours are."""
        if (tail, head) not in self._stands:
            self._stands[tail, head] = all(
                self._dependent(tail, head, given)
                for given in self._sets(tail, head, self._neighbours(tail), self._neighbours(head))
            )
        return self._stands[tail, head]

    def _is_clear(self, a: int, c: int, b: int, *, collider: bool) -> bool:
        """Tell whether sets that separate a and b agree about c."""
        a, b = pair_of(a, b)
        if (a, c, b) not in self._clear:
            near_a, near_b = ([v for v in self._neighbours(end) if v != c] for end in (a, b))
            sets = self._sets(a, b, near_a, near_b, _MAX_CONDITIONING - collider)
            self._clear[a, c, b] = self._apart(a, b) and all(
                self._dependent(a, b, (*given, c) if collider else given) for given in sets
            )
        return self._clear[a, c, b]

    def _apart(self, a: int, b: int) -> bool:
        """Tell whether a and b are independent where the DAG says so: given the parents of one."""
        p_values = [
            self._test.test(one, other, self._parents[other]).p_value
            for one, other in ((a, b), (b, a))
            if not self._descendants[other] >> one & 1
        ]
        told = [p_value for p_value in p_values if p_value == p_value]
        return bool(told) and min(told) >= _INDEPENDENT

    def _dependent(self, a: int, b: int, given: Sequence[int]) -> bool:
        # A test that cannot tell has no p-value, which is below nothing.
        return self._test.test(a, b, given).p_value < _DEPENDENT

    def _neighbours(self, variable: int) -> list[int]:
        return [*self._parents[variable], *self._children[variable]][:_MAX_NEIGHBOURS]

    def _sets(
        self, a: int, b: int, near_a: list[int], near_b: list[int], most: int = _MAX_CONDITIONING
    ) -> Iterator[tuple[int, ...]]:
        """Give the sets of neighbours of a, and of b, once each, smallest first."""
        without = ([v for v in near if v not in (a, b)] for near in (near_a, near_b))
        both = chain.from_iterable(subsets(near, 0, most) for near in without)
        yield from sorted({tuple(sorted(given)) for given in both}, key=lambda s: (len(s), s))
