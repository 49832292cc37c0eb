"""What notebooks show: every part there, every name as text, nothing that runs or asks."""

from xml.etree import ElementTree

import pytest

from bnsieve import Graph
from bnsieve.graph import part_to_draw
from bnsieve.text import MAX_TABLE_ROWS, Colour, NotebookTable, escaped_html, notebook_html
from shown_html import HOSTILE, cells, parsed


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_hostile_names_are_text(name):
    graph = Graph([name, "b"], [(name, "b")])
    found = parsed(graph._repr_html_())
    shown_name = " ".join(
        name.replace("\u202e", " ").replace("\x00", " ").replace("\x07", " ").split()
    )
    if name == "\ud800":
        shown_name = ""
    first, arrow, second = cells(found)
    assert (arrow, second) == ("→", "b")
    assert first == (shown_name if len(shown_name) <= 80 else shown_name[:79] + "…")


def test_long_text_is_there_in_whole_to_point_at():
    element = ElementTree.fromstring(escaped_html("y" * 300))
    assert element.text == "y" * 79 + "…"
    assert element.attrib["title"] == "y" * 300
    assert ElementTree.fromstring(escaped_html("y" * 300, None)).text == "y" * 300


def test_a_graph_shows_its_picture_and_its_edges():
    graph = Graph(["a", "b", "c"], [("a", "b")], [("b", "c")])
    found = parsed(graph._repr_html_())
    assert len(found["svg"]) == 1
    assert "".join(found["b"][0].itertext()) == "PDAG with 3 nodes and 2 edges"
    assert cells(found) == ["a", "→", "b", "b", "—", "c"]


def test_an_empty_graph_and_one_without_edges():
    assert "svg" not in parsed(Graph([])._repr_html_())
    found = parsed(Graph(["a"])._repr_html_())
    assert len(found["svg"]) == 1
    assert "table" not in found


def test_of_a_large_graph_a_part_is_drawn_and_the_rest_named():
    # A star of 100 leaves, and a chain of 900 nodes apart from it.
    leaves = [(f"leaf{i}", "hub") for i in range(100)]
    chain = [(f"c{i}", f"c{i + 1}") for i in range(899)]
    graph = Graph(["hub", *(a for a, _ in leaves), *(f"c{i}" for i in range(900))], leaves + chain)
    html = graph._repr_html_()
    found = parsed(html)
    assert len(html) < 1_000_000
    drawn = [title.text for title in found["title"]]
    assert len(drawn) == 40
    assert "hub" in drawn
    told = "".join(found["p"][1].itertext())
    assert told.startswith("Drawn are 40 of 1,001 nodes: those nearest to hub")
    assert len(found["td"]) == 3 * MAX_TABLE_ROWS
    assert "".join(found["p"][-1].itertext()) == f"… and {999 - MAX_TABLE_ROWS} more"


def test_many_edges_among_few_nodes_are_not_all_drawn():
    nodes = [f"n{i}" for i in range(40)]
    graph = Graph(nodes, [(a, b) for i, a in enumerate(nodes) for b in nodes[i + 1 :]])
    part, note = part_to_draw(graph)
    assert part.n_nodes == 12
    assert note.startswith("Drawn are 12 of 40 nodes")


def test_around_is_nearest_first():
    graph = Graph(list("abcdef"), [("a", "b"), ("b", "c"), ("c", "d"), ("e", "d")])
    assert set(graph.around("a", most=3).nodes) == {"a", "b", "c"}
    assert set(graph.around("a", "e", most=4).nodes) == {"a", "e", "b", "d"}
    assert set(graph.around("f").nodes) == {"f"}
    with pytest.raises(ValueError, match="'z'"):
        graph.around("z")


def test_every_colour_of_a_picture_has_one_for_dark_pages():
    names = ["PAPER", "INK", "ARROW", "LINE", "BOX", "BORDER", "CHOSEN", "CHOSEN_BORDER"]
    names += ["MISSING", "EXTRA", "TURNED"]
    style = parsed(notebook_html("x"))["style"][0].text
    for name in names:
        assert f'[fill="{Colour[name]}"]{{fill:#' in style
        assert f'[stroke="{Colour[name]}"]{{stroke:#' in style


def test_tables_say_what_they_leave_out():
    rows = [(str(i), "x") for i in range(100)]
    found = parsed(
        notebook_html(
            "heading", tables=[NotebookTable("t", ("n", "x"), rows), NotebookTable("none", (), [])]
        )
    )
    assert len(found["tr"]) == 1 + MAX_TABLE_ROWS
    assert "".join(found["p"][-1].itertext()) == "… and 70 more"
    assert len(found["details"]) == 1


def test_a_picture_shows_itself_on_dark_pages_too():
    picture = Graph(["a", "b"], [("a", "b")]).plot()
    assert len(parsed(picture._repr_html_())["svg"]) == 1
