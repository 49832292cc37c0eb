"""Columns that differ from zero in few rows: correlations count for what these rows show."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.counts import covariance_of
from bnsieve.counts.embedding import Embedding
from bnsieve.counts.heavy_tails import fourth_moments, supported
from bnsieve.table import Table


def sparse(n_rows, share, seed, n_columns=30):
    rng = np.random.default_rng(seed)
    values = np.where(
        rng.random((n_rows, n_columns)) < share, rng.normal(size=(n_rows, n_columns)), 0
    )
    return pd.DataFrame(values, columns=[f"c{i:02}" for i in range(n_columns)])


@pytest.mark.filterwarnings("ignore:.*is left out:UserWarning")
@pytest.mark.parametrize(("n_rows", "share"), [(200, 0.02), (500, 0.05), (2_000, 0.005)])
def test_sparse_numbers_make_no_edges(n_rows, share):
    found = [
        bn.TsetlinSieve(random_state=0, n_jobs=1).fit(sparse(n_rows, share, seed)).graph_.n_edges
        for seed in range(2)
    ]
    assert sum(found) == 0


@pytest.mark.parametrize("n_rows", [10, 12, 20])
def test_few_rows_of_many_numbers_make_no_edges(n_rows):
    n_edges = 0
    for seed in range(5):
        cells = np.random.default_rng(seed).normal(size=(n_rows, 15))
        frame = pd.DataFrame(cells, columns=[f"c{i:02}" for i in range(15)])
        n_edges += bn.TsetlinSieve(random_state=0, n_jobs=1).fit(frame).graph_.n_edges
    assert n_edges <= 3


def test_sparse_numbers_that_go_together_are_found():
    frame = sparse(1_000, 0.03, 0, 10)
    frame["c09"] = np.where(frame["c00"] != 0, frame["c00"] + 0.1, 0.0)
    graph = bn.TsetlinSieve(random_state=0, n_jobs=1).fit(frame).graph_
    assert {frozenset(edge) for edge in graph.edges} == {frozenset(("c00", "c09"))}


def table_of(columns):
    codes = pd.DataFrame({name: ["a", "b"] * (len(x) // 2) for name, x in columns.items()})
    return Table.from_data(codes).with_numbers(columns)


def test_fourth_moments_are_those_of_the_rows():
    rng = np.random.default_rng(0)
    columns = {"x": rng.normal(size=2_000), "y": np.where(rng.random(2_000) < 0.02, 1.0, 0.0)}
    table = table_of(columns)
    embedding = Embedding.of(table)
    cells = embedding.columns(table)
    deviations = cells.std(axis=1)
    kept = deviations > 1e-9
    cells = (cells - cells.mean(axis=1, keepdims=True)) / np.maximum(deviations, 1e-9)[:, None]
    found = fourth_moments(embedding, np.zeros(len(cells)), np.eye(len(cells)))
    np.testing.assert_allclose(found[kept], (cells**4).mean(axis=1)[kept], rtol=1e-3)


def test_the_evidence_is_that_of_rare_events():
    """Of rows that meet by chance a Poisson number does, and its likelihood ratio is the bound."""
    n_rows, n_each, n_both = 1_000, 10, 1
    share = n_each / n_rows
    spread = share * (1 - share)
    moment = (1 - 3 * spread) / spread
    correlation = (n_both / n_rows - share**2) / spread
    given = np.array([[1.0, correlation], [correlation, 1.0]])
    lowered = supported(given, np.full(2, moment), n_rows, 30)[0, 1]
    expected = n_each**2 / n_rows
    ratio = n_both * np.log(n_both / expected) - (n_both - expected)
    assert 0.5 * n_rows * lowered**2 == pytest.approx(ratio, rel=0.1)
    assert 0.5 * n_rows * correlation**2 > 2 * ratio


def test_correlations_beyond_chance_stay():
    given = np.array([[1.0, 0.9], [0.9, 1.0]])
    assert (supported(given, np.full(2, 50.0), 1_000, 30) == given).all()
    assert supported(given, np.array([50.0, 3.0]), 1_000, 30) is given


def test_continuous_numbers_are_left_as_they_are():
    rng = np.random.default_rng(0)
    x = rng.standard_cauchy(2_000)
    table = table_of({"x": x, "y": x + rng.standard_cauchy(2_000)})
    embedding = Embedding.of(table)
    n_columns = int(embedding.first[-1])
    assert fourth_moments(embedding, np.zeros(n_columns), np.eye(n_columns)).max() < 9
    assert covariance_of(table).n_summed == 2_000
