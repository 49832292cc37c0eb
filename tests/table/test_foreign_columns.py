"""Columns that other libraries hold in their own way: read exactly, or refused by name."""

from decimal import Decimal
from itertools import cycle, islice

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pandas.arrays import ArrowExtensionArray

import bnsieve as bn
from bnsieve.table import Table

MISSING = [None, np.nan, pd.NaT, pd.NA, np.datetime64("NaT"), Decimal("NaN")]
N = 60
WHICH = np.arange(N) % 2


def learned(data, **settings):
    return bn.TsetlinSieve(random_state=0, n_jobs=1, **settings).fit(data)


def not_utf8():
    bytes_of = pa.array([b"xx", b"\xff\xfe"]).take(pa.array(WHICH))
    return pa.Array.from_buffers(pa.string(), N, bytes_of.buffers())


@pytest.mark.parametrize("labels", [["u", "v"], [1, 2], [True, False]])
def test_all_signs_of_missing_cells_together(labels):
    cells = list(islice(cycle([*labels, *MISSING]), 80))
    frame = pd.DataFrame({"x": pd.Series(cells, dtype=object), "y": ["a", "b"] * 40})
    table = Table.from_data(frame)
    assert set(table.categories[0]) == set(labels)
    assert table.missing[0].sum() == 60
    assert learned(frame).preparation_.n_missing["x"] == 60


