import dataclasses
import json
import sys
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import gadjid
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnsieve
from bnsieve import Graph
from bnsieve.metrics import Comparison, compare, intervention_distance
from strategies import dags, pdags

CAUSAL_LEARN = Path(__file__).parents[1] / "fixtures" / "cpdag_shd_causal_learn.json"
NODES = ["a", "b", "c", "d", "e"]


@st.composite
def pairs_of(draw, graphs):
    """Two graphs over the same nodes, in different orders."""
    first, second = draw(graphs), draw(graphs)
    n_nodes = min(first.n_nodes, second.n_nodes)
    nodes = sorted(first.nodes)[:n_nodes]
    return first.subgraph(nodes), second.subgraph(nodes)


def test_by_hand():
    # True CPDAG: a -> c <- b, c -> d (a chain from a collider is compelled); e alone.
    truth = Graph(NODES, [("a", "c"), ("b", "c"), ("c", "d")])
    # Learned CPDAG: a -> c <- b and a -> d <- e: one edge missing (c d), two wrong (a d, d e).
    learned = Graph(NODES[::-1], [("a", "c"), ("b", "c"), ("a", "d"), ("e", "d")])
    assert compare(truth, learned) == Comparison(
        n_learned=4,
        n_true=3,
        correct_edges=2,
        missing_edges=1,
        wrong_edges=2,
        missing_nodes=0,
        precision=2 / 4,
        recall=2 / 3,
        f1=pytest.approx(2 * 2 / (4 + 3)),
        shd=3,
        skeleton_shd=3,
        arrowhead_precision=2 / 4,
        arrowhead_recall=2 / 3,
        v_structure_precision=1 / 2,
        v_structure_recall=1.0,
        both_extendable=True,
        truth=truth,
        learned=learned,
    )


def test_directions_are_compared_between_classes():
    chain = Graph(NODES, [("a", "b"), ("b", "c")])
    reversed_chain = Graph(NODES, [("c", "b"), ("b", "a")])
    assert compare(chain, reversed_chain).shd == 0
    collider = Graph(NODES, [("a", "b"), ("c", "b")])
    result = compare(collider, chain)
    assert (result.skeleton_shd, result.shd) == (0, 2)
    assert (result.precision, result.recall, result.f1) == (1, 1, 1)
    # The chain's CPDAG is undirected: it claims no arrow, and misses two.
    assert (result.arrowhead_precision, result.arrowhead_recall) == (0, 0)
    # Given the other way round, two arrows are claimed and none is in the truth.
    result = compare(chain, collider)
    assert (result.arrowhead_precision, result.arrowhead_recall) == (0, 0)


def test_reversed_undirected_and_absent_edges_count_once_each():
    truth = Graph(list("abcdefg"), [("a", "c"), ("b", "c"), ("c", "d"), ("e", "f")])
    learned = Graph(list("abcdefg"), [("a", "c"), ("d", "c"), ("c", "b"), ("g", "f")])
    # learned's class: a -> c <- d, c -> b, f - g. Against a -> c <- b, c -> d, e - f:
    # c d reversed, b c reversed, e f missing, f g wrong.
    assert compare(truth, learned).shd == 4
    assert compare(truth, learned).skeleton_shd == 2


def test_missing_nodes_are_those_without_any_edge_in_the_learned_graph():
    truth = Graph(NODES, [("a", "b"), ("c", "d")])
    learned = Graph(NODES, [("a", "c")])
    assert compare(truth, learned).missing_nodes == 3


def test_empty_graphs():
    empty, full = Graph(NODES), Graph(NODES, [("a", "c"), ("b", "c")])
    both = compare(empty, empty)
    assert (both.precision, both.recall, both.f1) == (1, 1, 1)
    assert (both.arrowhead_precision, both.v_structure_recall) == (1, 1)
    nothing_found = compare(full, empty)
    assert (nothing_found.precision, nothing_found.recall, nothing_found.f1) == (0, 0, 0)
    assert nothing_found.missing_nodes == 5
    nothing_there = compare(empty, full)
    assert (nothing_there.precision, nothing_there.recall, nothing_there.f1) == (0, 0, 0)
    assert compare(Graph([]), Graph([])).f1 == 1


@given(pairs_of(pdags()))
def test_skeleton_measures_by_definition(pair):
    learned, truth = pair
    result = compare(truth, learned)
    correct = missing = wrong = 0
    for a, b in combinations(truth.nodes, 2):
        in_learned, in_truth = b in learned.adjacent(a), b in truth.adjacent(a)
        correct += in_learned and in_truth
        missing += in_truth and not in_learned
        wrong += in_learned and not in_truth
    assert (result.correct_edges, result.missing_edges) == (correct, missing)
    assert (result.wrong_edges, result.skeleton_shd) == (wrong, missing + wrong)
    assert (result.n_learned, result.n_true) == (learned.n_edges, truth.n_edges)
    if correct:
        assert result.f1 == pytest.approx(2 * correct / (2 * correct + missing + wrong))


@given(pairs_of(dags()))
def test_shd_agrees_with_gadjid(pair):
    learned, truth = pair
    matrices = []
    for graph in (learned.to_cpdag(), truth.to_cpdag().reorder(learned.nodes)):
        matrix = graph.adjacency_matrix().astype(np.int8)
        both_ways = (matrix == 1) & (matrix.T == 1)
        matrices.append(np.where(both_ways, np.int8(2), matrix))
    if learned.n_nodes > 1:
        assert compare(truth, learned).shd == gadjid.shd(*matrices)[1]


