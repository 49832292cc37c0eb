"""FSMB-PC: the candidates of each variable shrink, from the weakest up, to its neighbours.

In: an independence test. Out: a `bnsieve.search.Skeleton`. This is the part of
FSMB (fast shrinking parents-children learning for Markov blanket-based feature selection, 2024,
doi 10.1007/s13042-024-02108-4) that finds parents and children, there called AdjV. The candidates
of a target are all variables that depend on it. They are examined once, weakest first, given the
sets of the other candidates, small sets first and sets of strong candidates first; one that a set
separates from the target leaves at once and so is in no later set.

The full text was not at hand. What its abstract and public descriptions leave open is decided here:

- Strength is the marginal association (`bnsieve.search.skeleton.by_strength`).
- A candidate is examined given sets of all sizes before the next candidate is looked at.
- There is one sweep: who survived is not examined again when others have left. Sets only become
  fewer, so nothing could be found that was not found before.
- Sets hold at most three variables unless told otherwise.
- Two variables are joined if both ends keep the other, unless told otherwise. One end alone can
  keep a descendant that is no child; with both, right answers (faithfulness) and sets as large as
  the largest set of parents give the true skeleton.
- Spouses, the other half of FSMB, play no part: a skeleton has none.
"""

from collections.abc import Mapping

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


def fsmb_pc(
    test: IndependenceTest,
    n_variables: int,
    *,
    max_given: int | None = MAX_GIVEN,
    join: Join = "both",
    run: Map = map,
    constraints: Constraints | None = None,
) -> Skeleton:
    """Find the skeleton by shrinking the candidates of every variable.

    Parameters and result are those of `bnsieve.search.hiton.hiton_pc`.
    """
    limit = size_limit(max_given, n_variables)
    known = constraints or Constraints.none(n_variables)

    def separate(target: int, associations: Mapping[int, TestResult]) -> dict[int, tuple[int, ...]]:
        open_candidates = by_strength(associations)
        candidates = [*known.required_neighbours(target), *open_candidates]
        separated: dict[int, tuple[int, ...]] = {}
        for candidate in reversed(open_candidates):
            others = [other for other in candidates if other != candidate]
            given = first_separating(test, target, candidate, subsets(others, 1, limit))
            if given is not None:
                separated[candidate] = given
                candidates.remove(candidate)
        return separated

    return join_neighbourhoods(test, known, separate, join, run)
