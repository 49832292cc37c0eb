"""Effects under a CPDAG: the true one is always among them, and each is that of its own DAG."""

import numpy as np
import pandas as pd
import pytest
from joints import conditioned, joint, random_network

from bnsieve import Graph, TsetlinSieve, fit_parameters, load_network
from bnsieve.network import BayesianNetwork


def network_of_another_dag(network, dag):
    """The same joint distribution with the tables of another DAG of the class."""
    nodes, whole = network.graph.nodes, joint(network)
    tables = {}
    for name in nodes:
        family = (*dag.parents(name), name)
        kept = [nodes.index(one) for one in family]
        margin = whole.sum(axis=tuple(i for i in range(len(nodes)) if i not in kept))
        margin = margin.transpose(np.argsort(np.argsort(kept)))
        tables[name] = margin / margin.sum(axis=-1, keepdims=True)
    return BayesianNetwork(dag, network.states, tables)


@pytest.mark.parametrize("seed", range(200))
def test_the_true_effect_is_among_those_of_the_oracle_cpdag(seed):
    rng = np.random.default_rng([seed, 1])
    truth = random_network(rng, int(rng.integers(3, 8)), share=rng.choice([0.3, 0.5, 0.8]))
    of, on, *others = rng.permutation(truth.graph.nodes).tolist()
    given = dict.fromkeys(others[: rng.integers(0, 2)], 0)
    cpdag = truth.graph.to_cpdag()
    # The network that is asked knows the class and the joint distribution, not the true DAG.
    asked = network_of_another_dag(truth, cpdag.reorder(sorted(cpdag.nodes)).to_dag())
    asked = BayesianNetwork(
        asked.graph.reorder(truth.graph.nodes),
        truth.states,
        asked.tables,
        {name: asked.parents(name) for name in truth.graph.nodes},
    )
    effect = asked.effect(of, on, given, graph=cpdag)
    true_effect = [
        conditioned(truth, joint(truth, without=[of]), on, {of: label, **given})
        for label in truth.states[of]
    ]
    distances = [np.abs(case.table.to_numpy() - true_effect).max() for case in effect.cases]
    assert min(distances) < 1e-12
    own = set(truth.graph.parents(of))
    assert min(distances) == pytest.approx(
        next(d for d, c in zip(distances, effect.cases, strict=True) if set(c.parents) == own),
        abs=1e-12,
    )
    assert (effect.low.to_numpy() <= np.array(true_effect) + 1e-12).all()
    assert (effect.high.to_numpy() >= np.array(true_effect) - 1e-12).all()


@pytest.mark.parametrize("seed", range(30))
def test_each_case_is_the_effect_in_a_dag_with_those_parents(seed):
    rng = np.random.default_rng([seed, 2])
    truth = random_network(rng, 5, share=0.5)
    of, on = rng.permutation(truth.graph.nodes).tolist()[:2]
    cpdag = truth.graph.to_cpdag()
    effect = truth.effect(of, on, graph=cpdag)
    lines = cpdag.undirected_edges
    seen = set()
    for number in range(1 << len(lines)):
        arrows = [(b, a) if number >> i & 1 else (a, b) for i, (a, b) in enumerate(lines)]
        try:
            dag = Graph(cpdag.nodes, [*cpdag.directed_edges, *arrows])
        except ValueError:
            continue
        if dag.to_cpdag() != cpdag:
            continue
        case = next(c for c in effect.cases if set(c.parents) == set(dag.parents(of)))
        seen.add(case.parents)
        expected = network_of_another_dag(truth, dag).effect(of, on).table
        np.testing.assert_allclose(case.table, expected, atol=1e-12)
        # What is held fixed gives the effect: the adjustment formula, in full.
        np.testing.assert_allclose(case.table, adjusted(truth, of, on, case.adjustment), atol=1e-12)
    assert len(seen) == len(effect.cases)


