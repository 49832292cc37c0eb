"""Cytoscape JSON: its two forms, and what networkx makes of it."""

import json

import networkx
import pytest

from bnsieve import Graph
from bnsieve.exchange import FormatError, read
from bnsieve.exchange.cytoscape import format_cytoscape, parse_cytoscape


def test_the_form_of_the_program():
    text = """{"format_version": "1.0", "data": {"shared_name": "g"}, "elements": {
      "nodes": [{"data": {"id": "57", "name": "rain", "SUID": 57}, "position": {"x": 1.5}},
                {"data": {"id": "58", "name": "wet"}}, {"data": {"id": "59"}}],
      "edges": [{"data": {"id": "60", "source": "57", "target": "58", "interaction": "pp"}}]}}"""
    assert parse_cytoscape(text) == Graph(["rain", "wet", "59"], [("rain", "wet")])


def test_the_form_of_the_library():
    text = """{"elements": [
      {"group": "nodes", "data": {"id": "a"}}, {"data": {"id": "b"}}, {"data": {"id": "c"}},
      {"data": {"id": "ab", "source": "a", "target": "b"}},
      {"group": "edges", "data": {"id": "bc", "source": "b", "target": "c", "directed": false}}]}"""
    assert parse_cytoscape(text) == Graph([*"abc"], [("a", "b")], [("b", "c")])


def test_numbers_as_ids_and_no_edges():
    assert parse_cytoscape('{"elements": {"nodes": [{"data": {"id": 1}}]}}') == Graph(["1"])


def test_networkx_and_back():
    graph = Graph(["a b", "c", '"d"'], [("a b", "c")], [("c", '"d"')])
    theirs = networkx.cytoscape_data(graph.to_networkx())
    assert parse_cytoscape(json.dumps(theirs)) == graph
    undirected = networkx.cytoscape_data(graph.to_networkx().to_undirected())
    assert parse_cytoscape(json.dumps(undirected)) == graph.skeleton()
    read = networkx.cytoscape_graph(
        {"data": [], "directed": True, "multigraph": False, **json.loads(format_cytoscape(graph))}
    )
    assert list(read.nodes) == list(graph.nodes)
    assert set(read.edges) == {("a b", "c"), ("c", '"d"')}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "the key 'elements' is missing"),
        ('{"elements": 1}', "elements: this must be an object, but is 1"),
        ('{"elements": {"nodes": [{}]}}', r"elements.nodes\[0\]: the key 'data' is missing"),
        ('{"elements": [{"data": {"id": []}}]}', r"\[0\].data.id: this must be text"),
        ('{"elements": [{"data": {"id": "a"}}, {"data": {"id": "a"}}]}', "'a' is listed twice"),
        ('{"elements": [{"data": {"source": "a", "target": "b"}}]}', "source: 'a' is the id of no"),
    ],
)
def test_wrong_files_say_where(tmp_path, text, message):
    path = tmp_path / "wrong.cyjs"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        read(path)
