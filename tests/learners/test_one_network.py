"""A fit has one network, and the learner answers as its network does.

Tables, with numbers, and of numbers alone: every method that both have gives the same, with the
same defaults.
"""

import inspect

import numpy as np
import pandas as pd
import pytest
from test_numeric import people

import bnsieve as bn
from bnsieve import BayesianNetwork, TsetlinSieve

ASIA = bn.load_network("asia")


def only_numbers(n=1_500, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = a + rng.normal(size=n)
    return pd.DataFrame({"a": a, "b": b, "c": b - a + rng.normal(size=n)})


DATA = {
    "states": (ASIA.sample(2_000, random_state=0), "bronc", "dysp", "no"),
    "mixed": (people(1_500), "pressure", "treated", 150.0),
    "numbers": (only_numbers(), "a", "b", 0.5),
}
# One call of every method that learner and network share.
CALLS = {
    "query": lambda it, data, x, y, value: (it.query(y, {x: value}), it.query([x, y], joint=True)),
    "predict": lambda it, data, x, y, value: (it.predict(data.head(20), y), it.predict(data, x)),
    "effect": lambda it, data, x, y, value: it.effect(x, y, interval=0.9),
    "next_question": lambda it, data, x, y, value: it.next_question(y, {x: value}),
    "why": lambda it, data, x, y, value: it.why(y, {x: value}),
}


@pytest.fixture(scope="module", params=sorted(DATA))
def fit(request):
    data, *question = DATA[request.param]
    learner = TsetlinSieve(random_state=0).fit(data)
    learner.bootstrap(4, random_state=0)
    return learner, (data, *question)


def test_every_shared_method_is_compared():
    own = {name for name in dir(BayesianNetwork) if not name.startswith("_")}
    shared = {name for name in own if callable(getattr(TsetlinSieve, name, None))}
    assert shared == set(CALLS)
    for name in shared:
        on_network = inspect.signature(getattr(BayesianNetwork, name))
        assert inspect.signature(getattr(TsetlinSieve, name)) == on_network


@pytest.mark.parametrize("name", sorted(CALLS))
def test_learner_and_network_answer_alike(fit, name):
    learner, question = fit
    by_learner, by_network = (CALLS[name](it, *question) for it in (learner, learner.network_))
    assert_same(by_learner, by_network)


def assert_same(one, other):
    if isinstance(one, tuple):
        for a, b in zip(one, other, strict=True):
            assert_same(a, b)
    elif isinstance(one, pd.DataFrame | pd.Series):
        assert one.equals(other)
    elif isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other)
    elif hasattr(one, "__dataclass_fields__") and not isinstance(one, bn.Graph):
        for field in one.__dataclass_fields__:
            assert_same(getattr(one, field), getattr(other, field))
    else:
        assert one == other or (one != one and other != other)  # NaN


def test_answers_have_intervals_over_graphs_by_default(fit):
    learner, (_, x, y, value) = fit
    answer = learner.network_.query(y, {x: value})
    assert answer.interval == 0.9
    assert (answer.low <= answer.probabilities).all()
    assert (answer.probabilities <= answer.high).all()
    assert learner.network_.learned.replicate_dags == learner.fit_result_.replicate_dags
    assert len(learner.network_.parts.interval_source.posteriors) == 1 + 4


def test_what_was_learned_as_a_number_is_numeric_and_has_bins():
    data = people(1_500)
    learner = TsetlinSieve(random_state=0).fit(data)
    network = learner.network_
    assert set(network.numbers) == set(learner.numeric_features_) == {"age", "pressure", "weight"}
    assert list(network.states) == ["treated"]
    assert set(network.binned.states) == set(data)
    assert set(network.regressions) | set(network.tables) == set(data)
    assert not network.binned.numbers
    assert network.graph == network.binned.graph == learner.dag_
    # A number in the evidence stands for its bin, and the bin for itself.
    state = network.parts.in_states({"pressure": 150.0})["pressure"]
    assert state in network.binned.states["pressure"]
    of_number = network.query("treated", {"pressure": 150.0})
    assert of_number["yes"] == network.query("treated", {"pressure": state})["yes"]
    assert of_number["yes"] == network.binned.query("treated", {"pressure": state})["yes"]
    assert len(network.query("pressure").states[0]) == len(network.binned.states["pressure"])
    # In units.
    drawn = network.sample(2_000, random_state=1)
    assert drawn.pressure.mean() == pytest.approx(data.pressure.mean(), rel=0.02)
    sampled = network.expect("pressure", {"age": 60.0}, method="sampling", random_state=0)
    assert sampled.mean == pytest.approx(130, abs=3)
    by_draws = network.query("treated", {"pressure": 150.0}, method="sampling", random_state=0)
    assert by_draws.errors is not None
    assert by_draws["yes"] > 0.8


def test_rows_may_be_given_as_they_were_or_as_states():
    data = people(800)
    network = TsetlinSieve(random_state=0).fit(data).network_
    states = network.parts.table_of(data).to_frame()
    raw = network.predict_proba(data, "treated")
    assert raw.equals(network.predict_proba(states, "treated"))
    assert raw.equals(network.binned.predict_proba(data, "treated"))
    densities = network.log_likelihood(network.sample(50, random_state=0))
    assert np.isfinite(densities).all()


def test_missing_numbers_are_imputed_in_units():
    data = people(800)
    network = TsetlinSieve(random_state=0).fit(data).network_
    some = data.head(40).copy()
    some.loc[[1, 5], "pressure"] = np.nan
    some.loc[[2], "treated"] = None
    filled = network.impute(some)
    assert filled.pressure.notna().all()
    assert filled.treated.notna().all()
    known = some.pressure.notna()
    assert filled.pressure[known].equals(some.pressure[known])
    assert filled.pressure.between(data.pressure.min(), data.pressure.max()).all()
    drawn = network.impute(some, "drawn", random_state=0)
    assert drawn.pressure[~known].isin(data.pressure).all()


def test_a_network_of_a_file_has_no_intervals_unless_it_has_counts():
    assert ASIA.query("dysp").interval is None
    fitted = bn.fit_parameters(ASIA.graph, ASIA.sample(500, random_state=0))
    assert fitted.query("dysp").interval == 0.9
    assert fitted.query("dysp", interval=None).low is None


def test_effects_of_a_fit_cover_its_class():
    learner = TsetlinSieve(random_state=0).fit(ASIA.sample(3_000, random_state=0))
    network = learner.network_
    assert network.learned.equivalence_class == learner.graph_
    assert len(network.effect("bronc", "dysp").cases) > 1
    assert len(network.effect("bronc", "dysp", graph=network.graph).cases) == 1
    with pytest.raises(ValueError, match="needs the rows of a fit"):
        ASIA.effect("bronc", "dysp", interval=0.9)
