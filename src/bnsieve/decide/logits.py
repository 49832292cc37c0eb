"""Additive logits: a categorical variable whose log odds are sums of curves of its parents.

In: columns of values and codes, a categorical variable and its parents. Out: the parents that are
significant given the others, as `ChosenParents`, or the `Information` of each.

The covariance of a search explains the indicators of a category by sums of functions. Probabilities
are between 0 and 1, and such sums are not. Part of a parent's effect is therefore left unexplained,
and false edges from columns associated with the parent make up for it. The more rows, the more
false edges. Here probabilities are logistic, as in a multinomial regression, so a parent must
explain something that the curves of the others do not.
"""

import math
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc

from bnsieve.decide.additive import ChosenParents
from bnsieve.decide.curves import Column, Curve, Knots, Values
from bnsieve.decide.information import Information

_KNOTS = Knots(by_score=(4, 8), by_value=())
# A model has at most so many coefficients, and so many for each row.
_MOST_COEFFICIENTS, _COEFFICIENTS_PER_ROW = 240, 0.05
# Keeps coefficients finite where a parent tells the category for certain.
_RIDGE = 1e-6
# Wald's test is an approximation: it decides only with so many times the evidence, in logarithms.
_CLEAR = 2.0
_MOST_STEPS, _MOST_HALVINGS = 30, 20
# Newton's method ends where the log-likelihood would rise by less than this.
_PRECISION = 1e-4
# The probability of an observed category may be too small for a float.
_LEAST_CHANCE = float(np.finfo(np.float64).tiny)


class AdditiveLogits:
    """Logistic models of categories, additive in curves of their parents.

    Parameters
    ----------
    columns : sequence of ndarray, shape (n_rows,)
        Float columns are numbers, and others codes of categories. No value is missing.
    knots : Knots, optional
        How often curves may bend.
    """

    def __init__(self, columns: Sequence[Column], knots: Knots = _KNOTS) -> None:
        self.columns, self._knots = tuple(columns), knots
        self._curves: dict[int, Curve] = {}

    def choose_parents(
        self,
        target: int,
        parents: Sequence[int],
        *,
        log_alpha: float,
        removable: Collection[int],
    ) -> ChosenParents:
        """Remove, one by one, the parents that are not significant given the others.

        If there are too few rows for a model with all parents, all of them stay.

        Parameters
        ----------
        target : int
            A categorical variable.
        parents : sequence of int
        log_alpha : float
            A parent stays if the log of its p-value is below this value.
        removable : collection of int
            Parents that may be removed.
        """
        chosen = list(parents)
        classes = np.unique(self.columns[target], return_inverse=True)[1]
        sizes = self._sizes(chosen, int(classes.max()))
        if sizes is None or not classes.any():
            return ChosenParents(tuple(chosen), {})
        fit = _Fit.of(_indicators(classes), self._functions(sizes), sizes)
        while True:
            log_ps = {v: fit.wald_log_p_value(v) for v in chosen if v in removable}
            for v in sorted(log_ps, key=log_ps.__getitem__, reverse=True):
                if log_ps[v] < _CLEAR * log_alpha:
                    return ChosenParents(tuple(chosen), {})
                without = self._resized(fit, v, 0)
                if self._log_p_value(fit, without, v) >= log_alpha:
                    chosen.remove(v)
                    fit = without
                    break
            else:
                return ChosenParents(tuple(chosen), {})

    def information(self, target: int, parents: Sequence[int]) -> list[Information]:
        """Return the information of each parent about a categorical variable given the others.

        If there are too few rows for curves, the log odds are linear in the parents.

        Parameters
        ----------
        target : int
            A categorical variable.
        parents : sequence of int
        """
        classes = np.unique(self.columns[target], return_inverse=True)[1]
        n_rows, n_logits = len(classes), int(classes.max())
        if not n_logits:
            return [Information(0.0, 0.0, float(n_rows)) for _ in parents]
        sizes = self._sizes(parents, n_logits)
        if sizes is None:
            sizes = {v: min(self._curve(v).sizes, default=0) for v in parents}
        functions = self._functions(sizes).T[1:]
        whose = np.repeat(list(sizes), list(sizes.values()))
        whole = linear_log_likelihood(classes, functions)
        told = []
        for v in parents:
            gain = whole - linear_log_likelihood(classes, functions[whose != v])
            nats, df = max(gain, 0.0) / n_rows, float(n_logits * sizes[v])
            told.append(Information(nats, df, float(n_rows)))
        return told

    def _curve(self, v: int) -> Curve:
        if v not in self._curves:
            self._curves[v] = Curve.of(self.columns[v], self._knots)
        return self._curves[v]

    def _sizes(self, parents: Sequence[int], n_logits: int) -> dict[int, int] | None:
        """Return the number of functions of each curve; None if there are too few rows."""
        most = min(_MOST_COEFFICIENTS, _COEFFICIENTS_PER_ROW * len(self.columns[0]))
        curves = {v: self._curve(v) for v in parents}
        for place in range(max((len(c.sizes) for c in curves.values()), default=1), 0, -1):
            sizes = {v: c.sizes[:place][-1] for v, c in curves.items() if c.sizes}
            sizes = {**dict.fromkeys(parents, 0), **sizes}
            if n_logits * (1 + sum(sizes.values())) <= most:
                return sizes
        return None

    def _functions(self, sizes: Mapping[int, int]) -> Values:
        n_rows = len(self.columns[0])
        parts = [self._curve(v).functions[:, :size] for v, size in sizes.items()]
        return np.hstack([np.ones((n_rows, 1)), *(math.sqrt(n_rows) * part for part in parts)])

    def _resized(self, fit: "_Fit", v: int, size: int) -> "_Fit":
        """Return the model in which one curve has fewer functions, or none."""
        sizes = {u: own if u != v else size for u, own in fit.sizes.items() if u != v or size}
        begin = np.delete(fit.coefficients, fit.places(v)[size:], axis=1)
        return _Fit.of(fit.indicators, self._functions(sizes), sizes, begin)

    def _log_p_value(self, fit: "_Fit", without: "_Fit", v: int) -> float:
        """Return the log of the p-value of a parent by likelihood ratio, of its best curve."""
        best, n_logits = 0.0, len(fit.indicators)
        tried = [size for size in self._curve(v).sizes if size <= fit.sizes[v]]
        for n_less_bent, size in enumerate(tried):
            bent = fit if size == fit.sizes[v] else self._resized(fit, v, size)
            gain = max(0.0, bent.log_likelihood - without.log_likelihood)
            # The size was chosen: one bit for each that bends less.
            log_p = _log_chi_square_tail(2 * gain, n_logits * size) + n_less_bent * math.log(2)
            best = min(best, log_p)
        return best


