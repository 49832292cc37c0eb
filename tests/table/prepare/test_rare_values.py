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


def test_a_column_without_bins_is_given_its_reason(tmp_path):
    """No bins are tried where nearly all numbers are equal, so none can be uninformative."""
    rng = np.random.default_rng(0)
    few, near = np.zeros(4_000), np.full(4_000, 0.5)
    few[:4] = [0.5, 1.5, 2.5, 3.5]
    near[::2] = np.inf
    frame = pd.DataFrame({"x": rng.choice(list("ab"), 4_000), "few": few, "near": near})
    frame.to_parquet(tmp_path / "rows.parquet")
    for data in (frame, tmp_path / "rows.parquet"):
        plan = bn.prepare(data)
        assert plan["few"].why == "it is 0 in all but 4 of 4,000 cells: too few differ to bin"
        assert plan["near"].why == "all its finite numbers are 0.5"
    frame.loc[4, "few"] = 4.5
    assert bn.prepare(frame)["few"].outputs


def test_an_estimate_of_different_values_is_no_more_than_there_are_cells():
    """Estimates of ten columns of 60,000 different numbers: about half would be above."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"x{i}": rng.normal(size=60_000) for i in range(10)})
    frame.loc[:99, "x0"] = np.nan
    plan = bn.prepare(frame)
    estimates = [column.n_categories for column in plan.columns]
    assert not any(column.exact for column in plan.columns)
    assert estimates[0] <= 59_900
    assert max(estimates) == 60_000
    assert min(estimates) > 57_000
    for column in plan.columns:
        assert column.why == f"about {column.n_categories:,} different numbers"
