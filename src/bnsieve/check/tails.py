"""Tails of the hypergeometric distribution, for tables of any size.

In: numbers of rows. Out: the probability of each count or more, and of each count or fewer. scipy
sums each tail anew, over as many terms as there are new rows. Here each term is computed once.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

# Beyond so many standard deviations probabilities are below the smallest float.
_SPREAD = 50.0


@dataclass(frozen=True, eq=False)
class Tails:
    """Cumulative probabilities of each count, without counts whose probability is negligible.

    Attributes
    ----------
    first : int
        The smallest count.
    fewer, more : ndarray of float64
        The probability of each count or fewer, and of each count or more.
    """

    first: int
    fewer: NDArray[np.float64]
    more: NDArray[np.float64]

    def or_more(self, k: int) -> float:
        """Return the probability of k or more."""
        if k < self.first:
            return 1.0
        return float(self.more[k - self.first]) if k - self.first < len(self.more) else 0.0


def tails(total: int, n: int, m: int) -> Tails:
    """Return how many of `total` rows are among the m new ones, beside n training rows."""
    everything, mean = n + m, total * m / (n + m)
    variance = mean * (n / everything) * (everything - total) / max(everything - 1, 1)
    reach = _SPREAD * (np.sqrt(variance) + _SPREAD)
    lowest = max(0, total - n, int(mean - reach))
    highest = min(total, m, int(mean + reach) + 1)
    numbers = np.arange(lowest, highest + 1, dtype=np.float64)
    logarithms = (
        _log_choices(m, numbers) + _log_choices(n, total - numbers) - _log_choices(n + m, total)
    )
    chances = np.exp(logarithms)
    fewer, more = chances.cumsum(), chances[::-1].cumsum()[::-1]
    return Tails(lowest, np.minimum(fewer, 1.0), np.minimum(more, 1.0))


def _log_choices(n: int, k: NDArray[np.float64] | int) -> NDArray[np.float64]:
    return np.asarray(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0))
