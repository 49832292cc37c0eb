"""Columns of numbers that are learned from as numbers."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve import TsetlinSieve
from bnsieve.counts import covariance_of
from bnsieve.learners.stages import machine_rows
from bnsieve.table import Table


def people(n: int = 1_500, seed: int = 0) -> pd.DataFrame:
    """Return age -> pressure -> treated -> visits, with a curve: age -> income."""
    rng = np.random.default_rng(seed)
    age = rng.uniform(18, 90, n)
    pressure = 100 + 0.5 * age + rng.normal(0, 10, n)
    treated = np.where(pressure + rng.normal(0, 5, n) > 130, "yes", "no")
    cost = rng.gamma(np.where(treated == "yes", 6.0, 2.0))
    income = -((age - 50) ** 2) / 100 + rng.normal(0, 2, n)
    return pd.DataFrame(
        {"age": age, "pressure": pressure, "treated": treated, "cost": cost, "income": income}
    )


TRUTH = bn.Graph(
    ["age", "pressure", "treated", "cost", "income"],
    [("age", "pressure"), ("pressure", "treated"), ("treated", "cost"), ("age", "income")],
)


@pytest.fixture(scope="module")
def learner() -> bn.TsetlinSieve:
    return bn.TsetlinSieve(random_state=0).fit(people())


def test_numbers_stay_numbers(learner):
    assert learner.numeric_features_ == ("age", "cost", "income", "pressure")
    assert set(learner.fit_result_.sieve.rank_maps) == set(learner.numeric_features_)
    assert learner.graph_.skeleton() == TRUTH.skeleton()
    np.testing.assert_array_equal(learner.fit_result_.rows.numbers[0], people()["age"])


def test_increasing_transforms_and_the_order_of_columns_change_nothing(learner):
    frame = people()
    changed = frame.assign(
        age=np.exp(frame["age"] / 5),
        pressure=frame["pressure"] ** 3,
        cost=np.log(frame["cost"]),
        income=np.arctan(frame["income"] / 10),
    )
    for other in (changed, frame[frame.columns[::-1]], changed[frame.columns[::-1]]):
        found = bn.TsetlinSieve(random_state=0).fit(other)
        assert {frozenset(one) for one in found.graph_.edges} == {
            frozenset(one) for one in learner.graph_.edges
        }
        assert set(found.graph_.directed_edges) == set(learner.graph_.directed_edges)


def test_cutting_on_request_is_what_it_was():
    frame = people(400)
    asked = bn.TsetlinSieve(random_state=0, prepare=bn.Discretizer()).fit(frame)
    assert asked.numeric_features_ == () and asked.fit_result_.sieve.rank_maps == {}
    labels = bn.TsetlinSieve(random_state=0).fit(asked.preparation_.apply(frame))
    assert labels.graph_ == asked.graph_
    assert labels.direction_margins_ == asked.direction_margins_


def test_given_cuts_make_labels_of_a_column():
    frame = people(400)
    plan = bn.prepare(frame, cut={"age": [40, 65]})
    found = bn.TsetlinSieve(random_state=0, prepare=plan).fit(frame)
    assert found.numeric_features_ == ("cost", "income", "pressure")
    assert found.fit_result_.rows.categories[0] == ("< 40", "[40, 65)", ">= 65")


def test_tests_ask_numbers_too():
    found = bn.TsetlinSieve(random_state=0, method="tests").fit(people(400))
    assert set(found.numeric_features_) == {"age", "cost", "income", "pressure"}
    assert found.graph_.skeleton() == TRUTH.skeleton()
    assert found.fit_result_.n_tests > 0


def test_a_handful_of_rows_is_cut():
    found = bn.TsetlinSieve(random_state=0).fit(people(6))
    assert found.numeric_features_ == ()


@pytest.mark.parametrize("missing", ["auto", "testwise", "category"])
def test_missing_cells(missing):
    frame = people()
    rng = np.random.default_rng(1)
    for name in frame:
        frame.loc[rng.random(len(frame)) < 0.1, name] = np.nan
    found = bn.TsetlinSieve(random_state=0, missing=missing).fit(frame)
    assert bn.metrics.compare(found.graph_, TRUTH).f1 > 0.85
    if missing != "category":
        assert set(found.numeric_features_) == {"age", "pressure", "cost", "income"}
        hidden = np.isnan(found.fit_result_.rows.numbers[0])
        np.testing.assert_array_equal(hidden, frame["age"].isna())


def test_copies_have_the_same_ranks():
    frame = people(600)
    frame["minutes"] = np.exp(frame["age"])  # the same by another name
    frame["about"] = frame["age"] + np.random.default_rng(0).normal(0, 0.01, 600)
    found = bn.TsetlinSieve(random_state=0).fit(frame)
    assert found.duplicates_ == {"minutes": "age"}


def test_a_fitted_learner_is_saved_updated_and_resampled(learner, tmp_path):
    learner.save(tmp_path / "model")
    again = bn.load(tmp_path / "model")
    assert again.numeric_features_ == learner.numeric_features_
    np.testing.assert_array_equal(
        again.fit_result_.rows.numbers[1], learner.fit_result_.rows.numbers[1]
    )
    values = people(50, seed=5)["age"]
    np.testing.assert_array_equal(
        again.fit_result_.sieve.rank_maps["age"].to_scores(values),
        learner.fit_result_.sieve.rank_maps["age"].to_scores(values),
    )
    again.update(people(700, seed=5))
    assert again.fit_result_.rows.n_rows == 2_200
    assert again.numeric_features_ == learner.numeric_features_
    assert again.graph_.skeleton() == TRUTH.skeleton()
    assert again.bootstrap(3, random_state=0).of("age", "pressure")[0] == 1.0


def test_knowledge_is_kept():
    known = bn.Knowledge(required=[("cost", "treated")], forbidden=[("age", "income")])
    found = bn.TsetlinSieve(random_state=0, knowledge=known).fit(people(600))
    assert ("cost", "treated") in found.dag_.directed_edges
    assert ("age", "income") not in found.dag_.directed_edges


def test_later_rows_are_scored_and_predicted(learner):
    later = people(100, seed=9)
    assert np.isfinite(learner.score(later))
    assert set(learner.predict(later, "treated")) <= {"yes", "no"}


def test_an_infinite_number_is_read_as_missing_and_told():
    frame = people(300)
    frame.loc[3, "age"] = np.inf
    with pytest.warns(UserWarning, match="age, such as 'inf' in row 4, are read as missing"):
        found = bn.TsetlinSieve(random_state=0).fit(frame)
    assert found.n_missing_ == {"age": 1}
    assert np.flatnonzero(np.isnan(found.fit_result_.rows.numbers[0])).tolist() == [3]


def test_odd_numbers_do_no_harm():
    """A function of others, one of few values, noise."""
    frame = people(500)
    rng = np.random.default_rng(2)
    frame["seldom"] = np.where(rng.random(500) < 0.15, frame["age"], 0.0)
    frame["sum"] = frame["age"] + frame["pressure"]
    frame["whole"] = rng.integers(0, 60, 500)
    found = bn.TsetlinSieve(random_state=0).fit(frame)
    assert set(found.graph_.adjacent("sum")) >= {"age", "pressure"}
    assert found.graph_.adjacent("whole") == ()


def interacting(n: int = 1_500) -> pd.DataFrame:
    """Return y, z of which only the signs act, and only together, on w and on a label."""
    rng = np.random.default_rng(3)
    y, z, noise = rng.normal(size=(3, n))
    either = (y > 0) ^ (z > 0)
    return pd.DataFrame(
        {
            "y": y,
            "z": z,
            "w": 2.0 * either + rng.normal(0, 0.5, n),
            "sound": np.where(either ^ (rng.random(n) < 0.1), "loud", "soft"),
            "noise": noise,
        }
    )


def test_columns_that_act_only_together_are_learned_from_bins():
    frame = interacting()
    found = bn.TsetlinSieve(random_state=0).fit(frame)
    assert found.numeric_features_ == ()
    assert {"y", "z"} & {*found.graph_.adjacent("w"), *found.graph_.adjacent("sound")}
    assert "z" in found.graph_.adjacent("y")  # given what they act on, or by the arrow they share
    assert found.graph_.adjacent("noise") == ()
    # Later rows are cut where these were.
    assert found.preparation_["w"].what.startswith("bins: ")
    cuts = found.preparation_.bin_edges["y"]
    assert np.abs(cuts).min() < 0.1
    assert found.preparation_["y"].outputs[0].bin_edges == cuts
    labels = found.preparation_.apply(frame)["y"].astype(str).tolist()
    table = found.fit_result_.rows
    assert [table.categories[0][code] for code in table.codes[0]] == labels
    assert np.isfinite(found.score(frame))


def test_bins_that_win_do_not_hang_on_scale_either():
    frame = interacting(800)
    found = bn.TsetlinSieve(random_state=0).fit(frame)
    curved = frame.assign(y=np.exp(2 * frame["y"]), z=frame["z"] ** 3, w=np.exp(frame["w"]))
    assert bn.TsetlinSieve(random_state=0).fit(curved).graph_ == found.graph_


@pytest.mark.parametrize(("n_labels", "numbers"), [(4, ("x",)), (5, ())])
def test_numbers_that_are_fewer_than_one_column_in_five_are_cut(n_labels, numbers):
    rng = np.random.default_rng(0)
    x = rng.normal(size=600)
    frame = pd.DataFrame({f"l{i}": rng.permutation(["a", "b"] * 300) for i in range(n_labels)})
    frame = frame.assign(x=x, l0=np.where(x + rng.normal(size=600) > 0, "a", "b"))
    learner = TsetlinSieve(random_state=0).fit(frame)
    assert learner.numeric_features_ == numbers
    assert learner.graph_.adjacent("x") == ("l0",)
    plan = bn.prepare(frame, roles={"x": "quantity"})
    assert TsetlinSieve(random_state=0, prepare=plan).fit(frame).numeric_features_ == ("x",)


def test_rows_beyond_20_000_count_no_more():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(30_000, 2))
    table = Table(
        np.zeros((2, 30_000), dtype=np.uint8),
        ("a", "b"),
        (("low", "high"), ("low", "high")),
        {},
        dict(enumerate(values.T)),
    )
    assert covariance_of(table).n_rows == 20_000
    assert covariance_of(table.take(np.arange(9_000))).n_rows == 8_997.5


def test_rules_are_read_from_the_rows_that_machines_saw(monkeypatch):
    monkeypatch.setattr("bnsieve.learners.stages.MANY_ROWS", 1_000)
    rng = np.random.default_rng(0)
    x = rng.normal(size=3_000)
    frame = pd.DataFrame({"x": x, "y": x + rng.normal(size=3_000), "z": rng.normal(size=3_000)})
    learner = TsetlinSieve(sample_rows=1_200, random_state=0).fit(frame)
    seen = machine_rows(learner.fit_result_.rows, 1_200, learner.fit_result_.sieve.machines.seed)
    assert seen.n_rows == 1_200
    assert set(seen.numbers[seen.names.index("x")]) <= set(x)
    assert learner.explain("x", "y").rules
