"""Arrows that one may believe: what small tests confirm, and nothing else."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.counts import ScannedCounts
from bnsieve.decide import CountsTest, DSeparationOracle
from bnsieve.graph import Graph
from bnsieve.knowledge import Knowledge
from bnsieve.search import confirmed_directions, named_directions
from bnsieve.table import Table


def parents_of(dag):
    place = {name: i for i, name in enumerate(dag.nodes)}
    return [[place[parent] for parent in dag.parents(name)] for name in dag.nodes]


def confirmed_in(dag, test, known=()):
    place = {name: i for i, name in enumerate(dag.nodes)}
    supported = [(place[a], place[b]) for a, b in dag.to_cpdag().directed_edges]
    given = [(place[a], place[b]) for a, b in known]
    found = confirmed_directions(parents_of(dag), supported, test, given)
    return named_directions(found, dag.nodes).by_data


@pytest.mark.parametrize("name", ["asia", "cancer", "alarm"])
def test_with_all_rows_in_the_world_nothing_false_is_sure(name):
    dag = bn.load_network(name).graph
    compelled = set(dag.to_cpdag().directed_edges)
    found = confirmed_in(dag, DSeparationOracle(dag))
    assert found <= compelled
    assert found or not compelled


def test_a_collider_and_what_follows_from_it():
    dag = Graph(list("abcd"), [("a", "c"), ("b", "c"), ("c", "d")])
    assert confirmed_in(dag, DSeparationOracle(dag)) == {("a", "c"), ("b", "c"), ("c", "d")}


def test_a_cycle_is_avoided():
    """Turned, e -> d would close a cycle with d -> c and c -> e."""
    arrows = [("a", "c"), ("b", "c"), ("c", "d"), ("d", "e"), ("c", "e")]
    dag = Graph(list("abcde"), arrows)
    found = confirmed_in(dag, DSeparationOracle(dag))
    assert {("c", "d"), ("c", "e")} <= found
    assert ("d", "e") not in found  # either way no new collider: truly open


def test_effects_taken_for_causes_are_not_sure():
    """The graph inverts the truth, in which a set through its collider separates the ends.

    Truth: old age and weight raise both diseases. A graph without the edges of age has
    pressure -> weight <- sugar, which a score may prefer by many nats.
    """
    truth = Graph(
        ["age", "weight", "pressure", "sugar"],
        [("age", "pressure"), ("age", "sugar"), ("weight", "pressure"), ("weight", "sugar")],
    )
    learned = Graph(
        truth.nodes,
        [("pressure", "weight"), ("sugar", "weight"), ("pressure", "age")],
    )
    assert set(learned.to_cpdag().directed_edges) == {("pressure", "weight"), ("sugar", "weight")}
    assert confirmed_in(learned, DSeparationOracle(truth)) == set()


def test_which_of_an_exclusive_or_is_the_child_is_not_sure():
    """Of a, b and a xor b each two are independent: three graphs, alike to the rows."""
    rng = np.random.default_rng(0)
    a, b, noise = rng.random((3, 4_000)) < [[0.5], [0.5], [0.1]]
    exclusive = pd.DataFrame({"a": a, "b": b, "c": a ^ b ^ noise})
    inclusive = pd.DataFrame({"a": a, "b": b, "c": (a | b) ^ noise})
    dag = Graph(list("abc"), [("a", "c"), ("b", "c")])
    for rows, sure in ((exclusive, set()), (inclusive, set(dag.directed_edges))):
        assert confirmed_in(dag, CountsTest(ScannedCounts(Table.from_data(rows)))) == sure


def test_what_rows_cannot_tell_is_not_sure():
    """A column that is a function of its parents: given both, no test can vary it."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 2, 2_000), "b": rng.integers(0, 2, 2_000)})
    frame["c"] = 2 * frame.a + frame.b
    frame["d"] = frame.c
    dag = Graph(list("abcd"), [("a", "c"), ("b", "c"), ("c", "d")])
    test = CountsTest(ScannedCounts(Table.from_data(frame)))
    assert ("c", "d") not in confirmed_in(dag, test)


def test_knowledge_is_not_confirmed_and_what_follows_from_it_is_told_apart():
    dag = Graph(list("abc"), [("a", "b"), ("b", "c")])
    found = confirmed_directions(
        parents_of(dag), [(0, 1), (1, 2)], DSeparationOracle(dag), [(0, 1)]
    )
    assert found.by_data == set()
    assert found.implied == {(1, 2)}


def test_a_direction_that_tests_confirm_anyway_is_the_datas():
    """The collider is clear without the known edge, and so is what follows from it."""
    dag = Graph(list("abcd"), [("a", "c"), ("b", "c"), ("c", "d")])
    supported = [(0, 2), (1, 2), (2, 3)]
    found = confirmed_directions(parents_of(dag), supported, DSeparationOracle(dag), [(0, 2)])
    assert found.by_data == {(1, 2), (2, 3)}
    assert found.implied == set()


@pytest.mark.parametrize("learner", [bn.TsetlinSieve(random_state=0), bn.PC()])
def test_of_a_learner(learner):
    network = bn.load_network("asia")
    learner.fit(network.sample(20_000, random_state=1))
    assert set(learner.confirmed_edges_) <= set(learner.graph_.directed_edges)
    assert set(learner.confirmed_edges_) <= set(network.graph.directed_edges)


def test_of_a_learner_with_knowledge():
    network = bn.load_network("asia")
    known = Knowledge(required=[("smoke", "bronc")])
    learner = bn.TsetlinSieve(random_state=0, knowledge=known)
    learner.fit(network.sample(2_000, random_state=1))
    assert ("smoke", "bronc") in learner.knowledge_edges_
    assert set(learner.confirmed_edges_).isdisjoint(learner.knowledge_edges_)


def test_copies_have_directions_only_by_knowledge():
    frame = bn.load_network("asia").sample(2_000, random_state=1)
    frame["twin"] = frame.smoke.map({"yes": 1, "no": 0})
    assert not any("twin" in arrow for arrow in bn.TsetlinSieve().fit(frame).confirmed_edges_)
    known = Knowledge(forbidden=[("twin", "smoke")])
    found = bn.TsetlinSieve(knowledge=known).fit(frame)
    assert ("smoke", "twin") in found.knowledge_edges_
    assert not any("twin" in edge for edge in found.confirmed_edges_)
