"""A name and a seed in, rows of a table out: some to learn from, and as many held out.

Nine of the twelve tables of `tables`: genotypes have 2,000 columns, and rows of web logs and
sensors depend on each other. Columns come in another order for each seed; those of networks under
other names, too.
"""

import io
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from benchmarks.common.shuffled import shuffled
from benchmarks.tables.catalogue import TABLES, truth_of
from bnsieve import load_network

# What is predicted in each table.
TARGETS = {
    "hospital": "readmitted",
    "survey": "Q9. Do you intend to be our customer in a year's time?",
    "churn": "Churn",
    "sales": "returned",
    "claims": "denied",
    "hr": "performance",
    "baskets": "member",
    "export": "Reklamation",
    "gaps": "inpatient",
}
NETWORK_TARGETS = {
    "asia": "dysp",
    "sachs": "Akt",
    "child": "Sick",
    "insurance": "Accident",
    "alarm": "CATECHOL",
}
NAMES = (*TARGETS, *NETWORK_TARGETS)


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows of a table.

    Attributes
    ----------
    training, held_out : DataFrame
        As many rows each.
    target : str
        A column to predict.
    numbers, dates : frozenset of str
        Columns of numbers and of dates.
    plain : tuple of str
        Columns that are neither identifiers, dates nor texts.
    """

    training: pd.DataFrame
    held_out: pd.DataFrame
    target: str
    numbers: frozenset[str]
    dates: frozenset[str]
    plain: tuple[str, ...]


@lru_cache(maxsize=2)
def sample_of(name: str, seed: int, n: int) -> Sample:
    """Draw rows of a table; the same types as if they had come from a Parquet file."""
    rng = np.random.default_rng([seed, len(name)])
    if name in NETWORK_TARGETS:
        renamed = shuffled(load_network(name).sample(2 * n, random_state=seed), seed)
        (target,) = (new for new, old in renamed.names.items() if old == NETWORK_TARGETS[name])
        training, held_out = _halves(renamed.data.astype(object), rng)
        return Sample(training, held_out, target, frozenset(), frozenset(), tuple(renamed.names))
    frame = TABLES[name].frame(2 * n, seed)
    roles = truth_of(TABLES[name]).roles
    training, held_out = _halves(frame.iloc[:, rng.permutation(frame.shape[1])], rng)
    numbers = frozenset(column for column, role in roles.items() if role == "quantity")
    dates = frozenset(column for column, role in roles.items() if role == "date")
    others = {"identifier", "text", "date"}
    plain = tuple(column for column, role in roles.items() if not others & {*role.split("|")})
    return Sample(training, held_out, TARGETS[name], numbers, dates, plain)


def _halves(frame: pd.DataFrame, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return two halves at random, each in the order of the table."""
    order = rng.permutation(len(frame))
    first, second = np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
    return _stored(frame.iloc[first]), _stored(frame.iloc[second])


def _stored(frame: pd.DataFrame) -> pd.DataFrame:
    file = io.BytesIO()
    frame.reset_index(drop=True).to_parquet(file)
    return pd.read_parquet(file)
