"""Drivers of a target, for independent rows or over time.

In: a `BayesianNetwork`, a target, and the `Background` of a fit. Out: `Drivers`.
"""

from collections.abc import Hashable

from bnsieve.explain.drivers import Drivers
from bnsieve.explain.driving import Background, DriverSearch, drivers_of
from bnsieve.explain.driving_over_time import SearchOverTime, is_over_time
from bnsieve.network import BayesianNetwork

DEFAULT_LEVEL = 0.9


def find_drivers(
    network: BayesianNetwork,
    target: str,
    state: Hashable = None,
    *,
    level: float = DEFAULT_LEVEL,
    background: Background | None = None,
) -> Drivers:
    """Find what carries information about a target; see `bnsieve.TsetlinSieve.drivers`."""
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level!r}")
    background, rows = background or Background(), network.learned.rows
    if rows is None or not is_over_time(rows):
        return drivers_of(DriverSearch(network, target, state, level, background))
    # A past value has the same drivers as the present one, at larger lags.
    target = rows.copies.get(target, target)
    return drivers_of(SearchOverTime(network, target, state, level, background))
