"""Hour, weekday and month of the time column as parents, in memory, in files and in forecasts."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bnsieve as bn
from bnsieve.table.prepare import LABELS, calendar_codes, calendar_names, covered_parts

HOUR, DAY, YEAR = 3_600.0, 86_400.0, 365.25 * 86_400.0


@pytest.mark.parametrize(
    ("step", "span", "expected"),
    [
        (10.0, 2 * DAY, ()),
        (10.0, 3 * DAY, ("hour",)),
        (HOUR, 22 * DAY, ("hour", "weekday")),
        (6 * HOUR, 3 * DAY, ("hour",)),
        (12 * HOUR, 22 * DAY, ("weekday",)),
        (DAY, 20 * DAY, ("weekday",)),
        (DAY, 3 * YEAR, ("weekday", "month")),
        (7 * DAY, 3 * YEAR, ("month",)),
        (YEAR / 12, 35 * YEAR / 12, ("month",)),
        (YEAR / 4, 30 * YEAR, ()),
    ],
)
def test_a_part_is_offered_if_its_period_passes_three_times(step, span, expected):
    assert covered_parts(step, span) == expected


def test_codes_are_those_of_the_calendar():
    times = pd.date_range("1969-12-25 05:00", periods=400, freq="37h")
    micros = times.to_numpy("datetime64[us]").astype(np.int64)
    assert calendar_codes("hour", micros).tolist() == times.hour.tolist()
    assert calendar_codes("weekday", micros).tolist() == times.day_of_week.tolist()
    assert calendar_codes("month", micros).tolist() == (times.month - 1).tolist()
    assert [LABELS["month"][code] for code in calendar_codes("month", micros)[:1]] == ["Dec"]


def test_names_do_not_collide_with_columns():
    assert calendar_names("at", ["hour", "month"], ["month"]) == {
        "hour": "hour",
        "month of at": "month",
    }
    assert calendar_names("at", ["month"], ["month", "month of at"]) == {}


def day_and_night(n_days=30, seed=0, start="2024-01-01"):
    """Draw load, which follows the hour and its own past; a switch; noise; all of one machine."""
    rng = np.random.default_rng(seed)
    hour = np.arange(24 * n_days) % 24
    daily = 3 * np.sin(2 * np.pi * hour / 24) + 2 * (hour == 8)
    load = np.zeros(len(hour))
    for t in range(1, len(hour)):
        load[t] = daily[t] + 0.5 * (load[t - 1] - daily[t - 1]) + 0.5 * rng.normal()
    light = np.where(rng.random(len(hour)) < np.where(hour < 8, 0.1, 0.7), "on", "off")
    at = pd.date_range(start, periods=len(hour), freq="h")
    return pd.DataFrame({"at": at, "load": load, "light": light, "noise": rng.normal(size=len(at))})


def fit(frame, **parameters):
    return bn.TsetlinSieve(**{"time": "at", "random_state": 0} | parameters).fit(frame)


@pytest.fixture(scope="module")
def learner():
    return fit(day_and_night())


def test_the_hour_is_learned_as_a_parent_and_has_none(learner, tmp_path):
    assert set(learner.graph_.directed_edges) == {
        ("hour", "load"),
        ("hour", "light"),
        ("load@t-1", "load"),
    }
    timeline = learner.fit_result_.timeline
    assert timeline.calendar == {"hour": "hour", "weekday": "weekday"}
    assert learner.fit_result_.reliability("hour", "load") == "time"
    assert "from at, known of every step: hour, weekday" in timeline.sentences()
    assert learner.graph_.nodes == (
        *("load", "light", "noise", "hour", "weekday"),
        *("load@t-1", "light@t-1", "noise@t-1"),
    )
    learner.save(tmp_path / "learner")
    assert bn.load(tmp_path / "learner").fit_result_.timeline == timeline


def test_forecasts_use_the_calendar_of_the_steps_to_come(learner):
    frame = day_and_night()
    found = learner.forecast(frame.tail(3), steps=24)
    daily = 3 * np.sin(2 * np.pi * np.arange(24) / 24) + 2 * (np.arange(24) == 8)
    assert np.abs(found.numbers["load"][0, 6:, 0] - daily[6:]).max() < 0.4
    on = found.probabilities["light"][0, :, found.states["light"].index("on")]
    assert on[:8].max() < 0.35 < 0.45 < on[8:].min()
    # The same from a gap in the history.
    late = learner.forecast(frame.drop(index=frame.index[-4:-1]).tail(9), steps=24)
    assert np.abs(late.numbers["load"][0, 6:, 0] - daily[6:]).max() < 0.4
    with pytest.raises(ValueError, match="do names 'hour', which follows from the calendar"):
        learner.forecast(frame.tail(3), do={"hour": 3})


def test_forecasts_of_categories_are_exact_with_the_calendar():
    learner = fit(day_and_night()[["at", "light"]])
    found = learner.forecast(day_and_night().tail(2), steps=24)
    assert found.is_exact
    light = day_and_night()["light"].eq("on").to_numpy().reshape(-1, 24)
    shares = (light.sum(axis=0) + 0.5) / (len(light) + 1)
    on = found.probabilities["light"][0, :, found.states["light"].index("on")]
    np.testing.assert_allclose(on, shares, atol=0.02)


def test_a_day_that_never_occurred_is_taken_as_the_one_before():
    frame = day_and_night(60)
    frame = frame[frame["at"].dt.day_of_week < 5].assign(
        load=lambda f: f["load"] + 3 * (f["at"].dt.day_of_week == 4)
    )
    learner = fit(frame)
    assert ("weekday", "load") in learner.graph_.directed_edges
    until_friday = frame[frame["at"] < "2024-02-10"].tail(30)
    found = learner.forecast(until_friday, steps=5)
    assert any("weekday: Sat did not occur" in note for note in found.notes)


@pytest.mark.parametrize("columns", [["light"], ["load", "light", "noise"]])
def test_the_calendar_is_the_same_in_files(tmp_path, monkeypatch, columns):
    frame = pd.concat([day_and_night(8, i).assign(machine=f"m{i}") for i in range(4)])
    frame = frame.sort_values("noise")[["machine", "at", *columns]]
    in_memory = fit(frame, by="machine")
    rows = pa.Table.from_pandas(frame, preserve_index=False)
    pq.write_table(rows, tmp_path / "rows.parquet", row_group_size=90)
    monkeypatch.setattr("bnsieve.table.LIMITS.in_memory", 50)
    learner = fit(str(tmp_path), by="machine", sample_rows=400)
    assert (learner.fit_result_.counted is None) == ("load" in columns)
    assert learner.fit_result_.timeline == in_memory.fit_result_.timeline
    assert learner.graph_ == in_memory.graph_
    assert ("hour", "light") in learner.graph_.directed_edges
    last = day_and_night(8, 0).assign(machine="m0").tail(2)
    for name, expected in in_memory.forecast(last, steps=3).probabilities.items():
        found = learner.forecast(last, steps=3).probabilities[name]
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_steps_of_one_length_have_the_hour_of_their_beginning():
    frame = day_and_night()
    frame["at"] += pd.to_timedelta(np.random.default_rng(0).integers(0, 3000, len(frame)), "s")
    table = fit(frame, every="3h").fit_result_.rows
    assert table.categories[table.names.index("hour")] == tuple(range(0, 24, 3))


def test_an_update_keeps_the_calendar(learner):
    later = fit(day_and_night()).update(day_and_night(2, 1, "2024-02-01"))
    assert later.fit_result_.timeline.calendar == learner.fit_result_.timeline.calendar
    assert later.fit_result_.n_rows == learner.fit_result_.n_rows + 47


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f.assign(at=np.arange(len(f))),  # numbers
        lambda f: f.head(60),  # two days and a half
        lambda f: f.assign(at=pd.date_range("1900", periods=len(f), freq="QS")),
    ],
)
def test_no_calendar_where_it_says_nothing(change):
    assert fit(change(day_and_night())).fit_result_.timeline.calendar == {}


def test_knowledge_and_columns_of_the_same_name():
    frame = day_and_night().assign(weekday=lambda f: f["light"])
    known = bn.Knowledge(forbidden=[("hour", "load")])
    learner = fit(frame, knowledge=known)
    assert learner.fit_result_.timeline.calendar == {"hour": "hour", "weekday of at": "weekday"}
    assert ("hour", "load") not in learner.graph_.directed_edges


def test_new_rows_of_other_days_are_no_change(learner):
    found = learner.check(day_and_night(2, 1, "2024-01-31").head(30))
    assert "weekday" not in str(found)
    assert "hour:" not in str(found)
