"""Nodes that are numeric or have a numeric parent, estimated from rows.

In: a DAG and `Rows`. Out: a `NumberNode` for each numeric variable, and a `LabelNode`, a logistic
regression, for each categorical one with a numeric parent. All others have CPTs.
"""

import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.graph import Graph
from bnsieve.network.mixed.fit_number import fit_number, indicators
from bnsieve.network.mixed.nodes import Columns, Inputs, LabelNode, Node, NumberInput
from bnsieve.network.mixed.scale import Scale, Values, fit_scale
from bnsieve.network.rows import Rows

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
    dag: Graph, rows: Rows, states: Mapping[str, tuple[Hashable, ...]]
) -> dict[str, Node]:
    """Return the nodes of all numeric variables, and of all others with a numeric parent.

    A row counts for a node if neither its cell nor its parents' are missing. Where such rows are
    fewer than three, or all alike, the parents have no say in the node.

    Raises
    ------
    ValueError
        If a number does not vary, or categorical parents have too many configurations.
    """
    columns: dict[str, NDArray[Any]] = {**rows.numbers, **rows.codes(states)}
    known = {
        name: ~np.isnan(rows.numbers[name]) if name in rows.numbers else columns[name] >= 0
        for name in dag.nodes
    }
    for name, values in rows.numbers.items():
        _check_varies(name, values[known[name]])
    scales = {name: fit_scale(values[known[name]]) for name, values in rows.numbers.items()}
    nodes: dict[str, Node] = {}
    for name in dag.nodes:
        parents = dag.parents(name)
        if name not in scales and not any(parent in scales for parent in parents):
            continue
        complete = np.logical_and.reduce([known[one] for one in (name, *parents)])
        if _tells_nothing(columns[name][complete]):
            nodes[name] = _alone(name, parents, columns[name][known[name]], scales, states)
            continue
        family = {one: columns[one][complete] for one in (name, *parents)}
        nodes[name] = _node(name, parents, family, scales, states)
    return nodes


def _node(
    name: str,
    parents: tuple[str, ...],
    family: Columns,
    scales: Mapping[str, Scale],
    states: Mapping[str, tuple[Hashable, ...]],
) -> Node:
    numbers, labels = _parents(parents, scales, states)
    own = len(states[name]) if name not in scales else 1
    n_coefficients = prod(k for _, k in labels) * own * (1 + 7 * len(numbers))
    if n_coefficients > _MOST_COEFFICIENTS:
        raise ValueError(
            f"{name!r} would have {n_coefficients:,} coefficients given its parents, more than "
            f"{_MOST_COEFFICIENTS:,}: learn a sparser graph, or merge rare states"
        )
    if name not in scales:
        return fit_label(family[name].astype(np.intp), own, family, numbers, labels)
    return fit_number(family[name].astype(np.float64), family, scales[name], numbers, labels)


def _parents(
    parents: tuple[str, ...],
    scales: Mapping[str, Scale],
    states: Mapping[str, tuple[Hashable, ...]],
) -> tuple[list[tuple[str, Scale]], list[tuple[str, int]]]:
    """Return the numeric parents with their scales, and the others with how many states."""
    return (
        [(parent, scales[parent]) for parent in parents if parent in scales],
        [(parent, len(states[parent])) for parent in parents if parent not in scales],
    )


def _tells_nothing(own: NDArray[Any]) -> bool:
    """Tell whether rows are too few, or too much alike, to see what parents do."""
    return len(own) < _FEWEST_ROWS or bool((own == own[0]).all())


