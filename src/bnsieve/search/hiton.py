"""HITON-PC: the neighbours of each variable, admitted from the strongest down.

In: an independence test. Out: a `bnsieve.search.Skeleton`. For a target, the
variables that depend on it are admitted one by one, strongest first. Each newcomer is tested given
every set of those already admitted; if it stays, those are tested again given the sets that hold
the newcomer. What a set separates from the target leaves for good. This is the interleaved form of
Aliferis, Tsamardinos and Statnikov (2003; in general in Aliferis et al. 2010).

A variable that is not adjacent can stay, when no set of the target's own neighbours separates it;
then it is a descendant, and seen from its side the target does leave. So an edge needs both
ends' consent (the symmetry correction of Tsamardinos, Brown and Aliferis 2006), unless told
otherwise. With it, right answers (faithfulness) and sets as large as the largest set of parents,
the result is the true skeleton.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations

from bnsieve.decide import IndependenceTest, TestResult
from bnsieve.engine import Map
from bnsieve.knowledge import Constraints
from bnsieve.search.neighbourhoods import MAX_GIVEN, Join, join_neighbourhoods
from bnsieve.search.skeleton import (
    Skeleton,
    by_strength,
    first_separating,
    size_limit,
    subsets,
)


def hiton_pc(
    test: IndependenceTest,
    n_variables: int,
    *,
    max_given: int | None = MAX_GIVEN,
    join: Join = "both",
    run: Map = map,
    constraints: Constraints | None = None,
) -> Skeleton:
    """Find the skeleton with HITON-PC for every variable, and the symmetry correction.

    Parameters
    ----------
    test : IndependenceTest
        Answers questions about the variables 0 .. n_variables - 1.
    n_variables : int
    max_given : int or None, default 3
        Largest size of a conditioning set; None for no limit.
    join : {"both", "either"}, default "both"
        Join two variables if both ends keep the other (what the theory asks for), or if one does.
    run : Map, default map
        How the targets are worked on; the result does not depend on it.
    constraints : Constraints or None, default None
        Pairs that must, or may not, be joined: neither are tested.

    Returns
    -------
    Skeleton
    """
    limit = size_limit(max_given, n_variables)
    known = constraints or Constraints.none(n_variables)

    def neighbourhood(
        target: int, associations: Mapping[int, TestResult]
    ) -> dict[int, tuple[int, ...]]:
        required = known.required_neighbours(target)
        return _separated(test, target, by_strength(associations), required, limit)

    return join_neighbourhoods(test, known, neighbourhood, join, run)


def _separated(
    test: IndependenceTest,
    target: int,
    candidates: list[int],
    required: tuple[int, ...],
    limit: int,
) -> dict[int, tuple[int, ...]]:
    """Return the candidates that are not the target's neighbours, and what separates each."""
    admitted = list(required)
    separated: dict[int, tuple[int, ...]] = {}
    for newcomer in candidates:
        given = first_separating(test, target, newcomer, subsets(admitted, 1, limit))
        if given is not None:
            separated[newcomer] = given
            continue
        for member in reversed(admitted[len(required) :]):  # the weakest is the likeliest to leave
            others = [other for other in admitted if other != member]
            given = first_separating(test, target, member, _with(newcomer, others, limit))
            if given is not None:
                separated[member] = given
                admitted.remove(member)
        admitted.append(newcomer)
    return separated


def _with(newcomer: int, others: list[int], limit: int) -> Iterator[tuple[int, ...]]:
    """Yield the sets that hold the newcomer: those without it have been tried before."""
    for size in range(min(limit, len(others) + 1)):
        for rest in combinations(others, size):
            yield *rest, newcomer
