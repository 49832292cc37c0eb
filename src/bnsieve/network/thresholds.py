"""Probability tables as the sampling kernel takes them."""

import math

import numpy as np
from numpy.typing import NDArray

# A draw has 63 bits, so that 2**63, "always below", is a threshold like any other.
_ONE = float(1 << 63)


def strides(table: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how far apart, in configurations of all parents, each parent's levels stand."""
    shape = table.shape[:-1]
    return np.array([math.prod(shape[i + 1 :]) for i in range(len(shape))], dtype=np.int64)


def thresholds(table: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Cumulate probabilities in units of 2**-63, without the last, one line per configuration.

    A level of probability 0 makes no step and is never drawn, wherever it stands: sums are divided
    by their own last value, which gives exactly 1 from the last possible level on.
    """
    sums = np.cumsum(table.reshape(-1, table.shape[-1]), axis=1)
    return (sums[:, :-1] / sums[:, -1:] * _ONE).astype(np.uint64)
