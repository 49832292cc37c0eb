"""Hypothesis strategies shared by the tests of several modules."""

from hypothesis import strategies as st

from bnsieve.graph import Graph


@st.composite
def dags(draw, max_nodes=7):
    """DAGs of any density, whose node order says nothing about the direction of the arrows."""
    graph = draw(pdags(max_nodes, marks=["", "->"]))
    assert graph.is_dag
    return graph


@st.composite
def pdags(draw, max_nodes=7, marks=("", "->", "-")):
    """Any mixture of arrows and undirected edges without a directed cycle."""
    n_nodes = draw(st.integers(1, max_nodes))
    order = draw(st.permutations([f"n{i}" for i in range(n_nodes)]))
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    n_pairs = len(pairs)
    mark_of = draw(st.lists(st.sampled_from(marks), min_size=n_pairs, max_size=n_pairs))
    marked = list(zip(pairs, mark_of, strict=True))
    return Graph(
        draw(st.permutations(order)),
        directed=[pair for pair, mark in marked if mark == "->"],
        undirected=[pair for pair, mark in marked if mark == "-"],
    )
