"""Ranked candidates in, a skeleton out: a handful of tests per candidate.

Each variable takes its candidates in the order of their rank and keeps one if no small set of those
already kept separates the two. A sweep back then asks each kept one, the last first, whether the
others separate it. Two variables are joined if either keeps the other.
"""

from collections.abc import Sequence

from bnsieve.constraints import Constraints
from bnsieve.engine.local import Map
from bnsieve.independence import IndependenceTest
from bnsieve.search.skeleton import (
    SeparatingSets,
    Skeleton,
    first_separating,
    pair_of,
    size_limit,
    subsets,
)


def ordered_inclusion(
    test: IndependenceTest,
    candidates: Sequence[Sequence[int]],
    max_given: int | None,
    run: Map,
    constraints: Constraints | None = None,
) -> Skeleton:
    """Test every variable's candidates, best first.

    Parameters
    ----------
    test : IndependenceTest
    candidates : sequence of sequences of int
        For every variable, the most promising first.
    max_given : int or None
        Largest conditioning set; None for no limit.
    run : Map
        Spreads the variables over threads.
    constraints : Constraints or None, default None
        Pairs that must be joined: they are not tested, whether candidates or not.

    Returns
    -------
    Skeleton
        Exact if the candidates hold the true neighbours and the test is an oracle, but for
        descendants that only a set outside the neighbours separates.
    """
    limit = size_limit(max_given, len(candidates))
    known = constraints or Constraints.none(len(candidates))

    def neighbourhood(target: int) -> tuple[list[int], SeparatingSets]:
        required = known.required_neighbours(target)
        kept = list(required)
        separated: SeparatingSets = {}

        def separate(variable: int, others: Sequence[int]) -> bool:
            given = first_separating(test, target, variable, subsets(others, 0, limit))
            if given is not None:
                separated[pair_of(target, variable)] = given
            return given is not None

        for variable in candidates[target]:
            if variable in required:
                continue
            answers = test.test(target, variable)
            if answers.dependent and not separate(variable, kept):
                kept.append(variable)
            elif answers.independent:
                separated[pair_of(target, variable)] = ()
        for variable in reversed(kept[len(required) :]):
            if separate(variable, [other for other in kept if other != variable]):
                kept.remove(variable)
        return kept, separated

    found = list(run(neighbourhood, range(len(candidates))))
    edges = sorted({pair_of(t, v) for t, (kept, _) in enumerate(found) for v in kept})
    separating_sets: SeparatingSets = {}
    for _, separated in found:
        for pair, given in separated.items():
            if pair not in edges:
                separating_sets.setdefault(pair, given)
    return Skeleton(len(candidates), tuple(edges), separating_sets, test.n_tests)
