"""What is left out or cut, and the sentence that says so."""

import numpy as np
import pandas as pd
import pytest

from bnsieve.rows.tidy import tidy_frame

N = 60


def frame(**columns):
    base = {"a": ["u", "v"] * (N // 2), "b": ["u", "u", "v"] * (N // 3)}
    return pd.DataFrame(base | columns)


@pytest.mark.parametrize(
    ("column", "why"),
    [
        ([None] * N, "all cells are empty"),
        (["NO"] * N, "always 'NO'"),
        ([1, None] * (N // 2), "always '1"),
        ([f"p{i}" for i in range(N)], "another value in each of 60 rows"),
        (range(N), "another value in each of 60 rows"),
        ([None, *map(float, range(N - 1))], "another value in each of 59 rows"),
        ([f"p{i // 2}" for i in range(N + 1)][1:], "31 labels in 60 rows"),
        ([0.5] * (N - 1) + [0.7], "no cut of its numbers"),
        (pd.date_range("2020-01-01", periods=N), "dates"),
    ],
)
def test_columns_without_use_are_dropped(column, why):
    tidied, _, changes = tidy_frame(frame(c=column))
    assert tidied.columns.tolist() == ["a", "b"]
    (change,) = changes
    assert (change.column, change.what) == ("c", "dropped")
    assert why in change.why


def test_columns_dropped_and_kept_as_asked():
    data = frame(c=[f"p{i}" for i in range(N)])
    tidied, _, changes = tidy_frame(data, drop=["a"], keep=["c"])
    assert tidied.columns.tolist() == ["b", "c"]
    assert [(one.column, one.what) for one in changes] == [("a", "dropped"), ("c", "note")]
    with pytest.raises(ValueError, match="no column 'd': the columns are 'a', 'b', 'c'"):
        tidy_frame(data, keep=["d"])


def test_numbers_are_cut_and_said():
    numbers = np.where(np.arange(N) % 2, 1.5, -1.5) + np.linspace(0, 1, N)
    tidied, discretizer, changes = tidy_frame(frame(c=numbers))
    (change,) = changes
    assert (change.column, change.what) == ("c", "cut")
    assert list(tidied["c"].cat.categories) == change.why.split(", ", 1)
    assert discretizer.cuts_.keys() == {"c"}


def test_labels_that_may_be_missing_cells_are_pointed_out():
    tidied, _, changes = tidy_frame(frame(c=["?", "x y", "z"] * (N // 3)))
    assert "c" in tidied
    assert "--na '?'" in changes[0].why


def test_too_few_columns():
    with pytest.raises(ValueError, match=r"1 can be used: left out: b \(as asked\)"):
        tidy_frame(frame(), drop=["b"])
    with pytest.raises(ValueError, match="0 can be used: there are no others"):
        tidy_frame(pd.DataFrame())
