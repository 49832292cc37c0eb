import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import reference
from bnsieve import BayesianNetwork, Graph, load_network
from strategies import networks

ARROW = Graph(["rain", "wet"], [("rain", "wet")])
LEVELS = {"rain": ["no", "yes"], "wet": ["no", "yes", "very"]}
TABLES = {"rain": [0.75, 0.25], "wet": [[0.5, 0.25, 0.25], [0.0, 0.5, 0.5]]}


@pytest.fixture
def network():
    return BayesianNetwork(ARROW, LEVELS, TABLES)


def test_parts_are_kept_as_given(network):
    assert network.graph == ARROW
    assert dict(network.states) == {"rain": ("no", "yes"), "wet": ("no", "yes", "very")}
    assert (network.parents("rain"), network.parents("wet")) == ((), ("rain",))
    with pytest.raises(ValueError, match="no node 'snow'"):
        network.parents("snow")
    assert_array_equal(network.tables["wet"], TABLES["wet"])
    assert network.n_parameters == 1 + 2 * 2
    assert repr(network) == "BayesianNetwork with 2 nodes, 1 arc and 5 parameters"


def test_axes_follow_the_order_of_parents():
    graph = Graph(["a", "b", "c"], [("a", "c"), ("b", "c")])
    states = {"a": ["x", "y"], "b": ["x", "y", "z"], "c": ["x", "y"]}
    tables = {"a": [0.5, 0.5], "b": [0.5, 0.25, 0.25], "c": np.full((3, 2, 2), 0.5)}
    network = BayesianNetwork(graph, states, tables, parents={"c": ["b", "a"]})
    assert network.parents("c") == ("b", "a")
    with pytest.raises(ValueError, match=r"table of 'c' has shape \(3, 2, 2\).*\(2, 3, 2\)"):
        BayesianNetwork(graph, states, tables)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"graph": Graph(["rain", "wet"], [], [("rain", "wet")])}, "needs a DAG"),
        ({"states": {"rain": ["no", "yes"]}}, "states lacks the variable 'wet'"),
        ({"states": {**LEVELS, "sun": ["no"]}}, "states has the variable 'sun'"),
        ({"tables": {"rain": [0.75, 0.25]}}, "tables lacks the variable 'wet'"),
        ({"states": {**LEVELS, "rain": ["no", "no"]}}, "'rain' has the state 'no' twice"),
        ({"states": {**LEVELS, "rain": [float("nan"), float("nan")]}}, "the state nan twice"),
        ({"states": {**LEVELS, "rain": []}}, "'rain' has 0 states"),
        ({"states": {**LEVELS, "rain": range(65_537)}}, "'rain' has 65537 states"),
        ({"states": {**LEVELS, "rain": "no"}}, "several states, got the string 'no'"),
        ({"parents": {"wet": []}}, r"parents of 'wet' are \(\) but the graph says \('rain',\)"),
        ({"parents": {"sun": []}}, "'sun', which is not a node"),
        ({"tables": {**TABLES, "rain": [1.25, -0.25]}}, "'rain' holds a negative number"),
        ({"tables": {**TABLES, "rain": [np.nan, 1.0]}}, "'rain' holds a negative number or NaN"),
        ({"tables": {**TABLES, "rain": [np.inf, 1.0]}}, "'rain' sum to inf"),
        ({"tables": {**TABLES, "rain": [0.5, 0.25]}}, "'rain' sum to 0.75 instead of 1"),
        (
            {"tables": {**TABLES, "wet": [[1, 0, 0], [0, 0, 0]]}},
            "'wet' given rain = 'yes' sum to 0.0 instead of 1",
        ),
    ],
)
def test_what_is_not_a_network_is_refused(change, message):
    arguments = {"graph": ARROW, "states": LEVELS, "tables": TABLES, **change}
    with pytest.raises(ValueError, match=message):
        BayesianNetwork(**arguments)


def test_networks_never_change(network):
    with pytest.raises(AttributeError, match="never changes"):
        network.graph = ARROW
    with pytest.raises(TypeError):
        network.states["rain"] = ()
    with pytest.raises(ValueError, match="read-only"):
        network.tables["rain"][0] = 1.0


def test_equality_is_exact_and_survives_pickling(network):
    assert pickle.loads(pickle.dumps(network)) == network
    nearly = {**TABLES, "rain": [np.nextafter(0.75, 1), 0.25]}
    assert network != BayesianNetwork(ARROW, LEVELS, nearly)
    assert network != BayesianNetwork(ARROW, {**LEVELS, "rain": ["yes", "no"]}, TABLES)
    assert network != "network"


