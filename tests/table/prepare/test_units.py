"""Units beside numbers, codes of missing values and spellings: read, converted, or named."""

import numpy as np
import pandas as pd
import pytest

import bnsieve
from bnsieve.table.prepare import Preparation
from bnsieve.table.prepare.parsing import find_unit, read_numbers
from bnsieve.table.prepare.units import factor_between, unit_named

RNG = np.random.default_rng(1)
N = 400
GROUP = RNG.integers(0, 2, N)
NUMBERS = (20 + 30 * GROUP + RNG.normal(0, 4, N)).round(1)


def planned(cells, **options):
    frame = pd.DataFrame({"group": np.where(GROUP, "a", "b"), "x": np.array(cells, dtype=object)})
    plan = bnsieve.prepare(frame, **options)
    return plan["x"], plan.numbers(frame).get("x"), plan


@pytest.mark.parametrize(
    ("form", "unit"),
    [
        ("{} mg/l", "mg/l"),
        ("{}mg/L", "mg/l"),
        ("${}", "$"),
        ("{} %", "%"),
        ("{} °C", "°C"),
        ("USD {}", "$"),
        ("{} widgets", "widgets"),
        ("{}/100", "/100"),
    ],
)
@pytest.mark.parametrize("every", [1, 12])
def test_a_unit_in_all_or_some_cells_is_read_and_named(form, unit, every):
    cells = [form.format(x) if i % every == 0 else f"{x}" for i, x in enumerate(NUMBERS)]
    plan, numbers, _ = planned(cells)
    assert plan.role == "quantity"
    assert plan.unit == unit
    np.testing.assert_array_equal(numbers, NUMBERS)
    assert f"in {unit}" in plan.why
    assert any("have no unit" in text or "no %" in text for text in plan.warnings) == (every > 1)
    assert plan.facts()["unit"] == unit
    assert plan.n_odd == 0
    asked, numbers, _ = planned(cells, roles={"x": "quantity"})
    np.testing.assert_array_equal(numbers, NUMBERS)
    assert asked.unit == unit


@pytest.mark.parametrize(
    ("main", "other", "factor"),
    [
        ("mg/dl", "mg/l", 0.1),
        ("km", "m", 0.001),
        ("kg", "t", 1000),
        ("bar", "mbar", 0.001),
        ("cm", "m", 100),
        ("ng/µl", "ng/ul", 1),
        ("h", "min", 1 / 60),
    ],
)
def test_units_that_cells_name_are_converted(main, other, factor):
    assert factor_between(unit_named("", f" {other}"), unit_named("", f" {main}")) == pytest.approx(
        factor
    )
    cells = [f"{x} {main}" if i % 8 else f"{x / factor} {other}" for i, x in enumerate(NUMBERS)]
    plan, numbers, _ = planned(cells)
    assert plan.role == "quantity"
    np.testing.assert_allclose(numbers, NUMBERS)
    assert any(f"converted to {plan.unit}" in text for text in plan.warnings) == (factor != 1)


def test_currencies_and_other_units_are_not_pooled():
    cells = [f"${x}" if i % 3 else f"EUR {x}" for i, x in enumerate(NUMBERS)]
    plan, numbers, _ = planned(cells)
    assert plan.role == "text"
    assert plan.why == "numbers in $ and €, which do not convert"
    assert numbers is None
    with pytest.raises(ValueError, match=r"cannot be a quantity: its numbers are in \$ and €"):
        planned(cells, roles={"x": "quantity"})


def test_a_few_cells_in_another_unit_are_odd():
    cells = [f"{x} kg" if i % 100 else f"{x} m" for i, x in enumerate(NUMBERS)]
    plan, numbers, _ = planned(cells)
    assert plan.role == "quantity"
    assert np.isnan(numbers).sum() == plan.n_odd == 4
    assert {one.read_as for one in plan.odd} == {"missing"}


def test_percent_beside_fractions_is_one_scale():
    cells = [f"{x}%" if i % 4 else f"{x / 100:.3f}" for i, x in enumerate(NUMBERS)]
    plan, numbers, _ = planned(cells)
    np.testing.assert_allclose(numbers, NUMBERS)
    assert "25% of the cells have no %: they are read as fractions" in plan.warnings


@pytest.mark.parametrize(
    "cells",
    [
        [f"{i % 40}{'AB'[i % 2]}" for i in range(N)],
        [f"P{1000 + i % 50}" for i in range(N)],
        [f"C{i % 30}.{i % 9}" for i in range(N)],
        [f"{i % 40} {'Main St' if i % 3 else 'High St' if i % 2 else 'Park'}" for i in range(N)],
        [f"{i % 30}/{60 + i % 40}" for i in range(N)],
    ],
)
def test_codes_and_addresses_are_no_numbers(cells):
    plan, numbers, _ = planned(cells)
    assert plan.role in ("category", "code", "identifier", "text")
    assert numbers is None


def test_a_point_that_may_stand_between_thousands_is_named():
    values = RNG.integers(400, 4000, N).tolist()
    cells = [f"{x:,}".replace(",", ".") for x in values]
    plan, numbers, _ = planned(cells)
    assert any("is read with a point between thousands" in text for text in plan.warnings)
    np.testing.assert_array_equal(numbers, values)
    few = [f"{x}" if x < 1000 else "1.234" for x in values]
    assert "'1.234' is read with a decimal point, not as thousands" in planned(few)[0].warnings
    typed, *_ = planned([float(cell) for cell in cells])
    assert any("if the point stands between thousands" in text for text in typed.warnings)
    measured, *_ = planned(RNG.normal(400, 100, N).round(3).tolist())
    assert measured.warnings == ()


