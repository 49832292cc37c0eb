"""From a skeleton and separating sets to a CPDAG, for every learner that tests.

In: a `Skeleton` and the test that found it. Out: an `Orientation`: a DAG of that skeleton, which
stands for its equivalence class. An unshielded triple is a - c - b with a and b not adjacent. If
sets that separate a and b do not hold c, both arrows point to c, else not both; what follows from
all triples together decides the class (Spirtes, Glymour and Scheines; Meek 1995).

Evidence from data contradicts itself. Triples are therefore believed in the order of their
strength, and the result is always a DAG. Where no DAG agrees with all that is believed, the one
chosen goes against as little evidence as can be, step by step; triples that it does not bear out
are listed.

Knowledge comes before evidence. An edge of which it leaves one direction is an arrow from the
start; triples that it decides are not tested. `known_class` then says what all DAGs share that are
equivalent and agree with what is known.
"""

import heapq
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from bnsieve.decide import IndependenceTest
from bnsieve.graph import Graph
from bnsieve.knowledge import Constraints
from bnsieve.search.skeleton import Pair, Skeleton, pair_of, size_limit, subsets

# Among sets of two arrows come out as well as among sets of three, with a third of the tests; hubs
# with many neighbours have thousands of sets of three.
MAX_CONDITIONING = 2
# That knowledge keeps two variables apart says nothing of what lies between them, so that a set has
# to be found; but where they do depend on each other, all larger sets would be tried in vain.
MAX_CONDITIONING_APART = 1
# A direction with less support, in nats, is undetermined: below 3, odds of twenty to one, support
# is not called strong (Kass and Raftery, 1995).
CONFIRMED_MARGIN = 3.0

Rule = Literal["first", "majority", "conservative"]
Triple = tuple[int, int, int]  # a, c, b with c in the middle and a < b
Neighbours = list[set[int]]


@dataclass(frozen=True)
class Verdict:
    """What the tests say of an unshielded triple a - c - b.

    Attributes
    ----------
    collider : bool
        Whether both arrows point to c.
    strength : float
        From 0 to 1; of two triples that contradict each other the stronger is believed.
    """

    collider: bool
    strength: float


@dataclass(frozen=True)
class Orientation:
    """A DAG by number, and the evidence that it had to leave aside.

    Attributes
    ----------
    arrows : tuple of (int, int)
        Parent and child of every edge, sorted. Only what all DAGs of the equivalence class share
        is supported by the tests; the CPDAG shows it.
    conflicts : tuple of (int, int, int)
        Triples a, c, b on which the DAG and the tests disagree: the tests say a -> c <- b and
        the DAG does not, or the other way round.
    discarded : tuple of (int, int)
        Edges that are left out because knowledge allows them only in a direction that closes a
        cycle with the required arrows and with stronger such edges.
    """

    arrows: tuple[Pair, ...]
    conflicts: tuple[Triple, ...]
    discarded: tuple[Pair, ...] = ()


def orient(
    skeleton: Skeleton,
    test: IndependenceTest,
    *,
    rule: Rule = "majority",
    max_conditioning: int | None = MAX_CONDITIONING,
    max_conditioning_apart: int | None = MAX_CONDITIONING_APART,
    constraints: Constraints | None = None,
) -> Orientation:
    """Direct the edges of a skeleton as far as independences can tell.

    Parameters
    ----------
    skeleton : Skeleton
    test : IndependenceTest
        The test that found the skeleton; what it has answered it need not find out again.
    rule : {"majority", "first", "conservative"}, default "majority"
        Which separating sets of a and b decide about a - c - b. "first": the one that the search
        found (if it found none, the first among the neighbours of a and b). The other two use
        all sets of neighbours of a or of b that separate them: c must be in more, or in fewer, than
        half of them ("majority"), or in all or none ("conservative"); otherwise the triple decides
        nothing.
    max_conditioning : int or None, default 2
        Largest size of a set that is tested; None for no limit. The one that the search found
        always counts.
    max_conditioning_apart : int or None, default 1
        The same where knowledge keeps a and b apart; there the first set found decides.
    constraints : Constraints or None, default None
        What is known of the arrows. The skeleton must have every required edge, and none that
        may not be in either direction.

    Returns
    -------
    Orientation
        A DAG of the true equivalence class if skeleton, answers and constraints are right.
    """
    if rule not in ("first", "majority", "conservative"):
        raise ValueError(f"rule must be 'first', 'majority' or 'conservative'; got {rule!r}")
    known = constraints or Constraints.none(skeleton.n_variables)
    parents, discarded = _forced(skeleton, test, known)
    neighbours: Neighbours = [set() for _ in range(skeleton.n_variables)]
    for a, b in set(skeleton.edges).difference(discarded):
        neighbours[a].add(b)
        neighbours[b].add(a)
    limit = size_limit(max_conditioning, skeleton.n_variables)
    limit_apart = size_limit(max_conditioning_apart, skeleton.n_variables)
    verdicts = {
        triple: verdict
        for triple, sets in _separating_sets(
            skeleton, test, neighbours, rule, limit, limit_apart, known
        )
        if (verdict := _verdict(triple, sets, rule)) is not None
    }
    _believe(verdicts, parents)
    arrows = _extend(neighbours, parents, verdicts)
    conflicts = tuple(_conflicts(arrows, verdicts))
    return Orientation(tuple(sorted(arrows)), conflicts, tuple(discarded))


