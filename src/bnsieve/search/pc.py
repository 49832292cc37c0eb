"""PC: from the complete graph, edges are removed by ever larger separating sets.

In: an independence test. Out: a `bnsieve.search.Skeleton`. Size by size, each
adjacent pair is tested given every set of that size drawn from the neighbours of one end, then
of the other; the first set that separates removes the edge.

The original algorithm (Spirtes, Glymour and Scheines) removes it at once, so that later sets are
drawn from fewer neighbours: fewer tests, but the result depends on the order of the variables.
PC-stable (Colombo and Maathuis 2014) removes at the end of each size: the result does not depend
on the order, and the pairs can be worked on in parallel.

With right answers (faithfulness) and sets as large as the largest set of parents, both give the
true skeleton.
"""

from typing import Literal

from bnsieve.decide import IndependenceTest
from bnsieve.engine import Map, tallied
from bnsieve.knowledge import Constraints
from bnsieve.search.skeleton import (
    MAX_CONDITIONING,
    Pair,
    Skeleton,
    first_separating,
    marginal_tests,
    neighbours_of,
    subsets_of_either,
)

Variant = Literal["stable", "original"]


def pc_skeleton(
    test: IndependenceTest,
    n_variables: int,
    *,
    variant: Variant = "stable",
    max_conditioning: int | None = MAX_CONDITIONING,
    run: Map = map,
    constraints: Constraints | None = None,
) -> Skeleton:
    """Find the skeleton with the PC algorithm.

    Parameters
    ----------
    test : IndependenceTest
        Answers questions about the variables 0 .. n_variables - 1.
    n_variables : int
    variant : {"stable", "original"}, default "stable"
        Remove edges after all sets of a size, or at once.
    max_conditioning : int or None, default 3
        Largest size of a conditioning set; None for no limit.
    run : Map, default map
        How pairs are worked on; the result does not depend on it. "original" uses it for the empty
        set only, because each later step needs the one before.
    constraints : Constraints or None, default None
        Pairs that must, or may not, be adjacent: neither are tested.

    Returns
    -------
    Skeleton
    """
    limit = n_variables if max_conditioning is None else max_conditioning
    constraints = constraints or Constraints.none(n_variables)
    required = constraints.required_pairs
    dependent, separating_sets = marginal_tests(test, constraints, run)
    at_once = variant == "original"
    edges, size = list(dependent), 1
    neighbours = neighbours_of([*edges, *required], n_variables)

    def separate(pair: Pair) -> tuple[int, ...] | None:
        x, y = pair
        sets = subsets_of_either(neighbours[x] - {y}, neighbours[y] - {x}, size, size)
        given = first_separating(test, x, y, sets)
        if at_once and given is not None:
            neighbours[x].remove(y)
            neighbours[y].remove(x)
        return given

    while size <= limit and any(len(ends) > size for ends in neighbours):
        given_sets = tallied((map if at_once else run)(separate, edges), len(edges), "pairs")
        separated = {
            pair: given for pair, given in zip(edges, given_sets, strict=True) if given is not None
        }
        separating_sets.update(separated)
        edges = [pair for pair in edges if pair not in separated]
        neighbours = neighbours_of([*edges, *required], n_variables)
        size += 1
    adjacent = tuple(sorted([*edges, *required]))
    return Skeleton(n_variables, adjacent, separating_sets, test.n_tests)
