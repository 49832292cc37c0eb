"""The first look at a table: copies are set aside, and pairs of columns compared.

In: a table and what is known. Out: `Screened`, the columns that take part in sieve and search.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import (
    CountSource,
    Covariance,
    Embedding,
    Summed,
    SumsNumbers,
    kept_covariance,
    moments_of,
)
from bnsieve.knowledge import Constraints
from bnsieve.learners.fit_result import FitContext
from bnsieve.search import pair_excess, stand_ins
from bnsieve.sieve import beyond_chance, copies_of_numbers, screened, visible_to_all, with_rank_bins
from bnsieve.table import RankMap, Table

# Among more columns than these, each machine and the second sieve see only columns associated with
# their target: training is then linear in the number of columns, not quadratic.
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
    rank_maps : mapping of str to RankMap
        Of the columns of the whole table that are learned from as numbers.
    """

    table: Table
    constraints: Constraints
    association: NDArray[np.floating]
    originals: Sequence[int]
    kept: list[int]
    covariance: Covariance | None = None
    rank_maps: Mapping[str, RankMap] = field(default_factory=dict)


def learns_numbers(table: Table, source: CountSource) -> bool:
    """Tell if there are numbers, rows enough, and a way to sum them over all rows."""
    whole = source.n_rows <= table.n_rows
    enough = table.n_rows >= _FEWEST_ROWS
    return enough and bool(table.numbers) and (whole or isinstance(source, SumsNumbers))


def screen(
    table: Table, constraints: Constraints, context: FitContext, *, numbers: bool
) -> Screened:
    """Set copies aside, and measure how the other columns are associated.

    If asked, columns of numbers are taken as numbers: by the better of their bins and their ranks.
    """
    with context.timings.stage("association"):
        excess, first_copies = screened(with_rank_bins(table) if numbers else table)
        if numbers:
            first_copies = copies_of_numbers(table, first_copies)
        originals = stand_ins(first_copies.tolist(), constraints)
        kept = [v for v, original in enumerate(originals) if v == original]
        distinct = table.select([table.names[v] for v in kept])
        known = constraints.select(kept)
        association = excess if len(kept) == len(excess) else excess[np.ix_(kept, kept)]
        rank_maps: dict[str, RankMap] = {}
        covariance = None
        if numbers:
            rank_maps, covariance = _correlated(table, distinct.names, context)
        if covariance is not None:
            association = np.maximum(association, pair_excess(covariance))
        if known.restricts:
            association[~known.joinable] = 0.0
    if distinct.n_variables > _ALL_VISIBLE:
        beyond = beyond_chance(association, distinct.n_levels)
        visible = visible_to_all(association, beyond, known.joinable, N_VISIBLE)
        known = replace(known, visible=visible)
        association[~beyond] = 0.0
    return Screened(distinct, known, association, originals, kept, covariance, rank_maps)


def _correlated(
    table: Table, names: Sequence[str], context: FitContext
) -> tuple[dict[str, RankMap], Covariance]:
    """Return the ranks of a table's numbers, and the covariance of some columns in all rows."""
    source = context.source
    if source.n_rows > table.n_rows and isinstance(source, SumsNumbers):
        with context.timings.stage("counting"):
            summed = source.moments(table.names)
    else:
        embedding = Embedding.of(table)
        summed = Summed(embedding, moments_of(table, embedding))
    maps = {table.names[v]: own for v, own in summed.embedding.rank_maps.items()}
    some = summed.select(names)
    return maps, kept_covariance(some.moments, some.embedding)
