"""Effects of a fit: what its users met, with the right answers."""

import json

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn


@pytest.fixture
def random():
    return np.random.default_rng(0)


def discounts(random, n=20_000):
    """A discount is given to plan pro only, where churn falls from 6 % to 2 %."""
    plan = np.where(random.random(n) < 0.3, "pro", "free")
    discount = np.where((plan == "pro") & (random.random(n) < 0.5), "yes", "no")
    risk = np.where(plan == "free", 0.1, np.where(discount == "yes", 0.02, 0.06))
    churn = np.where(random.random(n) < risk, "yes", "no")
    return pd.DataFrame({"plan": plan, "discount": discount, "churn": churn})


@pytest.fixture
def fitted(random):
    tiers = bn.Knowledge(tiers=[["plan"], ["discount"], ["churn"]])
    return bn.TsetlinSieve(random_state=0, knowledge=tiers).fit(discounts(random))


def test_an_effect_is_told_where_there_is_overlap_only(fitted):
    effect = fitted.effect("discount", "churn")
    (case,) = effect.cases
    (contrast,) = case.contrasts
    assert (contrast.treated, contrast.control, contrast.state) == ("yes", "no", "yes")
    assert contrast.low < -0.04 < contrast.high < 0
    assert contrast.share == pytest.approx(0.3, abs=0.01)
    assert "about the 29% of rows with overlap (plan = pro)" in str(effect)
    assert effect.cases[0].table.loc["yes"].isna().all()  # of plan free nothing is known


def test_an_effect_within_a_subgroup(fitted):
    effect = fitted.effect("discount", "churn", within={"plan": "pro"})
    (contrast,) = effect.cases[0].contrasts
    assert contrast.low < -0.04 < contrast.high < 0
    assert contrast.share == 1
    assert contrast.network == pytest.approx(contrast.difference, abs=0.01)


def test_an_edge_that_the_graph_lacks_does_not_bias_the_estimate(random):
    """Without plan -> churn nothing needs adjustment; 7.6 points would be said for 4."""
    known = bn.Knowledge(tiers=[["plan"], ["discount"], ["churn"]], forbidden=[("plan", "churn")])
    learner = bn.TsetlinSieve(random_state=0, knowledge=known).fit(discounts(random))
    effect = learner.effect("discount", "churn")
    (case,) = effect.cases
    assert (case.adjustment, case.adjusted_for) == ((), ("plan",))
    (contrast,) = case.contrasts
    assert contrast.low < -0.04 < contrast.high < 0
    assert not contrast.agrees
    assert "which does not fit the rows here" in str(effect)


def test_no_overlap_is_refused_with_the_reason(fitted):
    with pytest.raises(ValueError, match="no two states of 'discount' occur where plan = free"):
        fitted.effect("discount", "churn", within={"plan": "free"})


def test_a_subgroup_after_treatment_is_refused(fitted):
    with pytest.raises(ValueError, match="'discount' affects 'churn' in every DAG"):
        fitted.effect("discount", "plan", within={"churn": "yes"})


def test_a_missing_edge_is_not_a_zero(random):
    """A path that the graph lacks is contradicted by the rows, in words."""
    n = 20_000
    treated = random.random(n) < 0.5
    outcome = random.random(n) < np.where(treated, 0.056, 0.073)
    frame = pd.DataFrame({"treated": treated, "y": outcome, "other": random.random(n) < 0.5})
    apart = bn.Knowledge(forbidden=[("treated", "y"), ("y", "treated")])
    effect = bn.TsetlinSieve(random_state=0, knowledge=apart).fit(frame).effect("treated", "y")
    assert effect.cases[0].contrasts[0].excludes_zero
    words = str(effect)
    assert "no directed path from treated to y, so it implies no effect" in words
    assert "the data contradict the graph here" in words


