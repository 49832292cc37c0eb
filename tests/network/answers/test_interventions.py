"""Interventions against the truncated product of all tables."""

import numpy as np
import pytest
from joints import conditioned, joint, random_network

from bnsieve import load_network


@pytest.mark.parametrize("seed", range(100))
def test_do_is_the_product_without_the_tables_of_what_is_set(seed):
    rng = np.random.default_rng(seed)
    network = random_network(rng, int(rng.integers(2, 9)), zeros=bool(seed % 2))
    names = rng.permutation(network.graph.nodes).tolist()
    n_set = int(rng.integers(1, min(3, len(names) - 1) + 1))
    labels = {
        name: network.states[name][rng.integers(len(network.states[name]))]
        for name in names[:n_set]
    }
    target = names[n_set]
    seen = {
        name: network.states[name][rng.integers(len(network.states[name]))]
        for name in names[n_set + 1 : n_set + 1 + rng.integers(0, 3)]
    }
    changed = network.do(labels)
    expected = conditioned(network, joint(network, without=labels), target, {**labels, **seen})
    if np.isnan(expected).any():
        with pytest.raises(ValueError, match="probability"):
            changed.query(target, seen)
    else:
        np.testing.assert_allclose(changed.query(target, seen).probabilities, expected, atol=1e-12)
    effect = network.effect({names[0]: labels[names[0]]}, target)
    one = {names[0]: labels[names[0]]}
    expected = conditioned(network, joint(network, without=one), target, one)
    np.testing.assert_allclose(effect.table.to_numpy()[0], expected, atol=1e-12)


def test_what_is_set_has_no_parents_and_its_label():
    asia = load_network("asia")
    changed = asia.do({"bronc": "no", "smoke": "yes"})
    assert changed.graph.parents("bronc") == ()
    assert changed.graph.children("bronc") == asia.graph.children("bronc")
    assert changed.tables["bronc"].tolist() == [0.0, 1.0]
    assert changed.states == asia.states
    assert (changed.sample(50, random_state=0)["bronc"] == "no").all()
    assert asia.do({}) == asia


def test_seeing_and_doing_differ():
    """Bronchitis tells of smoking; giving somebody bronchitis does not make a smoker."""
    asia = load_network("asia")
    assert asia.query("smoke", given={"bronc": "yes"})["yes"] == pytest.approx(0.6 / 0.9)
    assert asia.do({"bronc": "yes"}).query("smoke")["yes"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ({"smok": "yes"}, "'smok'.*'smoke'"),
        ({"smoke": "yess"}, "'yess'.*'yes'"),
    ],
)
def test_unknown_names_and_labels_are_refused_with_the_nearest(labels, words):
    with pytest.raises(ValueError, match=words):
        load_network("asia").do(labels)
