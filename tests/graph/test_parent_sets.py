"""Sets of parents against the enumeration of all DAGs; adjustment sets against the back door."""

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsieve.graph import (
    Graph,
    adjustment_set,
    possible_parents,
    reachable,
    wide_adjustment_set,
)
from strategies import dags


def extensions(graph, *, same_v_structures):
    """All DAGs with the graph's arrows and skeleton, by trying every direction of its lines."""
    lines = graph.undirected_edges
    for turned in product([False, True], repeat=len(lines)):
        arrows = [(b, a) if turn else (a, b) for (a, b), turn in zip(lines, turned, strict=True)]
        try:
            dag = Graph(graph.nodes, [*graph.directed_edges, *arrows])
        except ValueError:
            continue
        if not same_v_structures or dag.v_structures() == graph.v_structures():
            yield dag


def sets(found):
    return {frozenset(one.parents) for one in found}


@given(dags(max_nodes=5), st.data())
def test_the_sets_of_a_cpdag_are_those_of_its_class(dag, data):
    cpdag = dag.to_cpdag()
    node = data.draw(st.sampled_from(dag.nodes))
    everything = list(extensions(cpdag, same_v_structures=True))
    found = possible_parents(cpdag, node)
    assert sets(found) == {frozenset(one.parents(node)) for one in everything}
    assert len(sets(found)) == len(found)
    for one in found:
        assert one.dag in everything
        assert one.dag.parents(node) == one.parents


@given(dags(max_nodes=5), st.data())
def test_knowledge_leaves_fewer_sets(dag, data):
    """A line of the CPDAG directed as in the DAG, and what follows: an MPDAG."""
    lines = dag.to_cpdag().undirected_edges
    known = data.draw(st.sets(st.sampled_from(lines), max_size=2)) if lines else set()
    arrows = [(a, b) if a in dag.parents(b) else (b, a) for a, b in known]
    graph = Graph(
        dag.nodes,
        [*dag.to_cpdag().directed_edges, *arrows],
        [line for line in lines if line not in known],
    ).meek_closure()
    node = data.draw(st.sampled_from(dag.nodes))
    expected = {
        frozenset(one.parents(node))
        for one in extensions(dag.to_cpdag(), same_v_structures=True)
        if all(tail in one.parents(head) for tail, head in arrows)
    }
    assert sets(possible_parents(graph, node)) == expected


@given(dags(max_nodes=5), st.data())
def test_without_known_v_structures_only_cycles_are_excluded(dag, data):
    lines = data.draw(st.sets(st.sampled_from(dag.directed_edges))) if dag.n_edges else set()
    graph = Graph(dag.nodes, set(dag.directed_edges) - lines, lines)
    node = data.draw(st.sampled_from(dag.nodes))
    expected = {frozenset(one.parents(node)) for one in extensions(graph, same_v_structures=False)}
    assert sets(possible_parents(graph, node, v_structures_known=False)) == expected


@given(dags(max_nodes=5), st.data())
def test_edges_elsewhere_turn_where_a_set_would_close_a_cycle(dag, data):
    node = data.draw(st.sampled_from(dag.nodes))
    at_node = {edge for edge in dag.directed_edges if node in edge}
    elsewhere = [edge for edge in dag.directed_edges if node not in edge]
    turning = data.draw(st.sets(st.sampled_from(elsewhere))) if elsewhere else set()
    graph = Graph(dag.nodes, set(dag.directed_edges) - at_node, at_node)
    every = Graph(dag.nodes, set(elsewhere) - turning, at_node | turning)
    found = possible_parents(graph, node, v_structures_known=False, may_turn=sorted(turning))
    expected = {frozenset(one.parents(node)) for one in extensions(every, same_v_structures=False)}
    assert sets(found) == expected


def test_an_edge_elsewhere_keeps_its_direction_where_it_can():
    graph = Graph(["t", "a", "b"], [("a", "b")], [("t", "a"), ("t", "b")])
    found = possible_parents(graph, "t", v_structures_known=False, may_turn=[("a", "b")])
    turned = {case.parents for case in found if ("b", "a") in case.dag.directed_edges}
    assert turned == {("b",)}  # t -> a -> b -> t would be a cycle


def test_a_graph_without_a_dag_is_refused():
    square = Graph(list("abcd"), undirected=[("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    with pytest.raises(ValueError, match="no consistent extension"):
        possible_parents(square, "a")


def test_too_many_sets_are_refused_by_name():
    names = [f"n{i}" for i in range(14)]
    star = Graph(names, undirected=[("n0", name) for name in names[1:]])
    assert len(possible_parents(star, "n0")) == 14
    with pytest.raises(ValueError, match="'n0' has 13 undirected edges"):
        possible_parents(star, "n0", v_structures_known=False)


def back_door_paths_blocked(dag, treatment, outcomes, fixed):
    cut = Graph(dag.nodes, [arrow for arrow in dag.directed_edges if arrow[0] != treatment])
    return cut.d_separated(treatment, outcomes, fixed)


@given(dags(max_nodes=6), st.data())
def test_the_adjustment_set_blocks_every_back_door_and_no_smaller_part_of_it_does(dag, data):
    treatment = data.draw(st.sampled_from(dag.nodes))
    after = sorted(reachable([treatment], dag.children) - {treatment})
    if not after:
        assert adjustment_set(dag, treatment, dag.parents(treatment)) is None
        return
    outcome = data.draw(st.sampled_from(after))
    fixed = adjustment_set(dag, treatment, (outcome,))
    assert set(fixed) <= set(dag.parents(treatment))
    assert back_door_paths_blocked(dag, treatment, outcome, fixed)
    for fewer in combinations(fixed, len(fixed) - 1) if fixed else ():
        assert not back_door_paths_blocked(dag, treatment, outcome, fewer)


def test_a_wide_adjustment_set_has_all_causes_but_what_the_treatment_may_affect():
    """By hand: treatment -> middle -> outcome, and three other causes."""
    dag = Graph(
        ["cause", "treatment", "middle", "other", "late", "outcome"],
        [
            ("cause", "treatment"),
            ("treatment", "middle"),
            ("middle", "outcome"),
            ("other", "outcome"),
            ("late", "outcome"),
            ("late", "middle"),
        ],
    )
    assert wide_adjustment_set(dag, "treatment", "outcome") == ("cause", "other", "late")
    # If middle may cause late, the treatment may affect it.
    open_edges = [("late", "middle")]
    assert wide_adjustment_set(dag, "treatment", "outcome", open_edges) == ("cause", "other")
    # What may be an effect of the outcome is left out.
    open_edges = [("other", "outcome")]
    assert wide_adjustment_set(dag, "treatment", "outcome", open_edges) == ("cause", "late")
    # The treatment's own edges are as the DAG has them.
    open_edges = [("cause", "treatment")]
    found = wide_adjustment_set(dag, "treatment", "outcome", open_edges)
    assert found == ("cause", "other", "late")
