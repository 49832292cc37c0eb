"""The effect size of edges: information per row about a variable beyond its other parents.

In: the information of an edge. Out: an `EdgeEffect`, in nats per row and as an explained share,
with intervals. Score gains and p-values depend on the number of rows; effect sizes do not.
"""

import math
from dataclasses import dataclass

# Standard errors of the interval: 95 %.
_WIDTH = 1.96


@dataclass(frozen=True)
class EdgeEffect:
    """The information of one variable about another given its other parents, with 95 % intervals.

    Attributes
    ----------
    nats, nats_low, nats_high : float
        Nats per row, corrected for chance.
    share, share_low, share_high : float
        The explained share. For a numeric variable, 1 - exp(-2 nats), the share of the residual
        variance of a normal variable. For a categorical variable, the share of its entropy.
    n_rows : int
        Effective rows behind the estimate.
    """

    nats: float
    nats_low: float
    nats_high: float
    share: float
    share_low: float
    share_high: float
    n_rows: int

    @classmethod
    def of(cls, nats: float, df: float, n_rows: float, entropy: float | None) -> "EdgeEffect":
        """Return the effect and its intervals.

        Twice the log-likelihood ratio has approximately a noncentral chi-square distribution. Its
        square root has a standard deviation of about one.

        Parameters
        ----------
        nats : float
            The mean log-likelihood ratio per row.
        df : float
            Degrees of freedom.
        n_rows : float
        entropy : float or None
            The entropy of a categorical variable; None if it is numeric.
        """
        ratio = math.sqrt(max(2 * n_rows * nats - df, 0.0))
        roots = ratio, max(ratio - _WIDTH, 0.0), ratio + _WIDTH
        most = math.inf if entropy is None else entropy  # no category tells more than it has
        middle, low, high = (min(root**2 / (2 * n_rows), most) for root in roots)
        share, share_low, share_high = (_share(one, entropy) for one in (middle, low, high))
        return cls(middle, low, high, share, share_low, share_high, round(n_rows))

    def __str__(self) -> str:
        interval = f"{share_text(self.share_low)} to {share_text(self.share_high)}"
        return f"{self.nats:.2g} nats per row, explains {share_text(self.share)} ({interval})"


def _share(nats: float, entropy: float | None) -> float:
    if entropy is None:
        return -math.expm1(-2 * nats)
    return nats / entropy if entropy > 0 else 0.0


def share_text(share: float) -> str:
    """Return a share in percent; small shares have two significant digits."""
    percent = 100 * share
    if percent >= 10 or percent == 0:
        return f"{percent:.0f} %"
    return f"{percent:.1f} %" if percent >= 1 else f"{percent:.1g} %"
