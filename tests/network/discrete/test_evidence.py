"""Evidence: how it is read, what contradicts itself in it."""

from itertools import combinations

import numpy as np
import pytest
from enumeration import conditioned, joint, random_network

from bnsieve.network.discrete.evidence import in_words, nearest, read_evidence
from bnsieve.network.discrete.exact import contradiction, impossible, log_probability
from bnsieve.network.discrete.model import Model

ENOUGH = 1 << 30


def model_of(network):
    nodes = network.graph.nodes
    parents = {name: network.parents(name) for name in nodes}
    return Model.of(nodes, network.states, parents, network.tables)


def impossible_evidence(network, everything, rng):
    """Labels of some columns that no row has together; None if every row can happen."""
    nodes = network.graph.nodes
    rows = np.argwhere(everything == 0)
    if not len(rows):
        return None
    row = rows[rng.integers(len(rows))]
    return {name: network.states[name][code] for name, code in zip(nodes, row, strict=True)}


@pytest.mark.parametrize("seed", range(60))
def test_what_contradicts_itself_is_as_small_as_can_be(seed):
    network = random_network(seed, max_nodes=8)
    everything = joint(network)
    given = impossible_evidence(network, everything, np.random.default_rng(seed))
    if given is None:
        return
    model = model_of(network)
    evidence = read_evidence(model, given)
    culprits = [model.names[v] for v in contradiction(model, evidence, ENOUGH)]

    def possible(names):
        some = {name: given[name] for name in names}
        return conditioned(network, everything, some).sum() > 0

    assert not possible(culprits)
    assert all(possible(rest) for rest in combinations(culprits, len(culprits) - 1))
    assert log_probability(model, evidence, ENOUGH) == -np.inf
    said = str(impossible(model, evidence, ENOUGH))
    assert all(f"{name} = {given[name]}" in said for name in culprits)


def test_evidence_that_can_be_contradicts_nothing():
    network = random_network(3)
    model = model_of(network)
    assert contradiction(model, read_evidence(model, {}), ENOUGH) == []


def test_columns_of_one_label_are_always_known():
    names = ("a", "b")
    tables = {"a": np.ones(1), "b": np.array([[0.3, 0.7]])}
    states = {"a": ("only",), "b": ("x", "y")}
    model = Model.of(names, states, {"a": (), "b": ("a",)}, tables)
    for given in (None, {}, {"a": "only"}, {"a": {"only": 0.2}}):
        evidence = read_evidence(model, given)
        assert (evidence.hard, evidence.soft) == ({0: 0}, {})
    assert read_evidence(model, {"b": "y"}).hard == {0: 0, 1: 1}
    assert read_evidence(model, {"b": {"y": 1, "x": 3}}).soft[1].tolist() == [3, 1]


@pytest.mark.parametrize("weight", [np.inf, np.nan, -0.1, None, "x"])
def test_likelihoods_are_numbers_from_zero_on(weight):
    states = {"b": ("x", "y")}
    model = Model.of(("b",), states, {"b": ()}, {"b": np.array([0.3, 0.7])})
    with pytest.raises(ValueError, match="'b' = 'x' must be a number of at least 0"):
        read_evidence(model, {"b": {"x": weight, "y": 1}})
    assert read_evidence(model, {"b": {"x": 0, "y": 1}}).soft[0].tolist() == [0, 1]


def test_many_labels_are_named_by_the_first():
    labels = tuple(f"label {i}" for i in range(8))
    model = Model.of(("b",), {"b": labels}, {"b": ()}, {"b": np.full(8, 1 / 8)})
    with pytest.raises(ValueError, match=r"its states are 'label 0', .*'label 4' and 3 more\.$"):
        read_evidence(model, {"b": "zzz"})
    model = Model.of(("b",), {"b": labels[:5]}, {"b": ()}, {"b": np.full(5, 0.2)})
    with pytest.raises(ValueError, match=r"'label 4'\.$"):
        read_evidence(model, {"b": "zzz"})


def test_words():
    assert in_words(None) == in_words({}) == ""
    assert in_words({"a": "x", "b": {"u": 0.25, "v": 1}}) == "a = x, b like {u: 0.25, v: 1}"
    assert nearest("smokes", ["smoke", "xray"]) == " (did you mean 'smoke'?)"
    assert nearest("qqq", ["smoke", "xray"]) == ""
    assert nearest("SMOKE", ["smoke"]) == " (did you mean 'smoke'?)"
