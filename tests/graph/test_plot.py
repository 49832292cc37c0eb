"""The picture itself: what is drawn, that names stay text, and what is refused."""

import subprocess
import sys
from pathlib import Path

import pytest

from bnsieve import Graph, load_network
from bnsieve.exchange.xml_tree import parse_xml
from bnsieve.graph.picture import Picture

GRAPH = Graph(["a", "b", "c", "d"], [("a", "b"), ("c", "b")], [("c", "d")])


def elements(picture):
    """All elements of a picture, by name."""
    found = {}

    def walk(element):
        found.setdefault(element.tag, []).append(element)
        for child in element.children:
            walk(child)

    walk(parse_xml(picture.svg.encode(), "svg", None))
    return found


def test_every_node_and_edge_is_drawn():
    found = elements(GRAPH.plot(title="Rain & snow"))
    texts = [text.text for text in found["text"]]
    assert texts == ["Rain & snow", "a", "b", "c", "d", "direction undetermined"]
    assert len(found["rect"]) == 1 + 4
    assert len(found["polygon"]) == 2
    colours = [path.attributes["stroke"] for path in found["path"]]
    assert len(colours) == 3 + 1
    assert len(set(colours)) == 2


def test_a_dag_needs_no_legend():
    found = elements(load_network("asia").graph.plot())
    assert len(found["text"]) == 8
    assert len(found["path"]) == len(found["polygon"]) == 8


def test_strengths_show():
    strengths = {("a", "b"): 0.3, ("b", "c"): (0.9, 0.4), ("c", "d"): 1.0}
    found = elements(GRAPH.plot(strengths=strengths))
    weak, sure = (path.attributes for path in found["path"][:2])
    assert "stroke-dasharray" in weak
    assert "stroke-dasharray" not in sure
    assert float(weak["stroke-width"]) < float(sure["stroke-width"])
    assert float(weak["stroke-opacity"]) < float(sure["stroke-opacity"])
    # c -> b was seen in 60 % of the resamples with that edge: its head is hollow.
    fills = [head.attributes["fill"] == head.attributes["stroke"] for head in found["polygon"]]
    assert fills[:2] == [True, False]
    assert [text.text for text in found["text"][4:]] == [
        "direction undetermined",
        "found in less than 70% of the resamples",
        "pointed this way in less than 70% of them",
    ]


def test_strengths_of_a_bootstrap():
    class Found:
        def of(self, x, y):
            return (0.5, 0.9)

    found = elements(GRAPH.plot(strengths=Found()))
    assert sum("stroke-dasharray" in path.attributes for path in found["path"]) == 3 + 1


def test_highlighted_nodes_differ():
    found = elements(GRAPH.plot(highlight=["b"]))
    fills = [box.attributes["fill"] for box in found["rect"][1:]]
    assert fills[1] not in (fills[0], fills[2])


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", '"><g onload="x">', "a & b", "]]>", "\x00\x07", "\ud800"]
)
def test_hostile_names_stay_text(name):
    picture = Graph([name, "b"], [(name, "b")]).plot(title=name)
    found = elements(picture)
    assert set(found) == {"svg", "rect", "g", "title", "text", "path", "polygon"}
    assert not any("onload" in one.attributes for group in found.values() for one in group)


def test_saved_and_shown(tmp_path):
    picture = GRAPH.plot(tmp_path / "graph.svg")
    assert isinstance(picture, Picture)
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8") == picture.svg
    assert picture._repr_svg_() == picture.svg
    with pytest.raises(ValueError, match=r"'graph\.png' must end in \.svg"):
        picture.save("graph.png")


def test_an_empty_graph_is_drawn():
    assert "<svg" in Graph([]).plot().svg


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"highlight": ["z"]}, "highlight names 'z', which is not a node"),
        ({"strengths": {("a", "b"): 1.5}}, "between 0 and 1, but that of 'a' and 'b' is 1.5"),
        ({"flow": "up"}, "flow must be 'down' or 'right', not 'up'"),
    ],
)
def test_mistakes(arguments, message):
    with pytest.raises(ValueError, match=message):
        GRAPH.plot(**arguments)


def test_too_many_nodes():
    with pytest.raises(ValueError, match="nobody can read a picture of 2,001 nodes: draw a part"):
        Graph([f"n{i}" for i in range(2001)]).plot()


def test_the_same_graph_gives_the_same_picture():
    code = "import bnsieve; print(hash(bnsieve.load_network('alarm').graph.plot().svg.encode()))"
    code = code.replace("hash(", "__import__('zlib').crc32(")
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PATH": str(Path(sys.executable).parent)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_confirmed_tentative_and_undetermined_directions_look_different():
    found = elements(GRAPH.plot(confirmed=[("a", "b")]))
    filled = [head.attributes["fill"] == head.attributes["stroke"] for head in found["polygon"]]
    assert sorted(filled[:2]) == [False, True]
    assert [text.text for text in found["text"][4:]] == [
        "direction confirmed",
        "direction tentative",
        "direction undetermined",
    ]
    assert len(found["polygon"]) == 2 + 2  # in the legend a line has no head


def test_a_deterministic_edge_is_a_double_line():
    found = elements(GRAPH.plot(deterministic=[("d", "c"), ("a", "d")]))
    assert len(found["path"]) == 3 + 1 + (1 + 2)  # edges, the second half of one, the legend
    assert found["text"][-1].text == "deterministic"
