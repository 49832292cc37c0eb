"""Most probable explanations, against a list of every row."""

import numpy as np
import pytest
from enumeration import conditioned, joint, margin, random_evidence, random_network
from numpy.testing import assert_allclose

from bnsieve import BayesianNetwork, Graph, load_network
from bnsieve.network import TooLargeError


def check(seed):
    network = random_network(seed)
    everything = joint(network)
    rng = np.random.default_rng(seed)
    given = random_evidence(network, seed, everything)
    table = conditioned(network, everything, given)
    hard = {name for name, value in given.items() if not isinstance(value, dict)}
    open_ = [name for name in network.graph.nodes if name not in hard]
    some = [name for name in open_ if rng.random() < 0.5]
    for targets in (open_, some):
        if not targets:
            continue
        expected = margin(network, table, targets)
        found = network.most_probable(None if targets is open_ else targets, given, k=4)
        ranked = np.sort(expected[expected > 0].ravel())[::-1]
        best = [one.probability for one in found]
        assert_allclose(best, ranked[:4], rtol=0, atol=1e-12)
        assert len({tuple(one.values()) for one in found}) == len(found)
        for i, one in enumerate(found):
            codes = tuple(network.states[name].index(one[name]) for name in targets)
            assert_allclose(expected[codes], one.probability, rtol=0, atol=1e-12)
            after = ranked[i + 1] if i + 1 < len(ranked) else 0.0
            assert_allclose(one.runner_up, after, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(0, 500, 10))
def test_explanations_are_those_of_enumeration(seed):
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 500, 50))
def test_explanations_are_those_of_enumeration_at_length(first):
    for seed in range(first, first + 50):
        check(seed)


def test_the_best_together_are_not_the_best_each():
    """Pearl's example: a has the larger margin of the label that no best pair holds."""
    network = BayesianNetwork(
        Graph(["a", "b"], [("a", "b")]),
        {"a": ["x", "y"], "b": ["u", "v", "w"]},
        {"a": [0.4, 0.6], "b": [[1.0, 0.0, 0.0], [0.4, 0.3, 0.3]]},
    )
    best = network.most_probable()
    assert dict(best[0]) == {"a": "x", "b": "u"}
    assert best[0].probability == pytest.approx(0.4)
    assert best[0].runner_up == pytest.approx(0.24)
    assert network.query("a").most_probable == "y"


def test_explanations_show_themselves():
    asia = load_network("asia")
    found = asia.most_probable(["lung", "bronc"], {"dysp": "yes"}, k=9)
    assert len(found) == 4  # there are no more
    assert found[-1].runner_up == 0
    assert repr(found).splitlines()[0] == "most probable given dysp = yes"
    assert found.to_frame().columns.tolist() == ["probability", "lung", "bronc"]
    assert found.to_frame()["probability"].sum() == pytest.approx(1)
    assert found[:2] == [found[0], found[1]]


def test_everything_given_leaves_nothing_to_explain():
    asia = load_network("asia")
    row = {name: asia.states[name][1] for name in asia.graph.nodes}
    found = asia.most_probable(given=row)
    assert (len(found), dict(found[0]), found[0].probability) == (1, {}, 1.0)


def test_a_thousand_even_columns_have_many_best_explanations():
    names = [f"v{i}" for i in range(1041)]
    network = BayesianNetwork(
        Graph(names), dict.fromkeys(names, ("a", "b")), dict.fromkeys(names, (0.5, 0.5))
    )
    found = network.most_probable(k=5)
    assert len({tuple(one.values()) for one in found}) == 5
    assert_allclose([one.log_probability for one in found], 1041 * np.log(0.5))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 0}, "k must be at least 1"),
        ({"targets": ["lung"], "given": {"lung": "yes"}}, "both target and evidence"),
        ({"targets": ["lugn"]}, "did you mean 'lung'"),
        ({"given": {"lung": "yes", "either": "no"}}, "impossible together"),
    ],
)
def test_what_cannot_be_explained_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        load_network("asia").most_probable(**arguments)


def test_an_explanation_that_is_too_large_is_refused_with_its_figures():
    with pytest.raises(TooLargeError, match="largest table has") as refused:
        load_network("barley").most_probable(max_bytes=10_000_000)
    assert refused.value.n_cells > 1_000_000
    assert "sampling" not in str(refused.value)


def test_more_explanations_than_memory_holds_are_refused():
    alarm = load_network("alarm")
    with pytest.raises(
        ValueError, match=r"200,000 explanations of 37 variables would take .*fewer"
    ):
        alarm.most_probable(k=200_000, max_bytes=50_000_000)
    # asia has no more than 256 assignments.
    assert len(load_network("asia").most_probable(k=200_000, max_bytes=50_000_000)) <= 256
