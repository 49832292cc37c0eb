"""Questions are possible and their truth exact; intervals and effects are judged as said."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.answers import effects, intervals, next_column
from benchmarks.common.networks import network_of
from bnsieve.network import Distribution


def test_questions_are_ten_possible_ones_with_their_truth():
    asia = network_of("asia")
    asked = list(intervals.questions(asia, "asia"))
    assert len(asked) == intervals.N_QUESTIONS
    assert len({(one.target, one.label, *one.given) for one in asked}) > 5
    for one in asked:
        assert one.target not in one.given
        assert asia.query(one.target, one.given)[one.label] == pytest.approx(one.truth)
    again = list(intervals.questions(asia, "asia"))
    assert [one.target for one in again] == [one.target for one in asked]


def test_an_interval_holds_the_truth_or_not():
    answer = Distribution(
        ("a",),
        (("x", "y"),),
        np.array([0.3, 0.7]),
        low=np.array([0.2, 0.6]),
        high=np.array([0.4, 0.8]),
        interval=0.9,
    )
    asked = [
        intervals.Question("a", "x", {}, 0.25),
        intervals.Question("a", "y", {}, 0.85),
    ]
    found = intervals.judged(asked, [answer, answer])
    assert (found["asked"], found["held"]) == (2, 1)
    assert found["width"] == pytest.approx(0.2)


def test_pairs_have_an_effect_by_arrows():
    asia = network_of("asia")
    found = list(effects.pairs(asia, 0))
    # asia reaches tub, either, xray and dysp; tub 3; smoke 5; lung 3; bronc 1; either 2.
    assert len(set(found)) == 18
    assert ("smoke", "xray") in found
    assert ("xray", "smoke") not in found


def test_labels_that_were_never_seen_count_as_impossible():
    truth = pd.DataFrame({"x": [0.9, 0.2], "y": [0.1, 0.8]}, index=["no", "yes"])
    found = pd.DataFrame({"x": [1.0, 0.3]}, index=["no", "yes"])
    assert effects._off(truth, found) == pytest.approx(0.8)


def test_reports_show_every_network_and_the_whole():
    run = intervals.perform(intervals.Job("true", "asia", 200, 0))
    assert 0 <= run["held"] <= run["asked"] == 10
    frame = pd.DataFrame(
        [run, {**run, "graph": "learned", "held_by_both": 9, "width_of_both": 0.3}]
    )
    lines = intervals.report(frame)
    share = run["held"] / 10
    assert any(
        line.startswith(f"| asia | {share:.3f}") and "0.900 (0.300)" in line for line in lines
    )
    assert any(line.startswith("| all |") for line in lines)
    row = next_column.perform(next_column.Job("asia", "lung", 0))
    assert row["next_1"] <= row["entropy_0"] + 1
    assert "random order" in "\n".join(next_column.report(pd.DataFrame([row])))
