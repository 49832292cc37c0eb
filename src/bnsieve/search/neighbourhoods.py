"""HITON-PC and FSMB-PC: the neighbours of each variable, and from these one skeleton.

In: an independence test. Out: a `bnsieve.search.Skeleton`. The candidates of a target are the
variables that depend on it, by the strength of the marginal association
(`bnsieve.search.skeleton.by_strength`).

**HITON-PC** admits them one by one, strongest first. Each newcomer is tested given every set of
those already admitted; if it stays, those are tested again given the sets that hold the newcomer.
What a set separates from the target leaves for good. This is the interleaved form of Aliferis,
Tsamardinos and Statnikov (2003; in general in Aliferis et al. 2010).

**FSMB-PC** shrinks them, weakest first, given the sets of the other candidates, small sets first
and sets of strong candidates first; what a set separates from the target leaves at once and so is
in no later set. It is the part of FSMB (fast shrinking parents-children learning for Markov
blanket-based feature selection, 2024, doi 10.1007/s13042-024-02108-4) that finds parents and
children, there called AdjV. The full text was not at hand. What its abstract and public
descriptions leave open is decided here:

- A candidate is examined given sets of all sizes before the next candidate.
- There is one sweep: survivors are not examined again when others have left. Sets only become
  fewer, so nothing could be found that was not found before.
- Sets hold at most three variables unless told otherwise.
- Spouses, the other half of FSMB, play no part: a skeleton has none.

A variable that is not adjacent can stay, when no set of the target's own neighbours separates it;
then it is a descendant, and seen from its side the target does leave. So an edge needs both ends'
consent (the symmetry correction of Tsamardinos, Brown and Aliferis 2006), unless told otherwise:
where either end is enough, more true edges are found, and more false ones. With the correction,
right answers (faithfulness) and sets as large as the largest set of parents, the result is the true
skeleton.
"""

from collections.abc import Iterator
from functools import partial
from itertools import combinations
from typing import Literal, Protocol

from bnsieve.decide import IndependenceTest, TestResult
from bnsieve.engine import Map, tallied
from bnsieve.knowledge import Constraints
from bnsieve.search.skeleton import (
    MAX_CONDITIONING,
    SeparatingSets,
    Skeleton,
    by_strength,
    first_separating,
    marginal_tests,
    pair_of,
    size_limit,
    subsets,
)

Join = Literal["both", "either"]
Separated = dict[int, tuple[int, ...]]


class Separate(Protocol):
    """The part in which the algorithms differ: which candidates are not a target's neighbours."""

    def __call__(
        self,
        test: IndependenceTest,
        target: int,
        candidates: list[int],
        required: tuple[int, ...],
        limit: int,
    ) -> Separated:
        """Return what separates each of some candidates, which come strongest first."""


def local_skeleton(
    test: IndependenceTest,
    n_variables: int,
    *,
    separate: Separate,
    max_conditioning: int | None = MAX_CONDITIONING,
    join: Join = "both",
    run: Map = map,
    constraints: Constraints | None = None,
) -> Skeleton:
    """Test all pairs given nothing, find each variable's neighbours, and unite these.

    Parameters
    ----------
    test : IndependenceTest
        Answers questions about the variables 0 .. n_variables - 1.
    n_variables : int
    separate : Separate
        The algorithm.
    max_conditioning : int or None, default 3
        Largest size of a conditioning set; None for no limit.
    join : {"both", "either"}, default "both"
        Two variables are adjacent if both ends keep the other (what the theory asks for), or if one
        does.
    run : Map, default map
        How the targets are worked on; the result does not depend on it.
    constraints : Constraints or None, default None
        Pairs that must, or may not, be adjacent: neither are tested.

    Returns
    -------
    Skeleton
        Where both ends separate a pair, the set found from the smaller number's side is kept.
    """
    if join not in ("both", "either"):
        raise ValueError(f"join must be 'both' or 'either'; got {join!r}")
    limit = size_limit(max_conditioning, n_variables)
    known = constraints or Constraints.none(n_variables)
    marginal = marginal_tests(test, known, run)
    separating_sets: SeparatingSets = {
        pair: () for pair, result in marginal.items() if result.independent
    }
    associations: list[dict[int, TestResult]] = [{} for _ in range(n_variables)]
    for (x, y), result in marginal.items():
        if result.dependent:
            associations[x][y] = associations[y][x] = result

    def separate_target(target: int) -> Separated:
        candidates = by_strength(associations[target])
        return separate(test, target, candidates, known.required_neighbours(target), limit)

    every = list(tallied(run(separate_target, range(n_variables)), n_variables, "columns"))
    for target, separated in enumerate(every):
        for variable, given in separated.items():
            if join == "both" or target in every[variable]:
                separating_sets.setdefault(pair_of(target, variable), given)
    edges = [
        pair
        for pair, result in marginal.items()
        if result.dependent and pair not in separating_sets
    ]
    adjacent = tuple(sorted([*edges, *known.required_pairs]))
    return Skeleton(n_variables, adjacent, separating_sets, test.n_tests)


def _hiton(
    test: IndependenceTest,
    target: int,
    candidates: list[int],
    required: tuple[int, ...],
    limit: int,
) -> Separated:
    """Admit candidates, the strongest first."""
    admitted = list(required)
    separated: Separated = {}
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


def _fsmb(
    test: IndependenceTest,
    target: int,
    candidates: list[int],
    required: tuple[int, ...],
    limit: int,
) -> Separated:
    """Shrink the candidates, the weakest first."""
    left = [*required, *candidates]
    separated: Separated = {}
    for candidate in reversed(candidates):
        others = [other for other in left if other != candidate]
        given = first_separating(test, target, candidate, subsets(others, 1, limit))
        if given is not None:
            separated[candidate] = given
            left.remove(candidate)
    return separated


# An algorithm: `local_skeleton` with its `separate`.
LocalSearch = partial[Skeleton]
hiton_pc: LocalSearch = partial(local_skeleton, separate=_hiton)
fsmb_pc: LocalSearch = partial(local_skeleton, separate=_fsmb)
