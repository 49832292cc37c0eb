"""CSV files as people have them: the dialect is recognised, and the line at fault is named."""

import gzip

import pytest

from bnsieve.rows.csv_dialect import CsvDialect, encoding_of
from bnsieve.rows.csv_reader import read_csv


def written(folder, text, name="a.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("header", "separator", "names"),
    [
        ("x,y", ",", ("x", "y")),
        ("x;y", ";", ("x", "y")),
        ("x\ty", "\t", ("x", "y")),
        ("x|y|z, or v", "|", ("x", "y", "z, or v")),
        ("x", ",", ("x",)),
        ('"a;b;c",d', ",", ("a;b;c", "d")),
        ('"two\nlines";"b, c"', ";", ("two\nlines", "b, c")),
        ("\ufeffx;y", ";", ("x", "y")),
        ("x,,", ",", ("x", "Unnamed: 1", "Unnamed: 2")),
    ],
)
def test_separator_and_names_are_recognised(tmp_path, header, separator, names):
    dialect = CsvDialect.of(written(tmp_path, header + "\nu,v\n"))
    assert (dialect.separator, dialect.names) == (separator, names)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n\nx,y\n", "blank"),
        (" ,\n1,2\n", "blank"),
        ("x,y,x\n1,2,3\n", "two columns 'x': rename one"),
        ("x,,Unnamed: 1\n1,2,3\n", "two columns 'Unnamed: 1': rename one"),
        ('"x,y\n1,2\n', "opens in line 1 .* does not close"),
        ('"x,y\n' + "1,2\n" * 50_000, "opens in line 1 .* does not close"),
        (f"a,{'n' * 1_000_000}\nx,y\n", "has a name of more than 131,072 characters: shorten it"),
    ],
)
def test_headers_that_name_no_columns(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        CsvDialect.of(written(tmp_path, text))


EVEN = [
    "x,y\n1,2\n3,4",
    "x,y\n1,2\n3,4\n",
    "x,y\r\n1,2\r\n3,4\r\n",
    "x,y\r1,2\r3,4",
    "x,y\n1,2\n\n3,4\n\n\n",
    "x,y\n1,2\n   \n4,5",
    'x,y\n"1,5",2\n"a\n\nb",","\n',
    'x,y\n"say ""so, then""",2\n5" pipe,3\n',
    'x,y\n"",2\n"a"b,c\n',
    "x\n1\n\n2\n",
    '"x","y"\n"1",NA\n2,"3"',
    "x,y\n,\n,",
]


@pytest.mark.parametrize("text", EVEN)
@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
def test_even_lines_pass(tmp_path, text, name):
    raw = text.encode()
    path = written(tmp_path, gzip.compress(raw) if name.endswith("gz") else raw, name)
    assert read_csv([path]).n_rows == 2
    CsvDialect.of(path).require_even_lines()


@pytest.mark.parametrize(
    ("text", "line", "n_fields", "cure"),
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
        ("x\ty\n1\t2\n\t\t\n", 3, "3 fields,", ""),
    ],
)
def test_the_uneven_line_is_named(tmp_path, text, line, n_fields, cure):
    path = written(tmp_path, text)
    with pytest.raises(ValueError, match=f"line {line} of ") as error:
        read_csv([path])
    assert str(path) in str(error.value)
    assert f"has {n_fields} and the first line names" in str(error.value)
    assert cure in str(error.value)


@pytest.mark.parametrize("rest", ["", "3,4\n", "3,4\n" * 50_000])
@pytest.mark.parametrize("opening", ['5,"6\n', '"5,6\n', '"', '5,"'])
def test_a_quote_that_never_closes_is_named(tmp_path, opening, rest):
    path = written(tmp_path, "x,y\n1,2\n" + opening + rest)
    with pytest.raises(ValueError, match=r"line 3 of .* does not close: close it, or double"):
        read_csv([path])


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
    assert encoding_of(written(tmp_path, content)) == expected
    assert encoding_of(written(tmp_path, gzip.compress(content), "x.csv.gz")) == expected


def test_what_is_no_text_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"a\.csv is not text: save it as CSV"):
        encoding_of(written(tmp_path, b"PK\x03\x04\x00\x00"))


@pytest.mark.parametrize("blank", ["", "\n", " \n\n"])
def test_a_second_line_of_separators_is_refused_at_once(tmp_path, blank):
    path = written(tmp_path, f"a,b\n{blank}{',' * 1_000_000}\nx,y\n")
    line = 2 + blank.count("\n")
    with pytest.raises(ValueError, match=rf"line {line} of .*a.csv has 1,000,001 fields"):
        read_csv([path])
