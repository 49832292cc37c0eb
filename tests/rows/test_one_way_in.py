"""Learners, `prepare` and the command line make the same of the same data, wherever it lies."""

import io
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bnsieve as bn
from bnsieve.cli.run.run import RunSettings, learn
from bnsieve.rows import open_data
from bnsieve.table import LIMITS
from bnsieve.table.prepare import with_parameters

N = 1_200
SETTINGS = {"random_state": 0, "n_jobs": 1}


@pytest.fixture(scope="module")
def frame():
    """Labels, numbers, whole numbers, a date, an identifier and missing cells."""
    rng = np.random.default_rng(3)
    frame = bn.load_network("asia").sample(N, random_state=0).astype(str)
    frame["age"] = np.where(frame["smoke"] == "yes", 60.0, 41.0) + rng.normal(0, 4, N)
    frame["visits"] = rng.integers(0, 4, N) + (frame["bronc"] == "yes")
    frame["seen"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, N), "D")
    frame["case"] = [f"p{i}" for i in range(N)]
    frame.loc[frame["xray"].index % 11 == 0, "xray"] = None
    return frame


@pytest.fixture(scope="module")
def files(frame, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    frame.to_csv(folder / "rows.csv", index=False)
    frame.to_parquet(folder / "rows.parquet", index=False, row_group_size=500)
    frame.to_excel(folder / "rows.xlsx", index=False)
    for kind in ("csv", "parquet"):
        (folder / kind).mkdir()
    for start in range(0, N, 500):
        part = frame[start : start + 500]
        part.to_csv(folder / "csv" / f"{start:04}.csv", index=False)
        part.to_parquet(folder / "parquet" / f"{start:04}.parquet", index=False)
    return folder


PATHS = ("rows.csv", "rows.parquet", "csv", "parquet", "rows.xlsx")


def outcome(learner):
    """What the three must agree in; the terminal advises options, and Python parameters."""
    return (
        with_parameters(learner.preparation_),
        learner.graph_,
        learner.dag_,
        learner.network_,
        learner.missing_strategy_,
        learner.numeric_features_,
    )


@pytest.mark.filterwarnings("ignore:.*left out.*:UserWarning")
@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize("name", PATHS)
def test_fit_and_prepare_and_learn_agree_on_files(files, monkeypatch, name, size):
    if size == "large" and name == "rows.xlsx":
        pytest.skip("sheets that are too large are refused")
    if size == "large":
        monkeypatch.setattr(LIMITS, "in_memory", 5)
    path = files / name
    plan = bn.prepare(path)
    run = learn(RunSettings(path), n_jobs=1)
    learner = bn.TsetlinSieve(**SETTINGS, prepare=plan).fit(path)
    assert outcome(run.learner) == outcome(learner)
    # A learner keeps constant columns, of which there are none here.
    assert outcome(bn.TsetlinSieve(**SETTINGS).fit(path)) == outcome(learner)


@pytest.mark.filterwarnings("ignore:.*left out.*:UserWarning")
def test_what_fits_in_memory_is_learned_from_as_a_frame_is(frame, files, monkeypatch):
    expected = bn.TsetlinSieve(**SETTINGS).fit(frame)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    given = [table, pl.from_arrow(table), iter(table.to_batches(100)), lambda: table.to_batches()]
    for data in (*given, *(files / name for name in PATHS if "csv" not in name)):
        assert outcome(bn.TsetlinSieve(**SETTINGS).fit(data)) == outcome(expected)
    # In CSV a date is text.
    labels = frame.drop(columns="seen")
    labels.to_csv(files / "labels.csv", index=False)
    monkeypatch.setattr(
        "sys.stdin", SimpleNamespace(buffer=io.BytesIO((files / "labels.csv").read_bytes()))
    )
    expected = bn.TsetlinSieve(**SETTINGS).fit(labels)
    for data in (files / "labels.csv", str(files / "labels.csv"), Path("-")):
        assert outcome(bn.TsetlinSieve(**SETTINGS).fit(data)) == outcome(expected)


@pytest.mark.filterwarnings("ignore:.*left out.*:UserWarning")
def test_later_rows_come_in_by_the_same_way(frame, files):
    learner = bn.TsetlinSieve(**SETTINGS).fit(files / "rows.parquet")
    in_memory = bn.TsetlinSieve(**SETTINGS).fit(frame)
    for data in (files / "rows.csv", files / "parquet", pa.Table.from_pandas(frame)):
        assert learner.score(data) == pytest.approx(in_memory.score(frame), rel=1e-12)
        assert learner.predict(data, "dysp").tolist() == in_memory.predict(frame, "dysp").tolist()
    learner.update(files / "rows.csv")
    in_memory.update(frame)
    assert outcome(learner) == outcome(in_memory)


def test_files_are_named_with_what_their_bytes_hash_to(files):
    with open_data(files / "csv") as data:
        assert [file.name for file in data.files] == ["0000.csv", "0500.csv", "1000.csv"]
        assert all(len(file.sha256) == 64 and file.bytes for file in data.files)
    with open_data([files / "rows.csv"]) as data:
        assert [file.name for file in data.files] == ["rows.csv"]
