"""bnsieve's JSON: labels keep their types, and hostile files end in an error that says where."""

import datetime
import itertools
import json

import numpy as np
import pytest

from bnsieve import BayesianNetwork, Graph
from bnsieve.exchange import FormatError, read, write
from bnsieve.exchange.jsonfile import format_json, parse_json
from work import lines_run, peak_bytes

GRAPH = {
    "format": "bnsieve",
    "version": 1,
    "kind": "graph",
    "nodes": ["a", "b", "c"],
    "edges": [
        {"from": "a", "to": "b", "directed": True},
        {"from": "c", "to": "b", "directed": False},
    ],
}
NETWORK = {
    "format": "bnsieve",
    "version": 1,
    "kind": "network",
    "variables": [
        {"name": "a", "states": ["no", "yes"], "parents": [], "table": [[0.5, 0.5]]},
        {"name": "b", "states": [1, 2.5], "parents": ["a"], "table": [[1, 0], [0.25, 0.75]]},
    ],
}


def test_files_by_hand():
    assert parse_json(json.dumps(GRAPH)) == Graph(["a", "b", "c"], [("a", "b")], [("b", "c")])
    network = parse_json(json.dumps(NETWORK))
    assert network == BayesianNetwork(
        Graph(["a", "b"], [("a", "b")]),
        {"a": ["no", "yes"], "b": [1, 2.5]},
        {"a": [0.5, 0.5], "b": [[1, 0], [0.25, 0.75]]},
    )


def test_labels_keep_their_types(tmp_path):
    states = ["1", 1, 2.5, np.int64(7), np.float64(0.5), False]
    network = BayesianNetwork(Graph(["a"]), {"a": states}, {"a": [1 / 6] * 6})
    write(network, tmp_path / "network.json")
    again = read(tmp_path / "network.json")
    assert again == network
    assert [type(label) for label in again.states["a"]] == [str, int, float, int, float, bool]


@pytest.mark.parametrize("label", [None, (1, 2), datetime.date(2020, 1, 1), float("inf")])
def test_labels_that_json_cannot_hold(label):
    network = BayesianNetwork(Graph(["a"]), {"a": [label]}, {"a": [1.0]})
    with pytest.raises(ValueError, match=r"JSON cannot hold the state .* of 'a': make the column"):
        format_json(network)


def test_half_a_character(tmp_path):
    with pytest.raises(ValueError, match=r"ud800.* half a character.*rename"):
        write(Graph(["\ud800"]), tmp_path / "graph.json")


def changed(base, **values):
    return json.dumps({**base, **values})


VARIABLE = NETWORK["variables"][0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: this is not JSON"),
        ('{"format": "bnsieve",\n oops}', "line 2, column 2: this is not JSON"),
        ("[]", 'whose "format" is "bnsieve"'),
        ('{"elements": {}}', "Cytoscape file must end in .cyjs"),
        (
            changed(GRAPH, version=4),
            "reads versions 1, 2 and 3 only: upgrade bnsieve",
        ),
        (changed(GRAPH, version=True), "version: this bnsieve reads versions 1, 2 and 3 only"),
        (changed(GRAPH, kind="table"), 'kind: this must be "graph" or "network"'),
        (changed(GRAPH, kind=["graph"]), 'kind: this must be "graph" or "network"'),
        (changed(GRAPH, code="import os"), "the key 'code' is unknown; known are format,"),
        (changed(GRAPH, nodes="abc"), 'nodes: this must be a list, but is "abc"'),
        (changed(GRAPH, nodes=["a", 1]), r"nodes\[1\]: this must be text, but is 1"),
        (changed(GRAPH, nodes=["a", "a", "b"]), "node 'a' is given twice"),
        (changed(GRAPH, nodes={"a": 1}), "nodes: this must be a list, but is an object"),
        (changed(GRAPH, nodes=["a"]), "names 'b', which is not a node"),
        (changed(GRAPH, edges=[["a", "b"]]), r"edges\[0\]: this must be an object, but is a list"),
        (changed(GRAPH, edges=[{"from": "a", "to": "b"}]), r"edges\[0\]: the key 'directed' is"),
        (
            changed(GRAPH, edges=[{"from": "a", "to": "b", "directed": 1}]),
            "true or false, but is 1",
        ),
        (
            changed(
                GRAPH, edges=[{"from": a, "to": b, "directed": True} for a, b in ("ab", "bc", "ca")]
            ),
            "directed cycle: b -> c -> a -> b",
        ),
        ('{"format": "bnsieve", "format": "bnsieve"}', "the key 'format' occurs twice"),
        (
            changed(NETWORK, variables=[VARIABLE, VARIABLE]),
            r"variables\[1\]: .* 'a' is declared twice",
        ),
        (changed(NETWORK, variables=[{**VARIABLE, "parents": ["z"]}]), r"'z' is not declared"),
        (changed(NETWORK, variables=[{**VARIABLE, "states": ["x"] * 2}]), "each of them once"),
        (changed(NETWORK, variables=[{**VARIABLE, "states": [None, 1]}]), "a state must be text"),
        (
            changed(NETWORK, variables=[{**VARIABLE, "states": []}]),
            "each of them once",
        ),
        (
            changed(NETWORK, variables=[{**VARIABLE, "table": [0.5, 0.5]}]),
            r"table\[0\]: this must",
        ),
        (changed(NETWORK, variables=[{**VARIABLE, "table": [[0.5]]}]), "1 rows of 2 numbers"),
        (
            changed(NETWORK, variables=[{**VARIABLE, "table": [[0.5, "x"]]}]),
            r"table\[0\]\[1\]: this",
        ),
        (changed(NETWORK, variables=[{**VARIABLE, "table": [[True, 0]]}]), "a number, but is true"),
        (changed(NETWORK, variables=[{**VARIABLE, "table": [[0.5, 0.6]]}]), "sum to 1.1"),
        (changed(NETWORK, variables=[{**VARIABLE, "table": [[-0.5, 1.5]]}]), "negative"),
        (changed(NETWORK, variables=[{**VARIABLE, "table": [[10**400, 0]]}]), "too large"),
        (json.dumps(NETWORK).replace("0.25", "NaN"), "NaN is not a number in JSON"),
        (json.dumps(NETWORK).replace("0.25", "1e999"), "the number is too large"),
        (json.dumps(NETWORK).replace("2.5", "1e999"), "the number is too large"),
        (json.dumps(NETWORK).replace("0.25", "9" * 10_000), "digits|large"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_wrong_files_say_where(tmp_path, text, message):
    path = tmp_path / "wrong.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message) as caught:
        read(path)
    assert caught.value.path == str(path)


def test_other_encodings_are_refused(tmp_path):
    path = tmp_path / "latin.json"
    path.write_bytes('{"format": "é"}'.encode("latin-1"))
    with pytest.raises(FormatError, match="not utf-8"):
        read(path)


def test_work_and_memory_grow_with_length():
    """Ten times as many nodes: 10 times as much if in proportion, 100 times if as the square."""
    found = []
    for n_nodes in (300, 3_000):
        nodes = [f"n{i}" for i in range(n_nodes)]
        graph = Graph(nodes, list(itertools.pairwise(nodes)))
        assert parse_json(format_json(graph)) == graph

        def both_ways(graph=graph):
            parse_json(format_json(graph))

        found.append((lines_run(both_ways), peak_bytes(both_ways)))
    for few, many in zip(*found, strict=True):
        assert many < 20 * few
