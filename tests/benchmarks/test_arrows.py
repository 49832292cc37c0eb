"""A learned graph is judged as it stands, by the equivalence class of the true one."""

import pytest

from benchmarks.common.arrows import Directions, directions
from bnsieve import Graph, load_network
from bnsieve.metrics import compare

NODES = ["a", "b", "c", "d", "e"]
# a -> c <- b compels c -> d; e - a stays a line.
TRUTH = Graph(NODES, directed=[("a", "c"), ("b", "c"), ("c", "d"), ("e", "a")])


def test_an_arrow_is_right_only_if_the_true_class_has_it():
    found = Graph(NODES, directed=[("a", "c"), ("c", "b"), ("a", "b"), ("a", "e")])
    # Different: c -> b, a -> b (no edge), a -> e (a line), c - d (missing).
    assert directions(found, TRUTH) == Directions(4, 1, 0, 3, 4)


def test_the_arrows_of_a_dag_are_claims():
    chain = Graph(["a", "b", "c"], directed=[("a", "b"), ("b", "c")])
    assert directions(chain, chain) == Directions(2, 0, 0, 0, 2)


@pytest.mark.parametrize("undetermined", [("c", "d"), ("d", "c")])
def test_a_line_that_follows_from_the_arrows_stays_a_line(undetermined):
    found = Graph(NODES, directed=[("a", "c"), ("b", "c")], undirected=[undetermined, ("a", "e")])
    assert found.to_cpdag() == TRUTH.to_cpdag()
    assert directions(found, TRUTH) == Directions(2, 2, 2, 3, 1)


def test_the_distance_of_classes_is_that_of_the_metrics():
    truth = load_network("asia").graph
    others = [
        truth,
        Graph(truth.nodes),
        Graph(truth.nodes, directed=[(b, a) for a, b in truth.directed_edges]),
        Graph(truth.nodes, directed=truth.directed_edges[2:]),
    ]
    for other in others:
        found = other.to_cpdag()
        assert directions(found, truth).distance == compare(truth, found).shd
