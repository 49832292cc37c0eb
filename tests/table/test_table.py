"""The table: what is read, how it is numbered, and what is refused with which advice."""

import datetime
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsieve.table import Table
from work import lines_run, peak_bytes

# Everything Arrow can hold: all of Unicode but lone surrogates, the empty string and NUL included.
TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
LABELS = st.one_of(TEXT, st.sampled_from(["nan", "None", "NA", "a", "b", "c"]))
CELLS = st.one_of(st.none(), LABELS)


@st.composite
def string_columns(draw):
    """Columns of strings and None, by name, each with an observed cell."""
    names = draw(st.lists(TEXT, min_size=1, max_size=4, unique=True))
    n_rows = draw(st.integers(1, 12))
    column = st.lists(CELLS, min_size=n_rows, max_size=n_rows).filter(
        lambda cells: any(cell is not None for cell in cells)
    )
    return {name: draw(column) for name in names}


def cells(table):
    """Decode a table by hand into {name: list of labels, None where missing}."""
    decoded = {}
    for i, name in enumerate(table.names):
        mask = table.missing.get(i, np.zeros(table.n_rows, dtype=bool))
        decoded[name] = [
            None if absent else table.categories[i][code]
            for code, absent in zip(table.codes[i], mask, strict=True)
        ]
    return decoded


def assert_same(a, b):
    assert a.names == b.names
    assert a.categories == b.categories
    assert [[type(x) for x in labels] for labels in a.categories] == [
        [type(x) for x in labels] for labels in b.categories
    ]
    assert a.codes.dtype == b.codes.dtype
    np.testing.assert_array_equal(a.codes, b.codes)
    assert a.missing.keys() == b.missing.keys()
    for i, mask in a.missing.items():
        np.testing.assert_array_equal(mask, b.missing[i])


def object_frame(columns):
    frame = pd.DataFrame({i: pd.Series(c, dtype=object) for i, c in enumerate(columns.values())})
    frame.columns = pd.Index(list(columns), dtype=object)
    return frame


def arrow_table(columns):
    arrays = [pa.array(column, type=pa.string()) for column in columns.values()]
    return pa.Table.from_arrays(arrays, names=list(columns))


def object_array(*columns):
    array = np.empty((len(columns[0]), len(columns)), dtype=object)
    for i, column in enumerate(columns):
        for j, value in enumerate(column):
            array[j, i] = value
    return array


# --- what a table is -------------------------------------------------------------------------


def test_a_small_frame_by_hand():
    frame = pd.DataFrame(
        {
            "rain": ["yes", "no", None, "yes"],
            "month": [11, 7, 7, 7],
            "wet": [True, False, True, True],
        }
    )
    table = Table.from_data(frame)
    assert table.names == ("rain", "month", "wet")
    assert table.categories == (("no", "yes"), (7, 11), (False, True))
    np.testing.assert_array_equal(table.codes, [[1, 0, 0, 1], [1, 0, 0, 0], [1, 0, 1, 1]])
    assert list(table.missing) == [0]
    np.testing.assert_array_equal(table.missing[0], [False, False, True, False])
    assert (table.n_rows, table.n_variables) == (4, 3)
    np.testing.assert_array_equal(table.n_categories, [2, 2, 2])
    assert table.n_categories.dtype == np.int64
    assert table.constant == ()


def test_codes_are_narrow_contiguous_and_read_only():
    table = Table.from_data(pd.DataFrame({"a": range(256), "b": [0] * 256}))
    assert table.codes.dtype == np.uint8
    assert table.codes.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        table.codes[0, 0] = 1
    wide = Table.from_data(pd.DataFrame({"b": [0] * 257, "a": range(257)}))
    assert wide.codes.dtype == np.uint16
    assert wide.codes[1, -1] == 256
    assert wide.select(["b"]).codes.dtype == np.uint8


def test_numpy_input_is_not_aliased_or_frozen():
    array = np.zeros((3, 2), dtype=np.uint8)
    Table.from_data(array)
    array[0, 0] = 1


def test_a_table_is_returned_as_it_is():
    table = Table.from_data(np.array([[1, 2]]))
    assert Table.from_data(table) is table


