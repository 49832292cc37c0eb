"""PC: from the complete graph, edges are removed by ever larger separating sets.

In: an independence test. Out: a `bnsieve.search.Skeleton`. Level by level, each
adjacent pair is tested given every set of that size drawn from the neighbours of one end, then
of the other; the first set that separates removes the edge.

The original algorithm (Spirtes, Glymour and Scheines) removes it at once, so that later sets are
drawn from fewer neighbours: fewer tests, but the result depends on the order of the variables.
PC-stable (Colombo and Maathuis 2014) removes at the end of each level: the result does not depend
on the order, and the pairs of a level can be worked on in parallel.

With right answers (faithfulness) and sets as large as the largest set of parents, both give the
true skeleton.
"""

from collections.abc import Iterator
from itertools import chain, combinations
from typing import Literal

from bnsieve.decide import IndependenceTest
from bnsieve.engine import Map, tallied
from bnsieve.knowledge import Constraints
from bnsieve.search.skeleton import (
    MAX_CONDITIONING,
    Pair,
    SeparatingSets,
    Skeleton,
    first_separating,
    marginal_tests,
    size_limit,
)

Variant = Literal["stable", "original"]
Neighbours = list[set[int]]


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
        Remove edges at the end of each level, or at once.
    max_conditioning : int or None, default 3
        Largest size of a conditioning set; None for no limit.
    run : Map, default map
        How the pairs of a level are worked on; the result does not depend on it. "original" uses
        it for the first level only, because each later step needs the one before.
    constraints : Constraints or None, default None
        Pairs that must, or may not, be adjacent: neither are tested.

    Returns
    -------
    Skeleton
    """
    if variant not in ("stable", "original"):
        raise ValueError(f"variant must be 'stable' or 'original'; got {variant!r}")
    limit = size_limit(max_conditioning, n_variables)
    constraints = constraints or Constraints.none(n_variables)
    required = constraints.required_pairs
    marginal = marginal_tests(test, constraints, run)
    edges = [pair for pair, result in marginal.items() if result.dependent]
    separating_sets: SeparatingSets = {
        pair: () for pair, result in marginal.items() if result.independent
    }
    remove = _remove_at_the_end if variant == "stable" else _remove_at_once
    size = 1
    neighbours = _neighbours([*edges, *required], n_variables)
    while size <= limit and any(len(ends) > size for ends in neighbours):
        found = remove(test, edges, neighbours, size, run)
        separating_sets.update(found)
        edges = [pair for pair in edges if pair not in found]
        neighbours = _neighbours([*edges, *required], n_variables)
        size += 1
    adjacent = tuple(sorted([*edges, *required]))
    return Skeleton(n_variables, adjacent, separating_sets, test.n_tests)


def _remove_at_the_end(
    test: IndependenceTest, edges: list[Pair], neighbours: Neighbours, size: int, run: Map
) -> SeparatingSets:
    def separate(pair: Pair) -> tuple[int, ...] | None:
        return first_separating(test, *pair, _sets(pair, neighbours, size))

    found = zip(edges, tallied(run(separate, edges), len(edges), "pairs"), strict=True)
    return {pair: given for pair, given in found if given is not None}


def _remove_at_once(
    test: IndependenceTest, edges: list[Pair], neighbours: Neighbours, size: int, _: Map
) -> SeparatingSets:
    found: SeparatingSets = {}
    for x, y in edges:
        given = first_separating(test, x, y, _sets((x, y), neighbours, size))
        if given is not None:
            found[x, y] = given
            neighbours[x].remove(y)
            neighbours[y].remove(x)
    return found


def _sets(pair: Pair, neighbours: Neighbours, size: int) -> Iterator[tuple[int, ...]]:
    """Yield the sets of one size from either end's neighbours, each once."""
    x, y = pair
    near_x, near_y = sorted(neighbours[x] - {y}), sorted(neighbours[y] - {x})
    not_yet = (s for s in combinations(near_y, size) if not neighbours[x].issuperset(s))
    return chain(combinations(near_x, size), not_yet)


def _neighbours(edges: list[Pair], n_variables: int) -> Neighbours:
    neighbours: Neighbours = [set() for _ in range(n_variables)]
    for x, y in edges:
        neighbours[x].add(y)
        neighbours[y].add(x)
    return neighbours
