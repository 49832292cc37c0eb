"""Dates at two precisions, times since 1970, numbers that say the same: one thing is one column."""

import numpy as np
import pandas as pd
import pytest

import bnsieve
from bnsieve.table.prepare.near_copies import is_copy

N = 1_000


def days(rng, first, n_days):
    return pd.to_datetime(first) + pd.to_timedelta(rng.integers(0, n_days, N), unit="D")


def stays(rng):
    born = days(rng, "1930-01-01", 25_000)
    came = days(rng, "2022-01-01", 700)
    clock = pd.to_timedelta(rng.integers(0, 86_400, N), unit="s")
    left = came + pd.to_timedelta(rng.poisson(4, N), unit="D")
    return pd.DataFrame(
        {
            "born": born.strftime("%Y-%m-%d"),
            "came": (came + clock).strftime("%Y-%m-%d %H:%M:%S"),
            "left": left.strftime("%Y-%m-%d"),
            "age": np.floor((came - born).days / 365.25).astype(int),
            "stay": (left - came).days,
        }
    )


def test_dates_are_compared_at_the_coarser_precision():
    frame = stays(np.random.default_rng(0))
    plan = bnsieve.prepare(frame.drop(columns=["age", "stay", "born"]))
    found = plan.numbers(frame)["left_minus_came_days"]
    np.testing.assert_array_equal(found, frame["stay"])
    network = bnsieve.TsetlinSieve(random_state=0).fit(frame[["came", "left"]])
    assert "came_hour" in network.graph_.nodes
    assert not network.graph_.edges


def test_months_and_days_are_compared_by_month():
    rng = np.random.default_rng(1)
    came = days(rng, "2022-01-01", 700)
    left = came + pd.to_timedelta(rng.poisson(60, N), unit="D")
    frame = pd.DataFrame({"came": came.strftime("%Y-%m-%d"), "left": left.strftime("%Y-%m")})
    found = bnsieve.prepare(frame).numbers(frame)["left_minus_came_days"]
    months = left.to_period("M").to_timestamp() - came.to_period("M").to_timestamp()
    np.testing.assert_array_equal(found, months.days)


def test_age_beside_a_date_of_birth_is_one_column():
    frame = stays(np.random.default_rng(2)).drop(columns=["stay"])
    plan = bnsieve.prepare(frame)
    names = [output.name for output in plan.outputs]
    assert "age" in names
    assert "came_minus_born_years" not in names
    (warning,) = plan["came"].warnings
    assert warning == ("came_minus_born_years is left out: it is a function of age, up to rounding")
    assert plan["born"].why == "the time since it is in age"


@pytest.mark.parametrize(
    "copy",
    [
        lambda x: (x * 2.20462).round(0),
        lambda x: -x.round(0),
        lambda x: np.log2(x + 1).round(2),
        lambda x: x.round(0),
        lambda x: np.where(np.arange(N) % 25 == 0, np.nan, (3 * x).round(0)),
    ],
)
def test_the_finer_of_two_copies_is_kept(copy):
    rng = np.random.default_rng(3)
    x = rng.normal(80, 10, N).round(1)
    frame = pd.DataFrame({"x": x, "y": copy(x), "other": rng.normal(size=N)})
    plan = bnsieve.prepare(frame)
    left_out = [column for column in plan.columns if not column.outputs]
    assert len(left_out) == 1
    (copied,) = left_out
    assert copied.name in ("x", "y")
    assert "is a function of" in copied.why
    assert f"keep=[{copied.name!r}] uses it" in copied.why
    kept = bnsieve.prepare(frame, keep=[copied.name])
    assert len(kept.outputs) == 3


def test_exact_copies_are_for_the_learner_to_set_aside():
    rng = np.random.default_rng(3)
    x = rng.normal(80, 10, N)
    frame = pd.DataFrame({"kg": x, "lb": 2.20462 * x, "less": -x, "other": rng.normal(size=N)})
    assert len(bnsieve.prepare(frame).outputs) == 4
    assert len(bnsieve.TsetlinSieve(random_state=0).fit(frame).duplicates_) == 2


def test_noise_is_no_rounding():
    rng = np.random.default_rng(3)
    x = rng.normal(80, 10, N)
    assert not is_copy(x, x + rng.normal(0, 0.01, N))


@pytest.mark.parametrize("noise", [0.3, 1.0])
def test_strong_relations_and_bins_are_no_copies(noise):
    rng = np.random.default_rng(4)
    x = rng.normal(80, 10, N).round(1)
    assert not is_copy(x, (x + rng.normal(0, noise, N)).round(1))
    assert not is_copy(x, x + noise / 3 * rng.normal(size=N))
    frame = pd.DataFrame({"x": x, "band": x // 10, "other": rng.normal(size=N)})
    assert len(bnsieve.prepare(frame).outputs) == 3


@pytest.mark.parametrize(("factor", "form"), [(1, "seconds"), (1000, "milliseconds")])
def test_times_since_1970_are_dates(factor, form):
    rng = np.random.default_rng(5)
    seconds = rng.integers(1_600_000_000, 1_700_000_000, N)
    frame = pd.DataFrame({"at": seconds * factor, "x": rng.choice(["a", "b"], N)})
    plan = bnsieve.prepare(frame)
    assert plan["at"].role == "date"
    assert form in plan["at"].why
    typed = frame.assign(at=pd.to_datetime(seconds, unit="s"))
    written, expected = plan.apply(frame), bnsieve.prepare(typed).apply(typed)
    assert list(written) == list(expected)
    for name in written:
        assert written[name].astype(str).tolist() == expected[name].astype(str).tolist()


@pytest.mark.parametrize(
    "numbers",
    [
        1_600_000_000 + np.arange(N) * 1_000,  # counted up
        4_000_000_000 + 37 * np.arange(N),
        np.random.default_rng(6).integers(0, 2**31, N),
        np.random.default_rng(6).integers(10**9, 10**10, N),
    ],
)
def test_other_long_numbers_are_no_dates(numbers):
    frame = pd.DataFrame({"number": numbers, "x": np.arange(N) % 2})
    assert bnsieve.prepare(frame)["number"].role != "date"


def test_a_declared_order_outlives_missing_texts():
    answers = ["poor", "so-so", "fine", "n/a"]
    cells = pd.Categorical([answers[i % 4] for i in range(N)], answers, ordered=True)
    frame = pd.DataFrame({"x": cells, "y": np.arange(N) % 2})
    plan = bnsieve.prepare(frame, missing_texts=["n/a"])
    assert list(plan.apply(frame)["x"].cat.categories) == answers[:3]