def test_constant_columns_are_noted():
    frame = pd.DataFrame({"a": ["x", "x", None], "b": ["x", "y", "x"], "c": [3, 3, 3]})
    assert Table.from_data(frame).constant == ("a", "c")


def test_repr_shows_names_levels_and_missing_cells():
    frame = pd.DataFrame({"rain": ["yes", "no", None], "number": [1, 2, 3]})
    assert repr(Table.from_data(frame)) == (
        "Table of 3 rows and 2 variables\n"
        "  rain    2 categories: 'no', 'yes' (1 cell missing)\n"
        "  number  3 categories: 1, 2, 3"
    )


def test_repr_of_a_large_table_is_short():
    table = Table.from_data(np.tile(np.arange(300)[:, None], (1, 50)))
    assert len(repr(table).splitlines()) == 22
    assert "... and 30 more" in repr(table)


def test_pickles():
    table = Table.from_data(pd.DataFrame({"a": ["x", None], "b": [1, 2]}))
    assert_same(pickle.loads(pickle.dumps(table)), table)


# --- laws ------------------------------------------------------------------------------------


@given(string_columns())
def test_labels_names_and_missing_cells_survive_exactly(columns):
    table = Table.from_data(object_frame(columns))
    assert cells(table) == columns
    assert table.categories == tuple(
        tuple(sorted({cell for cell in column if cell is not None})) for column in columns.values()
    )


@given(string_columns())
def test_pandas_polars_and_arrow_agree(columns):
    expected = Table.from_data(object_frame(columns))
    arrow = arrow_table(columns)
    dictionaries = pa.Table.from_arrays(
        [column.dictionary_encode() for column in arrow.columns], names=list(columns)
    )
    polars = pl.DataFrame({n: pl.Series(c, dtype=pl.String) for n, c in columns.items()})
    strings = object_frame(columns).astype("string")
    objects = object_array(*columns.values())
    assert_same(Table.from_data(arrow), expected)
    assert_same(Table.from_data(dictionaries), expected)
    assert_same(Table.from_data(polars), expected)
    assert_same(Table.from_data(polars.with_columns(pl.all().cast(pl.Categorical))), expected)
    assert_same(Table.from_data(strings), expected)
    assert_same(Table.from_data(strings.astype(pd.ArrowDtype(pa.string()))), expected)
    unnamed = Table.from_data(objects)
    assert unnamed.names == tuple(f"x{i}" for i in range(len(columns)))
    np.testing.assert_array_equal(unnamed.codes, expected.codes)
    assert unnamed.categories == expected.categories


@given(string_columns())
def test_to_frame_and_back_is_the_same_table(columns):
    table = Table.from_data(object_frame(columns))
    frame = table.to_frame()
    assert all(isinstance(dtype, pd.CategoricalDtype) for dtype in frame.dtypes)
    assert_same(Table.from_data(frame), table)


@given(string_columns(), st.randoms(use_true_random=False))
def test_permuting_rows_permutes_codes_only(columns, random):
    table = Table.from_data(object_frame(columns))
    order = list(range(table.n_rows))
    random.shuffle(order)
    shuffled = {name: [column[i] for i in order] for name, column in columns.items()}
    permuted = Table.from_data(object_frame(shuffled))
    assert permuted.categories == table.categories
    np.testing.assert_array_equal(permuted.codes, table.codes[:, order])
    assert permuted.missing.keys() == table.missing.keys()
    assert_same(table.take(order), permuted)


@given(string_columns(), st.randoms(use_true_random=False))
def test_selecting_columns_keeps_their_cells(columns, random):
    names = list(columns)
    random.shuffle(names)
    selected = Table.from_data(object_frame(columns)).select(names)
    assert cells(selected) == columns
    assert selected.names == tuple(names)


@given(string_columns(), st.data())
def test_taking_rows_is_reading_those_rows(columns, data):
    table = Table.from_data(object_frame(columns))
    rows = data.draw(st.lists(st.integers(0, table.n_rows - 1), min_size=1, max_size=15))
    taken = {name: [column[i] for i in rows] for name, column in columns.items()}
    if any(all(cell is None for cell in column) for column in taken.values()):
        with pytest.raises(ValueError, match="missing in every row taken"):
            table.take(rows)
    else:
        assert_same(table.take(rows), Table.from_data(object_frame(taken)))