def test_a_column_of_signs_of_missing_cells_only():
    cells = list(islice(cycle(MISSING), N))
    frame = pd.DataFrame({"x": pd.Series(cells, dtype=object), "y": ["a", "b"] * (N // 2)})
    with pytest.raises(ValueError, match="'x' is missing in every row"):
        Table.from_data(frame)
    with pytest.warns(UserWarning, match="x is left out: all cells are empty"):
        learned(frame)


@pytest.mark.parametrize("dtype", [bool, np.int16, ">i4", np.uint64, float, "U3", object])
def test_masked_matrices(dtype):
    """The mask of a column of a matrix does not lie in one piece."""
    cells = np.stack([WHICH, WHICH, WHICH[::-1]], axis=1).astype(dtype)
    mask = np.zeros(cells.shape, dtype=bool)
    mask[:6, 0] = True
    learner = learned(np.ma.masked_array(cells, mask))
    assert learner.preparation_.n_missing["x0"] == 6
    assert "x1" not in learner.preparation_.n_missing
    assert learner.graph_.nodes == ("x0", "x1", "x2")


def test_masked_integers_that_floats_cannot_tell_apart():
    cells = np.ma.masked_array(10**18 + np.stack([WHICH, WHICH], axis=1), mask=False)
    cells[0, 0] = np.ma.masked
    categories = learned(cells).preparation_["x0"].n_categories
    assert categories == 2


def arrow(column):
    return pa.table({"x": column, "y": pa.array(["p", "q"]).take(pa.array(WHICH))})


LABELS = pa.array(["a", "b"])
VIEWS = pa.array(["a", "b"], pa.string_view())


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["a", "b"] * (N // 2), pa.string_view()),
        pa.DictionaryArray.from_arrays(pa.array(WHICH, pa.int8()), VIEWS),
        pa.DictionaryArray.from_arrays(pa.array(WHICH, pa.uint64()), LABELS),
        pa.DictionaryArray.from_arrays(pa.array(WHICH, pa.uint8()), VIEWS),
        pa.DictionaryArray.from_arrays(pa.array([None, 1, 0] * 20, pa.uint64()), LABELS),
    ],
)
def test_types_that_few_functions_of_arrow_know(column):
    for data in (
        arrow(column),
        pd.DataFrame({"x": pd.Series(column, dtype=pd.ArrowDtype(column.type))}),
    ):
        table = Table.from_data(data)
        assert table.categories[0] == ("a", "b")
        codes = [None if label is None else "ab".index(label) for label in column.to_pylist()]
        seen = table.codes[0].tolist()
        missing = table.missing.get(0, np.zeros(N, dtype=bool))
        assert [None if gone else code for code, gone in zip(seen, missing, strict=True)] == codes
    assert learned(arrow(column)).graph_.nodes == ("x", "y")


NO_CATEGORIES = {
    "run_end_encoded": pc.run_end_encode(pa.array(["a"] * (N // 2) + ["b"] * (N // 2))),
    "dense_union": pa.UnionArray.from_dense(
        pa.array(WHICH, pa.int8()),
        pa.array(range(N), pa.int32()),
        [pa.array(["a"] * N), pa.array([1] * N)],
    ),
    "sparse_union": pa.UnionArray.from_sparse(
        pa.array(WHICH, pa.int8()), [pa.array(["a"] * N), pa.array([1] * N)]
    ),
    "list_view": pa.array([[int(i)] for i in WHICH], pa.list_view(pa.int64())),
}


@pytest.mark.parametrize("kind", NO_CATEGORIES)
def test_types_that_frames_lack_are_left_out_by_name(kind):
    table = arrow(NO_CATEGORIES[kind])
    frame = pd.DataFrame({name: pd.Series(ArrowExtensionArray(table[name])) for name in "xy"})
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    for data in (table, frame, reader):
        with pytest.warns(UserWarning, match=f"x is left out: its cells are {kind}"):
            learner = learned(data)
        assert learner.graph_.nodes == ("y",)
    for data in (table, frame):
        with pytest.raises(TypeError, match=f"column 'x' .*{kind}"):
            Table.from_data(data)


def test_text_that_is_not_utf8_is_refused_by_name(tmp_path):
    entries = pa.Array.from_buffers(pa.string(), 2, pa.array([b"xx", b"\xff\xfe"]).buffers())
    dictionary = pa.DictionaryArray.from_arrays(pa.array(WHICH, pa.int8()), entries)
    for column in (not_utf8(), dictionary):
        with pytest.raises(ValueError, match="column 'x' holds text that is not UTF-8: decode it"):
            learned(arrow(column))
        with pytest.raises(ValueError, match="column 'x' holds text that is not UTF-8: decode it"):
            Table.from_data(arrow(column))
        path = tmp_path / "rows.parquet"
        pq.write_table(arrow(column), path)
        with pytest.raises(ValueError, match=r"rows\.parquet: column 'x' holds text that is not"):
            learned(path)


@pytest.mark.parametrize("text", ["x\ud800", "\udcff", "\ud83d\ud83d"])
def test_lone_surrogates_in_arrays(text):
    array = np.stack([np.array([text, "y"])[WHICH], np.array(["p", "q"])[WHICH]], axis=1)
    learner = learned(array)
    assert learner.preparation_["x0"].n_categories == 2
    assert set(learner.network_.states["x0"]) == {text, "y"}


def test_lone_surrogates_beside_cells_of_other_types():
    """Cells of several types are written as text, of which pandas makes an index."""
    cells = pd.Series(["a\ud800", 1, 2.5] * 20, dtype=object)
    frame = pd.DataFrame({"x": cells, "y": ["p", "q"] * 30})
    assert set(bn.prepare(frame).apply(frame)["x"].cat.categories) == {"a\ud800", "1", "2.5"}


def test_lone_surrogates_in_arrays_of_objects():
    """pandas would make strings of Arrow of them, which cannot hold one."""
    array = np.array([["x\ud800", "p"], ["y", "q"]] * 30, dtype=object)
    assert set(learned(array).network_.states["x0"]) == {"x\ud800", "y"}


def test_lone_surrogates_in_names():
    frame = pd.DataFrame(np.zeros((9, 2)), columns=pd.Index(["a\ud800", "b"], dtype=object))
    with pytest.raises(ValueError, match=r"name 'a\\ud800' holds half a character.*rename"):
        bn.prepare(frame)
    with pytest.raises(ValueError, match="half a character"):
        learned(frame)