def test_a_randomised_treatment_in_many_rows_beside_numbers(random):
    """From 7.3 % to 5.6 % in 500,000 rows, with numeric columns beside: an effect."""
    n = 500_000
    treated = random.random(n) < 0.5
    x = random.normal(size=n)
    frame = pd.DataFrame(
        {
            "treated": treated,
            "x": x.round(3),
            "z": (x + random.normal(size=n)).round(3),
            "y": random.random(n) < np.where(treated, 0.056, 0.073),
        }
    )
    learner = bn.TsetlinSieve(
        random_state=0, knowledge=bn.Knowledge(tiers=[["treated", "x", "z"], ["y"]])
    ).fit(frame)
    (case,) = learner.effect("treated", "y").cases
    (contrast,) = case.contrasts
    assert contrast.low < -0.017 < contrast.high < -0.01


def test_a_treatment_that_lowers_mortality(random):
    """3,000 patients, 4.1 points fewer deaths, given mostly to the old: found beside age."""
    n = 3000
    age = random.integers(40, 90, n)
    statin = random.random(n) < 1 / (1 + np.exp((65 - age) / 12))
    risk = 0.06 + 0.15 / (1 + np.exp((70 - age) / 5)) - 0.041 * statin
    frame = pd.DataFrame(
        {
            "age": age,
            "statin": statin,
            "death": random.random(n) < risk,
            "sex": random.random(n) < 0.5,
        }
    )
    tiers = bn.Knowledge(tiers=[["age", "sex"], ["statin"], ["death"]])
    learner = bn.TsetlinSieve(random_state=0, knowledge=tiers).fit(frame)
    (case,) = learner.effect("statin", "death").cases
    (contrast,) = case.contrasts
    assert contrast.low < -0.041 < contrast.high < 0


def test_a_numeric_treatment_has_an_effect_per_unit(random):
    z = random.normal(size=5000)
    dose = z + random.normal(size=5000)
    frame = pd.DataFrame(
        {"z": z, "dose": dose, "response": 2 * dose - z + random.normal(size=5000)}
    )
    tiers = bn.Knowledge(tiers=[["z"], ["dose"], ["response"]])
    learner = bn.TsetlinSieve(random_state=0, knowledge=tiers).fit(frame)
    effect = learner.effect("dose", "response")
    per_unit = effect.cases[0].contrasts[0]
    assert per_unit.treated is None
    assert per_unit.low < 2 < per_unit.high
    assert "per unit, response" in str(effect)


def test_an_outcome_that_may_be_a_cause_has_no_contrast(random):
    frame = pd.DataFrame({"a": random.random(2000) < 0.5})
    frame["b"] = frame["a"] ^ (random.random(2000) < 0.2)
    effect = bn.TsetlinSieve(random_state=0).fit(frame).effect("a", "b")
    assert {case.parents: len(case.contrasts) for case in effect.cases} == {(): 1, ("b",): 0}
    assert "b is then a cause of a: no effect on it" in str(effect)


def test_two_settings_are_compared_as_given(random):
    frame = pd.DataFrame({"dose": random.choice(["high", "low", "none"], 6000)})
    risk = frame["dose"].map({"none": 0.5, "low": 0.3, "high": 0.2})
    frame["ill"] = random.random(6000) < risk
    tiers = bn.Knowledge(tiers=[["dose"], ["ill"]])
    learner = bn.TsetlinSieve(random_state=0, knowledge=tiers).fit(frame)
    (contrast,) = learner.effect({"dose": ("none", "low")}, "ill").cases[0].contrasts
    assert (contrast.treated, contrast.control) == ("low", "none")
    assert contrast.low < -0.2 < contrast.high < 0
    for pair in (("none", "none"), ("none", "low", "high")):
        with pytest.raises(ValueError, match="two different ones to compare"):
            learner.effect({"dose": pair}, "ill")


def test_the_first_state_is_compared_with_the_second(fitted):
    (contrast,) = fitted.effect({"discount": "no"}, "churn").cases[0].contrasts
    assert (contrast.treated, contrast.control) == ("no", "yes")
    assert contrast.low < 0.04 < contrast.high


