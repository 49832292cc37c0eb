"""``bnsieve learn`` on files that nobody makes on purpose: a result, or a line that helps."""

import gzip
from datetime import date
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from bnsieve.cli.app import app
from bnsieve.cli.run import files

PAIRS = "a,b\nb,a\na,a\n" * 20


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def learn(content, name="data.csv", *options):
    if isinstance(content, dict):
        for part, text in content.items():
            written(f"{name}/{part}", text)
    else:
        written(name, content)
    return CliRunner().invoke(app, ["learn", name, "-o", "out", "--jobs", "1", *options])


def written(name, content):
    files.Path(name).parent.mkdir(exist_ok=True)
    if isinstance(content, pa.Table):
        pq.write_table(content, name)
    else:
        files.Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())


def refused(result, message):
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr
    assert not files.Path("out").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "data.csv is empty: the first line must name the columns"),
        ("\n\n", "the first line of data.csv is blank: it must name the columns"),
        ("x,y\n", "data.csv has columns but no rows: pass at least one row"),
        ("x\na\nb\n", "data.csv has one column, 'x', and a network needs two or more: cells are"),
        (f"{'x^' * 9999}\na\nb\n", f"one column, '{'x^' * 23}x...{'x^' * 24}', and a"),
        (f"{'y' * 9999},{'y' * 9999}\na,b\n", f"two columns '{'y' * 47}...{'y' * 48}': rename one"),
        ("x,x\n" + PAIRS, "data.csv has two columns 'x': rename one, or add a first line"),
        (
            "sep=;\nx;y\na;b\n",
            "the first line of data.csv is an instruction to Excel, 'sep=': delete it",
        ),
        (f"x,y\n{PAIRS}".encode("utf-16-le"), "data.csv is not text: save it as CSV with"),
        (b"\xff\xfex,y\n\xd8", "data.csv is not utf-16 text: save it as CSV with"),
        ("x,y\na,b\n", "data.csv has one row only: a network needs rows that differ"),
        ("x,y\na,b\na,b\n", "0 can be used: left out: x (it is always 'a'); y (it is always 'b')"),
        ("x,y\n" + "a,b\n" * 50, "left out: x (it is always 'a'); y (it is always 'b')"),
        ('x,y\na,b\n"a,b\n' + PAIRS, 'a quote (") that opens in line 3 of data.csv does not close'),
        ("x,y\n" + PAIRS + "a\n", "line 62 of data.csv has 1 field, and the first line names 2"),
        ("note\n1,2\n" + PAIRS, "line 2 of data.csv has 2 fields, and the first line names 1"),
    ],
)
def test_csv_files_that_are_refused(folder, content, message):
    refused(learn(content), message)


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffx,y\n" + PAIRS,
        "x;y\n" + PAIRS.replace(",", ";"),
        "x\ty\n" + PAIRS.replace(",", "\t"),
        "🍎,größe\n" + PAIRS.replace("a", "👩‍🔬").replace("b", "🇩🇪"),
        "x,y,\n" + PAIRS.replace("\n", ",\n"),
        '"a\nb","<b>&"\n' + PAIRS,
        "x,y\r\n" + PAIRS.replace("\n", "\r\n") + "\r\n",
    ],
)
def test_csv_files_that_are_read(folder, content):
    result = learn(content)
    assert result.exit_code == 0, result.output
    assert "rows" in result.stdout
    assert (folder / "out" / "graph.json").exists()


