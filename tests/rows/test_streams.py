"""Objects that speak Arrow: lazy tables, relations, readers and cursors, read once as codes."""

import logging
import sqlite3
import traceback
import warnings
from contextlib import ExitStack
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bnsieve as bn
from bnsieve.engine.local import Threads
from bnsieve.rows import FileData, data, in_key_order, open_data, streams
from bnsieve.table import LIMITS

ONE = Threads(1, map)
SETTINGS = {"random_state": 0, "n_jobs": 1}
N = 3_000


class Reader:
    """Gives Arrow batches by the interface alone."""

    def __init__(self, table, size=700):
        self.table, self.size = table, size

    def __arrow_c_stream__(self, requested_schema=None):
        batches = self.table.to_batches(self.size)
        reader = pa.RecordBatchReader.from_batches(self.table.schema, batches)
        return reader.__arrow_c_stream__(requested_schema)


class Exported:
    """A polars frame of which the interface alone is known."""

    def __init__(self, frame):
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema=None):
        return self.frame.__arrow_c_stream__(requested_schema)


class Cursor:
    """As an ADBC cursor: rows in no certain order."""

    def __init__(self, table, seed=None):
        order = np.arange(len(table))
        if seed is not None:  # a scan that starts anywhere
            order = np.roll(order, int(np.random.default_rng(seed).integers(len(table))))
        self.table = table.take(order)

    def fetch_record_batch(self):
        return pa.RecordBatchReader.from_batches(self.table.schema, self.table.to_batches(700))


class Cancelled(Cursor):
    """Notes whether its query was cancelled."""

    is_cancelled = False

    def adbc_cancel(self):
        self.is_cancelled = True
        raise NotImplementedError("as some drivers do")


@pytest.fixture(scope="module")
def table():
    frame = bn.load_network("asia").sample(N, random_state=0).astype(str)
    rng = np.random.default_rng(1)
    frame.insert(0, "id", np.arange(N))
    frame["paid"] = np.where(frame["smoke"] == "yes", 20.0, 10.0) + rng.normal(0, 3, N)
    frame["at"] = pd.Timestamp("2024-01-01", tz="UTC") + pd.to_timedelta(
        rng.integers(0, 300, N), "D"
    )
    frame.loc[::9, "xray"] = None
    return pa.Table.from_pandas(frame, preserve_index=False)


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("kind", ["reader", "polars", "narwhals", "made"])
def test_rows_are_those_of_the_table(table, monkeypatch, kind, kept):
    if not kept:
        monkeypatch.setattr(data, "MOST_KEPT", 0)
    given = {
        "reader": lambda: Reader(table),
        "polars": lambda: pl.from_arrow(table).lazy(),
        "narwhals": lambda: nw.from_native(pl.from_arrow(table).lazy()),
        "made": lambda: lambda: Reader(table),
    }[kind]()
    with open_data(given) as rows:
        assert isinstance(rows, FileData)
        assert bool(rows.source.kept) == kept
        assert rows.has_order
        assert rows.names == tuple(table.column_names)
        found = rows.to_frame()
    expected = table.to_pandas()
    for name in table.column_names:
        assert found[name].astype(object).where(found[name].notna(), None).tolist() == (
            expected[name].astype(object).where(expected[name].notna(), None).tolist()
        )


def test_text_takes_a_byte_a_cell(table):
    labels = table.select(["asia", "tub", "smoke", "xray"])
    with open_data(Reader(labels)) as rows:
        taken = sum(batch.nbytes for batch in rows.source.kept)
    assert N * 4 <= taken < N * 4 * 1.3  # and the bits that say which cells are missing


