"""Values that may stand for a missing cell are named; told that they do, they are missing."""

import numpy as np
import pandas as pd
import pytest

import bnsieve

RNG = np.random.default_rng(0)
GROUP = RNG.integers(0, 2, 1_000)


def table(x):
    return pd.DataFrame({"group": np.where(GROUP, "a", "b"), "x": x})


def numbers(placeholder, every=50):
    x = (20 + 5 * GROUP + RNG.normal(0, 2, len(GROUP))).round(1)
    x[::every] = placeholder
    return x


@pytest.mark.parametrize("placeholder", [-99, -999, 9999])
@pytest.mark.parametrize("as_text", [False, True])
def test_nines_far_from_the_others_are_missing_and_named(placeholder, as_text):
    x = numbers(placeholder).astype(object)
    if as_text:
        x[3] = "ERR"  # so that the column comes as text
    plan = bnsieve.prepare(table(x))["x"]
    (warning,) = plan.warnings
    assert warning.startswith(f"{placeholder} is far from all other numbers, and read as missing")
    assert plan.n_missing == 20 + as_text
    code = plan.odd[0]
    assert float(code.value) == placeholder
    assert (code.row, code.n_cells, code.read_as) == (1, 20, "missing")
    assert plan.n_odd == 20 + as_text
    kept = bnsieve.prepare(table(x), roles={"x": "quantity"})["x"]
    assert kept.n_missing == as_text
    (warning,) = kept.warnings
    assert "(2.0% of the cells): bnsieve.prepare with missing_texts=" in warning
    assert f"{{'x': ['{placeholder}']}} makes it" in warning


def test_codes_with_a_unit_are_missing_in_rows_and_later_rows(tmp_path):
    frame = table([f"{value} rpm" for value in numbers(-9999)])
    frame.to_csv(tmp_path / "rows.csv", index=False)
    for data in (frame, tmp_path / "rows.csv"):
        plan = bnsieve.prepare(data)
        assert plan["x"].n_missing == 20
        assert plan["x"].unit == "rpm"
        assert np.isnan(plan.numbers(frame)["x"][::50]).all()
        assert not np.isnan(plan.numbers(frame)["x"][1::50]).any()


def test_two_far_numbers_are_no_codes():
    x = numbers(9999, every=500)
    (warning,) = bnsieve.prepare(table(x))["x"].warnings
    assert "missing_texts={'x': ['9999']} makes it a missing value" in warning


def test_nines_among_other_numbers_are_numbers():
    x = RNG.integers(0, 150, len(GROUP)).astype(float)
    x[:5] = 99
    assert bnsieve.prepare(table(x))["x"].warnings == ()


def test_a_text_that_a_csv_file_would_have_as_missing_is_named_in_a_frame():
    x = np.where(GROUP, "u", "v").astype(object)
    x[::10] = "n/a"
    (warning,) = bnsieve.prepare(table(x))["x"].warnings
    assert "'n/a' counts as a category" in warning
    assert bnsieve.prepare(table(x), missing_texts=["n/a"])["x"].n_missing == 100


@pytest.mark.parametrize(
    ("others", "placeholder", "named"),
    [
        ((0, 100), 99, False),
        ((0, 400), 999, True),  # more than as far again as the others span
        ((0, 500), 999, False),
        ((300, 400), 99, True),
        ((198, 300), 99, False),
        ((0, 10), -9, True),  # alone below zero
        ((-10, 10), -9, False),
        ((0, 10), 99, True),
        ((0, 1_000), 9_999_999, True),
        ((0, 1_000), 99_999_999, False),  # eight nines are not listed
    ],
)
def test_how_far_is_far(others, placeholder, named):
    x = np.linspace(*others, 50)[np.arange(1_000) % 50].round(2)
    x[::50] = placeholder
    x[1::50] = others[0]
    x[2::50] = others[1]
    warnings = bnsieve.prepare(table(x), roles={"x": "quantity"})["x"].warnings
    assert any(f"{{'x': ['{placeholder}']}}" in text for text in warnings) == named
