"""`bnsieve learn --duckdb FILE --sql QUERY`."""

import json

import pytest
from typer.testing import CliRunner

import bnsieve as bn
from bnsieve.cli.app import app


@pytest.fixture
def file(tmp_path):
    duckdb = pytest.importorskip("duckdb", reason="nox -s engines installs duckdb")
    frame = bn.load_network("asia").sample(2_000, random_state=0).astype(str)
    frame.to_parquet(tmp_path / "rows.parquet", index=False)
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.execute(f"create table orders as from '{tmp_path / 'rows.parquet'}'")
    return tmp_path / "shop.duckdb"


def learn(*words):
    return CliRunner().invoke(app, ["learn", *map(str, words), "--quiet"])


@pytest.mark.engines
def test_a_query_is_learned_from_as_its_rows_are(file, tmp_path):
    done = learn("--duckdb", file, "--sql", "select * from orders", "-o", tmp_path / "query")
    assert done.exit_code == 0, done.output
    assert learn(tmp_path / "rows.parquet", "-o", tmp_path / "file").exit_code == 0
    query, plain = (bn.read(tmp_path / name / "graph.json") for name in ("query", "file"))
    assert query == plain
    command = json.loads((tmp_path / "query" / "run.json").read_text())["command"]
    assert command.startswith(f"bnsieve learn --duckdb {file} ")
    assert "--sql 'select * from orders'" in command


@pytest.mark.engines
@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("drop table orders", "--sql takes a query"),
        ("select * from nothing", "nothing does not exist"),
        ("select * from postgres_scan('password=planted', 'a', 'b')", "accepts no address"),
    ],
)
def test_other_statements_are_refused(file, tmp_path, query, said):
    done = learn("--duckdb", file, "--sql", query, "-o", tmp_path / "out")
    assert done.exit_code == 1
    assert said in done.output
    assert "planted" not in done.output


@pytest.mark.parametrize(
    "words", [[], ["rows.csv", "--duckdb", "a.duckdb"], ["--duckdb", "a"], ["a.csv", "--sql", "x"]]
)
def test_a_table_or_a_query_is_given(words):
    assert learn(*words).exit_code == 2
