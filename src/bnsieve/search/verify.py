"""Keep the arrows of a network that pass independence tests.

A variable is independent of what comes before it given its parents. So each arrow is asked, the
weakest of a variable's first, whether a small set of the variable's other parents separates its
ends; if one does, the arrow goes. What goes can only make the graph smaller: there is no cycle.
"""

from collections.abc import Sequence

from bnsieve.decide import IndependenceTest
from bnsieve.engine import Map
from bnsieve.knowledge import Constraints
from bnsieve.search.skeleton import (
    SeparatingSets,
    Skeleton,
    first_separating,
    pair_of,
    size_limit,
    subsets,
)


def verify_arrows(
    test: IndependenceTest,
    parents: Sequence[Sequence[int]],
    max_given: int | None,
    run: Map,
    constraints: Constraints | None = None,
) -> Skeleton:
    """Test every arrow of a network.

    Parameters
    ----------
    test : IndependenceTest
    parents : sequence of sequences of int
        For every variable, the strongest first. Without a cycle.
    max_given : int or None
        Largest conditioning set; None for no limit.
    run : Map
        Spreads the variables over threads.
    constraints : Constraints or None, default None
        Required parents stay and are not tested.

    Returns
    -------
    Skeleton
        With arrows. Exact if the test is an oracle, there is no limit, and every variable's
        parents hold the true ones and none of its descendants.
    """
    limit = size_limit(max_given, len(parents))
    known = constraints or Constraints.none(len(parents))

    def verify(target: int) -> tuple[list[int], SeparatingSets]:
        kept = list(parents[target])
        required = known.required_parents(target)
        separated: SeparatingSets = {}
        for variable in reversed(parents[target]):
            if variable in required:
                continue
            others = [other for other in kept if other != variable]
            given = first_separating(test, target, variable, subsets(others, 0, limit))
            if given is not None:
                kept.remove(variable)
                separated[pair_of(target, variable)] = given
        return kept, separated

    verified = list(run(verify, range(len(parents))))
    arrows = tuple((u, v) for v, (kept, _) in enumerate(verified) for u in kept)
    separating_sets = {pair: given for _, found in verified for pair, given in found.items()}
    edges = tuple(sorted(pair_of(u, v) for u, v in arrows))
    return Skeleton(len(parents), edges, separating_sets, test.n_tests, arrows)
