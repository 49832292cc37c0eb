"""From the neighbourhood of each variable to one skeleton.

In: a way to find which of a target's associated variables are not its neighbours. Out: a
:class:`~bnsieve.search.skeleton.Skeleton` in which two variables are joined if neither end
separates them from the other.
"""

from collections.abc import Callable, Mapping

from bnsieve.engine.local import Map
from bnsieve.independence import IndependenceTest, TestResult
from bnsieve.search.skeleton import SeparatingSets, Skeleton, marginal_tests, pair_of

# For a target and its marginal associations (those found dependent): the variables that some set
# separates from the target, and that set.
Separate = Callable[[int, Mapping[int, TestResult]], Mapping[int, tuple[int, ...]]]


def join_neighbourhoods(
    test: IndependenceTest, n_variables: int, separate: Separate, run: Map
) -> Skeleton:
    """Test all pairs given nothing, find each variable's neighbourhood, join where both agree.

    Where both ends separate a pair, the set found from the smaller number's side is kept.
    """
    marginal = marginal_tests(test, n_variables, run)
    separating_sets: SeparatingSets = {
        pair: () for pair, result in marginal.items() if result.independent
    }
    associations: list[dict[int, TestResult]] = [{} for _ in range(n_variables)]
    for (x, y), result in marginal.items():
        if result.dependent:
            associations[x][y] = result
            associations[y][x] = result
    targets = range(n_variables)
    found = run(lambda target: separate(target, associations[target]), targets)
    for target, separated in zip(targets, found, strict=True):
        for variable, given in separated.items():
            separating_sets.setdefault(pair_of(target, variable), given)
    edges = (
        pair
        for pair, result in marginal.items()
        if result.dependent and pair not in separating_sets
    )
    return Skeleton(n_variables, tuple(edges), separating_sets, test.n_tests)
