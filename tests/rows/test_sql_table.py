"""Rows that stay in a database: only counts leave DuckDB, PostgreSQL and Spark.

``nox -s engines`` installs all three; elsewhere these tests are skipped.
"""

import hashlib
import logging
import os
import signal
import subprocess
import sys
import time
import traceback
from contextlib import ExitStack
from threading import Thread, Timer

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bnsieve as bn
from bnsieve.counts import TableRows, placed
from bnsieve.learners import load
from bnsieve.rows import Sampling, SqlTable, count_in_database
from bnsieve.rows.sql import sql_table
from bnsieve.rows.sql.duckdb import DuckDb
from bnsieve.table import Table

pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings("ignore::ResourceWarning")]
N = 4_000
SETTINGS = {"random_state": 0, "n_jobs": 1}
PLANTED, PASSWORD = "Zaphod-planted-cell", "planted-password"
SLOW = (
    "select cast(a.i % 3 as char(1)) as x, cast(b.i % 2 as char(1)) as y "
    "from {series} as a(i), {series} as b(i)"
)
# Quotes, dots, blanks, line ends, words of SQL, other scripts, and names that collide by case or
# in the 63 bytes that PostgreSQL keeps.
HOSTILE = [
    'quote"d',
    "it's",
    "a.b",
    " leading",
    "trailing ",
    "line\nend",
    "tab\tbed",
    "semi;colon",
    "--comment",
    "/* open",
    "select",
    "c0",
    "back\\slash",
    "per%cent %s",
    "{brace}",
    "Größe",
    "変数",
    "\U0001f9ea",
]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Duck:
    """DuckDB in memory."""

    slow = SLOW.format(series="generate_series(1, 300000)")
    takes_case_for_the_same = True

    def __init__(self):
        self.connection = pytest.importorskip("duckdb", reason="nox -s engines has it").connect()

    def store(self, frame, name="t"):
        data = pa.Table.from_pandas(frame, preserve_index=False)
        columns = [f"c{i}" for i in range(len(data.column_names))]
        self.connection.register("given", data.rename_columns(columns))
        renamed = ", ".join(f"{c} as {quoted(str(n))}" for c, n in zip(columns, frame, strict=True))
        self.connection.execute(f"create or replace table {name} as select {renamed} from given")
        self.connection.unregister("given")

    def reader(self):
        return self.connection

    def n_active(self):
        return 0  # `interrupt` is checked by the next statement


class Postgres:
    """A private PostgreSQL, through psycopg or ADBC; the reader may SELECT and nothing else."""

    slow = SLOW.format(series="generate_series(1, 300000)")
    takes_case_for_the_same = False

    def __init__(self, folder, driver):
        dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi", reason="nox -s engines")
        self.uri = f"postgresql:///postgres?host={folder}"
        self.owner = dbapi.connect(f"{self.uri}&user=tester", autocommit=True)
        with self.owner.cursor() as cursor:
            cursor.execute(
                "do $$ begin create role reader login; exception when others then null; end $$"
            )
            cursor.execute("revoke all on schema public from public")
            cursor.execute("grant usage on schema public to reader")
            cursor.execute("revoke temporary on database postgres from public")
        uri = f"{self.uri}&user=reader"
        if driver == "adbc":
            self.connection = dbapi.connect(uri)
        else:
            psycopg = pytest.importorskip("psycopg", reason="nox -s engines has psycopg")
            self.connection = psycopg.connect(uri, autocommit=True)

    def store(self, frame, name="t"):
        data = pa.Table.from_pandas(frame, preserve_index=False)
        columns = [f"c{i}" for i in range(len(data.column_names))]
        with self.owner.cursor() as cursor:
            cursor.execute(f"drop table if exists {name}")
            cursor.adbc_ingest(name, data.rename_columns(columns))
            for column, own in zip(columns, frame, strict=True):
                if column != own:
                    cursor.execute(f"alter table {name} rename {column} to {quoted(str(own))}")
            cursor.execute(f"grant select on {name} to reader")

    def reader(self):
        return self.connection

    def n_active(self):
        with self.owner.cursor() as cursor:
            cursor.execute(
                "select count(*) from pg_stat_activity where usename = 'reader' "
                "and state = 'active'"
            )
            return cursor.fetchone()[0]

    def close(self):
        self.connection.close()
        self.owner.close()


