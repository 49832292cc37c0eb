"""The ranks of a column of numbers: values to normal scores, and back.

A map is made from some rows, kept, and applied to all. Values enter by comparison only, so that any
strictly increasing transform of a column gives the same scores.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

Values = NDArray[np.float64]

# Steps of a map: of more different values, neighbours share one. With a hundred rows a step, finer
# ones would change no correlation by more than its chance error.
MAX_STEPS = 4_096
# Of a map from a sample. Its ranks are off by several of these steps by chance, and a map that
# stays in the processor's nearest memory takes half the time.
MAX_SAMPLE_STEPS = 1_024
# The normal score, and Legendre polynomials of the rank of second to fourth degree.
N_FUNCTIONS = 4


@dataclass(frozen=True, eq=False)
class RankMap:
    """Steps from values to the quantiles of a normal distribution.

    Attributes
    ----------
    lowest : ndarray of float64, shape (n_steps,)
        The lowest value of each step, strictly ascending.
    scores : ndarray of float64, shape (n_steps,)
        The normal score of each step: of the middle of the ranks of its values.
    highest : float
        The largest value.
    n : int
        How many values the map was made from.
    """

    lowest: Values
    scores: Values
    highest: float
    n: int

    @classmethod
    def of(cls, values: ArrayLike, max_steps: int = MAX_STEPS) -> "RankMap":
        """Make a map of the values of a column; NaN is left out.

        Parameters
        ----------
        values : array-like of float
        max_steps : int
            Of more different values, neighbours share a step.

        Raises
        ------
        ValueError
            If there is no value.
        """
        given = np.asarray(values, dtype=np.float64)
        different, counts = np.unique(given[~np.isnan(given)], return_counts=True)
        if not len(different):
            raise ValueError("a column without values has no ranks")
        above = np.cumsum(counts)
        n = int(above[-1])
        first = np.arange(len(different))
        if len(different) > max_steps:
            # A step begins where the rank of a value's middle passes a multiple of n / max_steps.
            middle = above - (counts + 1) / 2
            first = np.unique(np.floor(middle * max_steps / n), return_index=True)[1]
        below = np.concatenate([[0], above])[first]
        sizes = np.diff(np.append(below, n))
        scores = ndtri((below + sizes / 2) / n)
        return cls(different[first], scores, float(different[-1]), n)

    def to_scores(self, values: ArrayLike) -> Values:
        """Return the normal score of each value; NaN of NaN.

        A value between two steps belongs to the lower one, one below all to the first.
        """
        given = np.asarray(values, dtype=np.float64)
        step = np.maximum(np.searchsorted(self.lowest, given, side="right") - 1, 0)
        return np.where(np.isnan(given), np.nan, self.scores[step])

    def from_scores(self, scores: ArrayLike) -> Values:
        """Return the value at each normal score: linear between steps, none beyond the last."""
        found: Values = np.interp(np.asarray(scores, np.float64), self.scores, self.lowest)
        return found

    def functions(self, values: ArrayLike) -> Values:
        """Return a few functions of the rank of each value, shape (N_FUNCTIONS, n_values).

        The normal score, and Legendre polynomials of the rank, which are bounded.
        """
        given = np.asarray(values, dtype=np.float64)
        step = np.maximum(np.searchsorted(self.lowest, given, side="right") - 1, 0)
        found = rank_functions(self.scores)[:, step]
        found[:, np.isnan(given)] = np.nan
        return found


def rank_functions(scores: Values) -> Values:
    """Return functions of ranks, given as normal scores; shape (N_FUNCTIONS, n_scores)."""
    u = 2 * ndtr(scores) - 1
    return np.array(
        [scores, 1.5 * u**2 - 0.5, 2.5 * u**3 - 1.5 * u, 4.375 * u**4 - 3.75 * u**2 + 0.375]
    )
