"""Numbers and dates in text: read as Python reads them, in the way that all cells agree with."""

from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsieve.table.prepare.parsing import (
    choose_form,
    choose_style,
    find_unit,
    limits,
    part_of,
    read_dates,
    read_numbered_days,
    read_numbers,
    write_numbers,
)


def texts(*cells):
    return np.array(cells, dtype=object), np.ones(len(cells), dtype=np.int64)


@given(st.lists(st.floats(-1e12, 1e12, allow_nan=False), min_size=1, max_size=30))
def test_numbers_as_python_writes_them_are_read_back(numbers):
    cells, _ = texts(*map(repr, numbers))
    assert read_numbers(cells, "plain").tolist() == numbers


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=30))
def test_every_style_is_read_as_it_is_written(numbers):
    for style, written in (
        ("thousands", [f"{n:,}.25" for n in numbers]),
        ("comma", [f"{n},25" for n in numbers]),
        ("thousands-comma", [f"{n:,}".replace(",", ".") + ",25" for n in numbers]),
    ):
        expected = [n + 0.25 if n >= 0 else n - 0.25 for n in numbers]
        assert read_numbers(texts(*written)[0], style).tolist() == expected


@pytest.mark.parametrize(
    ("cells", "style", "n_read", "doubt"),
    [
        (["1.5", "-2", "3e5", ".5"], "plain", 4, ""),
        (["1,5", "2,25", "3"], "comma", 3, ""),
        (["0,125", "2,250"], "comma", 2, ""),
        (["1,234", "12,345,678", "7"], "thousands", 3, ""),
        (["1,234", "2,345"], "thousands", 2, "1,234"),
        (["1.234,5", "6", "1.234.567"], "thousands-comma", 3, ""),
        (["$ 12", "45 %", "€7"], "plain", 3, ""),
        (["01234", "10115"], "plain", 0, ""),
        (["a", "b", "1"], "plain", 0, ""),
        (["<1", ">= 90", "5", "high"], "plain", 3, ""),
        (["1.234", "999"], "plain", 2, "1.234"),
        (["1.234 kg", "999 kg", "0.5 kg"], "plain", 3, ""),
    ],
)
def test_the_style_that_most_cells_have(cells, style, n_read, doubt):
    assert choose_style(*texts(*cells)) == (style, n_read, doubt)


def test_limits_lie_on_their_side():
    cells, _ = texts("<1", "<=1", "1", ">1", "1<", "< -2")
    below, at_most, one, above, none, negative = read_numbers(cells, "plain")
    assert below < at_most == one < above
    assert np.isnan(none)
    assert negative < -2
    assert limits(cells, "plain") == ["below 1", "at most 1", "", "above 1", "", "below -2"]


moments = st.datetimes(datetime(1900, 1, 1), datetime(2099, 12, 31)).map(
    lambda moment: moment.replace(microsecond=0)
)


@given(st.lists(moments, min_size=1, max_size=20))
def test_dates_as_python_writes_them_are_read_back(times):
    expected = np.array(times, dtype="datetime64[s]")
    for form, layout in (
        ("ymd", "%Y-%m-%d %H:%M:%S"),
        ("ymd", "%Y-%m-%dT%H:%M:%SZ"),
        ("ymd", "%Y/%m/%d %H:%M:%S"),
        ("dmy", "%d.%m.%Y %H:%M:%S"),
        ("dmy", "%d %b %Y %H:%M:%S"),
        ("mdy", "%m/%d/%Y %I:%M:%S %p"),
        ("mdy", "%B %d, %Y %H:%M:%S"),
    ):
        written, _ = texts(*(moment.strftime(layout) for moment in times))
        assert (read_dates(written, form) == expected).all(), layout
    days = expected.astype("datetime64[D]")
    numbers = np.array([int(moment.strftime("%Y%m%d")) for moment in times])
    assert (read_numbered_days(numbers) == days).all()
    assert part_of(expected, "year").tolist() == [moment.year for moment in times]
    assert part_of(expected, "month").tolist() == [moment.month for moment in times]
    assert part_of(expected, "weekday").tolist() == [moment.weekday() for moment in times]
    assert part_of(expected, "hour").tolist() == [moment.hour for moment in times]


