"""Association and score for tables with numeric variables.

In: the rows. Out: the score gain of a directed edge, by the score of the search, and the
association of all pairs, as in the sieve.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import MOST_SCORED_ROWS, Covariance, covariance_of
from bnsieve.decide import pair_excess, score_covariance_additions
from bnsieve.sieve import screened, with_rank_bins
from bnsieve.table import Table


@dataclass(frozen=True, eq=False)
class AsNumbers:
    """Rows with numeric variables.

    Attributes
    ----------
    table : Table
    numbers : tuple of str
    parent_cost : float
        The cost of each parent.
    """

    table: Table
    numbers: tuple[str, ...]
    parent_cost: float

    def gain(self, tail: str, head: str, parents: Sequence[str]) -> float:
        """Return the score gain of `tail` as a parent of `head`, given these parents."""
        place = self._place
        if tail not in place or head not in place:
            return 0.0
        given = [place[name] for name in parents if name in place]
        gains = score_covariance_additions(self._covariance, place[head], given, self.parent_cost)
        return float(gains[place[tail]])

    @cached_property
    def excess(self) -> NDArray[np.floating]:
        """The association of all pairs: by bins or by functions of ranks, whichever is larger."""
        excess = screened(with_rank_bins(self.table))[0]
        varying = np.ix_(*[[self.table.names.index(name) for name in self._place]] * 2)
        excess[varying] = np.maximum(excess[varying], pair_excess(self._covariance))
        return excess

    @cached_property
    def _place(self) -> dict[str, int]:
        """Where each column is in the covariance; constant ones are not."""
        constant = set(self.table.constant)
        names = [name for name in self.table.names if name not in constant]
        return {name: i for i, name in enumerate(names)}

    @cached_property
    def _covariance(self) -> Covariance:
        return covariance_of(self.table.select(list(self._place)))


def score_limit(n_rows: int) -> str:
    """Return a note if a score with numeric variables does not count all rows; else empty."""
    if n_rows <= MOST_SCORED_ROWS:
        return ""
    return (
        f"with numeric variables the score counts at most {MOST_SCORED_ROWS:,} of {n_rows:,} rows, "
        "so the graph may lack weak dependencies that all rows would show"
    )