@given(st.lists(st.integers(-(2**63), 2**64 - 1), min_size=1, max_size=20), st.booleans())
def test_integers_of_any_size_and_spread(values, add_missing):
    column = [*values, None] if add_missing else values
    table = Table.from_data(object_frame({"n": column}))
    assert table.categories == (tuple(sorted(set(values))),)
    assert cells(table) == {"n": column}


INTEGER_TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("dtype", INTEGER_TYPES)
def test_integer_types_to_their_limits(dtype):
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    values = np.array([high, low, high, low + 3], dtype=dtype)
    expected = (tuple(sorted({low, low + 3, high})),)
    for data in (
        values[:, None],
        pd.DataFrame({"x0": values}),
        pd.DataFrame({"x0": values}).astype(dtype.replace("i", "I").replace("u", "U")),
        pl.DataFrame({"x0": values}),
        pa.table({"x0": values}),
    ):
        table = Table.from_data(data)
        assert table.categories == expected
        assert all(type(label) is int for label in table.categories[0])
        np.testing.assert_array_equal(table.codes, [[2, 0, 2, 1]])


# --- kinds of column -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([3, None, 1], dtype="Int64"),
        pd.Series([3, None, 1], dtype=object),
        pd.Series([3, np.nan, 1], dtype=object),
        pd.Series([3, pd.NA, 1], dtype=object),
        pd.Series([3, None, 1], dtype=pd.ArrowDtype(pa.int32())),
        pd.Series([3, None, 1], dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.int64()))),
    ],
    ids=lambda column: str(column.dtype),
)
def test_missing_integers_in_pandas(column):
    assert cells(Table.from_data(pd.DataFrame({"a": column}))) == {"a": [3, None, 1]}


@pytest.mark.parametrize(
    "data",
    [
        pd.DataFrame({"a": pd.Series([True, None, False], dtype="boolean")}),
        pd.DataFrame({"a": pd.Series([True, None, False], dtype=object)}),
        pl.DataFrame({"a": [True, None, False]}),
        pa.table({"a": [True, None, False]}),
    ],
    ids=["boolean", "object", "polars", "arrow"],
)
def test_missing_booleans(data):
    table = Table.from_data(data)
    assert cells(table) == {"a": [True, None, False]}
    assert all(type(label) is bool for label in table.categories[0])


@pytest.mark.parametrize("absent", [None, np.nan, pd.NA], ids=str)
def test_missing_strings_in_objects(absent):
    frame = pd.DataFrame({"a": pd.Series(["x", absent, "nan"], dtype=object)})
    assert cells(Table.from_data(frame)) == {"a": ["x", None, "nan"]}


def test_missing_integers_in_polars_arrow_and_masked_arrays():
    masked = np.ma.masked_array([[3], [9], [1]], mask=[[False], [True], [False]])
    for data in (pl.DataFrame({"x0": [3, None, 1]}), pa.table({"x0": [3, None, 1]}), masked):
        assert cells(Table.from_data(data)) == {"x0": [3, None, 1]}


def test_declared_order_is_kept_and_unobserved_levels_are_dropped():
    declared = ["low", "unseen", "normal", "high"]
    values = ["high", "low", None, "normal"]
    for data in (
        pd.DataFrame({"a": pd.Categorical(values, categories=declared)}),
        pd.DataFrame({"a": pd.Categorical(values, categories=declared, ordered=True)}),
        pl.DataFrame({"a": pl.Series(values, dtype=pl.Enum(declared))}),
    ):
        table = Table.from_data(data)
        assert table.categories == (("low", "normal", "high"),)
        np.testing.assert_array_equal(table.codes, [[2, 0, 0, 1]])
        np.testing.assert_array_equal(table.missing[0], [False, False, True, False])


