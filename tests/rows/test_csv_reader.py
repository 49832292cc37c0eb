"""The one CSV reader: what a cell means does not depend on how much is read at a time."""

import gzip

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bnsieve.rows import convert_rows, csv_reader
from bnsieve.rows.csv_reader import read_csv
from opened_rows import read_rows

# Each column changes its face after the first lines: a reader that looks at these only is wrong.
LINES = [
    ("whole", "words", "late", "comma", "point", "flag", "gaps", "none", "mixed", "huge"),
    ("1", "1", "1", "1", "1,5", "True", "1", "", "True", "1"),
    ("2", "2", "2", "2", "2", "False", "", "", "False", "2"),
    ("3", "3", "3", "3", "3", "True", "3", "NA", "True", "3"),
    ("4", "4", "4.5", "4,5", "4.5", "", "4", "", "1", "99999999999999999999"),
    ("5", "x", "5", "-5", "5", "True", "5", "", "0", "5"),
]


def written(path, text):
    path.write_text(text, encoding="utf-8", newline="")
    return path


def in_blocks(monkeypatch, n_bytes):
    """Let as many bytes be parsed at a time; a line that is longer still is read."""
    monkeypatch.setattr(csv_reader, "_BLOCK", n_bytes)
    monkeypatch.setattr(csv_reader, "_BLOCK_PER_COLUMN", 1)


def values(table):
    """Return the cells of every column."""
    return pa.Table.from_batches(table.batches()).to_pydict()


@pytest.mark.parametrize("n_bytes", [16, 40, 100, 1 << 22])
def test_blocks_of_any_size_give_the_same_table(tmp_path, monkeypatch, n_bytes):
    in_blocks(monkeypatch, n_bytes)
    path = written(tmp_path / "a.csv", "\n".join(";".join(line) for line in LINES))
    table = read_csv([path])
    assert {name: column.kind for name, column in table.columns.items()} == {
        "whole": "integer",
        "words": "text",
        "late": "number",
        "comma": "number",
        "point": "text",
        "flag": "boolean",
        "gaps": "integer",
        "none": "empty",
        "mixed": "text",
        "huge": "text",
    }
    assert table.n_rows == 5
    assert table.remarks == (
        "cells are separated by ';'",
        "numbers have a decimal comma in comma",
    )
    expected = {
        "whole": [1, 2, 3, 4, 5],
        "words": ["1", "2", "3", "4", "x"],
        "late": [1, 2, 3, 4.5, 5],
        "comma": [1, 2, 3, 4.5, -5],
        "point": ["1,5", "2", "3", "4.5", "5"],
        "flag": [True, False, True, None, True],
        "gaps": [1, None, 3, 4, 5],
        "none": [None] * 5,
        "mixed": ["True", "False", "True", "1", "0"],
        "huge": ["1", "2", "3", "99999999999999999999", "5"],
    }
    assert values(table) == expected


TEXTS = {
    "plain": "a,b\n0,x\n1,y\n0,\n",
    "no last line break": "a,b\n0,x\n1,y",
    "windows": "a,b\r\n0,x\r\n1,y\r\n",
    "quotes": 'a,b\n"0","x, y"\n1,"say ""no"""\n0,"two\nlines"\n',
    "mixed": "a,b\n1,1\n01,True\n,x\n1.5,NA\n",
    "flags": "a,b\nTrue,False\nFalse,\nTrue,True\n",
    "letters": "a,b\nä,€\nß,ä\n",
    "empty": "a,b\n,\n,\n1,\n",
    "blank lines": "a,b\n0,x\n\n1,y\n\n",
    "quote inside": 'a,b\n0,5" pipe\n1,y\n',
    "after quotes": 'a,b\n0,"x"y\n1,y\n',
}