def test_a_column_of_a_hundred_thousand_labels_is_left_out(folder):
    rng = np.random.default_rng(0)
    ids = rng.permutation(np.arange(210_000) // 2)
    lines = [f"p{i},{'ab'[i % 2]},{'ab'[i % 3 % 2]}" for i in ids.tolist()]
    result = learn("\n".join(["id,x,y", *lines]))
    assert "categories in 210,000 rows" in result.stdout
    assert "columns  2 of 3" in result.stdout


def test_infinite_numbers_are_odd_cells(folder):
    result = learn("v,x,y\n" + "inf,a,b\n0.5,b,a\n1.5,a,a\n0.5,b,b\n" * 10)
    assert "v: 'inf' in row 1 and 9 more read as missing" in result.stdout


def test_broken_compression(folder):
    whole = gzip.compress(("x,y\n" + PAIRS).encode())
    for content in (b"x,y\na,b\n", whole[:-9], whole[:-8] + b"\0" * 8):
        refused(learn(content, "data.csv.gz"), "data.csv.gz is not a complete gzip file")


def test_compression_that_breaks_late(folder):
    rng = np.random.default_rng(0)
    text = "x,y\n" + "".join(f"{a},{b}\n" for a, b in rng.integers(0, 9**9, (20_000, 2)))
    whole = gzip.compress(text.encode())
    refused(learn(whole[: len(whole) // 2], "data.csv.gz"), "data.csv.gz is not a complete gzip")


def test_folders_of_csv_files(folder):
    x_and_y = "x,y\n" + PAIRS
    refused(learn({"a.csv": x_and_y, "b.csv": "x,z\n" + PAIRS}, "mixed"), "b.csv has no column 'y'")
    refused(
        learn({"a.csv": x_and_y, "b.csv": "x,y,z\n" + PAIRS.replace("\n", ",a\n")}, "more"),
        "b.csv has a column 'z', which more/a.csv lacks: add or drop it",
    )
    refused(learn({"readme.txt": "no rows here"}, "none"), "the folder none has no file that ends")
    turned = learn({"a.csv": x_and_y, "b.csv": "y,x\n" + PAIRS}, "turned")
    assert turned.exit_code == 0


def test_words_in_one_file_make_words_of_numbers_in_another(folder):
    content = {"a.csv": "x,y\n1,a\n2,b\n,a\n", "b.csv": "x,y\nu,a\n1,b\n", "c.csv": "x,y\n,b\n,a\n"}
    result = learn({name: text * 1 for name, text in content.items()}, "kinds", "--json")
    assert result.exit_code == 0
    assert '"rows": 7' in result.stdout
    network = (folder / "out" / "network.bif").read_text(encoding="utf-8")
    assert "{ 1, 2, u }" in network


def table(**columns):
    return pa.table({"x": ["a", "b"] * 20, "y": ["a", "a", "b", "b"] * 10, **columns})


@pytest.mark.parametrize(
    ("column", "why"),
    [
        (
            [[1], [2]] * 20,
            "odd: its cells are list<element: int64>, which are no categories",
        ),
        (
            [{"q": 1}, {"q": 2}] * 20,
            "odd: its cells are struct<q: int64>, which",
        ),
        ([b"a", b"b"] * 20, "odd: its cells are binary, which are no categories"),
        ([date(2020, 1, 1), date(2020, 1, 2)] * 20, "odd: turned into odd_weekday"),
        (pa.nulls(40), "odd: all cells are empty"),
        ([Decimal("1.5"), Decimal("2.5")] * 20, "numeric variables: odd"),
    ],
)
def test_parquet_columns_that_hold_no_labels(folder, column, why):
    assert why in learn(table(odd=column), "data.parquet").stdout


def test_folders_of_parquet_files(folder):
    refused(
        learn({"a.parquet": table(), "b.parquet": table().drop_columns("y")}, "less"),
        "less/b.parquet has no column 'y', which less/a.parquet has: add or drop it",
    )
    numbers = table().set_column(1, "y", pa.array([1, 2] * 20))
    for name, parts in (("ab", (table(), numbers)), ("ba", (numbers, table()))):
        refused(
            learn(dict(zip(("a.parquet", "b.parquet"), parts, strict=True)), name),
            f"column 'y' holds {'integer' if name == 'ab' else 'string'} categories in {name}/b",
        )
    refused(learn(table().slice(0, 0), "none.parquet"), "none.parquet has columns but no rows")


def test_what_cannot_be_written_to_is_known_before_the_learning(folder, monkeypatch):
    (folder / "file").write_text("", encoding="utf-8")
    monkeypatch.setattr("bnsieve.cli.run.run.learn", lambda *_, **__: pytest.fail("too late"))
    written("data.csv", "x,y\n" + PAIRS)
    for name in ("file", "file/below"):
        result = CliRunner().invoke(app, ["learn", "data.csv", "-o", name])
        refused(result, "file is a file: name a folder with -o")

    def forbidden(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("bnsieve.cli.run.files.tempfile.TemporaryDirectory", forbidden)
    result = CliRunner().invoke(app, ["learn", "data.csv", "-o", "new/out"])
    refused(result, "nothing can be written to new/out (Permission denied): name another folder")


def test_too_little_memory_is_one_line(folder, monkeypatch):
    def too_much(*_, **__):
        raise MemoryError

    monkeypatch.setattr("bnsieve.cli.run.run.learn", too_much)
    refused(learn("x,y\n" + PAIRS), "error: out of memory")