@pytest.mark.parametrize(
    ("cells", "form", "n_read", "doubt"),
    [
        (["2024-01-31", "2023-12-01 10:00"], "ymd", 2, ""),
        (["31.1.2024", "1.12.2023"], "dmy", 2, ""),
        (["1/31/2024", "2/3/2024"], "mdy", 2, ""),
        (["31/1/2024", "2/3/2024"], "dmy", 2, ""),
        (["1/2/2024", "2/3/2024"], "mdy", 2, "order"),
        (["1.2.2024", "2.3.2024"], "dmy", 2, "order"),
        (["5/5/2024", "6/6/2024"], "dmy", 2, ""),
        (["31/12/24", "1/1/99"], "dmy", 2, "century"),
        (["2024-01", "2023-12"], "ym", 2, ""),
        (["20240131", "19991231"], "compact", 2, ""),
        (["12:30", "7:05:01"], "time", 2, ""),
        (["2024-02-30", "2024-13-01"], "ymd", 0, ""),
        (["a-b-c", "1.2.3.4"], "ymd", 0, ""),
        (["10.5", "11.25"], "ymd", 0, ""),
    ],
)
def test_the_form_that_most_cells_have(cells, form, n_read, doubt):
    found = choose_form(*texts(*cells))
    assert (found.form, found.n_cells, found.doubt) == (form, n_read, doubt)


def test_two_digit_years_are_near():
    found = read_dates(texts("1.1.68", "1.1.69")[0], "dmy").astype("datetime64[Y]")
    assert found.astype(str).tolist() == ["2068", "1969"]


def test_no_day_that_there_is_not():
    start = datetime(2023, 1, 1)
    days = {(start + timedelta(n)).strftime("%Y-%m-%d") for n in range(730)}
    every = [f"{y}-{m:02}-{d:02}" for y in (2023, 2024) for m in range(14) for d in range(33)]
    read = ~np.isnat(read_dates(texts(*every)[0], "ymd"))
    assert {day for day, known in zip(every, read, strict=True) if known} == days | {"2024-12-31"}


@pytest.mark.parametrize(
    ("text", "style", "number"),
    [
        ("12", "plain", 12),
        (" 12. ", "plain", 12),
        (".5", "plain", 0.5),
        ("-\u00a312.5", "plain", -12.5),
        ("\u22125", "plain", -5),
        ("+5", "plain", 5),
        ("1e3", "plain", 1_000),
        ("1e999", "plain", np.nan),  # beyond what a float holds
        ("1,5", "plain", np.nan),
        ("1,5e2", "comma", 150),
        ("15e2", "comma", 1_500),
        ("1.234,5", "comma", np.nan),
        ("1,234,567.5", "thousands", 1_234_567.5),
        ("12,34", "thousands", np.nan),
        ("0,123", "thousands", np.nan),
        ("1.234.567,5", "thousands-comma", 1_234_567.5),
        ("1 234\u00a0567,5", "thousands-comma", 1_234_567.5),
        ("1'234,5", "thousands-comma", 1_234.5),
        ("5 %", "plain", 5),
        ("abc", "plain", np.nan),
        ("", "plain", np.nan),
        ("\u2264 7", "plain", 7),
        (">=7", "plain", 7),
    ],
)
def test_single_numbers(text, style, number):
    cells, counts = texts(text)
    factors = find_unit(cells, counts, style).factors
    np.testing.assert_equal(read_numbers(cells, style, factors)[0], number)


def test_limits_are_the_nearest_numbers_and_named():
    below, above = read_numbers(texts("<7", ">7")[0], "plain")
    assert (below, above) == (np.nextafter(7, 0), np.nextafter(7, 8))
    written = texts("<1", "> 2,5", "<= 3", ">=4", "\u22645", "\u2265 6", "7", "x")[0]
    assert limits(written, "comma") == [
        *("below 1", "above 2,5", "at most 3", "at least 4", "at most 5", "at least 6", "", "")
    ]


@pytest.mark.parametrize(
    ("numbers", "others", "n_read"),
    [(["1.5"] * 50, ["x"] * 50, 50), (["1.5"] * 49, ["x"] * 51, 0)],
)
def test_half_of_the_cells_must_begin_like_numbers(numbers, others, n_read):
    found, counts = np.unique([*numbers, *others], return_counts=True)
    assert choose_style(found.astype(object), counts)[1] == n_read


@pytest.mark.parametrize(("n_codes", "n_read"), [(1, 100), (2, 0)])
def test_one_cell_in_a_hundred_may_begin_with_a_zero(n_codes, n_read):
    cells = [*["007"] * n_codes, *["12"] * (100 - n_codes)]
    found, counts = np.unique(cells, return_counts=True)
    assert choose_style(found.astype(object), counts)[1] == n_read


