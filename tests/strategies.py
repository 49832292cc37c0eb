"""Hypothesis strategies shared by the tests of several modules."""

import numpy as np
from hypothesis import strategies as st

from bnsieve.graph import Graph
from bnsieve.network import BayesianNetwork


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


@st.composite
def networks(draw, max_nodes=5, max_levels=4, texts=None):
    """Bayesian networks of any shape, with zeros in their tables.

    With `texts`, a strategy for strings, names and labels are drawn from it.
    """
    graph = draw(dags(max_nodes=max_nodes))
    if texts is not None:
        n_nodes = graph.n_nodes
        names = draw(st.lists(texts, min_size=n_nodes, max_size=n_nodes, unique=True))
        graph = Graph.from_index_edges(names, graph.directed_index)
    labels = st.sampled_from("abcdefgh") if texts is None else texts
    categories = {
        node: draw(st.lists(labels, min_size=1, max_size=max_levels, unique=True))
        for node in graph.nodes
    }
    parents = {node: draw(st.permutations(graph.parents(node))) for node in graph.nodes}
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    tables = {}
    for node in graph.nodes:
        shape = [len(categories[variable]) for variable in (*parents[node], node)]
        weights = random.choice([0.0, 0.1, 1.0, 7.0], shape) * random.random(shape)
        weights[..., random.integers(shape[-1])] += 1e-3
        tables[node] = weights / weights.sum(axis=-1, keepdims=True)
    return BayesianNetwork(graph, categories, tables, parents)
