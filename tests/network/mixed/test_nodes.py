"""Numbers and labels given their parents: against least squares, and against the truth."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import norm

from bnsieve.network.mixed.fit_number import fit_number
from bnsieve.network.mixed.fitting import fit_states
from bnsieve.network.mixed.nodes import Inputs, NumberInput, spline_functions
from bnsieve.network.mixed.scale import fit_scale


def _parents(*columns: tuple[str, NDArray[np.float64]], **n_states: int) -> Inputs:
    numbers = tuple(NumberInput(name, fit_scale(values)) for name, values in columns)
    return Inputs(numbers, tuple(n_states), tuple(n_states.values()))


def test_linear_normal_number_is_least_squares() -> None:
    rng = np.random.default_rng(0)
    x, z = rng.normal(3, 2, 1000), rng.normal(-1, 0.5, 1000)
    y = 4 + 2 * x - 3 * z + rng.normal(0, 1.5, 1000)
    node = fit_number(y, {"x": x, "z": z}, fit_scale(y), _parents(("x", x), ("z", z)))
    assert node.is_plain
    design = np.column_stack([np.ones(1000), x, z])
    coefficients, squares, _, _ = np.linalg.lstsq(design, y, rcond=None)
    deviation = np.sqrt(squares[0] / (1000 - 2 * 3 - 2))
    expected = norm.logpdf(y, design @ coefficients, deviation)
    np.testing.assert_allclose(node.log_density(y, {"x": x, "z": z}), expected, atol=1e-6)


def test_a_curve_is_followed() -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(-3, 3, 2000)
    y = np.sin(2 * x) + rng.normal(0, 0.3, 2000)
    node = fit_number(y, {"x": x}, fit_scale(y), _parents(("x", x)))
    new = rng.uniform(-2.5, 2.5, 5000)
    made = np.sin(2 * new) + rng.normal(0, 0.3, 5000)
    truth = norm.logpdf(made, np.sin(2 * new), 0.3).mean()
    assert node.log_density(made, {"x": new}).mean() > truth - 0.05


def test_slopes_and_noise_of_configurations_differ_where_they_do() -> None:
    rng = np.random.default_rng(2)
    x, d = rng.normal(size=1500), rng.integers(0, 3, 1500)
    slope, size = np.array([2.0, -2.0, 0.0]), np.array([0.2, 1.0, 3.0])
    y = slope[d] * x + size[d] * rng.normal(size=1500)
    node = fit_number(y, {"x": x, "d": d}, fit_scale(y), _parents(("x", x), d=3))
    truth = norm.logpdf(y, slope[d] * x, size[d]).mean()
    assert node.log_density(y, {"x": x, "d": d}).mean() == pytest.approx(truth, abs=0.03)


def test_configurations_without_rows_have_what_is_common() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 2, 800), rng.integers(0, 2, 800)
    kept = ~((a == 1) & (b == 1))
    a, b = a[kept], b[kept]
    y = 1.0 * a + 2.0 * b + rng.normal(0, 0.1, len(a))
    node = fit_number(y, {"a": a, "b": b}, fit_scale(y), _parents(a=2, b=2))
    unseen = {"a": np.ones(1, dtype=int), "b": np.ones(1, dtype=int)}
    assert node.from_noise(np.zeros(1), unseen)[0] == pytest.approx(3, abs=0.1)


def test_a_copy_has_a_finite_density() -> None:
    x = np.random.default_rng(4).normal(size=300)
    node = fit_number(x, {"x": x}, fit_scale(x), _parents(("x", x)))
    assert np.all(np.isfinite(node.log_density(x, {"x": x})))


def test_spline_is_straight_outside_its_knots() -> None:
    knots = (-1.0, -0.5, 0.0, 0.5, 1.0)
    for outside in (np.linspace(-9, -1, 9), np.linspace(1, 9, 9)):
        bends = np.diff(spline_functions(outside, knots), n=2, axis=1)
        np.testing.assert_allclose(bends, 0, atol=1e-9)


def test_label_follows_the_log_odds() -> None:
    rng = np.random.default_rng(5)
    x, d = rng.normal(50, 10, 4000), rng.integers(0, 2, 4000)

    def truth(x: NDArray[np.float64], d: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(expit((x - 50) / 10 * np.where(d, 2.0, -2.0) + 0.5))

    y = (rng.random(4000) < truth(x, d)).astype(np.intp)
    node = fit_states(y, 2, {"x": x, "d": d}, _parents(("x", x), d=2))
    at = np.linspace(35, 65, 7)
    for code in (0, 1):
        own = np.full(7, code)
        found = np.exp(node.log_probabilities({"x": at, "d": own}, 7))
        np.testing.assert_allclose(found[:, 1], truth(at, own), atol=0.06)
        np.testing.assert_allclose(found.sum(axis=1), 1)


def test_label_that_numbers_separate_stays_finite() -> None:
    x = np.linspace(-1, 1, 200)
    y = (x > 0).astype(np.intp)
    node = fit_states(y, 3, {"x": x}, _parents(("x", x)))
    logs = node.log_probabilities({"x": x}, 200)
    assert np.all(np.isfinite(logs))
    assert np.all(np.exp(logs[:, 2]) < 0.05)  # the third label has no rows