class Spark:
    """A Spark session, which reads temporary views."""

    slow = SLOW.format(series="range(300000)")
    takes_case_for_the_same = False

    def __init__(self, session):
        self.session = session

    def store(self, frame, name="t"):
        data = pa.Table.from_pandas(frame, preserve_index=False)
        plain = data.rename_columns([f"c{i}" for i in range(data.num_columns)])
        rows = self.session.createDataFrame(plain).toDF(*map(str, frame))
        rows.createOrReplaceTempView(name)

    def reader(self):
        return self.session

    def n_active(self):
        return len(self.session.sparkContext.statusTracker().getActiveJobsIds())


@pytest.fixture(params=["duckdb", "psycopg", "adbc", "spark"])
def database(request):
    if request.param == "spark":
        yield Spark(request.getfixturevalue("spark"))
        return
    if request.param == "duckdb":
        duck = Duck()
        yield duck
        duck.connection.close()
        return
    postgres = Postgres(request.getfixturevalue("postgres"), request.param)
    yield postgres
    postgres.close()


@pytest.fixture(scope="module")
def frame():
    frame = bn.load_network("asia").sample(N, random_state=3).astype(str)
    frame.insert(0, "id", np.arange(N))
    return frame


def table_of(database, query="select * from t", **options):
    return SqlTable(database.reader(), query, **options)


def source_of(table, seed=0, stack=None):
    return count_in_database(table, Sampling(memory=2**30, seed=seed), stack or ExitStack())


def expected_counts(frame, families):
    table = TableRows(Table.from_data(frame))
    return table.joint_counts(families)


def test_counts_are_those_of_the_frame_cell_for_cell(database):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "text": rng.choice(["a", "it's", 'b"', "%s", "  x", "", "  ", "\t"], 500),
            "whole": rng.integers(-2, 5, 500),
            "flag": rng.random(500) < 0.3,
            "rare": rng.choice(["u", None], 500),
        }
    )
    database.store(frame)
    source = source_of(table_of(database))
    known = frame.assign(text=frame["text"].where(frame["text"].str.strip() != ""))
    families = [["text"], ["whole", "text"], ["rare", "flag", "text", "whole"], ["flag"]]
    assert source.joint_counts(families) == expected_counts(known, families)
    assert source.categories == TableRows(Table.from_data(known)).categories
    pairs = [[a, b] for a in frame for b in frame if a < b]
    many = [*pairs, *(pair[::-1] for pair in pairs)]
    assert source.joint_counts(many) == expected_counts(known, many)


CELLS = st.sampled_from(["a", "b", "'", '"', "\\", "--", "a\nb", "ä", "", " ", None])


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(CELLS, CELLS, st.sampled_from([1, 2, None])), min_size=1, max_size=40))
def test_any_cells_are_counted_as_in_a_frame(rows):
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    frame["a"], frame["b"] = frame["a"].astype(object), frame["b"].astype(object)
    frame["c"] = frame["c"].astype("Int64")
    known = frame.replace({"a": {"": None, " ": None}, "b": {"": None, " ": None}})
    if known.isna().all().any():
        return
    duck = Duck()
    text = pa.schema([("a", pa.string()), ("b", pa.string()), ("c", pa.int64())])
    data = pa.Table.from_pandas(frame, schema=text, preserve_index=False)
    duck.connection.register("t", data)
    source = source_of(table_of(duck))
    families = [["a", "b", "c"], ["c", "a"], ["b"]]
    assert source.joint_counts(families) == expected_counts(known, families)
    duck.connection.close()


def md5_rank(seed, key):
    return hashlib.md5(f"{seed}:{key}".encode(), usedforsecurity=False).hexdigest()


def test_the_sample_is_the_rows_of_lowest_md5(database, frame):
    database.store(frame)
    source = source_of(table_of(database, key="id", sample=300), seed=7)
    order = sorted(range(N), key=lambda row: md5_rank(7, row))[:300]
    expected = frame.drop(columns="id").iloc[order].reset_index(drop=True)
    found = source.sample().to_frame().astype(str)
    assert found.equals(expected.astype(str)[list(found)])
    assert "id" not in source.categories