def test_a_pair_of_the_only_two_states_keeps_its_order(fitted):
    (contrast,) = fitted.effect({"discount": ("yes", "no")}, "churn").cases[0].contrasts
    assert (contrast.treated, contrast.control) == ("no", "yes")


def test_evidence_leaves_no_answer_to_a_prior(fitted):
    """Of plan free with a discount there are no rows: nothing is said of it."""
    effect = fitted.effect("discount", "churn", given={"plan": "free"})
    assert effect.cases[0].table.loc["yes"].isna().all()
    assert '"yes": {"no": null' in bn_json(effect)


def bn_json(effect):
    return json.dumps(effect.to_dict(), allow_nan=False)


def test_what_rows_that_were_not_kept_leave_unchecked_is_said(fitted, tmp_path):
    fitted.save(tmp_path / "model.bns", data=False)
    effect = bn.load(tmp_path / "model.bns").effect("discount", "churn")
    assert "The rows were not kept" in str(effect)
    assert effect.to_frame().empty


def test_a_sample_of_the_rows_of_files_is_said(random, tmp_path):
    discounts(random, 60_000).to_csv(tmp_path / "discounts.csv", index=False)
    tiers = bn.Knowledge(tiers=[["plan"], ["discount"], ["churn"]])
    learner = bn.TsetlinSieve(random_state=0, knowledge=tiers).fit(tmp_path / "discounts.csv")
    effect = learner.effect("discount", "churn")
    n_kept = learner.fit_result_.rows.n_rows
    if n_kept < 60_000:
        assert f"a sample of {n_kept:,} of 60,000 rows" in str(effect)


def test_contrasts_are_a_frame(fitted):
    frame = fitted.effect("discount", "churn").to_frame()
    assert frame.loc[0, "where"] == "plan = pro"
    assert frame.loc[0, "adjustment"] == ("plan",)
    assert frame.loc[0, "low"] < -0.04 < frame.loc[0, "high"]


def test_directions_with_little_support_at_a_treatment_are_cases_of_their_own():
    """Two causes of a number, 80 rows: the score hardly tells the common effect from a chain."""
    random = np.random.default_rng(0)
    first, second = random.normal(size=(2, 80))
    third = 0.6 * (first + second) + random.normal(size=80)
    last = third + random.normal(size=80)
    frame = pd.DataFrame({"first": first, "second": second, "third": third, "last": last})
    learner = bn.TsetlinSieve(random_state=0).fit(frame)
    margins, learned = learner.direction_margins_, learner.network_.learned
    weak = {edge for edge in learner.graph_.directed_edges if margins[edge] < 3}
    assert weak and set(learned.open_edges) == weak.difference(learner.confirmed_edges_)
    assert {"third", "last"} in map(set, learned.class_at("third").undirected_edges)
    cases = learner.effect("third", "last").cases
    assert {"last" in case.parents for case in cases} == {True, False}
    given = learner.network_.effect("third", "last", graph=learner.dag_)
    assert len(given.cases) == 1  # a graph that is given is taken as it is


def amounts(random, n=20_000):
    """Plan pro gets a discount of up to 30 %, which lowers churn by .8 points per percent."""
    plan = np.where(random.random(n) < 0.3, "pro", "free")
    amount = np.where(plan == "pro", random.uniform(0, 0.3, n).round(2), 0.0)
    churn = random.random(n) < 0.3 - 0.8 * amount
    return pd.DataFrame({"plan": plan, "amount": amount, "churn": np.where(churn, "yes", "no")})


IN_ORDER = bn.Knowledge(tiers=[["plan"], ["amount"], ["churn"]])


def test_a_change_per_unit_is_told_where_the_treatment_varies_only(random):
    learner = bn.TsetlinSieve(random_state=0, knowledge=IN_ORDER).fit(amounts(random))
    effect = learner.effect("amount", "churn")
    per_unit = effect.cases[0].contrasts[0]
    assert per_unit.treated is None
    assert per_unit.low < -0.8 < per_unit.high < 0
    assert per_unit.share == pytest.approx(0.3, abs=0.01)
    assert per_unit.where == "plan = pro"
    with pytest.raises(ValueError, match="no two states of 'amount' occur where plan = free"):
        learner.effect("amount", "churn", within={"plan": "free"})


