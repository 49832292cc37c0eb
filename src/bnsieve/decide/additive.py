"""Additive models: a numeric variable as a sum of curves of its parents.

In: columns of values and codes, a variable and its parents. Out: the parents that are significant
given the others, as `ChosenParents`.

The covariance of a search has a few functions of ranks. If a curve is more complex, or effects add
up in values and not in ranks, part of a parent's effect is left unexplained, and columns associated
with the parent make up for it. Over time there are many of these: the same variable one step
earlier, and all its effects. Here curves are as flexible as the rows allow, and the variable itself
is modelled by value or by rank, whichever leaves less unexplained. A parent must then explain
something about the mean, or the spread, that the others do not.

If a variable is a random walk, often only its change has an effect, and neither of two successive
values is informative alone. Differences of pairs of columns are therefore candidates too.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from bnsieve.decide.curves import Column, Curve, Knots, Values, normal_scores, standardised

# Of a column that may be added, how many sizes of its curve are tried.
_N_TRIED = 5
# The score did not ask for what is added here: it takes so many times the evidence, in logarithms.
# Past values of variables that wander look like causes of each other more often than tests say.
_EVIDENCE_TO_ADD = 2.0
# A variable wanders if n times one minus its autocorrelation is less: the 5 % point of Dickey and
# Fuller, with a trend.
_WANDERS = 21.8
# Twice the log-likelihood that a function must add, as by Akaike.
_COST = 2.0
# A model has at most so many functions for each row.
_FUNCTIONS_PER_ROW = 1 / 3
# Fewer rows tell nothing of curves.
FEWEST_MODELLED_ROWS = 60
# Kept away from minus infinity, as a share of the median distance.
_LEAST_DISTANCE = 0.05
_RIDGE = 1e-9
_ROUNDING = 1e-6


@dataclass(frozen=True)
class ChosenParents:
    """The chosen parents.

    Attributes
    ----------
    parents : tuple of int
        The given parents that stay, in their order, and then the added ones.
    gains : dict of int to float
        For each added parent, the negative log of its p-value, minus the limit.
    """

    parents: tuple[int, ...]
    gains: dict[int, float]


class AdditiveModels:
    """Additive models of columns.

    Parameters
    ----------
    columns : sequence of ndarray, shape (n_rows,)
        Float columns are numbers, and others codes of categories. No value is missing.
    knots : Knots, optional
        The knots of the splines. Fewer knots take less time.
    """

    def __init__(self, columns: Sequence[Column], knots: Knots | None = None) -> None:
        self.columns = tuple(columns)
        self.knots = Knots() if knots is None else knots
        self.n_rows = len(self.columns[0]) if self.columns else 0
        self._curves: dict[int, Curve] = {}
        self._products: dict[tuple[int, int], Values] = {}

    def choose_parents(
        self,
        target: int,
        parents: Sequence[int],
        *,
        log_alpha: float,
        removable: Collection[int],
        addable: Sequence[int] = (),
        changes: Sequence[tuple[int, int]] = (),
        own_past: int | None = None,
        max_parents: int = 8,
    ) -> ChosenParents:
        """Add significant parents, then remove those that are not significant given the others.

        Parameters
        ----------
        target : int
            A numeric variable.
        parents : sequence of int
        log_alpha : float
            A parent stays if the log of its p-value is below this value.
        removable : collection of int
            Parents that may be removed.
        addable : sequence of int
            Columns that may become parents. They must not depend on the target.
        changes : sequence of (int, int)
            Pairs of numeric columns, parents or addable, whose difference may be significant.
        own_past : int, optional
            The target one step earlier. If the target wanders, the other parents must be
            significant for its change too: given its past, any slow curve looks like a trend.
        max_parents : int, default 8
            The largest number of parents that stay, or the number given if that is larger. Up to
            twice as many are tried, because all given ones may be wrong.
        """
        to_add = _EVIDENCE_TO_ADD * log_alpha
        response, sizes = self._response(target, parents, has_past=own_past is not None)
        chosen, added = list(parents), set[int]()
        others = [v for v in addable if v not in chosen]
        while others and len(chosen) < 2 * max_parents:
            fit = self._family(chosen).fit(response, sizes)
            (best, log_p), sizes = self._best_addition(fit, others, changes), fit.sizes
            if not log_p < to_add:
                break
            chosen += best
            added.update(best)
            others = [v for v in others if v not in best]
        removable, most = {*removable, *added}, max(max_parents, len(parents))
        change = self._change(target, own_past)
        log_ps: dict[int, float] = {}
        while chosen:
            log_ps, sizes = self._log_p_values(response, chosen, sizes)
            if change is not None and own_past in chosen:
                others = [v for v in chosen if v != own_past]
                of_change, _ = self._log_p_values(change, others, sizes)
                log_ps |= {v: max(log_ps[v], of_change[v]) for v in others}
            worst = max((v for v in chosen if v in removable), key=log_ps.__getitem__, default=None)
            if worst is None or (log_ps[worst] < log_alpha and len(chosen) <= most):
                break
            chosen.remove(worst)
        gains = {v: log_alpha - log_ps[v] for v in chosen if v in added}
        return ChosenParents(tuple(chosen), gains)

    def _change(self, target: int, own_past: int | None) -> Values | None:
        """Return the change of a variable since the step before; None if it does not wander."""
        if own_past is None or self.columns[own_past].dtype.kind != "f":
            return None
        now, before = (self.columns[v].astype(np.float64) for v in (target, own_past))
        moves = self.n_rows * (1.0 - float(np.corrcoef(now, before)[0, 1]))
        return standardised(now - before) if moves < _WANDERS else None

    def _curve(self, v: int) -> Curve:
        if v not in self._curves:
            self._curves[v] = Curve.of(self.columns[v], self.knots)
        return self._curves[v]

    def _family(self, parents: Sequence[int]) -> "_Family":
        curves = {v: self._curve(v) for v in parents}
        blocks = [[self._products_of(u, v) for v in parents] for u in parents]
        return _Family(self.n_rows, curves, np.block(blocks) if blocks else np.empty((0, 0)))

    def _products_of(self, u: int, v: int) -> Values:
        """Return the products of the functions of two columns, which many families share."""
        if u > v:
            return self._products_of(v, u).T
        if (u, v) not in self._products:
            self._products[u, v] = self._curve(u).functions.T @ self._curve(v).functions
        return self._products[u, v]

    def _response(
        self, target: int, parents: Sequence[int], *, has_past: bool = False
    ) -> tuple[Values, dict[int, int]]:
        """Return the variable by value or by normal score: what its parents explain better.

        Also returns the sizes of the parents' curves. Over time, the density of residuals is
        estimated: if they were taken to be normal, skewed noise would make scores look better.
        Without a past, they are taken to be normal.
        """
        values = self.columns[target]
        family = self._family(parents)
        fits = [
            family.fit(response)
            for response in (
                standardised(values.astype(np.float64)),
                standardised(normal_scores(values)),
            )
        ]

        def log_likelihood(fit: _Fit) -> float:
            """Return the mean log-likelihood of a row, up to a constant."""
            if not has_past:
                return _entropy(fit.response) - fit.criterion / (2 * self.n_rows)
            cost = _COST * sum(fit.sizes.values()) / (2 * self.n_rows)
            return _entropy(fit.response) - _entropy(fit.residuals()) - cost

        best = max(fits, key=log_likelihood)
        return best.response, best.sizes

    def _best_addition(
        self, fit: "_Fit", others: Sequence[int], changes: Sequence[tuple[int, int]]
    ) -> tuple[list[int], float]:
        """Return what tells most beside the parents of a model, and the log of its p-value.

        That is one column, or those of a change that are no parents yet.
        """
        basis, left = np.linalg.qr(fit.design)[0], fit.residuals()
        curves = [self._curve(v) for v in others]
        functions = np.hstack(
            [c.functions[:, : _tried(c)[-1]] if c.sizes else c.functions for c in curves]
        )
        own = functions - basis @ (basis.T @ functions)
        total, best = float(left @ left), ([others[0]], 0.0)
        n_free, at = self.n_rows - 1 - basis.shape[1], 0
        for v, curve in zip(others, curves, strict=True):
            if not curve.sizes:
                continue
            block = own[:, at : at + _tried(curve)[-1]]
            at += block.shape[1]
            gram, with_left = block.T @ block, block.T @ left
            for size in _tried(curve):
                part = gram[:size, :size] + _RIDGE * np.eye(size)
                explained = float(with_left[:size] @ np.linalg.solve(part, with_left[:size]))
                log_p = _log_p_value(total, total - explained, size, n_free - size)
                # The best of so many curves is chosen.
                log_p += float(np.log(len(_tried(curve))))
                if log_p < best[1]:
                    best = [v], log_p
        for pair in changes:
            new = [v for v in pair if v in others]
            change = np.subtract(*(self.columns[v] for v in pair))
            part = change - change.mean()
            part = part - basis @ (basis.T @ part)
            squares = float(part @ part)
            if new and squares > _ROUNDING * float(change.var()) * self.n_rows:
                explained = float(part @ left) ** 2 / squares
                # Twice the evidence for one edge is asked. That is enough for the two edges of a
                # change, because changes do not wander.
                log_p = _log_p_value(total, total - explained, 1, n_free - 1)
                if log_p < best[1]:
                    best = new, log_p
        return best

    def _log_p_values(
        self, response: Values, parents: Sequence[int], sizes: Mapping[int, int]
    ) -> tuple[dict[int, float], dict[int, int]]:
        """Return of each parent the log of its p-value, for the mean or for the spread.

        `sizes` are those of the curves to begin with; the last ones are returned as well.
        """
        family = self._family(parents)
        fit = family.fit(response, sizes)
        distances = np.abs(fit.residuals())
        least = _LEAST_DISTANCE * float(np.median(distances))
        spread = family.fit(
            standardised(np.log(np.maximum(distances + least, np.finfo(float).tiny)))
        )
        of_mean, of_spread = fit.log_p_values(), spread.log_p_values()
        # Effects on the mean are the rule: one more bit for the spread.
        better = {v: min(of_mean[v], of_spread[v] + math.log(2)) for v in parents}
        return better, fit.sizes


class _Family:
    """The curves of some parents, and all products of their functions."""

    def __init__(self, n_rows: int, curves: Mapping[int, Curve], products: Values) -> None:
        self.n_rows, self.curves, self.products = n_rows, dict(curves), products
        widths = [curve.functions.shape[1] for curve in self.curves.values()]
        ends = np.cumsum(widths).tolist()
        self._first = dict(zip(self.curves, [0, *ends[:-1]], strict=False))
        self.functions = np.hstack(
            [np.empty((n_rows, 0)), *(c.functions for c in self.curves.values())]
        )

    def places(self, sizes: Mapping[int, int]) -> NDArray[np.int64]:
        """Return which functions a model has, in which each parent has so many."""
        ranges = [np.arange(self._first[v], self._first[v] + size) for v, size in sizes.items()]
        return np.concatenate([np.empty(0, dtype=np.int64), *ranges])

    def fit(self, response: Values, sizes: Mapping[int, int] | None = None) -> "_Fit":
        """Let curves bend more or less as long as that pays; those of unknown size are straight."""
        sizes = {} if sizes is None else sizes
        first = {v: sizes.get(v, c.sizes[0]) for v, c in self.curves.items() if c.sizes}
        fit = _Fit(self, response, first)
        while True:
            bent = [
                fit.with_size(v, size)
                for v, curve in self.curves.items()
                for size in curve.sizes
                if size != fit.sizes[v]
            ]
            best = min(bent, key=lambda one: one.criterion, default=fit)
            if not best.criterion < fit.criterion:
                return fit
            fit = best


class _Fit:
    """A model of a response: how far each parent's curve bends."""

    def __init__(
        self,
        family: _Family,
        response: Values,
        sizes: Mapping[int, int],
        with_response: Values | None = None,
    ) -> None:
        self.family, self.response, self.sizes = family, response, dict(sizes)
        self._with_response = (
            family.functions.T @ response if with_response is None else with_response
        )
        self._places = family.places(self.sizes)

    def with_size(self, v: int, size: int) -> "_Fit":
        """Return the model in which one curve has another size."""
        return _Fit(self.family, self.response, {**self.sizes, v: size}, self._with_response)

    def without(self, v: int) -> "_Fit":
        """Return the model without a parent."""
        sizes = {u: size for u, size in self.sizes.items() if u != v}
        return _Fit(self.family, self.response, sizes, self._with_response)

    @property
    def design(self) -> Values:
        return self.family.functions[:, self._places]

    @cached_property
    def coefficients(self) -> Values:
        places = self._places
        products = self.family.products[np.ix_(places, places)] + _RIDGE * np.eye(len(places))
        return np.asarray(np.linalg.solve(products, self._with_response[places]), np.float64)

    @cached_property
    def left(self) -> float:
        """Sum of squares that is not explained."""
        total = float(self.response @ self.response)
        explained = float(self._with_response[self._places] @ self.coefficients)
        return max(total - explained, 1e-12 * total, 1e-300)

    @property
    def criterion(self) -> float:
        """Minus twice the log-likelihood, and what the functions cost."""
        n, k = self.family.n_rows, len(self._places)
        if k > _FUNCTIONS_PER_ROW * n:
            return np.inf
        return n * float(np.log(self.left / n)) + _COST * k

    def residuals(self) -> Values:
        """Return what is not explained of each row."""
        found: Values = self.response - self.design @ self.coefficients
        return found

    def log_p_values(self) -> dict[int, float]:
        """Return of each parent the log of the p-value beside the others; 0 of what is constant."""
        n_free = self.family.n_rows - 1 - len(self._places)
        found = dict.fromkeys(self.family.curves, 0.0)
        for v, size in self.sizes.items():
            log_p = _log_p_value(self.without(v).left, self.left, size, n_free)
            # The size was chosen: one bit for each that bends less.
            n_less_bent = self.family.curves[v].sizes.index(size)
            found[v] = min(0.0, log_p + n_less_bent * math.log(2))
        return found


def _tried(curve: Curve) -> tuple[int, ...]:
    return curve.sizes[:_N_TRIED]


def _log_p_value(without: float, left: float, size: int, n_free: float) -> float:
    """Return the log of the p-value of an F test, by the squares left without and with."""
    if n_free <= 0:
        return 0.0
    excess = max(without / max(left, 1e-300) - 1, 0.0)
    p_value = float(fdtrc(size, n_free, excess * n_free / size))
    # Where it is too small to be represented, the likelihood ratio orders parents as well.
    return math.log(p_value) if p_value > 0 else -0.5 * n_free * math.log1p(excess)


def _entropy(values: Values) -> float:
    """Return the differential entropy but for a constant, from spacings (Vasicek, 1976)."""
    n, ordered = len(values), np.sort(values)
    step = int(np.sqrt(n))
    last = np.minimum(np.arange(n) + step, n - 1)
    first = np.maximum(np.arange(n) - step, 0)
    spacings = np.maximum(ordered[last] - ordered[first], 1e-12) * n / (last - first)
    return float(np.log(spacings).mean())
