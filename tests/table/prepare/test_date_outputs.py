"""Parts of dates, and the times between them, by the calendar."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.table.prepare.drafts import (
    elapsed_between,
    free_name,
    implied_parts,
    in_order,
    varying_parts,
)

START = np.datetime64("2020-01-01", "s")
DAY = 86_400


def times(*seconds):
    return START + np.array(seconds, dtype="timedelta64[s]")


def days(*numbers):
    return times(*(DAY * n for n in numbers))


@pytest.mark.parametrize(
    ("found", "form", "parts"),
    [
        (days(*range(800)), "ymd", ["year", "month", "weekday"]),
        (days(*range(25)), "ymd", ["weekday"]),  # one month of one year
        (times(*range(0, 25 * DAY, 3_600)), "ymd", ["weekday", "hour"]),
        (times(*range(0, 40 * DAY, 3_600)), "time", ["hour"]),
        (days(*range(0, 40 * 365, 17)), "ymd", ["year"]),  # over more than thirty years
        (days(*range(0, 29 * 365, 17)), "ymd", ["year", "month", "weekday"]),
        (times(), "ymd", []),
        (days(3, 3, 3, 3, 3, 3), "ymd", []),
    ],
)
def test_parts_that_vary_are_taken(found, form, parts):
    with_gaps = np.append(found, np.datetime64("NaT"))
    assert varying_parts(form, with_gaps) == parts


def test_firsts_of_months_have_no_weekday():
    firsts = np.arange("2020-01", "2022-01", dtype="datetime64[M]").astype("datetime64[s]")
    assert varying_parts("ymd", firsts) == ["year", "month"]
    assert varying_parts("ymd", np.append(firsts, days(1))) == ["year", "month", "weekday"]
    assert varying_parts("ym", np.append(firsts, days(1))) == ["year", "month"]


@pytest.mark.parametrize(
    ("n_rows", "n_other", "taken"),
    [(100, 4, False), (100, 5, True), (1_000, 9, False), (1_000, 10, True)],
)
def test_a_part_that_hardly_varies_is_not_taken(n_rows, n_other, taken):
    # Some rows lie a year later, on the same weekday: 364 days.
    found = days(*[10] * (n_rows - n_other), *[10 + 364] * n_other)
    assert ("year" in varying_parts("ymd", found)) == taken


@pytest.mark.parametrize(
    ("seconds", "unit"),
    [
        ([2 * DAY, 3 * DAY, 9 * DAY], "days"),
        ([DAY, DAY, 2 * DAY], "days"),  # whole days, though fewer than two of them
        ([730 * DAY, 731 * DAY, 800 * DAY], "years"),  # two years are 730.5 days
        ([729 * DAY, 730 * DAY, 731 * DAY], "days"),
        ([2 * DAY + 1, 5 * DAY], "days"),
        ([DAY + 60, DAY + 7_200], "hours"),
        ([7_200, 7_201, 15_000], "hours"),
        ([7_199, 7_199, 3_600], "minutes"),
        ([119, 119, 61], "seconds"),
        ([120, 120, 240], "minutes"),
        ([-3 * DAY, 4 * DAY, 5 * DAY], "days"),
    ],
)
def test_the_unit_of_which_a_middling_time_has_two(seconds, unit):
    later = times(*seconds) + np.timedelta64(20_000 * DAY, "s")
    earlier = times(*[0] * len(seconds)) + np.timedelta64(20_000 * DAY, "s")
    # Put in order by their middle: the earlier column must be so.
    if np.median(seconds) < 0:
        earlier, later = later, earlier
    reading = elapsed_between({"to": ("ymd", later), "from": ("ymd", earlier)})["to"]
    assert (reading.since, reading.unit, reading.form, reading.since_form) == (
        "from",
        unit,
        "ymd",
        "ymd",
    )


def test_a_time_that_is_always_the_same_is_not_taken():
    dates = {"a": ("ymd", days(1, 2, 3)), "b": ("dmy", days(4, 5, 6))}
    assert elapsed_between(dates) == {}
    dates["b"] = ("dmy", days(4, 5, 7))
    assert elapsed_between(dates)["b"].unit == "days"
    nothing = np.full(3, np.datetime64("NaT"), dtype="datetime64[s]")
    assert elapsed_between(dates | {"c": ("ymd", nothing)}).keys() == {"b"}
    apart = {
        "a": ("ymd", np.append(days(1, 2), nothing)),
        "b": ("ymd", np.append(nothing, days(1, 9))),
    }
    assert elapsed_between(apart) == {}


def test_dates_are_put_in_order_by_their_middle():
    dates = {
        "z": ("ymd", days(1, 2, 900)),
        "y": ("ymd", days(2, 3, 4)),
        "x": ("ymd", days(3, 3, 3)),
        "clock": ("time", days(0, 0, 0)),
    }
    assert in_order(dates) == ["z", "x", "y"]


def test_parts_that_follow_from_others_are_implied():
    dates = {"born": ("ymd", days(0, 400, 900)), "came": ("ymd", days(9_000, 9_900, 12_000))}
    years = elapsed_between(dates)
    assert years["came"].unit == "years"
    assert implied_parts(years) == {("born", "year")}
    stays = elapsed_between({"a": ("ymd", days(1, 5, 9)), "b": ("ymd", days(3, 8, 20))})
    assert implied_parts(stays) == {("b", "year"), ("b", "month"), ("b", "weekday")}
    hours = elapsed_between(
        {
            "a": ("ymd", days(1, 5, 9)),
            "b": ("ymd", days(1, 5, 9) + (times(7_200, 19_999, 8_000) - START)),
        }
    )
    assert implied_parts(hours) == {("b", part) for part in ("year", "month", "weekday", "hour")}


def test_names_of_outputs_are_free():
    frame = pd.DataFrame({"a": days(*range(60)), "b": days(*(n + n % 7 for n in range(60)))})
    frame["b_minus_a_days"] = ["u", "v"] * 30
    assert [one.name for one in bn.prepare(frame)["b"].outputs] == ["b_minus_a_days_"]


def test_free_names():
    assert free_name("a", ["b"]) == "a"
    assert free_name("a", ["a", "a_"]) == "a__"
