"""Tests of the scores of cells, against enumeration of the network's joint distribution."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.check.cells import CellScores
from bnsieve.network import count_families


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return bn.load_network("asia").sample(4000, random_state=3)


def smoothed(graph: bn.Graph, rows: pd.DataFrame) -> bn.BayesianNetwork:
    """Return the network that the scores work with: two imagined rows drawn from the margin."""
    counts = count_families(graph, rows)
    tables = {}
    for name in graph.nodes:
        cells = counts.cells(name, counts.states)
        own = cells.reshape(-1, cells.shape[-1]).sum(axis=0) + 0.5
        tables[name] = (cells + 2 * own / own.sum()) / (cells.sum(axis=-1, keepdims=True) + 2)
    parents = {name: graph.parents(name) for name in graph.nodes}
    return bn.BayesianNetwork(graph, counts.states, tables, parents)


def test_a_score_is_the_margin_over_the_probability_given_the_rest(rows: pd.DataFrame) -> None:
    graph = bn.load_network("asia").graph
    counts = count_families(graph, rows)
    scores = CellScores.of(graph, counts, None, {})
    some = rows.iloc[:40]
    codes = {
        name: some[name].map(list(counts.states[name]).index).to_numpy(dtype=np.intp)
        for name in graph.nodes
    }
    found = scores.scores(codes)
    network = smoothed(graph, rows)
    for name in ("tub", "either", "smoke", "dysp"):
        own = np.array([(rows[name] == state).sum() + 0.5 for state in counts.states[name]])
        for i in range(len(some)):
            given = {other: some[other].iloc[i] for other in graph.nodes if other != name}
            p = network.query(name, given, interval=None)[some[name].iloc[i]]
            margin = own[codes[name][i]] / own.sum()
            assert found[name][i] == pytest.approx(np.log(margin / p), abs=1e-9)


def test_a_row_that_was_counted_is_taken_out_first(rows: pd.DataFrame) -> None:
    graph = bn.load_network("asia").graph
    counts = count_families(graph, rows)
    scores = CellScores.of(graph, counts, None, {})
    without = CellScores.of(graph, count_families(graph, rows.iloc[1:]), None, {})
    one = {
        name: np.array([list(counts.states[name]).index(rows[name].iloc[0])], dtype=np.intp)
        for name in graph.nodes
    }
    taken_out, never_in = scores.scores(one, counted=True), without.scores(one)
    for name in graph.nodes:
        # Margins keep the row: one in four thousand.
        assert taken_out[name][0] == pytest.approx(never_in[name][0], abs=2e-3)


def test_missing_cells_have_no_score(rows: pd.DataFrame) -> None:
    graph = bn.load_network("asia").graph
    scores = CellScores.of(graph, count_families(graph, rows), None, {})
    codes = {name: np.array([0, -1], dtype=np.intp) for name in graph.nodes}
    found = scores.scores(codes)
    assert all(np.isneginf(one[1]) and np.isfinite(one[0]) for one in found.values())
