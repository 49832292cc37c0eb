"""The baselines as estimators: fitted attributes, any column order, any number of threads."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import bnsieve
from bnsieve import FSMBPC, PC, Graph, HitonPC
from bnsieve.counts import ScannedCounts
from bnsieve.decide import CountsTest
from bnsieve.table import Table

LEARNERS = [PC(), PC(variant="original"), HitonPC(), FSMBPC()]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=str)


@pytest.fixture(scope="module")
def data():
    """Give 3,000 rows of a -> b -> c, (b, d) -> e, an unrelated f, a constant g; e -> h."""
    rng = np.random.default_rng(0)
    n = 3000

    def noisy(values, n_states, share=0.3):
        return np.where(rng.random(n) < share, rng.integers(0, n_states, n), values % n_states)

    a = rng.integers(0, 3, n)
    b = noisy(a, 3)
    d = rng.integers(0, 2, n)
    e = noisy(b + d, 4)
    columns = {
        "g": np.zeros(n, dtype=int),
        "b": b,
        "e": e,
        "c": noisy(b, 3),
        "a": a,
        "h": noisy(e // 2, 2),
        "f": rng.integers(0, 4, n),
        "d": d,
    }
    return pd.DataFrame(columns).astype(str)


TRUE_EDGES = {frozenset(pair) for pair in ["ab", "bc", "be", "de", "eh"]}


@every_learner
def test_finds_clear_edges(learner, data):
    fitted = clone(learner).fit(data)
    assert set(map(frozenset, fitted.graph_.skeleton().edges)) == TRUE_EDGES
    # Only b -> e <- d can be told from independences, and what follows: e -> h, or h would be a
    # parent of e as well.
    arrows, lines = ["be", "de", "eh"], ["ab", "bc"]
    assert fitted.graph_ == Graph(data.columns, map(tuple, arrows), map(tuple, lines))
    assert fitted.dag_.to_cpdag() == fitted.graph_
    assert fitted.fit_result_.conflicts == ()
    assert 0 <= fitted.fit_result_.n_orientation_tests < 100
    assert fitted.graph_.nodes == tuple(data.columns)
    assert list(fitted.feature_names_in_) == list(data.columns)
    assert fitted.n_features_in_ == 8
    assert fitted.constant_features_ == ("g",)
    assert fitted.separating_sets_[frozenset("ac")] == ("b",)
    assert fitted.separating_sets_[frozenset("ad")] == ()
    # 7 columns that vary: 21 pairs were tested given nothing, and more given something.
    assert 21 < fitted.fit_result_.n_tests < 500
    assert list(fitted.timings_) == ["reading", "table", "search", "orientation", "families"]
    assert all(seconds > 0 for seconds in fitted.timings_.values())


@every_learner
def test_order_of_columns_has_no_say(learner, data):
    first = clone(learner).fit(data)
    other = clone(learner).fit(data[["h", "a", "f", "c", "g", "d", "e", "b"]])
    assert other.graph_ == first.graph_
    assert other.separating_sets_ == first.separating_sets_
    assert other.fit_result_.n_tests == first.fit_result_.n_tests
    assert other.fit_result_.n_orientation_tests == first.fit_result_.n_orientation_tests


@every_learner
def test_number_of_threads_has_no_say(learner, data):
    first = clone(learner).fit(data)
    other = clone(learner).set_params(n_jobs=3).fit(data)
    assert other.graph_ == first.graph_
    assert other.separating_sets_ == first.separating_sets_
    assert other.fit_result_.n_tests == first.fit_result_.n_tests
    assert other.fit_result_.n_orientation_tests == first.fit_result_.n_orientation_tests


@every_learner
def test_separating_sets_separate_on_the_data(learner, data):
    fitted = clone(learner).fit(data)
    table = Table.from_data(data)
    test = CountsTest(ScannedCounts(table), alpha=fitted.alpha)
    for pair, given in fitted.separating_sets_.items():
        x, y, *rest = (table.names.index(name) for name in (*pair, *given))
        assert test.test(x, y, rest).independent


@every_learner
def test_parameters_reach_the_algorithm(learner, data):
    marginal = clone(learner).set_params(max_conditioning=0).fit(data)
    assert marginal.fit_result_.n_tests == 21
    assert frozenset("ac") in set(map(frozenset, marginal.graph_.skeleton().edges))
    with pytest.raises(ValueError, match="alpha"):
        clone(learner).set_params(alpha=2).fit(data)
    with pytest.raises(ValueError, match=r"ci_test must be one of auto, .*; got 't'"):
        clone(learner).set_params(ci_test="t").fit(data)


@every_learner
def test_constant_data_leave_nothing_to_ask(learner):
    fitted = clone(learner).fit(pd.DataFrame({"x": ["u", "u"], "y": ["v", "v"]}))
    assert (
        fitted.graph_.n_edges
        == fitted.fit_result_.n_tests
        == fitted.fit_result_.n_orientation_tests
        == 0
    )
    assert fitted.constant_features_ == ("x", "y")


def test_public_names():
    assert {"PC", "HitonPC", "FSMBPC"} <= set(bnsieve.__all__)
