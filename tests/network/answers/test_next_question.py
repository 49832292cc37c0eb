"""What looking would tell, against entropies of the whole joint distribution."""

import numpy as np
import pytest
from joints import conditioned, joint, random_network

from bnsieve import Graph, load_network
from bnsieve.network import BayesianNetwork


def entropy(p):
    p = p[p > 0]
    return float(-(p * np.log2(p)).sum())


@pytest.mark.parametrize("seed", range(25))
def test_bits_are_the_expected_fall_of_the_entropy(seed):
    rng = np.random.default_rng([seed, 4])
    network = random_network(rng, 6, zeros=bool(seed % 2))
    whole = joint(network)
    row = network.sample(1, random_state=seed).iloc[0]
    target, seen, *others = rng.permutation(network.graph.nodes).tolist()
    given = {seen: row[seen]}
    ranked = network.next_question(target, given)
    now = entropy(conditioned(network, whole, target, given))
    assert ranked.entropy == pytest.approx(now, abs=1e-12)
    assert set(ranked.frame.index) == set(others)
    for name in others:
        after = 0.0
        for label, p in zip(
            network.states[name], conditioned(network, whole, name, given), strict=True
        ):
            if p > 0:
                after += p * entropy(conditioned(network, whole, target, {**given, name: label}))
        assert ranked.frame.bits[name] == pytest.approx(now - after, abs=1e-10)
    assert ranked.frame.bits.is_monotonic_decreasing
    assert ranked.best == (ranked.frame.index[0] if ranked.frame.bits.iloc[0] > 0 else None)
    blanket = set(network.graph.markov_blanket(target))
    assert set(ranked.frame.index[ranked.frame.blanket]) == blanket - {seen}


def test_what_is_separated_says_nothing():
    asia = load_network("asia")
    ranked = asia.next_question("tub", {"asia": "yes"})
    assert ranked.frame.bits["smoke"] == 0.0
    shielded = asia.next_question("smoke", {"lung": "yes", "bronc": "no"})
    assert shielded.best is None
    assert "no other variable is informative" in str(shielded)


def test_among_limits_what_can_be_looked_at():
    asia = load_network("asia")
    ranked = asia.next_question("lung", among=["xray", "asia"])
    assert ranked.frame.index.tolist() == ["xray", "asia"]
    with pytest.raises(ValueError, match=r"'xrays'.*'xray'"):
        asia.next_question("lung", among=["xrays"])


def test_a_certain_target_has_nothing_to_gain():
    network = BayesianNetwork(Graph(["a"]), {"a": ["x", "y"]}, {"a": [1.0, 0.0]})
    ranked = network.next_question("a")
    assert ranked.entropy == 0.0
    assert ranked.frame.empty


def test_likelihoods_are_evidence_too():
    asia = load_network("asia")
    hinted = asia.next_question("lung", {"xray": {"yes": 0.9, "no": 0.1}})
    assert "xray" in hinted.frame.index
    assert hinted.entropy != asia.next_question("lung").entropy
