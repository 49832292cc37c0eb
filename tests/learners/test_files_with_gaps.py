"""Files with missing values, larger than memory: values are filled in the rows drawn."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.metrics import compare


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """Return the path of 40,000 rows of asia with 5 % missing, twice as many as memory holds."""
    monkeypatch.setattr("bnsieve.table.LIMITS.in_memory", 8 * 20_000)
    frame = bn.load_network("asia").sample(40_000, random_state=0).astype(object)
    frame = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.05)
    frame.to_parquet(tmp_path / "rows.parquet")
    return tmp_path / "rows.parquet"


@pytest.mark.parametrize("prepare", ["auto", None])
def test_values_are_filled_in_the_rows_drawn(rows, prepare):
    learner = bn.TsetlinSieve(random_state=0, n_jobs=1, prepare=prepare)
    with pytest.warns(UserWarning, match="20,000 of 40,000 rows are drawn"):
        learner.fit(rows)
    assert learner.missing_strategy_ == "em"
    assert learner.fit_result_.n_rows == 20_000
    assert compare(bn.load_network("asia"), learner.graph_).f1 > 0.9
    found = learner.query("lung", given={"smoke": "yes"})
    assert found["yes"] == pytest.approx(0.1, abs=0.01)


def test_all_rows_are_counted_where_it_is_asked(rows):
    learner = bn.TsetlinSieve(random_state=0, n_jobs=1, missing="testwise").fit(rows)
    assert learner.missing_strategy_ == "testwise"
    assert learner.fit_result_.n_rows == 40_000


def test_few_missing_values_lose_no_rows(tmp_path, monkeypatch):
    monkeypatch.setattr("bnsieve.table.LIMITS.in_memory", 8 * 20_000)
    frame = bn.load_network("asia").sample(40_000, random_state=0).astype(object)
    frame.iloc[::4_000, 2] = None
    frame.to_parquet(tmp_path / "rows.parquet")
    learner = bn.TsetlinSieve(random_state=0, n_jobs=1).fit(tmp_path / "rows.parquet")
    assert learner.fit_result_.n_rows == 40_000


@pytest.mark.parametrize("shares", [(0.99, 0.01), (0.9, 0.04, 0.03, 0.02, 0.01)])
def test_rare_categories_missing_in_the_same_rows_make_no_edges(shares):
    n_edges = 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        cells = rng.choice(list("abcde")[: len(shares)], (500, 30), p=shares).astype(object)
        cells[rng.random(500) < 0.2, :15] = None
        frame = pd.DataFrame(cells, columns=[f"c{i:02}" for i in range(30)])
        learner = bn.TsetlinSieve(random_state=0, n_jobs=1).fit(frame)
        n_edges += learner.graph_.n_edges
        assert learner.confirmed_edges_ == ()
    assert n_edges == 0
