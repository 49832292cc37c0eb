"""Independence tests for tables with numeric columns.

In: columns of values and codes. Out: `TestResult`s, by the generalised covariance measure (Shah and
Peters, 2020). A few functions of x, and of y, are predicted from the conditioning variables. If x
and y are independent given these, the residuals of the two predictions are uncorrelated, whatever
the noise. The test uses their product in each row, so the p-value is valid even if the noise
differs from row to row.

Only the ranks of numbers matter: any strictly increasing transform gives the same p-value.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc, ndtr, ndtri
from scipy.stats import rankdata

from bnsieve.decide.ci_tests import CIOutcome, IndependenceTest

Values = NDArray[np.float64]
Column = NDArray[np.float64] | NDArray[np.integer]

# Knots of a conditioning number's spline: so many times the cube root of the number of rows.
_FEWEST_KNOTS, _MOST_KNOTS = 4, 30
# The outermost knots leave so many rows at each end, where the spline is straight.
_ROWS_AT_ENDS = 5
N_LANDMARKS = 200
# How smooth the joint part is, from which the best is chosen for each function.
_PENALTIES = np.geomspace(1e-4, 1e4, 25)
# A parameter of the joint part counts for so many, so that it follows no noise.
_COST = 1.2
# Rows that must be left beside the parameters used, for a p-value to mean anything.
_FEWEST_ROWS = 30
# Categories of a tested column with fewer rows than this are taken together.
_RARE = 5
# Categories, or products of functions, that need more rows than there are leave nothing to tell.
_ROWS_PER_CATEGORY = 8
# A function of which less than this share is left over tells nothing more.
_NOTHING_LEFT = 1e-3
# A direction shorter than this share of its column is rounding.
_ROUNDING = 1e-8
# Of 1,000 rows each takes about half a megabyte.
_KEPT_SMOOTHERS = 32
# Statistic, degrees of freedom and p-value where nothing can be told.
_NOTHING = math.nan, 0.0, math.nan


@dataclass(frozen=True, eq=False)
class _View:
    """A column as tests use it.

    Attributes
    ----------
    tested : ndarray of float64, shape (k, n_rows)
        The functions that may be dependent: rank and spread, or an indicator per category but one.
    places : ndarray of float64, shape (m, n_rows)
        Where each row lies, for comparing it with others: its score, or an indicator per category.
    alone : ndarray of float64, shape (q, n_rows)
        What predicts others without help: a spline of the score, or an indicator per category but
        one.
    n_categories : int
        0 for a number.
    """

    tested: Values
    places: Values
    alone: Values
    n_categories: int

    @classmethod
    def at(cls, column: Column) -> "_View":
        """Prepare a column without missing values."""
        if not _is_number(column):
            shown = _indicators(column)
            return cls(shown[1:], shown, shown[1:], len(np.unique(column)))
        n = len(column)
        n_knots = int(np.clip(round(n ** (1 / 3)), _FEWEST_KNOTS, _MOST_KNOTS))
        end = float(ndtri(1 - _ROWS_AT_ENDS / n))
        scores: Values = ndtri((rankdata(column) - 0.5) / n)
        spread = 1.5 * (2 * ndtr(scores) - 1) ** 2 - 0.5
        spline = _spline(scores, np.linspace(-end, end, n_knots))
        return cls(np.stack([scores, spread]), scores[np.newaxis], spline, 0)


@dataclass(frozen=True, eq=False)
class _Smoother:
    """Predictions by the conditioning variables.

    Attributes
    ----------
    straight : ndarray of float64, shape (n_rows, k)
        Orthonormal; what is predicted without a penalty.
    joint : ndarray of float64, shape (n_rows, m)
        Orthonormal, and to `straight`; what takes several variables together.
    strengths : ndarray of float64, shape (m,)
        How smooth each of these is.
    """

    straight: Values
    joint: Values
    strengths: Values


class ResidualTest(IndependenceTest):
    """CI tests of columns, some of which are numeric.

    Parameters
    ----------
    columns : sequence of ndarray, shape (n_rows,)
        Float columns are numbers, with NaN for missing. Integer columns are codes of categories
        from 0, with -1 for missing.
    alpha : float, default 0.05
        Dependent means a p-value below alpha.
    counts : IndependenceTest, optional
        The test for variables that are all categorical, such as a `CountsTest` of the same columns.
        Without it, these are tested by residuals too.
    n_landmarks : int, default 200
        The number of rows that serve as centres of kernels, which model several conditioning
        variables jointly. Fewer are faster and model joint effects less precisely.
    most_tests : int or None, default None
        After this many tests of numbers, all further ones answer "cannot tell".
    entities : ndarray of int, shape (n_rows,), optional
        The entity of each row, if rows of one entity are dependent. Products of residuals are then
        summed by entity before their variance is computed.

    Notes
    -----
    The test detects dependence that affects the means of a few functions given the conditioning
    variables: rank, spread and categories. It cannot detect a dependence of x and y in which all of
    these are uncorrelated. Rows in which a variable of the test is missing are left out.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        *,
        alpha: float = 0.05,
        counts: IndependenceTest | None = None,
        n_landmarks: int = N_LANDMARKS,
        most_tests: int | None = None,
        entities: NDArray[np.integer] | None = None,
    ) -> None:
        super().__init__(alpha)
        self.columns = tuple(columns)
        self.counts = counts
        self.n_landmarks = n_landmarks
        self.most_tests = most_tests
        self.entities = entities
        self._n_asked = 0
        # Columns are prepared once, if no value is missing.
        self._views: dict[int, _View] = {}
        # Sets that condition one test condition others: those used last are kept.
        self._smoothers: dict[tuple[int, ...], _Smoother] = {}

    def outcome(self, x: int, y: int, given: tuple[int, ...]) -> CIOutcome:
        """Test by residuals, or by counts if all variables are categorical."""
        used = [self.columns[v] for v in (x, y, *given)]
        if self.counts is not None and not any(_is_number(column) for column in used):
            return self.counts.outcome(x, y, given)
        known = np.logical_and.reduce([_known(column) for column in used])
        n = int(known.sum())
        self._n_asked += 1
        too_many = self.most_tests is not None and self._n_asked > self.most_tests
        if too_many or n < _FEWEST_ROWS:
            result = _NOTHING
        elif n < len(known):
            first, second, *others = (column[known] for column in used)
            whose = None if self.entities is None else self.entities[known]
            result = residual_p_value(first, second, others, self.n_landmarks, whose)
        else:
            views = [self._view(v) for v in (x, y, *given)]
            smoother = partial(self._smoother, tuple(sorted(given)))
            result = _p_value(views, n, smoother, self.entities)
        return CIOutcome(*result, "residuals", n)

    def _view(self, v: int) -> _View:
        if v not in self._views:
            self._views[v] = _View.at(self.columns[v])
        return self._views[v]

    def _smoother(self, given: tuple[int, ...]) -> _Smoother:
        """Return what a set of columns can predict in all rows."""
        smoother = self._smoothers.pop(given, None)
        if smoother is None:
            views = [self._view(v) for v in given]
            smoother = _smoother(views, len(self.columns[0]), self.n_landmarks)
        self._smoothers[given] = smoother
        if len(self._smoothers) > _KEPT_SMOOTHERS:
            self._smoothers.pop(next(iter(self._smoothers)), None)
        return smoother