def known_class(dag: Graph, constraints: Constraints) -> Graph:
    """Return what all DAGs share that are equivalent to one and agree with what is known.

    Parameters
    ----------
    dag : Graph
        A DAG that agrees with the constraints.
    constraints : Constraints
        Of its nodes, in their order.

    Returns
    -------
    Graph
        Without knowledge the CPDAG. With it the maximally oriented graph (MPDAG): the CPDAG with
        the arrows that knowledge decides, and with those that follow by Meek's four rules. Each
        edge that it leaves undirected has either direction in some such DAG.
    """
    cpdag = dag.to_cpdag()
    if not constraints.restricts:
        return cpdag
    arrows, undecided = cpdag.directed_index.tolist(), []
    for a, b in cpdag.undirected_index.tolist():
        if constraints.forces(a, b):
            arrows.append((a, b))
        elif constraints.forces(b, a):
            arrows.append((b, a))
        else:
            undecided.append((a, b))
    return Graph.from_index_edges(dag.nodes, arrows, undecided).meek_closure()


def without_undetermined(graph: Graph, margins: Mapping[tuple[str, str], float]) -> Graph:
    """Return the graph with an undirected edge wherever both directions fit about equally well.

    Parameters
    ----------
    graph : Graph
    margins : mapping of (str, str) to float
        For directed edges, parent first, by how much the score falls if they are reversed.
    """
    undetermined = [
        edge for edge in graph.directed_edges if margins.get(edge, math.inf) < CONFIRMED_MARGIN
    ]
    if not undetermined:
        return graph
    left = set(undetermined)
    determined = [edge for edge in graph.directed_edges if edge not in left]
    return Graph(graph.nodes, determined, [*graph.undirected_edges, *undetermined])


def _forced(
    skeleton: Skeleton, test: IndependenceTest, known: Constraints
) -> tuple[Neighbours, list[Pair]]:
    """Return the parents by knowledge, without a cycle, and the edges that had to go for that."""
    parents: Neighbours = [set() for _ in range(skeleton.n_variables)]
    for tail, head in known.required:
        parents[head].add(tail)
    if not known.restricts:
        return parents, []

    def weakness(pair: Pair) -> tuple[float, float, Pair]:
        result = test.test(*pair)
        return (2.0 if math.isnan(result.p_value) else result.p_value, -result.statistic, pair)

    decided = [
        pair
        for pair in skeleton.edges
        if pair not in known.required_pairs and (known.forces(*pair) or known.forces(*pair[::-1]))
    ]
    discarded = []
    for pair in sorted(decided, key=weakness):
        tail, head = pair if known.forces(*pair) else pair[::-1]
        if _reaches(parents, {tail}, head):
            discarded.append(pair)
        else:
            parents[head].add(tail)
    return parents, sorted(discarded)


# For each separating set: its variables, and how clearly it separates (the test's p-value).
_Sets = dict[tuple[int, ...], float]