class Drawn(TableRows):
    """All rows, and a sample of them that is given."""

    def __new__(cls, table, drawn):
        made = object.__new__(cls)
        object.__setattr__(made, "drawn", drawn)
        return made

    def __init__(self, table, drawn):
        super().__init__(table)

    def sample(self):
        return self.drawn

    def larger_sample(self, names):
        return self.drawn.select(names)


def test_the_graph_is_that_of_the_frame_with_the_same_sample(database, frame):
    database.store(frame)
    table = Table.from_data(frame.drop(columns="id"))
    order = sorted(range(N), key=lambda row: md5_rank(0, row))[:1_000]
    expected = bn.TsetlinSieve(**SETTINGS).fit(Drawn(table, table.take(order)))
    learner = bn.TsetlinSieve(**SETTINGS).fit(table_of(database, key="id", sample=1_000))
    assert learner.graph_ == expected.graph_
    assert learner.score_ == expected.score_
    assert learner.candidates_ == expected.candidates_
    assert learner.network_ == bn.fit_parameters(learner.dag_, frame.drop(columns="id"))


def test_without_a_sample_the_graph_is_that_of_the_frame(database, frame):
    database.store(frame)
    learner = bn.TsetlinSieve(**SETTINGS).fit(table_of(database, key="id"))
    candidates = learner.candidates_
    rows = frame.drop(columns="id")
    expected = bn.TsetlinSieve(**SETTINGS, candidates=candidates).fit(rows)
    assert learner.graph_ == expected.graph_
    assert learner.score_ == pytest.approx(expected.score_, abs=1e-6)
    assert learner.fit_result_.table is None
    assert learner.fit_result_.counted is None


def test_only_aggregates_leave_and_a_learner_without_rows_says_so(database, frame, tmp_path):
    database.store(frame)
    table = table_of(database, key="id")
    learner = bn.TsetlinSieve(**SETTINGS).fit(table)
    assert len(table.log) > 10
    for statement in table.log[2:]:  # the first two say names and types
        assert "count(*)" in statement.sql or "bnsieve_codes" in statement.sql
        assert statement.n_rows < N / 10
    assert "id" not in learner.graph_.nodes
    with pytest.raises(ValueError, match="has no rows, because it was learned from counts alone"):
        learner.explain("smoke", "lung")
    answer = learner.query("lung", given={"smoke": "yes"})
    learner.save(tmp_path / "learner.bns")
    assert load(tmp_path / "learner.bns").graph_ == learner.graph_
    assert answer is not None


def test_a_sample_of_all_rows_is_a_fit_of_the_frame(database, frame):
    few = frame.head(600)
    database.store(few)
    learner = bn.TsetlinSieve(**SETTINGS).fit(table_of(database, key="id", sample=1_000))
    assert learner.graph_ == bn.TsetlinSieve(**SETTINGS).fit(few.drop(columns="id")).graph_


def test_hostile_names(database):
    rng = np.random.default_rng(1)
    long = "x" * 62
    names = [*HOSTILE, "Case", "case", long + "1", long + "2"]
    if database.takes_case_for_the_same:
        names.remove("case")
    base = rng.integers(0, 2, 800)
    frame = pd.DataFrame(
        {name: np.where(rng.random(800) < 0.7, base, 1 - base) for name in names}
    ).astype(str)
    database.store(frame)
    source = source_of(table_of(database))
    assert list(source.categories) == names
    families = [names[:3], names[-2:], [names[11], names[0]]]
    assert source.joint_counts(families) == expected_counts(frame, families)
    if database.takes_case_for_the_same:
        case = source_of(table_of(database, 'select "Case", "it\'s" as "case" from t'))
        assert list(case.categories) == ["Case", "case"]


def test_names_that_collide_are_refused(database):
    database.store(pd.DataFrame({"a": ["x", "y"], "b": ["u", "v"]}))
    with pytest.raises(ValueError, match="two columns are named 'a'"):
        table_of(database, "select a, b as a from t").columns()
    if isinstance(database, Postgres):
        long = "y" * 63
        with pytest.raises(ValueError, match="two columns are named 'yyy"):
            table_of(database, f'select a as "{long}1", b as "{long}2" from t').columns()


