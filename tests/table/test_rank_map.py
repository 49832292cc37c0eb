"""Values to normal scores, and back."""

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import norm, rankdata

from bnsieve.table import RankMap
from bnsieve.table.rank_map import MAX_STEPS, rank_functions


def test_scores_are_normal_quantiles_of_middle_ranks():
    values = np.array([3.0, 1.0, 2.0, 2.0, 10.0])
    expected = norm.ppf((rankdata(values) - 0.5) / 5)
    np.testing.assert_allclose(RankMap.of(values).to_scores(values), expected)


def test_increasing_transforms_change_nothing():
    values = np.random.default_rng(0).normal(size=6_000)
    plain = RankMap.of(values).to_scores(values)
    curved = np.exp(5 * values)
    assert np.array_equal(RankMap.of(curved).to_scores(curved), plain)


def test_many_values_share_steps_of_about_equal_size():
    values = np.random.default_rng(1).exponential(size=50_000)
    found = RankMap.of(values)
    assert len(found.lowest) <= MAX_STEPS
    exact = ndtri((rankdata(values) - 0.5) / len(values))
    middle = np.abs(exact) < 2
    assert np.abs(found.to_scores(values) - exact)[middle].max() < 0.01


def test_values_between_and_beyond_steps_belong_to_the_next_below():
    found = RankMap.of([1.0, 2.0, 3.0])
    low, middle, high = found.scores
    assert found.to_scores([0.0, 1.5, 2.0, 99.0]).tolist() == [low, low, middle, high]


def test_missing_values_stay_missing():
    found = RankMap.of([np.nan, 1.0, 2.0])
    assert found.n == 2
    assert np.isnan(found.to_scores([np.nan]))[0]
    assert np.isnan(found.functions([np.nan, 1.0])[:, 0]).all()


def test_scores_lead_back_to_values():
    values = np.random.default_rng(2).gamma(2.0, size=300)
    found = RankMap.of(values)
    np.testing.assert_allclose(found.from_scores(found.to_scores(values)), values)
    assert found.from_scores([-99.0, 99.0]).tolist() == [values.min(), values.max()]


def test_a_column_without_values_has_no_ranks():
    with pytest.raises(ValueError, match="no ranks"):
        RankMap.of([np.nan])


def test_functions_are_the_score_and_legendre_polynomials_of_the_rank():
    scores = np.linspace(-2, 2, 7)
    u = 2 * norm.cdf(scores) - 1
    found = rank_functions(scores)
    np.testing.assert_allclose(found[0], scores)
    for degree in (2, 3, 4):
        expected = np.polynomial.legendre.Legendre.basis(degree)(u)
        np.testing.assert_allclose(found[degree - 1], expected, atol=1e-12)
