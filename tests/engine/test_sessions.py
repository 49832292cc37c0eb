"""Engines that take the session there is: Spark and Dask, on real clusters of this machine.

Their session of the gate, ``nox -s engines``, installs both; elsewhere they are skipped.
"""

import os
from datetime import datetime
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bnsieve as bn
from bnsieve.engine import open_engine
from bnsieve.rows import open_data

pytestmark = [
    pytest.mark.engines,
    pytest.mark.usefixtures("rows_stay_in_files"),
    # Both warn of their own coming defaults, and leave sockets to the collector.
    pytest.mark.filterwarnings("ignore"),
]
SETTINGS = {"random_state": 0, "sample_rows": 2_000, "n_jobs": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    frame = bn.load_network("asia").sample(8_000, random_state=3)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    for i in range(4):
        pq.write_table(table.slice(i * 2000, 2000), folder / f"{i}.parquet", row_group_size=500)
    return folder


@pytest.fixture(scope="module")
def alone(folder):
    return bn.TsetlinSieve(**SETTINGS).fit(folder)


@pytest.fixture(scope="module")
def dask():
    distributed = pytest.importorskip("distributed", reason="nox -s engines installs Dask")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(params=["spark", "dask"])
def engine(request):
    request.getfixturevalue(request.param)
    return request.param


def test_the_same_as_one_thread_bit_for_bit(engine, folder, alone):
    spread = bn.TsetlinSieve(**SETTINGS, engine=engine).fit(folder)
    assert spread.graph_ == alone.graph_
    assert spread.candidates_ == alone.candidates_
    assert spread.score_ == alone.score_
    assert spread.network_ == alone.network_


def test_an_error_of_a_task_arrives_as_it_is(engine, tmp_path):
    def divide(number, tell):
        (tmp_path / f"{number}-{os.getpid()}").touch()
        return 1 / number

    with open_engine(engine, None) as opened, pytest.raises(ZeroDivisionError, match="division"):
        opened.fold(divide, [1, 0], max, lambda n: None)
    assert len([path for path in tmp_path.iterdir() if path.name.startswith("0-")]) == 1


def test_a_damaged_file_is_named(engine, folder, tmp_path):
    good = (folder / "0.parquet").read_bytes()
    (tmp_path / "0.parquet").write_bytes(good)
    (tmp_path / "1.parquet").write_bytes(good[:2000] + bytes(3000) + good[5000:])
    with pytest.raises(ValueError, match=r"1\.parquet cannot be read as Parquet"):
        bn.TsetlinSieve(**SETTINGS, engine=engine).fit(tmp_path)


def test_a_worker_killed_on_the_way_costs_only_its_work(engine, folder, tmp_path):
    mark = tmp_path / "killed"

    def dies_once(item, tell):
        import os

        try:
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            tell(1)
            return [item]
        os._exit(1)

    told = []
    with open_engine(engine, None) as opened:
        found = opened.fold(dies_once, list(range(6)), lambda a, b: a + b, told.append)
    assert mark.exists()
    assert found == list(range(6))
    assert sum(told) == 6


def test_a_spark_frame_is_read_in_batches(spark, folder):
    learner = bn.TsetlinSieve(random_state=0, n_jobs=1)
    with pytest.warns(UserWarning, match="no certain order"):
        learner.fit(spark.read.parquet(str(folder)))
    assert learner.fit_result_.n_rows == 8_000
    assert learner.graph_ == bn.TsetlinSieve(random_state=0, n_jobs=1).fit(folder).graph_


def test_the_columns_of_a_spark_frame_may_have_any_name(spark):
    frame = spark.range(600).selectExpr("cast(id % 2 as string) as `a.b`", "id % 3 as b", "id as B")
    with open_data(frame) as rows:
        found = pa.Table.from_batches(rows.source.kept).sort_by("B")
    assert found.column_names == ["a.b", "b", "B"]
    assert found["a.b"].to_pylist() == ["0", "1"] * 300
    assert found["b"].to_pylist() == [0, 1, 2] * 200


class PandasOnSpark:
    """As a frame of pyspark.pandas, which no pandas 3 imports."""

    __module__ = "pyspark.pandas.frame"

    def __init__(self, frame):
        self.frame = frame

    def to_spark(self):
        return self.frame


def test_pandas_on_spark_is_read_as_its_frame(spark):
    with open_data(PandasOnSpark(spark.range(5))) as rows:
        assert rows.names == ("id",)
        assert sorted(pa.Table.from_batches(rows.source.kept)["id"].to_pylist()) == [0, 1, 2, 3, 4]


def test_spark_gives_the_clock_time_of_its_session(spark):
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        noon = "timestamp '2024-01-01 12:00:00Z'"
        frame = spark.range(3).selectExpr(
            f"{noon} as at",
            "timestamp_ntz '2024-01-01 12:00:00' as clock",
            "id",
            f"array({noon}) as a",
            f"map('k', {noon}) as m",
            f"struct({noon} as t) as s",
        )
        with open_data(frame) as rows:
            assert rows.names == ("at", "clock", "id", "a", "m", "s")
            found = pa.Table.from_batches(rows.source.kept)
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
    assert found["at"].to_pylist() == [datetime(2024, 1, 1, 21)] * 3  # nine hours ahead of UTC
    assert found["clock"].to_pylist() == [datetime(2024, 1, 1, 12)] * 3


@pytest.mark.skipif(find_spec("distributed") is None, reason="nox -s engines installs Dask")
def test_no_client_says_so(monkeypatch):
    def none():
        raise ValueError("No global client found and no address provided")

    monkeypatch.setattr("bnsieve.engine.dask.get_client", none)
    with pytest.raises(RuntimeError, match="Client"), open_engine("dask", None):
        pass


def test_an_engine_of_another_package_is_opened_by_its_name(monkeypatch, folder, alone):
    from contextlib import contextmanager
    from types import SimpleNamespace

    from bnsieve.engine import choice
    from bnsieve.engine.local import Threads

    @contextmanager
    def theirs(n_jobs):
        yield Threads(3, map)

    found = [SimpleNamespace(load=lambda: theirs)]
    monkeypatch.setattr(
        choice, "entry_points", lambda group, name: found if name == "their-grid" else []
    )
    spread = bn.TsetlinSieve(**SETTINGS, engine="their-grid").fit(folder)
    assert spread.graph_ == alone.graph_
    assert spread.score_ == alone.score_


class Reversed:
    """An engine of one's own: one worker, which takes the items from the last to the first."""

    n_workers = 1
    n_parts = 5

    def map(self, function, items, /):
        return [function(item) for item in list(items)[::-1]][::-1]

    def fold(self, work, items, merge, tell):
        outcomes = [work(item, tell) for item in items[::-1]]
        found = outcomes.pop()
        while outcomes:
            found = merge(found, outcomes.pop())
        return found


def test_an_engine_of_ones_own(folder, alone):
    spread = bn.TsetlinSieve(**SETTINGS, engine=Reversed()).fit(folder)
    assert spread.graph_ == alone.graph_
    assert spread.score_ == alone.score_
    assert np.isfinite(spread.score_)


def test_what_is_no_engine_is_refused(folder):
    for given in ("", 3, object()):
        with pytest.raises(ValueError, match="engine must be 'local', 'ray', 'spark', 'dask'"):
            bn.TsetlinSieve(engine=given).fit(pd.DataFrame({"a": ["x"], "b": ["y"]}))
