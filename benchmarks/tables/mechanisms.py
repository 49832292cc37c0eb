"""How a cell comes about: chances, choices, steps. All take a generator and whole columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def yes(rng: np.random.Generator, log_odds: npt.NDArray[Any]) -> Flags:
    """Draw yes or no by the odds of yes."""
    return rng.logistic(size=len(log_odds)) < log_odds


def chance(rng: np.random.Generator, n: int, share: float) -> Flags:
    """Draw yes with one chance for all."""
    return rng.random(n) < share


def pick(rng: np.random.Generator, n: int, shares: Sequence[float] | Numbers) -> Codes:
    """Draw codes by shares, which need not add up to one."""
    ends = np.cumsum(np.asarray(shares, dtype=np.float64))
    return np.asarray(np.searchsorted(ends, rng.random(n) * ends[-1], side="right"), dtype=np.int64)


def pick_by(rng: np.random.Generator, shares: Sequence[Sequence[float]], by: Codes) -> Codes:
    """Draw codes by the row of shares that another column names."""
    table = np.asarray(shares, dtype=np.float64)
    ends = np.cumsum(table / table.sum(axis=1, keepdims=True), axis=1)[:, :-1]
    above: Codes = (rng.random(len(by))[:, None] >= ends[by]).sum(axis=1, dtype=np.int64)
    return above


def choose(rng: np.random.Generator, weights: npt.NDArray[Any]) -> Codes:
    """Draw a code per row by weights (rows x codes) on the scale of logarithms."""
    best: Codes = (weights + rng.gumbel(size=weights.shape)).argmax(axis=1).astype(np.int64)
    return best


def step(rng: np.random.Generator, score: npt.NDArray[Any], cuts: Sequence[float]) -> Codes:
    """Draw an ordered code: a score, and noise of about 1.8 in it, beside cuts."""
    noisy = score + rng.logistic(size=len(score))
    return np.searchsorted(np.asarray(cuts), noisy).astype(np.int64)


def few_and_many(n_labels: int, power: float = 1.0) -> Numbers:
    """Return shares as labels have them in real files: some frequent, most rare."""
    return np.arange(1, n_labels + 1, dtype=np.float64) ** -power


def at(values: Sequence[float], codes: npt.NDArray[Any]) -> Numbers:
    """Return the effect of each row's code."""
    return np.asarray(values, dtype=np.float64)[np.asarray(codes).astype(np.int64)]
