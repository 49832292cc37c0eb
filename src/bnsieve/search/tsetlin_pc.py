"""Skeletons from each variable's few candidates: the paper's pair rule, and its successor's.

`pair_rule`: variable X is in N(T) if it is one of the variables that matter most to T. For every T
and every X in N(T), the pair is tested given all subsets of (N(T) without X) united with (N(X)
without T), smallest first, until one finds it independent. If none does, and at least one found it
dependent, the two are adjacent.

`shrink_candidates`: candidates that are independent of the target leave first. The others are
tested from the weakest up, given sets of those that are left, sets of the strongest first; what a
set separates from the target leaves at once. Two variables are adjacent if either keeps the other.
"""

from collections.abc import Sequence

from bnsieve.decide import Answer, IndependenceTest
from bnsieve.knowledge import Constraints
from bnsieve.search.skeleton import (
    MAX_CONDITIONING,
    Pair,
    SeparatingSets,
    Skeleton,
    first_separating,
    pair_of,
    size_limit,
    subsets,
)


def pair_rule(
    test: IndependenceTest,
    neighbours: Sequence[Sequence[int]],
    constraints: Constraints | None = None,
) -> Skeleton:
    """Test each variable's neighbours and keep those that nothing separates from it.

    Parameters
    ----------
    test : IndependenceTest
    neighbours : sequence of sequences of int
        N: for every variable, the numbers of the variables that matter to it.
    constraints : Constraints or None, default None
        Pairs that must be adjacent: they are not tested, whether in N or not.

    Returns
    -------
    Skeleton
        Exact if N(X) holds the true neighbours of X, every variable, and the test is an oracle.
    """
    required = (constraints or Constraints.none(len(neighbours))).required_pairs
    pairs = {pair_of(t, x) for t, chosen in enumerate(neighbours) for x in chosen}
    edges: list[Pair] = list(required)
    separating_sets: SeparatingSets = {}
    for t, x in sorted(pairs - required):
        pool = sorted({*neighbours[t], *neighbours[x]} - {t, x})
        dependent = False
        for given in subsets(pool, 0, len(pool)):
            answer = test.test(t, x, given).answer
            if answer is Answer.INDEPENDENT:
                separating_sets[t, x] = given
                break
            dependent |= answer is Answer.DEPENDENT
        else:
            if dependent:
                edges.append((t, x))
    return Skeleton(len(neighbours), tuple(sorted(edges)), separating_sets, test.n_tests)


def shrink_candidates(
    test: IndependenceTest,
    ranked: Sequence[Sequence[int]],
    *,
    max_conditioning: int | None = MAX_CONDITIONING,
    constraints: Constraints | None = None,
) -> Skeleton:
    """Shrink every variable's candidates to its neighbours.

    Parameters
    ----------
    test : IndependenceTest
    ranked : sequence of sequences of int
        For every variable its candidates, the strongest first.
    max_conditioning : int or None, default 3
        Largest size of a conditioning set; None for no limit.
    constraints : Constraints or None, default None
        Pairs that must be adjacent: they are not tested, candidates or not.

    Returns
    -------
    Skeleton
        Exact if the candidates of each variable hold its true neighbours and, of two variables that
        are not adjacent, each is separated from the other by a set of the other's neighbours of at
        most that size; and the test is an oracle.
    """
    limit = size_limit(max_conditioning, len(ranked))
    known = constraints or Constraints.none(len(ranked))
    edges: set[Pair] = set(known.required_pairs)
    separating_sets: SeparatingSets = {}
    for target, candidates in enumerate(ranked):
        left, separated = _shrunk(
            test, target, candidates, known.required_neighbours(target), limit
        )
        edges |= {pair_of(target, one) for one in left}
        for one, given in separated.items():
            separating_sets.setdefault(pair_of(target, one), given)
    # Two are adjacent if either keeps the other.
    apart = {pair: given for pair, given in separating_sets.items() if pair not in edges}
    return Skeleton(len(ranked), tuple(sorted(edges)), apart, test.n_tests)


def _shrunk(
    test: IndependenceTest,
    target: int,
    candidates: Sequence[int],
    required: Sequence[int],
    limit: int,
) -> tuple[list[int], dict[int, tuple[int, ...]]]:
    """Return the candidates that stay, and what separates each of the others."""
    separated: dict[int, tuple[int, ...]] = {}
    left: list[int] = []
    for one in candidates:
        if one in required:
            left.append(one)
            continue
        alone = test.test(target, one, ())
        if alone.independent:
            separated[one] = ()
        elif alone.dependent:
            left.append(one)
    for one in [v for v in reversed(left) if v not in required]:
        others = [other for other in left if other != one]
        given = first_separating(test, target, one, subsets(others, 1, limit))
        if given is not None:
            separated[one] = given
            left.remove(one)
    return left, separated
