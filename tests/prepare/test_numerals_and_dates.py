"""Numbers and dates in text: read as Python reads them, in the way that all cells agree with."""

from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsieve.prepare.dates import choose_form, part_of, read_dates, read_numbered_days
from bnsieve.prepare.numerals import choose_style, limits, read_numbers


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
