"""The result of every skeleton search, and the few steps that the searches share.

In: an independence test and the number of variables. Out: a `Skeleton`. Variables are
numbers here; a search works in the order of the numbers and knows neither names nor data, so it
runs on data and on the d-separation oracle alike.

An answer "cannot tell" neither separates two variables nor makes them adjacent: a set that gives it
is passed over, and a pair whose very first question (given nothing) gives it is not adjacent.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

from bnsieve.decide import IndependenceTest, TestResult
from bnsieve.engine import Map
from bnsieve.knowledge import Constraints

# Largest conditioning set unless told otherwise, the paper's limit. Larger sets are seldom needed,
# and some thousand rows can seldom tell anything given them.
MAX_CONDITIONING = 3

Pair = tuple[int, int]
SeparatingSets = dict[Pair, tuple[int, ...]]
Neighbours = list[set[int]]


@dataclass(frozen=True)
class Skeleton:
    """Which variables are adjacent, and what separates those that are not.

    Attributes
    ----------
    n_variables : int
    edges : tuple of (int, int)
        Adjacent pairs, the smaller number first, sorted.
    separating_sets : mapping of (int, int) to tuple of int
        For pairs that are not adjacent (the smaller number first) a set given which a test found
        them independent. A pair that is neither here nor among the edges is not adjacent because
        no test could tell, or because knowledge keeps the two apart.
    n_tests : int
        Number of distinct tests that the test object has performed.
    directed_edges : tuple of (int, int) or None
        Parent and child of every edge, where the search found a DAG; None where it found none.
    """

    n_variables: int
    edges: tuple[Pair, ...]
    separating_sets: Mapping[Pair, tuple[int, ...]]
    n_tests: int
    directed_edges: tuple[Pair, ...] | None = None

    @classmethod
    def of_dag(
        cls,
        parents: Sequence[Sequence[int]],
        separating_sets: Mapping[Pair, tuple[int, ...]],
        n_tests: int,
    ) -> "Skeleton":
        """Return the adjacent pairs of a DAG, with their directions."""
        directed = tuple((u, v) for v, own_parents in enumerate(parents) for u in own_parents)
        edges = tuple(sorted(pair_of(u, v) for u, v in directed))
        return cls(len(parents), edges, separating_sets, n_tests, directed)


def pair_of(x: int, y: int) -> Pair:
    """Return the two as a key, the smaller number first."""
    return (x, y) if x < y else (y, x)


def subsets(variables: Sequence[int], min_size: int, max_size: int) -> Iterator[tuple[int, ...]]:
    """Yield the subsets, smallest first, those of one size in the order of `variables`."""
    for size in range(min_size, min(max_size, len(variables)) + 1):
        yield from combinations(variables, size)


def subsets_of_either(
    near_x: set[int], near_y: set[int], min_size: int, max_size: int
) -> Iterator[tuple[int, ...]]:
    """Return the subsets of the first set, then those of the second, each once."""
    of_y = subsets(sorted(near_y), max(min_size, 1), max_size)
    return chain(
        subsets(sorted(near_x), min_size, max_size), (s for s in of_y if not near_x.issuperset(s))
    )


def neighbours_of(edges: Iterable[Pair], n_variables: int) -> Neighbours:
    """Return the neighbours of every variable."""
    neighbours: Neighbours = [set() for _ in range(n_variables)]
    for x, y in edges:
        neighbours[x].add(y)
        neighbours[y].add(x)
    return neighbours


def first_separating(
    test: IndependenceTest, x: int, y: int, sets: Iterable[tuple[int, ...]]
) -> tuple[int, ...] | None:
    """Return the first set given which x and y are independent; None if there is none."""
    return next((given for given in sets if test.test(x, y, given).independent), None)


def marginal_tests(
    test: IndependenceTest, constraints: Constraints, run: Map
) -> tuple[dict[Pair, TestResult], SeparatingSets]:
    """Test every pair given nothing, except those of which knowledge decides.

    Returns
    -------
    dict of (int, int) to TestResult
        Of the dependent pairs.
    dict of (int, int) to tuple of int
        The empty set, of the independent pairs.
    """
    pairs = constraints.open_pairs()
    results = list(zip(pairs, run(lambda pair: test.test(*pair), pairs), strict=True))
    dependent = {pair: result for pair, result in results if result.dependent}
    return dependent, {pair: () for pair, result in results if result.independent}


def by_strength(associations: Mapping[int, TestResult]) -> list[int]:
    """Order variables by their marginal association with a target, strongest first.

    Strength is the p-value. Strong associations all have p = 0 in floating point; among them the
    statistic decides. Ties keep the order of the numbers.
    """

    def weakness(variable: int) -> tuple[float, float, int]:
        result = associations[variable]
        return result.p_value, -result.statistic, variable

    return sorted(associations, key=weakness)
