"""Missing cells: drawn as theory has it, labelled, and handled by every learner."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import bnsieve
from bnsieve import PC, BayesianNetwork, Graph, Knowledge, TsetlinSieve
from bnsieve.network import draw_missing, fit_network, missing_as_state, missing_values
from bnsieve.table import Table
from knowledge_cases import LEARNERS, faults

pytestmark = pytest.mark.usefixtures("rows_stay_in_files")

every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=str)


@pytest.fixture(scope="module")
def network():
    """a -> b -> d <- c, with two or three states each."""
    rng = np.random.default_rng(3)
    graph = Graph(list("abcd"), [("a", "b"), ("b", "d"), ("c", "d")])
    shapes = {"a": (2,), "b": (2, 3), "c": (2,), "d": (3, 2, 2)}
    tables = {
        name: rng.dirichlet(np.full(shape[-1], 2), shape[:-1]) for name, shape in shapes.items()
    }
    states = {name: [f"{name}{i}" for i in range(shape[-1])] for name, shape in shapes.items()}
    return BayesianNetwork(graph, states, tables)


def without_some(data, share):
    """Take a share of the cells out of a frame, each with the same chance."""
    rng = np.random.default_rng([0, round(1000 * share)])
    return data.mask(rng.random(data.shape) < share)


def table_of(network, rows):
    """Rows of codes, None for missing; a last row per level makes all states seen."""
    names = network.graph.nodes
    states = [network.states[name] for name in names]
    full = [[i % len(labels) for labels in states] for i in range(max(map(len, states)))]
    frame = pd.DataFrame(
        [
            [
                None if code is None else labels[code]
                for code, labels in zip(row, states, strict=True)
            ]
            for row in [*rows, *full]
        ],
        columns=names,
    )
    return Table.from_data(frame)


@pytest.mark.parametrize("known", [(1, None, 0, 1), (None, None, 1, 0), (None, 2, None, None)])
def test_cells_are_drawn_from_their_joint_distribution_given_the_known_ones(network, known):
    """By brute force: all completions of the row, with the network's own probabilities."""
    n_rows = 4000
    filled = draw_missing(table_of(network, [known] * n_rows), network, 0)
    states = [network.states[name] for name in network.graph.nodes]
    cells = zip(known, states, strict=True)
    ways = list(product(*(range(len(own)) if code is None else [code] for code, own in cells)))
    frame = pd.DataFrame(
        [[labels[c] for c, labels in zip(way, states, strict=True)] for way in ways],
        columns=network.graph.nodes,
    )
    expected = np.exp(network.log_likelihood(frame))
    expected /= expected.sum()
    drawn = [tuple(row) for row in filled.codes[:, :n_rows].T.tolist()]
    found = np.array([drawn.count(way) for way in ways]) / n_rows
    error = np.sqrt(expected * (1 - expected) / n_rows)
    assert (np.abs(found - expected) < 4.5 * error + 1e-9).all()


def test_known_cells_stay_and_the_order_of_columns_has_no_say(network):
    data = without_some(network.sample(300, random_state=0), 0.3)
    table = Table.from_data(data)
    filled = draw_missing(table, network, 5)
    assert filled.missing == {}
    for v in range(table.n_variables):
        known = ~table.missing[v]
        assert (filled.codes[v][known] == table.codes[v][known]).all()
    order = list("dbca")
    graph = network.graph.reorder(order)
    parents = {name: network.parents(name) for name in order}
    other = BayesianNetwork(graph, network.states, network.tables, parents)
    again = draw_missing(table.select(order), other, 5)
    pd.testing.assert_frame_equal(again.to_frame()[list("abcd")], filled.to_frame())
    more = draw_missing(table, network, 6, start=filled, n_sweeps=1)
    assert not np.array_equal(more.codes, filled.codes)


def test_parents_too_many_for_a_table_are_left_out(network, monkeypatch):
    monkeypatch.setattr(missing_values, "_MAX_TABLE", 6)
    table = Table.from_data(network.sample(200, random_state=0))
    fitted = fit_network(network.graph, table)
    assert fitted.graph.directed_edges == (("a", "b"), ("c", "d"))