def residual_p_value(
    x: Column,
    y: Column,
    given: Sequence[Column],
    n_landmarks: int = N_LANDMARKS,
    entities: NDArray[np.integer] | None = None,
) -> tuple[float, float, float]:
    """Return statistic, degrees of freedom and p-value; NaN if the data cannot tell.

    Parameters
    ----------
    x, y : ndarray of float64 (a number) or int (codes of a category), shape (n_rows,)
        The values of the variable, without missing values.
    given : sequence of such arrays
        The conditioning set, without missing values.
    n_landmarks : int, default 200
        As for `ResidualTest`.
    entities : ndarray of int, shape (n_rows,), optional
        As for `ResidualTest`.
    """
    n = len(x)
    if n < _FEWEST_ROWS:
        return _NOTHING
    views = [_View.at(column) for column in (x, y, *given)]
    return _p_value(views, n, lambda: _smoother(views[2:], n, n_landmarks), entities)


def _p_value(
    views: Sequence[_View],
    n: int,
    smoother_of: Callable[[], _Smoother],
    entities: NDArray[np.integer] | None = None,
) -> tuple[float, float, float]:
    """Test the first two columns given the others, which a smoother is made of."""
    if sum(view.n_categories for view in views) > n / _ROWS_PER_CATEGORY:
        return _NOTHING
    smoother = smoother_of()
    if n - smoother.straight.shape[1] < _FEWEST_ROWS:
        return _NOTHING
    left_x, shares_x = _unexplained(views[0].tested, smoother)
    left_y, shares_y = _unexplained(views[1].tested, smoother)
    if not 0 < len(left_x) * len(left_y) <= n / _ROWS_PER_CATEGORY:
        return _NOTHING
    products = (left_x[:, np.newaxis] * left_y[np.newaxis]).reshape(-1, n)
    # What is left of one function sums to less than its noise, because some was explained away;
    # the sum of products shrinks less than the product of the two.
    n_free = n - smoother.straight.shape[1] - len(smoother.strengths)
    rows = np.array([n_free + ((1 - s) ** 2).sum() for s in (*shares_x, *shares_y)])
    both = np.array([n_free + (((1 - s) * (1 - t)) ** 2).sum() for s in shares_x for t in shares_y])
    apart = np.outer(rows[: len(shares_x)], rows[len(shares_x) :]).ravel()
    inflation = np.sqrt(both * n / apart)
    return _quadratic(products, inflation, float(rows.mean()), entities)


