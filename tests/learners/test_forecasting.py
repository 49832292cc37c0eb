"""A fitted learner asked about the future: from the table to the forecast."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.learners import TsetlinSieve
from bnsieve.network.time import paths as paths_module


def readings(n_machines=8, n=250, seed=0) -> pd.DataFrame:
    """A pump that switches, and a pressure that follows it one step later; kinds differ."""
    rng = np.random.default_rng(seed)
    parts = []
    for machine in range(n_machines):
        pump, pressure = np.zeros(n, dtype=int), rng.normal(size=n)
        for t in range(1, n):
            pump[t] = pump[t - 1] if rng.random() < 0.8 else 1 - pump[t - 1]
            pressure[t] += 0.6 * pressure[t - 1] + 2.0 * pump[t - 1] + machine % 2
        part = pd.DataFrame({"machine": f"m{machine}", "pressure": pressure})
        part["at"] = pd.date_range("2024-05-01", periods=n, freq="10s")
        part["pump"] = np.where(pump, "on", "off")
        part["kind"] = "AB"[machine % 2]
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


@pytest.fixture(scope="module")
def learner() -> TsetlinSieve:
    return TsetlinSieve(time="at", by="machine", lags=2, random_state=0).fit(readings())


def test_the_next_step_is_what_made_the_data(learner) -> None:
    history = readings()
    found = learner.forecast(history, steps=3, n_paths=4000)
    last = history.groupby("machine", sort=False).tail(1)
    shift = 2.0 * (last["pump"] == "on") + (last["kind"] == "B")
    expected = 0.6 * last["pressure"] + shift
    np.testing.assert_allclose(found.numbers["pressure"][:, 0, 0], expected, atol=0.25)
    width = found.numbers["pressure"][:, 0, 3] - found.numbers["pressure"][:, 0, 2]
    np.testing.assert_allclose(width, 2 * 1.645, rtol=0.1)
    stays = found.probabilities["pump"][:, 0, 1]
    np.testing.assert_allclose(stays, np.where(last["pump"] == "on", 0.8, 0.2), atol=0.05)
    assert found.times[0, 0] == history["at"].max() + pd.Timedelta("10s")


def test_a_setting_moves_what_follows_it(learner) -> None:
    history = readings().groupby("machine").tail(3)
    means = {
        state: learner.forecast(history, 2, do={"pump": ("t+1", state)}).numbers["pressure"]
        for state in ("on", "off")
    }
    difference = means["on"][:, :, 0] - means["off"][:, :, 0]
    np.testing.assert_allclose(difference[:, 0], 0.0, atol=1e-9)
    np.testing.assert_allclose(difference[:, 1], 2.0, atol=0.2)


def test_intervals_hold_what_comes(learner) -> None:
    """Of a fresh panel, forecasts from many rows."""
    fresh = readings(n_machines=2, n=600, seed=1)
    pieces = [
        own.iloc[start : start + 3].assign(machine=f"{name} {start}")
        for name, own in fresh.groupby("machine")
        for start in range(0, 580, 4)
    ]
    found = learner.forecast(pd.concat(pieces), 12, n_paths=300)
    held = []
    for place, (name, start) in enumerate(entity.split() for entity in found.entities):
        truth = fresh.loc[fresh["machine"] == name, "pressure"].to_numpy()
        coming = truth[int(start) + 3 : int(start) + 15]
        low, high = found.numbers["pressure"][place, :, 2:].T
        held.append((low <= coming) & (coming <= high))
    assert np.mean(held) == pytest.approx(0.9, abs=0.03)


def test_a_saved_learner_forecasts_the_same(learner, tmp_path) -> None:
    learner.save(tmp_path / "learner.bnsieve")
    history = readings().groupby("machine").tail(2)
    again = bn.load(tmp_path / "learner.bnsieve").forecast(history, 4)
    pd.testing.assert_frame_equal(again.to_frame(), learner.forecast(history, 4).to_frame())


def test_one_row_of_each_series_is_enough_for_the_length_of_a_step(learner) -> None:
    found = learner.forecast(readings().groupby("machine").tail(1), 2)
    apart = np.diff(found.times, axis=1)
    np.testing.assert_array_equal(apart, np.timedelta64(10, "s"))


def test_a_resampled_fit_resamples_the_history() -> None:
    rows = readings(n_machines=3, n=300)
    learner = TsetlinSieve(time="at", by="machine", every="30s", random_state=0).fit(rows)
    found = learner.forecast(rows, 2)
    assert found.times[0].tolist() == [
        pd.Timestamp("2024-05-01 00:50:00").to_pydatetime(),
        pd.Timestamp("2024-05-01 00:50:30").to_pydatetime(),
    ]
    whole = rows.groupby("machine").tail(6)
    pd.testing.assert_frame_equal(learner.forecast(whole, 2).to_frame(), found.to_frame())


def test_an_interrupted_forecast_leaves_nothing_behind(learner, monkeypatch) -> None:
    history = readings().groupby("machine").tail(2)
    before = learner.forecast(history, 3).to_frame()
    steps = iter(range(2))

    def interrupted(*arguments):
        if next(steps, None) is None:
            raise KeyboardInterrupt
        return original(*arguments)

    original = paths_module.Walk._step
    with monkeypatch.context() as patch:
        patch.setattr(paths_module.Walk, "_step", interrupted)
        with pytest.raises(KeyboardInterrupt):
            learner.forecast(history, 3)
    pd.testing.assert_frame_equal(learner.forecast(history, 3).to_frame(), before)


def test_a_history_with_a_time_zone_is_converted_to_utc_in_words(learner) -> None:
    history = readings().groupby("machine").tail(3)
    local = history.assign(at=history["at"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"))
    found = learner.forecast(local, 1)
    assert any("converted to UTC" in note for note in found.notes)
    # The same instants, as times in UTC.
    assert found.times[0, 0] == history["at"].max() + pd.Timedelta("10s")
    assert not any("UTC" in note for note in learner.forecast(history, 1).notes)


@pytest.mark.parametrize("as_text", [False, True])
def test_a_history_without_the_time_zone_of_the_training_rows_is_named(as_text) -> None:
    frame = readings(2)
    zoned = frame.assign(at=frame["at"].dt.tz_localize("UTC"))
    if as_text:
        zoned["at"] = zoned["at"].astype(str)
    fitted = TsetlinSieve(time="at", by="machine", random_state=0).fit(zoned)
    assert fitted.fit_result_.timeline.steps.has_zone
    assert any("taken to be in UTC" in note for note in fitted.forecast(frame, 1).notes)
    assert not any("UTC" in note for note in fitted.forecast(zoned, 1).notes)


def test_values_far_outside_the_training_range_are_named(learner) -> None:
    history = readings().groupby("machine").tail(3)
    assert not any("outside" in note for note in learner.forecast(history, 1).notes)
    low, high = readings()["pressure"].min(), readings()["pressure"].max()
    far = history.assign(pressure=history["pressure"].where(history["machine"] != "m3", 1e6))
    notes = [note for note in learner.forecast(far, 1).notes if "outside" in note]
    assert len(notes) == 1
    assert notes[0].startswith("pressure: 1 value of the last rows lies far outside")
    assert f"{low:.4g} to {high:.4g}" in notes[0]
    assert f"between {low - 10 * (high - low):.4g} and" in notes[0]


def test_quarters_are_steps_of_three_months() -> None:
    rng = np.random.default_rng(0)
    quarters = pd.period_range("1900Q1", periods=400, freq="Q")
    frame = pd.DataFrame({"at": quarters.astype(str), "x": rng.normal(size=400)})
    fitted = TsetlinSieve(time="at", random_state=0).fit(frame)
    assert fitted.fit_result_.timeline.steps.length == "3 months"
    times = fitted.forecast(frame, 2).times[0].astype("datetime64[D]").astype(str)
    assert times.tolist() == ["2000-01-01", "2000-04-01"]


def test_a_learner_without_time_says_so() -> None:
    fitted = TsetlinSieve(random_state=0).fit(readings(2, 100)[["pump", "kind"]])
    with pytest.raises(ValueError, match="learn with time="):
        fitted.forecast(readings(2, 100))
    with pytest.raises(ValueError, match="learn with time="):
        fitted.unroll(2)


def test_a_season_is_learned_from_a_column_of_hours() -> None:
    rng = np.random.default_rng(3)
    hours = np.arange(24 * 60) % 24
    level = 3 * np.sin(2 * np.pi * hours / 24)
    frame = pd.DataFrame(
        {
            "at": pd.date_range("2024-01-01", periods=len(hours), freq="h"),
            "hour": [f"h{hour:02}" for hour in hours],
            "load": level + rng.normal(scale=0.5, size=len(hours)),
        }
    )
    learner = TsetlinSieve(time="at", random_state=0).fit(frame)
    found = learner.forecast(frame, 24)
    np.testing.assert_allclose(found.numbers["load"][0, :, 0], level[:24], atol=0.5)
    # The CPT of the hour leaves a little to hours that never followed.
    assert (found.probabilities["hour"][0, np.arange(24), hours[:24]] > 0.97).all()
