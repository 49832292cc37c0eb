"""Walks along edges, against networkx."""

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from bnsieve.graph import children_of, descendants_as_bits, reachable, topological_order

# Arrows from smaller to larger numbers of a random order: no cycle.
dags = st.integers(1, 8).flatmap(
    lambda n: st.tuples(
        st.permutations(range(n)),
        st.sets(
            st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda e: e[0] < e[1])
        ),
    )
)


@given(dags)
def test_walks_agree_with_networkx(drawn):
    order, pairs = drawn
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(order)))
    graph.add_edges_from((order[a], order[b]) for a, b in pairs)
    parents = [sorted(graph.predecessors(v)) for v in range(len(order))]
    children = children_of(parents)
    assert children == [sorted(graph.successors(v)) for v in range(len(order))]
    after = [nx.descendants(graph, v) for v in range(len(order))]
    assert [reachable([v], children.__getitem__) for v in range(len(order))] == [
        {v} | after[v] for v in range(len(order))
    ]
    assert descendants_as_bits(order, children) == [sum(1 << w for w in own) for own in after]
    assert topological_order(parents, children) == list(nx.lexicographical_topological_sort(graph))


def test_what_follows_a_cycle_is_left_out_of_the_order():
    parents = [[], [0, 2], [1], [2]]
    assert topological_order(parents, children_of(parents)) == [0]
