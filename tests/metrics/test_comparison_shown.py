"""A comparison in a notebook: every edge drawn once, with what became of it."""

from bnsieve import Graph
from bnsieve.metrics import compare
from bnsieve.text import Colour
from shown_html import HOSTILE, cells, parsed

NODES = ["a", "b", "c", "d", "e"]


def test_each_edge_is_drawn_as_what_became_of_it():
    # Both have a -> c <- b. The truth has c -> d too, the learned graph d - e, which is turned
    # nowhere: it is extra.
    truth = Graph(NODES, [("a", "c"), ("b", "c"), ("c", "d")])
    learned = Graph(NODES, [("a", "c"), ("b", "c")], [("d", "e")])
    found = parsed(compare(truth, learned)._repr_html_())
    in_legend = 3
    strokes = [path.attrib["stroke"] for path in found["path"]]
    assert len(strokes) == 4 + in_legend
    assert sorted(strokes[:4]) == sorted([Colour.ARROW, Colour.ARROW, Colour.MISSING, Colour.EXTRA])
    dashed = [path.attrib["stroke"] for path in found["path"] if "stroke-dasharray" in path.attrib]
    assert set(dashed) == {Colour.MISSING}
    heading = "".join(found["b"][0].itertext())
    assert heading == "2 edges right, 1 missing, 1 extra; F1 0.67, SHD 2"
    assert cells(found)[:6] == ["missing", "c -> d", "", "extra", "", "d - e"]


def test_a_turned_edge():
    truth = Graph(["a", "b", "c"], [("a", "c"), ("b", "c")])
    learned = Graph(["a", "b", "c"], [("a", "c")], [("b", "c")])
    found = parsed(compare(truth, learned)._repr_html_())
    assert Colour.TURNED in {path.attrib["stroke"] for path in found["path"]}
    assert "turned" in cells(found)


def test_a_missing_arrow_against_the_others_closes_no_cycle():
    truth = Graph(["a", "b", "c", "d"], [("c", "a"), ("d", "a")])
    learned = Graph(["a", "b", "c", "d"], [("a", "b"), ("d", "b"), ("b", "c")])
    assert "svg" in parsed(compare(truth, learned)._repr_html_())


def test_graphs_that_agree_and_empty_ones():
    graph = Graph(NODES, [("a", "b")])
    assert "SHD 0" in compare(graph, graph)._repr_html_()
    parsed(compare(Graph([]), Graph([]))._repr_html_())


def test_hostile_names():
    truth = Graph(HOSTILE, [(HOSTILE[0], HOSTILE[1]), (HOSTILE[2], HOSTILE[1])])
    learned = Graph(HOSTILE, [(HOSTILE[3], HOSTILE[4])])
    parsed(compare(truth, learned)._repr_html_())


def test_how_many_edges_differ_and_every_measure():
    truth = Graph(NODES, [("a", "c"), ("b", "c"), ("c", "d")])
    titles = []
    for learned in (truth, Graph(NODES, [("a", "c"), ("b", "c")]), Graph(NODES, [("a", "c")])):
        found = parsed(compare(truth, learned)._repr_html_())
        titles.append("".join(found["summary"][0].itertext()).strip())
    # An empty table is not shown. Of the last, a -> c is a line of its class; two are missing.
    assert titles == ["All measures", "1 edge differs", "3 edges differ"]
    found = parsed(compare(truth, Graph(NODES, [("a", "c"), ("b", "c")]))._repr_html_())
    lines = [["".join(cell.itertext()) for cell in row] for row in found["tr"]]
    for line in (["recall", "0.667"], ["n true", "3"], ["both extendable", "True"]):
        assert line in lines