def test_orders_without_meaning_are_sorted():
    arrow = pa.table({"a": pa.DictionaryArray.from_arrays([1, 0, 2, 0], ["b", "c", "a", "unseen"])})
    polars = pl.DataFrame({"a": pl.Series(["c", "b", "a", "b"], dtype=pl.Categorical)})
    for data in (arrow, polars):
        table = Table.from_data(data)
        assert table.categories == (("a", "b", "c"),)
        np.testing.assert_array_equal(table.codes, [[2, 1, 0, 1]])


def test_arrow_dictionaries_that_repeat_entries_or_hold_nulls():
    array = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, None]), pa.array(["a", "a", None]), safe=False
    )
    table = Table.from_data(pa.table({"a": array}))
    assert cells(table) == {"a": ["a", "a", None, None]}


def test_arrow_chunks_with_different_dictionaries():
    chunks = pa.chunked_array(
        [pa.array(["b", "a"]).dictionary_encode(), pa.array(["c", "b"]).dictionary_encode()]
    )
    assert cells(Table.from_data(pa.table({"a": chunks}))) == {"a": ["b", "a", "c", "b"]}


def test_categories_may_be_anything():
    intervals = pd.cut([1, 5, 9], [0, 3, 6, 9])
    tuples = pd.Categorical.from_codes([1, 0, 1], pd.Index([(1, 2), (0, 1)], tupleize_cols=False))
    mixed = pd.Categorical(["1", 1, 2.5], categories=["1", 2.5, 1])
    frame = pd.DataFrame({"i": intervals, "t": tuples, "m": mixed})
    table = Table.from_data(frame)
    assert table.categories[0] == tuple(intervals.categories)
    assert table.categories[1:] == (((1, 2), (0, 1)), ("1", 2.5, 1))
    assert_same(Table.from_data(table.to_frame()), table)


def test_lone_surrogates_survive():
    frame = object_frame({"\udc80": ["\ud800", "x", None]})
    table = Table.from_data(frame)
    assert cells(table) == {"\udc80": ["\ud800", "x", None]}
    assert_same(Table.from_data(table.to_frame()), table)


def test_record_batches_are_read():
    batch = pa.record_batch({"a": [1, 2], "b": ["x", None]})
    assert cells(Table.from_data(batch)) == {"a": [1, 2], "b": ["x", None]}


def test_sparse_pandas_columns_are_read():
    frame = pd.DataFrame({"a": pd.arrays.SparseArray([0, 0, 3])})
    assert cells(Table.from_data(frame)) == {"a": [0, 0, 3]}


def test_polars_objects_are_read():
    frame = pl.DataFrame({"a": pl.Series(["x", "y", None], dtype=pl.Object)})
    assert cells(Table.from_data(frame)) == {"a": ["x", "y", None]}


def test_numpy_arrays_of_many_kinds():
    assert cells(Table.from_data(np.array([[2, 0], [1, 0]]))) == {"x0": [2, 1], "x1": [0, 0]}
    assert cells(Table.from_data(np.array([[True], [False]]))) == {"x0": [True, False]}
    assert cells(Table.from_data(np.array([["b"], ["a"]]))) == {"x0": ["b", "a"]}
    text = np.array([["b"], ["a"]], dtype=np.dtypes.StringDType())
    assert cells(Table.from_data(text)) == {"x0": ["b", "a"]}
    mixed = object_array(["b", None], [2, 1])
    assert cells(Table.from_data(mixed)) == {"x0": ["b", None], "x1": [2, 1]}
    fields = np.array([("b", 2), ("a", 1)], dtype=[("é ", "U1"), ("n", "i4")])
    assert cells(Table.from_data(fields)) == {"é ": ["b", "a"], "n": [2, 1]}


def test_pandas_names_become_strings():
    frame = pd.DataFrame([[1, 2, 3]], columns=pd.Index([0, ("a", "b"), None], tupleize_cols=False))
    assert Table.from_data(frame).names == ("0", "('a', 'b')", "None")


