"""Tests of numbers: right under independence, able to find dependence, and sane at the edges."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import pearsonr

from bnsieve.counts import ScannedCounts
from bnsieve.decide import Answer, CountsTest, ResidualTest, residual_p_value
from bnsieve.table import Table


def _chain(rng: np.random.Generator, n: int) -> tuple[NDArray[np.float64], ...]:
    x = rng.normal(size=n)
    y = np.sin(1.5 * x) + 0.7 * rng.normal(size=n)
    return x, y, (y - 0.3) ** 2 + 0.7 * rng.laplace(size=n)


def test_p_values_of_a_curved_chain_are_even() -> None:
    rng = np.random.default_rng(0)
    p_values = []
    for _ in range(200):
        x, y, z = _chain(rng, 300)
        p_values.append(residual_p_value(x, z, [y])[2])
    # 200 draws of a share of .05 lie below .1 but once in two thousand times.
    assert 0.01 <= np.mean(np.array(p_values) < 0.05) <= 0.1
    assert 0.35 < np.mean(p_values) < 0.65


def test_it_finds_what_lies_beside_the_condition() -> None:
    rng = np.random.default_rng(1)
    x, y, z = _chain(rng, 1000)
    assert residual_p_value(x, z + 0.3 * x, [y])[2] < 1e-4
    assert residual_p_value(x, y, [z])[2] < 1e-4
    label = (x + rng.normal(size=1000) > 0).astype(int)
    assert residual_p_value(label, x, [y])[2] < 1e-4


def test_spread_is_seen_without_correlation() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=1000)
    assert residual_p_value(x, x**2 + rng.normal(size=1000), [])[2] < 1e-6


def test_large_samples_without_condition_agree_with_correlation_of_scores() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 5000))
    y = y + 0.05 * x
    assert residual_p_value(x, y, [])[0] > 5000 * pearsonr(x, y).statistic ** 2 * 0.8


def test_increasing_transforms_and_order_of_rows_change_nothing() -> None:
    rng = np.random.default_rng(4)
    x, y, z = _chain(rng, 400)
    d = rng.integers(0, 3, 400)
    plain = residual_p_value(x, z, [y, d])
    bent = residual_p_value(np.exp(x), z**3, [np.arctan(y), d])
    assert bent == pytest.approx(plain, rel=1e-9)
    order = rng.permutation(400)
    turned = residual_p_value(x[order], z[order], [y[order], d[order]])
    assert turned == pytest.approx(plain, rel=1e-6)


@pytest.mark.parametrize(
    ("x", "y", "given"),
    [
        (np.arange(10.0), np.arange(10.0), []),  # too few rows
        (np.ones(100), np.arange(100.0), []),  # a constant
        (np.arange(100.0) % 7, np.arange(100.0), [np.arange(100.0) % 7]),  # x is given
        (np.arange(100), np.arange(100.0), []),  # a label for each row
        (np.arange(100.0), np.arange(100.0) % 9, [np.arange(100)]),
    ],
    ids=["few rows", "constant", "copy of the condition", "identifier", "identifier given"],
)
def test_where_nothing_can_be_told_it_says_so(x, y, given) -> None:  # type: ignore[no-untyped-def]
    assert math.isnan(residual_p_value(x, y, given)[2])


def test_rows_with_missing_cells_are_left_out() -> None:
    rng = np.random.default_rng(5)
    x, y, z = _chain(rng, 500)
    d = rng.integers(0, 2, 500)
    gappy, broken = x.copy(), d.copy()
    gappy[:50], broken[450:] = np.nan, -1
    result = ResidualTest([gappy, y, z, broken]).test(0, 2, [1, 3])
    kept = slice(50, 450)
    assert result.n == 400
    assert result.p_value == residual_p_value(x[kept], z[kept], [y[kept], d[kept]])[2]


def test_results_are_remembered_and_labels_go_to_the_counts() -> None:
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 2, (2, 300))
    counts = CountsTest(ScannedCounts(Table.from_data(codes.T)))
    tests = ResidualTest([*codes, rng.normal(size=300)], counts=counts)
    assert tests.test(0, 1).method != "residuals"
    assert tests.test(2, 0) is tests.test(0, 2)
    assert tests.test(0, 2).method == "residuals"
    assert tests.test(0, 2).answer is Answer.INDEPENDENT
    assert tests.n_tests == 2


def test_alpha_is_checked() -> None:
    with pytest.raises(ValueError, match="alpha must lie between 0 and 1"):
        ResidualTest([], alpha=2)
