"""Rows that belong together: parameters, the entity of each row, columns that place rows."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.rows import stamps_of


def visits(n_entities=50, n_rows=6, seed=0):
    rng = np.random.default_rng(seed)
    smokes = rng.integers(0, 2, n_entities).repeat(n_rows)
    ill = np.where(rng.random(len(smokes)) < 0.8, smokes, 1 - smokes)
    return pd.DataFrame(
        {
            "patient": np.arange(n_entities).repeat(n_rows),
            "smokes": np.where(smokes, "yes", "no"),
            "ill": np.where(ill, "yes", "no"),
        }
    )


def test_rows_with_entities_and_no_time_are_not_said_to_have_one():
    learner = bn.TsetlinSieve(by="patient", random_state=0).fit(visits())
    before, _ = learner._repr_html_().split("rows of one patient belong together")
    assert before.rsplit("<th>", 1)[1].startswith("<bdi>entities<")


@pytest.mark.parametrize("prepare", ["auto", None])
def test_the_entity_column_is_left_out_and_kept_beside_the_rows(prepare):
    frame = visits()
    learner = bn.TsetlinSieve(by="patient", prepare=prepare, random_state=0).fit(frame)
    assert learner.graph_.nodes == ("smokes", "ill")
    result = learner.fit_result_
    assert result.timeline.by == "patient"
    np.testing.assert_array_equal(result.rows.entities, frame["patient"])


def test_entities_follow_rows_and_columns(tmp_path):
    learner = bn.TsetlinSieve(by="patient", random_state=0).fit(visits())
    table = learner.fit_result_.rows
    assert table.select(["ill"]).take([6, 0]).entities.tolist() == [1, 0]
    learner.save(tmp_path / "learner")
    again = bn.load(tmp_path / "learner")
    assert again.fit_result_.timeline == learner.fit_result_.timeline
    np.testing.assert_array_equal(again.fit_result_.rows.entities, table.entities)


def test_a_row_without_an_entity_is_its_own():
    frame = visits().astype({"patient": object})
    frame.loc[[3, 40], "patient"] = None
    table = bn.TsetlinSieve(by="patient", random_state=0).fit(frame).fit_result_.rows
    assert table.entities[[2, 3, 40]].tolist() == [0, 50, 51]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"time": 3}, "time must be the name of a column or None; got 3"),
        ({"time": "at", "lags": 0}, "lags must be a whole number from 1 to 100, 'auto' or None"),
        ({"time": "at", "lags": "most"}, "lags must be a whole number from 1 to 100, 'auto' or"),
        ({"lags": "auto"}, "lags='auto' needs a time column"),
        ({"lags": 2}, "lags=2 needs a time column"),
        ({"by": "id", "every": "1h"}, "every='1h' needs a time column"),
        ({"time": "at", "every": -1}, "every must be a length of time"),
        ({"by": "person"}, "the data has no column 'person', which by names"),
        ({"by": "Patient"}, "did you mean 'patient'"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        bn.TsetlinSieve(**parameters).fit(visits())


def readings(n_machines=20, n_steps=60, seed=0, step="10s"):
    """Draw x(t-1) -> x -> y <- y(t-1), y -> state <- state(t-1)."""
    rng = np.random.default_rng(seed)
    x, y = np.zeros((2, n_machines, n_steps))
    state = np.zeros((n_machines, n_steps), dtype=int)
    noise = rng.normal(size=(2, n_machines, n_steps))
    draws = rng.random((n_machines, n_steps))
    for t in range(1, n_steps):
        x[:, t] = 0.8 * x[:, t - 1] + noise[0, :, t]
        y[:, t] = 0.5 * y[:, t - 1] + np.sin(x[:, t]) * 2 + 0.5 * noise[1, :, t]
        chance = 0.05 + 0.6 * state[:, t - 1] + 0.3 * (y[:, t] > 1)
        state[:, t] = draws[:, t] < chance
    times = pd.date_range("2024-01-01", periods=n_steps, freq=step)
    return pd.DataFrame(
        {
            "machine": np.repeat([f"m{i}" for i in range(n_machines)], n_steps),
            "at": np.tile(times, n_machines),
            "model": np.repeat(rng.choice(["A", "B"], n_machines), n_steps),
            "x": x.ravel(),
            "y": y.ravel(),
            "state": np.where(state.ravel() == 1, "fault", "ok"),
        }
    )


READINGS = readings()


def fit(frame=READINGS, **parameters):
    given = {"time": "at", "by": "machine", "random_state": 0} | parameters
    return bn.TsetlinSieve(**given).fit(frame)


def rows_of(learner):
    """Return the rows that were learned from, as a set: their order is no result."""
    table = learner.fit_result_.rows
    frame = table.to_frame().astype(str)
    for v, values in table.numbers.items():
        frame[table.names[v]] = np.round(values, 12).astype(str)
    return sorted(map(tuple, frame.to_numpy().tolist()))


def lagged_by_hand(frame, lags, by="machine", time="at"):
    """The slow, obvious version: shift within each entity."""
    parts = []
    for _, own in frame.sort_values(time, kind="stable").groupby(by, sort=False):
        own = own.drop(columns=[by, time])
        wide = {
            (name if lag == 0 else f"{name}@t-{lag}"): own[name].shift(lag)
            for lag in range(lags + 1)
            for name in own.columns
            if lag == 0 or name != "model"
        }
        parts.append(pd.DataFrame(wide).iloc[lags:])
    return pd.concat(parts, ignore_index=True)


def test_the_graph_over_time_is_found():
    learner = fit(lags=2)
    edges = {*learner.graph_.directed_edges}
    assert {
        ("x@t-1", "x"),
        ("x", "y"),
        ("y@t-1", "y"),
        ("y", "state"),
        ("state@t-1", "state"),
    } <= edges
    timeline = learner.fit_result_.timeline
    assert timeline.static == ("model",)
    assert all(not timeline.is_exogenous(head) for _, head in edges)
    assert ("x@t-1", "x") in learner.knowledge_edges_
    assert learner.fit_result_.reliability("x@t-1", "x") == "time"
    assert "follows from the order of time" in str(learner.explain("x@t-1", "x"))
    # One step later the same pair is x and y@t-1, which has evidence of its own.
    assert str(learner.explain("x@t-1", "y@t-2")).startswith("x, y@t-1: not adjacent")
    rank_maps = learner.fit_result_.sieve.rank_maps
    assert rank_maps["x"] is rank_maps["x@t-2"]


@pytest.mark.parametrize("lags", [1, 3])
def test_rows_are_those_of_shifts_within_each_entity(lags):
    learner = fit(READINGS.sample(frac=1, random_state=3), lags=lags)
    table = learner.fit_result_.rows
    expected = lagged_by_hand(READINGS, lags)[list(table.names)]
    for v in table.numbers:
        name = table.names[v]
        expected[name] = np.round(expected[name], 12)
    assert rows_of(learner) == sorted(map(tuple, expected.astype(str).to_numpy().tolist()))
    steps = learner.fit_result_.timeline.steps
    assert (steps.n_rows, steps.n_used, steps.n_entities) == (1200, 20 * (60 - lags), 20)
    assert steps.length == "10 seconds"


def test_a_missing_step_ends_a_sequence():
    frame = READINGS.drop(index=[5, 30, 31])  # of one machine: 59, 2 rows missing in two places
    steps = fit(frame).fit_result_.timeline.steps
    assert steps.n_breaks == 2
    assert steps.n_used == 1200 - 3 - 20 - 2


def test_the_order_of_rows_and_of_columns_has_no_say():
    one, other = fit(), fit(READINGS.sample(frac=1, random_state=1)[[*READINGS.columns[::-1]]])
    assert set(one.graph_.directed_edges) == set(other.graph_.directed_edges)
    assert rows_of(one) == sorted(
        tuple(row[other.graph_.nodes.index(name)] for name in one.graph_.nodes)
        for row in rows_of(other)
    )


@pytest.mark.parametrize(
    "write",
    [
        lambda at: at.astype(str),
        lambda at: at.dt.tz_localize("Europe/Berlin"),
        lambda at: at.dt.strftime("%d.%m.%Y %H:%M:%S"),
        lambda at: (at - pd.Timestamp("2020-01-01")).dt.total_seconds(),
        lambda at: (at - pd.Timestamp("1970-01-01")).dt.total_seconds() + 0.25,
        lambda at: (at - pd.Timestamp("1970-01-01")) // pd.Timedelta("1ms"),
        lambda at: at.dt.strftime("%Y%m%d%H%M%S").astype(np.int64),
        lambda at: at.astype("category"),
        lambda at: at.dt.strftime("%Y-%m-%dT%H:%M:%S") + np.where(at.index % 2, "+00:00", "Z"),
        lambda at: at.astype(object),
    ],
)
def test_times_may_be_written_in_many_ways(write):
    frame = READINGS.assign(at=lambda f: write(f["at"] + pd.Timedelta(days=20)))
    assert rows_of(fit(frame)) == rows_of(fit())


@pytest.mark.parametrize(
    ("number", "read"),
    [
        (1_767_312_600, "2026-01-02 00:10:00"),
        (1_767_312_600_500, "2026-01-02 00:10:00.500000"),
        (20_260_102_001_000, "2026-01-02 00:10:00"),
        (202_601_020_010, "2026-01-02 00:10:00"),
        (20_260_102, "2026-01-02"),
        (202_601, "2026-01-01"),
    ],
)
def test_numbers_that_are_dates_are_named(number, read):
    stamps = stamps_of("at", pd.Series([np.nan, number]))
    assert stamps.is_date
    assert stamps.known.tolist() == [False, True]
    assert stamps.remarks == (f"numbers such as {number} are read as {read}",)
    assert not stamps_of("at", pd.Series([number, 1.0])).is_date


def test_times_of_day_without_a_date_are_named():
    texts = (READINGS["at"] + pd.Timedelta(hours=9)).dt.strftime("%H:%M:%S")
    timeline = fit(READINGS.assign(at=texts)).fit_result_.timeline
    said = "times such as 09:00:00 have no date: all rows count as one day's"
    assert timeline.sentences()[-1] == said


def test_steps_of_numbers_are_read_again():
    frame = READINGS.assign(at=READINGS.groupby("machine").cumcount() * 10_000_000)
    learner = fit(frame)
    assert rows_of(learner) == rows_of(fit())
    assert " steps of length 10000000 of " in learner.fit_result_.timeline.sentences()[0]
    forecast = learner.forecast(frame, steps=2).to_frame()
    last = frame["at"].max()
    assert sorted(set(forecast["at"])) == [last + 10_000_000, last + 20_000_000]


def test_two_time_zones_are_compared_as_instants():
    texts = READINGS["at"].dt.strftime("%Y-%m-%dT%H:%M:%S+00:00")
    later = (READINGS["at"] + pd.Timedelta(hours=2)).dt.strftime("%Y-%m-%dT%H:%M:%S+02:00")
    learner = fit(READINGS.assign(at=texts.where(READINGS.index % 3 > 0, later)))
    assert rows_of(learner) == rows_of(fit())
    assert any("2 offsets from UTC" in text for text in learner.fit_result_.timeline.sentences())


@pytest.mark.parametrize(
    ("texts", "days"),
    [
        # By the calendar: quarters begin in January, April, July and October.
        (["2023Q4", "2024Q1", "2024Q2"], ["2023-10-01", "2024-01-01", "2024-04-01"]),
        (["2024-q3", "2024-q4"], ["2024-07-01", "2024-10-01"]),
        (pd.period_range("2024Q1", periods=2, freq="Q"), ["2024-01-01", "2024-04-01"]),
        # By ISO 8601, week 1 of 2024 began on Monday, 1 January, and 2020 had 53 weeks.
        (["2024-W01", "2024W05"], ["2024-01-01", "2024-01-29"]),
        (["2020-W53", None, "2021-W01"], ["2020-12-28", None, "2021-01-04"]),
    ],
)
def test_quarters_and_weeks_are_read_as_their_first_days(texts, days):
    stamps = stamps_of("at", pd.Series(texts))
    assert stamps.known.tolist() == [day is not None for day in days]
    shown = [stamps.shown(row).removesuffix(" 00:00:00") for row in np.flatnonzero(stamps.known)]
    assert shown == [day for day in days if day is not None]
    assert not stamps.has_zone


@pytest.mark.parametrize("texts", [["2024Q5", "2024Q1"], ["2024-W54", "2024-W01"]])
def test_quarters_and_weeks_that_do_not_exist_are_refused(texts):
    with pytest.raises(ValueError, match="which is not a time"):
        stamps_of("at", pd.Series(texts))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: pd.concat([f, f.iloc[:2]]), "m0 has two rows with at 2024-01-01 00:00:00;"),
        (lambda f: f.assign(at="soon"), "holds 'soon', which is not a time: write times as 2024"),
        (lambda f: f.assign(at=f["at"].isna()), "holds true and false, not times"),
        (lambda f: f.assign(at=None), "is missing in every row"),
        (
            lambda f: f.assign(at=f["at"].astype(str).where(f.index > 3, "2024-01-01T00:00:00Z")),
            "times with a time zone and times without",
        ),
        (lambda f: f.groupby("machine").head(1), "no row has 1 step before it"),
        (lambda f: f[["machine", "at", "model"]], "every column is constant within each machine"),
    ],
)
def test_times_that_cannot_be_used_are_refused_in_words(change, message):
    with pytest.raises(ValueError, match=message):
        fit(change(READINGS))


def of_two_sites(shift="0s"):
    parts = [
        READINGS.assign(site="north"),
        READINGS.assign(site="south", x=-READINGS["x"], at=READINGS["at"] + pd.Timedelta(shift)),
    ]
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (of_two_sites(), "No row repeats one with the same site: if machine names several"),
        (pd.concat([READINGS, READINGS[3:9]]), r"They are copies of other rows: drop them"),
        (
            pd.concat([READINGS, READINGS[3:9].assign(x=0.0)]),
            "If values of machine repeat across sites",
        ),
        (
            READINGS.assign(at=READINGS["at"].astype(str) + " CET"),
            "whose time zone is a name: write it as an offset",
        ),
        (
            READINGS.assign(
                at=(READINGS["at"].astype(str) + " UTC").where(
                    READINGS["machine"] == "m0", "2024-01-01 10:00 CST"
                )
            ),
            "'2024-01-01 10:00 CST', whose time zone is a name",
        ),
    ],
)
def test_the_reason_of_repeated_times_is_named(frame, message):
    with pytest.raises(ValueError, match=message):
        fit(frame)


def test_a_clock_that_was_set_back_is_named():
    hours = pd.date_range("2024-10-26", periods=300, freq="10min", tz="UTC")
    local = hours.tz_convert("Europe/Berlin").tz_localize(None)
    frame = pd.DataFrame({"at": local, "x": np.random.default_rng(0).normal(size=300)})
    with pytest.raises(ValueError, match="clocks show twice when they are set back: write times"):
        fit(frame, by=None)


def test_rows_of_several_sites_that_interleave_are_named():
    with pytest.warns(UserWarning, match="10 seconds among rows with the same machine and site"):
        learner = fit(of_two_sites("3s"))
    assert "make one column of both for by=" in learner.fit_result_.timeline.sentences()[-1]
    with pytest.warns(UserWarning, match="make one column of both for by="):
        fit(of_two_sites(), every="10s")
    joined = of_two_sites("3s").assign(machine=lambda f: f["site"] + " " + f["machine"])
    assert fit(joined).fit_result_.timeline.steps.length == "10 seconds"


def test_one_series_with_repeats_asks_for_the_entity():
    with pytest.raises(ValueError, match="name the column that says which with by="):
        fit(READINGS.drop(columns="machine"), by=None)


def test_rows_without_time_or_entity_are_left_out_and_counted():
    frame = READINGS.copy()
    frame.loc[[3, 70], "at"] = pd.NaT
    frame.loc[130, "machine"] = None
    timeline = fit(frame).fit_result_.timeline
    assert timeline.steps.n_unplaced == 3
    assert "3 rows without a time or entity left out" in timeline.sentences()


def test_uneven_steps_are_named_and_rows_are_steps():
    rng = np.random.default_rng(0)
    days = rng.integers(1, 90, len(READINGS)).cumsum()
    frame = READINGS.assign(at=pd.Timestamp("2000-01-01") + pd.to_timedelta(days, unit="D"))
    with pytest.warns(UserWarning, match=r"uneven: .* A lag is one row.*--every"):
        learner = fit(frame)
    assert rows_of(learner) == rows_of(fit())
    assert learner.fit_result_.timeline.is_uneven


@pytest.mark.parametrize(
    ("frequency", "length"),
    [
        ("MS", "1 month"),
        ("2ME", "2 months"),
        ("QS", "3 months"),
        ("YS", "1 year"),
        ("30D", "30 days"),
    ],
)
def test_few_calendar_months_are_no_days(frequency, length):
    at = pd.date_range("2025-01-01", periods=5, freq=frequency)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"at": np.tile(at[:4], 50), "who": np.repeat(np.arange(50), 4)})
    learner = fit(frame.assign(x=rng.choice(["a", "b"], 200), y=rng.normal(size=200)), by="who")
    assert learner.fit_result_.timeline.steps.length == length
    assert set(learner.forecast(frame.iloc[:4], steps=1).to_frame()["at"]) == {at[4]}


def test_clocks_may_jitter_and_months_differ_in_length():
    rng = np.random.default_rng(0)
    jitter = pd.to_timedelta(rng.normal(scale=0.5, size=len(READINGS)), unit="s")
    steps = fit(READINGS.assign(at=READINGS["at"] + jitter)).fit_result_.timeline.steps
    assert (steps.n_used, steps.n_breaks) == (1180, 0)
    steps = fit(readings(step="MS")).fit_result_.timeline.steps
    assert (steps.n_used, steps.length) == (1180, "1 month")
    numbers = readings(step="MS").assign(at=lambda f: f["at"].dt.strftime("%Y%m").astype(int))
    timeline = fit(numbers).fit_result_.timeline
    assert timeline.steps.n_used == 1180
    assert "numbers such as 202401 are read as 2024-01-01" in timeline.sentences()


def test_resampling_averages_numbers_and_takes_the_last_category():
    learner = fit(every="20s", lags=1)
    table = learner.fit_result_.rows
    means = READINGS.groupby(["machine", READINGS["at"].dt.floor("20s")], sort=False).agg(
        {"model": "last", "x": "mean", "y": "mean", "state": "last"}
    )
    expected = lagged_by_hand(means.reset_index(), 1)[list(table.names)]
    for v in table.numbers:
        name = table.names[v]
        expected[name] = np.round(expected[name], 12)
    assert rows_of(learner) == sorted(map(tuple, expected.astype(str).to_numpy().tolist()))
    assert learner.fit_result_.timeline.steps.length == "20 seconds"


@pytest.mark.parametrize("every", ["soon", "", "-5s", "0s", "10 parsecs", "0.3mo"])
def test_a_length_that_is_none_is_refused(every):
    with pytest.raises(ValueError, match="is not a length of time: write a number and ms"):
        fit(every=every)


def test_a_length_of_the_wrong_kind_is_refused():
    with pytest.raises(ValueError, match="which holds dates: write a length such as 10s"):
        fit(every=10)
    with pytest.raises(ValueError, match=r"which holds numbers: write a length such as 0\.5"):
        fit(READINGS.assign(at=READINGS.index), every="10s")


def test_knowledge_about_variables_holds_at_every_lag():
    free = fit(lags=1)
    assert ("x", "y") in free.graph_.directed_edges
    learner = fit(lags=1, knowledge=bn.Knowledge(forbidden=[("x", "y"), ("y@t-1", "y")]))
    edges = learner.graph_.directed_edges
    assert not {("x", "y"), ("x@t-1", "y"), ("y@t-1", "y")}.intersection(edges)
    learner = fit(lags=1, knowledge=bn.Knowledge(required=[("model", "x"), ("state@t-1", "x")]))
    assert {("model", "x"), ("state@t-1", "x")} <= {*learner.graph_.directed_edges}
    learner = fit(lags=1, knowledge=bn.Knowledge(tiers=[["state"], ["x", "y"]]))
    assert not [
        head for tail, head in learner.dag_.directed_edges if head == "state" and tail[0] in "xy"
    ]
    with pytest.raises(ValueError, match=r"'x@t-1' is in no_parents"):
        fit(knowledge=bn.Knowledge(required=[("y", "x@t-1")]))
    with pytest.raises(ValueError, match="names 'z', which is not a column"):
        fit(knowledge=bn.Knowledge(forbidden=[("z", "x")]))


def test_missing_values_are_learned_from():
    rng = np.random.default_rng(0)
    frame = READINGS.copy()
    for name in ("x", "state", "model"):
        frame[name] = frame[name].where(rng.random(len(frame)) > 0.1)
    learner = fit(frame, lags=1)
    assert learner.fit_result_.timeline.static == ("model",)
    assert learner.missing_strategy_ == "em"
    assert ("x@t-1", "x") in learner.graph_.directed_edges


def test_a_fit_over_time_bootstraps_saves_and_loads(tmp_path):
    learner = fit(lags=1)
    learner.bootstrap(3, random_state=0)
    assert learner.strengths_.of("x@t-1", "x")[0] == 1.0
    learner.save(tmp_path / "learner")
    again = bn.load(tmp_path / "learner")
    assert again.fit_result_.timeline == learner.fit_result_.timeline
    assert again.get_params()["time"] == "at"
    assert again.explain("x@t-1", "x").reliability == "time"


def delayed(n=600, seed=0):
    """Draw an effect that takes three steps."""
    rng = np.random.default_rng(seed)
    cause = rng.normal(size=n)
    effect = np.roll(cause, 3) + 0.5 * rng.normal(size=n)
    times = pd.date_range("2024-01-01", periods=n, freq="10s")
    return pd.DataFrame({"at": times, "cause": cause, "effect": effect})


def test_lags_are_chosen_said_saved_and_kept_by_an_update(tmp_path):
    frame = delayed()
    learner = fit(frame, by=None, lags="auto")
    assert ("cause@t-3", "effect") in learner.graph_.directed_edges
    timeline = learner.fit_result_.timeline
    assert (timeline.lags, timeline.lag_choice.most, timeline.steps.n_used) == (3, 12, 597)
    said = [text for text in timeline.sentences() if text.startswith("3 lags chosen from 1 to 12")]
    assert len(said) == 1
    learner.save(tmp_path / "learner")
    again = bn.load(tmp_path / "learner")
    assert again.fit_result_.timeline == timeline
    assert again.get_params()["lags"] == "auto"
    again.update(delayed(40, 1).assign(at=lambda f: f["at"] + pd.Timedelta(days=1)))
    assert again.fit_result_.timeline.lags == 3
    assert again.fit_result_.n_rows == 597 + 37
    assert learner.bootstrap(2, random_state=0).of("cause@t-3", "effect")[0] == 1.0


def test_lags_are_chosen_for_steps_of_one_length():
    timeline = fit(delayed(1800), by=None, lags="auto", every="30s").fit_result_.timeline
    assert timeline.lags == 1


def test_rows_of_tomorrow_are_added_and_never_follow_those_of_others():
    today = READINGS[READINGS["at"] < READINGS["at"].iloc[40]]
    later = READINGS[READINGS["at"] >= READINGS["at"].iloc[40]]
    learner = fit(today, lags=2)
    assert learner.fit_result_.n_rows == 20 * 38
    learner.update(later)
    result = learner.fit_result_
    # The first two rows of each machine have no past among the new ones.
    assert result.n_rows == result.timeline.steps.n_used == 20 * 38 + 20 * 18
    assert result.timeline.static == ("model",)
    assert set(rows_of(learner)) <= set(rows_of(fit(lags=2)))
    assert ("x@t-1", "x") in learner.graph_.directed_edges
    # With the last rows of today before them, nothing is lost.
    learner = fit(today, lags=2)
    learner.update(READINGS[READINGS["at"] >= READINGS["at"].iloc[38]])
    assert rows_of(learner) == rows_of(fit(lags=2))


def test_states_of_effects_and_evidence_over_time_are_read_as_at_one_step():
    learner = fit(lags=1)
    network = learner.network_
    bins = network.binned.states["x"]
    assert network.query("state", {"x@t-1": -9.0})["fault"] == pytest.approx(
        network.query("state", {"x@t-1": bins[0]})["fault"]
    )
    by_number, by_bin = (
        learner.effect({"x@t-1": one}, "y").cases[0].contrasts for one in (-9.0, bins[0])
    )
    assert [one.difference for one in by_number] == [one.difference for one in by_bin]
    for treatment in ("state", "state@t-1", "state@t-3"):
        with pytest.raises(ValueError, match=r"'state' has no state 'falut'.*did you mean 'fault'"):
            learner.effect({treatment: "falut"}, "y")
    with pytest.raises(ValueError, match="'x' has no state 'high'; its states are"):
        learner.effect({"x": "high"}, "y")
