"""Expected values of numbers, given their Markov blanket."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn


def chain(n, seed, noise=1.0):
    rng = np.random.default_rng(seed)
    a = rng.normal(3, 2, n)
    b = 2 * a - 1 + rng.normal(0, 1.5, n)
    c = 0.5 * b + rng.normal(0, noise, n)
    return pd.DataFrame({"a": a, "b": b, "c": c})


GRAPH = bn.Graph(["a", "b", "c"], [("a", "b"), ("b", "c")])


@pytest.mark.parametrize("noise", [1.0, 1e-3])
def test_linear_numbers_are_expected_as_normal_theory_says(noise):
    data = chain(4_000, 0, noise)
    network = bn.fit_parameters(GRAPH, data)
    new = chain(200, 1, noise)
    found = network.predict(new, "b")
    # The posterior mean of b given a and c, by precisions, from the true coefficients.
    prior, told = 1 / 1.5**2, 0.25 / noise**2
    expected = (prior * (2 * new.a - 1) + told * 2 * new.c) / (prior + told)
    assert found.to_numpy() == pytest.approx(expected.to_numpy(), abs=0.12 * min(1, noise + 0.05))


def test_without_children_it_is_the_regression():
    data = chain(4_000, 2)
    new = chain(50, 3)
    found = bn.fit_parameters(GRAPH, data).predict(new.drop(columns="c"), "c")
    slope, intercept = np.polyfit(data.b, data.c, 1)
    assert found.to_numpy() == pytest.approx((slope * new.b + intercept).to_numpy(), abs=0.05)
    assert found.index.equals(new.index)


def test_a_label_child_tells_about_its_number():
    rng = np.random.default_rng(4)
    x = rng.normal(size=5_000)
    y = np.where(rng.random(5_000) < 1 / (1 + np.exp(-3 * x)), "yes", "no")
    data = pd.DataFrame({"x": x, "y": y})
    network = bn.fit_parameters(bn.Graph(["x", "y"], [("x", "y")]), data)
    found = network.predict(pd.DataFrame({"y": ["yes", "no"]}), "x")
    assert found.to_numpy() == pytest.approx([x[y == "yes"].mean(), x[y == "no"].mean()], abs=0.05)


def test_where_no_row_has_all_parents_they_have_no_say():
    data = chain(300, 5)
    data.loc[::2, "a"] = np.nan
    data.loc[1::2, "b"] = np.nan
    network = bn.fit_parameters(GRAPH, data)
    new = pd.DataFrame({"a": [-50.0, 50.0], "c": [0.0, 0.0]})
    low, high = network.predict(new, "b")
    assert low == pytest.approx(high)
    assert np.isfinite(network.sample(100, random_state=0).to_numpy()).all()


@pytest.mark.parametrize("unit", [1e300, 1e-300, 5e-324 * 1e8])
def test_numbers_of_any_size_have_a_density(unit):
    rng = np.random.default_rng(6)
    x = (
        rng.integers(1, 1_000, 400) * unit / 1_000
        if unit < 1e-310
        else rng.uniform(1, 2, 400) * unit
    )
    data = pd.DataFrame({"x": x, "y": rng.normal(size=400)})
    network = bn.fit_parameters(bn.Graph(["x", "y"], [("x", "y")]), data, numeric=["x", "y"])
    assert np.isfinite(network.log_likelihood(data)).all()
    assert np.isfinite(network.sample(50, random_state=0).to_numpy()).all()
