"""Directions that the data hardly favour, beside the treatment too, leave effects open."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn


@pytest.fixture(scope="module")
def learner():
    """A discount that only plan `pro` gets, where it lowers churn by 4 points; free: unknown.

    Every two of plan, discount and churn are adjacent. The weak effect of age leaves the
    direction of plan - churn nearly undecided: wrongly directed it would make a cycle with the
    true plan -> discount -> churn.
    """
    random = np.random.default_rng(1)
    n = 20_000
    pro = random.choice([False, True], n, p=[0.7, 0.3])
    random.choice(list("NSEW"), n)
    age = random.normal(40, 12, n).round().clip(18, 90)
    discount = np.where(pro, random.random(n) < 0.5, False)
    chance = np.where(pro, np.where(discount, 0.02, 0.06), 0.10 + 0.001 * (age - 40))
    frame = pd.DataFrame(
        {
            "plan": np.where(pro, "pro", "free"),
            "age": age,
            "discount": np.where(discount, "yes", "no"),
            "churn": np.where(random.random(n) < chance, "yes", "no"),
        }
    )
    return bn.TsetlinSieve(random_state=0).fit(frame)


def test_the_true_graph_is_among_the_cases(learner):
    effect = learner.effect("discount", "churn")
    assert ("plan",) in {case.parents for case in effect.cases}
    case = next(case for case in effect.cases if case.parents == ("plan",))
    (contrast,) = case.contrasts
    assert contrast.low < -0.04 < contrast.high
    assert contrast.where == "plan = pro"
    assert not effect.is_settled


def test_a_subgroup_without_the_treatment_is_refused(learner):
    with pytest.raises(ValueError, match=r"no two states of 'discount' occur where plan = free"):
        learner.effect("discount", "churn", within={"plan": "free"})


def test_drivers_say_what_undetermined_directions_leave(learner):
    drivers = learner.drivers("churn")
    driver = next(driver for driver in drivers if driver.name == "discount")
    low, high = driver.bounds
    assert low <= driver.difference <= high and low < -0.04 < high
    assert "discount: undetermined directions leave it between" in str(drivers)
