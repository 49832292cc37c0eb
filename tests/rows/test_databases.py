"""Rows of real databases: PostgreSQL through ADBC, DuckDB, Spark, Delta tables.

``nox -s engines`` installs them; elsewhere these tests are skipped. PostgreSQL runs as a private
cluster, see `conftest.py`.
"""

import time
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import bnsieve as bn
from bnsieve.engine.local import Threads
from bnsieve.rows import data, open_data
from bnsieve.table import LIMITS

pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings("ignore")]
ONE = Threads(1, map)
N = 6_000
SETTINGS = {"random_state": 0, "sample_rows": 1_500, "n_jobs": 1, "key": "id"}


@pytest.fixture(scope="module")
def table():
    frame = bn.load_network("asia").sample(N, random_state=3).astype(str)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    table = pa.table({name: table[name].cast(pa.string()) for name in table.column_names})
    return table.append_column("id", pa.array(np.arange(N)))


@pytest.fixture(scope="module")
def path(table, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    pq.write_table(table, path, row_group_size=1_000)
    return path


@pytest.fixture
def cursor(postgres):
    dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi", reason="nox -s engines has ADBC")
    uri = f"postgresql:///postgres?host={postgres}&user=tester"
    with dbapi.connect(uri) as connection, connection.cursor() as cursor:
        yield cursor


@pytest.fixture
def stored(cursor, table):
    cursor.execute("drop table if exists rows")
    cursor.adbc_ingest("rows", table)
    # Rows that were updated lie elsewhere: a scan no longer gives them in the order of the key.
    cursor.execute("update rows set asia = asia where id % 7 = 0")
    return cursor


def test_a_key_gives_one_result_from_every_source(path, stored, spark, monkeypatch):
    monkeypatch.setattr(LIMITS, "in_memory", 0)
    expected = bn.TsetlinSieve(**SETTINGS).fit(path)
    given = []
    for _ in range(10):
        stored.execute("select * from rows")
        given.append(bn.TsetlinSieve(**SETTINGS).fit(stored))
    duckdb = pytest.importorskip("duckdb")
    shuffled = duckdb.sql(f"select * from '{path}' order by md5(id::text)")
    given.append(bn.TsetlinSieve(**SETTINGS).fit(shuffled))
    shuffled = spark.read.parquet(str(path)).selectExpr("*").orderBy("lung", "smoke", "xray")
    given.append(bn.TsetlinSieve(**SETTINGS).fit(shuffled))
    for learner in given:
        assert learner.graph_ == expected.graph_
        assert learner.score_ == expected.score_
        assert learner.candidates_ == expected.candidates_
        assert learner.fit_result_.counted.found.counts is not None


def test_without_a_key_postgresql_is_warned_of(stored):
    stored.execute("select asia, tub, smoke, lung from rows")
    with pytest.warns(UserWarning, match="in no certain order"):
        bn.TsetlinSieve(random_state=0).fit(stored)


def test_types_of_postgresql_are_prepared_or_named(cursor):
    cursor.execute(
        "select (i * 1.25)::numeric(12, 2) as paid, interval '1 day' * i as waited,"
        " array[i] as many, timestamptz '2024-01-01 00:00Z' + interval '1 hour' * i as at"
        " from generate_series(0, 399) i"
    )
    with open_data(cursor) as rows:
        kinds = dict(zip(rows.names, rows.source.kinds, strict=True))
        frame = rows.to_frame()
    assert kinds["paid"] == kinds["waited"] == "number"
    assert kinds["at"] == "date"
    assert kinds["many"].startswith("list<")
    assert frame["paid"].tolist() == [i * 1.25 for i in range(400)]
    assert frame["waited"].tolist() == [i * 86_400.0 for i in range(400)]


def test_a_rollback_after_an_interrupted_fit_reads_no_more_rows(cursor, monkeypatch):
    def stop(*said):
        raise KeyboardInterrupt

    monkeypatch.setattr(data, "announce", stop)
    cursor.execute("set statement_timeout = '20s'")  # a query that goes on ends here
    many = "generate_series(1, 100000)"
    cursor.execute(f"select a % 2 as a, b % 3 as b from {many} a, {many} b")
    with pytest.raises(KeyboardInterrupt):
        bn.TsetlinSieve(random_state=0).fit(cursor)
    start = time.monotonic()
    cursor.close()
    cursor.connection.rollback()  # first reads what is left of a query that still runs
    assert time.monotonic() - start < 10


def test_a_cursor_of_psycopg_is_refused_with_the_way_out(postgres):
    psycopg = pytest.importorskip("psycopg", reason="nox -s engines has psycopg")
    with (
        psycopg.connect(f"postgresql:///postgres?host={postgres}&user=tester") as connection,
        pytest.raises(TypeError, match=r"cursor of psycopg .* ADBC driver"),
    ):
        bn.TsetlinSieve(random_state=0).fit(connection.execute("select 1 as a, 2 as b"))


def test_a_key_of_duckdb_beyond_the_floats_is_exact():
    duckdb = pytest.importorskip("duckdb")
    query = "select i % 2 as a, i % 3 as b, {} + i as k from range(600) t(i)"
    with duckdb.connect() as connection:
        for large in ("9007199254740993::decimal(38, 0)", "9007199254740993::hugeint"):
            learner = bn.TsetlinSieve(random_state=0, n_jobs=1, key="k")
            learner.fit(connection.sql(query.format(large)))
            assert set(learner.graph_.nodes) == {"a", "b"}


def test_a_duckdb_relation_is_read_as_its_file_is(path, table):
    duckdb = pytest.importorskip("duckdb")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with open_data(duckdb.sql(f"select * from '{path}'")) as rows:
            assert rows.source.kept
            assert rows.table(None, ONE).n_rows == N
            batches = rows.source.kept
    joined = pa.Table.from_batches(batches)
    for name in table.column_names:
        assert pc.all(pc.equal(joined[name].cast(table[name].type), table[name])).as_py()


def test_a_delta_table_is_read_through_its_dataset(path, table, tmp_path):
    deltalake = pytest.importorskip("deltalake")
    deltalake.write_deltalake(tmp_path / "delta", table)
    dataset = deltalake.DeltaTable(tmp_path / "delta").to_pyarrow_dataset()
    with open_data(dataset) as rows:
        assert rows.n_rows == N
        assert set(rows.names) == set(table.column_names)
    with pytest.raises(ValueError, match="holds a Delta table"), open_data(tmp_path / "delta"):
        pass