def _quadratic(
    products: Values, inflation: Values, n_left: float, entities: NDArray[np.integer] | None
) -> tuple[float, float, float]:
    """Test whether products have mean zero: Hotelling's statistic and its F distribution.

    Of rows that belong together, the sums of entities are what varies independently.
    """
    df, n = products.shape
    means = products.mean(axis=1)
    centred = products - means[:, np.newaxis]
    if entities is not None:
        whose = np.unique(entities, return_inverse=True)[1]
        centred = np.stack([np.bincount(whose, weights=row) for row in centred])
        n_left = min(n_left, float(centred.shape[1]))
        if n_left - df < 1:
            return _NOTHING
    covariance = centred @ centred.T / n * np.outer(inflation, inflation)
    scale = np.sqrt(np.diagonal(covariance))
    if not np.all(scale > 0):
        return _NOTHING
    correlation = covariance / np.outer(scale, scale) + 1e-9 * np.eye(df)
    standard = means / scale
    statistic = float(n * standard @ np.linalg.solve(correlation, standard))
    denominator = n_left - df
    ratio = statistic / df * denominator / n_left
    return statistic, float(df), float(fdtrc(df, denominator, ratio))


def _known(column: Column) -> NDArray[np.bool_]:
    known: NDArray[np.bool_] = ~np.isnan(column) if _is_number(column) else column >= 0
    return known


def _is_number(column: Column) -> bool:
    return column.dtype.kind == "f"


def _indicators(column: Column) -> Values:
    """Return one row per category that has enough rows; rare ones together make one."""
    codes = np.unique(column, return_inverse=True)[1]
    counts = np.bincount(codes)
    rare = counts < _RARE
    place = np.cumsum(~rare) - 1
    place[rare] = place[-1] + 1
    shown: Values = (place[codes] == np.arange(place.max() + 1)[:, np.newaxis]).astype(np.float64)
    return shown