def adjusted(network, of, on, fixed):
    """Sum over z of P(on | of, z) P(z), from the joint distribution; P(on) without an effect."""
    nodes, whole = network.graph.nodes, joint(network)
    if fixed is None:
        return np.array([conditioned(network, whole, on, {})] * len(network.states[of]))
    lines = []
    for label in network.states[of]:
        total = np.zeros(len(network.states[on]))
        shape = [len(network.states[name]) for name in fixed]
        for at in np.ndindex(*shape):
            z = {name: network.states[name][i] for name, i in zip(fixed, at, strict=True)}
            where = tuple(
                network.states[name].index(z[name]) if name in z else slice(None) for name in nodes
            )
            total += whole[where].sum() * conditioned(network, whole, on, {of: label, **z})
        lines.append(total)
    return np.array(lines)


def chain():
    """A - b - c: nothing says which way."""
    return BayesianNetwork(
        Graph(["a", "b", "c"], [("a", "b"), ("b", "c")]),
        {name: ["no", "yes"] for name in "abc"},
        {
            "a": [0.7, 0.3],
            "b": [[0.9, 0.1], [0.2, 0.8]],
            "c": [[0.6, 0.4], [0.1, 0.9]],
        },
    )


def test_a_case_in_which_the_outcome_is_a_cause_has_no_effect():
    network = chain()
    effect = network.effect("b", "a", graph=network.graph.to_cpdag())
    untouched = network.query("a").probabilities
    by_parents = {case.parents: case for case in effect.cases}
    assert set(by_parents) == {(), ("a",), ("c",)}
    np.testing.assert_allclose(by_parents["a",].table, [untouched, untouched])
    assert by_parents["a",].adjustment is None
    seen = [network.query("a", {"b": label}).probabilities for label in ("no", "yes")]
    np.testing.assert_allclose(by_parents[()].table, seen)
    assert not effect.is_settled
    assert effect.settled_by == (("b", "a"),)
    with pytest.raises(ValueError, match="b - a"):
        _ = effect.table
    assert "0.7000" in str(effect)
    assert str(effect).count("unmeasured") == 1


def test_knowledge_settles_an_effect():
    network = chain()
    known = Graph(network.graph.nodes, [("a", "b")], [("b", "c")]).meek_closure()
    effect = network.effect("b", "c", graph=known)
    assert effect.is_settled
    assert effect.settled_by == ()
    np.testing.assert_allclose(effect.table, network.tables["c"])
    assert effect.to_dict()["cases"][0]["probabilities"]["yes"]["no"] == pytest.approx(0.1)


def test_lines_of_doubtful_arrows_may_become_a_collider():
    """a -> c <- b whose heads are doubtful: one set more than the CPDAG of a chain has."""
    graph = Graph(["a", "b", "c"], undirected=[("a", "c"), ("b", "c")])
    data = chain().sample(200, random_state=0)
    middle = fit_parameters(Graph(["a", "b", "c"], [("a", "c"), ("c", "b")]), data)
    collider = fit_parameters(Graph(["a", "b", "c"], [("a", "c"), ("b", "c")]), data)
    strict = middle.effect("c", "a", graph=graph)
    loose = collider.effect("c", "a", graph=graph)
    assert {case.parents for case in strict.cases} == {(), ("a",), ("b",)}
    assert {case.parents for case in loose.cases} == {(), ("a",), ("b",), ("a", "b")}


def test_what_never_occurs_cannot_be_told():
    network = BayesianNetwork(
        Graph(["a", "b"], [("a", "b")]),
        {name: ["no", "yes"] for name in "ab"},
        {"a": [0.5, 0.5], "b": [[1.0, 0.0], [0.5, 0.5]]},
    )
    with pytest.raises(ValueError, match="a = 'no' never occurs where b = 'yes'"):
        network.effect("a", "b", graph=network.graph.to_cpdag())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("smok", "dysp"), "'smok'.*'smoke'"),
        (("smoke", "disp"), "'disp'.*'dysp'"),
        (({"smoke": "yess"}, "dysp"), "'yess'.*'yes'"),
        (("smoke", "smoke"), "two variables"),
        (("smoke", "dysp", {"smoke": "yes"}), "treatment and given"),
        (("smoke", "dysp", {"dysp": "yes"}), "outcome and given"),
        (({"smoke": "yes", "asia": "no"}, "dysp"), "sets one variable"),
        (("smoke", "dysp", {"tub": "maybe"}), "'maybe'"),
    ],
)
def test_wrong_questions_have_their_line(arguments, words):
    with pytest.raises(ValueError, match=words):
        load_network("asia").effect(*arguments)