def _separating_sets(
    skeleton: Skeleton,
    test: IndependenceTest,
    neighbours: Neighbours,
    rule: Rule,
    limit: int,
    limit_apart: int,
    known: Constraints,
) -> Iterator[tuple[Triple, _Sets]]:
    """Give every open triple with the separating sets of its ends that the rule uses.

    A triple a - c - b is open if it is unshielded and knowledge does not say whether a -> c <- b.
    """
    asked: dict[Pair, _Sets] = {}
    for c, around in enumerate(neighbours):
        for a, b in combinations(sorted(around), 2):
            if b in neighbours[a] or not (known.allowed[a, c] and known.allowed[b, c]):
                continue
            if known.forces(a, c) and known.forces(b, c):
                continue
            if (a, b) not in asked:
                found = skeleton.separating_sets.get((a, b))
                sets = {} if found is None else {found: test.test(a, b, found).p_value}
                apart = not known.joinable[a, b]
                one_is_enough = rule == "first" or apart
                if not (one_is_enough and sets):
                    most = limit_apart if apart else limit
                    for given in _candidate_sets(neighbours[a], neighbours[b], most):
                        result = test.test(a, b, given)
                        if result.independent:
                            sets[result.given] = result.p_value
                            if one_is_enough:
                                break
                asked[a, b] = sets
            yield (a, c, b), asked[a, b]


def _candidate_sets(near_a: set[int], near_b: set[int], limit: int) -> Iterator[tuple[int, ...]]:
    yield from subsets(sorted(near_a), 0, limit)
    yield from (s for s in subsets(sorted(near_b), 1, limit) if not near_a.issuperset(s))


def _verdict(triple: Triple, sets: _Sets, rule: Rule) -> Verdict | None:
    if not sets:
        return None
    share = sum(triple[1] in given for given in sets) / len(sets)
    if share == 0.5 or (rule == "conservative" and 0 < share < 1):
        return None
    return Verdict(share < 0.5, abs(2 * share - 1) * max(sets.values()))


def _believe(verdicts: Mapping[Triple, Verdict], parents: Neighbours) -> None:
    """Take the colliders one by one, the strongest first, unless one contradicts those before.

    Adds to the parents of each variable; together the arrows have no cycle.
    """
    colliders = [triple for triple, verdict in verdicts.items() if verdict.collider]
    for a, c, b in sorted(colliders, key=lambda triple: (-verdicts[triple].strength, triple)):
        if not _reaches(parents, {a, b}, c):
            parents[c] |= {a, b}


def _reaches(parents: Neighbours, ends: set[int], start: int) -> bool:
    """Tell whether arrows lead from `start` to one of the ends."""
    seen, waiting = set(ends), list(ends)
    while waiting:
        for parent in parents[waiting.pop()]:
            if parent == start:
                return True
            if parent not in seen:
                seen.add(parent)
                waiting.append(parent)
    return False


def _extend(
    neighbours: Neighbours, parents: Neighbours, verdicts: Mapping[Triple, Verdict]
) -> list[Pair]:
    """Direct every edge, keeping the arrows given, with as few new colliders as can be.

    This is the algorithm of Dor and Tarsi (1992): a node that can be a sink takes all its edges as
    arrows and is removed. Where a consistent extension exists, some node can be a sink without a
    new collider, at any time. Where none exists, the node is taken whose new colliders contradict
    the least evidence; a node without outgoing arrows there always is, because they have no cycle.
    """
    left = [set(around) for around in neighbours]
    n_children = [0] * len(neighbours)
    for its_parents in parents:
        for parent in its_parents:
            n_children[parent] += 1

    def cost(node: int) -> float:
        undirected = left[node] - parents[node]
        total = 0.0
        for other in undirected:
            for another in left[node] - left[other] - {other}:
                if another in parents[node] or another > other:
                    a, b = pair_of(other, another)
                    verdict = verdicts.get((a, node, b))
                    # Even a collider of which nothing is known is a claim too many.
                    total += 1e-6 if verdict is None or verdict.collider else verdict.strength
        return total

    best = [(cost(node), -node) for node, count in enumerate(n_children) if count == 0]
    heapq.heapify(best)
    costs = {-node: value for value, node in best}
    arrows: list[Pair] = []
    removed: set[int] = set()
    while best:
        value, negative = heapq.heappop(best)
        node = -negative
        if node in removed or costs[node] != value:
            continue
        removed.add(node)
        arrows += [(other, node) for other in sorted(left[node])]
        for other in left[node]:
            left[other].discard(node)
            n_children[other] -= other in parents[node]
        for other in left[node]:  # only next to a removed node can costs have changed
            if n_children[other] == 0:
                costs[other] = cost(other)
                heapq.heappush(best, (costs[other], -other))
    return arrows


def _conflicts(arrows: list[Pair], verdicts: Mapping[Triple, Verdict]) -> Iterator[Triple]:
    """Give the triples whose verdict is not what the DAG has."""
    present = set(arrows)
    for (a, c, b), verdict in sorted(verdicts.items()):
        if verdict.collider != ({(a, c), (b, c)} <= present):
            yield a, c, b
