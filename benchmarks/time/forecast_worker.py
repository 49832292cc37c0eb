"""Forecasts of a vector autoregression by statsmodels; runs in an environment of its own.

In: a file of numbers, training rows and the rows before each forecast. Out: a file of the means and
standard deviations of each step.
"""

import sys
import warnings

import numpy as np
from statsmodels.tsa.api import VAR

MOST_LAGS = 6


def main(source: str, target: str) -> None:
    """Fit to the training rows, with as many lags as the AIC says, and forecast."""
    warnings.simplefilter("ignore")
    with np.load(source) as data:
        rows, before, n_steps = data["rows"], data["before"], int(data["n_steps"])
    fit = VAR(rows).fit(maxlags=MOST_LAGS, ic="aic", trend="c")
    if fit.k_ar == 0:
        fit = VAR(rows).fit(1, trend="c")
    means = np.array([fit.forecast(own[-fit.k_ar :], n_steps) for own in before])
    spread = np.sqrt([np.diag(one) for one in fit.forecast_cov(n_steps)])
    np.savez(target, means=means, deviations=np.broadcast_to(spread, means.shape))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
