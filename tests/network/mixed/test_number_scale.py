"""Scales: increasing, invertible, and with a slope that makes a density."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtri
from scipy.stats import norm

from bnsieve.network.mixed.scale import Scale, fit_scale

MIXTURE = Scale(2.0, 3.0, False, np.array([0.3, 0.7]), np.array([-1.0, 0.5]), np.array([0.2, 1.5]))
BENT = Scale(-1.0, 2.0, True, np.array([0.6, 0.4]), np.array([0.0, 1.0]), np.array([0.5, 1.0]))


@pytest.mark.parametrize("scale", [MIXTURE, BENT, Scale.plain(5.0, 0.1)])
def test_slope_is_the_derivative_of_the_score(scale: Scale) -> None:
    values = np.linspace(-4, 9, 50)
    step = 1e-5
    slope = (scale.to_scores(values + step) - scale.to_scores(values - step)) / (2 * step)
    np.testing.assert_allclose(np.exp(scale.log_slope(values)), slope, rtol=1e-6)


@pytest.mark.parametrize("scale", [MIXTURE, BENT, Scale.plain(5.0, 0.1)])
def test_values_come_back_from_their_scores(scale: Scale) -> None:
    values = np.linspace(-30, 40, 71)
    np.testing.assert_allclose(scale.from_scores(scale.to_scores(values)), values, rtol=1e-9)


@pytest.mark.parametrize("scale", [MIXTURE, BENT])
def test_density_integrates_to_one(scale: Scale) -> None:
    def density(value: float) -> float:
        return float(np.exp(scale.log_density(np.array([value])))[0])

    total = quad(density, -400, 0, limit=400)[0] + quad(density, 0, 400, limit=400)[0]
    assert total == pytest.approx(1, abs=1e-6)


def test_score_of_a_mixture_is_the_normal_quantile_of_its_distribution() -> None:
    value = np.array([3.5])
    below = 0.3 * norm.cdf(0.5, -1, 0.2) + 0.7 * norm.cdf(0.5, 0.5, 1.5)
    np.testing.assert_allclose(MIXTURE.to_scores(value), ndtri(below), rtol=1e-12)


def test_normal_values_get_the_plain_scale() -> None:
    values = np.random.default_rng(0).normal(7, 3, 2000)
    scale = fit_scale(values)
    assert scale.is_plain
    assert scale.centre == pytest.approx(values.mean())
    assert scale.spread == pytest.approx(values.std(ddof=1))


@pytest.mark.parametrize(
    ("draw", "entropy"),
    [
        (lambda rng, n: rng.exponential(size=n), 1.0),
        (lambda rng, n: rng.uniform(size=n), 0.0),
        (lambda rng, n: np.exp(rng.normal(size=n)), 0.5 * np.log(2 * np.pi * np.e)),
        (lambda rng, n: rng.laplace(size=n), 1 + np.log(2)),
    ],
    ids=["exponential", "uniform", "lognormal", "laplace"],
)
def test_new_rows_are_nearly_as_dense_as_under_the_truth(draw, entropy: float) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(1)
    scale = fit_scale(draw(rng, 2000))
    new = draw(rng, 20_000)
    assert scale.log_density(new).mean() > -entropy - 0.08


@pytest.mark.parametrize("factor", [1e-12, 1e9])
def test_units_do_not_matter(factor: float) -> None:
    values = np.random.default_rng(2).standard_t(3, 500)
    small, large = fit_scale(values), fit_scale(values * factor)
    np.testing.assert_allclose(
        large.to_scores(values * factor), small.to_scores(values), rtol=1e-5, atol=1e-6
    )


def test_repeated_values_make_no_infinite_density() -> None:
    values = np.repeat([0.0, 1.0, 2.0], 200)
    values[0] = 3.0
    assert np.all(fit_scale(values).log_density(values) < 3)


def test_a_value_far_beyond_all_others_is_improbable_not_unthinkable() -> None:
    scale = fit_scale(np.exp(2 * np.random.default_rng(3).normal(size=500)))
    assert -500 < scale.log_density(np.array([1e9]))[0] < -20
