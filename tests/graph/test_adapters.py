"""Graphs, networks and candidates to other programs and back."""

import sys
from types import SimpleNamespace

import networkx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stand_ins import GeneralGraph, GraphNode, modules

from bnsieve import BayesianNetwork, Graph, fit_parameters, load_network
from bnsieve.graph import candidates_to_pgmpy, candidates_to_pyagrum
from strategies import networks, pdags

TEXTS = st.sampled_from(["two words", 'q"', "{b}", "a,b", "😀", "[0, 1)", "a|b", ""]) | st.text(
    max_size=4
)


@pytest.fixture(scope="module", autouse=True)
def programs():
    with pytest.MonkeyPatch.context() as patch:
        for name, module in modules().items():
            patch.setitem(sys.modules, name, module)
        yield


def is_same(first, second):
    """Tell whether two networks are the same, whatever the order of the parents."""
    return first.graph == second.graph and all(
        np.array_equal(
            table,
            second.tables[name].transpose(
                [*map(second.parents(name).index, first.parents(name)), table.ndim - 1]
            ),
        )
        for name, table in first.tables.items()
    )


@given(networks(texts=TEXTS))
@settings(max_examples=30)
def test_networks_there_and_back(network):
    again = BayesianNetwork.from_pgmpy(network.to_pgmpy())
    assert again == network
    again = BayesianNetwork.from_pyagrum(network.to_pyagrum())
    assert is_same(network, again)
    assert dict(again.states) == dict(network.states)


@given(pdags())
@settings(max_examples=50)
def test_graphs_there_and_back(graph):
    for again in (
        Graph.from_networkx(graph.to_networkx()),
        Graph.from_pgmpy(graph.to_pgmpy()),
        Graph.from_causal_learn(graph.to_causal_learn()),
    ):
        assert again == graph
        assert isinstance(again, Graph)
    assert Graph.from_networkx(graph.to_networkx()).nodes == graph.nodes
    assert Graph.from_causal_learn(graph.to_causal_learn()).nodes == graph.nodes


def test_pgmpy_has_two_kinds_of_graphs():
    assert type(Graph(["a", "b"], [("a", "b")]).to_pgmpy()).__name__ == "DAG"
    assert type(Graph(["a", "b"], undirected=[("a", "b")]).to_pgmpy()).__name__ == "PDAG"


def test_pgmpy_keeps_numbers_and_pyagrum_makes_them_text():
    network = BayesianNetwork(Graph(["a"]), {"a": [0, 2.5]}, {"a": [0.25, 0.75]})
    assert BayesianNetwork.from_pgmpy(network.to_pgmpy()).states["a"] == (0, 2.5)
    assert BayesianNetwork.from_pyagrum(network.to_pyagrum()).states["a"] == ("0", "2.5")
    twins = BayesianNetwork(Graph(["a"]), {"a": [1, "1"]}, {"a": [0.25, 0.75]})
    with pytest.raises(ValueError, match=r"pyAgrum knows states only as text, and .* of 'a'"):
        twins.to_pyagrum()


def test_pgmpy_may_list_a_parents_labels_in_another_order():
    theirs = load_network("asia").to_pgmpy()
    cpd = theirs.get_cpds("tub")
    cpd.state_names = {"tub": ["yes", "no"], "asia": ["no", "yes"]}
    cpd.values = cpd.values[:, ::-1]
    assert BayesianNetwork.from_pgmpy(theirs) == load_network("asia")


def test_pgmpy_without_tables():
    theirs = load_network("asia").to_pgmpy()
    del theirs.cpds["lung"]
    with pytest.raises(ValueError, match="no table or equation for 'lung': fit it first"):
        BayesianNetwork.from_pgmpy(theirs)


def test_pgmpy_takes_linear_networks_of_numbers():
    rng = np.random.default_rng(0)
    x = rng.normal(5, 2, 500)
    data = pd.DataFrame({"x": x, "y": 1 - 3 * x + rng.normal(size=500)})
    network = fit_parameters(Graph(["x", "y"], [("x", "y")]), data)
    theirs = network.to_pgmpy()
    slope, intercept = np.polyfit(data["x"], data["y"], 1)
    np.testing.assert_allclose(theirs.get_cpds("y").beta, [intercept, slope], rtol=1e-6)
    again = BayesianNetwork.from_pgmpy(theirs)
    np.testing.assert_allclose(again.log_likelihood(data), network.log_likelihood(data))
    del theirs.cpds["y"]
    with pytest.raises(ValueError, match="no table or equation for 'y': fit it first"):
        BayesianNetwork.from_pgmpy(theirs)


