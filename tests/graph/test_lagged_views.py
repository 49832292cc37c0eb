"""Views of graphs over variables and lags, by hand."""

import xml.etree.ElementTree as ET

import pytest

import bnsieve as bn
from hostile_names import HOSTILE

NAMES = ["valve", "flow", "site", "valve@t-1", "flow@t-1", "valve@t-2", "flow@t-2"]


@pytest.fixture
def graph():
    edges = [
        ("valve@t-1", "valve"),
        ("flow@t-1", "flow"),
        ("flow@t-2", "flow"),
        ("valve@t-1", "flow"),
        ("valve@t-2", "flow"),
        ("flow@t-1", "valve"),
        ("site", "flow"),
    ]
    return bn.Graph(NAMES, edges, [("valve", "flow")])


def test_edges_of_one_pair_are_one_edge_with_lags(graph):
    views = graph.over_time()
    assert views.variables == ("valve", "flow", "site")
    assert views.lags == 2
    found = {(edge.tail, edge.head, edge.directed): edge.lags for edge in views.edges}
    assert found == {
        ("valve", "valve", True): (1,),
        ("flow", "flow", True): (1, 2),
        ("valve", "flow", True): (1, 2),
        ("flow", "valve", True): (1,),
        ("site", "flow", True): (0,),
        ("valve", "flow", False): (0,),
    }
    assert views.own_lags == {"valve": (1,), "flow": (1, 2)}
    frame = views.to_frame()
    assert len(frame) == len(graph.directed_edges) + len(graph.undirected_edges)
    assert "valve -> flow (t-1, t-2)" in str(views)


def test_a_graph_without_lags_is_its_own_summary():
    graph = bn.Graph(["a", "b"], [("a", "b")])
    views = graph.over_time()
    assert [(edge.tail, edge.head, edge.lags) for edge in views.edges] == [("a", "b", (0,))]
    assert views.lags == 0


def test_the_summary_draws_each_variable_once(graph, tmp_path):
    picture = graph.over_time().plot(tmp_path / "summary.svg")
    assert (tmp_path / "summary.svg").read_text(encoding="utf-8") == picture.svg
    texts = ["".join(one.itertext()) for one in ET.fromstring(picture.svg).iter() if _is_text(one)]
    assert "valve ↻ 1" in texts and "flow ↻ 1, 2" in texts and "site" in texts
    assert any(set(text) & set("↓↑") for text in texts)  # lags of both directions on one line


def test_slices_have_a_column_for_each_step(graph):
    root = ET.fromstring(graph.over_time().plot_slices().svg)
    titles = [one.text for one in root.iter() if one.tag.endswith("title")]
    assert sorted(titles) == sorted(NAMES)
    left = {}
    for group in root:
        if group.tag.endswith("}g"):
            title, box, *_ = group
            left[title.text] = float(box.get("x"))
    assert left["valve@t-2"] == left["flow@t-2"] < left["valve@t-1"] < left["valve"] == left["site"]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_stay_text(name):
    graph = bn.Graph([name, "other", f"{name}@t-1"], [(f"{name}@t-1", "other")])
    views = graph.over_time()
    for picture in (views.plot(), views.plot_slices()):
        ET.fromstring(picture.svg)


def _is_text(element):
    return element.tag.endswith("text")
