"""CSV files as people have them: the separator is seen, and the line at fault is named."""

import csv
import gzip
import io

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnsieve.rows import csv_text
from bnsieve.rows.csv_reader import read_csv
from bnsieve.rows.csv_text import encoding_of, require_even_lines, separator_of


def written(folder, text, name="a.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("header", "separator"),
    [
        ("x,y", ","),
        ("x;y", ";"),
        ("x\ty", "\t"),
        ("x|y|z, or v", "|"),
        ("x", ","),
        ('"a;b;c",d', ","),
        ('"two\nlines";"b, c"', ";"),
        ("\ufeffx;y", ";"),
    ],
)
def test_the_separator_is_seen(tmp_path, header, separator):
    assert separator_of(written(tmp_path, header + "\nu,v\n")) == separator


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n\nx,y\n", "blank"),
        (" ,\n1,2\n", "blank"),
        ("x,y,x\n1,2,3\n", "two columns 'x': rename one"),
        ('"x,y\n1,2\n', "opens in line 1 .* does not close"),
        ('"x,y\n' + "1,2\n" * 50_000, "opens in line 1 .* does not close"),
    ],
)
def test_headers_that_name_no_columns(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        separator_of(written(tmp_path, text))


def test_a_file_of_two_columns_without_a_name_is_read(tmp_path):
    assert separator_of(written(tmp_path, "x,,\n1,,\n")) == ","


EVEN = [
    "x,y\n1,2\n3,4",
    "x,y\n1,2\n3,4\n",
    "x,y\r\n1,2\r\n3,4\r\n",
    "x,y\r1,2\r3,4",
    "x,y\n1,2\n\n3,4\n\n\n",
    "x,y\n1,2\n   \n",
    'x,y\n"1,5",2\n"a\n\nb",","\n',
    'x,y\n"say ""so, then""",2\n5" pipe,3\n',
    'x,y\n"",2\n"a"b,c\n',
    "x\n1\n\n2\n",
    '"x","y"\n"1",NA\n2,"3"',
    "x,y\n,\n",
]


@pytest.mark.parametrize("text", EVEN)
@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
def test_even_lines_pass(tmp_path, text, name):
    raw = text.encode()
    path = written(tmp_path, gzip.compress(raw) if name.endswith("gz") else raw, name)
    require_even_lines(path, ",")


@pytest.mark.parametrize(
    ("text", "line", "found", "cure"),
    [
        ("x,y\n1,2\n3\n4,5\n", 3, "1 field,", "an empty cell still takes its ','"),
        ("x,y,z\n1,2\n", 2, "2 fields,", "an empty cell still takes its ','"),
        ("x,y\n1,2,3\n", 2, "3 fields,", "put quotes around a cell that holds ','"),
        ("x,y\n1,2\n3,4,\n", 3, "3 fields,", "name every column"),
        ("x,y\n1,2\n3", 3, "1 field,", ""),
        ("x,y\r\n1,2\r\n3\r\n", 3, "1 field,", ""),
        ("x,y\r1\n2,3\r4\n", 2, "1 field,", ""),
        ('x,y\n"a\nb",2\n"c,d"\n', 4, "1 field,", ""),
        ('x,y\n1"a\n2"b,3\n', 2, "1 field,", ""),
    ],
)
def test_the_uneven_line_is_named(tmp_path, text, line, found, cure):
    path = written(tmp_path, text)
    with pytest.raises(ValueError, match=f"line {line} of ") as error:
        require_even_lines(path, ",")
    assert str(path) in str(error.value)
    assert f"has {found} and the first line names" in str(error.value)
    assert cure in str(error.value)


@pytest.mark.parametrize("rest", ["3,4\n", "3,4\n" * 50_000])
@pytest.mark.parametrize("opening", ['5,"6\n', '"5,6\n'])
def test_a_quote_that_never_closes_is_named(tmp_path, opening, rest):
    path = written(tmp_path, "x,y\n1,2\n" + opening + rest)
    with pytest.raises(ValueError, match=r"line 3 of .* does not close: close it, or double"):
        require_even_lines(path, ",")


def test_blocks_end_anywhere(tmp_path, monkeypatch):
    path = written(tmp_path, '"x","y"\n' + '"1",NA\n"2""3","4"\n' * 40)
    monkeypatch.setattr(csv_text, "_compare_lines", lambda *_: pytest.fail("not seen at a glance"))
    for size in range(1, 60):
        monkeypatch.setattr(csv_text, "_BLOCK", size)
        require_even_lines(path, ",")


cells = st.text(st.sampled_from('ab", \n\r'), max_size=4)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.lists(cells, min_size=1, max_size=3), min_size=1, max_size=5),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONE]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_no_line_is_called_even_in_haste(tmp_path_factory, rows, quoting, end):
    """What is even at a glance is so when taken apart by the standard library."""
    file = io.StringIO()
    if quoting == csv.QUOTE_NONE:
        file.write(end.join(",".join(row) for row in rows))
    else:
        csv.writer(file, quoting=quoting, lineterminator=end).writerows(rows)
    path = written(tmp_path_factory.getbasetemp(), file.getvalue(), "law.csv")
    if csv_text._plainly_even(path, ","):
        with path.open(encoding="utf-8", newline="") as opened:
            widths = {len(row) for row in csv.reader(opened) if row}
        assert len(widths) <= 1


