"""Excel workbooks: sheets, header rows, types, and what is refused."""

import datetime

import openpyxl
import pytest

import bnsieve as bn
from bnsieve.rows.write_output import write_frame
from bnsieve.table import LIMITS
from opened_rows import read_rows


def book(path, **sheets):
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    made.save(path)
    return path


def test_types(tmp_path):
    day = datetime.datetime(2024, 5, 1)
    rows = [
        ["n", "x", "flag", "day", "text", "mixed", "gaps"],
        [1, 1.5, True, day, "a", 1, "NA"],
        [2, 2, False, day, "?", "x", "#DIV/0!"],
        [],
        [3, None, True, None, "NULL", 2.0, "b"],
    ]
    frame = read_rows(book(tmp_path / "a.xlsx", only=rows), ("?",)).frame
    assert frame["n"].tolist() == [1, 2, 3]
    assert frame["n"].dtype == "int64"
    assert frame["x"].tolist()[:2] == [1.5, 2.0]
    assert frame["flag"].dtype == bool
    assert frame["day"].dtype.kind == "M"
    assert frame["text"].isna().tolist() == [False, True, True]
    assert frame["mixed"].tolist() == ["1", "x", "2"]
    assert frame["gaps"].isna().tolist() == [True, True, False]


def test_sheets_and_header_rows(tmp_path):
    table = [["x", "y"], ["a", "b"], ["c", "d"]]
    path = book(
        tmp_path / "a.xlsx", about=[["title"], ["x"]], empty=[], rows=[["A report"], [], *table]
    )
    assert list(read_rows(path).frame) == ["x", "y"]
    found = read_rows(path, header_row=3)
    assert found.frame.to_dict("list") == {"x": ["a", "c"], "y": ["b", "d"]}
    assert found.remarks == (
        "the sheet 'rows'; others are about, empty (--sheet)",
        "row 3 names the columns (--header-row)",
    )
    with pytest.raises(ValueError, match="has one column, 'title'"):
        read_rows(path, sheet="about")
    with pytest.raises(ValueError, match="no sheet 'x': its sheets are about, empty, rows"):
        read_rows(path, sheet="x")
    with pytest.raises(ValueError, match=r"row 2 of .* is blank"):
        read_rows(path, sheet="rows", header_row=2)
    with pytest.raises(ValueError, match=r"'empty' .* is empty"):
        read_rows(path, sheet="empty")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["x", "y"]], "columns but no rows"),
        ([["x", "x"], [1, 2]], "two columns 'x'"),
        ([["x", None, "z"], [1, 2, 3]], "cell in column 2, which row 1 does not name"),
        ([], "no sheet of two columns or more"),
    ],
)
def test_refusals(tmp_path, rows, message):
    with pytest.raises(ValueError, match=message):
        read_rows(book(tmp_path / "a.xlsx", only=rows))


def test_broken_and_large_workbooks(tmp_path, monkeypatch):
    path = book(tmp_path / "a.xlsx", only=[["x", "y"], *([i, i] for i in range(50))])
    whole = path.read_bytes()
    for broken in (b"", whole[:200], whole[:-30]):
        path.write_bytes(broken)
        with pytest.raises(ValueError, match="cannot be read as an Excel workbook"):
            read_rows(path)
    path.write_bytes(whole)
    monkeypatch.setattr(LIMITS, "in_memory", 20)
    with pytest.raises(ValueError, match="more than 20 cells: save it as CSV"):
        read_rows(path)


def test_csv_has_no_sheets(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n", encoding="utf-8")
    with pytest.raises(ValueError, match="is not an Excel workbook"):
        read_rows(tmp_path / "a.csv", sheet="x")


def test_the_same_as_a_frame(tmp_path):
    data = bn.load_network("asia").sample(300, random_state=0).astype(str)
    write_frame(data, tmp_path / "asia.xlsx")
    assert read_rows(tmp_path / "asia.xlsx").frame.equals(data)
    settings = {"random_state": 0, "n_jobs": 1}
    found = bn.TsetlinSieve(**settings).fit(tmp_path / "asia.xlsx")
    assert found.graph_ == bn.TsetlinSieve(**settings).fit(data).graph_


def test_output_files(tmp_path):
    data = bn.load_network("asia").sample(20, random_state=0).astype(str)
    for name in ("a.csv", "a.parquet", "a.xlsx"):
        write_frame(data, tmp_path / name)
        assert read_rows(tmp_path / name).frame.equals(data)
    with pytest.raises(ValueError, match=r"must end in \.csv, \.parquet, \.xlsx"):
        write_frame(data, tmp_path / "a.txt")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.csv", "a.parquet", "a.xlsx"]
