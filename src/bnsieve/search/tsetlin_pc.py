"""The paper's pair rule: a skeleton from each variable's few neighbours.

Variable X is in N(T) if it is one of the variables that matter most to T. For every T and every X
in N(T), the pair is tested given all subsets of (N(T) without X) united with (N(X) without T),
smallest first, until one finds it independent. If none does, and at least one found it dependent,
it is joined.
"""

from collections.abc import Sequence

from bnsieve.decide import Answer, IndependenceTest
from bnsieve.knowledge import Constraints
from bnsieve.search.skeleton import Pair, SeparatingSets, Skeleton, pair_of, subsets


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
        Pairs that must be joined: they are not tested, whether in N or not.

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