@pytest.mark.filterwarnings("ignore:.*is left out:UserWarning")
def test_numbers_are_binned_and_identifiers_left_out(database, monkeypatch):
    rng = np.random.default_rng(2)
    x = rng.normal(50, 10, 2_000)
    x[:20] = np.repeat([np.nan, np.inf, -np.inf, np.nan], 5)
    frame = pd.DataFrame(
        {
            "x": x,
            "n": rng.integers(0, 300, 2_000),
            "name": [f"person {i}" for i in range(2_000)],
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 9, 2_000), "D"),
            "kind": np.where(x > 50, "high", "low"),
        }
    )
    database.store(frame)
    table = table_of(database)
    seen = rows_seen(table, monkeypatch)
    with pytest.warns(UserWarning, match=r"name is left out: .* day is left out: its type is"):
        source = source_of(table)
    assert set(source.categories) == {"x", "n", "kind"}
    edges = source.columns["x"].bin_edges
    assert np.quantile(x[20:], [0.2, 0.4, 0.6, 0.8]) == pytest.approx(edges, abs=0.5)
    assert not set(edges) & set(x)
    codes = np.searchsorted(edges, x[20:], side="right")
    (joint,) = source.joint_counts([["x"]])
    assert joint.counts.tolist() == [*np.bincount(codes), 20]
    assert not any("person" in one.sql for one in table.log)
    assert not any("person" in str(one.to_pydict()) for one in seen)


def rows_seen(table, monkeypatch):
    """Collect every answer of the database."""
    seen, ask = [], SqlTable.ask

    def noted(self, database, sql):
        seen.append(ask(self, database, sql))
        return seen[-1]

    monkeypatch.setattr(SqlTable, "ask", noted)
    return seen


def test_small_groups_never_leave(database, frame, monkeypatch):
    database.store(frame)
    table = table_of(database, key="id", min_count=10)
    seen = rows_seen(table, monkeypatch)
    learner = bn.TsetlinSieve(**SETTINGS).fit(table)
    grouped = [one for one in seen if "n" in one.column_names]
    assert len(grouped) > 10
    assert min(min(one["n"].to_pylist()) for one in grouped if one.num_rows) >= 10
    assert learner.graph_.n_edges > 0
    # Families are shortened, so that few rows are estimated; those of the others are not lost.
    source = source_of(table_of(database, key="id", min_count=10))
    names = list(frame.columns[1:])
    (joint,) = source.joint_counts([names], trim=True)
    kept = [names[v] for v in joint.variables]
    assert 1 < len(kept) < len(names)
    counts = frame[kept].value_counts()
    assert counts[counts < 10].sum() <= 1e-2 * N
    assert joint.total == N
    (whole,) = source.joint_counts([names])
    assert (len(whole.variables), whole.total) == (len(names), N)


def test_groups_that_may_leave_are_exact_and_the_others_are_estimated(database, frame):
    database.store(frame)
    exact = source_of(table_of(database))
    source = source_of(table_of(database, min_count=10))
    families = [["lung", "smoke", "xray"], ["tub", "asia"], *([a, b] for a in frame for b in frame)]
    families = [one for one in families if "id" not in one and len(set(one)) == len(one)]
    tables = zip(source.joint_counts(families), exact.joint_counts(families), strict=True)
    for found, true in tables:
        counts = dict(zip(map(tuple, true.configurations.T), true.counts, strict=True))
        mine = dict(zip(map(tuple, found.configurations.T), found.counts, strict=True))
        assert found.total == N
        assert all(mine[cell] == n for cell, n in counts.items() if n >= 10)


def tables_of(duck):
    return duck.connection.execute("select table_name from duckdb_tables()").fetchall()


