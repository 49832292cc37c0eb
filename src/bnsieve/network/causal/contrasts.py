"""Contrasts of an outcome between two settings of a treatment, estimated from rows.

In: rows of a treatment, an outcome and an adjustment set. Out: the rows in which both settings
occur (`overlap`); a doubly robust `Estimate` on them (AIPW: Robins, Rotnitzky and Zhao, 1994;
cross-fitted: Chernozhukov and others, 2018); and how strong a hidden common cause would have to be
to explain it away (E-values: VanderWeele and Ding, 2017; robustness values: Cinelli and Hazlett,
2020). Numeric treatments are those of `slopes`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

# Rows of each setting without which a combination of adjustment values says nothing of it.
LEAST_ROWS = 2
# Combinations of all adjustment values with fewer rows are judged by those of two values.
ROWS_TO_JUDGE = 30
# Where numbers are adjusted for, rows in which a setting has a smaller chance have no overlap, so
# that none weighs more than a hundred (Crump, Hotz, Imbens and Mitnik, 2009); of a rare setting, a
# tenth of its share. Strata of categories say themselves whether both settings occur.
_LEAST_PROPENSITY = 0.01
_SHARE_OF_RARE = 0.1
# A treatment that follows a number is judged among so many rows before and after each, or tenfold
# the share of a rare setting, and at most a quarter of all.
_NEIGHBOURS = 50
# Where so few rows have both settings before and after them, a number decides the setting.
_LEAST_MIXED = 0.05
# Below so many rows five folds, else two: the models then hardly gain from more rows.
_ROWS_OF_TWO_FOLDS = 20_000
_SEED = 0
# Squares of numbers stop growing so many standard deviations from the mean.
_FARTHEST = 3.0
# Combinations are numbered by counting them; by sorting where most of so many per row do not occur.
_SORTED_FROM = 8
# Of the rows with overlap, exceptions to a description of them.
_EXCEPTIONS = 0.02
# The sums of fewer entities may happen to cancel: then an error is no smaller than that of rows.
_MANY_ENTITIES = 30
# Rows in order of time are split into so many stretches per fold.
_STRETCHES = 4

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Adjustment:
    """The adjustment set's values in each row.

    Attributes
    ----------
    codes : ndarray of int, shape (n_variables, n_rows)
        Categories, and bins of numeric variables.
    numbers : ndarray of float64, shape (n_numeric, n_rows)
        The numeric variables in their units.
    entities : ndarray of int, shape (n_rows,), or None
        The entity of each row, where rows of one entity belong together.
    steps : ndarray of int, shape (n_rows,), or None
        The step of each row, where rows are in order of time; see `bnsieve.table.Table`.
    reach : int
        How many steps lie between treatment and outcome.
    """

    codes: NDArray[np.integer]
    numbers: Numbers
    entities: NDArray[np.integer] | None = None
    steps: NDArray[np.integer] | None = None
    reach: int = 0

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[1])

    def at(self, rows: Mask) -> "Adjustment":
        """Return some of the rows."""
        entities = None if self.entities is None else self.entities[rows]
        steps = None if self.steps is None else self.steps[rows]
        return Adjustment(self.codes[:, rows], self.numbers[:, rows], entities, steps, self.reach)

    @cached_property
    def _whose(self) -> NDArray[np.intp] | None:
        """The entity of each row, numbered from 0."""
        if self.entities is None or len(self.entities) == 0:
            return None
        if self.entities.min() == self.entities.max():
            return None  # one entity says nothing of how others would differ
        whose: NDArray[np.intp] = np.unique(self.entities, return_inverse=True)[1]
        return whose

    def error_of_sum(self, values: Numbers) -> float:
        """Return the standard error of a sum of values with mean zero, one per row.

        Rows of one entity are summed first, as their values may go together. Of few entities the
        rows in order of time count: those near each other may go together.
        """
        by_row = float(np.sqrt((values**2).sum()))
        if self.steps is not None and not self._has_many_entities:
            by_row = error_over_time(values, self.steps, self.entities, 2 * (self.reach + 1))
        if self._whose is None:
            return by_row
        sums = np.bincount(self._whose, weights=values)
        n = len(sums)
        by_entity = float(np.sqrt((sums**2).sum() * n / (n - 1)))
        return by_entity if n >= _MANY_ENTITIES else max(by_entity, by_row)

    @property
    def _has_many_entities(self) -> bool:
        return self._whose is not None and int(self._whose.max()) + 1 >= _MANY_ENTITIES

    def folds(self, n_folds: int) -> NDArray[np.intp]:
        """Return the fold of each row; rows of one entity, or one stretch of time, are in one."""
        whose = self._whose
        if self.steps is not None and not self._has_many_entities:
            n_stretches = _STRETCHES * n_folds
            whose = np.empty(self.n_rows, dtype=np.intp)
            whose[np.argsort(self.steps, kind="stable")] = (
                np.arange(self.n_rows) * n_stretches // max(self.n_rows, 1)
            )
            return whose % n_folds
        n = self.n_rows if whose is None else int(whose.max(initial=-1)) + 1
        fold = np.random.default_rng(_SEED).permutation(n) % n_folds
        return fold if whose is None else fold[whose]

    @cached_property
    def split(self) -> tuple[int, NDArray[np.intp]]:
        """How many folds models take, and the fold of each row."""
        n_folds = 5 if self.n_rows < _ROWS_OF_TWO_FOLDS else 2
        return n_folds, self.folds(n_folds)

    @cached_property
    def strata(self) -> NDArray[np.intp]:
        """The combination of codes of each row, numbered from 0."""
        return numbered(self.codes)

    @cached_property
    def cells(self) -> tuple[NDArray[np.intp], Numbers, NDArray[np.intp]]:
        """The distinct values: number of each row's, their features, and their strata."""
        if len(self.numbers):
            first = np.arange(self.n_rows)
            cell = first
        else:
            _, first, cell = np.unique(self.strata, return_index=True, return_inverse=True)
        indicators = [
            (codes[first][:, np.newaxis] == np.unique(codes)[1:]).astype(np.float64)
            for codes in self.codes
        ]
        spread = self.numbers.std(axis=1, keepdims=True)
        scaled = (self.numbers - self.numbers.mean(axis=1, keepdims=True)) / np.where(
            spread > 0, spread, 1.0
        )
        # Squares follow a bend; ends are kept from deciding it.
        bent = np.clip(scaled, -_FARTHEST, _FARTHEST) ** 2
        features = np.concatenate([*indicators, scaled[:, first].T, bent[:, first].T], axis=1)
        return cell, features, self.strata[first]


