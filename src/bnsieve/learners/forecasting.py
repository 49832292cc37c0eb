"""A fitted learner asked about the future.

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

    Exact where all variables are categorical and few; else by paths that are drawn step by step.
    Missing values and missing steps of the history are filtered: given what is known before and
    after them. Categories that were not learned from are taken as missing, and noted. Intervals
    allow for the noise of the variables, not for what is uncertain about the network itself.

    Parameters
    ----------
    history : DataFrame, Arrow table or path
        The last rows of each series, in any order, with the columns that were learned from: as many
        rows as there are lags, or more. Columns that are absent are taken as missing.
    steps : int, default 12
        How many steps after the last row of each series.
    do : mapping, optional
        What is set, whatever its causes: ``{"valve": ("t+1", "open")}``, a list of such pairs, or
        one value for all steps. This assumes that edges are causal.
    given : mapping, optional
        Evidence of future steps, in the same form. It also bears on other variables and on
        earlier steps.
    interval : float, default 0.9
        The level of the intervals of numbers.
    n_paths : int, default 1000
        How many paths are drawn of each series, unless probabilities are exact.
    keep_paths : bool, default False
        Whether to draw paths in any case and keep them, to ask about several steps together.
    random_state : int, RandomState, Generator or None, default 0
        Each series has random numbers of its own: its forecast is the same whatever others are
        forecast with it.

    Returns
    -------
    Forecast

    Raises
    ------
    ValueError
        If the learner was fitted without `time`; if time stamps are missing, come twice or are
        uneven; if a variable, state or step of `do` or `given` is unknown.
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
    The first slices, as many as there are lags, have no parents, and their variables are
    independent: give them as evidence. Evidence on later slices is filtered and smoothed.

    Parameters
    ----------
    steps : int, default 1
        Slices after t.
    past : int, optional
        Slices before t; by default one less than there are lags.
    """
    check_is_fitted(learner, "fit_result_")
    return unrolled_network(learner.network_.parts, learner.fit_result_.timeline, steps, past)
