"""Whether synthetic rows are nearer to training rows than to held-out rows.

In: the same number of synthetic rows, training rows and held-out rows, as frames of variables. Out:
a `Disclosure`. Held-out rows are the control: the model never saw them, so a synthetic row is equal
or near to them only by chance. More copies of training rows, or shorter distances to them, show
that rows were memorised.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.synthesize.fidelity import as_numbers, exact_codes
from bnsieve.table import Floats
from bnsieve.text import counted

# Rows whose distances are taken at a time.
_BLOCK = 256
# Of the normal distribution, for intervals of 95 %.
_Z = 1.959964
# A number that is missing: as far from all others as these can be from each other.
_MISSING = 2.0


@dataclass(frozen=True)
class Disclosure:
    """How near synthetic rows are to training rows and to held-out rows.

    Attributes
    ----------
    n_rows : int
        The number of synthetic rows.
    n_compared : int
        The number of training rows, and of held-out rows.
    copies_training, copies_held_out : int
        The number of synthetic rows that equal a training row, or a held-out row, in all variables.
    distance_training, distance_held_out : float
        The median distance to the nearest training row, or held-out row. A distance is a mean over
        all variables: the difference in rank, or 1 for different categories.
    nearer_training : float
        The share of synthetic rows that are nearer to a training row than to a held-out row. Ties
        count half. It is about .5 if no row was memorised.
    nearer_low, nearer_high : float
        Its 95 % interval.
    """

    n_rows: int
    n_compared: int
    copies_training: int
    copies_held_out: int
    distance_training: float
    distance_held_out: float
    nearer_training: float
    nearer_low: float
    nearer_high: float

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)

    def __str__(self) -> str:
        return "\n".join(
            [
                f"Disclosure: {counted(self.n_rows, 'synthetic row')} beside "
                f"{self.n_compared:,} training rows and as many held-out rows",
                f"  equal in all variables: {self.copies_training:,} to a training row, "
                f"{self.copies_held_out:,} to a held-out row",
                f"  median distance to the nearest: {self.distance_training:.4f} training, "
                f"{self.distance_held_out:.4f} held out",
                f"  nearer to a training row: {self.nearer_training:.1%} "
                f"[{self.nearer_low:.1%}, {self.nearer_high:.1%}]; half if none was memorised",
                "  This is a check for copies, not a privacy guarantee.",
            ]
        )


def disclosure_of(
    synthetic: pd.DataFrame,
    training: pd.DataFrame,
    held_out: pd.DataFrame,
    numbers: Collection[str],
) -> Disclosure:
    """Compare synthetic rows with training rows, and with as many held-out rows.

    Parameters
    ----------
    synthetic, training, held_out : DataFrame
        Variables; the latter two have the same number of rows.
    numbers : collection of str
        The variables that are numbers.
    """
    if len(training) != len(held_out):
        raise ValueError(f"{len(training):,} training rows, but {len(held_out):,} held-out rows")
    names = [name for name in held_out if name in synthetic and name in training]
    parts = (synthetic, training, held_out)
    codes = [np.column_stack(one) for one in zip(*(exact_codes([p[n] for p in parts])
                                                   for n in names), strict=True)]  # fmt: skip
    rows = [[row.tobytes() for row in np.ascontiguousarray(one)] for one in codes]
    copies = [sum(row in there for row in rows[0]) for there in map(set, rows[1:])]
    is_number = np.array([name in numbers for name in names])
    ranks = [_ranks([as_numbers(p[name]) for p in parts]) for name in names if name in numbers]
    tables = [
        (codes[i][:, ~is_number], np.column_stack([one[i] for one in ranks]) if ranks else None)
        for i in range(3)
    ]
    to_training, to_held_out = (_nearest(tables[0], one) for one in tables[1:])
    nearer = (to_training < to_held_out) + 0.5 * (to_training == to_held_out)
    error = _Z * float(nearer.std()) / math.sqrt(max(1, len(nearer)))
    share = float(nearer.mean())
    return Disclosure(
        len(synthetic), len(training), copies[0], copies[1],
        float(np.median(to_training)), float(np.median(to_held_out)),
        share, max(0.0, share - error), min(1.0, share + error),
    )  # fmt: skip


def _ranks(samples: Sequence[Floats]) -> list[Floats]:
    """Return numbers as shares of the real rows below them; those missing far from all."""
    real = np.sort(np.concatenate(samples[1:]))
    real = real[~np.isnan(real)]
    middle = [
        (np.searchsorted(real, one, side="left") + np.searchsorted(real, one, side="right"))
        / max(1, 2 * len(real))
        for one in samples
    ]
    return [
        np.where(np.isnan(one), _MISSING, own) for one, own in zip(samples, middle, strict=True)
    ]


def _nearest(
    rows: tuple[NDArray[np.int64], Floats | None], others: tuple[NDArray[np.int64], Floats | None]
) -> Floats:
    """Return the distance of each row to the nearest of others."""
    (codes, ranks), (other_codes, other_ranks) = rows, others
    n_variables = codes.shape[1] + (0 if ranks is None else ranks.shape[1])
    found = np.empty(len(codes))
    for first in range(0, len(codes), _BLOCK):
        block = slice(first, first + _BLOCK)
        apart = np.zeros((len(codes[block]), len(other_codes)))
        for own, other in zip(codes[block].T, other_codes.T, strict=True):
            apart += own[:, np.newaxis] != other
        if ranks is not None and other_ranks is not None:
            for own, other in zip(ranks[block].T, other_ranks.T, strict=True):
                apart += np.minimum(np.abs(own[:, np.newaxis] - other), 1.0)
        found[block] = apart.min(axis=1) / n_variables
    return found
