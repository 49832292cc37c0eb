"""Questions that cannot be answered, or hardly: each has its line, or its answer."""

import numpy as np
import pytest

from bnsieve import BayesianNetwork, Graph, fit_parameters, load_network

ASIA = load_network("asia")
IMPOSSIBLE = {"lung": "yes", "either": "no"}


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: ASIA.query("dysp", {"smoke": "yess"}), "'yess'.*did you mean 'yes'"),
        (lambda: ASIA.query("dysp", {"smokes": "yes"}), "'smokes'.*did you mean 'smoke'"),
        (lambda: ASIA.query("disp"), "'disp'.*did you mean 'dysp'"),
        (lambda: ASIA.query("dysp", IMPOSSIBLE), "probability 0|impossible"),
        (lambda: ASIA.query("dysp", {"dysp": "yes"}), "'dysp' is both target and evidence"),
        (lambda: ASIA.query([]), "no target"),
        (lambda: ASIA.next_question("dysp", {"dysp": "yes"}), "'dysp' is both target and evidence"),
        (lambda: ASIA.next_question("dysp", IMPOSSIBLE), "probability 0|impossible"),
        (lambda: ASIA.why("dysp", IMPOSSIBLE), "probability 0|impossible"),
        (lambda: ASIA.why("dysp", {"dysp": "yes"}), "'dysp' is both target and evidence"),
        (lambda: ASIA.effect("smoke", "dysp", IMPOSSIBLE), "probability 0|impossible"),
        (
            lambda: ASIA.do({"either": "no"}).query("dysp", {"either": "yes"}),
            "probability 0|imposs",
        ),
        (lambda: ASIA.do({"nobody": 1}), "'nobody'"),
        (lambda: ASIA.query("dysp", {"smoke": {"yes": -1, "no": 1}}), "likelihood"),
        (lambda: ASIA.query("dysp", {"smoke": ["yes"]}), "has no state"),
    ],
)
def test_each_has_its_line(ask, words):
    with pytest.raises(ValueError, match=words) as error:
        ask()
    assert "\n" not in str(error.value)


def test_an_empty_network_has_nothing_to_say():
    empty = BayesianNetwork(Graph([]), {}, {})
    for ask in (
        lambda: empty.query("a"),
        lambda: empty.effect("a", "b"),
        lambda: empty.next_question("a"),
        lambda: empty.why("a", {}),
        lambda: empty.do({"a": 1}),
    ):
        with pytest.raises(ValueError, match="no node 'a'"):
            ask()
    assert len(empty.marginals()) == 0
    assert empty.do({}) == empty


def test_1040_columns_given():
    """All but one column of munin, from one row: only the blanket matters."""
    munin = load_network("munin")
    row = munin.sample(1, random_state=0).iloc[0]
    target = munin.graph.nodes[17]
    given = {name: row[name] for name in munin.graph.nodes if name != target}
    blanket = {name: row[name] for name in munin.graph.markov_blanket(target)}
    answer = munin.query(target, given).probabilities
    np.testing.assert_allclose(answer, munin.query(target, blanket).probabilities, atol=1e-12)
    assert munin.next_question(target, given).frame.empty
    changed = munin.do({name: row[name] for name in list(given)[:500]})
    assert changed.query(target, given).probabilities.sum() == pytest.approx(1.0)


def test_a_single_label_is_always_known():
    network = fit_parameters(
        Graph(["a", "b"], [("a", "b")]),
        BayesianNetwork(
            Graph(["a", "b"]), {"a": ["only"], "b": [0, 1]}, {"a": [1.0], "b": [0.4, 0.6]}
        ).sample(50, random_state=0),
    )
    answer = network.query("a", interval=0.9)
    assert (answer.low, answer.high) == (1.0, 1.0)
    assert network.effect("a", "b").table.shape == (1, 2)
    assert network.next_question("b").best is None
    assert network.why("b", {"a": "only"}).changes.change.tolist() == [0.0]


def test_labels_may_be_of_any_kind():
    states = {"x": [None, (1, 2), 3.5], "y": [True, "True"]}
    network = BayesianNetwork(
        Graph(["x", "y"], [("x", "y")]),
        states,
        {"x": [0.2, 0.3, 0.5], "y": [[0.1, 0.9], [0.5, 0.5], [0.9, 0.1]]},
    )
    assert network.do({"x": (1, 2)}).query("y")[True] == pytest.approx(0.5)
    np.testing.assert_allclose(network.effect({"x": 3.5}, "y").table, [[0.9, 0.1]])
    assert network.next_question("x").best == "y"
    assert network.why("x", {"y": "True"}).changes.state.tolist() == ["True"]
