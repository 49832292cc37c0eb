"""From a skeleton and separating sets to a CPDAG, for every learner that tests.

In: a `Skeleton` and the test that found it. Out: an `Orientation`: a DAG of that skeleton, which
stands for its equivalence class. An unshielded triple is a - c - b with a and b not adjacent. If
most sets that separate a and b do not hold c, both edges point to c, else not both; what follows
from all triples together decides the class (Spirtes, Glymour and Scheines; Meek 1995).

Tests of data contradict each other. Triples are therefore believed in the order of their strength,
and the result is always a DAG. Where no DAG agrees with all that is believed, the one chosen goes
against as few tests as can be, step by step; triples that it does not bear out are listed.

Knowledge comes before tests. An edge of which it leaves one direction is directed from the start;
triples that it decides are not tested. `known_class` then says what all DAGs share that are
equivalent and agree with what is known.
"""

import heapq
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from bnsieve.decide import IndependenceTest
from bnsieve.graph import Graph, children_of, reachable
from bnsieve.knowledge import Constraints
from bnsieve.search.skeleton import (
    Neighbours,
    Pair,
    Skeleton,
    neighbours_of,
    pair_of,
    subsets_of_either,
)

# Among sets of two, directions come out as well as among sets of three, with a third of the tests;
# hubs with many neighbours have thousands of sets of three.
MAX_CONDITIONING = 2
# That knowledge keeps two variables apart says nothing of what lies between them, so that a set has
# to be found; but where they do depend on each other, all larger sets would be tried in vain.
MAX_CONDITIONING_APART = 1
# A direction with less support, in nats, is undetermined: below 3, odds of twenty to one, support
# is not called strong (Kass and Raftery, 1995).
CONFIRMED_MARGIN = 3.0

Triple = tuple[int, int, int]  # a, c, b with c in the middle and a < b
# What tests say of unshielded triples a - c - b: positive if both edges point to c, negative if
# not. Of two triples that contradict each other, the one of larger size (up to 1) is believed.
Verdicts = Mapping[Triple, float]


@dataclass(frozen=True)
class Orientation:
    """A DAG, by number of the variables, and the answers of tests that it contradicts.

    Attributes
    ----------
    directed_edges : tuple of (int, int)
        The parent and the child of every edge, sorted. The tests support only the directions that
        all DAGs of the equivalence class share, which are those of the CPDAG.
    conflicts : tuple of (int, int, int)
        Triples a, c, b on which the DAG and the tests disagree: only one of the two has a -> c <-
        b.
    discarded : tuple of (int, int)
        Edges that are left out because every direction that knowledge allows closes a cycle with
        required edges or stronger edges of this kind.
    """

    directed_edges: tuple[Pair, ...]
    conflicts: tuple[Triple, ...]
    discarded: tuple[Pair, ...] = ()


