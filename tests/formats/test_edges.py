"""Edge lists: what is written is read again, and broken files say where."""

import csv
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsieve.formats import FormatError, read_edges, write_edges
from bnsieve.graph import Graph
from strategies import pdags

NAMES = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=5)


@given(pdags(), st.lists(NAMES, min_size=7, max_size=7, unique=True))
def test_write_and_read_again(graph, names):
    renamed = graph.relabel(dict(zip(graph.nodes, names, strict=False)))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "graph.csv"
        write_edges(renamed, path)
        assert read_edges(path) == renamed


def test_rows_by_hand(tmp_path):
    path = tmp_path / "graph.csv"
    path.write_text('to,strength,from\nb,1,a\nc,2,b\nb,3,c\n,,d\n"e,f",4,a\n', encoding="utf-8")
    assert read_edges(path) == Graph(
        ["a", "b", "c", "d", "e,f"], directed=[("a", "b"), ("a", "e,f")], undirected=[("b", "c")]
    )


def test_a_file_as_other_programs_write_it(tmp_path):
    # R's write.csv quotes every text; Excel begins with a byte order mark and ends lines in CRLF.
    path = tmp_path / "graph.csv"
    path.write_bytes('\ufeff"from","to"\r\n"a","b"\r\n\r\n'.encode())
    assert read_edges(path) == Graph(["a", "b"], [("a", "b")])


def test_what_is_written_is_plain_csv(tmp_path):
    path = tmp_path / "graph.csv"
    write_edges(Graph(["a", "b", "c", "d"], [("b", "a")], [("a", "c")]), path)
    with path.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [
            ["from", "to"], ["b", "a"], ["a", "c"], ["c", "a"], ["d", ""],
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "found nothing"),
        ("source,target\na,b\n", 1, "needs the columns 'from' and 'to', found 'source', 'target'"),
        ("from,to\na,b\n,c\n", 3, "names no node in the column 'from'"),
        ("from,to\na,a\n", 2, "joins 'a' to itself"),
        ("from,to\na,b\na,b\n", 3, "from 'a' to 'b' is listed twice"),
        ('from,to\na,"b\n', 2, "not a CSV row"),
    ],
)
def test_broken_files_say_where(tmp_path, text, line, message):
    path = tmp_path / "broken.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message) as caught:
        read_edges(path)
    assert caught.value.line == line
    assert caught.value.path == str(path)


def test_cycles_and_other_encodings_are_refused(tmp_path):
    path = tmp_path / "broken.csv"
    path.write_text("from,to\na,b\nb,c\nc,a\n", encoding="utf-8")
    with pytest.raises(ValueError, match="cycle"):
        read_edges(path)
    path.write_bytes("from,to\né,b\n".encode("latin-1"))
    with pytest.raises(ValueError, match="is not text in UTF-8"):
        read_edges(path)


def test_a_nameless_node_cannot_be_written(tmp_path):
    with pytest.raises(ValueError, match="empty"):
        write_edges(Graph(["", "a"]), tmp_path / "graph.csv")
