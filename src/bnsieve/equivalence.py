"""Markov equivalence: DAG to CPDAG and back, v-structures, and Meek's orientation rules.

Comes in: edges by node number. Goes out: edges by node number. Two DAGs are Markov equivalent
(no data can tell them apart by independences) exactly when they have the same skeleton and the
same v-structures. A CPDAG stands for a whole class: an arrow where all its DAGs agree, an
undirected edge where they do not.
"""

from collections.abc import Iterable

from bnsieve.edgelists import EdgeArray, NeighbourLists, edge_array


def compelled_parents(parents: NeighbourLists, order: Iterable[int]) -> list[frozenset[int]]:
    """For each node of a DAG, find the parents whose arrow is the same in the whole class.

    This is the edge labelling of Chickering (1995). Looked at node by node it needs one step
    each: with x the parent of y that comes last in the order,

    - if a compelled parent of x is no parent of y, or another parent of y is no parent of x,
      then every arrow into y is compelled;
    - otherwise the arrows into y from the compelled parents of x are, and no others.

    Parameters
    ----------
    parents : tuple of tuples of int
    order : iterable of int
        A topological order of all the nodes.
    """
    compelled: list[frozenset[int]] = [frozenset()] * len(parents)
    parent_sets = [frozenset(p) for p in parents]
    position = dict.fromkeys(range(len(parents)), 0)
    for place, node in enumerate(order):
        position[node] = place
        if not parents[node]:
            continue
        last = max(parents[node], key=position.__getitem__)
        others = parent_sets[node] - {last}
        if compelled[last] <= others <= parent_sets[last]:
            compelled[node] = compelled[last]
        else:
            compelled[node] = parent_sets[node]
    return compelled


def cpdag_edges(parents: NeighbourLists, order: Iterable[int]) -> tuple[EdgeArray, EdgeArray]:
    """Return the directed and the undirected edges of the CPDAG of a DAG."""
    compelled = compelled_parents(parents, order)
    directed: list[tuple[int, int]] = []
    undirected: list[tuple[int, int]] = []
    for node, its_parents in enumerate(parents):
        for parent in its_parents:
            (directed if parent in compelled[node] else undirected).append((parent, node))
    return edge_array(directed), edge_array(undirected)
