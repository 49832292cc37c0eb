"""Files as people have them, read or refused in one line."""

import hashlib

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bnsieve.rows import open_data
from bnsieve.table import LIMITS
from opened_rows import read_rows


def written(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


def test_csv(tmp_path):
    path = written(tmp_path / "a.csv", "x,y\nu,1\n,2\nNone,NA\n")
    rows = read_rows(path)
    assert rows.frame["x"].tolist()[::2] == ["u", "None"]
    assert rows.frame.isna().sum().tolist() == [1, 1]
    assert rows.remarks == ()
    (file,) = rows.files
    assert (file.name, file.bytes) == ("a.csv", path.stat().st_size)
    assert file.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_other_texts_for_missing_cells(tmp_path):
    path = written(tmp_path / "a.csv", "x,y\n?,1\nu,2\n")
    assert read_rows(path, ["?"]).frame["x"].isna().tolist() == [True, False]


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_other_separators_are_seen_and_said(tmp_path, separator):
    path = written(tmp_path / "a.csv", f"x{separator}y\nu, v{separator}1\n")
    rows = read_rows(path)
    assert rows.frame.columns.tolist() == ["x", "y"]
    assert repr(separator) in rows.remarks[0]


def test_decimal_commas_are_seen_and_said(tmp_path):
    path = written(tmp_path / "a.csv", "x;y;z;v\n1,5;1;a,1;1,5\n;2;1,5;2.5\n-2;3;b;1\n")
    rows = read_rows(path)
    assert rows.frame["x"].fillna(0).tolist() == [1.5, 0, -2]
    assert rows.frame["z"].tolist() == ["a,1", "1,5", "b"]
    assert rows.remarks[1] == "numbers have a decimal comma in x"


def test_cells_in_quotes_hold_separators_and_line_breaks(tmp_path):
    path = written(tmp_path / "a.csv", 'x,y\n"u, v","two\nlines"\n\nw,\n\n')
    frame = read_rows(path).frame
    assert frame["x"].tolist() == ["u, v", "w"]
    assert frame["y"][0] == "two\nlines"
    assert frame["y"].isna().tolist() == [False, True]


@pytest.mark.parametrize("end", ["csv", "parquet"])
def test_whole_numbers_beside_missing_cells_are_integers(tmp_path, end):
    path = tmp_path / f"a.{end}"
    frame = pd.DataFrame({"n": [2, None, 3], "f": [2.5, None, 3], "g": [2.0, 3.0, 3.0]})
    frame["x"] = pd.Series([2**60 + 1, 5, None], dtype="Int64")
    if end == "csv":
        frame[["n", "f", "g"]].to_csv(path, index=False, float_format="%g")
    else:
        pq.write_table(pa.Table.from_pandas(frame).replace_schema_metadata(), path)
    found = read_rows(path).frame
    assert found["n"].dropna().map(str).tolist() == ["2", "3"]
    assert found["f"].dropna().map(str).tolist() == ["2.5", "3.0"]
    assert end == "csv" or found["x"].dropna().tolist() == [2**60 + 1, 5]


def test_compressed_csv_with_a_byte_order_mark(tmp_path):
    frame = pd.DataFrame({"x": ["u", "v"], "y": [1, 2]})
    frame.to_csv(tmp_path / "a.csv.gz", index=False, encoding="utf-8-sig")
    assert read_rows(tmp_path / "a.csv.gz").frame.equals(frame)


def test_folders(tmp_path):
    frame = pd.DataFrame({"x": ["u", "v"], "y": [1, 2]})
    (tmp_path / "csv" / "deep").mkdir(parents=True)
    frame.to_csv(tmp_path / "csv" / "b.csv", index=False)
    frame.to_csv(tmp_path / "csv" / "deep" / "a.csv", index=False)
    rows = read_rows(tmp_path / "csv")
    assert len(rows.frame) == 4
    assert [file.name for file in rows.files] == ["b.csv", "deep/a.csv"]
    (tmp_path / "parquet").mkdir()
    for name in "ab":
        frame.to_parquet(tmp_path / "parquet" / f"{name}.parquet")
    assert len(read_rows(tmp_path / "parquet").frame) == 4
    assert len(read_rows(tmp_path / "parquet" / "a.parquet").frame) == 2
    with pytest.raises(ValueError, match="keep one kind"):
        read_rows(tmp_path)
    written(tmp_path / "csv" / "c.csv", "x,z\nu,1\n")
    with pytest.raises(ValueError, match=r"c\.csv has no column 'y', which .*b\.csv has"):
        read_rows(tmp_path / "csv")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "is empty"),
        ("a.csv", "x,y\n", "no rows"),
        ("a.csv", "x,x\n1,2\n", "two columns 'x'"),
        ("a.csv", "x,y\n1,2\n1,2,3\n", "line 3 of .* has 3 fields, and the first line names 2"),
        ("a.csv", "x,y\nr1,1,2\nr2,1,2\n", "line 2 of .* has 3 fields.*name every column"),
        ("a.csv", "x,y,z\n1,2,\n1,2\n", "line 3 of .* has 2 fields.*an empty cell still takes"),
        ("a.csv", "x;y\n1;2\n;\n1\n", "line 4 of .* has 1 field,.*still takes its ';'"),
        ("a.csv", 'x,y\n1,"2\n3,4\n', "opens in line 2 .* does not close"),
        ("a.xlsx", "x", "cannot be read as an Excel workbook"),
        ("a.xls", "x", "old format: save it as .xlsx or CSV"),
        ("a.ods", "x", r"must end in \.csv"),
        ("a.parquet", "x", "cannot be read as Parquet"),
    ],
)
def test_refusals(tmp_path, name, content, message):
    with pytest.raises(ValueError, match=message):
        read_rows(written(tmp_path / name, content))


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8-sig"])
@pytest.mark.parametrize("text", ["größe,y\n1,2\n", "x,y\n" + "a,b\n" * 9999 + "ö,2\n"])
def test_other_encodings_are_read_and_said(tmp_path, text, encoding):
    expected = read_rows(written(tmp_path / "utf8.csv", text))
    found = read_rows(written(tmp_path / "a.csv", text, encoding))
    assert found.frame.equals(expected.frame)
    said = {"utf-16": "UTF-16", "utf-8-sig": None}.get(encoding, "Windows-1252 (Latin-1)")
    assert found.remarks == (() if said is None else (f"the text is in {said}, not UTF-8",))


def test_decimal_commas_and_thousands(tmp_path):
    text = "a;b;c;d\n1,5;1.234,5;1 234;x\n-2;12.345;2 345;y\n+3,25;7;;x\n"
    frame = read_rows(written(tmp_path / "a.csv", text, "cp1252")).frame
    assert frame["a"].tolist() == [1.5, -2.0, 3.25]
    assert frame["b"].tolist() == [1234.5, 12345.0, 7.0]
    # No cell has a decimal comma: it may be a number, and may be a code.
    assert frame["c"].tolist()[:2] == ["1 234", "2 345"]


def test_nothing_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="check the path"):
        read_rows(tmp_path / "a.csv")
    with pytest.raises(ValueError, match="has no file"):
        read_rows(tmp_path)


def test_large_files_stay_where_they_are(tmp_path, monkeypatch):
    monkeypatch.setattr(LIMITS, "in_memory", 5)
    frame = pd.DataFrame({"x": ["u", "v", "u"], "y": [1, 2, 3]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    for name in ("a.csv", "a.parquet"):
        with open_data(tmp_path / name) as rows:
            assert not rows.is_small