@pytest.mark.parametrize("least", [0, 10])
def test_counts_of_codes_are_those_of_the_rows_cell_for_cell(frame, least, monkeypatch):
    duck = Duck()
    rng = np.random.default_rng(0)
    many = pd.concat([frame] * 10, ignore_index=True).assign(
        text=rng.choice(["", "  ", "it's", "b"], 10 * N),
        whole=rng.integers(0, 300, 10 * N),
        flag=rng.random(10 * N) < 0.3,
    )
    many.loc[[7, 70], "text"] = "rare"  # with `least`, it may not leave
    duck.store(many.drop(columns="id"))
    with ExitStack() as stack:
        coded = source_of(table_of(duck, min_count=least), stack=stack)
        monkeypatch.setattr(DuckDb, "makes_codes", False)
        plain = source_of(table_of(duck, min_count=least), stack=stack)
        assert coded.codes is not None
        assert plain.codes is None
        assert coded.categories == plain.categories
        assert ("rare" in coded.categories["text"]) == (least == 0)
        names = list(coded.categories)
        families = [names[:3], names[-3:], [names[-2], names[0], names[-1]]]
        families += [[a, b] for a in names for b in names if a != b]
        assert coded.joint_counts(families) == plain.joint_counts(families)
        assert coded.joint_counts([names], trim=True) == plain.joint_counts([names], trim=True)
    assert tables_of(duck) == [("t",)]
    # Afterwards the rows themselves are counted.
    assert coded.joint_counts([names[:4]]) == plain.joint_counts([names[:4]])
    duck.connection.close()


@pytest.mark.parametrize("refused", ["create temp table", "insert into", "array_position"])
def test_without_a_temporary_table_the_rows_are_counted(frame, refused, monkeypatch):
    duck = Duck()
    duck.store(frame)
    run = DuckDb.run

    def refuse(self, sql):
        if refused in sql:
            raise PermissionError
        return run(self, sql)

    monkeypatch.setattr(DuckDb, "run", refuse)
    with ExitStack() as stack:
        source = source_of(table_of(duck, key="id"), stack=stack)
        families = [["lung", "smoke", "xray"], ["tub"]]
        assert source.joint_counts(families) == expected_counts(frame, families)
    assert tables_of(duck) == [("t",)]
    duck.connection.close()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sample": 10}, "name a column that differs in every row"),
        ({"key": "id", "sample": 10, "min_count": 5}, "leave one of them out"),
        ({"min_count": -1}, "min_count must be a number of rows"),
    ],
)
def test_options_that_contradict_are_refused(options, said):
    with pytest.raises(ValueError, match=said):
        SqlTable(object(), "select 1", **options)


def test_a_key_that_is_none_is_refused(database, frame):
    database.store(frame.assign(gap=frame["id"].where(frame["id"] > 3)))
    for key, said in {"smoke": "in several rows", "gap": "is missing in 4 rows"}.items():
        with pytest.raises(ValueError, match=said):
            source_of(table_of(database, key=key, sample=10))
    with pytest.raises(ValueError, match="has no column 'idd'"):
        table_of(database, key="idd").columns()
    with pytest.raises(ValueError, match="name the key as SqlTable"):
        bn.TsetlinSieve(key="id").fit(table_of(database))


def test_no_password_and_no_cell_is_repeated(database, frame, caplog, capsys):
    # A cast that fails: the database's own message quotes the cell.
    secret = frame.assign(x=frame["smoke"])
    secret.loc[5, "x"] = PLANTED
    database.store(secret)
    caplog.set_level(logging.DEBUG)
    table = table_of(database, "select tub, lung, cast(x as integer) as x from t")
    with pytest.raises(RuntimeError, match="refused statement") as caught:
        source_of(table)
    said = "".join(traceback.format_exception(caught.value)) + repr(table) + caplog.text
    said += "".join(statement.sql for statement in table.log) + "".join(capsys.readouterr())
    assert PLANTED not in said
    with pytest.raises(ValueError, match="no address with a password") as caught:
        table_of(database, f"select * from dblink('password={PASSWORD}', 'select 1')")
    assert PASSWORD not in "".join(traceback.format_exception(caught.value))
    if isinstance(database, Postgres) and hasattr(database.connection, "rollback"):
        database.connection.rollback()
    planted = frame.assign(smoke=frame["smoke"].replace("yes", PLANTED))
    database.store(planted)
    table = table_of(database, key="id")
    learner = bn.TsetlinSieve(**SETTINGS).fit(table)
    assert PLANTED in learner.network_.states["smoke"]
    said = repr(table) + caplog.text + "".join(statement.sql for statement in table.log)
    assert PLANTED not in said + "".join(capsys.readouterr())


