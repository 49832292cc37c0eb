"""Edge lists: what is written is read again, and broken files say where."""

import csv
import math
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsieve.exchange import FormatError, Strength, read, read_strengths, write
from bnsieve.graph import Graph
from strategies import pdags

NAMES = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=5)


@given(pdags(), st.lists(NAMES, min_size=7, max_size=7, unique=True))
def test_write_and_read_again(graph, names):
    renamed = graph.relabel(dict(zip(graph.nodes, names, strict=False)))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "graph.csv"
        write(renamed, path)
        assert read(path) == renamed


def test_rows_by_hand(tmp_path):
    path = tmp_path / "graph.csv"
    path.write_text('to,weight,from\nb,1,a\nc,2,b\nb,3,c\n,,d\n"e,f",4,a\n', encoding="utf-8")
    assert read(path) == Graph(
        ["a", "b", "c", "d", "e,f"], directed=[("a", "b"), ("a", "e,f")], undirected=[("b", "c")]
    )


def test_a_file_as_other_programs_write_it(tmp_path):
    # R's write.csv quotes every text; Excel begins with a byte order mark and ends lines in CRLF.
    path = tmp_path / "graph.csv"
    path.write_bytes('\ufeff"from","to"\r\n"a","b"\r\n\r\n'.encode())
    assert read(path) == Graph(["a", "b"], [("a", "b")])


def test_what_is_written_is_plain_csv(tmp_path):
    path = tmp_path / "graph.csv"
    write(Graph(["a", "b", "c", "d"], [("b", "a")], [("a", "c")]), path)
    with path.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [
            ["from", "to"], ["b", "a"], ["a", "c"], ["c", "a"], ["d", ""],
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "found nothing"),
        (
            "source,target\na,b\n",
            1,
            "needs the columns 'from' and 'to', found 'source' and 'target'",
        ),
        ("from,to\na,b\n,c\n", 3, "names no node in the column 'from'"),
        ("from,to\na,a\n", 2, "from 'a' to itself"),
        ("from,to\na,b\na,b\n", 3, "from 'a' to 'b' is listed twice"),
        ('from,to\na,"b\n', 2, "not a CSV row"),
    ],
)
def test_broken_files_say_where(tmp_path, text, line, message):
    path = tmp_path / "broken.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message) as caught:
        read(path)
    assert caught.value.line == line
    assert caught.value.path == str(path)


def test_cycles_and_other_encodings_are_refused(tmp_path):
    path = tmp_path / "broken.csv"
    path.write_text("from,to\na,b\nb,c\nc,a\n", encoding="utf-8")
    with pytest.raises(ValueError, match="cycle"):
        read(path)
    path.write_bytes("from,to\né,b\n".encode("latin-1"))
    with pytest.raises(ValueError, match="not utf-8 text"):
        read(path)


def test_a_nameless_node_cannot_be_written(tmp_path):
    with pytest.raises(ValueError, match="empty"):
        write(Graph(["", "a"]), tmp_path / "graph.csv")


def test_strengths_are_written_and_read_again(tmp_path):
    path = tmp_path / "graph.csv"
    graph = Graph(["a", "b,b", "c", "d"], [("a", "b,b")], [("b,b", "c")])
    strengths = {
        ("a", "b,b"): Strength(0.9, 1 / 3),
        ("b,b", "c"): Strength(1.0, 0.25),
        ("a", "c"): Strength(0.1, 0.5),
    }
    write(graph, path, strengths=strengths)
    assert path.read_text(encoding="utf-8").splitlines() == [
        "from,to,strength,direction",
        'a,"b,b",0.9,0.3333333333333333',
        '"b,b",c,1.0,0.25',
        'c,"b,b",,',
        "d,,,",
    ]
    assert read(path) == graph
    del strengths["a", "c"]
    assert read_strengths(path) == strengths


def test_strengths_as_r_writes_them(tmp_path):
    path = tmp_path / "boot.csv"
    path.write_text(
        '"","from","to","strength","direction"\n"1","A","B",1,0.5\n"2","B","A",1,0.5\n'
        '"3","A","C",0,0\n"4","C","A",0,0\n"5","B","C",NA,NA\n"6","C","B",NA,NA\n',
        encoding="utf-8",
    )
    assert read_strengths(path) == {
        ("A", "B"): (1.0, 0.5),
        ("B", "A"): (1.0, 0.5),
        ("A", "C"): (0.0, 0.0),
        ("C", "A"): (0.0, 0.0),
    }
    with pytest.raises(FormatError, match="a list of all pairs, which read_strengths reads"):
        read(path)


def test_strengths_of_a_bootstrap(tmp_path):
    class Found:
        def of(self, x, y):
            return {("a", "b"): (0.75, 0.25)}.get((x, y), (0.0, math.nan))

    path = tmp_path / "graph.csv"
    graph = Graph(["a", "b", "c", "d"], [("a", "b"), ("b", "c")])
    write(graph, path, strengths=Found())
    assert read(path) == graph
    assert read_strengths(path) == {("a", "b"): (0.75, 0.25), ("b", "c"): (0.0, 0.0)}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a,b,2,0", "strength must be between 0 and 1, not '2'"),
        ("a,b,nan,0", "strength must be between 0 and 1, not 'nan'"),
        ("a,b,0.5,often", "direction must be between 0 and 1, not 'often'"),
        ("a,b,0.5,", "strength and direction go together"),
        ("a,b,1,1\na,b,1,1", "listed twice"),
    ],
)
def test_wrong_strengths_say_where(tmp_path, row, message):
    path = tmp_path / "wrong.csv"
    path.write_text(f"from,to,strength,direction\n{row}\n", encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        read_strengths(path)


def test_strengths_need_their_columns(tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("from,to\na,b\n", encoding="utf-8")
    with pytest.raises(FormatError, match="'to', 'strength' and 'direction', found 'from'"):
        read_strengths(path)
