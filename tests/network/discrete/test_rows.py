"""Rows with missing cells, against a list of every row."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from enumeration import conditioned, joint, margin, random_network
from numpy.testing import assert_allclose, assert_array_equal

from bnsieve import BayesianNetwork, Graph, load_network
from bnsieve.network import TooLargeError
from bnsieve.network.discrete.model import TOO_LARGE, Model
from bnsieve.network.discrete.rows import (
    fill_cells,
    known_cells,
    row_log_probabilities,
    row_margins,
)
from bnsieve.table import Table

ENOUGH = 1 << 30


def with_gaps(network, n_rows, seed, share):
    rng = np.random.default_rng(seed)
    rows = network.sample(n_rows, random_state=seed)
    return rows.mask(rng.random(rows.shape) < share)


def known(rows, i):
    return {name: rows[name].iloc[i] for name in rows.columns if pd.notna(rows[name].iloc[i])}


def check(seed):
    network = random_network(seed, max_nodes=9)
    everything = joint(network)
    rows = with_gaps(network, 8, seed, np.random.default_rng(seed).random())
    tables = [conditioned(network, everything, known(rows, i)) for i in range(len(rows))]
    expected = np.log([table.sum() for table in tables])
    assert_allclose(network.log_likelihood(rows), expected, rtol=0, atol=1e-12 * len(rows.columns))
    filled = network.impute(rows)
    assert (filled.isna().to_numpy().sum(), filled.columns.tolist()) == (0, rows.columns.tolist())
    for name in network.graph.nodes:
        proba = network.predict_proba(rows, name).to_numpy()
        for i in range(len(rows)):
            given = known(rows, i)
            given.pop(name, None)
            table = conditioned(network, everything, given)
            assert_allclose(proba[i], margin(network, table, [name]), rtol=0, atol=1e-12)
            if pd.isna(rows[name].iloc[i]):
                code = network.states[name].index(filled[name].iloc[i])
                assert proba[i][code] == proba[i].max()
            else:
                assert filled[name].iloc[i] == rows[name].iloc[i]


@pytest.mark.kernel
@pytest.mark.parametrize("seed", range(0, 500, 10))
def test_rows_are_those_of_enumeration(seed):
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 500, 50))
def test_rows_are_those_of_enumeration_at_length(first):
    for seed in range(first, first + 50):
        check(seed)


def test_drawn_cells_follow_their_joint_distribution():
    """Ten thousand copies of a row with three gaps: every combination as often as it should be."""
    network = load_network("asia")
    n = 10_000
    given = {"asia": "yes", "smoke": "yes", "xray": "yes", "bronc": "no", "either": "yes"}
    rows = pd.DataFrame({**{name: [label] * n for name, label in given.items()}, "tub": None})
    rows["lung"] = rows["dysp"] = None
    rows = rows.astype(object)
    drawn = network.impute(rows, "drawn", random_state=0)
    targets = ["tub", "lung", "dysp"]
    expected = network.query(targets, given, joint=True)
    shares = drawn.groupby(targets, observed=False).size() / n
    for labels, probability in expected.to_series().items():
        error = np.sqrt(probability * (1 - probability) / n)
        assert abs(shares[labels] - probability) <= 4 * error
    again = network.impute(rows, "drawn", random_state=0)
    pd.testing.assert_frame_equal(drawn, again)
    assert (drawn != network.impute(rows, "drawn", random_state=1)).to_numpy().any()


def test_frames_of_every_kind_are_read_alike():
    network = load_network("asia")
    rows = with_gaps(network, 50, 3, 0.4).astype(object).where(lambda frame: frame.notna(), None)
    expected = network.predict_proba(rows, "lung").to_numpy()
    dictionary = {name: rows[name].tolist() for name in rows}
    for frame in (pl.DataFrame(dictionary), pa.table(dictionary), Table.from_data(rows)):
        assert_array_equal(network.predict_proba(frame, "lung").to_numpy(), expected)
        assert network.impute(frame).astype(str).equals(network.impute(rows).astype(str))


def test_columns_without_a_cell_absent_columns_and_others_are_fine():
    network = load_network("asia")
    rows = pd.DataFrame({"smoke": ["yes", "no"], "asia": [None, None], "other": [1.5, 2.5]})
    expected = [network.query("lung", {"smoke": label})["yes"] for label in ("yes", "no")]
    assert_allclose(network.predict_proba(rows, "lung")["yes"], expected, atol=1e-15)
    assert_allclose(network.predict_proba(pl.DataFrame(rows), "lung")["yes"], expected, atol=1e-15)
    nothing = network.predict_proba(pd.DataFrame(index=[5, 6]), "lung")
    assert nothing.index.tolist() == [5, 6]
    assert_allclose(nothing["yes"], network.query("lung")["yes"])
    filled = network.impute(rows)
    assert filled.columns.tolist() == ["smoke", "asia", "other"]
    assert filled["asia"].tolist() == ["no", "no"]
    assert filled["other"].tolist() == [1.5, 2.5]
    assert network.predict(pd.DataFrame({"smoke": []}), "lung").tolist() == []


def test_a_row_that_cannot_be_keeps_its_gaps():
    network = load_network("asia")
    rows = pd.DataFrame({"lung": ["yes", "yes"], "either": ["no", "yes"], "tub": [None, None]})
    filled = network.impute(rows)
    assert filled["tub"].isna().tolist() == [True, False]
    assert network.log_likelihood(rows.reindex(columns=network.graph.nodes))[0] == -np.inf
    with pytest.raises(ValueError, match="how must be"):
        network.impute(rows, "guessed")


@pytest.mark.kernel
def test_a_thousand_contrary_children_do_not_underflow():
    names = [f"c{i}" for i in range(1000)]
    table = [[0.001, 0.999], [0.999, 0.001]]
    network = BayesianNetwork(
        Graph(["class", *names], [("class", name) for name in names]),
        {name: ["a", "b"] for name in ["class", *names]},
        {"class": [0.5, 0.5], **dict.fromkeys(names, table)},
    )
    rows = pd.DataFrame({name: ["ab"[i < 500], "ab"[i == 0]] for i, name in enumerate(names)})
    proba = network.predict_proba(rows, "class")
    assert_allclose(proba.iloc[0], [0.5, 0.5], atol=1e-9)
    logs = network.log_likelihood(rows.assign(**{"class": [None, None]}))
    assert logs[0] == pytest.approx(500 * (np.log(0.001) + np.log(0.999)))
    assert logs[1] == pytest.approx(np.log(0.5) + 999 * np.log(0.999) + np.log(0.001))


def test_a_row_that_is_too_large_is_refused_with_its_figures():
    link = load_network("link")
    row = pd.DataFrame({link.graph.nodes[-1]: [link.states[link.graph.nodes[-1]][0]]})
    target = max(link.graph.nodes, key=lambda name: len(link.graph.markov_blanket(name)))
    with pytest.raises(TooLargeError, match=r"largest table has .* cells") as refused:
        link.log_likelihood(with_gaps(link, 1, 0, 0.97), max_bytes=100_000)
    assert refused.value.n_bytes > 100_000
    assert refused.value.n_cells * 8 < refused.value.n_bytes
    assert set(refused.value.columns) <= set(link.graph.nodes)
    assert link.predict(row, target).notna().all()


@pytest.mark.parametrize("seed", range(0, 200, 20))
def test_rows_too_large_for_the_kernel_are_answered_alike(seed, monkeypatch):
    """The other way gives the same cells, drawn or most probable, and the same probabilities."""
    network = random_network(seed, max_nodes=9)
    nodes = network.graph.nodes
    parents = {name: network.parents(name) for name in nodes}
    model = Model.of(nodes, network.states, parents, network.tables)
    rows = with_gaps(network, 6, seed, 0.5).dropna(axis=1, how="all")
    cells = known_cells(model, Table.from_data(rows), 6)
    order = np.array(model.order, dtype=np.int32)
    target = seed % len(nodes)

    def answers(model):
        return [
            fill_cells(model, cells, order, None, ENOUGH),
            fill_cells(model, cells, order, 5, ENOUGH),
            row_log_probabilities(model, cells, ENOUGH),
            row_margins(model, cells, target, ENOUGH),
        ]

    expected = answers(model)

    class TooSmall:
        """A kernel that finds every row too large."""

        def each_margin(self, *given):
            given[3].fill(-np.inf)  # whatever lay in this memory before
            return TOO_LARGE

        def fill(self, rows, filled, *given):
            filled[:] = rows
            given[-2].fill(TOO_LARGE)

        def __getattr__(self, name):
            return lambda *given: given[-2].fill(TOO_LARGE)

    other = Model(model.names, model.states, model.parents, model.tables)
    monkeypatch.setitem(other.__dict__, "rows", TooSmall())
    for found, wanted in zip(answers(other), expected, strict=True):
        assert_allclose(found, wanted, rtol=0, atol=1e-12)