@pytest.mark.parametrize("dtype", ["float64", "float32", "Float64"])
def test_a_few_whole_numbers_of_fractional_type_are_integers(dtype):
    """As pandas makes of integers where a cell is missing, and leaves once such rows are gone."""
    frame = pd.DataFrame({"n": pd.Series([3, None, -1, 3], dtype=dtype)})
    table = Table.from_data(frame)
    assert repr(table.categories) == "((-1, 3),)"
    assert table.codes.tolist() == [[1, 0, 0, 1]]
    assert table.missing[0].tolist() == [False, True, False, False]
    assert repr(Table.from_data(frame.dropna()).categories) == "((-1, 3),)"
    twenty = pd.DataFrame({"n": pd.Series([*range(20), None], dtype=dtype)})
    assert Table.from_data(twenty).categories == (tuple(range(20)),)


# --- what is refused, and the advice ---------------------------------------------------------

FRACTIONAL = "holds fractional numbers such as .*, not categories: leave .* prepare at 'auto'"
DAY = datetime.date(2020, 1, 2)
MOMENT = datetime.datetime(2020, 1, 2)
REFUSED_COLUMNS = {
    "float": (pd.Series([0.5, 1.0]), FRACTIONAL),
    "infinite": (pd.Series([np.inf, 1.0]), FRACTIONAL),
    "Float64": (pd.Series([0.5, None], dtype="Float64"), FRACTIONAL),
    "object floats": (pd.Series([0.5, 1], dtype=object), FRACTIONAL),
    "many whole": (
        pd.Series([None, *map(float, range(21))]),
        "holds whole numbers only, such as 0: .*Int64.*prepare at 'auto'",
    ),
    "too large": (pd.Series([2.0**53, None]), "holds whole numbers only, such as 9007199254740992"),
    "datetime": (pd.Series([MOMENT] * 2), "datetime64.*such as the year"),
    "dates": (pd.Series([DAY, DAY]), "type date,.*such as the year"),
    "timedelta": (pd.Series(pd.to_timedelta([1, 2])), "timedelta64.*such as the year"),
    "period": (pd.Series(pd.period_range("2020", periods=2)), "period.*such as the year"),
    "bytes": (pd.Series([b"a", b"b"]), "bytes.*decode it to strings"),
    "complex": (pd.Series([1j, 2j]), "complex.*discretise"),
    "lists": (pd.Series([[1], [1, 2]]), "type list,.*cast it to string"),
    "arrays": (pd.Series([np.ones(2), np.ones(3)]), "type ndarray,.*cast it to string"),
    "intervals": (pd.Series(pd.interval_range(0, 2)), "interval.*cast it to string"),
    "text and numbers": (pd.Series([1, "1"]), "mixes values of types int, str.*cast it to one"),
    "bool and int": (pd.Series([True, 1], dtype=object), "mixes values of types bool, int"),
    "text and lists": (pd.Series([["a"], "a", None]), "mixes values of types list, str"),
}
EMPTY_COLUMNS = {
    "objects": pd.Series([None, None], dtype=object),
    "NaN": pd.Series([np.nan, np.nan]),
    "object NaN": pd.Series([np.nan, pd.NA], dtype=object),
    "Int64": pd.Series([None, None], dtype="Int64"),
    "string": pd.Series([None, None], dtype="string"),
    "category": pd.Categorical([None, None], categories=["a"]),
}


@pytest.mark.parametrize("kind", REFUSED_COLUMNS)
def test_pandas_columns_refused(kind):
    column, advice = REFUSED_COLUMNS[kind]
    with pytest.raises(TypeError, match=f"^column 'my \\.col' {'.*' + advice}"):
        Table.from_data(pd.DataFrame({"good": list("ab" * 11)[: len(column)], "my .col": column}))


@pytest.mark.parametrize("kind", EMPTY_COLUMNS)
def test_columns_missing_entirely_are_refused(kind):
    with pytest.raises(ValueError, match=r"column 'b' is missing in every row: drop it"):
        Table.from_data(pd.DataFrame({"a": [1, 2], "b": EMPTY_COLUMNS[kind]}))


