"""Inferred roles of columns: the rules at their borders."""

import numpy as np
import pandas as pd
import pytest

from bnsieve.table import read_column
from bnsieve.table.prepare.facts import ColumnFacts
from bnsieve.table.prepare.roles import infer_role, quoted, require_known, shown

FEW = 20


def inferred(cells, name="c", override=None, keep=False, few=FEW):
    kind = None if isinstance(cells, np.ndarray) else object
    facts = ColumnFacts.of(read_column(pd.Series(cells, dtype=kind)))
    return infer_role(name, facts, override, few, keep)


@pytest.mark.parametrize(("n", "role"), [(20, "category"), (21, "quantity")])
def test_few_whole_numbers_are_labels(n, role):
    numbers = np.tile(np.arange(n), 5)
    assert inferred(numbers).role == role
    assert inferred(numbers + 0.5).role == "quantity"
    assert inferred(numbers, few=n).role == "category"
    assert inferred(numbers, few=n - 1).role == "quantity"


@pytest.mark.parametrize(("n", "role"), [(20, "category"), (21, "identifier")])
def test_a_label_in_each_row_is_an_identifier_from_some_number_on(n, role):
    labels = [f"label {chr(97 + i)}" for i in range(n)]
    assert inferred(labels).role == role
    assert inferred(labels, keep=True).role == "category"


@pytest.mark.parametrize(("words", "role"), [(3, "identifier"), (4, "text")])
def test_many_words_are_text(words, role):
    cells = [" ".join([chr(97 + i)] * words) for i in range(25)]
    assert inferred(cells).role == role


@pytest.mark.parametrize(("n_labels", "role"), [(50, "category"), (51, "identifier")])
def test_more_labels_than_half_the_rows_are_an_identifier(n_labels, role):
    labels = [chr(97 + i % 26) * (1 + i // 26) for i in range(n_labels)]
    cells = (labels * 3)[:101]
    found = inferred(cells)
    assert found.role == role
    assert found.why.startswith(f"{n_labels} categories")


@pytest.mark.parametrize(("n_labels", "role"), [(30, "category"), (31, "text")])
def test_texts_of_many_words_may_have_a_tenth_of_the_rows(n_labels, role):
    labels = [f"{chr(97 + i % 26) * (1 + i // 26)} and some more" for i in range(n_labels)]
    assert inferred((labels * 20)[:300]).role == role


@pytest.mark.parametrize(("n_labels", "role"), [(1_000, "code"), (1_001, "identifier")])
def test_a_name_says_that_many_labels_are_an_identifier(n_labels, role):
    cells = [f"k{i:04d}" for i in range(n_labels)] * 4
    assert inferred(cells, "shop_id").role == role
    assert inferred(cells, "shop").role == "code"
    numbers = np.repeat(np.arange(n_labels) * 1_000, 4)
    assert inferred(numbers, "shop_id").role == role
    assert inferred(numbers, "price").role == "quantity"


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        *[(name, True) for name in ("id", "case_id", "caseId", "case no", "row.key", "userKey")],
        *[(name, False) for name in ("valid", "paid", "KEY", "identity", "note")],
    ],
)
def test_names_of_identifiers(name, is_one):
    # A hundred different numbers of a wide range, which chance may give.
    numbers = np.arange(100) * 9_973
    assert (inferred(numbers, name).role == "identifier") == is_one


@pytest.mark.parametrize(("n", "is_one"), [(44, False), (46, True)])
def test_numbers_that_never_repeat_though_they_should(n, is_one):
    # Of n numbers drawn from a span of 100, n² / 200 pairs are expected to be equal: ten at 44.7.
    numbers = np.concatenate([np.arange(n - 1), [99]]).astype(np.int64)
    assert (inferred(numbers).role == "identifier") == is_one


def test_long_numbers_that_never_repeat_are_identifiers():
    numbers = np.arange(30, dtype=np.int64) * 999_983
    assert inferred(numbers + 10_000_000).role == "identifier"
    assert inferred(numbers + 9_999_999).role == "quantity"


