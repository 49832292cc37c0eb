"""Least squares that shares between configurations what they have in common.

In: what is to be explained, functions, and the number of each row's configuration. Out: the
coefficients and the size of the noise in each configuration.

First labels only shift the mean. Then each configuration gets coefficients of its own, drawn
towards the common ones as strongly as the evidence (marginal likelihood) says; and so does the
size of the noise. A configuration without rows has the common ones.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from bnsieve.network.mixed.inputs import Inputs
from bnsieve.network.mixed.scale import Values

# How freely coefficients may differ between configurations, as variances in units of the noise's.
_FREEDOMS = np.array([0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0, 1000.0])
# How many rows the common size of the noise is worth to a configuration.
_NOISE_ROWS = np.array([3000.0, 1000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0])
# Keeps least squares solvable where a function is a sum of others.
_RIDGE = 1e-9
# Noise below this share of the whole is rounding: the density of a copy would be infinite.
_LEAST_NOISE = 1e-6


@dataclass(frozen=True, eq=False)
class Regression:
    """Coefficients and noise of each configuration, and how many parameters they are worth."""

    coefficients: Values
    deviations: Values
    n_parameters: float


@dataclass(frozen=True, eq=False)
class _Groups:
    """Rows by configuration: those that occur, and the place of each row among them."""

    configurations: NDArray[np.intp]
    place: NDArray[np.intp]
    n_rows: Values


def regression(
    scores: Values, functions: Values, configurations: NDArray[np.intp], inputs: Inputs
) -> Regression:
    """Explain scores by functions, in each configuration of the label parents.

    Parameters
    ----------
    scores : ndarray of float64, shape (n_rows,)
    functions : ndarray of float64, shape (n_functions, n_rows)
        The first is 1.
    configurations : ndarray of int, shape (n_rows,)
    inputs : Inputs
    """
    n = len(scores)
    floor = _LEAST_NOISE * float(scores.std())
    if inputs.n_configurations == 1:
        coefficients = solved(functions @ functions.T, functions @ scores)
        left = scores - coefficients @ functions
        n_used = len(functions)
        deviation = max(floor, np.sqrt(left @ left / _divisor(n, n_used)))
        return Regression(coefficients[np.newaxis], np.array([deviation]), n_used + 1.0)
    occurring, place, counts = np.unique(configurations, return_inverse=True, return_counts=True)
    groups = _Groups(occurring, place, counts.astype(np.float64))
    weights = np.ones(n)
    for _ in range(2):  # the second time, rows of noisy configurations count for less
        common, n_common = _shifted_by_labels(scores, functions, weights, inputs, groups)
        left = scores - np.einsum("nf,fn->n", common[configurations], functions)
        own, n_own, used = _own_coefficients(left, functions, weights, groups)
        coefficients = common.copy()
        coefficients[occurring] += own
        left = scores - np.einsum("nf,fn->n", coefficients[configurations], functions)
        deviations, n_noise = _noise(left, used, n_common, groups, inputs.n_configurations)
        deviations[deviations < floor] = floor
        weights = np.square(deviations.min() / deviations[configurations], dtype=np.float64)
    return Regression(coefficients, deviations, n_common + n_own + n_noise)


def solved(gram: Values, moments: Values) -> Values:
    """Solve normal equations, of which some may say the same."""
    ridge = _RIDGE * (np.diagonal(gram) + np.trace(gram) / len(gram))
    return np.asarray(np.linalg.solve(gram + np.diag(ridge), moments), dtype=np.float64)


def indicators(codes: NDArray[Any], n_levels: int) -> Values:
    """Return one row per level but the first: 1 where the code is that level."""
    shown: Values = (codes == np.arange(1, n_levels)[:, np.newaxis]).astype(np.float64)
    return shown


def _divisor(n_rows: float, n_used: float) -> float:
    """Return what to divide a sum of squares by.

    Rows less used coefficients would make the variance right on average. New rows are also off
    because the coefficients are; with this divisor their expected log density is highest.
    """
    return float(max(n_rows - 2 * n_used - 2, n_rows / 2))


def _shifted_by_labels(
    scores: Values, functions: Values, weights: Values, inputs: Inputs, groups: _Groups
) -> tuple[Values, int]:
    """Fit common coefficients and a shift for each label; return them for each configuration."""
    levels = inputs.levels_of_configurations
    shift = np.concatenate(
        [indicators(codes, n) for codes, n in zip(levels, inputs.n_levels, strict=True)]
    )
    design = np.concatenate([functions, shift[:, groups.configurations][:, groups.place]])
    weighted = design * weights
    found = solved(weighted @ design.T, weighted @ scores)
    coefficients = np.repeat(found[np.newaxis, : len(functions)], inputs.n_configurations, axis=0)
    coefficients[:, 0] += found[len(functions) :] @ shift
    return coefficients, int((np.abs(design).max(axis=1) > 0).sum())


def _own_coefficients(
    left: Values, functions: Values, weights: Values, groups: _Groups
) -> tuple[Values, float, Values]:
    """Return what each configuration's coefficients add to the common ones.

    Returns
    -------
    added : ndarray of float64, shape (n_occurring, n_functions)
    n_parameters : float
        How many parameters they are worth.
    per_configuration : ndarray of float64, shape (n_occurring,)
        How many of these belong to each configuration.
    """
    n, n_groups = len(left), len(groups.configurations)
    unit = np.concatenate([[1.0], functions[1:].std(axis=1)])
    unit[unit == 0] = 1.0
    scaled = functions / unit[:, np.newaxis]
    order = np.argsort(groups.place, kind="stable")
    ends = np.cumsum(groups.n_rows).astype(np.intp)
    values = np.empty((n_groups, len(functions)))
    bases = np.empty((n_groups, len(functions), len(functions)))
    moments = np.empty_like(values)
    for group, rows in enumerate(np.split(order, ends[:-1])):
        part = scaled[:, rows]
        weighted = part * weights[rows]
        values[group], bases[group] = np.linalg.eigh(weighted @ part.T)
        moments[group] = bases[group].T @ (weighted @ left[rows])
    values = np.maximum(values, 0)
    total = float(weights @ left**2)

    def evidence(freedom: float) -> float:
        explained = float((moments**2 / (values + 1 / freedom)).sum())
        left_over = max(total - explained, 1e-12 * total)
        cost = float(np.log1p(freedom * values).sum())
        return -0.5 * n * math.log(left_over) - 0.5 * cost

    nothing = np.zeros((n_groups, len(functions))), 0.0, np.zeros(n_groups)
    if total == 0:
        return nothing
    worths = [evidence(freedom) for freedom in _FREEDOMS]
    if max(worths) <= -0.5 * n * math.log(total):
        return nothing
    freedom = _FREEDOMS[int(np.argmax(worths))]
    added = np.einsum("gij,gj->gi", bases, moments / (values + 1 / freedom)) / unit
    used = (values / (values + 1 / freedom)).sum(axis=1)
    return added, float(used.sum()), used


def _noise(
    left: Values, used: Values, n_common: int, groups: _Groups, n_configurations: int
) -> tuple[Values, float]:
    """Return the size of the noise in each configuration, and how many parameters that takes."""
    n = groups.n_rows.sum()
    squares = np.bincount(groups.place, left**2, len(groups.n_rows))
    # Common coefficients are paid for by all rows alike.
    used = used + n_common * groups.n_rows / n
    rows = np.maximum(groups.n_rows - used, 0.5 * groups.n_rows)
    common = float(squares.sum()) / _divisor(n, used.sum())
    deviations = np.full(n_configurations, np.sqrt(common))
    if common == 0:
        return deviations, 1.0

    def evidence(worth: float) -> float:
        prior, posterior = worth / 2, (worth + rows) / 2
        return float(
            (
                gammaln(posterior)
                - gammaln(prior)
                + prior * np.log(prior * common)
                - posterior * np.log(prior * common + squares / 2)
            ).sum()
        )

    alike = float(-0.5 * rows.sum() * np.log(common) - 0.5 * squares.sum() / common)
    worths = [evidence(worth) for worth in _NOISE_ROWS]
    if max(worths) <= alike:
        return deviations, 1.0
    worth = _NOISE_ROWS[int(np.argmax(worths))]
    variances = (worth * common + squares) / (worth + rows)
    deviations[groups.configurations] = np.sqrt(variances)
    return deviations, float((rows / (worth + rows)).sum())
