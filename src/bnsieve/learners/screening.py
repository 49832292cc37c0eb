"""Screening: duplicate columns are set aside, and the others are compared in pairs.

In: a table and constraints. Out: `Screened`, the columns that take part in sieve and search. From a
skeleton of these, `with_duplicates` makes one of all columns.
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
    dependence_of,
    kept_covariance,
    moments_of,
)
from bnsieve.decide import pair_excess
from bnsieve.knowledge import Constraints
from bnsieve.learners.fit_result import FitContext
from bnsieve.search import Skeleton, pair_of
from bnsieve.sieve import (
    beyond_chance,
    numeric_duplicates,
    screened,
    screened_counts,
    visible_to_all,
    with_rank_bins,
)
from bnsieve.table import RankMap, Table

# Among more columns than these, each machine and the second sieve see only columns associated with
# their target: training is then linear in the number of columns, not quadratic.
_ALL_VISIBLE = 1_200
N_VISIBLE = 256

# In fewer rows two numbers are in the same order by chance, and look like duplicates.
_FEWEST_ROWS = 10


@dataclass(frozen=True, eq=False)
class Screened:
    """The columns that take part: one of each group of duplicates, and how they are associated.

    Attributes
    ----------
    table : Table
    constraints : Constraints
    association : ndarray of float, shape (n_variables, n_variables)
    originals : sequence of int
        For every column of the whole table, the column that takes its place.
    kept : list of int
        The columns of the whole table that take part.
    covariance : Covariance or None
        The covariance of the columns that take part, if some are numeric.
    rank_maps : mapping of str to RankMap
        The rank maps of the numeric columns of the whole table.
    """

    table: Table
    constraints: Constraints
    association: NDArray[np.floating]
    originals: Sequence[int]
    kept: list[int]
    covariance: Covariance | None = None
    rank_maps: Mapping[str, RankMap] = field(default_factory=dict)


def is_numeric(table: Table, source: CountSource) -> bool:
    """Tell whether there are numeric columns, enough rows, and a way to sum over all rows."""
    whole = source.n_rows <= table.n_rows
    enough = table.n_rows >= _FEWEST_ROWS
    return enough and bool(table.numbers) and (whole or isinstance(source, SumsNumbers))


def screen(table: Table, constraints: Constraints, context: FitContext) -> Screened:
    """Set duplicates aside, and measure how the other columns are associated.

    Numeric columns are associated by the better of their bins and their ranks.
    """
    with context.timings.stage("association"):
        if table.n_rows:
            excess, same_bins = screened(with_rank_bins(table))
        else:
            excess, same_bins = screened_counts(context.source, table)
        duplicates = numeric_duplicates(table, same_bins).tolist()
        originals = choose_originals(duplicates, constraints)
        kept = [v for v, original in enumerate(originals) if v == original]
        distinct = table.select([table.names[v] for v in kept])
        known = constraints.select(kept)
        association = excess if len(kept) == len(excess) else excess[np.ix_(kept, kept)]
        rank_maps: dict[str, RankMap] = {}
        covariance = None
        if table.numbers:
            rank_maps, covariance = _correlated(table, distinct.names, context)
            association = np.maximum(association, pair_excess(covariance))
        if distinct.entities is not None and not context.has_lags:
            association = _beyond_clusters(association, distinct, covariance)
        if known.restricts:
            association[~known.adjacency_allowed] = 0.0
    if distinct.n_variables > _ALL_VISIBLE:
        beyond = beyond_chance(association, distinct.n_categories)
        visible = visible_to_all(association, beyond, known.adjacency_allowed, N_VISIBLE)
        known = replace(known, visible=visible)
        association[~beyond] = 0.0
    return Screened(distinct, known, association, originals, kept, covariance, rank_maps)


def _beyond_clusters(
    association: NDArray[np.floating], table: Table, covariance: Covariance | None
) -> NDArray[np.floating]:
    """Return associations less what rows of one entity add to them by chance."""
    dependence = dependence_of(table, covariance)
    if dependence is None or not dependence.has_effect:
        return association
    sizes = table.n_categories - 1 if covariance is None else covariance.sizes
    effects, free = dependence.design_effects(), np.outer(sizes, sizes)
    left: NDArray[np.floating] = (association + free) / effects - free
    np.fill_diagonal(left, 0.0)
    return left


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


def choose_originals(originals: Sequence[int], constraints: Constraints) -> list[int]:
    """Choose which of several duplicates takes part in the search.

    Parameters
    ----------
    originals : sequence of int
        For each variable, the first one that it duplicates, or its own number.
    constraints : Constraints

    Returns
    -------
    list of int
        For each variable, the one that takes its place, or its own number if it takes part. Of
        several duplicates, one that must be adjacent to other variables is chosen; else the one
        that may point to the most of its duplicates; else the first. If knowledge requires any edge
        of a duplicate other than one from its original, the duplicate takes part itself.
    """
    chosen = list(range(len(originals)))
    groups: dict[int, list[int]] = {}
    for variable, original in enumerate(originals):
        groups.setdefault(original, []).append(variable)
    for group in groups.values():
        best = max(group, key=lambda variable: _fitness(variable, group, constraints))
        for variable in group:
            required = (edge for edge in constraints.required if variable in edge)
            if all(edge == (best, variable) for edge in required):
                chosen[variable] = best
    return chosen


def _fitness(variable: int, group: Sequence[int], constraints: Constraints) -> tuple[bool, int]:
    is_bound = not set(constraints.required_neighbours(variable)).issubset(group)
    others = [other for other in group if other != variable]
    return is_bound, int(np.count_nonzero(constraints.allowed[variable, others]))


def with_duplicates(
    skeleton: Skeleton, originals: Sequence[int], constraints: Constraints
) -> Skeleton:
    """Return the skeleton of all variables, from that of the variables that take part.

    Parameters
    ----------
    skeleton : Skeleton
        The skeleton of the variables that are their own originals, numbered in their order.
    originals : sequence of int
        For each variable, the one that it duplicates, or its own number.
    constraints : Constraints
        A duplicate gets an edge from its original, if it is allowed, and no other edge.
    """
    kept = [v for v, original in enumerate(originals) if v == original]
    duplicates = [
        (original, v)
        for v, original in enumerate(originals)
        if v != original and constraints.allowed[original, v]
    ]
    edges = [(kept[a], kept[b]) for a, b in skeleton.edges]
    arrows = skeleton.directed_edges
    if arrows is not None:
        arrows = (*((kept[a], kept[b]) for a, b in arrows), *duplicates)
    separating_sets = {
        (kept[a], kept[b]): tuple(kept[v] for v in given)
        for (a, b), given in skeleton.separating_sets.items()
    }
    all_edges = tuple(sorted([*edges, *(pair_of(*edge) for edge in duplicates)]))
    return Skeleton(len(originals), all_edges, separating_sets, skeleton.n_tests, arrows)