def test_shd_agrees_with_causal_learn():
    recorded = json.loads(CAUSAL_LEARN.read_text(encoding="utf-8"))
    assert recorded["tool"] == "causal-learn"
    for pair in recorded["pairs"]:
        nodes = [f"x{i}" for i in range(pair["n_nodes"])]
        learned, truth = (Graph.from_index_edges(nodes, pair[k]) for k in ("learned", "truth"))
        assert compare(truth, learned).shd == pair["cpdag_shd"], pair


@given(pairs_of(dags()))
def test_swapping_the_graphs_swaps_precision_and_recall(pair):
    there, back = compare(*pair), compare(*pair[::-1])
    for measure in ("", "arrowhead_", "v_structure_"):
        precision, recall = measure + "precision", measure + "recall"
        assert getattr(there, precision) == getattr(back, recall)
    assert (there.skeleton_shd, there.shd) == (back.skeleton_shd, back.shd)
    assert there.shd >= there.skeleton_shd


@given(dags())
def test_a_graph_is_no_distance_from_its_class(graph):
    for other in (graph, graph.to_cpdag(), graph.to_cpdag().to_dag()):
        result = compare(graph, other)
        assert (result.skeleton_shd, result.shd) == (0, 0)
        assert (result.arrowhead_recall, result.v_structure_recall) == (1, 1)


def test_a_graph_that_contradicts_itself_is_compared_as_it_stands():
    square = Graph(NODES, undirected=[("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    truth = Graph(NODES, [("a", "b"), ("b", "c"), ("a", "d"), ("d", "c")])
    result = compare(truth, square)
    # The class of the truth is b - a - d with b -> c <- d, so two edges differ in kind.
    assert not result.both_extendable
    assert (result.skeleton_shd, result.shd, result.arrowhead_recall) == (0, 2, 0)


def test_a_learner_and_files_can_be_compared(tmp_path):
    truth = bnsieve.load_network("asia")
    learner = bnsieve.PC().fit(truth.sample(500, random_state=0))
    expected = compare(truth.graph, learner.graph_)
    assert compare(truth, learner) == expected
    bnsieve.write(truth, tmp_path / "truth.bif")
    bnsieve.write(learner.graph_, tmp_path / "learned.csv")
    assert compare(tmp_path / "truth.bif", str(tmp_path / "learned.csv")) == expected


def test_an_edge_list_need_not_name_lonely_nodes(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("from,to\na,b\n")
    result = compare(Graph(NODES, [("a", "b"), ("b", "c")]), path)
    assert (result.correct_edges, result.missing_edges) == (1, 1)


def test_anything_with_a_graph_can_be_compared():
    graph = Graph(NODES, [("a", "b")])
    assert compare(SimpleNamespace(graph=graph), graph).f1 == 1
    with pytest.raises(TypeError, match=r"truth must be a Graph.* got ndarray"):
        compare(np.zeros((5, 5)), graph)


def test_different_nodes_are_refused():
    graph = Graph(NODES)
    with pytest.raises(ValueError, match="'e' is in the true graph and not in the learned graph"):
        compare(graph, graph.subgraph(NODES[:4]))
    with pytest.raises(ValueError, match="'e' is in the learned graph and not in the true graph"):
        compare(graph.subgraph(NODES[:4]), graph)


def test_comparison_is_a_plain_frozen_value():
    result = compare(Graph(NODES, [("a", "b"), ("b", "c")]), Graph(NODES, [("a", "b")]))
    assert json.loads(json.dumps(result.to_dict()))["recall"] == 0.5
    assert "recall                 0.500" in str(result).splitlines()
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.recall = 1.0


def test_structural_intervention_distance_by_hand():
    nodes = ["x", "y"]
    forward, backward = Graph(nodes, [("x", "y")]), Graph(nodes, [("y", "x")])
    empty = Graph(nodes)
    # By definition (Peters and Bühlmann, 2015): a reversed arrow gets both effects wrong; a
    # missing arrow the one that exists; a needless arrow none, as adjusting for nothing is right
    # for x on y, and adjusting for the parent x is right for y on x.
    assert intervention_distance(forward, backward, "sid") == (1.0, 2)
    assert intervention_distance(forward, empty, "sid").mistakes == 1
    assert intervention_distance(empty, forward, "sid") == (0.0, 0)


@pytest.mark.parametrize("kind", ["ancestor", "oset", "parent"])
def test_intervention_distance_reads_our_directions_and_orders(kind):
    nodes = ["x", "y", "z"]
    truth = Graph(nodes, [("x", "y"), ("y", "z")])
    assert intervention_distance(truth, truth.reorder(nodes[::-1]), kind).mistakes == 0
    turned = Graph(nodes, [("z", "y"), ("y", "x")])
    assert intervention_distance(truth, turned, kind).mistakes > 0
    assert intervention_distance(truth.to_cpdag(), turned.to_cpdag(), kind).mistakes == 0


def test_intervention_distance_refuses_what_it_cannot_judge():
    dag = Graph(["x", "y", "z"], [("x", "y"), ("y", "z")])
    partly = Graph(["x", "y", "z"], [("x", "y")], [("y", "z")])
    with pytest.raises(ValueError, match="kind must be one of"):
        intervention_distance(dag, dag, "children")
    with pytest.raises(ValueError, match="needs two DAGs, but the learned graph"):
        intervention_distance(dag, dag.to_cpdag(), "sid")
    with pytest.raises(ValueError, match="the learned graph must be a DAG or a CPDAG"):
        intervention_distance(dag, partly)
    with pytest.raises(ValueError, match="at least two nodes"):
        intervention_distance(Graph(["x"]), Graph(["x"]))


def test_intervention_distance_names_the_extra_it_needs(monkeypatch):
    monkeypatch.setitem(sys.modules, "gadjid", None)
    dag = Graph(["x", "y"], [("x", "y")])
    with pytest.raises(ImportError, match=r"pip install 'bnsieve\[distance\]'"):
        intervention_distance(dag, dag)