@pytest.mark.parametrize("limit", [1 << 27, 2_000, 0])
def test_a_dictionary_that_grows_is_read_right(monkeypatch, limit):
    monkeypatch.setattr(streams, "_PIECE_ROWS", 500)
    monkeypatch.setattr(data, "MOST_KEPT", limit)
    few, many = ["a", "b"] * 500, [f"s{i}" for i in range(400)] * 5
    holes = ["u", None, "v"] * 1_000
    table = pa.table({"x": few + many, "y": holes, "z": pa.array(few + many, pa.large_string())})
    with open_data(Reader(table)) as rows:
        types = {str(batch.schema.field("x").type.index_type) for batch in rows.source.kept}
        assert types == ({"int16"} if limit > 2_000 else set())
        found = rows.to_frame()
    assert found["x"].tolist() == found["z"].tolist() == few + many
    assert found["y"].astype(object).where(found["y"].notna(), None).tolist() == holes


def test_a_value_of_a_later_piece_is_not_taken_for_missing(monkeypatch):
    monkeypatch.setattr(streams, "_PIECE_ROWS", 2)
    texts = ["a", "b", "a", None, "c", None, None, None, "a", "d"]
    with open_data(Reader(pa.table({"x": texts, "y": ["u", "v"] * 5}))) as rows:
        found = rows.to_frame()["x"]
    assert found.astype(object).where(found.notna(), None).tolist() == texts


def test_a_fit_of_each_is_that_of_the_frame(table, tmp_path):
    labels = table.drop_columns(["id", "at"])
    pq.write_table(labels, tmp_path / "rows.parquet")
    expected = bn.TsetlinSieve(**SETTINGS).fit(tmp_path / "rows.parquet")
    for given in (Reader(labels), pl.from_arrow(labels).lazy()):
        learner = bn.TsetlinSieve(**SETTINGS).fit(given)
        assert learner.graph_ == expected.graph_
        assert learner.network_ == expected.network_
        assert learner.preparation_ == expected.preparation_


def test_numeric_decimals_intervals_and_ids_become_what_they_mean():
    numeric = pa.opaque(pa.string(), "numeric", "PostgreSQL")
    interval = [pa.MonthDayNano([14, 3, 5_000_000_000]), None]
    table = pa.table(
        {
            "paid": pa.ExtensionArray.from_storage(numeric, pa.array(["1.50", None])),
            "cost": pa.array([Decimal("2.25"), Decimal("-1")], pa.decimal128(30, 2)),
            "waited": pa.array(interval, pa.month_day_nano_interval()),
            "shown": pa.array(["a", "b"], pa.string_view()),
            "kind": pa.array(["u", "v"]).dictionary_encode(),
            "tags": pa.array([[1], [2, 3]]),
        }
    )
    with open_data(Reader(table)) as rows:
        frame = rows.to_frame().drop(columns="tags")
        columns = rows.columns(ONE)
    assert frame["paid"].tolist()[:1] == [1.5]
    assert frame["cost"].tolist() == [2.25, -1.0]
    # A year of 365.25 days, two months of 30, three days, five seconds.
    assert frame["waited"][0] == (365.25 + 60 + 3) * 86_400 + 5
    assert frame["waited"].isna().tolist() == [False, True]
    assert frame["shown"].tolist() == ["a", "b"]
    assert frame["kind"].tolist() == ["u", "v"]
    assert columns is not None


@pytest.mark.filterwarnings("ignore:.*tags is left out.*:UserWarning")
def test_a_nested_column_is_left_out_by_name(table):
    nested = table.select(["asia", "tub", "smoke"]).append_column("tags", pa.array([[1, 2]] * N))
    learner = bn.TsetlinSieve(**SETTINGS).fit(Reader(nested))
    (tags,) = learner.preparation_.left_out
    assert tags.name == "tags"
    assert "list<" in tags.why


def test_two_columns_of_one_name_are_refused():
    twice = pa.Table.from_arrays([pa.array([1, 2]), pa.array([3, 4])], names=["a", "a"])
    with pytest.raises(ValueError, match="two columns are named 'a'"), open_data(Reader(twice)):
        pass


@pytest.mark.parametrize("n_rows", [0, None])
def test_no_rows_are_refused(n_rows):
    batches = iter([]) if n_rows is None else Reader(pa.table({"a": pa.array([], pa.string())}))
    with pytest.raises(ValueError, match="no rows"), open_data(batches):
        pass


