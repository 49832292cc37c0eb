"""Each variable's candidate neighbours, ranked by association or importance."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Candidates = tuple[tuple[int, ...], ...]

# So many are visible to a variable even if chance could give it their association.
_LEAST_VISIBLE = 32
# Of five scores or fewer the authors of WTM-BN keep all: one drop more or less is chance there.
_TOO_FEW_TO_CUT = 5


def strongest_candidates(ranking: NDArray[np.floating], size: int, budget: int) -> Candidates:
    """Return the strongest of each variable, made symmetric.

    Parameters
    ----------
    ranking : ndarray, shape (n_variables, n_variables)
        ``ranking[t, v]``: how much v matters to t; v is a candidate only if above zero.
    size : int
        How many a variable chooses itself.
    budget : int
        Most candidates per variable. First come its own, best first; then, as far as there is
        room, the variables that have it among theirs.

    Returns
    -------
    tuple of tuples of int
    """
    own = [strongest(row, size)[:budget] for row in ranking]
    chosen_by: list[list[tuple[int, int]]] = [[] for _ in own]
    for target, chosen in enumerate(own):
        for place, variable in enumerate(chosen):
            if target not in own[variable]:
                chosen_by[variable].append((place, target))
    # Those that chose a variable come by the place that they gave it.
    return tuple(
        tuple([*chosen, *(target for _, target in sorted(others))][:budget])
        for chosen, others in zip(own, chosen_by, strict=True)
    )


def with_all_others(candidates: Candidates) -> Candidates:
    """Return all variables as candidates of each other, those given first."""
    everyone = range(len(candidates))
    return tuple(
        tuple(v for v in dict.fromkeys([*chosen, *everyone]) if v != target)
        for target, chosen in enumerate(candidates)
    )


def beyond_chance(
    association: NDArray[np.floating], n_categories: NDArray[np.integer]
) -> NDArray[np.bool_]:
    """Tell of each pair whether chance would hardly give so much association.

    Of all pairs of one variable, chance gives one or less on average: twice the square root of
    ``df x``, and ``2 x``, are exceeded with a probability below ``exp(-x)`` (Laurent and Massart,
    2000), and x is the logarithm of the number of variables.

    Parameters
    ----------
    association : ndarray, shape (n_variables, n_variables)
        The statistic G less its degrees of freedom.
    n_categories : ndarray of int, shape (n_variables,)
    """
    x = np.log(len(association))
    roots = np.sqrt(n_categories - 1.0)
    beyond = np.empty(association.shape, dtype=bool)
    for row, root, own in zip(beyond, roots, association, strict=True):
        row[:] = own > 2 * np.sqrt(x) * root * roots + 2 * x
    return beyond


def visible_to_all(
    association: NDArray[np.floating],
    beyond: NDArray[np.bool_],
    adjacency_allowed: NDArray[np.bool_],
    most: int,
) -> tuple[NDArray[np.intp], ...]:
    """Return for each variable the most associated ones that may be adjacent to it, ascending.

    They are those with an association `beyond` chance and some more, but `most` at most. Variables
    that matter only in interactions, without a marginal effect, are lost where not all are visible.
    """
    visible = []
    for target, row in enumerate(association):
        open_row = np.where(adjacency_allowed[target], row, -np.inf)
        open_row[target] = -np.inf
        size = min(most, max(_LEAST_VISIBLE, np.count_nonzero(beyond[target])))
        chosen = np.sort(np.argsort(-open_row, kind="stable")[:size])
        visible.append(chosen[np.isfinite(open_row[chosen])])
    return tuple(visible)


def apply_constraints(
    candidates: Candidates,
    allowed: NDArray[np.bool_],
    required: Sequence[Sequence[int]],
    budget: int,
) -> Candidates:
    """Keep the candidates that knowledge allows, behind those that it requires.

    Parameters
    ----------
    candidates : tuple of tuples of int
    allowed : ndarray of bool, shape (n_variables, n_variables)
        ``allowed[v, t]``: v may be a candidate of t.
    required : sequence of sequences of int
        For each variable the candidates that it must have.
    budget : int
        Most candidates per variable; required ones all stay.
    """
    kept = []
    for target, (chosen, needed) in enumerate(zip(candidates, required, strict=True)):
        others = (v for v in chosen if allowed[v, target] and v not in needed)
        kept.append((*needed, *others)[: max(budget, len(needed))])
    return tuple(kept)


def coverage(candidates: Candidates, edges: Sequence[tuple[int, int]]) -> float:
    """Return the share of edges with an end that has the other among its candidates; 1 if none."""
    if not edges:
        return 1.0
    return sum(b in candidates[a] or a in candidates[b] for a, b in edges) / len(edges)


def numbered(candidates: Mapping[str, Sequence[str]], names: Sequence[str]) -> Candidates:
    """Return candidates by number; those of columns that are not among the names are left out."""
    place = {name: v for v, name in enumerate(names)}
    chosen = [candidates.get(name, ()) for name in names]
    return tuple(tuple(place[name] for name in one if name in place) for one in chosen)


def strongest(scores: NDArray[np.floating] | NDArray[np.integer], limit: int) -> tuple[int, ...]:
    """Return the variables of highest score, the best first; never one whose score is zero.

    Ties go to the variable that comes first.
    """
    order = np.argsort(-scores, kind="stable")[:limit]
    return tuple(int(v) for v in order if scores[v] > 0)


def before_the_drop(
    scores: NDArray[np.floating] | NDArray[np.integer], at_least: int
) -> tuple[int, ...]:
    """Return the variables before the largest relative drop of the sorted scores, the best first.

    Parameters
    ----------
    scores : ndarray of shape (n_variables,)
        Variables whose score is zero are never taken.
    at_least : int
        Return this many even if the drop comes before, as far as there are so many.
    """
    order = strongest(scores, len(scores))
    if len(order) <= _TOO_FEW_TO_CUT:
        return order
    sorted_scores = scores[list(order)].astype(float)
    drops = 1 - sorted_scores[1:] / sorted_scores[:-1]
    return order[: max(int(drops.argmax()) + 1, at_least)]
