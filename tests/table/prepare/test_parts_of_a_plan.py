"""What a plan says of single cells, and of rows that lack columns."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    n = 4_000
    smoker = rng.random(n) < 0.4
    came = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D")
    stay = pd.to_timedelta(rng.integers(1, 20, n) + 15 * smoker, unit="D")
    return pd.DataFrame(
        {
            "age": np.where(smoker, 60.0, 40.0) + rng.normal(0, 5, n).round(1),
            "smoker": np.where(smoker, "yes", "no"),
            "came": came,
            "left": came + stay,
        }
    )


@pytest.fixture(scope="module")
def plan(frame):
    return bn.prepare(frame, cut={"age": [45, 55]})


def test_a_number_has_the_label_that_its_row_has(frame, plan):
    labels = plan.apply(frame)["age"].astype(str)
    for number, label in zip(frame["age"][:50], labels[:50], strict=True):
        assert plan.category_of("age", number) == label
    assert plan.category_of("age", 45) == "[45, 55)"  # a number on a cut belongs to the bin above
    assert plan.category_of("smoker", "yes") == "yes"
    assert plan.category_of("nothing", 3) == 3


def test_rows_that_lack_columns_give_the_rest_as_before(frame, plan):
    whole = plan.apply(frame)
    part = plan.among(["age", "left"]).apply(frame[["age", "left"]])
    assert "age" in part
    pd.testing.assert_frame_equal(part, whole[list(part)])
    # The time from one date to another takes both.
    assert any("minus" in name for name in whole)
    assert not any("minus" in name for name in part)


def test_a_grouped_label_stands_for_its_group():
    rng = np.random.default_rng(1)
    n = 3_000
    code = np.where(rng.random(n) < 0.6, "common", [f"rare{i}" for i in rng.integers(0, 900, n)])
    frame = pd.DataFrame({"code": code, "y": np.where(code == "common", "a", "b")})
    plan = bn.prepare(frame, roles={"code": "code"})
    labels = plan.apply(frame)["code"].astype(str)
    assert labels.nunique() < 200
    assert plan.category_of("code", "common") == labels[frame["code"] == "common"].iloc[0]
    place = int(np.flatnonzero(code != "common")[0])
    assert plan.category_of("code", code[place]) == labels[place]
    assert plan.category_of("code", "never seen") == plan["code"].outputs[0].other


def test_a_learner_takes_numbers_and_rows_that_lack_columns(frame):
    learner = bn.TsetlinSieve(random_state=0).fit(frame[["age", "smoker"]])
    old, young = (learner.query("smoker", given={"age": age})["yes"] for age in (65, 35))
    assert old > 0.9 > 0.1 > young
    assert learner.network_.parts.table_of(frame[["smoker"]]).names == ("smoker",)


def test_parts_of_one_date_are_not_joined(frame):
    # The rows span 700 days: in the second year there are no days of December.
    learner = bn.TsetlinSieve(random_state=0).fit(frame.drop(columns="left"))
    parts = [name for name in learner.dag_.nodes if name.startswith("came_")]
    assert {"came_year", "came_month"} <= {*parts}
    for graph in (learner.dag_, learner.graph_):
        assert not any(graph.has_edge(a, b) for a in parts for b in parts if a != b)
    strengths = learner.bootstrap(4, random_state=0).to_frame()
    joined = strengths[strengths["strength"] > 0]
    assert len(joined)
    assert not any(
        a in parts and b in parts for a, b in zip(joined.iloc[:, 0], joined.iloc[:, 1], strict=True)
    )
    # Where they come as columns of their own, nothing is known of that.
    plain = learner.preparation_.apply(frame)[parts].astype(str)
    learner = bn.TsetlinSieve(random_state=0).fit(plain)
    assert learner.graph_.skeleton().has_edge("came_year", "came_month")
