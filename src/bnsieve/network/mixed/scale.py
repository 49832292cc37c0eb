"""From the units of a number to normal scores and back, by a smooth curve.

In: values. Out: a `Scale`, under which they look like draws from the standard normal distribution.
Its slope makes a density of it: that of a value is the normal density of its score times the slope.

The curve is a plain shift and division where that will do. Else it is the distribution function of
a mixture of normals, fitted to the inverse hyperbolic sines of the values: linear near the centre,
logarithmic far out, so that a new value far beyond all others is improbable, not unthinkable. Steps
through the ranks of a sample would not do: the slope between two neighbouring values is mostly
noise.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, logsumexp, ndtri_exp

Values = NDArray[np.float64]

# Components are tried in this order, until one more no longer pays.
_COMPONENTS = (1, 2, 3, 4, 6)
# In standard deviations of the values. A narrower component would be a spike on repeated values.
_NARROWEST = 0.05
# Expectation and maximisation: gains below this, in nats per row, are none.
_TOLERANCE, _MOST_STEPS = 3e-6, 100
# Of many values, this many at each end stay as they are, and the others are grouped.
_AT_ENDS, _GROUPS = 30, 200
# A smaller spread has lost its digits.
_SMALLEST = 1e-307
# Twice as much may be no number.
_HUGE = 1e307
_LOG_ROOT_2PI = 0.5 * np.log(2 * np.pi)
# Halvings of a bracket: enough for the last bit of most scores.
_HALVINGS = 60


@dataclass(frozen=True, eq=False)
class Scale:
    """A strictly increasing map from values to normal scores.

    Attributes
    ----------
    centre, spread : float
        Values are first shifted and divided by these.
    bent : bool
        Whether the inverse hyperbolic sine is taken next.
    weights, means, deviations : ndarray of float64, shape (n_components,)
        The mixture of normals whose distribution function gives the score.
    """

    centre: float
    spread: float
    bent: bool
    weights: Values
    means: Values
    deviations: Values

    @classmethod
    def plain(cls, centre: float = 0.0, spread: float = 1.0) -> "Scale":
        """Return the scale that only shifts and divides."""
        return cls(centre, spread, False, np.ones(1), np.zeros(1), np.ones(1))

    @cached_property
    def is_plain(self) -> bool:
        """Whether scores are linear in the values."""
        alone = len(self.weights) == 1 and self.means[0] == 0 and self.deviations[0] == 1
        return alone and not self.bent

    @property
    def is_sound(self) -> bool:
        """Whether all parts are finite, as long as each other, and positive where they must be."""
        parts = self.weights, self.means, self.deviations
        alike = len({part.shape for part in parts}) == 1 and self.weights.ndim == 1
        finite = all(np.all(np.isfinite(part)) for part in (self.centre, self.spread, *parts))
        positive = all(np.all(part > 0) for part in (self.spread, self.weights, self.deviations))
        return alike and finite and positive and abs(float(self.weights.sum()) - 1) <= 1e-6

    @property
    def n_parameters(self) -> int:
        """The number of free parameters."""
        return 2 + (0 if self.is_plain else 3 * (len(self.weights) - 1) + 2 * self.bent)

    def to_scores(self, values: Values) -> Values:
        """Return the normal score of each value; NaN stays NaN."""
        return _scores(self._shifted(values), self)

    def log_slope(self, values: Values) -> Values:
        """Return the logarithm of how fast the score rises with the value."""
        shifted = self._shifted(values)
        slope = self._shifted_slope(values)
        if self.is_plain:
            return slope
        scores = _scores(shifted, self)
        inside = logsumexp(_log_parts(shifted, self), axis=0)
        total: Values = slope + inside + 0.5 * scores**2 + _LOG_ROOT_2PI
        return total

    def log_density(self, values: Values) -> Values:
        """Return the logarithm of the density of each value."""
        scores = self.to_scores(values)
        total: Values = self.log_slope(values) - 0.5 * scores**2 - _LOG_ROOT_2PI
        return total

    def from_scores(self, scores: Values) -> Values:
        """Return the value of each score."""
        shifted = scores
        if not self.is_plain:
            # The mixture's quantile lies between the least and the greatest of its components'.
            ends = self.means[:, np.newaxis] + np.outer(self.deviations, scores)
            low, high = ends.min(axis=0), ends.max(axis=0)
            for _ in range(_HALVINGS if len(self.weights) > 1 else 0):
                middle = 0.5 * (low + high)
                below = _scores(middle, self) < scores
                low, high = np.where(below, middle, low), np.where(below, high, middle)
            shifted = 0.5 * (low + high)
        values: Values = self.centre + self.spread * (np.sinh(shifted) if self.bent else shifted)
        return values

    def _shifted(self, values: Values) -> Values:
        shifted = self._moved(np.asarray(values, dtype=np.float64))
        return np.arcsinh(shifted) if self.bent else shifted

    def _moved(self, values: Values) -> Values:
        """Return values less the centre, in units of the spread."""
        if abs(self.centre) < _HUGE:
            moved: Values = (values - self.centre) / self.spread
        else:  # the difference of two huge numbers would be infinite
            moved = (values / 2 - self.centre / 2) / self.spread * 2
        return moved

    def _shifted_slope(self, values: Values) -> Values:
        """Return the logarithm of the slope of what is done before the mixture."""
        slope = np.full(np.shape(values), -np.log(self.spread))
        if self.bent:
            slope -= np.log(np.hypot(1.0, self._moved(values)))
        return slope


def fit_scale(values: Values, *, flexible: bool = True) -> Scale:
    """Return the scale of a sample: as many components as pay by the BIC.

    Parameters
    ----------
    values : ndarray of float64, shape (n_rows,)
        Finite, not all the same.
    flexible : bool, default True
        If False, the plain scale by mean and standard deviation.
    """
    n = len(values)
    centre, spread = _centre_and_spread(values)
    plain = Scale.plain(centre, spread * np.sqrt(n / max(n - 1, 1)))
    if not flexible:
        return plain
    best = plain
    most = -n * (0.5 * np.log(2 * np.pi * np.e) + np.log(spread)) - np.log(n)
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75)).tolist()
    # Halves first: the difference of two huge numbers would be infinite.
    near = max(2 * (high / 2 - low / 2) / 1.349, _SMALLEST) if high > low else spread
    bent = replace(plain, centre=middle, spread=near, bent=True)
    points, rows = _grouped(bent._shifted(values))
    slope = float(bent._shifted_slope(values).sum())
    for number in _COMPONENTS:
        fits = [_mixture(points, rows, start) for start in _starts(points, rows, bent, number)]
        inside, found = max(fits, key=lambda fit: fit[0])
        total = inside + slope - 0.5 * np.log(n) * found.n_parameters
        if total > most:
            best, most = found, total
        elif number > 1:
            break
    return best


def _centre_and_spread(values: Values) -> tuple[float, float]:
    """Return mean and standard deviation, also of numbers whose squares are too large or small."""
    largest = float(np.abs(values).max())
    if 1e-100 < largest < 1e100:
        return float(values.mean()), max(float(values.std()), _SMALLEST)
    small = values / largest
    return float(small.mean()) * largest, max(float(small.std()) * largest, _SMALLEST)


def _scores(shifted: Values, scale: Scale) -> Values:
    if len(scale.weights) == 1:
        one: Values = (shifted - scale.means[0]) / scale.deviations[0]
        return one
    # From the nearer tail, where the logarithm keeps its digits.
    places = _places(shifted, scale)
    weights = np.log(scale.weights)[:, np.newaxis]
    below, above = (logsumexp(weights + log_ndtr(side), axis=0) for side in (places, -places))
    scores: Values = np.where(below < above, ndtri_exp(below), -ndtri_exp(above))
    return scores


def _places(shifted: Values, scale: Scale) -> Values:
    places: Values = (shifted - scale.means[:, np.newaxis]) / scale.deviations[:, np.newaxis]
    return places


def _log_parts(shifted: Values, scale: Scale) -> Values:
    """Return each component's part of the density, shape (n_components, n_rows)."""
    height = np.log(scale.weights / scale.deviations)[:, np.newaxis] - _LOG_ROOT_2PI
    parts: Values = height - 0.5 * _places(shifted, scale) ** 2
    return parts


