"""Contrasts from rows: overlap, doubly robust estimates, slopes, sensitivity."""

import numpy as np
import pandas as pd
import pytest

from bnsieve.network import ContrastRows
from bnsieve.network.causal.contrasts import (
    Adjustment,
    Estimate,
    doubly_robust,
    e_value,
    overlap,
    population,
    robustness_value,
    support,
)
from bnsieve.network.causal.slopes import restricted_spline, slope
from bnsieve.table import Table


@pytest.fixture
def random():
    return np.random.default_rng(0)


def adjustment(*codes, numbers=()):
    n = len(codes[0]) if codes else len(numbers[0])
    return Adjustment(
        np.array(codes, dtype=np.int64).reshape(len(codes), n),
        np.array(numbers, dtype=np.float64).reshape(len(numbers), n),
    )


def nothing(n):
    return Adjustment(np.empty((0, n), dtype=np.int64), np.empty((0, n)))


def estimated(values, treated, outcome):
    compared = support(values, treated, ~treated)
    rows = compared.rows
    found = doubly_robust(
        values.at(rows), treated[rows], ~treated[rows], outcome[rows], compared.chances
    )
    return found, rows


def test_without_adjustment_it_is_the_difference_of_the_two_means(random):
    treated = random.random(500) < 0.4
    outcome = (random.random(500) < 0.3).astype(float)
    found, rows = estimated(nothing(500), treated, outcome)
    assert rows.all()
    assert found.difference == pytest.approx(
        outcome[treated].mean() - outcome[~treated].mean(), abs=1e-12
    )
    # The error of a difference of two frequencies.
    p, q = outcome[treated].mean(), outcome[~treated].mean()
    expected = np.sqrt(p * (1 - p) / treated.sum() + q * (1 - q) / (~treated).sum())
    assert found.error == pytest.approx(expected, rel=0.05)


def test_it_is_standardisation_where_strata_are_large(random):
    """In strata of many rows both models are saturated: the mean of the strata's differences."""
    stratum = random.integers(0, 3, 60_000)
    treated = random.random(60_000) < np.array([0.2, 0.5, 0.7])[stratum]
    risk = np.array([0.1, 0.3, 0.6])[stratum] + treated * np.array([0.2, -0.1, 0.05])[stratum]
    outcome = (random.random(60_000) < risk).astype(float)
    found, rows = estimated(adjustment(stratum), treated, outcome)
    assert rows.all()
    by_hand = sum(
        (outcome[treated & (stratum == s)].mean() - outcome[~treated & (stratum == s)].mean())
        * (stratum == s).mean()
        for s in range(3)
    )
    assert found.difference == pytest.approx(by_hand, abs=2e-4)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["categories", "interaction", "number", "mean"])
def test_nine_in_ten_intervals_hold_the_truth(kind):
    """Of 100 intervals of level 0.9, 81 to 98 hold but in one case of a thousand (binomial)."""
    held = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        a, b = rng.integers(0, 2, 1500), rng.integers(0, 3, 1500)
        x = rng.normal(size=1500)
        log_odds = 0.8 * a - 0.6 * (b == 1)
        drive = 0.7 * a + 0.5 * (b == 2)
        if kind == "interaction":
            log_odds, drive = log_odds + a * (b == 2), drive - 1.2 * a * (b == 2)
        if kind == "number":
            log_odds, drive = log_odds + 0.8 * x, drive + x
        treated = rng.random(1500) < 1 / (1 + np.exp(0.3 - log_odds))
        numbers, codes = [], [a, b]
        if kind == "number":
            numbers, codes = [x], [a, b, np.searchsorted([-0.8, 0.0, 0.8], x)]
        if kind == "mean":
            outcome = drive + 0.3 * treated + rng.normal(size=1500)
            change = np.full(1500, 0.3)
        else:
            risks = [1 / (1 + np.exp(1.0 - drive - effect)) for effect in (0.5, 0.0)]
            outcome = (rng.random(1500) < np.where(treated, *risks)).astype(float)
            change = risks[0] - risks[1]
        found, rows = estimated(adjustment(*codes, numbers=numbers), treated, outcome)
        assert rows.mean() > 0.95
        low, high = found.interval(0.9)
        held += low <= change[rows].mean() <= high
    assert 81 <= held <= 98


def test_overlap_leaves_out_what_never_occurs_together(random):
    plan, region = random.integers(0, 2, 4000), random.integers(0, 3, 4000)
    treated = (plan == 1) & (random.random(4000) < 0.5)
    supported = overlap(adjustment(region, plan), treated, ~treated)
    assert (supported == (plan == 1)).all()
    named = [str, lambda inside, present: f"plan {inside} of {present}"]
    assert population(supported, np.array([region, plan]), named) == "plan [1] of [0 1]"


