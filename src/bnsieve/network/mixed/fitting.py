"""Nodes that are numeric or have a numeric parent, estimated from rows.

In: a DAG and columns. Out: a `NumberNode` for each numeric variable, and a `StateNode`, a logistic
regression, for each categorical one with a numeric parent. All others have CPTs.
"""

import warnings
from collections.abc import Hashable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.graph import Graph
from bnsieve.network.mixed.fit_number import fit_number, indicators
from bnsieve.network.mixed.nodes import Columns, Inputs, Node, NumberInput, StateNode, is_known
from bnsieve.network.mixed.scale import Scale, Values, fit_scale

# Coefficients that a node may hold.
_MOST_COEFFICIENTS = 1 << 24
_FEWEST_ROWS = 3
# Shares of the rows below each knot of a curve.
_KNOTS = (0.05, 0.275, 0.5, 0.725, 0.95)
# How freely coefficients may move, in scikit-learn's measure: little more than enough to keep them
# finite where numbers separate the states.
_FREEDOM = 10.0
_MOST_STEPS = 200
# Which functions to take is decided on so many rows; the coefficients then come from all.
_CHOICE_ROWS = 4_000
# Imagined rows, spread evenly over the states, so that nothing is impossible.
_IMAGINED = 1.0


def fit_nodes(
    dag: Graph, columns: Columns, states: Mapping[str, tuple[Hashable, ...]]
) -> dict[str, Node]:
    """Return the nodes of all numeric variables, and of all others with a numeric parent.

    A row counts for a node if neither its value nor its parents' are missing. Where such rows are
    fewer than three, or all alike, the parents have no say in the node.

    Parameters
    ----------
    dag : Graph
    columns : mapping from str to ndarray, shape (n_rows,)
        Values of numeric variables, NaN where missing; codes of states, -1 where missing.
    states : mapping from str to tuple of states
        Of the categorical variables.

    Raises
    ------
    ValueError
        If a number does not vary, or categorical parents have too many configurations.
    """
    known = {name: is_known(columns[name]) for name in dag.nodes}
    scales = {}
    for name in dag.nodes:
        if name not in states:
            values = columns[name][known[name]]
            _check_varies(name, values)
            scales[name] = fit_scale(values)
    nodes: dict[str, Node] = {}
    for name in dag.nodes:
        parents = dag.parents(name)
        if scales.keys().isdisjoint((name, *parents)):
            continue
        inputs = Inputs(
            tuple(NumberInput(parent, scales[parent]) for parent in parents if parent in scales),
            tuple(parent for parent in parents if parent in states),
            tuple(len(states[parent]) for parent in parents if parent in states),
        )
        scale, n_states = scales.get(name), len(states[name]) if name in states else 1
        _check_size(name, inputs, n_states)
        complete = np.logical_and.reduce([known[variable] for variable in (name, *parents)])
        family = {variable: columns[variable][complete] for variable in (name, *parents)}
        values = family[name]
        if len(values) < _FEWEST_ROWS or (values == values[0]).all():
            values = columns[name][known[name]]
            nodes[name] = _without_parents(values, inputs, scale, n_states)
        elif scale is None:
            nodes[name] = fit_states(values, n_states, family, inputs)
        else:
            nodes[name] = fit_number(values, family, scale, inputs)
    return nodes


def _check_varies(name: str, values: Values) -> None:
    if len(values) == 0 or values.min() == values.max():
        said = f"only the value {values[0]:g}" if len(values) else "no value"
        raise ValueError(
            f"column {name!r} has {said}, so it has no density: leave it out, or make it a category"
        )


def _check_size(name: str, inputs: Inputs, n_states: int) -> None:
    n_coefficients = inputs.n_configurations * n_states * (1 + 7 * len(inputs.numbers))
    if n_coefficients > _MOST_COEFFICIENTS:
        raise ValueError(
            f"{name!r} would have {n_coefficients:,} coefficients given its parents, more than "
            f"{_MOST_COEFFICIENTS:,}: learn a sparser graph, or merge rare states"
        )


def _without_parents(
    values: NDArray[Any], inputs: Inputs, scale: Scale | None, n_states: int
) -> Node:
    """Return the node on its own: coefficients of all parents are zero."""
    n, n_functions = inputs.n_configurations, inputs.n_functions
    if scale is not None:
        node = fit_number(values, {}, scale, Inputs(()))
        coefficients = np.zeros((n, n_functions))
        coefficients[:, 0] = node.coefficients[0, 0]
        deviations = np.repeat(node.deviations, n)
        return replace(node, inputs=inputs, coefficients=coefficients, deviations=deviations)
    counts = np.bincount(values, minlength=n_states) + 1 / n_states
    odds = np.zeros((n, n_states, n_functions))
    odds[:, :, 0] = np.log(counts / counts.sum())
    return StateNode(inputs, odds, n_states - 1.0)


