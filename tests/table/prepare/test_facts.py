"""Facts add up over pieces of rows, in any order, and are those of plain counting."""

from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsieve.table import Column, read_column
from bnsieve.table.prepare import facts as facts_module
from bnsieve.table.prepare.facts import ColumnFacts

texts = st.lists(st.one_of(st.none(), st.text("abcä ", max_size=3)), min_size=1, max_size=60)
numbers = st.lists(
    st.one_of(st.none(), st.integers(-9, 9), st.floats(-3, 3, width=16)), min_size=1, max_size=60
)


def counted(facts):
    values = [str(value) for value in facts.distinct.values.tolist()]
    return dict(zip(values, facts.distinct.counts.tolist(), strict=True))


def facts_of(cells, kind=object):
    return ColumnFacts.of(read_column(pd.Series(cells, dtype=kind)))


@given(texts, st.integers(0, 60))
def test_pieces_of_text_add_up_to_what_counting_finds(cells, cut):
    known = [cell for cell in cells if cell is not None]
    whole = facts_of(cells)
    if cells[:cut] and cells[cut:]:
        a, b = facts_of(cells[:cut]), facts_of(cells[cut:])
        both = (a + b, b + a, a.plus(read_column(pd.Series(cells[cut:], dtype=object))))
    else:
        both = (whole,)
    for found in both:
        assert counted(found) == Counter(known)
        assert (found.n_missing, found.n_known) == (cells.count(None), len(known))


@given(numbers, st.integers(0, 60))
def test_pieces_of_numbers_add_up(cells, cut):
    values = [np.nan if cell is None else float(cell) for cell in cells]
    whole = facts_of(values, float)
    expected = Counter(str(value + 0.0) for value in values if value == value)
    assert {key.replace("-0.0", "0.0") for key in counted(whole)} == {
        key.replace("-0.0", "0.0") for key in expected
    }
    if cells[:cut] and cells[cut:]:
        both = facts_of(values[:cut], float) + facts_of(values[cut:], float)
        assert counted(both) == counted(whole)
        assert both.n_missing == whole.n_missing == sum(value != value for value in values)


@pytest.mark.parametrize("kind", ["text", "number"])
def test_beyond_the_bound_a_sample_of_the_values_has_true_counts(kind, monkeypatch):
    monkeypatch.setattr(facts_module, "MAX_CATEGORIES", 500)
    monkeypatch.setattr(facts_module, "_NUMBERS", 500)
    rng = np.random.default_rng(0)
    values = rng.integers(0, 20_000, 60_000)
    column = pd.Series(values.astype(str) if kind == "text" else values)
    pieces = [read_column(part) for part in np.array_split(column, 7)]
    forwards = ColumnFacts.of(pieces[0])
    for piece in pieces[1:]:
        forwards = forwards.plus(piece)
    backwards = ColumnFacts.of(pieces[-1])
    for piece in pieces[-2::-1]:
        backwards = backwards + ColumnFacts.of(piece)
    assert counted(forwards) == counted(backwards)
    assert forwards.distinct.more
    assert len(forwards.distinct.values) == 500
    true = Counter(values.astype(str).tolist())
    assert all(true[value] == n for value, n in counted(forwards).items())
    # The estimate has a standard error of one in the square root of the bound.
    assert abs(forwards.distinct.n_categories / len(true) - 1) < 5 / 500**0.5


@pytest.mark.parametrize(
    ("pandas", "arrow"),
    [
        (pd.Series(["a", None, "b"]), pa.array(["a", None, "b"])),
        (pd.Series(["a", None, "b"], dtype="category"), pa.array(["a", None, "b"])),
        (pd.Series([1, None, 3]), pa.array([1, None, 3])),
        (pd.Series([1, 2, 3], dtype="uint8"), pa.array([1, 2, 3], pa.uint8())),
        (pd.Series([1.5, None, 3]), pa.array([1.5, None, 3])),
        (pd.Series([True, None, False]), pa.array([True, None, False])),
        (pd.Series(pd.to_datetime(["2024-01-31", None])), pa.array(["2024-01-31", None])),
        (pd.Series([None, None]), pa.nulls(2)),
        (pd.Series([[1], [2]]), pa.array([[1], [2]])),
    ],
)
def test_the_same_cells_in_pandas_and_arrow(pandas, arrow):
    if pd.api.types.is_datetime64_any_dtype(pandas):
        arrow = arrow.cast(pa.timestamp("us"))
    a, b = ColumnFacts.of(read_column(pandas)), ColumnFacts.of(read_column(arrow))
    assert (a.kind, a.n_rows, a.n_missing) == (b.kind, b.n_rows, b.n_missing)
    assert counted(a).values().__len__() == len(counted(b))
    assert np.array_equal(a.distinct.hashes, b.distinct.hashes)


def test_infinite_numbers_are_never_lost(monkeypatch):
    monkeypatch.setattr(facts_module, "_NUMBERS", 10)
    values = np.arange(1000) + 0.5
    values[777] = np.inf
    assert np.isinf(ColumnFacts.of(read_column(pd.Series(values))).distinct.values).sum() == 1


def test_time_zones_are_read_from_the_wall():
    times = pd.Series(pd.to_datetime(["2024-07-01 23:30"]).tz_localize("Europe/Berlin"))
    for column in (times, pa.array(times)):
        assert str(read_column(column).values[0]) == "2024-07-01T23:30:00"


def test_of_many_different_numbers_few_are_told_apart():
    rng = np.random.default_rng(0)
    values = rng.normal(size=1_000_000)
    facts = ColumnFacts.of(read_column(values))
    assert facts.n_rows == len(values)
    # An exact count of the values with the lowest hashes, whatever the pieces.
    others = ColumnFacts.of(read_column(values[::-1].copy()))
    assert np.array_equal(facts.distinct.hashes, others.distinct.hashes)
    assert np.array_equal(facts.distinct.values, others.distinct.values)
    assert facts.distinct.n_categories == pytest.approx(len(values), rel=0.05)
    assert len(facts.distinct.values) < len(values) / 10


def test_no_more_categories_are_told_than_there_are_cells():
    n = 70_000  # above the bound, where the number is estimated
    for first in range(0, 10 * n, n):
        cells = np.array([f"c{i}" for i in range(first, first + n)], dtype=object)
        facts = ColumnFacts.of(Column("text", cells))
        assert facts.distinct.more
        assert abs(facts.n_categories - n) < 0.03 * n
        assert facts.n_categories <= n


def test_a_place_beyond_the_categories_is_refused():
    cells = Column("text", np.array(["a", "b"], dtype=object), np.array([0, 1, 5]))
    with pytest.raises(ValueError, match="names category 6 of 2: the file may be damaged"):
        ColumnFacts.of(cells)
