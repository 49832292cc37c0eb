"""A label given parents of which some are numbers: logistic regression on their functions.

In: codes, columns of the parents. Out: a `LabelNode`, its probabilities, draws.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from bnsieve.network.mixed.inputs import Columns, Inputs, NumberInput
from bnsieve.network.mixed.regression import indicators
from bnsieve.network.mixed.scale import Scale, Values, fit_scale

# Shares of the rows below each knot of a curve.
_KNOTS = (0.05, 0.275, 0.5, 0.725, 0.95)
# How freely coefficients may move, in scikit-learn's measure: little more than enough to keep them
# finite where numbers separate the labels.
_FREEDOM = 10.0
_MOST_STEPS = 200
# Which functions to take is decided on so many rows; the coefficients then come from all.
_CHOICE_ROWS = 4_000
# Imagined rows, spread evenly over the labels, so that nothing is impossible.
_IMAGINED = 1.0


@dataclass(frozen=True, eq=False)
class LabelNode:
    """How a label depends on parents of which some are numbers.

    The log odds of the labels are sums of functions of the numeric parents, with coefficients for
    each configuration of the label parents.

    Attributes
    ----------
    inputs : Inputs
    coefficients : ndarray of float64, shape (n_configurations, n_levels, n_functions)
        Of the functions of `inputs`, the constant one first.
    n_parameters : float
        Free parameters.
    """

    inputs: Inputs
    coefficients: Values
    n_parameters: float

    @property
    def n_levels(self) -> int:
        """How many labels there are."""
        return len(self.coefficients[0])

    def log_probabilities(self, columns: Columns, n_rows: int) -> Values:
        """Return the logarithm of each label's probability in each row, (n_rows, n_levels)."""
        configurations = self.inputs.configurations(columns, n_rows)
        functions = self.inputs.functions(columns, n_rows)
        odds = np.einsum("nlf,fn->nl", self.coefficients[configurations], functions)
        logs: Values = log_softmax(odds, axis=1)
        return logs

    def draw(self, uniforms: Values, columns: Columns) -> NDArray[np.intp]:
        """Return a code for each row from a number between 0 and 1."""
        shares = np.exp(self.log_probabilities(columns, len(uniforms))).cumsum(axis=1)
        codes: NDArray[np.intp] = (shares[:, :-1] <= uniforms[:, np.newaxis]).sum(axis=1)
        return codes


def fit_label(
    codes: NDArray[np.intp],
    n_levels: int,
    columns: Columns,
    parents: Sequence[tuple[str, Scale]],
    labels: Sequence[tuple[str, int]],
) -> LabelNode:
    """Return the node of a label with numeric parents.

    Whether numbers are read in units or on their own scale, straight or by curves, and whether
    their slopes differ between the labels of other parents, is decided by the BIC.

    Parameters
    ----------
    codes : ndarray of int, shape (n_rows,)
        Without missing cells.
    n_levels : int
    columns : mapping from str to ndarray, shape (n_rows,)
        The parents' values and codes.
    parents : sequence of (str, Scale)
        The numeric parents, at least one.
    labels : sequence of (str, int)
        The label parents and how many levels each has.
    """
    few = slice(0, None, max(1, -(-len(codes) // _CHOICE_ROWS)))
    some = {name: column[few] for name, column in columns.items()}
    base = Inputs((), tuple(name for name, _ in labels), tuple(n for _, n in labels))
    best, most = None, -np.inf
    for numbers in _ways(columns, parents):
        for crossed in (False, True) if labels else (False,):
            inputs = replace(base, numbers=numbers)
            node = _fitted(codes[few], n_levels, some, inputs, crossed)
            logs = node.log_probabilities(some, len(codes[few]))
            fit = float(logs[np.arange(len(logs)), codes[few]].sum())
            worth = fit - 0.5 * np.log(len(logs)) * node.n_parameters
            if best is None or worth > most:
                best, most = (inputs, crossed, node), worth
    assert best is not None
    inputs, crossed, node = best
    return node if len(logs) == len(codes) else _fitted(codes, n_levels, columns, inputs, crossed)


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
    codes: NDArray[np.intp], n_levels: int, columns: Columns, inputs: Inputs, crossed: bool
) -> LabelNode:
    """Fit the coefficients; `crossed` lets slopes differ between the labels of other parents."""
    n = len(codes)
    functions = inputs.functions(columns, n)[1:]
    levels = inputs.levels_of_configurations
    shifts = [indicators(own, k) for own, k in zip(levels, inputs.n_levels, strict=True)]
    if crossed:
        shifts += [_products(one, other) for one, other in combinations(shifts, 2)]
    # Per configuration: how the shifts and the slopes of the rows are made of what is fitted.
    shift = np.concatenate([*shifts, np.empty((0, inputs.n_configurations))])
    n_alone = sum(k - 1 for k in inputs.n_levels) if crossed else 0
    where = inputs.configurations(columns, n)
    cross = shift[:n_alone]
    crossing = [_products(functions, cross[:, where])] if n_alone else []
    design = np.concatenate([functions, shift[:, where], *crossing])
    spread = design.std(axis=1)
    spread[spread == 0] = np.inf
    seen, target = np.unique(codes, return_inverse=True)
    found = np.zeros((n_levels, 1 + len(design)))
    # A label without rows would have odds of zero to one: a share of one imagined row is enough.
    found[:, 0] = np.log(_IMAGINED / n_levels / (n + _IMAGINED))
    if len(seen) == 1:
        found[seen[0], 0] = 0.0
    else:
        intercepts, slopes = _logistic((design / spread[:, np.newaxis]).T, target)
        found[seen, 0] = intercepts - intercepts.mean()
        found[seen, 1:] = slopes / spread
    n_functions = len(functions)
    coefficients = np.empty((inputs.n_configurations, n_levels, 1 + n_functions))
    coefficients[:, :, 0] = (found[:, :1] + found[:, 1 + n_functions :][:, : len(shift)] @ shift).T
    coefficients[:, :, 1:] = found[np.newaxis, :, 1 : 1 + n_functions]
    if n_alone:
        crossed_slopes = found[:, 1 + n_functions + len(shift) :].reshape(
            n_levels, n_functions, n_alone
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