def test_an_interrupt_stops_the_statement_in_the_database(database):
    table = table_of(database, database.slow)
    pressed = []

    def press():
        pressed.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)

    Timer(1.0, press).start()
    with pytest.raises(KeyboardInterrupt):
        source_of(table)
    while database.n_active():
        assert time.monotonic() - pressed[0] < 3
        time.sleep(0.05)
    assert time.monotonic() - pressed[0] < 3
    if isinstance(database, Duck):
        assert database.connection.execute("select 1").fetchone() == (1,)


def test_an_interrupt_as_the_statement_begins_stops_it_too(monkeypatch):
    duck = Duck()
    table = table_of(duck, duck.slow)
    database = table.database()

    class Interrupted(Thread):
        def start(self):
            super().start()
            raise KeyboardInterrupt

    monkeypatch.setattr(sql_table, "Thread", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        table.ask(database, f"select count(*) from ({duck.slow})")
    assert duck.connection.execute("select 1").fetchone() == (1,)
    duck.connection.close()


@pytest.mark.parametrize("query", ["select 1 as a; drop table t", "drop table t"])
def test_other_statements_are_never_run(database, frame, query):
    database.store(frame)
    with pytest.raises(
        (ValueError, RuntimeError), match=r"single query|a query|refused statement 1"
    ):
        table_of(database, query).dry_run()
    if isinstance(database, Postgres):
        getattr(database.connection, "rollback", lambda: None)()
    assert source_of(table_of(database, "select lung from t")).n_rows == N


def test_spellings_that_a_collation_equates_are_counted_apart(database):
    rows = pd.DataFrame({"x": ["A", "a", "b"] * 300, "y": ["u", "v", "w"] * 300})
    database.store(rows)
    if isinstance(database, Postgres):
        with database.owner.cursor() as cursor:
            cursor.execute(
                "create collation if not exists no_case "
                "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
            )
        query = "select x collate no_case as x, y from t"
    elif isinstance(database, Duck):
        database.connection.execute(
            "create table n as select x::varchar collate nocase as x, y from t"
        )
        query = "select x, y from n"
    else:
        query = "select x collate UTF8_LCASE as x, y from t"
    source = source_of(table_of(database, query))
    assert source.categories["x"] == ("A", "a", "b")
    assert source.joint_counts([["x", "y"]]) == expected_counts(rows, [["x", "y"]])


@pytest.mark.filterwarnings("ignore:.*is left out:UserWarning")
def test_a_type_of_the_users_is_not_taken_for_another_by_its_name(postgres):
    database = Postgres(postgres, "psycopg")
    with database.owner.cursor() as cursor:
        cursor.execute("drop type if exists bool3, real_estate")
        cursor.execute("create type bool3 as enum ('yes', 'no', 'unknown')")
        cursor.execute("create type real_estate as enum ('house', 'flat')")
        cursor.execute("grant usage on schema public to reader")
    query = (
        "select (i % 2)::text as a, (array['yes','no','unknown'])[1 + i % 3]::{} as b "
        "from generate_series(0, 599) as i"
    )
    with pytest.warns(UserWarning, match="b is left out: its type is .*bool3"):
        assert set(source_of(table_of(database, query.format("bool3"))).categories) == {"a"}
    house = "select 'house'::real_estate as b, (i % 2)::text as a from generate_series(0, 599) as i"
    with pytest.warns(UserWarning, match="b is left out: its type is .*real_estate"):
        source_of(table_of(database, house))
    database.close()


def test_psycopg_may_give_rows_as_dictionaries(postgres, frame):
    database = Postgres(postgres, "psycopg")
    from psycopg.rows import dict_row, scalar_row

    database.store(frame)
    for factory in (dict_row, scalar_row):
        database.connection.row_factory = factory
        source = source_of(table_of(database))
        assert source.joint_counts([["lung", "smoke"]]) == expected_counts(
            frame, [["lung", "smoke"]]
        )
    database.close()


def test_numbers_as_large_as_they_get(database):
    x = np.where(np.arange(600) < 300, -1.7e308, 1.7e308) + np.arange(600) * 1e300
    database.store(pd.DataFrame({"x": x, "y": ["u", "v"] * 300}))
    source = source_of(table_of(database))
    assert source.joint_counts([["x"]])[0].total == 600


def test_a_query_that_draws_rows_by_chance_is_told(database):
    chance = "rand()" if isinstance(database, Spark) else "random()"
    database.store(pd.DataFrame({"x": ["u", "v"] * 300, "y": ["u", "v"] * 300}))
    query = f"select * from t where {chance} < 0.5"
    with pytest.raises(ValueError, match="if the query draws rows by chance"):
        for _ in range(5):  # it may give as many rows twice by chance
            source_of(table_of(database, query)).joint_counts([["x", "y"]])


def test_other_texts_of_a_query(frame):
    duck = Duck()
    duck.store(frame.rename(columns={"lung": "token"}))
    for query in (
        "-- the rows\nselect * from t where token = 'yes'; ;\n",
        "(select smoke, token from t) union all select smoke, token from t",
    ):
        assert "smoke" in source_of(table_of(duck, query)).categories
    assert table_of(duck, key="id", sample=np.int64(3)).sample == 3
    with pytest.raises(ValueError, match="min_count must be a number of rows; got None"):
        table_of(duck, min_count=None)
    duck.connection.close()


ON_SPARK_CONNECT = """
import os, sys
from threading import Thread, Timer
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession
import bnsieve as bn
from bnsieve.rows import SqlTable
session = SparkSession.builder.remote("local[2]").getOrCreate()
session.read.parquet(sys.argv[1]).createOrReplaceTempView("t")
learner = bn.TsetlinSieve(random_state=0, n_jobs=1)
table = SqlTable(session, "select * from t", key="id", sample=1_000)
print(learner.fit(table).graph_.edges, learner.score_)
Timer(2, os.kill, (os.getpid(), 2)).start()
try:
    learner.fit(SqlTable(session, sys.argv[2]))
except KeyboardInterrupt:
    print("stopped")
session.stop()
"""


def test_spark_connect_counts_and_stops(spark, frame, tmp_path):
    pytest.importorskip("grpc", reason="nox -s engines installs pyspark[connect]")
    frame.to_parquet(tmp_path / "rows.parquet")
    rows, slow = tmp_path / "rows.parquet", Spark(spark).slow
    given = [sys.executable, "-c", ON_SPARK_CONNECT, rows, slow]
    # It starts a server of its own, which must not be told of the session of this process.
    env = {name: value for name, value in os.environ.items() if "SPARK" not in name}
    done = subprocess.run(given, capture_output=True, text=True, timeout=300, env=env, check=True)
    found, stopped = done.stdout.splitlines()[-2:]
    spark.read.parquet(str(rows)).createOrReplaceTempView("t")
    table = SqlTable(spark, "select * from t", key="id", sample=1_000)
    learner = bn.TsetlinSieve(**SETTINGS).fit(table)
    assert found == f"{learner.graph_.edges} {learner.score_}"
    assert stopped == "stopped"


def test_a_pyspark_without_arrow_is_refused(spark, monkeypatch):
    from pyspark.sql import DataFrame

    monkeypatch.delattr(DataFrame, "toArrow")
    with pytest.raises(TypeError, match="needs PySpark 4 or newer"):
        SqlTable(spark, "select 1 as a").columns()


def test_a_dry_run_reads_no_row(database, frame, monkeypatch):
    database.store(frame)
    table = table_of(database, key="id", sample=100)
    seen = rows_seen(table, monkeypatch)
    listed = table.dry_run()
    assert not any("yes" in str(one.to_pydict()) for one in seen)
    assert len(seen) == 2
    source_of(table)
    run = {statement.sql for statement in table.log}
    assert len(run & set(listed)) >= 2  # others depend on how many rows there are


def test_other_connections_are_refused():
    class OfDuckDb:
        def adbc_get_info(self):
            return {"vendor_name": "duckdb"}

    for other in (object(), OfDuckDb()):
        with pytest.raises(TypeError, match="takes an open connection of duckdb, psycopg"):
            SqlTable(other, "select 1").database()

    class Own(pytest.importorskip("psycopg").Connection):
        pass

    assert SqlTable(object.__new__(Own), "select 1").database().name == "PostgreSQL"
    with pytest.raises(ValueError, match="takes a query"):
        SqlTable(object(), "drop table t")


def test_places_are_numbered(database, frame):
    database.store(frame)
    source = source_of(table_of(database))
    joints = source.joint_counts([["lung", "smoke"]])
    assert placed(joints) == joints
