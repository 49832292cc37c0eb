import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from bnsieve import PC, Graph, TsetlinSieve, fit_parameters, load_network
from bnsieve.network import count_families
from strategies import networks

DATA = pd.DataFrame(
    {
        "rain": ["no", "no", "no", "yes", "yes"],
        "wet": ["no", "no", "yes", "yes", "yes"],
        "here": ["always"] * 5,
    }
)
GRAPH = Graph(["wet", "rain", "here"], [("rain", "wet")])


def test_maximum_likelihood_is_the_observed_shares():
    network = fit_parameters(GRAPH, DATA, prior=None)
    assert_allclose(network.tables["rain"], [3 / 5, 2 / 5])
    assert_allclose(network.tables["wet"], [[2 / 3, 1 / 3], [0.0, 1.0]])
    assert_array_equal(network.tables["here"], [1.0])
    assert network.states["here"] == ("always",)


def test_the_prior_spreads_its_rows_evenly_over_the_table():
    network = fit_parameters(GRAPH, DATA, equivalent_sample_size=8.0)
    assert_allclose(network.tables["rain"], [(3 + 4) / 13, (2 + 4) / 13])
    assert_allclose(network.tables["wet"], [[4 / 7, 3 / 7], [2 / 6, 4 / 6]])
    assert_array_equal(network.tables["here"], [1.0])


def test_unobserved_configurations_are_uniform():
    graph = Graph(["a", "b", "c"], [("a", "c"), ("b", "c")])
    data = pd.DataFrame({"a": [0, 1], "b": [0, 1], "c": [0, 1]})
    for prior in (None, "bdeu"):
        table = fit_parameters(graph, data, prior=prior).tables["c"]
        assert_allclose(table[0, 1], [0.5, 0.5])
        assert_allclose(table[1, 0], [0.5, 0.5])


def test_labels_that_may_come_get_the_priors_share():
    states = {"wet": ["soaked", "yes", "no"], "rain": ["yes", "no", "hail"]}
    network = fit_parameters(GRAPH, DATA, equivalent_sample_size=9.0, states=states)
    assert network.states["wet"] == ("soaked", "yes", "no")
    assert_allclose(network.tables["rain"], np.array([2 + 3, 3 + 3, 3]) / 14)
    assert_allclose(network.tables["wet"][0], np.array([1, 2 + 1, 1]) / 5)
    assert_allclose(network.tables["wet"][2], np.array([1, 1, 1]) / 3)


def test_rows_with_missing_cells_are_left_out_family_by_family():
    data = DATA.assign(rain=["no", "no", None, "yes", "yes"])
    network = fit_parameters(GRAPH, data, prior=None)
    assert_allclose(network.tables["rain"], [2 / 4, 2 / 4])
    assert_allclose(network.tables["wet"], [[1.0, 0.0], [0.0, 1.0]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"prior": "flat"}, "prior must be 'bdeu', or None.*'flat'"),
        ({"equivalent_sample_size": 0.0}, "above zero, got 0.0; prior=None is maximum"),
        ({"states": {"snow": ["no"]}}, "states names 'snow'"),
        ({"states": {"wet": ["no"]}}, "'wet' has no state 'yes'; its states are 'no'"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        fit_parameters(GRAPH, DATA, **arguments)


def test_data_must_have_the_nodes_as_columns():
    with pytest.raises(ValueError, match="the data lacks the column 'here'"):
        fit_parameters(GRAPH, DATA[["rain", "wet"]])


def test_tables_too_large_to_hold_are_refused():
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.integers(0, 20, (200, 7)).astype(str), columns=list("abcdefg"))
    graph = Graph(data.columns, [(parent, "g") for parent in "abcdef"])
    counts = count_families(graph, data)
    with pytest.raises(ValueError, match=r"CPT of 'g' given its 6 parents would have"):
        counts.network()


def test_a_class_of_graphs_has_one_network():
    truth = load_network("asia")
    data = truth.sample(500, random_state=3)
    turned = Graph(
        truth.graph.nodes,
        [
            (b, a) if (a, b) in [("asia", "tub"), ("smoke", "bronc")] else (a, b)
            for a, b in truth.graph.directed_edges
        ],
    )
    assert turned.to_cpdag() == truth.graph.to_cpdag()
    rows = [fit_parameters(graph, data).log_likelihood(data) for graph in (truth.graph, turned)]
    assert_allclose(rows[0], rows[1])


def test_counts_of_blocks_of_rows_add_up():
    graph = Graph(["a", "b"], [("a", "b")])
    data = pd.DataFrame({"a": [0, 1, 1, 1, 0, 0], "b": [0, 1, 0, 1, 1, 0]})
    first, second = (count_families(graph, block) for block in (data[:2], data[2:]))
    whole = count_families(graph, data)
    assert (first + second).network() == whole.network()
    with pytest.raises(ValueError, match="same graph"):
        whole + count_families(Graph(graph.nodes), data)


@settings(max_examples=20)
@given(networks(), st.integers(0, 100))
def test_no_other_tables_are_more_likely_than_the_maximum(truth, seed):
    data = truth.sample(60, random_state=seed)
    best = fit_parameters(truth.graph, data, prior=None)
    other = fit_parameters(truth.graph, data, equivalent_sample_size=3.0)
    at_best = best.log_likelihood(data).sum()
    assert at_best >= other.log_likelihood(data).sum() - 1e-9
    assert np.isfinite(at_best)


def test_many_rows_recover_the_tables():
    truth = load_network("cancer")
    network = fit_parameters(truth.graph, truth.sample(200_000, random_state=0))
    for name, table in truth.tables.items():
        learned = network.tables[name]
        order = [network.states[name].index(label) for label in truth.states[name]]
        assert network.parents(name) == truth.parents(name)
        assert_allclose(learned[..., order], table, atol=0.06)


@pytest.mark.parametrize("learner", [PC(), TsetlinSieve(random_state=0)])
def test_learners_have_a_network_over_all_columns(learner):
    data = load_network("asia").sample(1000, random_state=1).assign(site="north")
    learner.fit(data)
    network = learner.network_
    assert network.graph == learner.dag_
    assert network.graph.skeleton() == learner.graph_.skeleton()
    assert network.graph.nodes == tuple(data.columns)
    assert network.states["site"] == ("north",)
    assert network is learner.network_
    assert np.isfinite(network.log_likelihood(data)).all()
    exact = learner.fit_result_.family_counts.network(prior=None)
    assert exact == fit_parameters(learner.dag_, data, prior=None)


def test_constant_data_has_a_network_too():
    learner = PC().fit(pd.DataFrame({"a": ["x", "x"], "b": ["y", "y"]}))
    assert learner.network_.n_parameters == 0
