"""Directions that the data decide, and directions that the user's knowledge decides.

In: a learned DAG, and the constraints it was learned under. Out: the edges whose direction follows
from what the constraints left open. What else is directed, knowledge has directed: it is an
assumption, and no result. This is the one place that draws the line:

* A direction whose opposite is not allowed is knowledge, whatever the data say: nothing that was
  learned could have contradicted it.
* So is a direction that only follows from such a one. Directions of an equivalence class come from
  triples a -> c <- b and a - c -> b whose ends are not adjacent. A triple is a result if
  a and b might have been adjacent, and if at least one of its edges might have pointed the other
  way. A direction that needs other triples, too, follows from knowledge.
* A direction that CI tests confirm without any knowledge is the data's, unless its opposite is not
  allowed (see `bnsieve.search.confirmation`).
"""

from collections.abc import Collection
from itertools import combinations

from bnsieve.graph import Graph
from bnsieve.knowledge import Constraints
from bnsieve.search.skeleton import Pair


def compelled_by_data(dag: Graph, constraints: Constraints) -> set[Pair]:
    """Return the directed edges, by number, that follow from what the constraints left open.

    Parameters
    ----------
    dag : Graph
        A DAG that agrees with the constraints.
    constraints : Constraints
        Of its nodes, in their order.

    Returns
    -------
    set of (int, int)
        A part of the directed edges of the CPDAG; without constraints all of them (Meek's first
        three rules, which are complete for a CPDAG). It may hold edges whose opposite is forbidden.
    """
    edges = {(int(tail), int(head)) for tail, head in dag.directed_index}
    parents: list[list[int]] = [[] for _ in dag.nodes]
    adjacent: list[set[int]] = [set() for _ in dag.nodes]
    for tail, head in sorted(edges):
        parents[head].append(tail)
        adjacent[tail].add(head)
        adjacent[head].add(tail)

    def is_open(a: int, b: int) -> bool:
        """Tell whether two are not adjacent although they might have been."""
        return b not in adjacent[a] and bool(constraints.adjacency_allowed[a, b])

    compelled: set[Pair] = set()
    for c, own in enumerate(parents):
        for a, b in combinations(own, 2):
            if is_open(a, b) and not (constraints.forces(a, c) and constraints.forces(b, c)):
                compelled |= {(a, c), (b, c)}

    def follows(tail: int, head: int) -> bool:
        """Tell whether the other direction would make a new collider or close a cycle."""
        if any((before, tail) in compelled and is_open(before, head) for before in parents[tail]):
            return True
        before_head = [v for v in parents[head] if v in adjacent[tail] and (v, head) in compelled]
        if any((tail, between) in compelled for between in before_head):
            return True
        return any(
            is_open(a, b) and not ((a, tail) in edges and (b, tail) in edges)
            for a, b in combinations(before_head, 2)
        )

    left = edges - compelled
    while new := {edge for edge in left if follows(*edge)}:
        compelled |= new
        left -= new
    return compelled


def directed_by_knowledge(
    dag: Graph,
    graph: Graph,
    constraints: Constraints,
    confirmed: Collection[tuple[str, str]],
    implied: Collection[tuple[str, str]],
) -> tuple[tuple[str, str], ...]:
    """Return the directed edges of a graph whose direction knowledge decides, and not the data.

    Parameters
    ----------
    dag, graph : Graph
        What was learned, and its class under the constraints.
    constraints : Constraints
        The user's, of the nodes in their order.
    confirmed : collection of (str, str)
        Directions that tests confirm without knowledge.
    implied : collection of (str, str)
        Directions that tests confirm only together with knowledge.
    """
    if not constraints.restricts:
        return ()
    number = {name: i for i, name in enumerate(dag.nodes)}
    compelled = compelled_by_data(dag, constraints)

    def is_decided(edge: tuple[str, str]) -> bool:
        pair = number[edge[0]], number[edge[1]]
        if constraints.forces(*pair):
            return True
        return edge not in confirmed and (edge in implied or pair not in compelled)

    return tuple(edge for edge in graph.directed_edges if is_decided(edge))
