"""Learners in the units of the data: networks of numbers, predictions, evidence."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn


def people(n=2_000, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.uniform(18, 90, n)
    pressure = 100 + 0.5 * age + rng.normal(0, 10, n)
    weight = 60 + 0.3 * pressure + rng.normal(0, 5, n)
    treated = np.where(pressure + rng.normal(0, 5, n) > 140, "yes", "no")
    return pd.DataFrame({"age": age, "pressure": pressure, "weight": weight, "treated": treated})


@pytest.fixture(scope="module")
def learner():
    return bn.TsetlinSieve(random_state=0).fit(people())


def test_regressions_are_made_once_and_again_for_other_rows():
    learner = bn.TsetlinSieve(random_state=0).fit(people(400))
    first = learner.network_
    assert learner.network_ is first
    assert first.regressions is learner.network_.regressions
    learner.fit(people(500, seed=1))
    assert learner.network_ is not first


def test_without_numbers_all_variables_have_states():
    learner = bn.TsetlinSieve(prepare=bn.Discretizer(), random_state=0).fit(people(300))
    assert learner.network_.numbers == ()
    assert set(learner.network_.states) == set(people(1))
    assert not bn.PC().fit(people(300)).numeric_features_


def test_a_network_saved_without_rows_has_bins_only(tmp_path, learner):
    learner.save(tmp_path / "a.bnsieve", data=False)
    again = bn.load(tmp_path / "a.bnsieve")
    assert again.network_.numbers == ()
    assert again.network_ == learner.network_.binned
    # Intervals come from the counts, which are kept; predictions are bins.
    assert again.query("treated", {"pressure": 150.0}).interval == 0.9
    assert again.predict(people(20), "weight").dtype == "category"
    with pytest.raises(ValueError, match="without its data"):
        again.effect("pressure", "treated", interval=0.9)


def test_numbers_are_predicted_as_well_as_a_regression_does(learner):
    new = people(1_000, seed=5)
    found = learner.predict(new, "pressure")
    # What normal theory says, from the true coefficients: given age and weight.
    precision = 1 / 100 + 0.3**2 / 25
    best = ((100 + 0.5 * new.age) / 100 + 0.3 * (new.weight - 60) / 25) / precision
    error = np.sqrt(np.mean((found - new.pressure) ** 2))
    assert error < 1.05 * np.sqrt(np.mean((best - new.pressure) ** 2))
    assert found.index.equals(new.index)
    assert found.name == "pressure"


def test_the_target_need_not_be_there_and_gaps_are_bridged(learner):
    new = people(60, seed=6)
    whole = learner.predict(new, "pressure")
    assert learner.predict(new.drop(columns="pressure"), "pressure").equals(whole)
    new.loc[[3, 7], "weight"] = np.nan
    found = learner.predict(new, "pressure")
    others = ~new.index.isin([3, 7])
    assert found[others].to_numpy() == pytest.approx(whole[others].to_numpy())
    assert found.between(80, 180).all()
    assert learner.predict(new[["age"]], "pressure").between(80, 180).all()


def test_arrows_add_up_to_the_score(learner):
    # The score of a graph is the sum over its arrows, where no column has two parents.
    assert all(len(learner.dag_.parents(name)) <= 1 for name in learner.dag_.nodes)
    total = sum(one.gain for one in learner.edge_gains())
    assert total == pytest.approx(learner.score_, rel=1e-9)


def test_evidence_is_in_units(learner):
    evidence = learner.explain("age", "pressure")
    found = evidence.in_units
    data = people()
    slope = np.polyfit(data[found.tail], data[found.head], 1)[0]
    assert found.slope == pytest.approx(slope, rel=1e-6)
    assert found.correlation == pytest.approx(data.age.corr(data.pressure, method="spearman"))
    assert abs(found.slope) > 20 * found.error > 0
    assert f"for each 1 of {found.tail}" in str(evidence)
    assert {test.method for test in evidence.tests} == {"residuals"}


def test_rules_read_as_thresholds(learner):
    rules = learner.explain("pressure", "treated").rules
    texts = " ".join(map(str, rules))
    assert "pressure >= " in texts or "pressure < " in texts
    assert "pressure = " not in texts
    plain = learner.explain("pressure", "treated").to_dict()
    assert all(isinstance(rule["label"], str) for rule in plain["rules"])


def test_why_knows_which_rules_hold_for_a_number(learner):
    reasons = learner.why("treated", {"pressure": 160.0, "weight": 110.0})
    assert reasons.rules
    assert all(
        160.0 in condition.label
        for rule in reasons.rules
        for condition in rule.conditions
        if condition.variable == "pressure"
    )


def test_an_edge_between_number_and_label_has_means_or_shares(learner):
    found = learner.explain("pressure", "treated").in_units
    data = people()
    assert found.slope is None
    if found.head == "pressure":
        means = dict(found.parts)
        assert means["yes"] == pytest.approx(data.pressure[data.treated == "yes"].mean())
    else:
        assert found.state in ("yes", "no")
        assert all(0 <= share <= 1 for _, share in found.parts)


def test_a_prediction_from_part_of_the_blanket_is_what_expect_answers():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=3_000), "k": rng.choice(["p", "q"], 3_000)})
    frame["b"] = 2 * frame.a + rng.normal(size=3_000)
    frame["c"] = frame.b - frame.a + 1.0 * (frame.k == "p") + rng.normal(size=3_000)
    network = bn.TsetlinSieve(random_state=0).fit(frame).network_
    assert network.numbers == ("a", "b", "c")
    given = [{"a": 0.5}, {"a": -1.0}, {"k": "p"}, {"a": 1.0, "k": "q"}, {}, {"b": 2.0, "k": "p"}]
    predicted = network.predict(pd.DataFrame(given, columns=["a", "b", "k"]), "c")
    expected = [network.expect("c", known).mean for known in given]
    assert predicted.to_numpy() == pytest.approx(expected, rel=1e-9)


def test_a_sum_of_twelve_numbers_has_twelve_parents():
    random = np.random.default_rng(1)
    numbers = random.normal(size=(20_000, 12))
    frame = pd.DataFrame(numbers, columns=[f"x{i}" for i in range(12)])
    frame["y"] = numbers.sum(axis=1) + random.normal(size=20_000)
    graph = bn.TsetlinSieve(random_state=0).fit(frame).graph_
    assert set(graph.edges) == {(f"x{i}", "y") for i in range(12)}


@pytest.mark.parametrize("most", [8, 3])
def test_no_variable_has_more_parents_than_allowed(most):
    """The sum of twelve numbers, and of five categories, would have more."""
    random = np.random.default_rng(0)
    numbers = random.normal(size=(5000, 12))
    frame = pd.DataFrame(numbers, columns=[f"x{i}" for i in range(12)])
    frame["y"] = numbers.sum(axis=1) + random.normal(size=5000)
    states = random.integers(0, 3, (5000, 5))
    other = pd.DataFrame(states, columns=list("abcde")).assign(
        y=states.sum(axis=1) + (random.random(5000) < 0.1)
    )
    for data in (frame, other.astype(str)):
        dag = bn.TsetlinSieve(random_state=0, max_parents=most).fit(data).dag_
        assert max(len(dag.parents(name)) for name in dag.nodes) <= most
