"""Possible parents of a node in the DAGs that a graph stands for.

In: a DAG, CPDAG, MPDAG or PDAG, and a node. Out: every set of parents that the node has in one of
these DAGs, each with such a DAG. It is the local step of IDA (Maathuis, Kalisch and Bühlmann, 2009)
for graphs with knowledge (Perković, Kalisch and Maathuis, 2017).
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from bnsieve.graph.edge_lists import reachable
from bnsieve.graph.graph import Graph

# So many sets are looked at, at most: one more open edge at the node doubles the number.
MAX_SETS = 4096


class PossibleParents(NamedTuple):
    """One set of parents that a node may have.

    Attributes
    ----------
    parents : tuple of str
        In the order of the graph's nodes.
    dag : Graph
        A DAG of the graph in which these are the parents.
    """

    parents: tuple[str, ...]
    dag: Graph


def possible_parents(
    graph: Graph,
    node: str,
    *,
    v_structures_known: bool = True,
    may_turn: Sequence[tuple[str, str]] = (),
) -> list[PossibleParents]:
    """List the sets of parents that a node has in the DAGs that a graph stands for.

    Parameters
    ----------
    graph : Graph
    node : str
    v_structures_known : bool, default True
        Whether the DAGs have the graph's v-structures and no others, as those of a CPDAG, with
        knowledge or without. If False, undirected edges may have any direction that closes no
        cycle: some lost a direction that the data hardly favour.
    may_turn : sequence of (str, str)
        Directed edges elsewhere whose direction the data hardly favour. An edge is reversed only
        if a set of parents would otherwise close a cycle. Ignored if `v_structures_known`.

    Returns
    -------
    list of PossibleParents
        At least one; small sets first.

    Raises
    ------
    ValueError
        If the graph stands for no DAG, or so many edges at the node are undirected that there are
        over 4,096 sets to look at.
    """
    if v_structures_known and not graph.is_dag:
        graph.to_dag()  # refuses a graph that stands for none
        graph = graph.meek_closure()
    if graph.is_dag:
        return [PossibleParents(graph.parents(node), graph)]
    strict = v_structures_known
    turnable = [edge for edge in graph.directed_edges if edge in set(may_turn) and node not in edge]
    kept = [edge for edge in graph.directed_edges if edge not in turnable]
    turned = Graph(graph.nodes, kept, [*graph.undirected_edges, *turnable])
    found = []
    for n_before, added in enumerate(_sets(graph, node, strict)):
        if n_before == MAX_SETS:
            raise ValueError(
                f"{node!r} has {len(graph.neighbours(node))} undirected edges, so it may have "
                f"more than {MAX_SETS:,} sets of parents: direct some of them, with knowledge"
            )
        dag = _dag_with(graph, node, added, strict)
        if dag is None and not strict and turnable:
            dag = _dag_with(turned, node, added, strict)
        if dag is not None:
            found.append(PossibleParents(dag.parents(node), dag))
    return found


def _sets(graph: Graph, node: str, strict: bool) -> Iterator[frozenset[str]]:
    """Yield the sets of neighbours that may become parents, small ones first.

    Where v-structures are known, two parents that are not adjacent would make a new one:
    sets with such a pair are skipped.
    """
    neighbours = graph.neighbours(node)
    if not strict:
        for size in range(len(neighbours) + 1):
            yield from map(frozenset, combinations(neighbours, size))
        return
    adjacent = {name: frozenset(graph.adjacent(name)) for name in neighbours}
    fitting = [name for name in neighbours if adjacent[name] >= set(graph.parents(node))]
    sets: list[tuple[str, ...]] = [()]
    while sets:
        yield from map(frozenset, sets)
        sets = [
            (*chosen, name)
            for chosen in sets
            for name in fitting[fitting.index(chosen[-1]) + 1 if chosen else 0 :]
            if adjacent[name].issuperset(chosen)
        ]


def _dag_with(graph: Graph, node: str, added: frozenset[str], strict: bool) -> Graph | None:
    """Return a DAG of the graph with just these neighbours among the node's parents, if any."""
    added_edges = [
        (name, node) if name in added else (node, name) for name in graph.neighbours(node)
    ]
    others = [edge for edge in graph.undirected_edges if node not in edge]
    try:
        directed = Graph(graph.nodes, [*graph.directed_edges, *added_edges], others)
        if strict:
            closed = directed.meek_closure()
            same = closed.v_structures() == graph.v_structures()
            return closed.to_dag() if same else None
    except ValueError:  # a directed cycle, or edges that cannot be directed
        return None
    return _any_extension(directed)


def _any_extension(graph: Graph) -> Graph:
    """Direct the undirected edges along an order of the others, whatever the v-structures."""
    order = Graph(graph.nodes, graph.directed_edges).topological_order()
    place = {name: i for i, name in enumerate(order)}
    added = [tuple(sorted(edge, key=place.__getitem__)) for edge in graph.undirected_edges]
    return Graph(graph.nodes, [*graph.directed_edges, *added])  # type: ignore[list-item]


def wide_adjustment_set(
    dag: Graph, treatment: str, outcome: str, may_turn: Sequence[tuple[str, str]] = ()
) -> tuple[str, ...]:
    """Return all causes of a treatment, and those of an outcome that it surely does not affect.

    If the graph is right, fewer would do. One missing edge does not bias what is adjusted for
    these: the disjunctive cause criterion (VanderWeele and Shpitser, 2011).

    Parameters
    ----------
    dag : Graph
    treatment, outcome : str
    may_turn : sequence of (str, str)
        Edges that may have the other direction too, but for those at the treatment. Whatever the
        treatment affects along one of them is not adjusted for, nor what such an edge leads from
        to the outcome: it may be an effect of it.
    """
    turned: dict[str, set[str]] = {}
    for pair in may_turn:
        if treatment not in pair:
            for tail, head in (pair, pair[::-1]):
                turned.setdefault(tail, set()).add(head)

    def may_affect(name: str) -> tuple[str, ...]:
        return (*dag.children(name), *turned.get(name, ()))

    affected = reachable([treatment], may_affect) | {treatment, *turned.get(outcome, ())}
    others = [name for name in dag.parents(outcome) if name not in affected]
    wanted = dict.fromkeys((*dag.parents(treatment), *others))
    return tuple(name for name in wanted if name != outcome)


def adjustment_set(dag: Graph, treatment: str, outcomes: Sequence[str]) -> tuple[str, ...] | None:
    """Return as few of a node's parents as must be held fixed to see its effect on others.

    Parents are left out one by one, as long as the others still block every back door: every path
    between treatment and outcomes that begins with an edge into the treatment.

    Parameters
    ----------
    dag : Graph
    treatment : str
    outcomes : sequence of str

    Returns
    -------
    tuple of str or None
        In the order of the nodes. None if no directed path leads from the treatment to an
        outcome: then it has no effect.
    """
    if not reachable([treatment], dag.children).intersection(outcomes):
        return None
    without_effects = Graph(
        dag.nodes, [edge for edge in dag.directed_edges if edge[0] != treatment]
    )
    kept = list(dag.parents(treatment))
    for parent in dag.parents(treatment):
        fewer = [name for name in kept if name != parent]
        others = [name for name in outcomes if name not in fewer]
        if without_effects.d_separated(treatment, others, fewer):
            kept = fewer
    return tuple(kept)
