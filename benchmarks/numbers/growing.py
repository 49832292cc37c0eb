"""Samples of what only very many rows show: a treatment drawn by lot, and independent columns.

The treatment, of 9 % of the rows, moves the outcome from 7.3 to 5.6 %, which is 2e-4 nats per row.
Ten other columns, eight of them numeric, drive the outcome and each other.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Values = NDArray[np.float64]
SHAPES: dict[str, Callable[[np.random.Generator, int], Values]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "Cauchy": lambda rng, n: rng.standard_cauchy(n),
    "lognormal": lambda rng, n: np.exp(rng.normal(size=n)),
    "zero-inflated": lambda rng, n: np.where(rng.random(n) < 0.7, 0.0, rng.gamma(2.0, size=n)),
    "counts": lambda rng, n: rng.poisson(40.0, n).astype(np.float64),
    "heteroscedastic": lambda rng, n: rng.normal(size=n) * rng.choice([1.0, 5.0], n),
}


def sample_treatment(n_rows: int, seed: int) -> pd.DataFrame:
    """Return rows with a treatment drawn by lot and an outcome."""
    rng = np.random.default_rng([seed, 371])
    age, income, visits = rng.normal(size=(3, n_rows))
    visits += 0.5 * age
    spend = 0.4 * income + 0.3 * visits**2 + rng.normal(size=n_rows)
    tenure = np.exp(0.5 * age + rng.normal(size=n_rows) / 2)
    load = np.tanh(spend) + rng.normal(size=n_rows)
    delay, score = rng.normal(size=(2, n_rows))
    score += 0.6 * delay
    plan = np.where(income + rng.normal(size=n_rows) > 0.5, "pro", "free")
    region = rng.choice(["north", "south", "west"], n_rows)
    treated = rng.random(n_rows) < 0.09
    risk = 0.8 * np.tanh(visits) - 0.5 * score
    # Shares of outcomes are those wanted on average over the rows, and not for one in the middle.
    shares = np.where(treated, 0.056, 0.073) * np.exp(risk) / np.exp(risk).mean()
    outcome = rng.random(n_rows) < np.minimum(shares, 1.0)
    numbers = {"age": age, "income": income, "visits": visits, "spend": spend, "tenure": tenure}
    numbers |= {"load": load, "delay": delay, "score": score}
    labels = {"plan": plan, "region": region, "treated": np.where(treated, "yes", "no")}
    return pd.DataFrame({**numbers, **labels, "outcome": np.where(outcome, "yes", "no")})


def sample_noise(shape: str, n_columns: int, n_rows: int, seed: int) -> pd.DataFrame:
    """Return independent columns of one shape."""
    rng = np.random.default_rng([seed, n_columns, n_rows, sorted(SHAPES).index(shape)])
    return pd.DataFrame({f"v{v:02d}": SHAPES[shape](rng, n_rows) for v in range(n_columns)})
