"""Fit a numeric variable to its parents.

In: values, columns of the parents. Out: a `NumberNode`, as simple as the rows allow: which scale,
which functions and which noise is decided by the BIC of proper densities in units.

Coefficients share between configurations of the categorical parents what they have in common.
First states only shift the mean. Then each configuration gets coefficients of its own, drawn
towards the common ones as strongly as the marginal likelihood says; and so does the size of the
noise. A configuration without rows has the common ones.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from bnsieve.network.mixed.nodes import Columns, Inputs, NumberInput, NumberNode
from bnsieve.network.mixed.scale import Scale, Values, fit_scale

# Shares of the rows below each knot; five are what most curves need, eight what waves do.
_KNOTS = ((0.05, 0.275, 0.5, 0.725, 0.95), tuple(np.linspace(0.02, 0.98, 8).tolist()))
# How freely coefficients may differ between configurations, as variances in units of the noise's.
_FREEDOMS = np.array([0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0, 1000.0])
# How many rows the common size of the noise is worth to a configuration.
_NOISE_ROWS = np.array([3000.0, 1000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0])
# Keeps least squares solvable where a function is a sum of others.
_RIDGE = 1e-9
# Noise below this share of the whole is rounding: the density of a copy would be infinite.
_LEAST_NOISE = 1e-6


def fit_number(values: Values, columns: Columns, scale: Scale, inputs: Inputs) -> NumberNode:
    """Return the node of a number.

    Parameters
    ----------
    values : ndarray of float64, shape (n_rows,)
        Without missing values, not all the same.
    columns : mapping from str to ndarray, shape (n_rows,)
        The parents' values and codes.
    scale : Scale
        That of the number on its own.
    inputs : Inputs
        The parents, numeric ones on their own scales.
    """
    plain = fit_scale(values, flexible=False)
    best, most = None, -np.inf
    for own in (plain,) if scale.is_plain else (plain, scale):
        numbers = _chosen_functions(own.to_scores(values), columns, own, inputs)
        node = _with_noise(values, columns, replace(inputs, numbers=numbers), own)
        fit = node.log_density(values, columns).sum()
        total = float(fit) - 0.5 * np.log(len(values)) * node.n_parameters
        if best is None or total > most:
            best, most = node, total
    assert best is not None
    return best


def _with_noise(values: Values, columns: Columns, inputs: Inputs, own: Scale) -> NumberNode:
    """Fit coefficients, then noise: normal if that is as good."""
    n, scores = len(values), own.to_scores(values)
    functions = inputs.functions(columns, n)
    configurations = inputs.configurations(columns, n)
    coefficients, deviations, n_parameters = _regression(scores, functions, configurations, inputs)
    n_parameters += 0 if own.is_plain else own.n_parameters
    node = NumberNode(inputs, own, coefficients, deviations, Scale.plain(), n_parameters)
    means, noise_sizes = node.moments(columns, n)
    noise = fit_scale((scores - means) / noise_sizes)
    if noise.is_plain:
        return node
    return replace(node, noise=noise, n_parameters=n_parameters + noise.n_parameters)


def _chosen_functions(
    scores: Values, columns: Columns, own: Scale, inputs: Inputs
) -> tuple[NumberInput, ...]:
    """Choose each numeric parent's scale and knots, one after the other, twice around."""
    if not inputs.numbers:
        return ()
    options = [list(_options(parent, columns, own)) for parent in inputs.numbers]
    blocks = [option.functions(columns[option.name]) for some in options for option in some]
    shift = [
        indicators(columns[name], n)
        for name, n in zip(inputs.categorical, inputs.n_states, strict=True)
    ]
    everything = np.concatenate([np.ones((1, len(scores))), *shift, *blocks])
    gram, moments = everything @ everything.T, everything @ scores
    total = float(scores @ scores)
    ends = np.cumsum([1 + sum(map(len, shift)), *map(len, blocks)])
    fixed, *of_blocks = np.split(np.arange(len(everything)), ends[:-1])
    rows_of = iter(of_blocks)
    places = [[next(rows_of) for _ in some] for some in options]

    def score(chosen: Sequence[int]) -> float:
        used = np.concatenate([fixed, *(places[i][option] for i, option in enumerate(chosen))])
        left = total - float(moments[used] @ _solved(gram[np.ix_(used, used)], moments[used]))
        n = len(scores)
        return -0.5 * n * math.log(max(left, 1e-12 * total)) - 0.5 * math.log(n) * len(used)

    chosen = [0] * len(options)
    for _ in range(2):
        before = list(chosen)
        for parent, some in enumerate(options):
            tried = [
                [*chosen[:parent], option, *chosen[parent + 1 :]] for option in range(len(some))
            ]
            chosen = max(tried, key=score)
        if chosen == before:
            break
    return tuple(some[option] for some, option in zip(options, chosen, strict=True))


