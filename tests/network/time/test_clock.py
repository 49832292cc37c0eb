"""Steps of time stamps, and the stamps that follow."""

import numpy as np
import pandas as pd
import pytest

from bnsieve.network.time.clock import Clock, read_stamps


def clock_of(stamps):
    return Clock.of(stamps, np.zeros(len(stamps), dtype=np.intp))


@pytest.mark.parametrize(
    ("frequency", "start"),
    [
        ("10s", "2024-01-01"),
        ("h", "2024-03-30 22:00"),
        ("D", "2024-02-27"),
        ("W", "2024-01-07"),
        ("MS", "2023-11-01"),
        ("ME", "2023-01-31"),
        ("QS", "2023-01-01"),
        ("YS", "2019-01-01"),
    ],
)
def test_stamps_go_on_as_pandas_would(frequency, start) -> None:
    every = pd.date_range(start, periods=12, freq=frequency)
    seen = read_stamps(pd.Series(every[:6]), "at")
    clock = clock_of(seen)
    np.testing.assert_array_equal(
        clock.after(seen[-1:], np.arange(1, 7))[0], every[6:].to_numpy(dtype="datetime64[ns]")
    )
    numbers = clock.numbers(seen, np.zeros(6, dtype=np.intp))
    np.testing.assert_array_equal(numbers, np.arange(-5, 1))


def test_numbers_and_texts_are_stamps() -> None:
    assert read_stamps(pd.Series(["3", "5", "7"]), "at").tolist() == [3.0, 5.0, 7.0]
    assert clock_of(np.array([3.0, 5.0, 7.0, 11.0])).step == 2.0
    dates = read_stamps(pd.Series(["2024-01-01", "2024-01-02"]), "at")
    assert clock_of(dates).in_words == "1 days 00:00:00"


def test_time_zones_become_one() -> None:
    stamps = pd.Series(["2024-01-01T12:00+01:00", "2024-01-01T12:00+00:00"])
    assert np.diff(read_stamps(stamps, "at"))[0] == np.timedelta64(1, "h")
