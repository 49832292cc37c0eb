"""Which directions the data decide, and which the knowledge."""

import numpy as np
import pytest

import bnsieve as bn
from bnsieve.graph import Graph
from bnsieve.search import compelled_by_data, directed_by_knowledge, known_class


def random_dag(rng, n_nodes):
    names = [f"v{i}" for i in range(n_nodes)]
    order = rng.permutation(n_nodes)
    edges = [
        (names[order[i]], names[order[j]])
        for j in range(n_nodes)
        for i in range(j)
        if rng.random() < 2.2 / n_nodes
    ]
    return Graph(names, edges)


def compelled(dag, knowledge):
    found = compelled_by_data(dag, knowledge.resolve(dag.nodes))
    return {(dag.nodes[a], dag.nodes[b]) for a, b in found}


def decided(dag, knowledge, confirmed=(), implied=()):
    constraints = knowledge.resolve(dag.nodes)
    graph = known_class(dag, constraints)
    return set(directed_by_knowledge(dag, graph, constraints, confirmed, implied))


@pytest.mark.parametrize("seed", range(200))
def test_without_knowledge_it_is_the_cpdag(seed):
    dag = random_dag(np.random.default_rng(seed), 4 + seed % 9)
    assert compelled(dag, bn.Knowledge()) == set(dag.to_cpdag().directed_edges)
    assert decided(dag, bn.Knowledge()) == set()


@pytest.mark.parametrize("seed", range(200))
def test_with_knowledge_it_is_a_part_and_the_rest_is_marked(seed):
    """What the CPDAG leaves undirected and knowledge directs is marked, with all that follows."""
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, 4 + seed % 9)
    some = [edge for edge in dag.directed_edges if rng.random() < 0.3]
    order = dag.topological_order()
    cut = len(order) // 2
    for knowledge in (
        bn.Knowledge(required=some),
        bn.Knowledge(forbidden=[edge[::-1] for edge in some]),
        bn.Knowledge(tiers=[order[:cut], order[cut:]]),
    ):
        constraints = knowledge.resolve(dag.nodes)
        graph, cpdag = known_class(dag, constraints), dag.to_cpdag()
        assert compelled(dag, knowledge) <= set(cpdag.directed_edges)
        marked = decided(dag, knowledge)
        assert marked >= set(graph.directed_edges) - set(cpdag.directed_edges)
        number = {name: i for i, name in enumerate(dag.nodes)}
        for tail, head in graph.directed_edges:
            if constraints.forces(number[tail], number[head]):
                assert (tail, head) in marked


def test_an_edge_whose_opposite_is_forbidden_is_knowledge_even_in_a_clear_collider():
    dag = Graph(list("abcd"), [("a", "c"), ("b", "c"), ("c", "d")])
    tiers = bn.Knowledge(tiers=[["a"], ["b", "c", "d"]])
    assert decided(dag, tiers) == {("a", "c")}
    confirmed = {("a", "c"), ("b", "c"), ("c", "d")}
    assert decided(dag, tiers, confirmed) == {("a", "c")}


def test_a_collider_that_knowledge_makes_directs_nothing_for_the_data():
    """Both edges into c are forced, so that they are no result, nor is c -> d."""
    dag = Graph(list("abcd"), [("a", "c"), ("b", "c"), ("c", "d")])
    tiers = bn.Knowledge(tiers=[["a", "b"], ["c", "d"]])
    assert decided(dag, tiers) == set(dag.directed_edges)
    # Unless tests confirm it without knowledge.
    assert decided(dag, tiers, confirmed={("c", "d")}) == {("a", "c"), ("b", "c")}


def test_a_collider_of_two_that_must_not_be_adjacent_is_no_result():
    dag = Graph(list("abc"), [("a", "c"), ("b", "c")])
    assert decided(dag, bn.Knowledge(forbidden=[{"a", "b"}])) == set(dag.directed_edges)
    assert decided(dag, bn.Knowledge(forbidden=[("a", "b")])) == set()


def test_what_tests_say_only_together_with_knowledge_is_knowledge():
    dag = Graph(list("abcd"), [("a", "c"), ("b", "c"), ("c", "d")])
    tiers = bn.Knowledge(tiers=[["a"], ["b", "c", "d"]])
    assert decided(dag, tiers, implied={("c", "d")}) == {("a", "c"), ("c", "d")}
