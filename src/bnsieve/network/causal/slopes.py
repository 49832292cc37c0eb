"""The change of an outcome per unit of a numeric treatment, estimated from rows.

In: rows of a treatment, an outcome and an adjustment set. Out: the rows in which the treatment
varies (`varying`), and an `Estimate` of the average derivative on them. It is doubly robust: the
derivative of a model of the outcome, plus the residuals of that model, weighted by how the
treatment is distributed at the adjustment values (Chernozhukov, Newey and Singh, 2022).
"""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bnsieve.network.causal.contrasts import (
    LEAST_ROWS,
    ROWS_TO_JUDGE,
    Adjustment,
    Estimate,
    Mask,
    Numbers,
    left_in_strata,
    numbered,
    predicted,
)

# Knots of a curve with restricted ends (Harrell, 2015, table 2.3).
_KNOTS = (0.05, 0.35, 0.65, 0.95)
# Weights are kept from following noise by so much, in units of each function's variance.
_PENALTY = 1e-3
# A treatment of which its causes leave less variance open has no effect of its own to estimate.
_LEAST_LEFT = 1e-4
# A value that fewer of the rows share is never all that a treatment is at some adjustment values.
_FREQUENT = 0.01
# Numbers so many interquartile ranges from the quartiles, of the distinct ones, tell of themselves
# only: one would decide the slope of all rows.
_FAR = 100.0


def varying(adjustment: Adjustment, treatment: Numbers) -> Mask:
    """Return the rows at whose adjustment values a numeric treatment varies.

    Where all rows but one have the same value of it, nothing is known of others. As with
    `overlap`, each one and each two of the adjustment values are judged, and all of them together
    unless they are too rare. Numbers far from all others are left out.
    """
    if not len(treatment):
        return np.zeros(0, dtype=np.bool_)
    values, code, counts = np.unique(treatment, return_inverse=True, return_counts=True)
    is_frequent = counts >= max(_FREQUENT * len(treatment), LEAST_ROWS)
    shared, place = is_frequent[code], (np.cumsum(is_frequent) - 1)[code]
    low, high = np.quantile(values, (0.25, 0.75))
    reach = _FAR * (high - low)
    result: Mask = (treatment >= low - reach) & (treatment <= high + reach)
    if not shared.any():
        return result
    variables = range(len(adjustment.codes))
    chosen = [*combinations(variables, 0), *combinations(variables, 1), *combinations(variables, 2)]
    judged = [(numbered(adjustment.codes[list(one)]), LEAST_ROWS) for one in chosen]
    for strata, fewest in [*judged, (adjustment.strata, ROWS_TO_JUDGE)]:
        n_rows = np.bincount(strata)
        joint = numbered(np.array([strata, place])[:, shared])
        n_alike = np.zeros_like(n_rows)
        np.maximum.at(n_alike, strata[shared], np.bincount(joint)[joint])
        is_constant = (n_rows >= fewest) & (n_rows - n_alike < LEAST_ROWS)
        result &= ~is_constant[strata]
    return result


def slope(adjustment: Adjustment, treatment: Numbers, outcome: Numbers) -> Estimate | None:
    """Return the mean change of the outcome per unit of a numeric treatment, averaged over rows.

    The outcome may follow the treatment along a curve, on the scale of log odds for risks: what is
    averaged is the derivative at each row. Returns None if the treatment is constant, or a function
    of the adjustment set: then the rows cannot tell.
    """
    n, spread = adjustment.n_rows, float(treatment.std()) if len(treatment) else 0.0
    if n < 2 or not spread > 0:
        return None
    scaled = (treatment - treatment.mean()) / spread
    every = np.ones(n, dtype=np.bool_)
    left = scaled - predicted(adjustment, every, scaled, False)
    if not float((left**2).mean()) > _LEAST_LEFT:
        return None
    held = _features(adjustment)
    curve = _beside(held, *restricted_spline(scaled))
    noise = _beside(held, *restricted_spline(left))
    is_risk = bool(np.isin(outcome, (0.0, 1.0)).all())
    n_folds, fold = adjustment.split
    scores = np.empty(n)
    for k in range(n_folds):
        fitted, asked = fold != k, fold == k
        mean, change = _outcome_model(curve, fitted, outcome, is_risk)
        total = fitted * outcome
        more = left_in_strata(
            adjustment.strata, fitted * 1.0, total, mean, total * outcome, is_risk
        )
        mean = mean + more[adjustment.strata]
        if is_risk:
            mean = np.clip(mean, 0.0, 1.0)
        weight = _weights(noise, fitted)
        scores[asked] = (change + weight * (outcome - mean))[asked]
    average = float(scores.mean())
    error = adjustment.error_of_sum(scores - average) / n
    if is_risk:  # as if one row more had the outcome
        error = float(np.hypot(error, 1 / (n + 2)))
    return Estimate(np.nan, np.nan, average / spread, error / spread, np.nan, np.nan, n)


