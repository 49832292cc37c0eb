"""What one variable tells of another beside others: nats per row, which do not grow with the rows.

In: joint counts, or a covariance. Out: `Information`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bnsieve.counts import Covariance, JointCounts


class Information(NamedTuple):
    """An estimate of a conditional mutual information.

    Attributes
    ----------
    nats : float
        Per row, as estimated: chance alone adds half of `df` to the sum over all rows.
    df : float
        Degrees of freedom.
    n_rows : float
        Rows that it was estimated in.
    """

    nats: float
    df: float
    n_rows: float


def counted_information(joint: JointCounts) -> Information:
    """Return what the last two variables of a table tell of each other, given the others.

    Rows in which one of them is missing are left out.
    """
    statistics = joint.complete().statistics
    n_rows = max(statistics.n_total, 1.0)
    return Information(statistics.g_square / (2 * n_rows), statistics.df, n_rows)


def covariance_information(
    covariance: Covariance, target: int, other: int, given: Sequence[int]
) -> Information:
    """Return what two variables tell of each other given others, were all columns normal."""
    first, sizes = covariance.first, covariance.sizes

    def log_volume(variables: Sequence[int]) -> float:
        blocks = [np.arange(first[v], first[v + 1]) for v in variables]
        chosen = np.concatenate([np.empty(0, np.int64), *blocks])
        return float(np.linalg.slogdet(covariance.matrix[np.ix_(chosen, chosen)])[1])

    both, one = [*given, target, other], [*given, target]
    nats = log_volume(one) + log_volume([*given, other]) - log_volume(given) - log_volume(both)
    df = float(sizes[target] * sizes[other])
    return Information(max(nats / 2, 0.0), df, max(covariance.n_summed, covariance.n_rows))