def _smoother(given: Sequence[_View], n: int, n_landmarks: int) -> _Smoother:
    """Return what a set of conditioning variables can predict.

    Each alone: a spline of a number's score, an indicator per category. Several together: smooth
    functions of all, by kernels around some of the rows.
    """
    straight = _orthonormal(np.concatenate([np.ones((1, n)), *(view.alone for view in given)]).T)
    if len(given) < 2:
        return _Smoother(straight, np.empty((n, 0)), np.empty(0))
    places = np.concatenate([view.places for view in given])
    joint, strengths = _kernels(places, len(given), straight, n_landmarks)
    return _Smoother(straight, joint, strengths)


def _spline(scores: Values, knots: Values) -> Values:
    """Return the functions of a cubic spline that is straight beyond the outermost knots."""
    cubes = np.maximum(scores - knots[:, np.newaxis], 0) ** 3
    before, last = knots[-2:]
    curves = [
        cube + (cubes[-1] * (before - knot) - cubes[-2] * (last - knot)) / (last - before)
        for cube, knot in zip(cubes[:-2], knots[:-2], strict=True)
    ]
    return np.stack([scores, *curves])


def _orthonormal(design: Values) -> Values:
    """Return an orthonormal basis of the columns, without those that others explain."""
    design = design / np.maximum(np.linalg.norm(design, axis=0), 1e-300)
    basis, triangle = np.linalg.qr(design)
    kept: Values = basis[:, np.abs(np.diagonal(triangle)) > _ROUNDING]
    return kept


def _kernels(
    places: Values, n_given: int, straight: Values, n_landmarks: int
) -> tuple[Values, Values]:
    """Return smooth joint functions, orthonormal, and the strength of each (Nystroem's way)."""
    n = places.shape[1]
    # In an order of their values, so that the order of the rows does not matter.
    spaced = np.linspace(0, n - 1, min(n_landmarks, n // 3)).astype(np.intp)
    chosen = np.lexsort(places[::-1])[spaced]
    marks = places[:, chosen]
    squares = (places**2).sum(axis=0)[:, np.newaxis] + (marks**2).sum(axis=0)
    kernel = np.exp(-np.maximum(squares - 2 * places.T @ marks, 0) / (2 * n_given))
    values, vectors = np.linalg.eigh(kernel[chosen])
    kept = values > 1e-6 * values[-1]
    joint = kernel @ (vectors[:, kept] / np.sqrt(values[kept]))
    joint -= straight @ (straight.T @ joint)
    strengths, vectors = np.linalg.eigh(joint.T @ joint)
    kept = strengths > 1e-8 * strengths[-1]
    return joint @ (vectors[:, kept] / np.sqrt(strengths[kept])), strengths[kept]


def _unexplained(functions: Values, smoother: _Smoother) -> tuple[Values, list[Values]]:
    """Return what a smoother leaves of some functions, and how much of each joint part it took.

    Functions of which nothing is left are dropped.
    """
    straight, joint, strengths = smoother.straight, smoother.joint, smoother.strengths
    n = functions.shape[1]
    size = ((functions - functions.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    left = functions - (functions @ straight) @ straight.T
    parts = left @ joint
    taken = strengths / (strengths + _PENALTIES[:, np.newaxis])
    n_used = np.minimum(_COST * (straight.shape[1] + taken.sum(axis=1)), 0.9 * n)
    kept, shares = [], []
    for row, own, whole in zip(left, parts, size, strict=True):
        over = row @ row - ((1 - (1 - taken) ** 2) * own**2).sum(axis=1)
        # Generalised cross-validation.
        share = taken[int(np.argmin(over / (n - n_used) ** 2))]
        rest = row - joint @ (share * own)
        if rest @ rest > _NOTHING_LEFT * whole + _ROUNDING:
            kept.append(rest)
            shares.append(share)
    return np.array(kept), shares
