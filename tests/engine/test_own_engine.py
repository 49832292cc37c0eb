"""Engines of the user's own: what they must be and do; and where their workers look for files."""

import os
from functools import reduce
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bnsieve as bn
from bnsieve.engine import open_engine

pytestmark = pytest.mark.usefixtures("rows_stay_in_files")
SETTINGS = {"random_state": 0, "sample_rows": 300}
N = 800


@pytest.fixture
def folder(tmp_path):
    table = pa.Table.from_pandas(bn.load_network("asia").sample(N, random_state=3))
    (tmp_path / "rows").mkdir()
    for i in range(2):
        pq.write_table(
            table.slice(i * 400, 400), tmp_path / f"rows/{i}.parquet", row_group_size=100
        )
    return tmp_path / "rows"


class Own:
    """One worker."""

    n_workers = 1
    n_parts = 4

    def map(self, function, items, /):
        return list(map(function, items))

    def fold(self, work, items, merge, tell):
        return reduce(merge, [work(item, tell) for item in items])


class LosesOne(Own):
    def fold(self, work, items, merge, tell):
        return super().fold(work, items[1:], merge, tell)


class RepeatsOne(Own):
    def fold(self, work, items, merge, tell):
        return super().fold(work, [*items, items[0]], merge, tell)


class ForgetsToMerge(Own):
    def fold(self, work, items, merge, tell):
        return [work(item, tell) for item in items]


class Moved(Own):
    """Its workers have another working directory."""

    def fold(self, work, items, merge, tell):
        home = Path.cwd()
        os.chdir("/")
        try:
            return super().fold(work, items, merge, tell)
        finally:
            os.chdir(home)


def test_a_class_is_no_engine(folder):
    with pytest.raises(ValueError, match=r"engine must be 'local', .* or an object with n_workers"):
        bn.TsetlinSieve(**SETTINGS, engine=Own).fit(folder)


@pytest.mark.parametrize("name", ["n_workers", "n_parts"])
@pytest.mark.parametrize("value", [0, -1, 1.5, None])
def test_an_engine_has_workers_and_parts(folder, name, value):
    engine = Own()
    setattr(engine, name, value)
    message = rf"^Own.{name} must be a whole number above 0, got {value!r}$"
    with pytest.raises(ValueError, match=message):
        bn.TsetlinSieve(**SETTINGS, engine=engine).fit(folder)


@pytest.mark.parametrize(
    ("engine", "n_rows"),
    [(LosesOne(), N - N // 4), (RepeatsOne(), N + N // 4)],
    ids=["loses", "repeats"],
)
def test_lost_and_repeated_items_are_noticed(folder, engine, n_rows):
    message = rf"{type(engine).__name__}.fold returned the outcomes of {n_rows:,} rows, .* are {N}"
    with pytest.raises(RuntimeError, match=message):
        bn.TsetlinSieve(**SETTINGS, engine=engine).fit(folder)


def test_outcomes_that_are_not_merged_are_noticed(folder):
    message = r"^ForgetsToMerge.fold must return the merged outcomes, not list$"
    with pytest.raises(TypeError, match=message):
        bn.TsetlinSieve(**SETTINGS, engine=ForgetsToMerge()).fit(folder)


@pytest.mark.parametrize("name", ["Dask", "sparc", "ray2"])
def test_an_unknown_name_is_no_address(name):
    message = rf"^there is no engine '{name}': choose one of dask, .*local, ray, .*spark.*, or the"
    with pytest.raises(ValueError, match=message), open_engine(name, 1):
        pass


@pytest.mark.parametrize("address", ["auto", "ray://head:10001", "10.0.0.1:6379", "ray"])
def test_an_address_goes_to_ray(monkeypatch, address):
    connected = pytest.importorskip("bnsieve.engine.ray", reason="Ray has no wheel here")
    asked = []

    def note(name, n_workers):
        asked.append(name)
        raise ConnectionError

    monkeypatch.setattr(connected, "connected", note)
    with pytest.raises(ConnectionError), open_engine(address, 1):
        pass
    assert asked == [address]


def test_workers_find_files_with_relative_paths(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    expected = bn.TsetlinSieve(**SETTINGS).fit("rows")
    learner = bn.TsetlinSieve(**SETTINGS, engine=Moved()).fit("rows")
    assert learner.graph_ == expected.graph_
    assert learner.score_ == expected.score_