def test_between_two_numbers_a_change_per_unit_is_their_contrast_by_their_distance(random):
    frame = amounts(random)
    frame["amount"] = np.where((frame["plan"] == "pro") & (random.random(20_000) < 0.5), 1.5, 0.0)
    risk = np.where(frame["plan"] == "free", 0.1, np.where(frame["amount"] > 0, 0.02, 0.06))
    frame["churn"] = np.where(random.random(20_000) < risk, "yes", "no")
    learner = bn.TsetlinSieve(random_state=0, knowledge=IN_ORDER).fit(frame)
    per_unit, contrast = learner.effect("amount", "churn").cases[0].contrasts
    for name in ("difference", "low", "high"):
        assert getattr(per_unit, name) == pytest.approx(getattr(contrast, name) / 1.5)
    assert (per_unit.where, per_unit.share) == ("plan = pro", contrast.share)


def test_one_number_far_from_all_others_does_not_decide_a_slope(random):
    x = random.normal(size=3000)
    y = 2 * x + random.normal(size=3000)
    x[0] = 1e9
    tiers = bn.Knowledge(tiers=[["x"], ["y"]])
    learner = bn.TsetlinSieve(random_state=0, knowledge=tiers).fit(pd.DataFrame({"x": x, "y": y}))
    per_unit = learner.effect("x", "y").cases[0].contrasts[0]
    assert per_unit.difference == pytest.approx(2, abs=0.1)
    assert per_unit.where.startswith("x from -")
    assert 0.999 < per_unit.share < 1


def test_a_constant_treatment_is_refused(random):
    frame = discounts(random, 500).assign(discount="no")
    learner = bn.TsetlinSieve(random_state=0).fit(frame)
    with pytest.raises(ValueError, match="'discount' is no in all rows in which it is known"):
        learner.effect("discount", "churn")


def test_causes_that_leave_no_overlap_are_named(random):
    """Old patients are treated and no others: age cannot be held fixed."""
    age = random.integers(20, 80, 3000)
    treated = age > 50
    frame = pd.DataFrame({"age": age, "treated": treated})
    frame["died"] = random.random(3000) < 0.1 + 0.2 * treated
    tiers = bn.Knowledge(tiers=[["age"], ["treated"], ["died"]])
    effect = bn.TsetlinSieve(random_state=0, knowledge=tiers).fit(frame).effect("treated", "died")
    (case,) = effect.cases
    assert (case.adjusted_for, case.without_overlap) == ((), ("age",))
    assert "not adjusted for age: hardly any rows with the same values" in str(effect)


@pytest.mark.parametrize("depends", [False, True])
def test_rows_left_out_for_missing_values_are_counted(random, depends):
    frame = discounts(random, 5000)
    lost = random.random(5000) < np.where(frame["churn"] == "yes", 0.6 if depends else 0.2, 0.2)
    frame.loc[lost, "discount"] = None
    tiers = bn.Knowledge(tiers=[["plan"], ["discount"], ["churn"]])
    learner = bn.TsetlinSieve(random_state=0, knowledge=tiers).fit(frame)
    caution = learner.effect("discount", "churn").caution
    assert f"{lost.sum():,} of 5,000 rows are left out for missing values of discount." in caution
    assert ("churn is distributed differently in them" in caution) is depends
    assert "missing" not in learner.effect("plan", "churn").caution


def test_a_setting_is_named_as_the_rows_have_it(random):
    frame = pd.DataFrame({"treated": random.integers(0, 2, 2000)})
    frame["ill"] = random.random(2000) < 0.2 + 0.3 * frame["treated"]
    tiers = bn.Knowledge(tiers=[["treated"], ["ill"]])
    learner = bn.TsetlinSieve(random_state=0, knowledge=tiers).fit(frame)
    (contrast,) = learner.effect({"treated": True}, "ill").cases[0].contrasts
    assert contrast.settings == "1 against 0"
