"""Tests of what the table itself shows: expected probabilities are counted by hand."""

import math

import numpy as np
import pandas as pd
import pytest

from bnsieve.check.schema import (
    changed_columns,
    corrected,
    left_range,
    moved_missing,
    new_categories,
    renamed,
    repeated_rows,
)
from bnsieve.table import Table


def test_columns_are_missing_or_new() -> None:
    assert changed_columns(["a", "b"], ["b", "c", "id"], ["id"]) == (["a"], ["c"])


def test_one_row_of_a_new_category_may_be_chance() -> None:
    (once,) = new_categories("plan", {"free": 800, "pro": 200}, {"free": 90, "gold": 1}).changes
    (often,) = new_categories("plan", {"free": 800, "pro": 200}, {"free": 70, "gold": 30}).changes
    # One of 1,091 rows, in any order, is among the last 91 in 91 of 1,091 cases.
    assert once.p_value == pytest.approx(91 / 1091)
    assert often.p_value < 1e-20
    assert "'gold' in 30 rows (30.0%)" in often.text


def test_another_type_is_named_once() -> None:
    (found,) = new_categories("code", {1: 10, 2: 20}, {"1": 3, "2": 4}).changes
    assert (found.kind, found.p_value) == ("type", 0.0)
    assert found.text == "holds text, and held whole numbers"


def test_values_beyond_the_range() -> None:
    before = np.linspace(0, 1, 100)
    assert left_range("x", before, np.linspace(0.1, 0.9, 50)).changes == ()
    (found,) = left_range("x", before, np.array([0.5, 2.0, 3.0])).changes
    # Two of 103 rows are both among the last three in 3 of 103 * 102 / 2 cases; either side.
    assert found.p_value == pytest.approx(2 * 3 / math.comb(103, 2))
    assert found.text == "2 values above 1, the highest training value, as far as 3"


def test_more_or_fewer_missing_values() -> None:
    assert moved_missing("x", 0, 100, 0, 100).changes == ()
    assert moved_missing("x", 50, 1000, 300, 1000).changes[0].p_value < 1e-20
    assert moved_missing("x", 300, 1000, 50, 1000).changes[0].p_value < 1e-20
    assert moved_missing("x", 50, 1000, 52, 1000).changes[0].p_value > 0.5


def test_tests_are_corrected_for_their_number_and_no_more() -> None:
    """Twenty columns: exact chances of one missing value, and of one value beyond a range."""
    rng = np.random.default_rng(0)
    before = rng.normal(size=900)
    beyond = [left_range(str(i), before, np.array([before.max() + 1, *before[:99]])) for i in "abc"]
    # One of 1,000 rows is the highest; it is among the last 100 in one case of ten; two sides.
    assert [one.p_value for one in corrected(beyond)] == pytest.approx([3 * 2 * 0.1] * 3)
    # Columns without missing values take nothing from the level of the one that has some.
    missing = [moved_missing(str(i), 0, 900, 0, 100) for i in range(19)]
    missing.append(moved_missing("x", 0, 900, 2, 100))
    (found,) = corrected(missing)
    # Both of two are among the last 100. None among these is no rarer on the other side.
    assert found.p_value == pytest.approx(100 * 99 / (1000 * 999))


def test_schema_alarms_are_as_rare_as_the_level_says() -> None:
    """Ranges of five columns, of which each has its highest and lowest value anywhere."""
    rng = np.random.default_rng(1)
    alarms, n = 0, 1_000
    for _ in range(n):
        rows = rng.normal(size=(5, 400))
        tests = [left_range(str(i), row[:300], row[300:]) for i, row in enumerate(rows)]
        alarms += any(one.p_value < 0.05 for one in corrected(tests))
    assert 0.02 < alarms / n < 0.06


def test_a_column_under_another_name_is_guessed() -> None:
    before = {"dysp": ("no", "yes"), "age": np.linspace(20, 80, 500)}
    after = {"dyspnoea": ("no", "yes"), "years": np.linspace(20, 80, 300)}
    found = renamed(["dysp", "age"], ["dyspnoea", "years"], before, after)
    assert {name: other for name, (other, _) in found.items()} == {
        "dysp": "dyspnoea",
        "age": "years",
    }
    assert renamed(["dysp"], ["colour"], before, {"colour": ("red", "green")}) == {}


def _table(frame: pd.DataFrame) -> Table:
    return Table.from_data(frame.astype(str))


def test_rows_learned_from_are_recognised() -> None:
    rng = np.random.default_rng(0)
    old = pd.DataFrame(rng.integers(0, 9, (500, 8)), columns=list("abcdefgh"))
    new = pd.DataFrame(rng.integers(0, 9, (300, 8)), columns=list("abcdefgh"))
    assert all(one.p_value > 0.01 for one in corrected(repeated_rows(_table(old), _table(new))))
    again = corrected(repeated_rows(_table(old), _table(old[:300])))
    assert min(one.p_value for one in again) < 1e-50
    twice = corrected(repeated_rows(_table(old), _table(pd.concat([new, new]))))
    assert min(one.p_value for one in twice) < 1e-50


def test_rows_of_few_columns_repeat_by_chance() -> None:
    rng = np.random.default_rng(0)
    old, new = (pd.DataFrame(rng.integers(0, 2, (n, 3)), columns=list("abc")) for n in (500, 400))
    assert repeated_rows(_table(old), _table(new)) == []


def test_rows_are_compared_by_bins_where_one_table_has_no_numbers() -> None:
    random = np.random.default_rng(0)
    bins = pd.DataFrame(random.choice(list("abc"), (1_200, 4)), columns=list("wxyz"))
    numbers = {name: random.normal(size=1_000) for name in bins}
    old = _table(bins[:1_000]).with_numbers(numbers)
    # There are 81 different rows: new ones repeat each other by chance, as the old ones do.
    assert all(one.p_value > 0.01 for one in corrected(repeated_rows(old, _table(bins[1_000:]))))