def test_a_graph_of_other_nodes_is_refused():
    with pytest.raises(ValueError, match="same nodes"):
        load_network("asia").effect("smoke", "dysp", graph=Graph(["smoke", "dysp"]))


def test_names_keep_their_capitals_in_words():
    truth = load_network("insurance")
    words = str(truth.effect(treatment="Antilock", outcome="Accident"))
    assert "Adjustment set: VehicleYear, MakeModel." in words


def test_nothing_is_said_of_the_rows_of_a_contrast_without_overlap():
    """State 2 occurs where no row has state 0: only state 1 has an estimate, about some rows."""
    rng = np.random.default_rng(0)
    z = rng.integers(0, 3, 6000)
    t = np.where(z == 2, 2, rng.integers(0, 2, 6000))
    y = rng.random(6000) < 0.2 + 0.2 * (t == 1) + 0.2 * (z == 1)
    data = pd.DataFrame({"z": z, "t": t, "y": np.where(y, "yes", "no")}).astype(str)
    graph = Graph(["z", "t", "y"], [("z", "t"), ("z", "y"), ("t", "y")])
    effect = TsetlinSieve(random_state=0).fit(data).network_.effect("t", "y", graph=graph)
    text = str(effect)
    assert "2 against 0, y = yes  no overlap: the rows cannot tell" in text
    assert "1 against 0: about the " in text
    assert "2 against 0: about" not in text


def test_a_category_cut_from_a_number_has_no_effect_beside_it():
    """Half of a bin has either setting, but none at the same number: rows cannot tell."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=4000)
    y = np.where(rng.random(4000) < np.where(x > 1, 0.6, 0.1), "yes", "no")
    data = pd.DataFrame({"x": x, "sign": np.where(x > 0.1, "high", "low"), "y": y})
    graph = Graph(["x", "sign", "y"], [("x", "sign"), ("x", "y"), ("sign", "y")])
    network = TsetlinSieve(random_state=0).fit(data).network_
    with pytest.raises(ValueError, match=r"no two states of 'sign' occur at the same values of x"):
        network.effect("sign", "y", graph=graph)


def test_a_function_of_the_treatment_has_an_interval_and_no_contradiction():
    """All of a and none of the others: frequencies of 1 and 0 are not certainties."""
    rng = np.random.default_rng(2)
    t = rng.choice(list("abc"), 900)
    data = pd.DataFrame({"t": t, "y": np.where(t == "a", "bad", "good")})
    graph = Graph(["t", "y"], [("t", "y")])
    effect = TsetlinSieve(random_state=0).fit(data).network_.effect("t", "y", graph=graph)
    by_state = {one.treated: one for one in effect.cases[0].contrasts}
    assert "does not fit" not in str(effect)
    against = effect.cases[0].contrasts[0].control
    assert against == "a"
    assert all(0.98 < abs(end) <= 1.0 for end in (by_state["b"].low, by_state["b"].high))
    assert by_state["b"].low < by_state["b"].high


@pytest.mark.parametrize("states", [("ja", "nein"), ("control", "case"), ("no", "yes")])
@pytest.mark.parametrize("share", [0.2, 0.8])
def test_an_effect_is_about_the_state_that_drivers_are_about(states, share):
    rng = np.random.default_rng(0)
    x = rng.random(2_000) < 0.5
    y = rng.random(2_000) < np.where(x, share + 0.1, share - 0.1)
    data = pd.DataFrame({"x": np.where(x, "on", "off"), "y": np.where(y, *states)})
    learner = TsetlinSieve(random_state=0).fit(data)
    rarer = data.y.value_counts().index[1]
    assert {one.state for one in learner.effect("x", "y").cases[0].contrasts} == {rarer}
    assert learner.drivers("y").state == rarer