@dataclass(frozen=True, eq=False)
class _Fit:
    """A logistic model at its maximum.

    Attributes
    ----------
    indicators : ndarray of float64, shape (n_logits, n_rows)
        The indicators of all categories except the first.
    functions : ndarray of float64, shape (n_rows, k)
        A constant, then those of each parent.
    sizes : dict of int to int
        The number of functions of each parent, in their order.
    coefficients : ndarray of float64, shape (n_logits, k)
    log_likelihood : float
        The log-likelihood minus the ridge penalty.
    information : ndarray of float64, shape (n_logits * k, n_logits * k)
        The negative second derivatives, at the maximum or one step before it.
    """

    indicators: Values
    functions: Values
    sizes: dict[int, int]
    coefficients: Values
    log_likelihood: float
    information: Values

    @classmethod
    def of(
        cls,
        indicators: Values,
        functions: Values,
        sizes: Mapping[int, int],
        begin: Values | None = None,
    ) -> "_Fit":
        """Fit by Newton's method, with shorter steps if a full one lowers the likelihood."""
        coefficients = np.zeros((len(indicators), functions.shape[1])) if begin is None else begin
        now = _log_likelihood(indicators, functions, coefficients)
        for _ in range(_MOST_STEPS):
            gradient, information = _derivatives(indicators, functions, coefficients)
            step = np.linalg.solve(information, gradient.ravel()).reshape(gradient.shape)
            promised = 0.5 * float((step * gradient).sum())
            if promised < _PRECISION:
                break
            for _ in range(_MOST_HALVINGS):
                further = _log_likelihood(indicators, functions, coefficients + step)
                if further >= now:
                    break
                step = step / 2
            else:
                break
            coefficients, now = coefficients + step, further
        return cls(indicators, functions, dict(sizes), coefficients, now, information)

    def places(self, v: int) -> range:
        """Return the columns of the functions of a parent."""
        parents = list(self.sizes)
        first = 1 + sum(self.sizes[u] for u in parents[: parents.index(v)])
        return range(first, first + self.sizes[v])

    @cached_property
    def _covariance(self) -> Values:
        return np.asarray(np.linalg.inv(self.information), np.float64)

    def wald_log_p_value(self, v: int) -> float:
        """Return an approximate log p-value of a parent given the others."""
        places, (n_logits, k) = np.array(self.places(v)), self.coefficients.shape
        own = (np.arange(n_logits)[:, np.newaxis] * k + places).ravel().astype(np.intp)
        effect = self.coefficients.ravel()[own]
        spread = self._covariance[np.ix_(own, own)]
        statistic = float(effect @ np.linalg.solve(spread, effect)) if len(own) else 0.0
        return _log_chi_square_tail(statistic, len(own))