def fit_states(
    codes: NDArray[np.intp], n_states: int, columns: Columns, inputs: Inputs
) -> StateNode:
    """Return the node of a categorical variable with numeric parents.

    Whether numbers are read in units or on their own scale, straight or by curves, and whether
    their slopes differ between the states of other parents, is decided by the BIC.

    Parameters
    ----------
    codes : ndarray of int, shape (n_rows,)
        Without missing values.
    n_states : int
    columns : mapping from str to ndarray, shape (n_rows,)
        The parents' values and codes.
    inputs : Inputs
        The parents, numeric ones on their own scales and at least one.
    """
    few = slice(0, None, max(1, -(-len(codes) // _CHOICE_ROWS)))
    some = {name: column[few] for name, column in columns.items()}
    n = len(codes[few])
    best, most = None, -np.inf
    for numbers in _readings(columns, inputs.numbers):
        for crossed in (False, True) if inputs.categorical else (False,):
            read = replace(inputs, numbers=numbers)
            node = _fitted(codes[few], n_states, some, read, crossed)
            fit = float(node.log_probabilities(some, n)[np.arange(n), codes[few]].sum())
            score = fit - 0.5 * np.log(n) * node.n_parameters
            if best is None or score > most:
                best, most = (read, crossed, node), score
    assert best is not None
    read, crossed, node = best
    return node if n == len(codes) else _fitted(codes, n_states, columns, read, crossed)


def _readings(columns: Columns, parents: tuple[NumberInput, ...]) -> list[tuple[NumberInput, ...]]:
    """Return ways to read all numeric parents, the simplest first."""
    plain = tuple(
        NumberInput(parent.name, fit_scale(columns[parent.name], flexible=False))
        for parent in parents
    )
    readings = [plain]
    if not all(parent.scale.is_plain for parent in parents):
        readings.append(parents)
    for straight in list(readings):
        curved = []
        for parent in straight:
            knots = np.quantile(parent.scale.to_scores(columns[parent.name]), _KNOTS)
            bends = bool(np.all(np.diff(knots) > 1e-3))
            curved.append(replace(parent, knots=tuple(knots.tolist())) if bends else parent)
        if any(parent.knots for parent in curved):
            readings.append(tuple(curved))
    return readings


def _fitted(
    codes: NDArray[np.intp], n_states: int, columns: Columns, inputs: Inputs, crossed: bool
) -> StateNode:
    """Fit the coefficients; `crossed` lets slopes differ between the states of other parents."""
    n = len(codes)
    functions = inputs.functions(columns, n)[1:]
    states = inputs.states_of_configurations
    shifts = [indicators(own, k) for own, k in zip(states, inputs.n_states, strict=True)]
    if crossed:
        shifts += [_products(one, other) for one, other in combinations(shifts, 2)]
    # Per configuration: how the shifts and the slopes of the rows are made of what is fitted.
    shift = np.concatenate([*shifts, np.empty((0, inputs.n_configurations))])
    n_alone = sum(k - 1 for k in inputs.n_states) if crossed else 0
    where = inputs.configurations(columns, n)
    cross = shift[:n_alone]
    crossing = [_products(functions, cross[:, where])] if n_alone else []
    design = np.concatenate([functions, shift[:, where], *crossing])
    spread = design.std(axis=1)
    spread[spread == 0] = np.inf
    seen, target = np.unique(codes, return_inverse=True)
    found = np.zeros((n_states, 1 + len(design)))
    # A state without rows would have odds of zero to one: a share of one imagined row is enough.
    found[:, 0] = np.log(_IMAGINED / n_states / (n + _IMAGINED))
    if len(seen) == 1:
        found[seen[0], 0] = 0.0
    else:
        intercepts, slopes = _logistic((design / spread[:, np.newaxis]).T, target)
        found[seen, 0] = intercepts - intercepts.mean()
        found[seen, 1:] = slopes / spread
    n_functions = len(functions)
    coefficients = np.empty((inputs.n_configurations, n_states, 1 + n_functions))
    coefficients[:, :, 0] = (found[:, :1] + found[:, 1 + n_functions :][:, : len(shift)] @ shift).T
    coefficients[:, :, 1:] = found[np.newaxis, :, 1 : 1 + n_functions]
    if n_alone:
        crossed_slopes = found[:, 1 + n_functions + len(shift) :].reshape(
            n_states, n_functions, n_alone
        )
        coefficients[:, :, 1:] += np.einsum("lfa,ac->clf", crossed_slopes, cross)
    used = int(np.isfinite(spread).sum()) + 1
    return StateNode(inputs, coefficients, float((len(seen) - 1) * used))


def _logistic(design: Values, target: NDArray[np.intp]) -> tuple[Values, Values]:
    """Return intercepts, shape (n_states,), and slopes, shape (n_states, n_columns)."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression  # slow to load, seldom needed

    with warnings.catch_warnings():
        # A few steps short of the best coefficients are still good ones.
        warnings.simplefilter("ignore", ConvergenceWarning)
        fit = LogisticRegression(C=_FREEDOM, max_iter=_MOST_STEPS).fit(design, target)
    if len(fit.classes_) == 2:  # scikit-learn gives the log odds of the second only
        return (
            np.array([0.0, fit.intercept_[0]]),
            np.stack([np.zeros(design.shape[1]), fit.coef_[0]]),
        )
    return fit.intercept_, fit.coef_


def _products(some: Values, others: Values) -> Values:
    """Return each row of one times each row of the other, shape (n_some * n_others, n)."""
    return (some[:, np.newaxis] * others[np.newaxis]).reshape(-1, some.shape[-1])
