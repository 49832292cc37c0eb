"""DOT files, as Graphviz's grammar has them."""

import pytest

from bnsieve import Graph
from bnsieve.exchange import read, write
from bnsieve.exchange.dot import format_dot


def test_names_are_quoted_and_undirected_edges_have_no_head():
    # In a quoted name a quote is escaped; a backslash is doubled, lest it escape what follows.
    graph = Graph(['say "no"', "a\\b", "été"], [('say "no"', "a\\b")], [("a\\b", "été")])
    assert format_dot(graph).splitlines() == [
        "digraph {",
        r'  "say \"no\"";',
        r'  "a\\b";',
        '  "été";',
        r'  "say \"no\"" -> "a\\b";',
        r'  "a\\b" -> "été" [dir=none];',
        "}",
    ]


def test_files_are_written_and_not_read(tmp_path):
    path = tmp_path / "graph.dot"
    graph = Graph(["a", "b"], [("a", "b")])
    write(graph, path)
    assert path.read_text(encoding="utf-8") == format_dot(graph)
    with pytest.raises(ValueError, match=r"DOT files are written, not read.*\.json"):
        read(path)


def test_a_pag_has_a_shape_at_each_end():
    edges = [("i", "x"), ("h", "x"), ("h", "y"), ("j", "y"), ("y", "z")]
    pag = Graph(["i", "x", "h", "y", "j", "z"], edges).to_pag(hidden=["h"])
    assert format_dot(pag).splitlines()[6:] == [
        '  "i" -> "x" [dir=both, arrowtail=odot, arrowhead=normal];',
        '  "x" -> "y" [dir=both, arrowtail=normal, arrowhead=normal];',
        '  "y" -> "j" [dir=both, arrowtail=normal, arrowhead=odot];',
        '  "y" -> "z" [dir=both, arrowtail=none, arrowhead=normal];',
        "}",
    ]