def test_limits_keep_their_unit():
    factors = find_unit(np.array(["<5 mg/l", "7 mg/l"], object), np.ones(2, int), "plain").factors
    read = read_numbers(np.array(["<5 mg/l", "< 5", "5 mg/l"], object), "plain", factors)
    assert read[0] == read[1] == np.nextafter(5, 0) < read[2] == 5


@pytest.mark.parametrize("code", [-9, -8, 8888, 9999, 999])
@pytest.mark.parametrize("form", ["{}", "{} kg"])
def test_codes_of_missing_values_are_named_with_their_share_and_cured(code, form):
    values = (3000 + 9000 * RNG.random(N)).round(0)
    values[::20] = code
    cells = [form.format(f"{x:.0f}") for x in values]
    plan, *_ = planned(cells)
    (warning,) = (text for text in plan.warnings if "missing_texts=" in text)
    assert warning.startswith(f"{code} ")
    assert "(5.0% of the cells)" in warning
    assert f"missing_texts={{'x': ['{code}']}} makes it a missing value" in warning
    for texts in ([f"x={code}"], {"x": [str(code)]}):
        cured, numbers, _ = planned(cells, missing_texts=texts)
        assert cured.n_missing == np.isnan(numbers).sum() == N // 20
        assert not any("--na" in text for text in cured.warnings)
    other, *_ = planned(cells, missing_texts=[f"group={code}"])
    assert other.n_missing == 0


def test_ordinary_numbers_are_no_codes():
    for values in (RNG.integers(0, 10_000, N), RNG.integers(-20, 20, N), np.arange(N) % 100):
        assert not any("--na" in text for text in planned(values.astype(float))[0].warnings)


def test_spellings_of_a_category_are_named_and_cured():
    labels = np.where(GROUP, "Köln", "w").astype(object)
    labels[::3] = np.where(GROUP, "KOLN", "W")[::3]
    plan, *_ = planned(labels)
    (warning,) = plan.warnings
    assert "differ only in case, spaces or accents" in warning
    assert "roles={'x': 'spelling'} makes them one" in warning
    cured, _, whole = planned(labels, roles={"x": "spelling"})
    frame = pd.DataFrame({"group": np.where(GROUP, "a", "b"), "x": labels})
    assert set(whole.apply(frame)["x"]) == {"Köln", "w"}
    assert cured.warnings == ()
    assert not planned(np.where(GROUP, "u", "v"))[0].warnings


def test_rare_spellings_of_a_word_are_one_category_and_said():
    labels = np.where(GROUP, "high", "low").astype(object)
    labels[:6] = ["LOW", " low", "High", "high ", "HIGH", "Low"]
    plan, _, whole = planned(labels)
    frame = pd.DataFrame({"group": np.where(GROUP, "a", "b"), "x": labels})
    assert set(whole.apply(frame)["x"]) == {"high", "low"}
    assert "spellings of a category as one" in plan.what
    assert "roles={'x': 'category'}" in plan.what
    assert whole.category_of("x", "LOW") == "low"
    assert whole.category_of("x", "new") == "new"
    apart, *_ = planned(labels, roles={"x": "category"})
    assert apart.what == "used as it is"
    # As frequent, they are two things.
    two, *_ = planned(np.where(GROUP, "CO", "Co"))
    assert two.what == "used as it is"
    assert "roles={'x': 'spelling'}" in two.warnings[0]


@pytest.mark.parametrize(
    ("first", "second", "are_one"),
    [
        (("m", "M"), ("w", "W"), True),
        (("N", "n"), ("Y", "y"), True),
        (("m", "M"), ("w", "w"), False),  # one letter may be two codes
        (("m", "M"), ("W", "w"), False),  # neither case is the usual one
    ],
)
def test_letters_that_are_all_in_the_other_case_at_times_are_said_to_be_one(first, second, are_one):
    labels = np.where(GROUP, first[0], second[0]).astype(object)
    labels[::10] = np.where(GROUP, first[1], second[1])[::10]
    plan, _, whole = planned(labels)
    read = set(whole.apply(pd.DataFrame({"group": np.where(GROUP, "a", "b"), "x": labels}))["x"])
    assert read == ({first[0], second[0]} if are_one else {*first, *second})
    assert ("spellings of a category as one" in plan.what) is are_one
    assert any("roles={'x': 'spelling'}" in text for text in plan.warnings) is not are_one


def test_genotypes_that_differ_in_case_only_stay_apart():
    labels = np.where(GROUP, "AA", "Aa").astype(object)
    labels[::50] = "aa"
    plan, _, whole = planned(labels)
    read = whole.apply(pd.DataFrame({"group": np.where(GROUP, "a", "b"), "x": labels}))["x"]
    assert set(read) == {"AA", "Aa", "aa"}
    assert any("roles={'x': 'spelling'}" in text for text in plan.warnings)


def test_a_plan_with_units_is_saved_and_loaded_and_reads_later_rows(tmp_path):
    plan = planned([f"{x} mg/l" for x in NUMBERS])[2]
    plan.save(tmp_path / "plan.json")
    again = Preparation.load(tmp_path / "plan.json")
    assert again == plan
    later = pd.DataFrame({"group": ["a", "b"], "x": ["<5 mg/l", "70"]})
    np.testing.assert_allclose(again.numbers(later)["x"], [5, 70])
    # A plan that an earlier version saved has no units.
    text = (tmp_path / "plan.json").read_text(encoding="utf-8")
    assert '"unit": "mg/l"' in text