def test_a_key_gives_the_same_fit_in_any_order(table, tmp_path, monkeypatch):
    labels = table.drop_columns(["at"])
    pq.write_table(labels, tmp_path / "rows.parquet")
    monkeypatch.setattr(LIMITS, "in_memory", 0)
    settings = {**SETTINGS, "sample_rows": 500, "missing": "testwise", "key": "id"}
    expected = bn.TsetlinSieve(**settings).fit(tmp_path / "rows.parquet")
    shuffled = labels.take(np.random.default_rng(0).permutation(N))
    pq.write_table(shuffled, tmp_path / "shuffled.parquet", row_group_size=700)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given = [Cursor(labels, 1), Cursor(labels, 2), tmp_path / "shuffled.parquet"]
        for one in given:
            learner = bn.TsetlinSieve(**settings).fit(one)
            assert learner.fit_result_.counted is not None
            assert learner.graph_ == expected.graph_
            assert learner.score_ == expected.score_
            assert learner.candidates_ == expected.candidates_
    assert "id" not in expected.graph_.nodes


def test_files_are_sorted_bucket_by_bucket(table, tmp_path, monkeypatch):
    monkeypatch.setattr(LIMITS, "codes", 16 * 6 * 400)
    labels = table.select(["id", "asia", "paid", "at"])
    order = np.random.default_rng(0).permutation(N)
    pq.write_table(labels.take(order), tmp_path / "rows.parquet", row_group_size=700)
    with ExitStack() as stack:
        opened = stack.enter_context(open_data(tmp_path / "rows.parquet"))
        rows = in_key_order(opened, "id", stack).to_frame()
    expected = labels.drop_columns(["id"]).to_pandas()
    assert rows["paid"].tolist() == expected["paid"].tolist()
    assert rows["asia"].tolist() == expected["asia"].tolist()


def test_a_frame_is_put_in_the_order_of_its_key(table):
    labels = table.drop_columns(["at"])
    shuffled = labels.take(np.random.default_rng(3).permutation(N))
    expected = bn.TsetlinSieve(**SETTINGS).fit(labels.drop_columns(["id"]))
    for given in (shuffled, shuffled.to_pandas(), pl.from_arrow(shuffled)):
        learner = bn.TsetlinSieve(**SETTINGS, key="id").fit(given)
        assert learner.graph_ == expected.graph_
        assert learner.score_ == expected.score_


def test_rows_in_no_certain_order_are_warned_of(table):
    labels = table.select(["asia", "tub", "smoke"])
    with pytest.warns(UserWarning, match="in no certain order.*key="):
        bn.TsetlinSieve(**SETTINGS).fit(Cursor(labels))


@pytest.mark.parametrize(
    ("key", "said"), [("xray", "is missing in"), ("smoke", "twice"), ("idd", "did you mean 'id'")]
)
def test_a_key_that_is_none_is_refused(table, key, said):
    with pytest.raises(ValueError, match=said):
        bn.TsetlinSieve(**SETTINGS, key=key).fit(Cursor(table))


class Connected(Cursor):
    """A cursor that knows the password of its connection."""

    uri = "postgresql://joe:planted-password@host/db"

    def __repr__(self):
        return f"<cursor of {self.uri}>"


