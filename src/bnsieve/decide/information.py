"""The information of one variable about another given others, in nats per row.

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
        The estimate per row. Chance alone adds half of `df` to the sum over all rows.
    df : float
        Degrees of freedom.
    n_rows : float
        The number of rows behind the estimate.
    """

    nats: float
    df: float
    n_rows: float


def counted_information(joint: JointCounts) -> Information:
    """Return the information of a table's last two variables about each other given the others.

    Rows in which one of them is missing are left out.
    """
    statistics = joint.complete().statistics
    n_rows = max(statistics.n_total, 1.0)
    return Information(statistics.g_square / (2 * n_rows), statistics.df, n_rows)


def covariance_information(
    covariance: Covariance, target: int, other: int, given: Sequence[int]
) -> Information:
    """Return the information of two variables about each other given others, for normal columns."""
    first, sizes = covariance.first, covariance.sizes

    def log_volume(variables: Sequence[int]) -> float:
        blocks = [np.arange(first[v], first[v + 1]) for v in variables]
        chosen = np.concatenate([np.empty(0, np.int64), *blocks])
        return float(np.linalg.slogdet(covariance.matrix[np.ix_(chosen, chosen)])[1])

    both, one = [*given, target, other], [*given, target]
    nats = log_volume(one) + log_volume([*given, other]) - log_volume(given) - log_volume(both)
    df = float(sizes[target] * sizes[other])
    return Information(max(nats / 2, 0.0), df, max(covariance.n_summed, covariance.n_rows))