@pytest.mark.parametrize(
    ("states", "inside", "words"),
    [
        (("a", "b", "c", "d"), [1], "= b"),
        (("a", "b", "c", "d"), [0, 1, 3], "= a, b or d"),
        ((1, 2, 5, 9), [0, 1], "= 1 or 2"),
        ((1, 2, 5, 9), [0, 1, 2], "<= 5"),
        ((1, 2, 5, 9), [1, 2, 3], ">= 2"),
        ((1, 2, 5, 9, 12), [1, 2, 3], "from 2 to 9"),
        ((1, 2, 5, 9, 12), [0, 2, 3], "= 1, 5 or 9"),
    ],
)
def test_rows_with_overlap_are_described_in_words(states, inside, words):
    frame = pd.DataFrame({"a": np.repeat(np.array(states, dtype=object), 50)})
    rows = ContrastRows.of_table(Table.from_data(frame), ["a"], {})
    supported = frame["a"].isin([states[i] for i in inside]).to_numpy()
    assert rows.where(supported, ["a"]) == f"a {words}"


def test_overlap_of_two_values_together(random):
    """Neither value alone keeps the treatment away, but both together do."""
    a, b = random.integers(0, 2, 4000), random.integers(0, 2, 4000)
    treated = ~((a == 1) & (b == 1)) & (random.random(4000) < 0.5)
    supported = overlap(adjustment(a, b), treated, ~treated)
    assert (supported == ~((a == 1) & (b == 1))).all()


def test_rows_in_which_a_setting_has_no_chance_are_left_out_inside_a_bin(random):
    """The treatment's chance rises steeply with a number; both settings occur in each bin."""
    number = random.normal(size=8000)
    chance = 1 / (1 + np.exp(-6 * number))
    treated = random.random(8000) < chance
    values = adjustment(np.searchsorted([-0.2, 0.2], number), numbers=[number])
    assert overlap(values, treated, ~treated).all()
    compared = support(values, treated, ~treated)
    scarce = np.minimum(chance, 1 - chance)
    assert not compared.rows[scarce < 0.003].any()
    assert compared.rows[scarce > 0.03].all()
    assert compared.chances.min() >= 0.01


def test_a_rare_setting_is_no_lack_of_overlap(random):
    """Three rows in a thousand are treated, whatever else they have."""
    treated = random.random(20_000) < 0.003
    stratum = random.integers(0, 3, 20_000)
    assert support(adjustment(stratum), treated, ~treated).rows.all()


def test_rare_combinations_are_not_left_out(random):
    """Of 1,024 combinations most have few rows; chance alone leaves one setting out in many."""
    codes = random.integers(0, 2, (10, 3000))
    treated = random.random(3000) < 0.5
    assert overlap(adjustment(*codes), treated, ~treated).all()


def test_a_slope_is_that_of_the_partial_regression(random):
    """With a linear truth it is the coefficient of least squares, with its error."""
    z = random.normal(size=4000)
    treatment = z + random.normal(size=4000)
    outcome = 2 * treatment - 3 * z + random.normal(size=4000)
    bins = np.searchsorted([-1.0, 0.0, 1.0], z)
    found = slope(adjustment(bins, numbers=[z]), treatment, outcome)
    design = np.column_stack([np.ones(4000), treatment, z])
    expected = np.linalg.lstsq(design, outcome, rcond=None)[0][1]
    assert found.difference == pytest.approx(expected, abs=0.01)
    assert found.error == pytest.approx(1 / np.sqrt(4000), rel=0.1)


@pytest.mark.parametrize("n_events", [0, 200])
def test_what_all_rows_or_none_have_is_not_certain(random, n_events):
    """None of 200 rows: by Clopper and Pearson a risk of up to 1.5 % is in the 90 % interval."""
    treated = np.arange(400) < 200
    outcome = (np.arange(400) < n_events).astype(float)
    found, _ = estimated(nothing(400), treated, outcome)
    low, high = found.interval(0.9)
    assert found.difference == n_events / 200
    assert 0.01 < (high - low) / 2 < 0.02


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_a_number_that_decides_the_treatment_leaves_no_overlap(random, direction):
    """Inside the bin that holds the threshold both settings occur, but never at the same number."""
    x = random.normal(size=6000)
    bins = np.searchsorted([-1.0, -0.2, 0.4, 1.0], x)
    treated = direction * x > 0.1
    assert not support(adjustment(bins, numbers=[x]), treated, ~treated).rows.any()


