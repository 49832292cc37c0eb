"""The first look at a table: copies are set aside, and pairs of columns compared.

In: a table and what is known. Out: `Screened`, the columns that take part in sieve and search.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import Covariance, covariance_of
from bnsieve.knowledge import Constraints
from bnsieve.learners.records import FitContext
from bnsieve.search import pair_excess, stand_ins
from bnsieve.sieve import copies_of_numbers, screened, visible_to_all, with_rank_bins
from bnsieve.table import Table

# Among more columns than these, each machine and the second sieve see only the columns most
# associated with their target: training is then linear in the number of columns, not quadratic.
_ALL_VISIBLE = 1_200
N_VISIBLE = 256

# In fewer rows two numbers are in the same order by chance, and look like copies.
_FEWEST_ROWS = 10


@dataclass(frozen=True, eq=False)
class Screened:
    """The columns that take part: one of each group of copies, and how they are associated.

    Attributes
    ----------
    table : Table
    constraints : Constraints
    association : ndarray of float, shape (n_variables, n_variables)
    originals : sequence of int
        For every column of the whole table the one that stands for it.
    kept : list of int
        The columns of the whole table that take part.
    covariance : Covariance or None
        Of the columns that take part, where some are learned from as numbers.
    """

    table: Table
    constraints: Constraints
    association: NDArray[np.floating]
    originals: Sequence[int]
    kept: list[int]
    covariance: Covariance | None = None


def screen(table: Table, constraints: Constraints, context: FitContext) -> Screened:
    """Set copies aside, and measure how the other columns are associated.

    Columns of numbers are taken as numbers, unless rows are very few: by the better of their bins
    and their ranks.
    """
    numbers = bool(table.numbers) and table.n_rows >= _FEWEST_ROWS
    with context.timings.stage("association"):
        excess, first_copies = screened(with_rank_bins(table) if numbers else table)
        if numbers:
            first_copies = copies_of_numbers(table, first_copies)
        originals = stand_ins(first_copies.tolist(), constraints)
        kept = [v for v, original in enumerate(originals) if v == original]
        distinct = table.select([table.names[v] for v in kept])
        known = constraints.select(kept)
        association = excess if len(kept) == len(excess) else excess[np.ix_(kept, kept)]
        covariance = covariance_of(distinct) if numbers else None
        if covariance is not None:
            association = np.maximum(association, pair_excess(covariance))
        if known.restricts:
            association[~known.joinable] = 0.0
    if distinct.n_variables > _ALL_VISIBLE:
        visible = visible_to_all(association, known.joinable, N_VISIBLE)
        known = replace(known, visible=visible)
    return Screened(distinct, known, association, originals, kept, covariance)