def restricted_spline(values: Numbers) -> tuple[Numbers, Numbers]:
    """Return the functions of a curve that is straight beyond its outer knots, and derivatives.

    Both have a row for each function, the first of which is the value itself. Values with few
    distinct quantiles have a straight line only.
    """
    knots = np.unique(np.quantile(values, _KNOTS))
    functions, derivatives = [values], [np.ones_like(values)]
    if len(knots) > 2:
        *inner, a, b = knots
        scale = (b - knots[0]) ** 2
        for knot in inner:
            parts = ((knot, 1.0), (a, -(b - knot) / (b - a)), (b, (a - knot) / (b - a)))
            beyond = [(np.maximum(values - one, 0.0), share) for one, share in parts]
            functions.append(sum(share * x**3 for x, share in beyond) / scale)
            derivatives.append(sum(3 * share * x**2 for x, share in beyond) / scale)
    return np.array(functions), np.array(derivatives)


def _features(adjustment: Adjustment) -> Numbers:
    """Return the adjustment values of each row, shape (n_rows, n_features)."""
    if not len(adjustment.codes):
        return np.empty((adjustment.n_rows, 0))
    cell, features, _ = adjustment.cells
    return features[cell]


def _beside(held: Numbers, functions: Numbers, derivatives: Numbers) -> tuple[Numbers, Numbers]:
    """Return features and functions in standard units, and how they change with the treatment."""
    values = np.concatenate([held, functions.T], axis=1)
    change = np.concatenate([np.zeros_like(held), derivatives.T], axis=1)
    scale = values.std(axis=0)
    scale[scale == 0] = 1.0
    return (values - values.mean(axis=0)) / scale, change / scale


def _outcome_model(
    curve: tuple[Numbers, Numbers], rows: Mask, outcome: Numbers, is_risk: bool
) -> tuple[Numbers, Numbers]:
    """Fit the outcome on some rows; return its mean in every row, and the mean's derivative."""
    from sklearn.linear_model import LogisticRegression, Ridge  # slow to load

    values, change = curve
    if not is_risk:
        ridge = Ridge(alpha=1.0).fit(values[rows], outcome[rows])
        return np.asarray(ridge.predict(values)), np.asarray(change @ ridge.coef_)
    share = float(outcome[rows].mean())
    if share in (0.0, 1.0):
        return np.full(len(values), share), np.zeros(len(values))
    logistic = LogisticRegression(solver="newton-cholesky", max_iter=200)
    logistic.fit(values[rows], outcome[rows])
    risk = np.asarray(logistic.predict_proba(values)[:, 1], dtype=np.float64)
    return risk, risk * (1 - risk) * (change @ logistic.coef_[0])


def _weights(noise: tuple[Numbers, Numbers], rows: Mask) -> NDArray[np.float64]:
    """Return the weight of each row's residual, by what the causes leave open of the treatment.

    Weighted sums of functions of the treatment are then their mean derivatives.
    """
    values, change = noise
    design = np.column_stack([np.ones(len(values)), values])
    chosen = design[rows]
    products = chosen.T @ chosen / len(chosen) + _PENALTY * np.eye(design.shape[1])
    wanted = np.concatenate([[0.0], change[rows].mean(axis=0)])
    return np.asarray(design @ np.linalg.solve(products, wanted), dtype=np.float64)
