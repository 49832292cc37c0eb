"""Skeletons from the neighbours of each variable: HITON-PC, FSMB-PC, and TsetlinPC's two rules.

In: an independence test. Out: a `bnsieve.search.Skeleton`. For HITON-PC and FSMB-PC, the candidates
of a target are the variables that depend on it, by the strength of the marginal association
(`bnsieve.search.skeleton.by_strength`). TsetlinPC has candidates from its machines.

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

Under these two, a variable that is not adjacent can stay, when no set of the target's own
neighbours separates it; then it is a descendant, and seen from its side the target does leave. So
an edge needs both ends' consent (the symmetry correction of Tsamardinos, Brown and Aliferis 2006),
unless told otherwise: where either end is enough, more true edges are found, and more false ones.
With the correction, right answers (faithfulness) and sets as large as the largest set of parents,
the result is the true skeleton.

`pair_rule`: variable X is in N(T) if it is one of the variables that matter most to T. For every T
and every X in N(T), the pair is tested given all subsets of (N(T) without X) united with (N(X)
without T), smallest first, until one finds it independent. If none does, and at least one found it
dependent, the two are adjacent.

`shrink_candidates`: candidates that are independent of the target leave first. The others shrink as
in FSMB-PC. Two variables are adjacent if either keeps the other.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import Literal

from bnsieve.decide import Answer, IndependenceTest, TestResult
from bnsieve.engine import Map, tallied
from bnsieve.knowledge import Constraints
from bnsieve.search.skeleton import (
    MAX_CONDITIONING,
    Pair,
    SeparatingSets,
    Skeleton,
    by_strength,
    first_separating,
    marginal_tests,
    pair_of,
    subsets,
)

Join = Literal["both", "either"]
Separated = dict[int, tuple[int, ...]]
# The part in which HITON-PC and FSMB-PC differ. In: a test, a target, its candidates with the
# strongest first, its required neighbours, and the largest conditioning set. Out: what separates
# each of the candidates that are not neighbours.
Separate = Callable[[IndependenceTest, int, list[int], tuple[int, ...], int], Separated]


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
    limit = n_variables if max_conditioning is None else max_conditioning
    known = constraints or Constraints.none(n_variables)
    dependent, separating_sets = marginal_tests(test, known, run)
    associations: list[dict[int, TestResult]] = [{} for _ in range(n_variables)]
    for (x, y), result in dependent.items():
        associations[x][y] = associations[y][x] = result

    def separate_target(target: int) -> Separated:
        candidates = by_strength(associations[target])
        return separate(test, target, candidates, known.required_neighbours(target), limit)

    every = list(tallied(run(separate_target, range(n_variables)), n_variables, "columns"))
    for target, separated in enumerate(every):
        for variable, given in separated.items():
            if join == "both" or target in every[variable]:
                separating_sets.setdefault(pair_of(target, variable), given)
    edges = [pair for pair in dependent if pair not in separating_sets]
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
    return _shrink(test, target, [*required, *candidates], required, limit)


def _shrink(
    test: IndependenceTest, target: int, left: list[int], required: Sequence[int], limit: int
) -> Separated:
    """Take out of `left` the variables that a set of the others separates, the last ones first."""
    separated: Separated = {}
    for candidate in [v for v in reversed(left) if v not in required]:
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
        Pairs that must be adjacent: they are not tested, whether in N or not.

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


def shrink_candidates(
    test: IndependenceTest,
    ranked: Sequence[Sequence[int]],
    *,
    max_conditioning: int | None = MAX_CONDITIONING,
    constraints: Constraints | None = None,
) -> Skeleton:
    """Shrink every variable's candidates to its neighbours.

    Parameters
    ----------
    test : IndependenceTest
    ranked : sequence of sequences of int
        For every variable its candidates, the strongest first.
    max_conditioning : int or None, default 3
        Largest size of a conditioning set; None for no limit.
    constraints : Constraints or None, default None
        Pairs that must be adjacent: they are not tested, candidates or not.

    Returns
    -------
    Skeleton
        Exact if the candidates of each variable hold its true neighbours and, of two variables that
        are not adjacent, each is separated from the other by a set of the other's neighbours of at
        most that size; and the test is an oracle.
    """
    limit = len(ranked) if max_conditioning is None else max_conditioning
    known = constraints or Constraints.none(len(ranked))
    edges: set[Pair] = set(known.required_pairs)
    separating_sets: SeparatingSets = {}
    for target, candidates in enumerate(ranked):
        required = known.required_neighbours(target)
        tested = {v: test.test(target, v) for v in candidates if v not in required}
        separated: Separated = {v: () for v, result in tested.items() if result.independent}
        left = [v for v in candidates if v in required or tested[v].dependent]
        separated |= _shrink(test, target, left, required, limit)
        edges |= {pair_of(target, v) for v in left}
        for v, given in separated.items():
            separating_sets.setdefault(pair_of(target, v), given)
    # Two are adjacent if either keeps the other.
    apart = {pair: given for pair, given in separating_sets.items() if pair not in edges}
    return Skeleton(len(ranked), tuple(sorted(edges)), apart, test.n_tests)
