"""The statistics behind the independence tests.

In: the joint table of the conditioning variables, x and y, in this order and without missing cells.
Out: an :class:`Outcome`. Degrees of freedom are those that the data leave: in each stratum (one
configuration of the conditioning variables) the levels that occur there, less one, multiplied.
"""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from scipy.special import chdtrc

from bnsieve import _native
from bnsieve.counts import JointCounts

Method = Literal["chi2", "g2", "mi"]


class Outcome(NamedTuple):
    """Statistic, degrees of freedom, p-value (NaN: cannot tell) and the way it was found."""

    statistic: float
    df: float
    p_value: float
    method: str


def _statistics(table: JointCounts) -> _native.StrataStatistics:
    return _native.strata_statistics(table.configurations, table.counts)


def _chi_square_tail(statistic: float, df: float) -> float:
    return float(chdtrc(df, statistic)) if df > 0 else float("nan")


def chi2(table: JointCounts) -> Outcome:
    """Test with Pearson's chi-square and its asymptotic distribution."""
    s = _statistics(table)
    return Outcome(s.chi_square, s.df, _chi_square_tail(s.chi_square, s.df), "chi2")


def g2(table: JointCounts) -> Outcome:
    """Test with the likelihood ratio and its asymptotic distribution."""
    s = _statistics(table)
    return Outcome(s.g_square, s.df, _chi_square_tail(s.g_square, s.df), "g2")


def mi(table: JointCounts) -> Outcome:
    """Test as `g2` does; the statistic is the conditional mutual information in nats."""
    outcome = g2(table)
    return outcome._replace(statistic=outcome.statistic / (2 * max(table.total, 1)), method="mi")


METHODS: Mapping[Method, Callable[[JointCounts], Outcome]] = {"chi2": chi2, "g2": g2, "mi": mi}
