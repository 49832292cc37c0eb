"""Graphs and networks over time, written and read again: variables, lags, slices."""

import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.exchange.jsonfile import format_json, parse_json
from cli_runs import answered, run

GRAPH = bn.Graph(
    ["valve", "heat", "site", "heat@t-1", "valve@t-2"],
    [("heat@t-1", "heat"), ("valve@t-2", "heat")],
    [("valve", "site")],
)


def series(*, numbers=False):
    rng = np.random.default_rng(0)
    valve, heat, rows = 0, 0.0, []
    for at in range(1500):
        heat = 0.5 * heat + 2 * valve + rng.normal()
        valve = valve if rng.random() < 0.8 else int(rng.integers(2))
        rows.append((at, ["shut", "open"][valve], heat if numbers else "hot" if heat > 2 else "ok"))
    return pd.DataFrame(rows, columns=["at", "valve", "heat"])


@pytest.fixture(scope="module")
def learner():
    return bn.TsetlinSieve(time="at", lags=1, random_state=0).fit(series())


def test_json_has_variable_and_lag_of_each_end():
    content = json.loads(format_json(GRAPH))
    assert content["version"] == 3
    assert {"variable": "valve", "lag": 2} in content["nodes"]
    assert content["edges"][1] == {
        "from": {"variable": "valve", "lag": 2},
        "to": {"variable": "heat", "lag": 0},
        "directed": True,
    }
    assert parse_json(format_json(GRAPH)) == GRAPH


def test_a_name_that_only_looks_lagged_is_kept():
    graph = bn.Graph(["x@t-1", "y", "y@t-1", "y@t-0"], [("x@t-1", "y"), ("y@t-1", "y")])
    assert json.loads(format_json(graph))["nodes"][0] == {"variable": "x@t-1", "lag": 0}
    assert parse_json(format_json(graph)) == graph
    plain = bn.Graph(["x@t-1", "y"], [("x@t-1", "y")])
    assert json.loads(format_json(plain))["version"] == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"lag": 2', '"lag": 1.5', "a lag must be a whole number from 0 to 100"),
        ('"lag": 2', '"lag": -1', "a lag must be a whole number"),
        ('"lag": 2', '"lag": "2"', "must be a number"),
        ('"version": 3', '"version": 4', "reads versions 1, 2 and 3 only"),
        ('"version": 3', '"version": 1', "this must be text"),
        ('"kind": "graph"', '"kind": "network"', 'must be "graph" in version 3'),
    ],
)
def test_what_is_no_lag_is_refused_in_words(old, new, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_json(format_json(GRAPH).replace(old, new))


@pytest.mark.parametrize("end", ["json", "graphml", "csv", "cyjs", "modelstring"])
def test_a_learned_graph_comes_back(learner, tmp_path, end):
    graph = learner.dag_
    assert ("valve@t-1", "heat") in graph.directed_edges
    bn.write(graph, tmp_path / f"graph.{end}")
    again = bn.read(tmp_path / f"graph.{end}")
    assert set(again.directed_edges) == set(graph.directed_edges)
    assert set(again.nodes) == set(graph.nodes)


def test_names_of_graphml_and_dot_are_those_of_the_graph(learner, tmp_path):
    bn.write(learner.dag_, tmp_path / "graph.graphml")
    root = ElementTree.parse(tmp_path / "graph.graphml").getroot()
    space = {"g": "http://graphml.graphdrawing.org/xmlns"}
    ends = {(edge.get("source"), edge.get("target")) for edge in root.iterfind(".//g:edge", space)}
    assert ("valve@t-1", "heat") in ends
    bn.write(learner.dag_, tmp_path / "graph.dot")
    assert '"valve@t-1" -> "heat";' in (tmp_path / "graph.dot").read_text()


@pytest.mark.parametrize("end", ["bif", "xmlbif", "net", "xdsl", "json"])
def test_slices_come_back_with_the_same_answers(learner, tmp_path, end):
    slices = learner.unroll(2)
    bn.write(slices, tmp_path / f"slices.{end}")
    again = bn.read(tmp_path / f"slices.{end}")
    assert set(again.graph.nodes) == {
        f"{name}@t{at}" for name in ("valve", "heat") for at in ("", "+1", "+2")
    }
    assert set(again.graph.directed_edges) == set(slices.graph.directed_edges)
    given = {"valve@t": "open", "heat@t": "ok"}
    mine, theirs = (one.query("heat@t+2", given=given) for one in (slices, again))
    for state in ("hot", "ok"):
        assert theirs[state] == pytest.approx(mine[state], abs=1e-12)


def test_past_columns_of_two_slices_have_their_own_frequencies(learner, tmp_path):
    bn.write(learner.network_, tmp_path / "network.bif")
    again = bn.read(tmp_path / "network.bif")
    assert again.parents("valve@t-1") == ()
    share = np.mean(series()["valve"].iloc[:-1] == "open")
    assert again.query("valve@t-1")["open"] == pytest.approx(share, abs=0.01)


@pytest.mark.parametrize("numbers", [False, True])
def test_the_command_converts_a_saved_fit(tmp_path, monkeypatch, numbers):
    monkeypatch.chdir(tmp_path)
    series(numbers=numbers).to_csv("rows.csv", index=False)
    answered("learn", "rows.csv", "--time", "at", "-o", "fit", "--quiet")
    answered("convert", "fit", "two.bif")
    assert "valve@t-1" in bn.read("two.bif").graph.nodes
    answered("convert", "fit", "slices.bif", "--slices", 2)
    assert "heat@t+2" in bn.read("slices.bif").graph.nodes
    answered("convert", "fit", "edges.graphml")
    assert "valve@t-1" in bn.read("edges.graphml").nodes
    refused = run("convert", "asia", "slices.bif", "--slices", 2)
    assert "learned with --time" in str(refused.exception) + refused.stderr