def test_polars_columns_missing_entirely_are_refused():
    for dtype in (pl.Null, pl.String, pl.Int8, pl.Enum(["a"]), pl.Float64):
        with pytest.raises(ValueError, match="column 'b' is missing in every row: drop it"):
            Table.from_data(pl.DataFrame({"b": pl.Series([None, None], dtype=dtype)}))
    with pytest.raises(ValueError, match="column 'b' is missing in every row: drop it"):
        Table.from_data(pa.table({"b": pa.nulls(2)}))
    with pytest.raises(ValueError, match="column 'x0' is missing in every row: drop it"):
        Table.from_data(np.ma.masked_all((2, 1), dtype=int))


POLARS_REFUSED = [
    (pl.Series([0.5]), FRACTIONAL),
    (pl.Series([1.0, float("nan"), None]), r"whole numbers only.*fill_nan\(None\)\.cast\(pl"),
    (pl.Series([MOMENT]), "such as the year"),
    (pl.Series([DAY]), "such as the year"),
    (pl.Series([b"a"]), "decode it to strings"),
    (pl.Series([[1], [1, 2]]), "cast it to string"),
    (pl.Series(["1.5"]).cast(pl.Decimal(scale=2)), "discretise it"),
]
ARROW_REFUSED = [
    (pa.array([0.5]), FRACTIONAL),
    (pa.array([1.0, None]), r"whole numbers only.*cast\(pa\.int64\(\)\)"),
    (pa.array([MOMENT]), "such as the year"),
    (pa.array([DAY]), "such as the year"),
    (pa.array([b"a"]), "decode it to strings"),
    (pa.array([[1], [1, 2]]), "cast it to string"),
    (pa.array([0.5]).dictionary_encode(), FRACTIONAL),
]


@pytest.mark.parametrize(("column", "advice"), POLARS_REFUSED, ids=lambda x: str(x)[:9])
def test_polars_columns_refused(column, advice):
    with pytest.raises(TypeError, match=f"^column 'c' .*{advice}"):
        Table.from_data(pl.DataFrame({"c": column}))


@pytest.mark.parametrize(("column", "advice"), ARROW_REFUSED, ids=lambda x: str(x)[:9])
def test_arrow_columns_refused(column, advice):
    with pytest.raises(TypeError, match=f"^column 'c' .*{advice}"):
        Table.from_data(pa.table({"c": column}))


def test_numpy_columns_refused():
    for array, advice in (
        (np.array([[0.5]]), FRACTIONAL),
        (np.array([[1.0], [np.nan]]), r"whole numbers only.*astype\(int\)"),
        (np.array([[b"a"]]), "decode it to strings"),
        (np.array([["2020-01-01"]], dtype="datetime64[D]"), "such as the year"),
        (object_array([[1], [1, 2]]), "cast it to string"),
    ):
        with pytest.raises(TypeError, match=f"^column 'x0' .*{advice}"):
            Table.from_data(array)
    for array in (np.arange(3), np.zeros((2, 2, 2), dtype=int), np.array(1)):
        with pytest.raises(ValueError, match=r"not two \(rows and columns\)"):
            Table.from_data(array)


@pytest.mark.parametrize(
    "make",
    [
        lambda n: pd.DataFrame({"id": range(n)}),
        lambda n: pd.DataFrame({"id": np.arange(n) * 10**12}),
        lambda n: pd.DataFrame({"id": map(str, range(n))}),
        lambda n: pd.DataFrame({"id": pd.Categorical(map(str, range(n)))}),
        lambda n: pl.DataFrame({"id": list(map(str, range(n)))}),
        lambda n: pa.table({"id": list(map(str, range(n)))}),
        lambda n: np.array([(i,) for i in range(n)], dtype=[("id", "i8")]),
    ],
    ids=["dense", "spread", "strings", "category", "polars", "arrow", "structured"],
)
def test_at_most_65536_levels(make):
    assert Table.from_data(make(65_536)).n_categories.tolist() == [65_536]
    with pytest.raises(ValueError, match=r"'id' has 70,000 different categories.*identifier"):
        Table.from_data(make(70_000))


