"""Hypothesis strategies shared by the tests of several modules."""

from hypothesis import strategies as st

from bnsieve.graph import Graph


@st.composite
def dags(draw, max_nodes=7):
    """DAGs of any density, whose node order says nothing about the direction of the arrows."""
    n_nodes = draw(st.integers(1, max_nodes))
    order = draw(st.permutations([f"n{i}" for i in range(n_nodes)]))
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    present = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    nodes = draw(st.permutations(order))
    return Graph(nodes, [pair for pair, keep in zip(pairs, present, strict=True) if keep])
