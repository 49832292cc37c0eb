from itertools import pairwise

import pytest

import bnsieve as bn
from bnsieve.report import comparison_page
from bnsieve.report.comparing import pairs_of
from hostile_names import HOSTILE
from read_page import ReadPage

FIRST = bn.Graph(list("abcde"), [("a", "b"), ("c", "b"), ("c", "d")], [("d", "e")])
SECOND = bn.Graph(list("abcdef"), [("a", "b"), ("b", "c"), ("d", "e")], [("a", "d")])


def test_pairs_are_agreed_lost_gained_or_turned():
    kinds = {(pair.a, pair.b): pair.kind for pair in pairs_of(FIRST, SECOND)}
    assert kinds == {
        ("b", "c"): "turned",
        ("d", "e"): "turned",
        ("c", "d"): "lost",
        ("a", "d"): "gained",
        ("a", "b"): "agreed",
    }


def test_each_graph_has_its_own_edges_in_one_layout():
    page = ReadPage(comparison_page(FIRST, SECOND, "one", "two"))
    drawn = [own for tag, own in page.elements if tag == "g" and "data-edge" in own]
    assert len(drawn) == FIRST.n_edges + SECOND.n_edges
    boxes = [own for tag, own in page.elements if tag == "rect"]
    assert boxes[:6] == boxes[6:]
    assert "1 edge is the same in both." in page.text
    assert "two lost 1, gained 1 and turned 2" in page.text
    assert "Only two has 1 variable: f" in page.text


def test_a_turned_arrow_has_its_head_at_the_other_end():
    first, second = bn.Graph(list("ab"), [("a", "b")]), bn.Graph(list("ab"), [("b", "a")])
    page = ReadPage(comparison_page(first, second, "one", "two"))
    heads = [own["points"].split()[0] for tag, own in page.elements if tag == "polygon"]
    tips = [float(point.split(",")[1]) for point in heads]
    middles = {own["data-node"]: None for _, own in page.elements if "data-node" in own}
    assert len(middles) == 2
    assert tips[0] != tips[1]


def test_hostile_names_are_text():
    names = [name or "empty" for name in HOSTILE]
    first = bn.Graph(names, list(pairwise(names)))
    page = ReadPage(comparison_page(first, bn.Graph(names), "<b>", "</title>"))
    assert page.tags.isdisjoint({"b", "img"})
    assert page.data["names"] == names
    assert len(page.scripts) == 2


def test_graphs_without_a_common_column_are_refused():
    with pytest.raises(ValueError, match="no variable in common"):
        comparison_page(bn.Graph(list("ab")), bn.Graph(list("cd")), "one", "two")


def test_half_a_character_can_be_written():
    graph = bn.Graph(["\ud800half", "b"], [("\ud800half", "b")])
    text = comparison_page(graph, graph, "one", "two")
    assert ReadPage(text.encode("utf-8").decode("utf-8")).data["names"] == ["\ud800half", "b"]