def _grouped(values: Values) -> tuple[Values, Values]:
    """Return values and how many rows each stands for: means of neighbours, the ends alone."""
    values = np.sort(values)
    n = len(values)
    if n <= 2 * _AT_ENDS + _GROUPS:
        return values, np.ones(n)
    middle = np.linspace(_AT_ENDS, n - _AT_ENDS, _GROUPS + 1).astype(np.intp)
    starts = np.concatenate([np.arange(_AT_ENDS), middle[:-1], np.arange(n - _AT_ENDS, n)])
    rows = np.diff(np.append(starts, n)).astype(np.float64)
    return np.add.reduceat(values, starts) / rows, rows


def _starts(points: Values, rows: Values, start: Scale, number: int) -> list[Scale]:
    """Return mixtures to begin with: side by side, and one within the other."""
    mean = np.average(points, weights=rows)
    deviation = np.sqrt(np.average((points - mean) ** 2, weights=rows))
    weights = np.full(number, 1 / number)
    one = replace(start, weights=weights, means=np.full(number, mean))
    if number == 1:
        return [replace(one, deviations=np.array([deviation]))]
    states = (np.cumsum(rows) - 0.5 * rows) / rows.sum()
    beside = np.interp((np.arange(number) + 0.5) / number, states, points)
    return [
        replace(one, means=beside, deviations=np.full(number, deviation / number)),
        replace(one, deviations=deviation * np.geomspace(0.4, 2.0, number)),
    ]


def _mixture(points: Values, rows: Values, scale: Scale) -> tuple[float, Scale]:
    """Fit a mixture of normals to weighted points; return its log-likelihood, and the scale.

    By expectation and maximisation. scikit-learn's takes no weights, and grouped rows make this
    thirty times faster.
    """
    n, last = rows.sum(), -np.inf
    floor = _NARROWEST * np.sqrt(np.average((points - np.average(points)) ** 2, weights=rows))
    for _ in range(_MOST_STEPS):
        places = (points - scale.means[:, np.newaxis]) / scale.deviations[:, np.newaxis]
        shares = np.exp(-0.5 * places**2) * (scale.weights / scale.deviations)[:, np.newaxis]
        density = shares.sum(axis=0) + 1e-300  # no point is impossible
        total = float(rows @ np.log(density)) - n * _LOG_ROOT_2PI
        if total - last < _TOLERANCE * n:
            break
        last = total
        shares *= rows / density
        sizes = shares.sum(axis=1) + 1e-9 * n
        means = shares @ points / sizes
        squares = shares @ points**2 / sizes - means**2
        deviations = np.sqrt(np.maximum(squares, floor**2))
        scale = replace(scale, weights=sizes / sizes.sum(), means=means, deviations=deviations)
    return last, scale