def linear_log_likelihood(classes: NDArray[np.integer], columns: Values) -> float:
    """Return the log-likelihood of categories whose log odds are linear in some columns.

    Parameters
    ----------
    classes : ndarray of int, shape (n_rows,)
        Codes from 0 on; each occurs.
    columns : ndarray of float64, shape (k, n_rows)
        Of about the same variance.
    """
    functions = np.vstack([np.ones(columns.shape[1]), columns]).T
    if int(classes.max()) * functions.shape[1] <= _MOST_COEFFICIENTS:
        return _Fit.of(_indicators(classes), functions, {}).log_likelihood
    if not len(columns):
        shares = np.bincount(classes) / len(classes)
        return float(len(classes) * (shares * np.log(shares)).sum())
    from sklearn.linear_model import LogisticRegression  # slow to load, seldom needed

    model = LogisticRegression(C=100.0, max_iter=40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nearly there is near enough
        model.fit(columns.T, classes)
    chances = model.predict_proba(columns.T)[np.arange(len(classes)), classes]
    return float(np.log(np.maximum(chances, _LEAST_CHANCE)).sum())


def _indicators(classes: NDArray[np.integer]) -> Values:
    """Return the indicators of all categories except the first."""
    shown: Values = np.equal.outer(np.arange(1, classes.max() + 1), classes).astype(np.float64)
    return shown


def _log_likelihood(indicators: Values, functions: Values, coefficients: Values) -> float:
    logits = coefficients @ functions.T
    ridge = 0.5 * _RIDGE * len(functions) * (coefficients**2).sum()
    return float((indicators * logits).sum() - _log_totals(logits).sum() - ridge)


def _derivatives(
    indicators: Values, functions: Values, coefficients: Values
) -> tuple[Values, Values]:
    """Return the gradient of the log-likelihood and the information, both with the ridge."""
    logits = coefficients @ functions.T
    chances = np.exp(logits - _log_totals(logits))
    ridge = _RIDGE * len(functions)
    gradient = (indicators - chances) @ functions - ridge * coefficients
    n_logits, k = coefficients.shape
    information = ridge * np.eye(n_logits * k)
    for a in range(n_logits):
        for b in range(a + 1):
            # A product of a matrix and itself, transposed, takes half the time of any other.
            weights = chances[a] * (1.0 - chances[a] if a == b else chances[b])
            weighted = np.sqrt(weights)[:, np.newaxis] * functions
            block = weighted.T @ weighted
            if a == b:
                information[a * k : (a + 1) * k, a * k : (a + 1) * k] += block
            else:
                information[a * k : (a + 1) * k, b * k : (b + 1) * k] -= block
                information[b * k : (b + 1) * k, a * k : (a + 1) * k] -= block
    return gradient, information


def _log_totals(logits: Values) -> Values:
    """Return the log of the sum of the odds of each row; those of the first category are one."""
    largest = np.maximum(logits.max(axis=0), 0)
    total: Values = largest + np.log(np.exp(-largest) + np.exp(logits - largest).sum(axis=0))
    return total


def _log_chi_square_tail(statistic: float, n_free: int) -> float:
    """Return the log of the chance that chi-square is larger; 0 without degrees of freedom."""
    if n_free == 0:
        return 0.0
    tail = float(gammaincc(n_free / 2, statistic / 2))
    # Where it is too small to be represented, twice the gain orders parents as well.
    return math.log(tail) if tail > 0 else -0.5 * statistic