def test_samples_are_frames_with_every_label_as_category(network):
    frame = network.sample(50, random_state=1)
    assert list(frame.columns) == ["rain", "wet"]
    assert list(frame["wet"].cat.categories) == ["no", "yes", "very"]
    assert_array_equal(
        np.array([frame[name].cat.codes for name in frame]), network.sample_codes(50, 1)
    )
    assert network.sample(0).shape == (0, 2)
    assert list(network.sample(0)["wet"].cat.categories) == ["no", "yes", "very"]


def test_samples_repeat_with_a_seed_and_differ_without(network):
    assert_array_equal(network.sample_codes(1000, 5), network.sample_codes(1000, 5))
    assert np.any(network.sample_codes(1000, 5) != network.sample_codes(1000, 6))
    assert np.any(network.sample_codes(1000) != network.sample_codes(1000))


def test_what_cannot_be_sampled_is_refused(network):
    with pytest.raises(ValueError, match="must not be negative"):
        network.sample(-1)
    with pytest.raises(ValueError, match="must not be negative"):
        network.sample(1, 0, first_row=-1)
    with pytest.raises(ValueError, match="give the random_state"):
        network.sample(1, first_row=3)
    with pytest.raises(TypeError):
        network.sample(1.5)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(networks(), st.integers(0, 40), st.integers(0, 2**64), st.integers(0, 30))
def test_kernel_draws_what_its_twin_draws(simd_level, network, n_rows, seed, first_row):
    codes = network.sample_codes(n_rows, seed, first_row=first_row)
    assert codes.dtype == np.uint8
    assert codes.flags.c_contiguous
    assert_array_equal(codes, reference.sample_codes(network, n_rows, seed, first_row))


def test_kernel_draws_what_its_twin_draws_with_wide_codes(simd_level):
    states = {"a": range(300), "b": range(3), "c": range(700)}
    graph = Graph(states, [("a", "b"), ("b", "c")])
    random = np.random.default_rng(0)
    tables = {
        "a": random.dirichlet(np.ones(300)),
        "b": random.dirichlet(np.ones(3), 300),
        "c": random.dirichlet(np.ones(700), 3),
    }
    network = BayesianNetwork(graph, states, tables)
    codes = network.sample_codes(600, 1)
    assert codes.dtype == np.uint16
    assert_array_equal(codes, reference.sample_codes(network, 600, 1))
    assert network.sample(600, 1)["c"].tolist() == codes[2].tolist()


@pytest.mark.parametrize("cuts", [[0, 5000], [0, 1, 4999, 5000], [0, 511, 1026, 5000]])
def test_samples_drawn_in_pieces_are_the_sample(cuts):
    network = load_network("asia")
    pieces = [
        network.sample_codes(stop - start, 3, first_row=start)
        for start, stop in itertools.pairwise(cuts)
    ]
    assert_array_equal(np.hstack(pieces), network.sample_codes(5000, 3))


def test_a_variable_keeps_its_stream_when_the_table_of_another_changes(network):
    other = BayesianNetwork(ARROW, LEVELS, {**TABLES, "wet": [[0.1, 0.1, 0.8], [0.3, 0.3, 0.4]]})
    assert_array_equal(network.sample_codes(100, 0)[0], other.sample_codes(100, 0)[0])


@given(st.lists(st.sampled_from([0.0, 0.0, 1e-300, 1e-9, 0.3, 1.0]), min_size=1, max_size=6))
def test_impossible_levels_are_never_drawn(weights):
    if sum(weights) == 0:
        weights[-1] = 1.0
    row = np.array(weights) / sum(weights)
    network = BayesianNetwork(Graph(["a"]), {"a": range(len(row))}, {"a": row})
    assert np.all(row[network.sample_codes(1000, 0)[0]] > 0)


def smallest_p_value(network, codes):
    """How badly a sample fits the tables: Pearson's test per family, times the number of families.

    Levels that are expected less than five times are counted together. An impossible level that
    was drawn gives 0.
    """
    nodes = network.graph.nodes
    p_values = []
    for name, table in network.tables.items():
        family = [nodes.index(variable) for variable in (*network.parents(name), name)]
        observed = np.zeros(table.shape)
        np.add.at(observed, tuple(codes[family]), 1)
        observed = observed.reshape(-1, table.shape[-1])
        share = (table / table.sum(axis=-1, keepdims=True)).reshape(observed.shape)
        if np.any(observed[share == 0]):
            return 0.0
        statistic, freedom = 0.0, 0
        for counts, expected in zip(
            observed, share * observed.sum(axis=1, keepdims=True), strict=True
        ):
            rare = expected < 5
            counts = np.append(counts[~rare], counts[rare].sum())
            expected = np.append(expected[~rare], expected[rare].sum())
            counts, expected = counts[expected > 0], expected[expected > 0]
            if len(expected) > 1 and expected.min() >= 1:
                statistic += ((counts - expected) ** 2 / expected).sum()
                freedom += len(expected) - 1
        if freedom:
            p_values.append(stats.chi2.sf(statistic, freedom))
    return min(p_values) * len(p_values)