@dataclass(frozen=True)
class Estimate:
    """A contrast with its standard errors, and what it was taken from.

    Attributes
    ----------
    treated, control : float
        Risk or mean under each setting; NaN for a slope.
    difference, error : float
        Of treated and control, or per unit; and its standard error.
    log_ratio_error, log_odds_error : float
        Standard errors of the logarithms of risk ratio and odds ratio; NaN if there is none.
    n_rows : int
        Of the population that it is about.
    """

    treated: float
    control: float
    difference: float
    error: float
    log_ratio_error: float
    log_odds_error: float
    n_rows: int

    def interval(self, level: float) -> tuple[float, float]:
        """Return the ends of the difference's interval."""
        reach = quantile_of(level) * self.error
        return self.difference - reach, self.difference + reach


def error_over_time(
    values: Numbers,
    steps: NDArray[np.integer],
    entities: NDArray[np.integer] | None,
    least_bandwidth: int,
) -> float:
    """Return the standard error of a sum of values with mean zero that follow each other.

    Covariances of values some steps apart are added with weights that fall to zero at a bandwidth
    (Newey and West, 1987), which the first autocorrelation decides (Andrews, 1991). The error grows
    with the bandwidth's share of the rows, as the estimate of the variance gets less certain
    (Kiefer and Vogelsang, 2005).
    """
    n = len(values)
    if n < 3:
        return float(np.sqrt((values**2).sum()))
    order = np.argsort(steps, kind="stable")
    own, at = values[order], steps[order].astype(np.int64)
    series = np.zeros(n, dtype=np.int64)
    if entities is not None:
        series[1:] = np.cumsum(entities[order][1:] != entities[order][:-1])

    def together(apart: int) -> float:
        """Sum the products of values so many steps apart."""
        wanted = np.searchsorted(at, at + apart)
        later = np.minimum(wanted, n - 1)
        both = (at[later] == at + apart) & (series[later] == series)
        return float(own[both] @ own[later[both]])

    variance = float(own @ own)
    if variance == 0:
        return 0.0
    first = float(np.clip(together(1) / variance, -0.97, 0.97))
    alpha = 4 * first**2 / ((1 - first) ** 2 * (1 + first) ** 2)
    chosen = int(1.1447 * (alpha * n) ** (1 / 3))
    bandwidth = min(max(chosen, least_bandwidth), max(n // 3, 1))
    total = variance + 2 * sum(
        (1 - d / (bandwidth + 1)) * together(d) for d in range(1, bandwidth + 1)
    )
    share = bandwidth / n
    return float(np.sqrt(max(total, variance / n))) * (1 + 1.33 * share + 0.19 * share**2)


def quantile_of(level: float) -> float:
    """Return the standard errors on each side of an estimate that make an interval."""
    return NormalDist().inv_cdf(0.5 + level / 2)


def numbered(codes: NDArray[np.integer]) -> NDArray[np.intp]:
    """Return the number of each column of codes among the distinct ones, in their order."""
    result = np.zeros(codes.shape[1], dtype=np.intp)
    for row in codes:
        joint = result * (int(row.max(initial=0)) + 1) + row
        if joint.max(initial=0) < _SORTED_FROM * len(joint):
            result = (np.cumsum(np.bincount(joint) > 0) - 1)[joint]
        else:
            result = np.unique(joint, return_inverse=True)[1].astype(np.intp)
    return result


def overlap(adjustment: Adjustment, treated: Mask, control: Mask) -> Mask:
    """Return the rows at whose adjustment values both settings occur.

    A row has overlap if each one and each two of its adjustment values occur with either setting,
    and all of them together do, unless they are too rare to judge.
    """
    result = np.ones(adjustment.n_rows, dtype=np.bool_)
    variables = range(len(adjustment.codes))
    for size in (1, 2):
        for chosen in combinations(variables, size):
            result &= _both_occur(numbered(adjustment.codes[list(chosen)]), treated, control)[0]
    both, n_rows = _both_occur(adjustment.strata, treated, control)
    if len(adjustment.codes) == 0:
        return both
    return result & (both | (n_rows < ROWS_TO_JUDGE))


def _both_occur(
    strata: NDArray[np.intp], treated: Mask, control: Mask
) -> tuple[Mask, NDArray[np.intp]]:
    n = int(strata.max(initial=0)) + 1
    with_each = [np.bincount(strata[arm], minlength=n) for arm in (treated, control)]
    both = (with_each[0] >= LEAST_ROWS) & (with_each[1] >= LEAST_ROWS)
    return both[strata], np.bincount(strata, minlength=n)[strata]


@dataclass(frozen=True, eq=False)
class Support:
    """The rows in which two settings can be compared.

    Attributes
    ----------
    rows : ndarray of bool
    chances : ndarray of float64, shape (2, number of these rows)
        Of each setting.
    """

    rows: Mask
    chances: Numbers

    @property
    def share(self) -> float:
        """Of all rows."""
        return float(self.rows.mean()) if len(self.rows) else 0.0


def support(adjustment: Adjustment, treated: Mask, control: Mask) -> Support:
    """Return the rows with overlap in which either setting has a chance.

    Inside a bin of numbers a setting may occur at one end only: models of the settings see that.
    """
    rows = overlap(adjustment, treated, control)
    if any(_decides(numbers[rows], treated[rows], control[rows]) for numbers in adjustment.numbers):
        rows[:] = False
    chances = propensities(adjustment.at(rows), treated[rows], control[rows])
    shares = [arm[rows].mean() if rows.any() else 0.0 for arm in (treated, control)]
    floors = np.minimum(_LEAST_PROPENSITY, _SHARE_OF_RARE * np.array(shares))
    kept = np.ones(chances.shape[1], dtype=np.bool_)
    if len(adjustment.numbers):
        kept &= (chances >= floors[:, np.newaxis]).all(axis=0)
    chances = np.maximum(chances, floors[:, np.newaxis])
    rows[rows] = kept
    if any(np.count_nonzero(arm & rows) < LEAST_ROWS for arm in (treated, control)):
        rows[:] = False
        kept[:] = False
    return Support(rows, chances[:, kept])


def _decides(numbers: Numbers, treated: Mask, control: Mask) -> bool:
    """Tell whether a setting is a function of a number: where one ends, the other begins.

    Hardly any row then has rows of both settings shortly before it and shortly after it.
    """
    compared = np.flatnonzero(treated | control)
    settings = treated[compared][np.argsort(numbers[compared], kind="stable")]
    n = len(settings)
    rarer = min(int(settings.sum()), n - int(settings.sum()))
    if rarer == 0 or len(np.unique(numbers[compared])) <= 2:
        return False
    reach = min(max(_NEIGHBOURS, 10 * n // rarer), n // 4)
    seen = np.concatenate([[0], np.cumsum(settings)])
    places = np.arange(reach, n - reach)
    before, after = (seen[at + reach] - seen[at] for at in (places - reach, places))
    mixed = (before > 0) & (before < reach) & (after > 0) & (after < reach)
    return bool(len(mixed)) and float(mixed.mean()) < _LEAST_MIXED


def propensities(adjustment: Adjustment, treated: Mask, control: Mask) -> Numbers:
    """Return the chance of each setting in each row, shape (2, n_rows)."""
    if not adjustment.n_rows:
        return np.empty((2, 0))
    every = np.ones_like(treated)
    return np.array(
        [predicted(adjustment, every, arm.astype(np.float64), True) for arm in (treated, control)]
    )


def doubly_robust(
    adjustment: Adjustment,
    treated: Mask,
    control: Mask,
    outcome: Numbers,
    chances: Numbers,
) -> Estimate:
    """Return the contrast of the mean outcome between two settings, over all rows given.

    Each mean is that of a model of the outcome plus the weighted residuals of the rows that have
    the setting. Models are fitted on other rows than they predict. An outcome of zeros and ones
    has a risk ratio and an odds ratio; its error counts one row more with either outcome under each
    setting, as few or none may have it by chance (Agresti and Caffo, 2000). `chances` are those of
    `support`.
    """
    is_risk = bool(np.isin(outcome, (0.0, 1.0)).all())
    arms = []
    for arm, chance in zip((treated, control), chances, strict=True):
        mean = predicted(adjustment, arm, outcome, is_risk)
        weight = arm / chance
        arms.append(mean + weight * (outcome - mean))
    scores = np.array(arms)
    n = adjustment.n_rows
    risks = scores.mean(axis=1)
    centred = scores - risks[:, np.newaxis]

    def error(weights: Numbers) -> float:
        return adjustment.error_of_sum(weights @ centred) / n

    ratio = odds = np.nan
    if is_risk and (risks > 0).all() and (risks < 1).all():
        signs = np.array([1.0, -1.0])
        ratio, odds = error(signs / risks), error(signs / (risks * (1 - risks)))
    difference = float(risks[0] - risks[1])
    off = error(np.array([1.0, -1.0]))
    if is_risk:
        off = float(np.hypot(off, np.hypot(*(1 / (arm.sum() + 2) for arm in (treated, control)))))
    return Estimate(float(risks[0]), float(risks[1]), difference, off, ratio, odds, n)


def predicted(adjustment: Adjustment, rows: Mask, values: Numbers, is_risk: bool) -> Numbers:
    """Predict values in every row by a model of the adjustment set, fitted on rows of other folds.

    The model is linear in indicators and numbers, on the scale of log odds for risks. What it
    leaves over in a stratum is added, as far as it is more than noise.
    """
    n = adjustment.n_rows
    if not len(adjustment.codes):  # a mean, which the fold it is used in hardly moves
        return np.full(n, values[rows].mean())
    n_folds, fold = adjustment.split
    cell, features, strata = adjustment.cells
    result = np.empty(n)
    for k in range(n_folds):
        fitted, asked = rows & (fold != k), fold == k
        count = np.bincount(cell[fitted], minlength=len(features)).astype(np.float64)
        total = np.bincount(cell[fitted], values[fitted], len(features)).astype(np.float64)
        base = _base_model(features, count, total, is_risk)
        squares = np.bincount(cell[fitted], values[fitted] ** 2, len(features)).astype(np.float64)
        mean = base + left_in_strata(strata, count, total, base, squares, is_risk)[strata]
        if is_risk:
            mean = np.clip(mean, 0.0, 1.0)
        result[asked] = mean[cell[asked]]
    return result


def left_in_strata(
    strata: NDArray[np.intp],
    count: Numbers,
    total: Numbers,
    base: Numbers,
    squares: Numbers,
    is_risk: bool,
) -> Numbers:
    """Return what a model leaves over in each stratum, as far as it is more than noise.

    The spread of the strata's means beyond that of noise is estimated from all of them; each mean
    is shrunk towards zero by its share of noise (empirical Bayes).
    """
    n_strata = int(strata.max(initial=0)) + 1
    left = np.bincount(strata, total - count * base, minlength=n_strata)
    seen = np.bincount(strata, count, minlength=n_strata)
    if is_risk:
        within = np.bincount(strata, count * base * (1 - base), minlength=n_strata)
        noise = within / np.maximum(seen, 1.0)
    else:
        every = (squares - 2 * base * total + count * base**2).sum() / max(seen.sum(), 1.0)
        noise = np.full(n_strata, every)
    met = seen > 0
    beyond = float((left[met] ** 2 / seen[met] - noise[met]).sum() / max(seen.sum(), 1.0))
    if beyond <= 0:
        return np.zeros(n_strata)
    share = np.divide(beyond, seen * beyond + noise, where=met, out=np.zeros(n_strata))
    return np.asarray(left * share, dtype=np.float64)


def _base_model(features: Numbers, count: Numbers, total: Numbers, is_risk: bool) -> Numbers:
    """Fit a linear or logistic model to the sums of cells; return what it predicts for each."""
    everything = float(total.sum() / max(count.sum(), 1.0))
    n_features = features.shape[1]
    if n_features == 0 or not count.any() or (is_risk and everything in (0.0, 1.0)):
        return np.full(len(features), everything)
    from sklearn.linear_model import LogisticRegression, Ridge  # slow to load

    seen = count > 0
    if not is_risk:
        model = Ridge(alpha=1.0)
        model.fit(features[seen], total[seen] / count[seen], sample_weight=count[seen])
        return np.asarray(model.predict(features), dtype=np.float64)
    ones, zeros = np.flatnonzero(total > 0), np.flatnonzero(count > total)
    logistic = LogisticRegression(solver="newton-cholesky", max_iter=200)
    logistic.fit(
        features[np.concatenate([ones, zeros])],
        np.repeat([1, 0], [len(ones), len(zeros)]),
        sample_weight=np.concatenate([total[ones], (count - total)[zeros]]),
    )
    return np.asarray(logistic.predict_proba(features)[:, 1], dtype=np.float64)


def e_value(ratio: float, nearest: float) -> tuple[float, float]:
    """Return the E-values of a risk ratio and of the end of its interval that is nearer to 1.

    A hidden cause would have to be tied to treatment and outcome, each by this risk ratio at least,
    to explain the estimate away, or to move the interval to include no effect.
    """

    def of(value: float) -> float:
        value = 1 / value if value < 1 else value
        return value + float(np.sqrt(value * (value - 1)))

    crossed = (nearest - 1) * (ratio - 1) <= 0
    return of(ratio), 1.0 if crossed else of(nearest)


def robustness_value(estimate: Estimate, level: float) -> tuple[float, float]:
    """Return the robustness values of an estimate and of its interval.

    A hidden cause would have to explain this share of what adjustment leaves over, of treatment
    and outcome alike, to explain the estimate away, or to move the interval to include no effect.
    """
    freedom = max(estimate.n_rows - 1, 1)
    t = abs(estimate.difference) / estimate.error if estimate.error > 0 else np.inf

    def of(f: float) -> float:
        if not np.isfinite(f):
            return 1.0
        return 0.5 * (float(np.sqrt(f**4 + 4 * f**2)) - f**2)

    f = t / np.sqrt(freedom)
    return of(f), of(max(f - quantile_of(level) / np.sqrt(freedom), 0.0))


def population(
    supported: Mask,
    codes: NDArray[np.integer],
    named: Sequence[Callable[[NDArray[np.intp], NDArray[np.intp]], str]],
) -> str:
    """Describe the rows with overlap by one adjustment variable's values, if that tells them.

    A variable's values are named from the codes inside and all codes that occur. "mostly" says that
    up to one row in fifty with overlap is an exception, inside or outside.
    """
    fewest, found = _EXCEPTIONS * int(supported.sum()), ""
    for variable, name_of in zip(codes, named, strict=True):
        n = int(variable.max(initial=0)) + 1
        inside = np.bincount(variable[supported], minlength=n)
        outside = np.bincount(variable[~supported], minlength=n)
        kept = np.flatnonzero(inside > outside)
        n_exceptions = int(outside[kept].sum() + inside.sum() - inside[kept].sum())
        present = np.flatnonzero(inside + outside)
        if len(kept) < len(present) and (n_exceptions < fewest or n_exceptions == 0):
            fewest = n_exceptions
            values = name_of(kept, present)
            found = f"mostly {values}" if n_exceptions else values
        if found and fewest == 0:
            break
    return found
