"""Names of variables and lags, and what the parameters of a timeline may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsieve.table import AtLag, Timeline, duration, lagged_name, parse_lagged_name, timeline_of


@given(st.text(min_size=1), st.integers(0, 100))
def test_a_name_says_its_variable_and_its_lag(variable, lag):
    if parse_lagged_name(variable).lag:
        return  # a variable that is named like a lagged one is refused by `with_columns`
    assert parse_lagged_name(lagged_name(variable, lag)) == (variable, lag)


@pytest.mark.parametrize("name", ["X@t-0", "X@t-01", "X@t-", "@t-1", "X@t-1x", "X@T-1", "X@t+1"])
def test_other_names_are_at_time_t(name):
    assert parse_lagged_name(name) == AtLag(name, 0)


def test_columns_of_a_lagged_table():
    timeline = timeline_of("at", "machine", 2, None).with_columns(
        ["machine", "at", "model", "heat", "fault"], static={"model"}
    )
    assert timeline.keys == ("machine", "at")
    assert timeline.variables == ("heat", "fault")
    assert timeline.static == ("model",)
    assert timeline.past == ("heat@t-1", "fault@t-1", "heat@t-2", "fault@t-2")
    assert timeline.names == ("heat", "fault", "model", *timeline.past)
    assert timeline.place("heat@t-2") == ("heat", 2)
    assert [name for name in timeline.names if not timeline.is_exogenous(name)] == ["heat", "fault"]
    assert timeline.one_step_earlier(["fault", "heat@t-2", "heat@t-1", "heat"]) == {2: 1, 3: 2}
    with pytest.raises(KeyError, match="did you mean 'heat@t-2'"):
        timeline.place("heat@t-3")


def test_no_parameters_no_timeline():
    assert timeline_of(None, None, None, None) is None
    assert timeline_of(None, "id", None, None) == Timeline(by="id")
    assert timeline_of("at", None, None, None).lags == 1
    assert timeline_of("at", None, 3, 10).every == "10"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((None, None, 2, None), "lags=2 needs a time column: pass time="),
        ((None, "id", None, "10s"), "every='10s' needs a time column"),
        (("id", "id", None, None), "time and by are both 'id'"),
    ],
)
def test_contradictions_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        timeline_of(*given)


def test_a_column_named_like_a_lagged_one_is_refused():
    timeline = timeline_of("at", None, 1, None)
    with pytest.raises(ValueError, match="'heat@t-1', which is the name of 'heat'"):
        timeline.with_columns(["heat", "heat@t-1"])
    assert timeline.with_columns(["heat", "heat@t-2"]).variables == ("heat", "heat@t-2")


def test_a_key_that_is_no_column_is_refused():
    timeline = timeline_of("att", "machine", None, None)
    with pytest.raises(ValueError, match=r"x\.csv has no column 'att', which time names: did you"):
        timeline.require_keys(["at", "machine"], "x.csv")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (10, "10 seconds"),
        (5400, "90 minutes"),
        (5_962_574, "69.01 days"),
        (0.5, "500 milliseconds"),
    ],
)
def test_a_length_in_words_is_in_units_that_can_be_read_again(seconds, words):
    assert duration(seconds) == words
