"""The one CSV reader: what a cell means does not depend on how much is read at a time."""

import pandas as pd
import pytest

from bnsieve.rows import csv_reader
from bnsieve.rows.csv_reader import read_csv
from bnsieve.rows.spill import convert_csv

# Each column changes its face after the first lines: a reader that looks at these only is wrong.
LINES = [
    ("whole", "words", "late", "comma", "point", "flag", "gaps", "none", "mixed", "huge"),
    ("1", "1", "1", "1", "1,5", "True", "1", "", "True", "1"),
    ("2", "2", "2", "2", "2", "False", "", "", "False", "2"),
    ("3", "3", "3", "3", "3", "True", "3", "NA", "True", "3"),
    ("4", "4", "4.5", "4,5", "4.5", "", "4", "", "1", "99999999999999999999"),
    ("5", "x", "5", "-5", "5", "True", "5", "", "0", "5"),
]


def written(path, separator=";"):
    path.write_text("\n".join(separator.join(line) for line in LINES), encoding="utf-8")
    return path


@pytest.mark.parametrize("max_cells", [0, 10**6])
@pytest.mark.parametrize("n_rows", [1, 2, 3, 100])
def test_pieces_of_any_size_give_the_same_table(tmp_path, monkeypatch, n_rows, max_cells):
    monkeypatch.setattr(csv_reader, "_piece_rows", lambda n_columns: n_rows)
    table = read_csv([written(tmp_path / "a.csv")], max_cells=max_cells)
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
    assert (table.frame is None) == (max_cells == 0)
    frame = pd.concat(table.frames(), ignore_index=True)
    assert frame["whole"].tolist() == [1, 2, 3, 4, 5]
    assert frame["words"].tolist() == ["1", "2", "3", "4", "x"]
    assert frame["late"].tolist() == [1, 2, 3, 4.5, 5]
    assert frame["comma"].tolist() == [1, 2, 3, 4.5, -5]
    assert frame["point"].tolist() == ["1,5", "2", "3", "4.5", "5"]
    assert frame["flag"].dropna().tolist() == [True, False, True, True]
    assert frame["gaps"].dropna().tolist() == [1, 3, 4, 5]
    assert frame["mixed"].tolist() == ["True", "False", "True", "1", "0"]
    assert frame["huge"].tolist() == ["1", "2", "3", "99999999999999999999", "5"]
    assert frame["none"].isna().all()
    if table.frame is not None:
        pd.testing.assert_frame_equal(table.frame, frame)


def test_a_comma_separates_and_is_no_decimal_comma(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('x,y\n"1,5",a\n"2,5",b\n', encoding="utf-8")
    assert read_csv([path]).columns["x"].kind == "text"


def test_types_hold_for_all_files(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,a\n2,b\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("y;x\na;u\nb;\n", encoding="utf-8")
    table = read_csv([tmp_path / "a.csv", tmp_path / "b.csv"], missing=["b"], max_cells=100)
    assert table.frame["x"].tolist()[:3] == ["1", "2", "u"]
    assert table.frame.isna().sum().to_dict() == {"x": 1, "y": 2}


def test_pieces_without_any_cell_of_a_column(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_reader, "_piece_rows", lambda n_columns: 2)
    path = tmp_path / "a.csv"
    path.write_text("t;c;f;i\n;;;\n;;;\nu;1,5;true;1\nv;2;;2\n;;;\n;;;\n", encoding="utf-8")
    table = read_csv([path], max_cells=100)
    assert [one.kind for one in table.columns.values()] == ["text", "number", "boolean", "integer"]
    known = table.frame.dropna(how="all")
    assert known["t"].tolist() == ["u", "v"]
    assert known["c"].tolist() == [1.5, 2.0]
    assert known["f"].dropna().tolist() == [True]
    assert known["i"].tolist() == [1, 2]
    assert convert_csv(path, tmp_path / "a.parquet") == 6
    again = pd.read_parquet(tmp_path / "a.parquet")
    assert again["t"].tolist()[2:4] == ["u", "v"]
    assert again.isna().sum().tolist() == [4, 4, 5, 4]