def test_repeated_names_are_refused():
    repeated = "the column name 'a' occurs 2 times: rename"
    with pytest.raises(ValueError, match=repeated):
        Table.from_data(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(ValueError, match=repeated):
        Table.from_data(pa.table([[1], [2]], names=["a", "a"]))
    with pytest.raises(ValueError, match="names 1 and '1' are the same once turned into strings"):
        Table.from_data(pd.DataFrame([[1, 2]], columns=pd.Index([1, "1"], dtype=object)))


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_empty_frames_are_refused(library):
    with pytest.raises(ValueError, match="the data has no columns"):
        Table.from_data(library({}))
    with pytest.raises(ValueError, match="the data has no rows"):
        Table.from_data(library({"a": []}))


def test_empty_arrays_are_refused():
    with pytest.raises(ValueError, match="the data has no columns"):
        Table.from_data(np.empty((3, 0), dtype=int))
    with pytest.raises(ValueError, match="the data has no rows"):
        Table.from_data(np.empty((0, 3), dtype=int))


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        ("data.csv", "not str: read the file first"),
        ({"a": [1]}, "not dict: make it a table first"),
        ([[1, 2]], "not list: make it a table first"),
        (None, "not NoneType"),
        (7, "not int"),
    ],
)
def test_other_things_are_refused(data, advice):
    with pytest.raises(TypeError, match=f"must be a pandas or polars DataFrame.*{advice}"):
        Table.from_data(data)


def test_lazy_frames_and_single_columns_are_refused():
    with pytest.raises(TypeError, match="collect it first"):
        Table.from_data(pl.LazyFrame({"a": [1]}))
    for series in (pd.Series([1]), pl.Series([1])):
        with pytest.raises(TypeError, match=re.escape("make it a table with .to_frame()")):
            Table.from_data(series)


def test_select_refuses_unknown_repeated_and_no_names():
    table = Table.from_data(np.array([[1, 2], [2, 2]]))
    assert table.select("x1").names == ("x1",)
    with pytest.raises(KeyError, match="no variable is named 'y'"):
        table.select(["x0", "y"])
    with pytest.raises(ValueError, match="'x0' occurs 2 times"):
        table.select(["x0", "x0"])
    with pytest.raises(ValueError, match="name at least one"):
        table.select([])


def test_take_accepts_what_numpy_accepts():
    table = Table.from_data(np.array([[3], [4], [5]]))
    assert cells(table.take(slice(1, None))) == {"x0": [4, 5]}
    assert cells(table.take([True, False, True])) == {"x0": [3, 5]}
    assert cells(table.take([-1])) == {"x0": [5]}
    with pytest.raises(IndexError):
        table.take([3])
    for none in ([], slice(0), [False] * 3):
        with pytest.raises(ValueError, match="no row was taken"):
            table.take(none)


def test_taking_rows_can_narrow_the_codes():
    table = Table.from_data(np.arange(300)[:, None])
    assert table.codes.dtype == np.uint16
    assert table.take(slice(100)).codes.dtype == np.uint8


def test_rows_of_categoricals_are_not_looped_over():
    """A hundred times as many rows: not a line of Python more, and their codes once beside."""

    def frame(n_rows):
        rng, categories = np.random.default_rng(0), pd.Index([f"level {i}" for i in range(4)])
        codes = rng.integers(0, 4, (37, n_rows))
        return pd.DataFrame(
            {f"v{i}": pd.Categorical.from_codes(codes[i], categories) for i in range(37)}
        )

    few, many = frame(1_000), frame(100_000)
    Table.from_data(few)  # what is made once is made
    assert lines_run(lambda: Table.from_data(many)) <= 1.01 * lines_run(
        lambda: Table.from_data(few)
    )
    assert peak_bytes(lambda: Table.from_data(many)) < 3 * 37 * 100_000


def test_integers_of_hundreds_of_digits_beside_fractions_are_refused():
    data = pd.DataFrame({"x": pd.Series([10**400, -(10**400), 0.5], dtype=object)})
    with pytest.raises(TypeError, match="column 'x' mixes values of types float, int"):
        Table.from_data(data)


def test_any_byte_but_zero_is_true():
    odd = np.frombuffer(bytes([0, 1, 2, 255]), dtype=bool)
    table = Table.from_data(pd.DataFrame({"x": odd}))
    assert table.categories == ((False, True),)
    assert table.codes[0].tolist() == [0, 1, 1, 1]