@pytest.mark.parametrize(("n", "role"), [(9, "category"), (10, "date")])
def test_numbers_that_are_dates(n, role):
    numbers = np.array([20240100 + day for day in range(1, n + 1)])
    assert inferred(np.repeat(numbers, 3), few=5).role == ("date" if n >= 10 else "quantity")
    assert inferred([str(number) for number in numbers] * 3).role == role
    wrong = np.append(numbers, 20241301)
    assert inferred(np.repeat(wrong, 3), few=5).role == "quantity"


@pytest.mark.parametrize(("n_odd", "role"), [(5, "quantity"), (6, "category")])
def test_one_odd_cell_in_twenty(n_odd, role):
    # Whole numbers beside words: no more than one in twenty of 100 cells.
    numbers = [str(i % 25) for i in range(100 - n_odd)]
    words = [chr(97 + i) for i in range(n_odd)]
    assert inferred(numbers + words).role == role


@pytest.mark.parametrize(
    ("words", "n_each", "are_odd"),
    [("abc", 16, True), ("abcd", 12, False), ("ab", 25, True), ("ab", 26, False)],
)
def test_a_few_words_may_be_half_of_the_cells_beside_fractions(words, n_each, are_odd):
    n_odd = len(words) * n_each
    numbers = [f"{i % 25}.5" for i in range(100 - n_odd)]
    found = inferred(numbers + [word for word in words for _ in range(n_each)])
    assert (found.role == "quantity") == are_odd


def test_codes_hold_digits_and_no_spaces():
    codes = [f"x{i}" for i in range(21)] * 3
    assert inferred(codes).role == "code"
    assert inferred([code.replace("x", "x ") for code in codes]).role == "category"
    assert inferred([f"x{i}" for i in range(20)] * 3).role == "category"
    words = [f"w{chr(97 + i)}" for i in range(3)]
    mostly = ([f"x{i}" for i in range(30)] + words) * 3  # 30 of 33 are more than nine in ten
    assert inferred(mostly).role == "code"
    assert inferred(([f"x{i}" for i in range(27)] + words) * 3).role == "category"


def test_overrides_are_granted_or_refused_by_name():
    numbers = [str(i) for i in range(5)] * 4
    assert (inferred(numbers, override="quantity").use, inferred(numbers).use) == (
        "numbers",
        "categories",
    )
    assert inferred(np.arange(50), override="category").use == "categories"
    assert inferred(["1,5", "2,5"], override="quantity").numbers.style == "comma"
    assert inferred(["1/2/2024"], override="date-dmy").form == "dmy"
    assert inferred(["1/2/2024"], override="date-mdy").form == "mdy"
    assert inferred(["2024-01-31"], override="date-dmy").form == "ymd"
    assert inferred(["x"] * 3, override="dropped").use == "nothing"
    blank = inferred(["x", None, "y"] * 10, override="blank")
    assert (blank.role, blank.blank) == ("category", True)
    with pytest.raises(ValueError, match="'c' cannot be a category: its cells are list"):
        inferred([[1], [2]], override="category")
    with pytest.raises(ValueError, match="'c' cannot be a quantity: 'u' is no number"):
        inferred(["u", "u", "v"], override="quantity")
    with pytest.raises(ValueError, match="'c' cannot be a quantity: '2024-01-31' is no number"):
        inferred(pd.Series(pd.to_datetime(["2024-01-31"])), override="quantity")
    with pytest.raises(ValueError, match="'c' cannot be a date: 'u' has no known format"):
        inferred(["u", "u", "v"], override="date")


def test_what_is_said_of_names():
    names = [f"name{i}" for i in range(12)]
    with pytest.raises(ValueError, match=r"no column 'zzz': there are 'name0'.* and 2 more$"):
        require_known(["zzz"], names, "column")
    with pytest.raises(ValueError, match=r"'name9'$"):
        require_known(["zzz"], names[:10], "column")
    with pytest.raises(ValueError, match="did you mean 'name3'"):
        require_known(["name1", "nam3"], names, "column")
    require_known(["name1"], names, "column")


def test_cells_and_names_as_text():
    assert [shown(value) for value in (3.0, 3.5, "a", 7)] == ["3", "3.5", "a", "7"]
    assert shown("2024-01-31 00:00:00") == "2024-01-31"
    assert [quoted(text) for text in ("a_b1", "a b", "it's")] == ["a_b1", "'a b'", "'it'\"'\"'s'"]
