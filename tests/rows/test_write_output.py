"""Rows that are written are the rows that are read again; texts stay texts in Excel."""

import openpyxl
import pandas as pd
import pytest

from bnsieve.rows import open_data, write_frame

FRAME = pd.DataFrame({"=1+1": ["=cmd|' /C calc'!A0", "plain", "#N/A"], "n": [1.5, 2.5, 3.5]})


def test_no_text_becomes_a_formula_or_an_error_in_excel(tmp_path):
    write_frame(FRAME, tmp_path / "x.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "x.xlsx").active
    assert [[cell.data_type for cell in line] for line in sheet.iter_rows()] == [
        ["s", "s"],
        ["s", "n"],
        ["s", "n"],
        ["s", "n"],
    ]
    assert [cell.value for cell in sheet["A"]] == ["=1+1", *FRAME["=1+1"]]
    assert sheet["A1"].quotePrefix


def test_excel_files_are_read_again(tmp_path):
    write_frame(FRAME, tmp_path / "x.xlsx")
    with open_data(tmp_path / "x.xlsx") as rows:
        again = rows.to_frame()
    assert list(again.columns) == ["=1+1", "n"]
    assert again["=1+1"].iloc[0] == "=cmd|' /C calc'!A0"


def test_control_characters_are_refused_with_the_cure(tmp_path):
    with pytest.raises(ValueError, match=r"control characters.* write \.csv"):
        write_frame(pd.DataFrame({"a": ["\x01"]}), tmp_path / "x.xlsx")
    assert not any(tmp_path.iterdir())
