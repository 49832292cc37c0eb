"""What the study of synthetic rows calls different, on columns made by hand."""

import pandas as pd
import pytest

from benchmarks.synthetic.shape import (
    as_numbers,
    beyond_range,
    contradictions,
    implications_of,
    shapes,
    wrong_formats,
    wrong_types,
)
from benchmarks.synthetic.sources import Sample


@pytest.fixture
def sample():
    rows = pd.DataFrame(
        {
            "plan": ["pro", "basic", "basic", "team"] * 50,
            "code": ["P", "B", "B", "T"] * 50,
            "price": [9.5, 1.0, 2.0, 3.5] * 50,
            "day": ["01.02.2020", "15.12.2021", "03.03.2021", "30.06.2020"] * 50,
        }
    )
    numbers, dates = frozenset({"price"}), frozenset({"day"})
    return Sample(rows, rows, "plan", numbers, dates, ("plan", "code", "price"))


def test_the_rows_themselves_differ_in_nothing(sample):
    made = sample.training
    for found in (wrong_types, beyond_range, wrong_formats):
        assert found(sample, made) == []
    assert contradictions(implications_of(sample), made) == 0


def test_each_difference_is_found(sample):
    made = sample.training.copy()
    made.loc[0, "plan"] = "basic"
    assert contradictions(implications_of(sample), made) == 1
    made.loc[1, "price"] = 10.25
    made.loc[2, "day"] = "2022-01-01"
    made["code"] = 1
    assert wrong_types(sample, made) == ["code"]
    assert beyond_range(sample, made) == ["code", "price", "day"]
    assert beyond_range(sample, made, ["code"]) == ["price", "day"]
    assert wrong_formats(sample, made) == ["code", "price", "day"]


def test_numbers_and_shapes_of_texts():
    assert as_numbers(pd.Series(["1.234,50", "7,25", "n/a"])).tolist() == [1234.5, 7.25]
    assert as_numbers(pd.Series(["1.5", "<0.5", "-2"])).tolist() == [1.5, -2.0]
    assert shapes(pd.Series(["1.234,50", "7,25"])) == {"9,99"}
    assert shapes(pd.Series(["2020-01-05", "1999-12-31"])) == {"9999-99-99"}
    assert shapes(pd.Series(["Fay F. Moor", "Bo X. Li"])) == {"a a. a"}
