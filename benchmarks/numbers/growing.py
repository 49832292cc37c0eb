"""Samples of what only very many rows show: a treatment drawn by lot, drivers, and noise.

The treatment, of 9 % of the rows, moves the outcome from 7.3 to 5.6 %, which is 2e-4 nats per row.
Ten other columns, eight of them numeric, drive the outcome and each other. The purchase of a user
has six drivers of 2e-4 to 2e-3 nats per row. There are 13 other columns, and most of them are
associated with the drivers.
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


DRIVERS = ("visits", "tenure", "tickets", "plan", "channel", "discount")


def sample_users(n_rows: int, seed: int) -> pd.DataFrame:
    """Return users with six drivers of a purchase, and columns that depend on these."""
    rng = np.random.default_rng([seed, 613])

    def noise() -> Values:
        return rng.normal(size=n_rows)

    age, income = noise(), noise()
    tenure = np.exp(0.4 * age + 0.8 * noise())
    visits = np.exp(0.3 * income + 0.7 * noise())
    tickets = rng.poisson(np.exp(-1.2 + 0.25 * noise()))
    plan = np.where(0.8 * income + noise() > 0.4, "pro", "free")
    channel = rng.choice(["search", "friend", "advert"], n_rows, p=[0.6, 0.25, 0.15])
    discount = rng.random(n_rows) < 0.12
    seconds = np.exp(0.6 * np.log(visits) + 0.5 * noise())
    pages = np.sqrt(seconds) + 0.4 * noise()
    searches = 0.5 * pages + noise()
    rating = -0.6 * tickets + noise()
    answer = np.tanh(rating) + 0.5 * noise()
    devices = np.where(pages + noise() > 1.5, "many", "one")
    distance, rain = noise(), noise()
    stores = np.tanh(distance) + 0.6 * noise()
    language = rng.choice(["de", "en", "fr"], n_rows)
    newsletter = np.where(0.7 * np.log(tenure) + noise() > 0, "yes", "no")
    odds = -3.4 + 0.45 * np.log(visits) + 0.25 * np.log(tenure) - 0.2 * np.minimum(tickets, 3)
    odds += 0.4 * (plan == "pro") + 0.25 * (channel == "friend") + 0.3 * discount
    bought = rng.logistic(size=n_rows) < odds
    numbers = {"age": age, "income": income, "tenure": tenure, "visits": visits}
    numbers |= {"tickets": tickets, "seconds": seconds, "pages": pages, "searches": searches}
    numbers |= {"rating": rating, "answer": answer, "distance": distance, "rain": rain}
    labels = {"plan": plan, "channel": channel, "devices": devices, "language": language}
    labels |= {"newsletter": newsletter, "discount": np.where(discount, "yes", "no")}
    columns = {**numbers, **labels, "stores": stores, "bought": np.where(bought, "yes", "no")}
    names = rng.permutation(list(columns)).tolist()
    return pd.DataFrame({name: columns[name] for name in names})


def sample_noise(shape: str, n_columns: int, n_rows: int, seed: int) -> pd.DataFrame:
    """Return independent columns of one shape."""
    rng = np.random.default_rng([seed, n_columns, n_rows, sorted(SHAPES).index(shape)])
    return pd.DataFrame({f"v{v:02d}": SHAPES[shape](rng, n_rows) for v in range(n_columns)})
