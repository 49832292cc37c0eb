"""Products of tables: as NumPy multiplies them, and in logarithms where they would vanish."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from bnsieve import BayesianNetwork, Graph
from bnsieve.network.discrete.exact import (
    ImpossibleError,
    Message,
    product,
    scaled,
    spread,
)
from bnsieve.network.discrete.model import Factor


def message(scope, values):
    values = np.asarray(values, dtype=float)
    return Message(Factor(scope, values), float(values.min(initial=1.0, where=values > 0)))


@pytest.mark.parametrize("n", range(5))
def test_products_are_those_of_numpy(n):
    rng = np.random.default_rng(n)
    scopes = [(2, 0), (1,), (0, 1, 2), (2,)][:n]
    shape = {0: 2, 1: 3, 2: 4}
    messages = [message(one, rng.random([shape[v] for v in one])) for one in scopes]
    table, scale = product(messages, (0, 1, 2), (2, 3, 4))
    expected = np.ones((2, 3, 4))
    for one in messages:
        axes = "".join("abc"[v] for v in one.factor.scope)
        expected = np.einsum(f"abc,{axes}->abc", expected, one.factor.values)
    assert_allclose(table, expected, rtol=1e-13)
    assert scale == 0


def test_products_that_would_vanish_are_sums_of_logarithms():
    # Thousandths to the power of 200 and 201: no float holds them, their ratio any.
    messages = [message((0,), [1.0, 1e-3])] * 201 + [message((0,), [1e-3, 1.0])] * 200
    messages.append(message((1,), [0.5, 1.0]))
    table, scale = product(messages, (0, 1), (2, 2))
    assert_allclose(table, [[0.5, 1.0], [0.5e-3, 1e-3]], rtol=1e-9)
    assert scale == pytest.approx(200 * np.log(1e-3))
    with pytest.raises(ImpossibleError):
        product([*messages, message((0,), [0.0, 1.0]), message((0,), [1.0, 0.0])], (0, 1), (2, 2))


def test_likelihoods_of_a_thousand_contrary_children_do_not_underflow():
    names = [f"c{i}" for i in range(1000)]
    table = ((0.001, 0.999), (0.999, 0.001))
    network = BayesianNetwork(
        Graph(["class", *names], [("class", name) for name in names]),
        {name: ["a", "b"] for name in ["class", *names]},
        {"class": [0.5, 0.5], **dict.fromkeys(names, table)},
    )
    # A likelihood of 1 and 0 is a label that is known.
    given = {name: {"a": float(i >= 500), "b": float(i < 500)} for i, name in enumerate(names)}
    for answer in (network.query("class", given), network.marginals(given)["class"]):
        assert_allclose(answer.probabilities, [0.5, 0.5], atol=1e-9)
        assert answer.log_evidence == pytest.approx(500 * (np.log(0.001) + np.log(0.999)))
    given["c0"] = {"a": 1.0, "b": 0.0}
    odds = network.query("class", given)
    assert odds["b"] / odds["a"] == pytest.approx(999.0**2, rel=1e-6)
    assert dict(network.most_probable(["class"], given)[0]) == {"class": "b"}


def test_scaled_tables_have_one_as_their_largest_cell():
    found, log = scaled((3,), np.array([0.0, 0.02, 0.08]))
    assert_allclose(found.factor.values, [0, 0.25, 1])
    assert found.smallest == pytest.approx(0.25)  # of those that are not zero
    assert log == pytest.approx(np.log(0.08))
    assert scaled((3,), np.array([0.5, 0.25]))[0].smallest == 0.5
    with pytest.raises(ImpossibleError):
        scaled((3,), np.zeros(3))


def test_a_view_has_an_axis_for_every_variable():
    values = np.arange(6.0).reshape(2, 3)
    found = spread(Factor((7, 4), values), (4, 5, 7))
    assert found.shape == (3, 1, 2)
    assert_allclose(found[:, 0, :], values.T)
