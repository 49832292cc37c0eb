"""The same rows as text, as Parquet and piped in: the same table and the same report."""

import io
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bnsieve as bn
from bnsieve.cli.run.files import record_of
from bnsieve.cli.run.run import RunSettings, learn
from bnsieve.cli.run.summary import summary_of
from bnsieve.rows import convert_rows, csv_reader
from bnsieve.table import LIMITS

# Of the same run: what the files are called, and how long it took.
APART = ("command", "settings", "seconds", "started", "ended")


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """A CSV file with columns of every fate, whose numbers have a decimal comma."""
    frame = bn.load_network("asia").sample(1_500, random_state=0).astype(str)
    n = np.arange(len(frame))
    frame["id"] = n
    frame["code"] = [f"p{i}" for i in n]
    frame["country"] = "NO"
    frame["nothing"] = None
    frame["age"] = frame["smoke"].map({"yes": 60.5, "no": 41.25}) + n % 7
    frame["visits"] = np.where(n % 5, n % 3, np.nan)
    frame["late"] = np.where(n < 1_400, "1", "many")
    frame.loc[::9, "xray"] = "?"
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    frame.to_csv(path, index=False, sep=";", decimal=",")
    return path


def report(data, **options):
    outcome = learn(RunSettings(data, missing_texts=("?",), **options))
    found = {key: value for key, value in record_of(outcome).items() if key not in APART}
    del found["data"]["files"]
    lines = [line for line in summary_of(outcome) if line[0] not in ("seconds", "read")]
    return outcome, found, lines


def piped(path, monkeypatch):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(path.read_bytes())))
    return Path("-")


@pytest.mark.parametrize(("max_cells", "block"), [(LIMITS.in_memory, 1 << 22), (5, 10_000)])
def test_text_and_pipe_and_parquet_are_one_table(rows, tmp_path, monkeypatch, max_cells, block):
    monkeypatch.setattr(LIMITS, "in_memory", max_cells)
    monkeypatch.setattr(csv_reader, "_BLOCK", block)
    monkeypatch.setattr(csv_reader, "_BLOCK_PER_COLUMN", 1)
    text, found, lines = report(rows)
    assert {one["column"]: one["what"] for one in found["changes"]} == {
        "id": "dropped",
        "code": "dropped",
        "country": "dropped",
        "nothing": "dropped",
        "age": "binned",
        "xray": "note",  # its gaps follow from the number of the row, as other columns do
    }
    pipe, by_pipe, piped_lines = report(piped(rows, monkeypatch))
    assert by_pipe == found
    assert piped_lines == lines
    # A Parquet file knows which of its cells are missing, and has no separators.
    batches = csv_reader.read_csv([rows], ["?"]).batches()
    pq.write_table(pa.Table.from_batches(batches), tmp_path / "rows.parquet")
    parquet, by_parquet, parquet_lines = report(tmp_path / "rows.parquet")
    assert by_parquet["data"].pop("remarks") == []
    found["data"].pop("remarks")
    assert by_parquet == found
    assert parquet_lines == lines
    for other in (pipe, parquet):
        assert other.graph == text.graph
        assert other.network == text.network
        assert other.learner.fit_result_.rows.categories == text.learner.fit_result_.rows.categories
        assert np.array_equal(
            other.learner.fit_result_.rows.codes, text.learner.fit_result_.rows.codes
        )


def test_rows_in_files_are_tidied_as_rows_in_memory(rows, monkeypatch):
    in_memory, found, _ = report(rows, drop=("tub",), keep=("code",))
    monkeypatch.setattr(LIMITS, "in_memory", 5)
    in_files, also, _ = report(rows, drop=("tub",), keep=("code",))
    assert also["changes"] == found["changes"]
    assert also["cuts"] == found["cuts"] != {}
    assert in_files.examined == in_memory.examined
    with pytest.raises(ValueError, match="there is no column 'age2'"):
        report(rows, drop=("age2",))


def test_a_converted_file_has_the_same_types(rows, tmp_path):
    convert_rows(rows, tmp_path / "rows.parquet")
    converted = pd.read_parquet(tmp_path / "rows.parquet")
    assert converted["age"].dtype == np.float64
    assert converted["late"].tolist()[-1] == "many"
    assert converted["visits"].dropna().unique().tolist() == [1, 2, 0]


def test_columns_of_every_type_of_a_parquet_file_in_memory_and_not(tmp_path, monkeypatch):
    n = 300
    table = pa.table(
        {
            "x": ["a", "b", "a"] * (n // 3),
            "y": ["a", "b"] * (n // 2),
            "flag": [True, False, None] * (n // 3),
            "large": [2**60 + i for i in range(n)],
            "price": [Decimal("1.5"), Decimal("2.5"), None] * (n // 3),
            "day": [date(2020, 1, 1 + i % 28) for i in range(n)],
            "bytes": [b"u", b"v"] * (n // 2),
            "nothing": pa.nulls(n),
            "same": [7] * n,
        }
    )
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=70)
    in_memory = report(tmp_path / "rows.parquet")[1]
    monkeypatch.setattr(LIMITS, "in_memory", 5)
    in_files = report(tmp_path / "rows.parquet")[1]
    changes = {one["column"]: one["why"] for one in in_memory["changes"]}
    also = {one["column"]: one["why"] for one in in_files["changes"]}
    assert also == changes
    assert changes["bytes"] == "its cells are binary, which are no categories"
    assert changes.keys() == {"bytes", "flag", "large", "day", "nothing", "same"}
