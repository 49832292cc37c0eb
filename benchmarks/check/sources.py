"""A name and a seed in, rows out: six published networks, two mixed tables with known causes."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve import TsetlinSieve, load_network

NETWORKS = ("asia", "cancer", "sachs", "child", "insurance", "alarm")
N_LEARNED = 10_000


def _choice(rng: np.random.Generator, yes: NDArray[np.bool_], labels: str) -> NDArray[np.str_]:
    a, b = labels.split()
    return np.where(yes, a, b)


def _logistic(x: NDArray[np.float64]) -> NDArray[np.float64]:
    odds: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-x))
    return odds


def customers(n: int, seed: int) -> pd.DataFrame:
    """Draw plan and age, which move use, which moves spending, which moves leaving."""
    rng = np.random.default_rng(seed)
    region = rng.choice(["north", "south", "east", "west"], n, p=[0.4, 0.3, 0.2, 0.1])
    plan = _choice(rng, rng.random(n) < np.where(region == "north", 0.5, 0.25), "pro free")
    age = rng.normal(45, 12, n)
    use = np.exp(0.02 * age + 0.5 * (plan == "pro") + 0.4 * rng.normal(size=n))
    spend = 10 + 3 * use + 2 * rng.normal(size=n)
    calls = rng.poisson(np.exp(0.5 + 0.4 * (plan == "free"))).astype(float)
    left = _choice(rng, rng.random(n) < _logistic(-2 + 0.08 * (spend - 20)), "yes no")
    return pd.DataFrame(
        {
            "region": region,
            "plan": plan,
            "age": age,
            "use": use,
            "spend": spend,
            "calls": calls,
            "left": left,
        }
    )


def plant(n: int, seed: int) -> pd.DataFrame:
    """Draw pump and valve, which move flow and pressure, and alarms that follow these."""
    rng = np.random.default_rng(seed)
    pump = _choice(rng, rng.random(n) < 0.8, "on off")
    valve = rng.choice(["open", "half", "shut"], n, p=[0.5, 0.3, 0.2])
    speed = np.where(pump == "on", rng.normal(1_500, 60, n), rng.normal(0, 5, n))
    openness = np.select([valve == "open", valve == "half"], [1.0, 0.5], 0.05)
    flow = 0.02 * speed * openness + rng.normal(0, 0.8, n)
    pressure = 2 + 0.004 * speed * (1.3 - openness) + rng.normal(0, 0.3, n)
    heat = 20 + 3 * pressure + rng.standard_t(5, n)
    alarm = _choice(rng, rng.random(n) < _logistic(0.8 * (heat - 45)), "yes no")
    return pd.DataFrame(
        {
            "pump": pump,
            "valve": valve,
            "speed": speed,
            "flow": flow,
            "pressure": pressure,
            "heat": heat,
            "alarm": alarm,
        }
    )


def machines(n: int, seed: int, change: str = "") -> pd.DataFrame:
    """Draw hours and materials, which move load and heat, and alarms that follow these.

    Parameters
    ----------
    n, seed : int
    change : str
        A mechanism that is another one: see `benchmarks.check.changes`. Without, none is.
    """
    rng = np.random.default_rng(seed)
    hour = np.floor(24 * np.where(rng.random(n) < 0.1, rng.random(n), rng.beta(4, 3, n)))
    shift = _choice(rng, (hour >= 8) & (hour < 16), "day night")
    is_steel = rng.random(n) < (0.6 if change == "moved margin" else 0.3)
    load = 40 + 20 * (shift == "day") + rng.normal(0, 6, n)
    effect = {"lost effect": 0.0, "reversed effect": -0.5}.get(change, 0.5)
    heat = 45 + effect * (load - 50) + 4 * is_steel + rng.normal(0, 2, n)
    vibration = rng.gamma(3, 1, n)
    if change == "new dependence":
        vibration *= np.exp(0.03 * (load - 50))
    valve = _choice(rng, rng.random(n) < _logistic((heat - 45) / 3), "open shut")
    alarm = _choice(rng, rng.random(n) < np.where(valve == "open", 0.3, 0.03), "yes no")
    return pd.DataFrame(
        {
            "start_hour": hour,
            "shift": shift,
            "material": _choice(rng, is_steel, "steel brass"),
            "load": load,
            "heat": heat,
            "vibration": vibration,
            "valve": valve,
            "alarm": alarm,
        }
    )


MIXED: dict[str, Callable[[int, int], pd.DataFrame]] = {"customers": customers, "plant": plant}
TABLES = (*NETWORKS, *MIXED)


def rows_of(table: str, n_rows: int, seed: int) -> pd.DataFrame:
    """Draw rows of a table."""
    if table in MIXED:
        return MIXED[table](n_rows, seed)
    return load_network(table).sample(n_rows, random_state=seed).astype(object)


@lru_cache(maxsize=16)
def learner_of(table: str, seed: int, n_rows: int = N_LEARNED) -> TsetlinSieve:
    """Learn from rows that no batch has."""
    rows = rows_of(table, n_rows, 1_000_000 + seed)
    return TsetlinSieve(random_state=0, n_jobs=1).fit(rows)
