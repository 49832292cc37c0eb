"""Forecasts of a fitted learner.

In: a learner that was fitted with `time`, and the last rows. Out: a `Forecast`, or the network over
several slices.
"""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from bnsieve.engine import RandomState, one_thread_each
from bnsieve.network import (
    BayesianNetwork,
    Forecast,
    ForecastOptions,
    Future,
    forecast_rows,
    unrolled_network,
)


def forecast(
    learner: Any,
    history: Any,
    steps: int = 12,
    *,
    do: Future | None = None,
    given: Future | None = None,
    interval: float = 0.9,
    n_paths: int = 1000,
    keep_paths: bool = False,
    random_state: RandomState = 0,
) -> Forecast:
    """Forecast the next steps of each series: probabilities of states, intervals of numbers.

    If there are few variables and all are categorical, the forecast is exact. Otherwise it comes
    from paths drawn step by step. Missing values and steps of the history are simulated, given the
    values known before and after them. Unseen categories count as missing, and a note says so.
    Intervals cover the noise of the variables, not the uncertainty about the network.

    Parameters
    ----------
    history : DataFrame, Arrow table or path
        The last rows of each series, in any order, with the columns of the training rows. Each
        series needs at least as many rows as there are lags. Absent columns count as missing.
    steps : int, default 12
        The number of steps after the last row of each series.
    do : mapping, optional
        Interventions: ``{"valve": ("t+1", "open")}``, a list of such pairs, or one value for all
        steps. They assume that edges are causal.
    given : mapping, optional
        Evidence about future steps, in the same form. It also changes other variables and earlier
        steps.
    interval : float, default 0.9
        The coverage of the intervals of numbers.
    n_paths : int, default 1000
        The number of paths drawn for each series, if the forecast is not exact.
    keep_paths : bool, default False
        Whether to keep the paths, to ask about several steps at once. Paths are then drawn in any
        case.
    random_state : int, RandomState, Generator or None, default 0
        The seed. Each series has its own random numbers, so its forecast does not depend on the
        other series.

    Returns
    -------
    Forecast

    Raises
    ------
    ValueError
        If the learner was fitted without `time`; if time stamps are missing, repeated or uneven; if
        a variable, state or step of `do` or `given` is unknown.
    """
    check_is_fitted(learner, "fit_result_")
    options = ForecastOptions(steps, interval, n_paths, keep_paths, random_state)
    with one_thread_each():
        return forecast_rows(
            learner.network_.parts, learner.fit_result_.timeline, history, options, do, given
        )


def unroll(learner: Any, steps: int = 1, *, past: int | None = None) -> BayesianNetwork:
    """Return the network over several slices, to query any step given any other.

    Nodes are named ``valve@t-1``, ``valve@t``, ``valve@t+1``; static variables keep their names.
    The variables of the first slices (as many as there are lags) have no parents and are
    independent, so pass them as evidence. Evidence about a slice changes the slices before and
    after it.

    Parameters
    ----------
    steps : int, default 1
        The number of slices after t.
    past : int, optional
        The number of slices before t, by default the number of lags minus one.
    """
    check_is_fitted(learner, "fit_result_")
    return unrolled_network(learner.network_.parts, learner.fit_result_.timeline, steps, past)
