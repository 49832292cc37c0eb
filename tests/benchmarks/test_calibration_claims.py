"""The studies of what is said of recall, slopes, effects, networks, predictions and new rows."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.calibration import claims, recall
from bnsieve import BayesianNetwork, Graph, TsetlinSieve, load_network


def test_what_the_sieve_named_is_judged_by_the_truth(monkeypatch):
    """With one candidate each, a column that has two neighbours loses some of them."""
    learner = recall.Watched(random_state=0, n_jobs=1, n_first_candidates=1)
    monkeypatch.setattr(recall, "Watched", lambda **settings: learner)
    run = recall.perform(recall.Job("alarm", 500, 0))
    truth = {frozenset(edge) for edge in load_network("alarm").graph.edges}
    named = {frozenset((a, b)) for a, own in learner.named.items() for b in own}
    assert run["true_edges"] == 46
    assert run["named"] == len(truth & named) < 46
    assert run["named_and_found"] <= min(run["named"], run["found"])
    assert 0 < run["promised"] < 1


def test_the_watched_learner_is_the_default():
    data = load_network("asia").sample(300, random_state=0)
    watched = recall.Watched(random_state=0, n_jobs=1).fit(data)
    assert watched.graph_ == TsetlinSieve(random_state=0, n_jobs=1).fit(data).graph_


def runs(promised, named):
    return pd.DataFrame(
        {
            "network": "some",
            "rows": 500,
            "seed": range(len(promised)),
            "promised": promised,
            "true_edges": 100,
            "named": named,
            "found": 50,
            "named_and_found": 50,
            "cpu_seconds": 1.0,
        }
    )


def test_a_promise_that_is_too_low_is_told():
    assert recall.report(runs([0.9, 0.9, 0.9], [90, 80, 85]))[1] == []
    assert recall.report(runs([0.8, 0.8, 0.8], [90, 91, 89]))[1] == ["some, 500 rows: by 0.100"]


def test_the_expected_difference_is_that_of_all_rows():
    """Two networks over two columns, by hand: KL of the joint distributions."""
    levels = {"a": ["n", "y"], "b": ["n", "y"]}
    tables = {"a": np.array([0.5, 0.5]), "b": np.array([[0.9, 0.1], [0.2, 0.8]])}
    truth = BayesianNetwork(Graph(["a", "b"], [("a", "b")]), levels, tables)
    other = BayesianNetwork(
        Graph(["a", "b"]), levels, {"a": np.array([0.5, 0.5]), "b": np.array([0.55, 0.45])}
    )
    joint = np.array([[0.45, 0.05], [0.1, 0.4]])
    alone = np.outer([0.5, 0.5], [0.55, 0.45])
    wanted = (joint * np.log(alone / joint)).sum()
    assert claims.expected_difference(truth, other) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(("claim", "case"), [("effect", "asia"), ("prediction", "asia")])
def test_claims_are_counted(claim, case):
    run = claims.perform(claims.Job(claim, case, 500, 0))
    assert 0 < run["held"] <= run["n"]
    assert 0.5 * run["n"] < run["said"] <= run["n"]


def test_slopes_hold_the_truth_as_often_as_they_say_whatever_the_noise():
    """Of 400 intervals of 90 % each kind, at least 85 in 100 (4 standard errors below) hold it."""
    for case in claims.KINDS["slope"].cases:
        made = [claims.slopes(claims.Job("slope", case, 100, seed)) for seed in range(10)]
        assert 0.84 <= sum(held for _, _, held in made) / 400 <= 0.96, case


@pytest.mark.parametrize("case", claims.KINDS["no move"].cases)
def test_new_rows_like_the_old_ones_have_not_moved(case):
    """One in a thousand is said to have; of 2,000 at most 12, which chance would exceed never."""
    made = [claims.moves(claims.Job("no move", case, 100, seed)) for seed in range(4)]
    assert sum(n - still for n, _, still in made) <= 12


def test_a_claim_outside_its_bar_is_told():
    frame = pd.DataFrame(
        {"claim": "slope", "case": "normal noise", "rows": 100, "seed": 0, "n": 100, "said": 90.0}
        | {"held": [80], "cpu_seconds": 1.0}
    )
    assert claims.report(frame)[1] == ["slope, normal noise: off by -0.100"]
    assert claims.report(frame.assign(held=88))[1] == []
