"""Wide files, whose different cells alone are read, are the same tables as pandas makes of them."""

import gzip

import numpy as np
import pandas as pd
import pytest

from bnsieve import _native
from bnsieve.rows import csv_cells, csv_reader
from bnsieve.rows.csv_cells import NotPlainError, coded_pieces
from bnsieve.rows.csv_reader import read_csv

ROWS = {
    "plain": "a,b\n0,x\n1,y\n0,\n",
    "no last line break": "a,b\n0,x\n1,y",
    "windows": "a,b\r\n0,x\r\n1,y\r\n",
    "quotes": 'a,b\n"0","x, y"\n1,"say ""no"""\n0,"two\nlines"\n',
    "mixed": "a,b\n1,1\n01,True\n,x\n1.5,NA\n",
    "flags": "a,b\nTrue,False\nFalse,\nTrue,True\n",
    "huge": "a,b\n99999999999999999999,1\n5,2\n",
    "letters": "a,b\nä,€\nß,ä\n",
    "empty": "a,b\n,\n,\n1,\n",
    # What only pandas can take apart:
    "blank lines": "a,b\n0,x\n\n1,y\n\n",
    "quote inside": 'a,b\n0,5" pipe\n1,y\n',
    "after quotes": 'a,b\n0,"x"y\n1,y\n',
}


@pytest.mark.parametrize("n_rows", [1, 2, 100])
@pytest.mark.parametrize("name", ROWS)
def test_a_wide_file_is_read_as_a_narrow_one(tmp_path, monkeypatch, name, n_rows):
    path = tmp_path / "a.csv"
    path.write_bytes(ROWS[name].encode())
    monkeypatch.setattr(csv_reader, "_piece_rows", lambda n_columns: n_rows)
    narrow = read_csv([path], max_cells=100)
    monkeypatch.setattr(csv_cells, "WIDE", 1)
    wide = read_csv([path], max_cells=100)
    assert wide.columns == narrow.columns
    pd.testing.assert_frame_equal(wide.frame, narrow.frame)


@pytest.mark.parametrize("block", [1, 7, 1 << 24])
def test_random_cells_in_blocks_of_any_size(tmp_path, monkeypatch, block):
    rng = np.random.default_rng(0)
    n = 700
    frame = pd.DataFrame({f"g{i}": rng.choice(["0", "1", "2", ""], n) for i in range(20)})
    frame["number"] = rng.normal(size=n)  # more different cells than are numbered
    frame["long"] = rng.choice(["a long label", "another", "x,y"], n)
    frame["later"] = [*["1"] * 300, *map(str, range(400))]
    frame.to_csv(tmp_path / "a.csv.gz", index=False)
    monkeypatch.setattr(csv_cells, "_BLOCK", block)
    monkeypatch.setattr(csv_reader, "_piece_rows", lambda n_columns: 300)
    narrow = read_csv([tmp_path / "a.csv.gz"], max_cells=10**6)
    monkeypatch.setattr(csv_cells, "WIDE", 1)
    wide = read_csv([tmp_path / "a.csv.gz"], max_cells=10**6)
    assert wide.columns == narrow.columns
    pd.testing.assert_frame_equal(wide.frame, narrow.frame)
    assert len(wide.frame) == n


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_cells, "WIDE", 1)
    (tmp_path / "a.csv").write_bytes(b'\xef\xbb\xbf"a",b\n1,2\n3,4\n')
    assert read_csv([tmp_path / "a.csv"], max_cells=100).frame["a"].tolist() == [1, 3]


@pytest.mark.parametrize(
    ("text", "match"),
    [("a,b\n1,2\n3\n", "line 3 .* 1 field"), ('a,b\n1,"2\n3,4\n', "does not close")],
)
def test_what_is_no_table_is_refused_with_its_line(tmp_path, monkeypatch, text, match):
    monkeypatch.setattr(csv_cells, "WIDE", 1)
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=match):
        read_csv([tmp_path / "a.csv"])


def test_rows_before_what_is_not_plain_come_once(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_cells, "WIDE", 1)
    monkeypatch.setattr(csv_reader, "_piece_rows", lambda n_columns: 2)
    lines = ["a,b", *(f"{i},x" for i in range(5)), '5,5" pipe', "6,y"]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    frame = read_csv([tmp_path / "a.csv"], max_cells=100).frame
    assert frame["a"].tolist() == list(range(7))
    assert frame["b"].tolist() == [*"xxxxx", '5" pipe', "y"]
    with pytest.raises(NotPlainError):
        list(coded_pieces(tmp_path / "a.csv", ",", ["a", "b"], 100, lambda text, names: None))


@pytest.mark.kernel
def test_cells_are_numbered_in_their_order():
    end, n_rows, used, codes, lists, few, list_of, many, rest = _native.split_cells(
        b"1,b\n0,\n1,b\n", 2, b",", 2, False
    )
    assert (end, n_rows, used) == ("rows", 2, 7)
    assert codes.tolist() == [[1, 0], [1, 0]]
    assert [lists[number] for number in list_of] == [(b"0", b"1"), (b"", b"b")]
    assert (few, many, rest) == ([0, 1], [], b"")


@pytest.mark.kernel
def test_columns_of_too_many_different_cells_stay_as_they_are_written():
    n = 300
    text = b"".join(b"%d,%d\n" % (i, i % 255) for i in range(n))
    *_, lists, few, _, many, rest = _native.split_cells(text, 2, b",", n, True)
    assert (few, many) == ([1], [0])
    assert len(lists[0]) == 255
    assert rest == b"".join(b"%d\n" % i for i in range(n))


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("text", "is_last", "end"),
    [
        (b"1,2\n", False, "short"),
        (b"1,2\n3,4", False, "short"),
        (b"1,2\n3,4", True, "rows"),
        (b'1,"2\n', False, "short"),
        (b'1,"2\n', True, "other"),
        (b'1,"2"', False, "short"),
        (b"1,2\r", False, "short"),
        (b"1,2\r3,4\n", True, "other"),
        (b"1,2,3\n", True, "other"),
        (b"1\n2\n", True, "other"),
    ],
)
def test_text_may_end_anywhere(text, is_last, end):
    assert _native.split_cells(text, 2, b",", 2, is_last)[0] == end


def test_compressed_files_are_read_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_cells, "WIDE", 1)
    with gzip.open(tmp_path / "a.csv.gz", "wb") as file:
        file.write(ROWS["quotes"].encode())
    frame = read_csv([tmp_path / "a.csv.gz"], max_cells=100).frame
    assert frame["b"].tolist() == ["x, y", 'say "no"', "two\nlines"]
