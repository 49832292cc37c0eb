"""The index of a frame that pandas stored beside its columns is no variable."""

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from opened_rows import open_stored

FRAME = pd.DataFrame({"a": ["x", "y", "x"], "b": ["u", "u", "v"]})


@pytest.mark.parametrize(
    "index",
    [[2, 0, 1], pd.Index(["r", "s", "t"], name="id"), pd.MultiIndex.from_tuples([(1, 2)] * 3)],
    ids=["unnamed", "named", "several"],
)
def test_a_stored_index_is_left_out(tmp_path, index):
    FRAME.set_axis(index, axis=0).to_parquet(tmp_path / "rows.parquet")
    assert pq.read_schema(tmp_path / "rows.parquet").names != ["a", "b"]
    with open_stored(tmp_path / "rows.parquet") as source:
        assert source.names == ("a", "b")
        ((_, _, rows),) = source.batches(source.chunks, source.names)
        assert rows.schema.names == ["a", "b"]


@pytest.mark.parametrize("said", [b"{", b"[]", b"null", b'{"index_columns": 1}', b"\xff", b"{}"])
def test_what_pandas_did_not_write(tmp_path, said):
    table = pa.Table.from_pandas(FRAME).replace_schema_metadata({b"pandas": said})
    pq.write_table(table, tmp_path / "rows.parquet")
    with open_stored(tmp_path / "rows.parquet") as source:
        assert source.names == ("a", "b")
