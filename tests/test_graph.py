import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsieve.graph import Graph
from strategies import dags


@given(dags(), st.data())
def test_d_separation_agrees_with_networkx(graph, data):
    role = {node: data.draw(st.sampled_from("xyz-")) for node in graph.nodes}
    x, y, z = ({node for node in graph.nodes if role[node] == r} for r in "xyz")
    if not x or not y:
        return
    reference = nx.DiGraph(graph.directed_edges)
    reference.add_nodes_from(graph.nodes)
    assert graph.d_separated(x, y, z) == nx.is_d_separator(reference, x, y, z)


@given(dags())
def test_adjacency_round_trip(graph):
    for g in (graph, graph.to_cpdag(), graph.skeleton()):
        assert Graph.from_adjacency_matrix(g.adjacency_matrix(), g.nodes) == g


def test_cycle_is_refused_and_named():
    with pytest.raises(ValueError, match=r"directed cycle: (a -> b -> c -> a|b -> c -> a -> b)"):
        Graph(["d", "a", "b", "c"], [("d", "a"), ("a", "b"), ("b", "c"), ("c", "a")])