def test_no_password_and_no_cell_is_repeated(table, caplog, capsys):
    caplog.set_level(logging.DEBUG)
    labels = table.select(["asia", "tub", "smoke", "lung"]).to_pandas()
    labels["smoke"] = labels["smoke"].replace("yes", "planted-cell")
    labels["names"] = [f"planted-cell {i}" for i in range(N)]
    given = pa.Table.from_pandas(labels, preserve_index=False)
    with pytest.warns(UserWarning) as told:
        learner = bn.TsetlinSieve(**SETTINGS).fit(Connected(given))
    assert "planted-cell" in learner.network_.states["smoke"]
    said = [str(one.message) for one in told]
    other = given.slice(0, 5).rename_columns(["asia", "tub", "smoke", "lung", "x"])
    twice = pa.Table.from_arrays(given.columns[2:4], names=["a", "a"])
    for wrong in (iter([given, other]), Connected(twice)):
        with pytest.raises(ValueError, match="column") as caught:
            bn.TsetlinSieve(**SETTINGS).fit(wrong)
        said.append("".join(traceback.format_exception(caught.value)))
    with pytest.raises(ValueError, match="address that begins with postgresql:") as caught:
        bn.TsetlinSieve(**SETTINGS).fit(Connected.uri)
    said += [str(caught.value), caplog.text, *capsys.readouterr()]
    assert "planted" not in "".join(said)


@pytest.mark.parametrize("stopped", [True, False])
def test_the_query_of_a_cursor_ends_with_its_reading(table, monkeypatch, stopped):
    def stop(*said):
        raise KeyboardInterrupt

    cursor = Cancelled(table)
    if stopped:
        monkeypatch.setattr(data, "announce", stop)
        with pytest.raises(KeyboardInterrupt), open_data(cursor):
            pass
    else:
        with open_data(cursor) as rows:
            assert rows.n_rows == N
    assert cursor.is_cancelled == stopped


def test_the_query_of_refused_rows_is_cancelled():
    cursor = Cancelled(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]))
    with pytest.raises(ValueError, match="two columns are named 'a'"), open_data(cursor):
        pass
    assert cursor.is_cancelled


@pytest.mark.parametrize(
    "kind", [pa.decimal128(38, 0), pa.decimal128(38, 2), pa.decimal256(60, 0), pa.decimal128(17, 1)]
)
@pytest.mark.parametrize("kept", [True, False])
def test_keys_that_are_equal_as_floats_differ(table, monkeypatch, kind, kept):
    if not kept:
        monkeypatch.setattr(data, "MOST_KEPT", 0)
    size = 10 ** (kind.precision - kind.scale - 1)
    cells = [Decimal(size + int(i)) for i in np.random.default_rng(2).permutation(N)]
    assert len({float(cell) for cell in cells}) < N or kind.precision == 17
    given = table.select(["smoke", "paid"]).append_column("k", pa.array(cells, kind))
    with ExitStack() as stack:
        found = in_key_order(stack.enter_context(open_data(Reader(given))), "k", stack).to_frame()
    order = sorted(range(N), key=cells.__getitem__)
    assert found["paid"].tolist() == given["paid"].take(order).to_pylist()


def test_decimals_of_any_width_are_numbers():
    values = [Decimal("1.25"), None, Decimal("-3")] * 20
    kinds = [pa.decimal128(15, 2), pa.decimal128(16, 2), pa.decimal128(38, 2), pa.decimal256(60, 2)]
    given = pa.table({str(kind): pa.array(values, kind) for kind in kinds})
    with open_data(Reader(given)) as rows:
        assert set(rows.source.kinds) == {"number"}
        frame = rows.to_frame()
    for name in given.column_names:
        assert frame[name].dropna().tolist() == [1.25, -3.0] * 20


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (pa.array([7, 7]), "has 7 twice: name"),
        (pa.array([Decimal("7.5")] * 2, pa.decimal128(38, 1)), "has 7.5 twice: name"),
        (pa.array(["x", "x"]), "has 'x' twice: name"),
        (pa.array([2.0**60, 2.0**60]), r"1152921504606846976 twice as a floating.*cast it to int"),
    ],
)
def test_a_repeated_key_is_written_as_the_source_does(cells, said):
    given = pa.table({"a": ["u", "v"], "k": cells})
    with pytest.raises(ValueError, match=said):
        bn.TsetlinSieve(**SETTINGS, key="k").fit(Reader(given))


def test_a_key_alone_is_refused_as_in_a_frame():
    given = pa.table({"k": np.arange(20)})
    for one in (given, Reader(given), given.to_pandas()):
        with pytest.raises(ValueError, match="has no columns: pass at least one"):
            bn.TsetlinSieve(**SETTINGS, key="k").fit(one)