def test_what_pandas_takes_for_missing_is_an_error_here(tmp_path):
    """The reason for all this."""
    path = written(tmp_path, "x,y\n1,2\n3\n")
    assert pd.read_csv(path)["y"].isna().tolist() == [False, True]
    with pytest.raises(ValueError, match="line 3"):
        require_even_lines(path, ",")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"x,y\n", "utf-8-sig"),
        ("größe,y\n".encode(), "utf-8-sig"),
        ("größe,y\n".encode("utf-8-sig"), "utf-8-sig"),
        ("größe,y\n".encode("latin-1"), "cp1252"),
        (b"x,y\n" + b"a,b\n" * 300_000 + "é,€\n".encode("cp1252"), "cp1252"),
        (b"x\x81,y\xe9\n", "latin-1"),
        ("größe,y\n".encode("utf-16"), "utf-16"),
        ("größe".encode()[:-2], "cp1252"),  # ends within a character
        # A character on the border of two blocks that are read.
        (b"a" * ((1 << 20) - 1) + "é".encode(), "utf-8-sig"),
    ],
)
def test_encodings(tmp_path, content, expected):
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    assert encoding_of(path) == expected
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(content))
    assert encoding_of(tmp_path / "x.csv.gz") == expected


def test_what_is_no_text_is_refused(tmp_path):
    (tmp_path / "x.csv").write_bytes(b"PK\x03\x04\x00\x00")
    with pytest.raises(ValueError, match=r"x\.csv is no text: save it as CSV"):
        encoding_of(tmp_path / "x.csv")


@pytest.mark.parametrize("blank", ["", "\n", " \n\n"])
def test_a_second_line_of_separators_is_refused_at_once(tmp_path, blank):
    """pandas makes a name of the row from them, in a time that no one waits for."""
    path = tmp_path / "rows.csv"
    path.write_text(f"a,b\n{blank}{',' * 1_000_000}\nx,y\n", encoding="utf-8")
    line = 2 + blank.count("\n")
    with pytest.raises(ValueError, match=rf"line {line} of .*rows.csv has 1,000,001 fields"):
        read_csv([path])


def test_a_name_of_a_million_characters_is_called_that(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(f"a,{'n' * 1_000_000}\nx,y\n", encoding="utf-8")
    with pytest.raises(ValueError, match="has a name of more than 131,072 characters: shorten it"):
        separator_of(path)
