"""The page's own inference, in JavaScript, against the network's."""

import base64
import json
from importlib.resources import files

import numpy as np
import pytest

import bnsieve as bn
from bnsieve.graph import reachable
from bnsieve.report.tables import answering, node_tables

racer = pytest.importorskip("py_mini_racer", reason="pip install mini-racer runs the page's script")


class PageAnswers:
    """What the script answers, of a network as the page has it."""

    def __init__(self, network):
        nodes = node_tables(network, None)
        for node in nodes:
            table = np.frombuffer(base64.b64decode(node["table"]), dtype="<f4")
            node["values"] = table.astype(float).tolist()
        cliques = answering(network, nodes)["cliques"]
        self.network = network
        self.labels = {
            name: node["labels"] for name, node in zip(network.graph.nodes, nodes, strict=True)
        }
        self.engine = racer.MiniRacer()
        self.engine.eval((files("bnsieve.report") / "parts" / "inference.js").read_text("utf-8"))
        made = f"var network = makeNetwork({json.dumps(nodes)}, {json.dumps(cliques)}); 0"
        self.engine.eval(made)

    def margins(self, given, do=None):
        """Margins by name, in the network's order, or None if the evidence is impossible."""
        names = list(self.network.graph.nodes)
        observed, done = (
            [
                [names.index(name), self.labels[name].index(str(label))]
                for name, label in one.items()
            ]
            for one in (given, do or {})
        )
        margins = f"network.margins(new Map({json.dumps(observed)}), new Map({json.dumps(done)}))"
        found = json.loads(self.engine.eval(f"JSON.stringify({margins}?.map(m => [...m]) ?? null)"))
        if found is None:
            return None
        return {
            name: [values[self.labels[name].index(str(state))] for state in states]
            for name, values in zip(names, found, strict=True)
            for states in [self.network.states[name]]
        }


def evidence_from(network, rows, sizes):
    """Parts of rows that the network itself drew: evidence that is possible."""
    frame = network.sample(rows, random_state=1)
    rng = np.random.default_rng(0)
    for _, row in frame.iterrows():
        chosen = rng.choice(frame.columns, size=rng.choice(sizes), replace=False)
        yield {name: row[name] for name in chosen}


@pytest.mark.parametrize("name", ["asia", "alarm", "child", "insurance", "hailfinder"])
def test_margins_are_those_of_the_network(name):
    network = bn.load_network(name)
    page = PageAnswers(network)
    for given in [{}, *evidence_from(network, 6, [1, 2, 5])]:
        found = page.margins(given)
        expected = network.marginals(given=given)
        for column in network.graph.nodes:
            if column not in given:
                values = expected[column].to_series().to_numpy()
                np.testing.assert_allclose(found[column], values, atol=2e-6)
            else:
                place = list(network.states[column]).index(given[column])
                assert found[column][place] == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["asia", "alarm", "child"])
def test_what_is_set_moves_its_effects_only(name):
    network = bn.load_network(name)
    page = PageAnswers(network)
    free = page.margins({})
    for settings in evidence_from(network, 5, [1, 2, 3]):
        set_here = network.do(settings)
        found = page.margins({}, settings)
        expected = set_here.marginals()
        for column in network.graph.nodes:
            if column in settings:
                place = list(network.states[column]).index(settings[column])
                assert found[column][place] == pytest.approx(1.0)
                continue
            values = expected[column].to_series().to_numpy()
            np.testing.assert_allclose(found[column], values, atol=2e-6)
            if not set(settings) & reachable([column], network.graph.parents):
                np.testing.assert_allclose(found[column], free[column], atol=2e-6)
        # What is observed besides is conditioned on in the network that the setting leaves.
        other = next(one for one in network.graph.nodes if one not in settings)
        state = set_here.sample(1, random_state=0)[other].iloc[0]
        both = page.margins({other: state}, settings)
        with_both = set_here.marginals(given={other: state})
        for column in network.graph.nodes:
            if column not in settings and column != other:
                values = with_both[column].to_series().to_numpy()
                np.testing.assert_allclose(both[column], values, atol=5e-6)


def test_setting_is_not_observing():
    # Smoke colours a wall and harms the lung: paint on the wall does no harm.
    graph = bn.Graph(["smoke", "wall", "lung"], [("smoke", "wall"), ("smoke", "lung")])
    states = {name: ["no", "yes"] for name in graph.nodes}
    tables = {
        "smoke": [0.5, 0.5],
        "wall": [[0.9, 0.1], [0.2, 0.8]],
        "lung": [[0.9, 0.1], [0.4, 0.6]],
    }
    page = PageAnswers(bn.BayesianNetwork(graph, states, tables))
    assert page.margins({}, {"wall": "yes"})["lung"][1] == pytest.approx(0.35)
    # Bayes: P(smoke | wall) = 0.8 / 0.9, so 0.1 / 9 + 0.6 * 8 / 9.
    assert page.margins({"wall": "yes"})["lung"][1] == pytest.approx(4.9 / 9)


def test_impossible_evidence_is_told():
    graph = bn.Graph(["rain", "wet"], [("rain", "wet")])
    states = {"rain": ["no", "yes"], "wet": ["no", "yes"]}
    network = bn.BayesianNetwork(
        graph, states, {"rain": [0.5, 0.5], "wet": [[1.0, 0.0], [0.0, 1.0]]}
    )
    page = PageAnswers(network)
    assert page.margins({"rain": "no", "wet": "yes"}) is None
    assert page.margins({"wet": "yes"})["rain"] == pytest.approx([0.0, 1.0])


def test_parts_that_do_not_hang_together_are_answered():
    graph = bn.Graph(["a", "b", "c"], [("a", "b")])
    states = {name: ["0", "1"] for name in "abc"}
    tables = {"a": [0.25, 0.75], "b": [[0.9, 0.1], [0.2, 0.8]], "c": [0.3, 0.7]}
    page = PageAnswers(bn.BayesianNetwork(graph, states, tables))
    found = page.margins({"b": "1"})
    # Bayes: 0.75 x 0.8 / (0.25 x 0.1 + 0.75 x 0.8).
    assert found["a"][1] == pytest.approx(0.96)
    assert found["c"] == pytest.approx([0.3, 0.7])
