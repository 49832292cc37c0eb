"""Curves: the contribution of a column to a model of another one.

In: a column of values or codes. Out: orthonormal functions of it, the smoothest first; for a
categorical column, its indicators.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

Values = NDArray[np.float64]
Column = NDArray[np.float64] | NDArray[np.integer]

# Of few rows, splines have so many knots for the cube root of their number, by score and by value.
_KNOTS_PER_ROOT, _VALUE_KNOTS_PER_ROOT = 1.5, 4.0
# The outermost knots leave so many rows at each end, where a spline is straight.
_ROWS_AT_ENDS = 5
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Knots:
    """The flexibility of curves, beyond a value and its normal score.

    Attributes
    ----------
    by_score, by_value : tuple of int
        Numbers of knots of the splines, spaced evenly by score, and by value.
    """

    by_score: tuple[int, ...] = (4, 8, 16)
    by_value: tuple[int, ...] = (16, 30)


@dataclass(frozen=True, eq=False)
class Curve:
    """The functions that a column contributes to a model.

    Attributes
    ----------
    functions : ndarray of float64, shape (n_rows, k)
        Orthonormal functions, the smoothest first.
    sizes : tuple of int
        The numbers of first functions that make a curve: a straight line, a curve of the rank, and
        more and more flexible ones.
    """

    functions: Values
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, column: Column, knots: Knots) -> "Curve":
        """Return functions of a number, or the indicators of all categories but the first."""
        if column.dtype.kind != "f":
            codes = np.unique(column, return_inverse=True)[1]
            shown = (codes == np.arange(1, codes.max() + 1)[:, np.newaxis]).astype(np.float64)
            return cls._orthonormal(shown, [len(shown)])
        root = len(column) ** (1 / 3)
        scores, values = normal_scores(column), standardised(column.astype(np.float64))
        first, last = np.sort(values)[[_ROWS_AT_ENDS, -1 - _ROWS_AT_ENDS]].tolist()
        end = float(ndtri(1 - _ROWS_AT_ENDS / len(column)))
        parts = [values[np.newaxis], scores[np.newaxis]]
        parts += [
            _bends(scores, np.linspace(-end, end, n_knots))
            for n_knots in knots.by_score
            if n_knots <= max(knots.by_score[0], _KNOTS_PER_ROOT * root)
        ]
        parts += [
            _bends(values, np.linspace(first, last, n_knots))
            for n_knots in knots.by_value
            if n_knots <= _VALUE_KNOTS_PER_ROOT * root and last - first > _ROUNDING
        ]
        return cls._orthonormal(np.concatenate(parts), np.cumsum([len(part) for part in parts]))

    @classmethod
    def _orthonormal(cls, rows: Values, sizes: "Sequence[int] | NDArray[np.int64]") -> "Curve":
        centred = rows - rows.mean(axis=1, keepdims=True)
        lengths = np.linalg.norm(centred, axis=1, keepdims=True)
        centred = np.divide(centred, lengths, out=np.zeros_like(centred), where=lengths > 0)
        basis, triangle = np.linalg.qr(centred.T)
        own = np.abs(np.diagonal(triangle)) > _ROUNDING
        n_own = np.concatenate([[0], np.cumsum(own)])
        different = sorted({int(n_own[size]) for size in sizes} - {0})
        return cls(np.ascontiguousarray(basis[:, own]), tuple(different))


def normal_scores(values: Column) -> Values:
    """Return the quantile of a normal distribution at the rank of each value."""
    found: Values = ndtri((rankdata(values) - 0.5) / len(values))
    return found


def standardised(values: Values) -> Values:
    """Return values with mean 0 and variance 1; zeros if all are equal."""
    centred = values - values.mean()
    deviation = float(centred.std())
    standard: Values = centred / deviation if deviation > 0 else centred
    return standard


def _bends(scores: Values, knots: Values) -> Values:
    """Return the nonlinear functions of a cubic spline that is linear beyond its last knots."""
    cubes = np.maximum(scores - knots[:, np.newaxis], 0) ** 3
    before, last = knots[-2:]
    return np.stack(
        [
            cube + (cubes[-1] * (before - knot) - cubes[-2] * (last - knot)) / (last - before)
            for cube, knot in zip(cubes[:-2], knots[:-2], strict=True)
        ]
    )