def _alone(
    name: str,
    parents: tuple[str, ...],
    own: NDArray[Any],
    scales: Mapping[str, Scale],
    states: Mapping[str, tuple[Hashable, ...]],
) -> Node:
    """Return the node as it is on its own: coefficients of all parents are zero."""
    numbers, labels = _parents(parents, scales, states)
    inputs = Inputs(
        tuple(NumberInput(parent, scale) for parent, scale in numbers),
        tuple(parent for parent, _ in labels),
        tuple(n for _, n in labels),
    )
    shape = inputs.n_configurations, inputs.n_functions
    if name in scales:
        node = fit_number(own.astype(np.float64), {}, scales[name], [], [])
        coefficients = np.zeros(shape)
        coefficients[:, 0] = node.coefficients[0, 0]
        deviations = np.repeat(node.deviations, inputs.n_configurations)
        return replace(node, inputs=inputs, coefficients=coefficients, deviations=deviations)
    counts = np.bincount(own.astype(np.intp), minlength=len(states[name])) + 1 / len(states[name])
    odds = np.zeros((shape[0], len(counts), shape[1]))
    odds[:, :, 0] = np.log(counts / counts.sum())
    return LabelNode(inputs, odds, len(counts) - 1.0)


def _check_varies(name: str, values: NDArray[np.float64]) -> None:
    if len(values) == 0 or values.min() == values.max():
        said = f"only the value {values[0]:g}" if len(values) else "no value"
        raise ValueError(
            f"column {name!r} has {said}, so it has no density: leave it out, or make it a category"
        )


def fit_label(
    codes: NDArray[np.intp],
    n_states: int,
    columns: Columns,
    parents: Sequence[tuple[str, Scale]],
    labels: Sequence[tuple[str, int]],
) -> LabelNode:
    """Return the node of a categorical variable with numeric parents.

    Whether numbers are read in units or on their own scale, straight or by curves, and whether
    their slopes differ between the states of other parents, is decided by the BIC.

    Parameters
    ----------
    codes : ndarray of int, shape (n_rows,)
        Without missing cells.
    n_states : int
    columns : mapping from str to ndarray, shape (n_rows,)
        The parents' values and codes.
    parents : sequence of (str, Scale)
        The numeric parents, at least one.
    labels : sequence of (str, int)
        The categorical parents and how many states each has.
    """
    few = slice(0, None, max(1, -(-len(codes) // _CHOICE_ROWS)))
    some = {name: column[few] for name, column in columns.items()}
    base = Inputs((), tuple(name for name, _ in labels), tuple(n for _, n in labels))
    best, most = None, -np.inf
    for numbers in _ways(columns, parents):
        for crossed in (False, True) if labels else (False,):
            inputs = replace(base, numbers=numbers)
            node = _fitted(codes[few], n_states, some, inputs, crossed)
            logs = node.log_probabilities(some, len(codes[few]))
            fit = float(logs[np.arange(len(logs)), codes[few]].sum())
            worth = fit - 0.5 * np.log(len(logs)) * node.n_parameters
            if best is None or worth > most:
                best, most = (inputs, crossed, node), worth
    assert best is not None
    inputs, crossed, node = best
    return node if len(logs) == len(codes) else _fitted(codes, n_states, columns, inputs, crossed)


def _ways(columns: Columns, parents: Sequence[tuple[str, Scale]]) -> list[tuple[NumberInput, ...]]:
    """Return ways to read all numeric parents, the simplest first."""
    plain = tuple(
        NumberInput(name, fit_scale(columns[name].astype(np.float64), flexible=False))
        for name, _ in parents
    )
    ways = [plain]
    if not all(scale.is_plain for _, scale in parents):
        ways.append(tuple(NumberInput(name, scale) for name, scale in parents))
    for way in list(ways):
        curved = []
        for one in way:
            scores = one.scale.to_scores(columns[one.name].astype(np.float64))
            knots = np.quantile(scores, _KNOTS)
            bends = bool(np.all(np.diff(knots) > 1e-3))
            curved.append(replace(one, knots=tuple(knots.tolist())) if bends else one)
        if any(one.knots for one in curved):
            ways.append(tuple(curved))
    return ways


def _fitted(
    codes: NDArray[np.intp], n_states: int, columns: Columns, inputs: Inputs, crossed: bool
) -> LabelNode:
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
    return LabelNode(inputs, coefficients, float((len(seen) - 1) * used))


def _logistic(design: Values, target: NDArray[np.intp]) -> tuple[Values, Values]:
    """Return intercepts, shape (n_labels,), and slopes, shape (n_labels, n_columns)."""
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