@pytest.mark.parametrize(
    ("text", "form", "moment"),
    [
        ("2024-01-31", "ymd", "2024-01-31T00:00:00"),
        ("2024/1/3 7:05", "ymd", "2024-01-03T07:05:00"),
        ("2024-01-31T23:59:59.5+02:00", "ymd", "2024-01-31T23:59:59"),
        ("2024-01/31", "ymd", "NaT"),
        ("2024-01-31 24:00", "ymd", "NaT"),
        ("2024-01-31 23:60", "ymd", "NaT"),
        ("2024-01-31 23:59:60", "ymd", "2024-02-01T00:00:00"),  # a second that is put in
        ("2024-01-31 23:59:61", "ymd", "NaT"),
        ("2024-00-10", "ymd", "NaT"),
        ("2024-10-00", "ymd", "NaT"),
        ("2023-02-29", "ymd", "NaT"),
        ("2024-02-29", "ymd", "2024-02-29T00:00:00"),
        ("31.12.2023", "dmy", "2023-12-31T00:00:00"),
        ("31. 12. 2023", "dmy", "2023-12-31T00:00:00"),
        ("12/31/23 12:00 am", "mdy", "2023-12-31T00:00:00"),
        ("12/31/23 12:00 PM", "mdy", "2023-12-31T12:00:00"),
        ("12/31/23 1:00 pm", "mdy", "2023-12-31T13:00:00"),
        ("3 March 2021", "dmy", "2021-03-03T00:00:00"),
        ("Sept. 3, 2021", "mdy", "2021-09-03T00:00:00"),
        ("Sep 3 2021", "mdy", "2021-09-03T00:00:00"),
        ("3-Mar-99", "dmy", "1999-03-03T00:00:00"),
        ("3 Foo 2021", "dmy", "NaT"),
        ("2021-07", "ym", "2021-07-01T00:00:00"),
        ("2021-13", "ym", "NaT"),
        ("19000101", "compact", "1900-01-01T00:00:00"),
        ("18991231", "compact", "NaT"),
        ("21001231", "compact", "2100-12-31T00:00:00"),
        ("21010101", "compact", "NaT"),
        ("7:05 pm", "time", "1970-01-01T19:05:00"),
        ("25:00", "time", "NaT"),
        ("nothing", "dmy", "NaT"),
    ],
)
def test_single_dates(text, form, moment):
    found = read_dates(texts(text)[0], form)[0]
    assert str(found) == moment


def test_numbers_of_days():
    given = np.array([20240131, 19000101, 18991231, 21001231, 21010101, 20240230, 20240131.5, 1e12])
    assert read_numbered_days(given).astype(str).tolist() == [
        "2024-01-31T00:00:00",
        "1900-01-01T00:00:00",
        "NaT",
        "2100-12-31T00:00:00",
        *["NaT"] * 4,
    ]


def test_parts_of_no_time_are_missing():
    nothing = np.array(["NaT"], dtype="datetime64[s]")
    for part in ("year", "month", "weekday", "hour"):
        assert np.isnan(part_of(nothing, part)).all()


def test_rare_dates_among_many_texts_are_not_sought():
    # Of the most frequent texts, and of the first fifty, none is a date.
    words = [f"word {chr(97 + i % 26)}{i}" for i in range(120)]
    cells = np.array([*words, "2024-01-31"], dtype=object)
    counts = np.array([2] * 120 + [1])
    assert choose_form(cells, counts).n_cells == 0
    counts[-1] = 500
    found = choose_form(cells, counts)
    assert (found.form, found.n_cells) == ("ymd", 500)


def test_examples_are_of_what_is_in_doubt():
    found = choose_form(*texts("3 Mar 2024", "1/2/2024", "2/3/2024"))
    assert (found.form, found.doubt, found.example) == ("mdy", "order", "1/2/2024")
    found = choose_form(*texts("13/2/2024", "14/3/24"))
    assert (found.form, found.doubt, found.example) == ("dmy", "century", "14/3/24")


@given(
    st.lists(st.floats(-1e9, 1e9), min_size=1),
    st.sampled_from(["plain", "comma", "thousands", "thousands-comma"]),
    st.sampled_from([("kg", "{} kg"), ("kg", "{}kg"), ("$", "${}"), ("", "{}"), ("kg", "none")]),
)
def test_written_numbers_are_read_back(numbers, style, unit_and_form):
    unit, form = unit_and_form
    like, _ = texts(form.format("7"))
    written, _ = texts(*write_numbers(np.array(numbers), style, unit, like))
    read = read_numbers(written, style, {unit: 1.0})
    assert read == pytest.approx(np.array(numbers), rel=1e-9)
    assert all(text.startswith(form[:1]) for text in written if form.startswith("$"))
    assert all(text.endswith(" kg") for text in written if form in ("{} kg", "none"))
