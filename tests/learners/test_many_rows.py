"""Of many rows in memory some are searched, and all are counted."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.counts import count
from bnsieve.learners import stages
from bnsieve.metrics import compare


@pytest.fixture
def few_are_many(monkeypatch):
    monkeypatch.setattr(stages, "MANY_ROWS", 5_000)
    monkeypatch.setattr(stages, "N_SOUGHT_IN", 2_000)


def test_all_rows_decide(few_are_many):
    alarm = bn.load_network("alarm")
    rows = alarm.sample(20_000, random_state=0)
    learner = bn.TsetlinSieve(random_state=0).fit(rows)
    # In 2,000 rows alone F1 is some .03 lower.
    assert compare(alarm, learner).f1 > 0.95
    assert "counting" in learner.timings_
    assert learner.fit_result_.rows.n_rows == 20_000
    assert learner.network_ == bn.fit_parameters(learner.dag_, rows)


def test_missing_cells_are_filled_in_all_rows(few_are_many):
    rows = bn.load_network("asia").sample(6_000, random_state=1).astype(str)
    rows.loc[::7, "dysp"] = None
    learner = bn.TsetlinSieve(random_state=0).fit(rows)
    assert learner.missing_strategy_ == "em"
    assert learner.n_missing_ == {"dysp": int(rows["dysp"].isna().sum())}
    assert learner.graph_.skeleton().has_edge("bronc", "dysp")


def test_a_label_that_no_searched_row_has_does_no_harm(few_are_many):
    rng = np.random.default_rng(0)
    rare = np.full(6_000, "no", dtype=object)
    rare[4_321] = "yes"
    x = rng.integers(2, size=6_000)
    y = np.where(rng.random(6_000) < 0.9, x, 1 - x)
    frame = pd.DataFrame({"x": x.astype(str), "y": y.astype(str), "rare": rare})
    learner = bn.TsetlinSieve(random_state=0).fit(frame)
    assert learner.graph_.skeleton().n_edges == 1
    assert count(
        learner.fit_result_.rows, [learner.fit_result_.rows.names.index("rare")]
    ).counts.tolist() == [5_999, 1]


def test_fewer_rows_are_searched_as_they_are():
    rows = bn.load_network("asia").sample(1_000, random_state=0)
    assert "counting" not in bn.TsetlinSieve(random_state=0).fit(rows).timings_
