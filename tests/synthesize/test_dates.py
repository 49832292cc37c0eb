"""Dates that are made: as the table writes them, in its range, as far from others as there."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.synthesize.dates import pattern_of, written_dates

N = 800


def made_of(frame: pd.DataFrame, n: int = N) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner: Any = bn.TsetlinSieve(random_state=0).fit(frame)
    rows: pd.DataFrame = learner.synthesize(n, random_state=0)
    return rows


@pytest.mark.parametrize(
    "form",
    [
        *("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%y", "%d-%b-%y", "%b %d %Y", "%B %d, %Y", "%d %B %Y"),
        *("%Y-%m", "%Y%m%d", "%H:%M:%S", "%d/%m/%Y %I:%M %p", "%I:%M:%S%p", "%d.%m.%Y, %H:%M"),
        *("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S+00:00", "%Y-%m-%dT%H:%M:%S+0530"),
        *("%Y-%m-%d %H:%M:%S UTC", "%Y-%m-%dT%H:%M:%S.000Z"),
    ],
)
def test_dates_are_written_as_in_the_table(form: str) -> None:
    rng = np.random.default_rng(0)
    seconds = pd.to_timedelta(rng.integers(0, 10**9, 500), unit="s")
    moments = pd.Series(pd.Timestamp("1950-01-01") + seconds)
    texts = moments.dt.strftime(form).tolist()
    times = moments.to_numpy().astype("datetime64[s]")
    assert written_dates(times, pattern_of(texts, times)).tolist() == texts


def test_days_and_hours_without_zeros_and_braces() -> None:
    times = pd.date_range("2020-01-01 01:05", "2020-12-31", periods=300).floor("s")
    texts = [f"{t.day}.{t.month}.{t.year} {t.hour}:{t.minute:02} {{x}}" for t in times]
    stamps = times.to_numpy().astype("datetime64[s]")
    assert written_dates(stamps, pattern_of(texts, stamps)).tolist() == texts


def test_dates_stay_in_range_where_the_time_between_them_leads_beyond() -> None:
    rng = np.random.default_rng(0)
    hired = rng.integers(0, 3_000, N)
    left = hired + rng.exponential(1_500, N).astype(int)
    days = pd.to_timedelta(left, unit="D").to_series(index=range(N))
    frame = pd.DataFrame(
        {
            "hired": pd.Timestamp("1965-01-01") + pd.to_timedelta(hired, unit="D"),
            "left": (pd.Timestamp("1965-01-01") + days).where(left < 3_000),
            "team": rng.choice(["a", "b"], N),
        }
    )
    made = made_of(frame, 3_000)
    for name in ("hired", "left"):
        assert made[name].min() >= frame[name].min()
        assert made[name].max() <= frame[name].max()
    assert (made["left"] >= made["hired"])[made["left"].notna()].all()
    # None are piled up at the end: of real rows, few leave on the last day.
    assert (made["left"] == frame["left"].max()).mean() < 0.02
    assert made["left"].notna().mean() == pytest.approx(frame["left"].notna().mean(), abs=0.05)


@pytest.mark.parametrize("has_admission", [False, True])
def test_dates_of_birth_are_those_of_the_age(has_admission: bool) -> None:
    rng = np.random.default_rng(0)
    birth = pd.Timestamp("1930-01-01") + pd.to_timedelta(rng.integers(0, 28_000, N), unit="D")
    at = pd.Series(pd.Timestamp("2023-06-30") + pd.to_timedelta(np.zeros(N), unit="D"))
    if has_admission:
        at += pd.to_timedelta(rng.integers(0, 700, N), unit="D")
    age = ((at - birth).dt.days / 365.25).astype(int)
    frame = pd.DataFrame({"birth": birth.strftime("%Y-%m-%d"), "age": age})
    frame["risk"] = np.where(rng.random(N) < age / 120, "high", "low")
    if has_admission:
        frame["admitted"] = at.dt.strftime("%d.%m.%Y")
    made = made_of(frame)
    born = pd.to_datetime(made["birth"])
    seen = pd.to_datetime(made["admitted"], format="%d.%m.%Y") if has_admission else at
    off = (seen - born).dt.days / 365.25 - made["age"]
    # Full years: from 0 to 1 beyond the age, but for a few days, and at the ends of the range.
    assert ((off >= 0) & (off < 1)).mean() > 0.95
    assert off.between(-0.1, 1.1).mean() > 0.98
    assert frame["birth"].min() <= made["birth"].min()
    assert made["birth"].max() <= frame["birth"].max()


def test_a_date_in_two_forms_is_one_date() -> None:
    rng = np.random.default_rng(0)
    day = pd.Timestamp("1955-03-01") + pd.to_timedelta(rng.integers(0, 9_000, N), unit="D")
    frame = pd.DataFrame({"born": day, "text": day.strftime("%d.%m.%Y")})
    frame["sex"] = rng.choice(["f", "m"], N)
    made = made_of(frame)
    assert (made["born"].dt.strftime("%d.%m.%Y") == made["text"]).all()
