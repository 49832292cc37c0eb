"""Filled cells: how many are right, beside scikit-learn's ways.

In: a network's name. Out: one line per way. A fifth of the cells of one table is removed; every
way sees this table and nothing else, but for the true network, which says how much can be known.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, SimpleImputer
from sklearn.tree import DecisionTreeClassifier

from benchmarks.common.clock import timed
from benchmarks.inference.runner import Job
from bnsieve import TsetlinSieve, load_network

NETWORKS = ("alarm", "insurance", "hepar2")
REMOVED = 0.2
WAYS = (
    "bnsieve, learned network",
    "bnsieve, true network",
    "IterativeImputer",
    "IterativeImputer, trees",
    "mode",
)


def gaps_run(job: Job, n_rows: int) -> list[dict[str, object]]:
    """Fill one table in every way."""
    truth = load_network(job.network)
    rows = truth.sample(n_rows, random_state=job.repetition)
    removed = np.random.default_rng(job.repetition).random(rows.shape) < REMOVED
    gaps = rows.mask(removed)
    codes = np.column_stack([rows[name].cat.codes for name in rows]).astype(float)
    holes = np.where(removed, np.nan, codes)
    most = codes.max(axis=0)
    with timed() as learning:
        learned = TsetlinSieve(random_state=job.repetition).fit(gaps).network_
    ways: dict[str, Callable[[], Any]] = {
        WAYS[0]: lambda: numbered(learned.impute(gaps), rows),
        WAYS[1]: lambda: numbered(truth.impute(gaps), rows),
        WAYS[2]: lambda: IterativeImputer(random_state=0).fit_transform(holes),
        WAYS[3]: lambda: IterativeImputer(
            DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
            initial_strategy="most_frequent",
            max_iter=3,
            random_state=0,
        ).fit_transform(holes),
        WAYS[4]: lambda: SimpleImputer(strategy="most_frequent").fit_transform(holes),
    }
    lines = []
    for way, fill in ways.items():
        with timed() as spent:
            filled = np.clip(np.rint(fill()), 0, most)
        lines.append(
            {
                "label": job.label,
                "network": job.network,
                "repetition": job.repetition,
                "way": way,
                "right": float((filled == codes)[removed].mean()),
                "learning_seconds": learning.processor_seconds if way == WAYS[0] else 0.0,
                "rows_per_second": n_rows / spent.processor_seconds,
            }
        )
    return lines


def numbered(filled: pd.DataFrame, rows: pd.DataFrame) -> Any:
    """Return labels as their positions in the true network's levels."""
    return np.column_stack(
        [filled[name].astype(rows[name].dtype).cat.codes for name in rows]
    ).astype(float)