def test_dictionaries_of_views_are_text():
    cells = ["x", None, "y"] * 20
    given = pl.DataFrame(
        {
            "a": pl.Series(cells, dtype=pl.Categorical),
            "b": pl.Series(cells, dtype=pl.Enum(["y", "x"])),
        }
    )
    with open_data(Exported(given)) as rows:
        found = rows.to_frame()
    for name in ("a", "b"):
        assert found[name].astype(object).where(found[name].notna(), None).tolist() == cells


@pytest.mark.parametrize(
    "column",
    [
        pa.UnionArray.from_sparse(pa.array([0] * N, pa.int8()), [pa.array(np.arange(N))]),
        pa.array([[pa.MonthDayNano([0, 1, 0])]] * N, pa.list_(pa.month_day_nano_interval())),
    ],
    ids=["union", "list of intervals"],
)
def test_what_parquet_cannot_hold_is_left_out_of_large_tables(table, monkeypatch, column):
    given = table.select(["asia", "tub", "smoke"]).append_column("odd", column)
    with pytest.warns(UserWarning, match="odd is left out"):
        expected = bn.TsetlinSieve(**SETTINGS).fit(Reader(given))
    monkeypatch.setattr(data, "MOST_KEPT", 0)
    with pytest.warns(UserWarning, match="odd is left out"):
        learner = bn.TsetlinSieve(**SETTINGS).fit(Reader(given))
    assert learner.graph_ == expected.graph_
    assert str(column.type) in learner.preparation_.left_out[0].why


def test_rows_are_not_converted_without_their_cells(table, tmp_path, monkeypatch):
    monkeypatch.setattr(data, "MOST_KEPT", 0)
    nothing = pa.array([{}] * N, pa.struct([]))
    given = table.select(["asia"]).append_column("odd", nothing)
    with pytest.raises(ValueError, match="cannot hold the cells of column 'odd': leave it out"):
        data.convert_rows(Reader(given), tmp_path / "rows.parquet")


def test_a_batch_of_another_type_is_named_with_both():
    first = pa.table({"a": ["x", "y"], "b": [1, 2]})
    floats = first.set_column(1, "b", pa.array([1.5, 2.5]))
    with (
        pytest.raises(ValueError, match="column 'b' is double in batch 1, but int64 in the first"),
        open_data(iter([first, floats])),
    ):
        pass
    with (
        pytest.raises(ValueError, match=r"batch 1 has other .*, \['a'\] instead of \['a', 'b'\]"),
        open_data(iter([first, first.select(["a"])])),
    ):
        pass


@pytest.mark.parametrize(
    "kinds", [(pa.string(), pa.large_string()), (pa.large_string(), pa.string())]
)
def test_batches_may_hold_text_of_two_types(kinds):
    batches = [pa.table({"a": pa.array(["x", None], kind), "b": [1, 2]}) for kind in kinds]
    with open_data(iter(batches)) as rows:
        found = rows.to_frame()["a"]
    assert found.astype(object).where(found.notna(), None).tolist() == ["x", None] * 2


def test_a_cursor_without_arrow_is_refused_with_the_way_out():
    connection = sqlite3.connect(":memory:")
    with pytest.raises(TypeError, match=r"cursor of sqlite3 .* ADBC driver.*pandas\.read_sql"):
        bn.TsetlinSieve().fit(connection.execute("select 1 as a, 2 as b"))
    connection.close()


def test_integers_of_128_bits_are_refused_with_the_way_out():
    frame = pl.DataFrame({"a": ["x", "y"]}).with_columns(k=pl.lit(1, dtype=pl.Int128))
    with pytest.raises(ValueError, match=r"column 'k' is of type Int128.*cast it"):
        bn.TsetlinSieve().fit(frame.lazy())
    with pytest.raises(ValueError, match="cast it, for example Int128 to Int64"):
        bn.TsetlinSieve().fit(Exported(frame))
