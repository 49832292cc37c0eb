"""A search for data that are available as counts only: candidates come from pairs, in rounds.

In: the association of all pairs, and a search among given candidates. Out: its last result. With
rows, a search can compute what any other variable would add to the parents. With counts, this takes
one more table, so counted candidates that were not used make room for the next ones.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bnsieve.graph import children_of
from bnsieve.knowledge import Constraints
from bnsieve.search import NetworkSearchResult
from bnsieve.sieve import Candidates, apply_constraints, strongest, strongest_candidates

# Candidates that a variable is counted with: as many as of rows in files.
_N_COUNTED = 8
_MOST_ROUNDS = 4


def search_counts(
    search: Callable[[Candidates], NetworkSearchResult],
    association: NDArray[np.floating],
    constraints: Constraints,
) -> NetworkSearchResult:
    """Search among the strongest candidates, then among those found and the next strongest.

    Parameters
    ----------
    search : callable
        Counts each variable with its candidates, and searches for a network among them.
    association : ndarray of float, shape (n_variables, n_variables)
    constraints : Constraints
    """
    ranking = direct_first(association)
    required = [constraints.required_parents(v) for v in range(len(ranking))]
    chosen = strongest_candidates(ranking, _N_COUNTED, _N_COUNTED)
    tried = [set(own) for own in chosen]
    result = search(apply_constraints(chosen, constraints.allowed, required, _N_COUNTED))
    for _ in range(_MOST_ROUNDS - 1):
        parents = result.network.parents
        children = children_of(parents)
        untried = [
            [v for v in strongest(row, len(row)) if v not in own]
            for row, own in zip(ranking, tried, strict=True)
        ]
        if not any(untried):
            break
        chosen = tuple(
            tuple(dict.fromkeys([*own, *below, *new, *old]))[:_N_COUNTED]
            for own, below, new, old in zip(parents, children, untried, chosen, strict=True)
        )
        for known, own in zip(tried, chosen, strict=True):
            known.update(own)
        result = search(apply_constraints(chosen, constraints.allowed, required, _N_COUNTED))
    return result


def direct_first(association: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return a ranking in which pairs that a third variable may explain come last.

    In a chain, neighbours have more information about each other than the ends have.
    """
    ranking: NDArray[np.float64] = np.maximum(association, 0.0).astype(np.float64)
    first = 1.0 + ranking.max(initial=0.0)
    for target, own in enumerate(association):
        weaker = np.minimum(own, association)  # of each other variable: by each third one
        weaker[:, target] = -np.inf
        np.fill_diagonal(weaker, -np.inf)
        is_direct = (own >= weaker.max(axis=1)) & (own > 0)
        ranking[target, is_direct] += first
    return ranking