def test_pgmpy_does_not_take_labels_beside_numbers():
    data = pd.DataFrame({"x": np.linspace(0, 1, 60) ** 2, "d": ["a", "b"] * 30})
    network = fit_parameters(Graph(["x", "d"], [("d", "x")]), data)
    with pytest.raises(ValueError, match="is not linear in its parents"):
        network.to_pgmpy()


def test_the_matrix_of_causal_learn():
    # From its documentation: graph[j, i] = 1 and graph[i, j] = -1 is i -> j; both -1 is i - j.
    matrix = Graph(["i", "j", "k"], [("j", "i")], [("j", "k")]).to_causal_learn().graph
    assert matrix.tolist() == [[0, 1, 0], [-1, 0, -1], [0, -1, 0]]


def test_the_marks_of_a_pag_in_the_matrix_of_causal_learn():
    dag = Graph(["i", "x", "h", "y", "j"], [("i", "x"), ("h", "x"), ("h", "y"), ("j", "y")])
    # ``graph[a, b]`` is the mark at a; i o-> x, x <-> y, j o-> y.
    matrix = dag.to_pag(hidden=["h"]).to_causal_learn().graph
    assert matrix.tolist() == [[0, 2, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 2, 0]]


def test_causal_learns_pc_returns_a_graph_around_a_graph():
    graph = Graph(["i", "j"], [("j", "i")])
    assert Graph.from_causal_learn(SimpleNamespace(G=graph.to_causal_learn())) == graph


@pytest.mark.parametrize(
    ("marks", "shown"),
    [((1, 1), "arrowhead and arrowhead"), ((2, 1), "circle and arrowhead"), ((0, 5), "mark 0 and")],
)
def test_hidden_causes_are_refused(marks, shown):
    theirs = GeneralGraph([GraphNode("x"), GraphNode("y")])
    theirs.graph[0, 1], theirs.graph[1, 0] = marks
    with pytest.raises(ValueError, match=f"of 'x' and 'y' has {shown}"):
        Graph.from_causal_learn(theirs)


CANDIDATES = {"a": ("b", "c"), "b": ("a",), "c": (), "d": ("c",)}
PAIRS = [("a", "b"), ("a", "c"), ("c", "d")]


def test_candidates():
    space = candidates_to_pgmpy(CANDIDATES).search_space
    assert space == {*PAIRS, *((b, a) for a, b in PAIRS)}
    edges = []
    learner = SimpleNamespace(addPossibleEdge=lambda a, b: edges.append((a, b)))
    assert candidates_to_pyagrum(CANDIDATES, learner) is learner
    assert edges == PAIRS


def test_no_candidates_would_mean_no_restriction():
    with pytest.raises(ValueError, match="there are no candidates"):
        candidates_to_pgmpy({"a": (), "b": ()})
    with pytest.raises(ValueError, match="there are no candidates"):
        candidates_to_pyagrum({}, None)


def test_missing_programs_say_what_to_install(monkeypatch):
    network = load_network("asia")
    monkeypatch.setitem(sys.modules, "pgmpy.base", None)
    with pytest.raises(ImportError, match=r"pip install 'pgmpy>=1\.0'"):
        network.graph.to_pgmpy()
    monkeypatch.setitem(sys.modules, "pyagrum", None)
    with pytest.raises(ImportError, match="pip install 'pyagrum"):
        network.to_pyagrum()
    monkeypatch.setitem(sys.modules, "causallearn.graph.Edge", None)
    with pytest.raises(ImportError, match="pip install 'causal-learn'"):
        network.graph.to_causal_learn()


def test_multigraphs_are_refused():
    with pytest.raises(TypeError, match="multigraph"):
        Graph.from_networkx(networkx.MultiDiGraph())
