"""Columns: rows taken, texts and numbers that stand for a missing cell, integers of any span."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bnsieve.table import Column, numbers_among, read_column


def rows(cells):
    """What each row holds; None where it is missing."""
    values = cells.values.tolist()
    if cells.codes is None:
        return values
    return [None if place < 0 else values[place] for place in cells.codes]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["a", None, "b", "a", "c"]),
        pa.array(["a", None, "b", "a", "c"]),
        pd.Series([3, None, 1, 3, 2], dtype="Int64"),
        pa.array([3, None, 1, 3, 2], pa.int8()),
        pa.array([3, None, 1, 3, 2], pa.int32()),
        pd.Series([3, 5, 1, 3, 2]),
    ],
)
@pytest.mark.parametrize("taken", [[], [0], [1], [4, 1, 0], [0, 0, 2], [2, 3]])
def test_some_rows(column, taken):
    cells = read_column(column)
    whole = rows(cells)
    part = cells.take(np.array(taken, dtype=np.intp))
    assert part.n_rows == len(taken)
    assert rows(part) == [whole[row] for row in taken]


def test_texts_that_stand_for_a_missing_cell():
    cells = read_column(pd.Series(["a", "", " ", "n/a", None, "b", "a"]))
    assert rows(cells.without(["n/a"])) == ["a", None, None, None, None, "b", "a"]
    assert rows(cells.without([])) == ["a", None, None, "n/a", None, "b", "a"]
    whole = read_column(pd.Series(["a", "b"]))
    assert whole.without(["c"]) is whole
    mixed = read_column(pd.Series(["a", 1, "?"], dtype=object))
    assert mixed.as_text
    assert mixed.without(["?"]).as_text
    assert rows(mixed.without(["?"])) == ["a", "1", None]


def test_numbers_that_stand_for_a_missing_cell():
    for column in (pd.Series([5.0, -999.0, np.nan, 7.5]), pa.array([5.0, -999.0, None, 7.5])):
        cells = read_column(column)
        assert rows(cells.without(["-999", "?"])) == [5.0, None, None, 7.5]
        assert cells.without(["?"]) is cells
    integers = read_column(pd.Series([5, -999, 7]))
    assert rows(integers.without(["-999.0"])) == [5, None, 7]
    assert numbers_among(["1", "x", "-2.5", ""]) == [1.0, -2.5]
    flags = read_column(pd.Series([True, False]))
    assert flags.without(["True"]) is flags


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint8()])
@pytest.mark.parametrize("gap", [False, True])
def test_integers_of_one_byte(kind, gap):
    numbers = [0, 127, 5, 5, *([-128, -1] if kind == pa.int8() else [255, 200])]
    given = [*numbers, None] if gap else numbers
    cells = read_column(pa.array(given, kind))
    assert rows(cells) == given
    assert cells.values.dtype == (np.int64 if kind == pa.int8() else np.uint64)
    assert sorted(cells.values.tolist()) == sorted(set(numbers))


@pytest.mark.parametrize("span", [4_095, 4_096])
@pytest.mark.parametrize("kind", [pa.int32(), pa.uint64(), pa.int64()])
def test_integers_of_any_span_are_read_exactly(span, kind):
    base = 2**62
    numbers = [0, span] if kind == pa.int32() else [base, base + span]
    given = [*numbers, None, numbers[0]]
    cells = read_column(pa.array(given, kind))
    assert rows(cells) == given
    assert cells.values.dtype == (np.uint64 if kind == pa.uint64() else np.int64)


def test_objects_of_many_kinds():
    def read(*given):
        cells = read_column(pd.Series(list(given), dtype=object))
        return cells.kind, rows(cells)

    assert read(1, 2, None) == ("number", [1, 2, None])
    assert read(1.5, None, 2) == ("number", [1.5, None, 2.0])
    assert read(True, None, False) == ("boolean", [True, None, False])
    assert read("a", 2.0, 2.5, None) == ("text", ["a", "2", "2.5", None])
    assert read(2**70, 5, None) == ("text", [str(2**70), "5", None])
    assert read(None, np.nan, pd.NaT)[0] == "empty"
    lists = read_column(pd.Series([[1], None]))
    assert (lists.kind, lists.type_name) == ("other", "list")
    assert read_column(pd.Series([b"x", None])).type_name == "bytes"
    assert lists.codes.tolist() == [0, -1]


def test_spread_gives_each_row_what_stands_for_its_value():
    cells = Column("text", np.array(["a", "b"], dtype=object), np.array([1, -1, 0]))
    assert cells.spread(np.array([10, 20]), -5).tolist() == [20, -5, 10]
    plain = Column("number", np.array([4, 5]))
    assert plain.spread(np.array([10, 20]), -5).tolist() == [10, 20]
    assert (cells.n_rows, plain.n_rows) == (3, 2)


def test_dictionaries_may_list_nulls_and_entries_twice():
    dictionary = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, 3, None], pa.uint8()), pa.array(["a", None, "a", "b"])
    )
    assert rows(read_column(dictionary)) == ["a", None, "a", "b", None]
    empty = pa.DictionaryArray.from_arrays(pa.array([0, None], pa.int8()), pa.array([None, "b"]))
    assert read_column(empty).kind == "empty"
