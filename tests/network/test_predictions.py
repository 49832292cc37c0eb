"""Prediction, `bic`; rows with many gaps are in inference/test_rows.py."""

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from bnsieve import BayesianNetwork, Graph, fit_parameters, load_network
from strategies import networks

CHAIN = BayesianNetwork(
    Graph(["a", "b", "c"], [("a", "b"), ("b", "c")]),
    states={"a": ["no", "yes"], "b": [1, 2, 3], "c": ["u", "v"]},
    tables={
        "a": [0.25, 0.75],
        "b": [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]],
        "c": [[1.0, 0.0], [0.5, 0.5], [0.25, 0.75]],
    },
)


def by_enumeration(network, row, target):
    """P(target | everything else): the joint probability of each label, scaled."""
    weights = []
    for label in network.states[target]:
        frame = pd.DataFrame({**row, target: [label]})
        frame = frame.astype(object).infer_objects()
        weights.append(np.exp(network.log_likelihood(frame))[0])
    weights = np.array(weights)
    return weights / weights.sum()


@settings(max_examples=30)
@given(networks(max_nodes=4, max_levels=3), st.integers(0, 50))
def test_prediction_is_the_conditional_of_the_joint(network, seed):
    rows = network.sample(3, random_state=seed)
    for target in network.graph.nodes:
        assume(len(network.graph.nodes) > 1)
        proba = network.predict_proba(rows.drop(columns=target), target)
        assert tuple(proba.columns) == network.states[target]
        for i in range(len(rows)):
            row = {name: [rows[name].iloc[i]] for name in network.graph.nodes if name != target}
            assert_allclose(proba.iloc[i], by_enumeration(network, row, target), atol=1e-12)


def test_the_most_probable_label_is_predicted():
    rows = pd.DataFrame({"a": ["yes", "no"], "c": ["v", "u"]}, index=[7, 3])
    proba = CHAIN.predict_proba(rows, "b")
    assert_allclose(proba.to_numpy(), [[0, 0.4, 0.6], [2 / 3, 1 / 3, 0]])
    predicted = CHAIN.predict(rows, "b")
    assert predicted.tolist() == [3, 1]
    assert predicted.name == "b"
    assert predicted.index.tolist() == proba.index.tolist() == [7, 3]


def test_frames_of_others_and_unknown_columns_are_fine():
    rows = pl.DataFrame({"b": [1, 3], "else": ["p", "q"], "a": ["?", "?"]})
    assert CHAIN.predict(rows, "a").tolist() == ["no", "yes"]


def test_impossible_cells_have_no_prediction():
    rows = pd.DataFrame({"a": ["yes", "no"], "c": ["u", "v"], "b": [1, 1]})
    network = BayesianNetwork(
        Graph(["a", "b", "c"], [("b", "a"), ("b", "c")]),
        states={"a": ["no", "yes"], "b": [1, 2], "c": ["u", "v"]},
        tables={"b": [0.5, 0.5], "a": [[1, 0], [0, 1]], "c": [[1, 0], [0, 1]]},
    )
    assert np.isnan(network.predict_proba(rows, "b").to_numpy()).all()
    assert network.predict(rows, "b").isna().all()


def test_what_a_row_lacks_is_summed_out():
    """By hand: P(b | a = no) for the first row, P(b | c = v) for the second."""
    rows = pd.DataFrame({"a": ["no", None], "c": [None, "v"]})
    evens = np.array([0.25 * 0.5, 0.25 * 0.5 + 0.75 * 0.5, 0.75 * 0.5]) * [0, 0.5, 0.75]
    expected = [[0.5, 0.5, 0], evens / evens.sum()]
    assert_allclose(CHAIN.predict_proba(rows, "b"), expected, atol=1e-15)
    assert_allclose(CHAIN.predict_proba(rows[["c"]], "b").iloc[1], expected[1])


def test_what_is_unknown_is_named():
    with pytest.raises(ValueError, match=r"'a' has no state 'Yes'.*did you mean 'yes'"):
        CHAIN.predict(pd.DataFrame({"a": ["Yes"]}), "b")
    with pytest.raises(ValueError, match="no node 'z'"):
        CHAIN.predict(pd.DataFrame({"a": ["yes"]}), "z")


def test_a_variable_on_its_own_is_predicted_by_its_table():
    network = BayesianNetwork(Graph(["a"]), {"a": ["x", "y"]}, {"a": [0.2, 0.8]})
    assert network.predict(pd.DataFrame({"other": ["p", "q"]}), "a").tolist() == ["y", "y"]


def test_bic_is_the_score_of_the_graph():
    """By hand, from the definition: counts, their shares, and half log n per free parameter."""
    data = load_network("asia").sample(300, random_state=0).astype(str)
    graph = Graph(data.columns, [("smoke", "lung"), ("tub", "either"), ("lung", "either")])
    network = fit_parameters(graph, data, prior=None)
    expected = 0.0
    for name in graph.nodes:
        parents = list(graph.parents(name))
        groups = [data] if not parents else [group for _, group in data.groupby(parents)]
        for group in groups:
            counts = group[name].value_counts().to_numpy()
            expected += (counts * np.log(counts / counts.sum())).sum()
        n_configurations = np.prod([data[parent].nunique() for parent in parents])
        expected -= 0.5 * np.log(300) * n_configurations * (data[name].nunique() - 1)
    assert network.bic(data) == pytest.approx(expected)


def test_probabilities_of_all_rows_sum_to_one():
    rows = list(itertools.product(*CHAIN.states.values()))
    frame = pd.DataFrame(rows, columns=list(CHAIN.states))
    assert np.exp(CHAIN.log_likelihood(frame)).sum() == pytest.approx(1.0)