def _options(parent: NumberInput, columns: Columns, own: Scale) -> Iterator[NumberInput]:
    """Ways to read a parent, the simplest first: on the scale of the node's kind, linear."""
    values, scale = columns[parent.name], parent.scale
    plain = fit_scale(values, flexible=False)
    scales = [plain] if scale.is_plain else [plain, scale] if own.is_plain else [scale, plain]
    for option in scales:
        yield NumberInput(parent.name, option)
    for option in scales:
        scores = option.to_scores(values)
        for shares in _KNOTS:
            knots = np.quantile(scores, shares)
            if np.all(np.diff(knots) > 1e-3):
                yield NumberInput(parent.name, option, tuple(knots.tolist()))


@dataclass(frozen=True, eq=False)
class _Groups:
    """Rows by configuration: those that occur, and the place of each row among them."""

    configurations: NDArray[np.intp]
    place: NDArray[np.intp]
    n_rows: Values


def _regression(
    scores: Values, functions: Values, configurations: NDArray[np.intp], inputs: Inputs
) -> tuple[Values, Values, float]:
    """Return coefficients and noise of each configuration, and how many parameters they cost.

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
        coefficients = _solved(functions @ functions.T, functions @ scores)
        left = scores - coefficients @ functions
        n_used = len(functions)
        deviation = max(floor, np.sqrt(left @ left / _divisor(n, n_used)))
        return coefficients[np.newaxis], np.array([deviation]), n_used + 1.0
    occurring, place, counts = np.unique(configurations, return_inverse=True, return_counts=True)
    groups = _Groups(occurring, place, counts.astype(np.float64))
    weights = np.ones(n)
    for _ in range(2):  # the second time, rows of noisy configurations count for less
        common, n_common = _shifted_by_states(scores, functions, weights, inputs, groups)
        left = scores - np.einsum("nf,fn->n", common[configurations], functions)
        own, n_own, used = _own_coefficients(left, functions, weights, groups)
        coefficients = common.copy()
        coefficients[occurring] += own
        left = scores - np.einsum("nf,fn->n", coefficients[configurations], functions)
        deviations, n_noise = _noise(left, used, n_common, groups, inputs.n_configurations)
        deviations[deviations < floor] = floor
        weights = np.square(deviations.min() / deviations[configurations], dtype=np.float64)
    return coefficients, deviations, n_common + n_own + n_noise


def _solved(gram: Values, moments: Values) -> Values:
    """Solve normal equations, of which some may say the same."""
    ridge = _RIDGE * (np.diagonal(gram) + np.trace(gram) / len(gram))
    return np.asarray(np.linalg.solve(gram + np.diag(ridge), moments), dtype=np.float64)


def indicators(codes: NDArray[Any], n_states: int) -> Values:
    """Return one row per state but the first: 1 where the code is that state."""
    shown: Values = (codes == np.arange(1, n_states)[:, np.newaxis]).astype(np.float64)
    return shown


def _divisor(n_rows: float, n_used: float) -> float:
    """Return what to divide a sum of squares by.

    Rows less used coefficients would make the variance right on average. New rows are also off
    because the coefficients are; with this divisor their expected log density is highest.
    """
    return float(max(n_rows - 2 * n_used - 2, n_rows / 2))


def _shifted_by_states(
    scores: Values, functions: Values, weights: Values, inputs: Inputs, groups: _Groups
) -> tuple[Values, int]:
    """Fit common coefficients and a shift for each state; return them for each configuration."""
    states = inputs.states_of_configurations
    shift = np.concatenate(
        [indicators(codes, n) for codes, n in zip(states, inputs.n_states, strict=True)]
    )
    design = np.concatenate([functions, shift[:, groups.configurations][:, groups.place]])
    weighted = design * weights
    found = _solved(weighted @ design.T, weighted @ scores)
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