@pytest.mark.parametrize("n_bytes", [8, 1 << 22])
@pytest.mark.parametrize("end", ["csv", "csv.gz"])
@pytest.mark.parametrize("name", TEXTS)
def test_cells_are_those_that_pandas_reads(tmp_path, monkeypatch, name, end, n_bytes):
    in_blocks(monkeypatch, n_bytes)
    raw = TEXTS[name].encode()
    path = tmp_path / f"a.{end}"
    path.write_bytes(gzip.compress(raw) if end == "csv.gz" else raw)
    options = {"keep_default_na": False, "na_values": list(csv_reader.MISSING_TEXTS)}
    expected = pd.read_csv(path, **options)
    read, theirs = (
        frame.astype(object).where(frame.notna(), None).to_dict("list")
        for frame in (read_rows(path).frame, expected)
    )
    assert read == theirs


@pytest.mark.parametrize("text", ["x,y\na,1\n", "x;y\na;1\n"])
def test_a_file_with_a_byte_order_mark_is_read_as_one_without(tmp_path, text):
    plain = read_csv([written(tmp_path / "a.csv", text)])
    marked = read_csv([written(tmp_path / "b.csv", "\ufeff" + text)])
    assert marked.columns == plain.columns
    assert values(marked) == values(plain)


@pytest.mark.parametrize(
    ("cells", "kind", "expected"),
    [
        (["1", "2"], "integer", [1, 2]),
        (["+1", " 2 "], "integer", [1, 2]),
        (["1", "2.0"], "number", [1, 2]),
        (["1", "2.0", ""], "integer", [1, 2, None]),
        (["1", "01"], "text", ["1", "01"]),
        (["1.5", "01"], "number", [1.5, 1]),
        (["1.0", "01", ""], "text", ["1.0", "01", None]),
        (["1", "0x10"], "text", ["1", "0x10"]),
        (["1", "1_000"], "text", ["1", "1_000"]),
        (["1e3", ".5", "-5.", "+2E+1"], "number", [1000, 0.5, -5, 20]),
        (["inf", "-Infinity", "1e999"], "number", [np.inf, -np.inf, np.inf]),
        (["1", "NAN"], "text", ["1", "NAN"]),
        (["9007199254740993", "1"], "integer", [9007199254740993, 1]),
        (["9007199254740993", ""], "number", [9007199254740992, None]),
        (["9223372036854775808", "1"], "text", ["9223372036854775808", "1"]),
        (["9223372036854775808", "1.5"], "number", [2.0**63, 1.5]),
        (["True", "false"], "boolean", [True, False]),
        (["True", "true"], "text", ["True", "true"]),
        (["True", "1"], "text", ["True", "1"]),
        (["x", "None", "NA"], "text", ["x", "None", None]),
        (["", "NULL"], "empty", [None, None]),
    ],
)
def test_types_follow_from_how_cells_are_written(tmp_path, cells, kind, expected):
    text = "".join(f"{cell},z\n" for cell in ("x", *cells))
    table = read_csv([written(tmp_path / "a.csv", text)])
    assert table.columns["x"].kind == kind
    assert values(table)["x"] == expected


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [
        (-127, 127, pa.int8()),
        (-128, 0, pa.int16()),
        (0, 128, pa.int16()),
        (-32_767, 32_767, pa.int16()),
        (-32_768, 0, pa.int32()),
        (-(2**31) + 1, 2**31 - 1, pa.int32()),
        (-(2**31), 0, pa.int64()),
    ],
)
@pytest.mark.parametrize("missing", [[], [""]])
def test_integers_take_the_bytes_they_need(tmp_path, low, high, wanted, missing):
    text = "".join(f"{cell},z\n" for cell in ("x", low, high, *missing))
    table = read_csv([written(tmp_path / "a.csv", text)])
    assert next(table.batches()).schema.field("x").type == wanted
    assert values(table)["x"] == [low, high, *[None] * len(missing)]


def test_a_comma_separates_and_is_no_decimal_comma(tmp_path):
    path = written(tmp_path / "a.csv", 'x,y\n"1,5",a\n"2,5",b\n')
    assert read_csv([path]).columns["x"].kind == "text"


def test_types_hold_for_all_files(tmp_path):
    written(tmp_path / "a.csv", "x,y\n1,a\n2,b\n")
    written(tmp_path / "b.csv", "y;x\na;u\nb;\n")
    frame = read_rows([tmp_path / "a.csv", tmp_path / "b.csv"], ["b"]).frame
    assert frame["x"].tolist()[:3] == ["1", "2", "u"]
    assert frame.isna().sum().to_dict() == {"x": 1, "y": 2}


