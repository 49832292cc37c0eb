"""Few rows that matter: numbers above zero in a few of them, and a date that is a code."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn


def test_numbers_above_zero_in_few_rows_are_parted_from_zero():
    rng = np.random.default_rng(0)
    gain = np.zeros(20_000)
    gain[rng.choice(20_000, 631, replace=False)] = np.exp(rng.normal(8, 1, 631)).round()
    frame = pd.DataFrame({f"c{i}": rng.choice(list("abc"), 20_000) for i in range(8)})
    frame["gain"] = gain
    frame["rich"] = np.where((gain > 0) | (rng.random(20_000) < 0.1), "yes", "no")
    plan = bn.prepare(frame)
    (output,) = (one for one in plan.outputs if one.name == "gain")
    assert 0 < output.bin_edges[0] <= gain[gain > 0].min()
    learner = bn.TsetlinSieve(random_state=0, n_jobs=1).fit(frame)
    assert {frozenset(edge) for edge in learner.graph_.edges} == {frozenset(("gain", "rich"))}


@pytest.mark.parametrize("odd", ["9999-12-31", "1900-01-01"])
def test_one_odd_date_changes_no_part_of_the_others(odd):
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 1_000, 2_000), "D")
    frame = pd.DataFrame({"day": days.strftime("%Y-%m-%d"), "x": rng.choice(list("ab"), 2_000)})
    usual = bn.prepare(frame)
    frame.loc[17, "day"] = odd
    plan = bn.prepare(frame)
    names = [output.name for output in plan.outputs]
    assert names == [output.name for output in usual.outputs]
    assert {"day_year", "day_month", "day_weekday"} <= set(names)
    assert any(odd in warning for warning in plan.columns[0].warnings)
    assert not usual.columns[0].warnings