def orient(
    skeleton: Skeleton,
    test: IndependenceTest,
    *,
    max_conditioning: int | None = MAX_CONDITIONING,
    max_conditioning_apart: int | None = MAX_CONDITIONING_APART,
    constraints: Constraints | None = None,
) -> Orientation:
    """Direct the edges of a skeleton, as far as CI tests determine their directions.

    Parameters
    ----------
    skeleton : Skeleton
        The adjacent pairs and the separating sets of the others.
    test : IndependenceTest
        The test that found the skeleton. Its answers are reused.
    max_conditioning : int or None, default 2
        The largest size of a conditioning set; None for no limit. For a triple a - c - b, the test
        looks at all sets of neighbours of a or of b that separate a and b, and at the set from the
        search. The triple is no collider if c is in more than half of these sets, and a collider if
        c is in fewer than half. Otherwise it is ambiguous.
    max_conditioning_apart : int or None, default 1
        The same if knowledge forbids an edge between a and b. Then the first set found decides.
    constraints : Constraints or None, default None
        Knowledge about the edges. The skeleton must have every required edge, and no edge that is
        forbidden in both directions.

    Returns
    -------
    Orientation
        A DAG. If the skeleton, the tests and the constraints are right, it is in the true
        equivalence class.
    """
    known = constraints or Constraints.none(skeleton.n_variables)
    parents, discarded = _forced(skeleton, test, known)
    neighbours = neighbours_of(set(skeleton.edges).difference(discarded), skeleton.n_variables)
    limit, limit_apart = (
        skeleton.n_variables if most is None else most
        for most in (max_conditioning, max_conditioning_apart)
    )
    verdicts = {}
    for triple, sets in _separating_sets(skeleton, test, neighbours, limit, limit_apart, known):
        share = sum(triple[1] in given for given in sets) / max(len(sets), 1)
        if sets and share != 0.5:
            verdicts[triple] = (1 - 2 * share) * max(sets.values())
    # Colliders one by one, the strongest first, unless one contradicts those before.
    colliders = [triple for triple, verdict in verdicts.items() if verdict > 0]
    for a, c, b in sorted(colliders, key=lambda triple: (-verdicts[triple], triple)):
        if c not in reachable([a, b], parents.__getitem__):
            parents[c] |= {a, b}
    directed = set(_extend(neighbours, parents, verdicts))
    conflicts = tuple(
        (a, c, b)
        for (a, c, b), verdict in sorted(verdicts.items())
        if (verdict > 0) != ({(a, c), (b, c)} <= directed)
    )
    return Orientation(tuple(sorted(directed)), conflicts, tuple(discarded))


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
        the directions that knowledge decides, and with those that follow by Meek's four rules.
        Each edge that it leaves undirected has either direction in some such DAG.
    """
    cpdag = dag.to_cpdag()
    if not constraints.restricts:
        return cpdag
    pairs = cpdag.undirected_index.tolist()
    forced = [edge for a, b in pairs for edge in ((a, b), (b, a)) if constraints.forces(*edge)]
    decided = {pair_of(*edge) for edge in forced}
    left = [(a, b) for a, b in pairs if pair_of(a, b) not in decided]
    directed = [*cpdag.directed_index.tolist(), *forced]
    return Graph.from_index_edges(dag.nodes, directed, left).meek_closure()


def without_undetermined(graph: Graph, margins: Mapping[tuple[str, str], float]) -> Graph:
    """Return the graph with an undirected edge wherever both directions fit about equally well.

    Parameters
    ----------
    graph : Graph
    margins : mapping of (str, str) to float
        For directed edges, parent first, by how much the score falls if they are reversed.
    """
    edges = graph.directed_edges
    undetermined = [edge for edge in edges if margins.get(edge, math.inf) < CONFIRMED_MARGIN]
    if not undetermined:
        return graph
    determined = set(edges).difference(undetermined)
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
        if head in reachable([tail], parents.__getitem__):
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
    limit: int,
    limit_apart: int,
    known: Constraints,
) -> Iterator[tuple[Triple, _Sets]]:
    """Give every open triple with the separating sets of its ends.

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
                given = skeleton.separating_sets.get((a, b))
                sets = {} if given is None else {given: test.test(a, b, given).p_value}
                apart = not known.adjacency_allowed[a, b]
                most = limit_apart if apart else limit
                for given in subsets_of_either(neighbours[a], neighbours[b], 0, most):
                    if apart and sets:
                        break
                    result = test.test(a, b, given)
                    if result.independent:
                        sets[result.given] = result.p_value
                asked[a, b] = sets
            yield (a, c, b), asked[a, b]


def _extend(neighbours: Neighbours, parents: Neighbours, verdicts: Verdicts) -> list[Pair]:
    """Direct every edge, keeping the directions given, with as few new colliders as can be.

    This is the algorithm of Dor and Tarsi (1992): a node that can be a sink takes all its edges as
    incoming and is removed. Where a consistent extension exists, some node can be a sink without a
    new collider, at any time. Where none exists, the node is taken whose new colliders contradict
    the weakest tests; a node without outgoing edges there always is, because there is no cycle.
    """
    left = [set(around) for around in neighbours]
    n_children = [len(own) for own in children_of([list(own) for own in parents])]

    def cost(node: int) -> float:
        undirected = left[node] - parents[node]
        total = 0.0
        for other in undirected:
            for another in left[node] - left[other] - {other}:
                if another in parents[node] or another > other:
                    a, b = pair_of(other, another)
                    # Even a collider of which nothing is known is a claim too many.
                    verdict = verdicts.get((a, node, b), 0.0)
                    total += 1e-6 if verdict >= 0 else -verdict
        return total

    best = [(cost(node), -node) for node, count in enumerate(n_children) if count == 0]
    heapq.heapify(best)
    costs = {-node: value for value, node in best}
    directed: list[Pair] = []
    removed: set[int] = set()
    while best:
        value, negative = heapq.heappop(best)
        node = -negative
        if node in removed or costs[node] != value:
            continue
        removed.add(node)
        directed += [(other, node) for other in sorted(left[node])]
        for other in left[node]:
            left[other].discard(node)
            n_children[other] -= other in parents[node]
        for other in left[node]:  # only next to a removed node can costs have changed
            if n_children[other] == 0:
                costs[other] = cost(other)
                heapq.heappush(best, (costs[other], -other))
    return directed