def test_blocks_without_any_cell_of_a_column(tmp_path, monkeypatch):
    in_blocks(monkeypatch, 12)
    path = written(tmp_path / "a.csv", "t;c;f;i\n;;;\n;;;\nu;1,5;true;1\nv;2;;2\n;;;\n;;;\n")
    table = read_csv([path])
    assert [one.kind for one in table.columns.values()] == ["text", "number", "boolean", "integer"]
    known = read_rows(path).frame.dropna(how="all")
    assert known["t"].tolist() == ["u", "v"]
    assert known["c"].tolist() == [1.5, 2.0]
    assert known["f"].dropna().tolist() == [True]
    assert known["i"].tolist() == [1, 2]
    assert convert_rows(path, tmp_path / "a.parquet") == 6
    again = pd.read_parquet(tmp_path / "a.parquet")
    assert again["t"].tolist()[2:4] == ["u", "v"]
    assert again.isna().sum().tolist() == [4, 4, 5, 4]


@pytest.mark.parametrize("n_kept", [0, 1 << 29])
@pytest.mark.parametrize("n_bytes", [16, 1 << 22])
def test_kept_or_read_again_rows_are_the_same(tmp_path, monkeypatch, n_kept, n_bytes):
    in_blocks(monkeypatch, n_bytes)
    monkeypatch.setattr(csv_reader, "_MAX_KEPT", n_kept)
    lines = ["i,late,text,b,n", "1,1,01,True,", "2,,1,,", "-3,<1,,False,", "300,4,True,True,"]
    table = read_csv([written(tmp_path / "a.csv", "\n".join(lines) + "\n")])
    assert bool(table.kept) == bool(n_kept)
    expected = {"i": [1, 2, -3, 300], "late": ["1", None, "<1", "4"]}
    expected |= {"text": ["01", "1", None, "True"], "b": [True, None, False, True]}
    expected |= {"n": [None] * 4}
    for _ in range(2):  # the second time what was kept is gone
        batches = list(table.batches())
        assert not table.kept
        assert batches[0].schema.field("i").type == pa.int16()
        assert pa.Table.from_batches(batches).to_pydict() == expected


@pytest.mark.parametrize("n_bytes", [64, 500, 1 << 22])
def test_no_row_is_lost_or_made_between_blocks(tmp_path, monkeypatch, n_bytes):
    in_blocks(monkeypatch, n_bytes)
    rng = np.random.default_rng(0)
    n = 700
    frame = pd.DataFrame(
        {
            "whole": rng.integers(0, 300, n),
            "gaps": np.where(rng.random(n) < 0.3, np.nan, rng.integers(0, 9, n)),
            "fraction": rng.normal(size=n),
            "text": rng.choice(["u", "v", "w"], n),
            "long": rng.choice(["a long label", "another", "x,y", "two\nlines"], n),
            "mixed": rng.integers(0, 5, n).astype(str),
            "flag": rng.random(n) < 0.5,
            "code": [f"p{i}" for i in range(n)],
        }
    )
    frame.loc[650, "mixed"] = "<1"
    frame.loc[400, "long"] = "longer than a block " * 50
    frame.to_csv(tmp_path / "a.csv", index=False)
    read = read_rows(tmp_path / "a.csv").frame
    pd.testing.assert_frame_equal(read, frame, check_dtype=False, check_exact=True)


@pytest.mark.parametrize("cells", ["0120", "01 0", " ", "äbä", "0 10", "a\x7fb"])
def test_cells_of_one_character(tmp_path, cells):
    """Cells of one byte have a shorter way; an empty cell, here a blank, is one of them."""
    cells = [cell.strip() for cell in cells]
    text = "".join(f"{cell},z{i}\n" for i, cell in enumerate(["x", *cells]))
    table = read_csv([written(tmp_path / "a.csv", text)])
    known = [None if cell == "" else cell for cell in cells]
    is_number = all(cell is None or cell.isdigit() for cell in known) and any(known)
    expected = [int(cell) if cell and is_number else cell for cell in known]
    assert values(table)["x"] == expected