def test_missing_as_a_label():
    data = pd.DataFrame({"x": ["u", None, "v"], "y": ["p", "q", "q"]})
    table = missing_as_state(Table.from_data(data))
    assert table.categories == (("u", "v", "(missing)"), ("p", "q"))
    assert table.codes.tolist() == [[0, 2, 1], [0, 1, 1]]
    assert table.missing == {}
    with pytest.raises(
        ValueError, match=r"column 'x' has missing values and the category '\(missing\)'"
    ):
        missing_as_state(Table.from_data(pd.DataFrame({"x": ["(missing)", None]})))


@pytest.fixture(scope="module")
def asia():
    return without_some(bnsieve.load_network("asia").sample(1000, random_state=0), 0.2)


@every_learner
@pytest.mark.parametrize("way", ["testwise", "category", "em"])
def test_every_learner_knows_every_way(learner, way, asia):
    knowledge = Knowledge(required=[("smoke", "lung")], forbidden=[{"either", "xray"}])
    fitted = clone(learner).set_params(missing=way, knowledge=knowledge).fit(asia)
    assert fitted.n_missing_ == asia.isna().sum().to_dict()
    assert fitted.missing_strategy_ == way
    assert faults(fitted, knowledge) == []
    assert ("filling" in fitted.timings_) == (way == "em")
    assert ("(missing)" in fitted.network_.states["xray"]) == (way == "category")
    if way == "em":
        assert 1 <= fitted.fit_result_.n_em_rounds <= 5
        assert fitted.fit_result_.rows.missing
    again = clone(fitted).set_params(n_jobs=2).fit(asia[asia.columns[::-1]])
    assert again.graph_ == fitted.graph_


@every_learner
def test_without_missing_cells_all_ways_are_one(learner):
    data = bnsieve.load_network("asia").sample(500, random_state=1)
    graphs = []
    for way in ("testwise", "category", "em"):
        fitted = clone(learner).set_params(missing=way).fit(data)
        assert fitted.n_missing_ == {}
        assert fitted.missing_strategy_ == "testwise"
        graphs.append(fitted.graph_)
    assert graphs[0] == graphs[1] == graphs[2]


def test_the_sieve_chooses_by_itself(asia):
    assert TsetlinSieve(random_state=0).fit(asia).missing_strategy_ == "em"
    assert TsetlinSieve(method="tests", random_state=0).fit(asia).missing_strategy_ == "testwise"


def test_all_rows_that_lie_elsewhere_cannot_be_filled(asia, tmp_path):
    path = tmp_path / "asia.parquet"
    asia.to_parquet(path)
    with pytest.warns(UserWarning, match="500 of .* rows are drawn"):
        learner = TsetlinSieve(sample_rows=500, random_state=0).fit(path)
    assert learner.missing_strategy_ == "em"
    with pytest.raises(ValueError, match="'asia' has missing values, and missing='em' needs all"):
        TsetlinSieve(missing="em", sample_rows=500, random_state=0).fit(path)


def test_unknown_way(asia):
    with pytest.raises(ValueError, match="one of auto, testwise, category, em; got 'drop'"):
        PC(missing="drop").fit(asia)


@pytest.mark.slow
def test_a_fifth_of_the_cells_missing_costs_little():
    """The bar is 0.05 on alarm and insurance with 5,000 rows; here 2,000 rows of one network."""
    truth = bnsieve.load_network("alarm")
    whole = truth.sample(2000, random_state=0)
    # Whether a cell is missing depends on a column that has none missing.
    rng, codes = np.random.default_rng(0), whole["HISTORY"].cat.codes.to_numpy()
    chances = np.where(codes == codes.min(), 0.35, 0.2)[:, None]
    gone = rng.random(whole.shape) < chances
    gone[:, whole.columns.get_loc("HISTORY")] = False
    data = whole.mask(gone)
    assert gone.mean() > 0.18

    def f1(rows, way):
        learner = TsetlinSieve(missing=way, random_state=0).fit(rows)
        return bnsieve.metrics.compare(truth, learner.graph_).f1

    complete = f1(whole, "testwise")
    assert f1(data, "em") > complete - 0.05
    assert f1(data, "testwise") > complete - 0.25
