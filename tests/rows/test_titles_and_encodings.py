"""Title rows, merged headers and two encodings in one file: the table below and in it is read."""

import pandas as pd
import pytest

from bnsieve.rows import in_memory, open_data

BODY = "sex;crp\nw;5\nm;7\nw;9\n"


def remarks(path):
    with open_data(path) as rows:
        return " ".join(rows.remarks)


@pytest.mark.parametrize(
    "titles", ["Export\n", "Export of 2024\nby office: x\n\n", "Export\n\n\n\n"]
)
def test_lines_of_titles_are_left_out_and_named(titles, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(titles + BODY, encoding="utf-8")
    frame = in_memory(path)
    assert list(frame) == ["sex", "crp"]
    assert frame["crp"].tolist() == [5, 7, 9]
    n = titles.count("\n")
    assert f"line {n + 1} of t.csv names the columns, below {n} of titles" in remarks(path)


def test_a_broken_line_below_titles_is_named_by_its_number(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Export\n\n" + BODY + "m;1\n" * 200 + "w;1;2\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 207 of"):
        in_memory(path)


@pytest.mark.parametrize("text", ["a\n1,2\n3,4\n5,6\n", "a\n1\n2\n"])
def test_numbers_name_no_columns(text, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"line 2 of|one column"):
        in_memory(path)


def test_two_encodings_in_one_file(tmp_path):
    path = tmp_path / "t.csv"
    lines = ["stadt,x", *["München,1", "Köln,2"] * 20]
    path.write_bytes(
        b"\n".join(line.encode("utf-8" if i % 2 else "cp1252") for i, line in enumerate(lines))
    )
    frame = in_memory(path)
    assert set(frame["stadt"]) == {"München", "Köln"}
    assert "some of the text is in Windows-1252" in remarks(path)
    path.write_bytes("\n".join(lines).encode("cp1252"))
    assert set(in_memory(path)["stadt"]) == {"München", "Köln"}
    assert "the text is in Windows-1252 (Latin-1), not UTF-8" in remarks(path)


def test_titles_and_merged_headers_of_a_workbook(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    page = book.active
    rows = [
        ["Visits"],
        [],
        ["Sex", "Pressure", None, "Pain", None, "Sleep", None],
        [None, "high", "low", "before", "after", "before", "after"],
        ["w", 120, 80, 3, 1, 7, 8],
        ["m", 130, 85, 4, 2, 6, 7],
    ]
    for row in rows:
        page.append(row)
    for cells in ("A3:A4", "B3:C3", "D3:E3", "F3:G3"):
        page.merge_cells(cells)
    path = tmp_path / "t.xlsx"
    book.save(path)
    frame = in_memory(path)
    assert list(frame) == [
        *("Sex", "high", "low", "Pain before", "Pain after", "Sleep before", "Sleep after")
    ]
    assert frame["low"].tolist() == [80, 85]
    assert "row 3 names the columns" in remarks(path)


def test_a_first_row_of_text_is_no_second_header(tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "t.xlsx"
    frame = pd.DataFrame({"a": ["u", "v"], "b": ["x", None]})
    frame.to_excel(path, index=False)
    pd.testing.assert_frame_equal(in_memory(path).astype(object), frame.astype(object))
