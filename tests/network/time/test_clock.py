"""Steps of time stamps, and the stamps that follow."""

import numpy as np
import pandas as pd
import pytest

from bnsieve.network.time.clock import Clock
from bnsieve.rows import stamps_of
from bnsieve.table import Timeline


def followed(stamps, every=None, n=6):
    """Return the clock of one series, the numbers of its steps and the next stamps."""
    timeline = Timeline("at", None, 1, every, ("x",))
    read = stamps_of("at", pd.Series(stamps))
    entities = np.zeros(len(read.values), dtype=np.int64)
    clock = Clock.of(timeline, read, entities)
    order = clock.order(timeline, read, entities)
    last = np.array([len(order.starts) - 1])
    return clock, order, clock.after(read, order, last, n)[0]


@pytest.mark.parametrize(
    ("frequency", "start"),
    [
        ("10s", "2024-01-01"),
        ("1s", "2024-01-01"),
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
    _, order, stamps = followed(every[:6])
    np.testing.assert_array_equal(np.diff(order.step), 1)
    np.testing.assert_array_equal(stamps.astype("datetime64[ns]"), every[6:].to_numpy())


def test_numbers_and_texts_are_stamps() -> None:
    clock, order, stamps = followed([3.0, 5.0, 7.0, 11.0], n=2)
    assert clock.every.length == 2.0
    assert np.diff(order.step).tolist() == [1, 1, 2]
    assert stamps.tolist() == [13.0, 15.0]
    assert followed(["3", "4", "5"], n=1)[2].tolist() == [6.0]


def test_rows_that_jitter_are_neighbours_and_others_not() -> None:
    _, order, _ = followed([0.0, 1.1, 2.0, 3.05, 4.5, 5.5, 6.5, 7.5])
    assert np.diff(order.step).tolist() == [1, 1, 1, 2, 1, 1, 1]
    assert order.n_odd == 1


def test_uneven_rows_are_steps() -> None:
    clock, order, _ = followed([0, 1, 5, 30, 90, 95, 130, 190, 260])
    assert clock.is_uneven
    assert np.diff(order.step).tolist() == [1] * 8


@pytest.mark.parametrize("every", ["1h", "1d", "1w", "1mo"])
def test_resampled_steps_begin_where_pandas_has_them(every) -> None:
    stamps = pd.date_range("2024-01-03 10:20", periods=400, freq="7h")
    _, order, found = followed(stamps, every, n=3)
    frequency = {"1h": "h", "1d": "D", "1w": "W-MON", "1mo": "MS"}[every]
    expected = pd.date_range(stamps[-1], periods=4, freq=frequency, normalize=every != "1h")
    if every == "1h":
        expected = pd.date_range(stamps[-1].floor("h"), periods=4, freq="h")
    expected = expected[expected > stamps[-1]][:3]
    np.testing.assert_array_equal(found.astype("datetime64[ns]"), expected.to_numpy()[:3])
    assert len(order.starts) == len(np.unique(order.step))
