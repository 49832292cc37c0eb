"""From the neighbourhood of each variable to one skeleton.

In: a way to find which of a target's associated variables are not its neighbours. Out: a
`bnsieve.search.Skeleton`. The two ends of a pair may disagree: with right answers
only about a target and its descendants that are no children, with real data more often. Joining
where both ends agree (the symmetry correction) is what the theory asks for; joining where either
end keeps the other finds more true edges, and more false ones.
"""

from collections.abc import Callable, Mapping
from typing import Literal, Protocol

from bnsieve.decide import IndependenceTest, TestResult
from bnsieve.engine import Map, tallied
from bnsieve.knowledge import Constraints
from bnsieve.search.skeleton import SeparatingSets, Skeleton, marginal_tests, pair_of

Join = Literal["both", "either"]

# Largest conditioning set, unless told otherwise.
MAX_GIVEN = 3

# For a target and its marginal associations (those found dependent): the variables that some set
# separates from the target, and that set.
Separate = Callable[[int, Mapping[int, TestResult]], Mapping[int, tuple[int, ...]]]


class LocalSearch(Protocol):
    """An algorithm that finds the neighbours of every variable and joins them."""

    def __call__(
        self,
        test: IndependenceTest,
        n_variables: int,
        *,
        max_given: int | None = MAX_GIVEN,
        join: Join = "both",
        run: Map = map,
        constraints: Constraints | None = None,
    ) -> Skeleton:
        """Find the skeleton."""


def join_neighbourhoods(
    test: IndependenceTest, constraints: Constraints, separate: Separate, join: Join, run: Map
) -> Skeleton:
    """Test all pairs given nothing, find each variable's neighbourhood, join them.

    Pairs that must, or may not, be joined are not tested. Where both ends separate a pair, the set
    found from the smaller number's side is kept.
    """
    if join not in ("both", "either"):
        raise ValueError(f"join must be 'both' or 'either'; got {join!r}")
    n_variables = constraints.n_variables
    marginal = marginal_tests(test, constraints, run)
    separating_sets: SeparatingSets = {
        pair: () for pair, result in marginal.items() if result.independent
    }
    associations: list[dict[int, TestResult]] = [{} for _ in range(n_variables)]
    for (x, y), result in marginal.items():
        if result.dependent:
            associations[x][y] = result
            associations[y][x] = result
    targets = range(n_variables)
    answers = run(lambda target: separate(target, associations[target]), targets)
    found = list(tallied(answers, len(targets), "columns"))
    for target, separated in zip(targets, found, strict=True):
        for variable, given in separated.items():
            if join == "both" or target in found[variable]:
                separating_sets.setdefault(pair_of(target, variable), given)
    edges = [
        pair
        for pair, result in marginal.items()
        if result.dependent and pair not in separating_sets
    ]
    joined = tuple(sorted([*edges, *constraints.required_pairs]))
    return Skeleton(n_variables, joined, separating_sets, test.n_tests)
