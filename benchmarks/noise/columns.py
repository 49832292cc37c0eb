"""A kind of noise, a size and a seed in, a frame of independent columns out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

N_COLUMNS = 30
MIXED_LEVELS = (2, 50)
ZIPF_LEVELS = 50
RARE_SHARE = 0.01
MISSING_SHARE = 0.3
N_BINS = 10

Draw = Callable[[np.random.Generator, int], NDArray[np.int64]]


def _even(n_states: int) -> Draw:
    return lambda rng, n_rows: rng.integers(0, n_states, n_rows)


def _mixed(rng: np.random.Generator, n_rows: int) -> NDArray[np.int64]:
    low, high = MIXED_LEVELS
    return rng.integers(0, rng.integers(low, high + 1), n_rows)


def _rare(rng: np.random.Generator, n_rows: int) -> NDArray[np.int64]:
    return (rng.random(n_rows) < RARE_SHARE).astype(np.int64)


def _zipf(rng: np.random.Generator, n_rows: int) -> NDArray[np.int64]:
    weights = 1.0 / np.arange(1, ZIPF_LEVELS + 1)
    return rng.choice(ZIPF_LEVELS, n_rows, p=weights / weights.sum())


def _with_gaps(rng: np.random.Generator, n_rows: int) -> NDArray[np.int64]:
    return np.where(rng.random(n_rows) < MISSING_SHARE, -1, rng.integers(0, 3, n_rows))


def _quantile_bins(rng: np.random.Generator, n_rows: int) -> NDArray[np.int64]:
    ranks = np.argsort(np.argsort(rng.standard_normal(n_rows)))
    return ranks * N_BINS // n_rows


# What one column of each kind is like. A code of -1 is a missing cell.
KINDS: dict[str, Draw] = {
    "2 even states": _even(2),
    "3 even states": _even(3),
    "10 even states": _even(10),
    "20 even states": _even(20),
    "50 even states": _even(50),
    "2 to 50 states": _mixed,
    "1 % against 99 %": _rare,
    "Zipf, 50 states": _zipf,
    "3 states, 30 % missing": _with_gaps,
    "10 quantile bins": _quantile_bins,
}


def noise(kind: str, n_rows: int, seed: int, n_columns: int = N_COLUMNS) -> pd.DataFrame:
    """Draw independent columns.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    n_rows, seed : int
    n_columns : int

    Returns
    -------
    DataFrame of categoricals
    """
    place = list(KINDS).index(kind)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(place, n_rows)))
    return pd.DataFrame(
        {f"noise{i:02}": _labelled(KINDS[kind](rng, n_rows)) for i in range(n_columns)}
    )


def numbers(n_rows: int, seed: int, n_columns: int = N_COLUMNS) -> pd.DataFrame:
    """Draw independent columns of numbers: normal, skewed with a long tail, and whole ones."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(len(KINDS), n_rows)))
    draws: tuple[Callable[[], NDArray[Any]], ...] = (
        lambda: rng.normal(size=n_rows),
        lambda: np.exp(2 * rng.normal(size=n_rows)),
        lambda: rng.integers(0, 1_000, n_rows),
    )
    return pd.DataFrame({f"noise{i:02}": draws[i % len(draws)]() for i in range(n_columns)})


def _labelled(codes: NDArray[np.int64]) -> "pd.Series[Any]":
    labels = np.array([*(f"l{level:02}" for level in range(int(codes.max()) + 1)), None])
    return pd.Series(labels[codes], dtype="category")