def test_a_number_that_only_favours_the_treatment_leaves_overlap(random):
    x = random.normal(size=6000)
    bins = np.searchsorted([-1.0, -0.2, 0.4, 1.0], x)
    treated = random.random(6000) < logistic(3 * x - 2)
    assert support(adjustment(bins, numbers=[x]), treated, ~treated).share > 0.5


def test_a_curve_of_restricted_ends_is_straight_there_and_has_its_derivative(random):
    """Beyond the outer knots second differences are zero; derivatives are those of small steps."""
    values = np.sort(random.normal(size=400))
    functions, derivatives = restricted_spline(values)
    assert len(functions) == 3
    ends = values < np.quantile(values, 0.05), values > np.quantile(values, 0.95)
    for end in ends:
        np.testing.assert_allclose(np.ptp(derivatives[:, end], axis=1), 0.0, atol=1e-9)
    knots, step = np.quantile(values, (0.05, 0.35, 0.65, 0.95)), 1e-6
    a, b = knots[2:]
    for inner, found in zip(knots[:2], derivatives[1:], strict=True):

        def bent(x, inner=inner):
            beyond = [np.maximum(x - one, 0.0) ** 3 for one in (inner, a, b)]
            shares = 1.0, -(b - inner) / (b - a), (a - inner) / (b - a)
            return sum(s * x for s, x in zip(shares, beyond, strict=True)) / (b - knots[0]) ** 2

        expected = (bent(values + step) - bent(values - step)) / (2 * step)
        np.testing.assert_allclose(found, expected, atol=1e-6)


def logistic(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("noise", ["normal", "exponential"])
def test_the_change_of_a_risk_that_saturates_is_the_mean_derivative(random, noise):
    """A confounded treatment on the scale of log odds: p (1 - p) b, averaged over the rows."""
    held = errors = 0
    for _ in range(20):
        z, c = random.normal(size=3000), random.integers(0, 3, 3000)
        own = random.normal(size=3000) if noise == "normal" else random.exponential(size=3000)
        x = 0.8 * z + np.array([0.0, 1.0, -1.0])[c] + own
        risk = logistic(1.2 * x + 0.4 * x**2 - z - 2.0)
        outcome = (random.random(3000) < risk).astype(float)
        truth = (risk * (1 - risk) * (1.2 + 0.8 * x)).mean()
        bins = np.searchsorted([-1.0, 0.0, 1.0], z)
        found = slope(adjustment(c, bins, numbers=[z]), x, outcome)
        low, high = found.interval(0.9)
        held += low <= truth <= high
        errors += (found.difference - truth) / found.error / 20
    assert held >= 15  # at a coverage of 90 %, one time in a hundred less
    assert abs(errors) < 0.8


@pytest.mark.parametrize("kind", ["constant", "copy of the adjustment set", "no rows"])
def test_a_treatment_with_nothing_of_its_own_has_no_slope(random, kind):
    z = random.normal(size=0 if kind == "no rows" else 2000)
    x = np.ones_like(z) if kind == "constant" else 3 * z - 1
    held = adjustment(np.searchsorted([-1.0, 0.0, 1.0], z), numbers=[z])
    assert slope(held, x, random.normal(size=len(z))) is None


def test_e_values_are_those_of_the_paper():
    """VanderWeele and Ding (2017): a risk ratio of 3.9 with lower end 1.8 has 7.26 and 3.0."""
    assert e_value(3.9, 1.8) == pytest.approx((7.26, 3.0), abs=0.005)
    assert e_value(1 / 3.9, 1 / 1.8) == pytest.approx((7.26, 3.0), abs=0.005)
    assert e_value(1.5, 0.9)[1] == 1.0


def test_robustness_values_are_those_of_the_paper():
    """Cinelli and Hazlett (2020), Darfur: t = 4.18 with 783 degrees of freedom has 13.9 %.

    To lose significance at 5 % takes 7.6 %.
    """
    found = Estimate(np.nan, np.nan, 4.184, 1.0, np.nan, np.nan, 784)
    assert robustness_value(found, 0.95) == pytest.approx((0.139, 0.076), abs=0.001)


def test_a_bend_does_not_turn_the_average_change(random):
    """A skewed treatment acts as -x + x²/8: the mean of -1 + x/4 over the rows, not the line's."""
    x = random.gamma(2.0, 1.0, 6000)
    outcome = -x + x**2 / 8 + random.normal(size=6000)
    found = slope(nothing(6000), x, outcome)
    low, high = found.interval(0.999)
    assert low < (-1 + x / 4).mean() < high < 0