# A right sampler fails with probability 0.1 % per network; the seed is fixed. Wrong ones below
# fall short of this bound by ten powers of ten and more.
BOUND = 1e-3


@pytest.mark.parametrize(
    "name", ["asia", "insurance", "water", "alarm", "hailfinder", "hepar2", "munin1", "win95pts"]
)
def test_samples_follow_the_tables_of_every_family(name, simd_level):
    network = load_network(name)
    assert smallest_p_value(network, network.sample_codes(20_000, 0)) > BOUND


def faulty_sample(network, n_rows, fault):
    """A sampler with one mistake."""
    nodes = network.graph.nodes
    codes = np.zeros((len(nodes), n_rows), np.int64)
    for name in network.graph.topological_order():
        variable = nodes.index(name)
        stream = 0 if fault == "one stream for all variables" else variable
        draws = np.random.default_rng([1, stream]).random(n_rows)
        table = network.tables[name]
        parents = [nodes.index(parent) for parent in network.parents(name)]
        if fault == "parents in reverse":
            parents = parents[::-1]
        configuration = np.zeros(n_rows, np.int64)
        for parent, size in zip(parents, table.shape[:-1], strict=True):
            configuration = configuration * size + np.minimum(codes[parent], size - 1)
        rows = table.reshape(-1, table.shape[-1])
        if fault == "next configuration":
            configuration = (configuration + 1) % len(rows)
        if fault == "first configuration":
            configuration[:] = 0
        sums = np.cumsum(rows, axis=1)[configuration]
        level = (draws[:, None] * sums[:, -1:] >= sums).sum(axis=1)
        if fault == "last level never drawn":
            level = np.minimum(level, max(table.shape[-1] - 2, 0))
        if fault == "first level too likely":
            level = np.where(draws < sums[:, 0] * 1.1, 0, level)
        codes[variable] = level
    return codes


@pytest.mark.parametrize("name", ["asia", "insurance", "alarm", "hailfinder"])
@pytest.mark.parametrize(
    "fault",
    [
        "next configuration",
        "first configuration",
        "parents in reverse",
        "last level never drawn",
        "first level too likely",
        "one stream for all variables",
    ],
)
def test_wrong_samplers_are_found_out(name, fault):
    network = load_network(name)
    assert smallest_p_value(network, faulty_sample(network, 20_000, None)) > BOUND
    assert smallest_p_value(network, faulty_sample(network, 20_000, fault)) < 1e-10 * BOUND


def test_log_likelihood_is_the_sum_over_families(network):
    frame = pd.DataFrame({"wet": ["very", "no", "no", "yes"], "rain": ["no", "no", "yes", "yes"]})
    expected = np.array([0.75 * 0.25, 0.75 * 0.5, 0.0, 0.25 * 0.5])
    with np.errstate(divide="ignore"):
        assert_allclose(network.log_likelihood(frame), np.log(expected), rtol=1e-15)


@given(networks(), st.integers(0, 1000))
def test_log_likelihood_of_every_row_is_the_product_of_its_entries(network, seed):
    frame = network.sample(20, seed)
    codes = network.sample_codes(20, seed)
    nodes = network.graph.nodes
    expected = np.ones(20)
    for name, table in network.tables.items():
        family = [nodes.index(variable) for variable in (*network.parents(name), name)]
        expected *= table[tuple(codes[family])]
    assert_allclose(network.log_likelihood(frame), np.log(expected), rtol=1e-9, atol=1e-9)


def test_likelihoods_of_all_rows_sum_to_one_though_the_table_does_not():
    network = BayesianNetwork(Graph(["a"]), {"a": ["x", "y"]}, {"a": [0.333, 0.666]})
    likelihoods = np.exp(network.log_likelihood(pd.DataFrame({"a": ["x", "y"]})))
    assert likelihoods.sum() == pytest.approx(1, abs=1e-15)
    assert_array_equal(network.tables["a"], [0.333, 0.666])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"rain": ["no"]}, "the data lacks the column 'wet'"),
        ({"rain": ["no"], "wet": ["no"], "sun": ["no"]}, "has the column 'sun'"),
        (
            {"rain": ["no"], "wet": ["soaked"]},
            "no state 'soaked'.*'no', 'yes' and 'very'",
        ),
        ({"rain": [True], "wet": ["no"]}, "'rain' has no state True"),
    ],
)
def test_log_likelihood_refuses_other_data(network, columns, message):
    with pytest.raises(ValueError, match=message):
        network.log_likelihood(pd.DataFrame(columns))
