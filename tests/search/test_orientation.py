"""Orientation: exact classes with the oracle, valid classes whatever the tests say."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnsieve.decide import CIOutcome, DSeparationOracle, IndependenceTest
from bnsieve.graph import Graph
from bnsieve.knowledge import Constraints
from bnsieve.search import Skeleton, known_class, orient, pc_skeleton
from bnsieve.search.orientation import without_undetermined


def random_dag(seed):
    """A random DAG of 3 to 20 nodes with at most three parents each."""
    rng = np.random.default_rng(seed)
    n_nodes = int(rng.integers(3, 21))
    order = [f"v{i}" for i in rng.permutation(n_nodes)]
    density = rng.uniform(1, 2.4) / (n_nodes - 1)
    arrows = []
    for i, child in enumerate(order):
        parents = [parent for parent in order[:i] if rng.random() < density]
        arrows += [(parent, child) for parent in parents[-3:]]
    return Graph(sorted(order), directed=arrows)


# Two blocks on the common path, the others where there is time.
BLOCKS = [0, 1, *(pytest.param(block, marks=pytest.mark.slow) for block in range(2, 10))]


@pytest.mark.parametrize("block", BLOCKS)
def test_oracle_gives_the_exact_cpdag_on_500_random_dags(block):
    for seed in range(50 * block, 50 * block + 50):
        graph = random_dag(seed)
        oracle = DSeparationOracle(graph)
        skeleton = pc_skeleton(oracle, graph.n_nodes)
        orientation = orient(skeleton, oracle)
        learned = Graph.from_index_edges(graph.nodes, orientation.directed_edges)
        assert learned.to_cpdag() == graph.to_cpdag(), f"seed {seed}"
        assert orientation.conflicts == ()


class Erratic(IndependenceTest):
    """Answers at random, but the same question always alike."""

    def __init__(self, seed):
        super().__init__()
        self.seed = seed

    def outcome(self, x, y, given):
        rng = np.random.default_rng([self.seed, x, y, *given])
        p_value = [0.05 * rng.random(), 0.05 + 0.95 * rng.random(), np.nan][rng.integers(3)]
        return CIOutcome(1.0, 1.0, p_value, "erratic", 10)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 9), st.floats(0, 1))
def test_any_skeleton_and_any_answers_give_a_dag_of_that_skeleton(seed, n, density):
    rng = np.random.default_rng(seed)
    test = Erratic(seed)
    pairs = list(combinations(range(n), 2))
    edges = tuple(pair for pair in pairs if rng.random() < density)
    skeleton = Skeleton(n, edges, {}, 0)
    orientation = orient(skeleton, test)
    graph = Graph.from_index_edges(
        [f"v{i}" for i in range(n)], orientation.directed_edges
    )  # no cycle
    assert sorted(tuple(sorted(arrow)) for arrow in orientation.directed_edges) == sorted(edges)
    assert graph.to_cpdag().is_cpdag
    assert all(a < b and (a, b) not in edges for a, _, b in orientation.conflicts)


class Scripted(IndependenceTest):
    """Gives the p-values written down, and 0 otherwise."""

    def __init__(self, p_values):
        super().__init__()
        self.p_values = p_values

    def outcome(self, x, y, given):
        p_value = self.p_values.get((x, y, given), 0.0)
        return CIOutcome(1.0, 1.0, p_value, "scripted", 10)


@pytest.mark.parametrize(("first", "second", "believed"), [(0.9, 0.3, 1), (0.3, 0.9, 2)])
def test_of_two_colliders_that_contradict_each_other_the_stronger_is_believed(
    first, second, believed
):
    # 0 - 1 - 2 - 3 with 0 -> 1 <- 2 and 1 -> 2 <- 3: the middle edge cannot point both ways.
    test = Scripted({(0, 2, ()): first, (1, 3, ()): second, (0, 3, ()): 1.0})
    skeleton = Skeleton(4, ((0, 1), (1, 2), (2, 3)), {(0, 2): (), (1, 3): (), (0, 3): ()}, 3)
    orientation = orient(skeleton, test)
    graph = Graph.from_index_edges(list("abcd"), orientation.directed_edges)
    centre = "abcd"[believed]
    assert [collider for _, collider, _ in graph.v_structures()] == [centre]
    assert orientation.conflicts == ((1, 2, 3) if believed == 1 else (0, 1, 2),)


def test_a_circle_without_colliders_gives_way_where_the_evidence_is_weakest():
    # 0 - 1 - 2 - 3 - 0: every DAG of a circle of four has a collider. The tests deny all four;
    # 2 is denied most weakly (its ends are 1 and 3, separated by 0 and 2 at p = 0.06).
    sets = {(0, 2): (1, 3), (1, 3): (0, 2)}
    test = Scripted({(0, 2, (1, 3)): 0.9, (1, 3, (0, 2)): 0.06})
    skeleton = Skeleton(4, ((0, 1), (0, 3), (1, 2), (2, 3)), sets, 2)
    orientation = orient(skeleton, test)
    assert len(orientation.conflicts) == 1
    assert orientation.conflicts[0] in {(1, 0, 3), (1, 2, 3)}


def test_the_majority_of_separating_sets_decides():
    # Unshielded 0 - 1 - 2; 3 and 4 are further neighbours of 0. Of the sets that separate 0 and 2,
    # () and (3,) lack 1, and (1,) has it.
    edges = ((0, 1), (0, 3), (0, 4), (1, 2))
    answers = {(0, 2, ()): 0.5, (0, 2, (3,)): 0.5, (0, 2, (1,)): 0.5}
    orientation = orient(Skeleton(5, edges, {(0, 2): (1,)}, 0), Scripted(answers))
    assert {(0, 1), (2, 1)} <= set(orientation.directed_edges)


def test_a_pair_that_was_never_tested_is_tested_now():
    # The search found no separating set of 0 and 2, because it never asked.
    oracle = DSeparationOracle(Graph(list("abc"), directed=[("a", "b"), ("c", "b")]))
    orientation = orient(Skeleton(3, ((0, 1), (1, 2)), {}, 0), oracle)
    assert orientation.directed_edges == ((0, 1), (2, 1))


def questions(test, pair):
    return {given for x, y, given in test.results if (x, y) == pair}


@pytest.mark.parametrize("max_conditioning", [0, 1, 2, 3, None])
def test_sets_are_sought_among_the_neighbours_of_either_end(max_conditioning):
    # Unshielded 0 - 1 - 2; 0 has the neighbours 1, 3, 4, 5 and 2 has 1, 6, 7. Nothing separates.
    edges = ((0, 1), (0, 3), (0, 4), (0, 5), (1, 2), (2, 6), (2, 7))
    test = Scripted({})
    orient(Skeleton(8, edges, {}, 0), test, max_conditioning=max_conditioning)
    most = 8 if max_conditioning is None else max_conditioning
    expected = {
        given
        for around in ((1, 3, 4, 5), (1, 6, 7))
        for size in range(min(most, len(around)) + 1)
        for given in combinations(around, size)
    }
    assert questions(test, (0, 2)) == expected


def test_without_a_limit_given_sets_of_two_are_the_largest():
    edges = ((0, 1), (0, 3), (0, 4), (1, 2))
    test = Scripted({})
    orient(Skeleton(5, edges, {}, 0), test)
    assert max(map(len, questions(test, (0, 2)))) == 2


def test_sets_that_the_search_found_always_count():
    # (3, 4, 5) is larger than what is looked for, and the only set that separates 0 and 2.
    edges = ((0, 1), (0, 3), (0, 4), (0, 5), (1, 2))
    found = {(0, 2): (3, 4, 5)}
    test = Scripted({(0, 2, (3, 4, 5)): 0.7})
    orientation = orient(Skeleton(6, edges, found, 0), test, max_conditioning=1)
    assert {(0, 1), (2, 1)} <= set(orientation.directed_edges)


def allowing(n, *arrows, required=()):
    """Constraints of n variables that allow these arrows of the pairs named, and all others."""
    allowed = np.ones((n, n), dtype=bool)
    for tail, head in arrows:
        allowed[head, tail] = False
    return Constraints.of(allowed, required)


def test_ends_that_knowledge_keeps_apart_need_one_small_set():
    # 0 - 1 - 2 with 0 and 2 never joined; 3 and 4 are further neighbours of 0.
    edges = ((0, 1), (0, 3), (0, 4), (1, 2))
    allowed = np.ones((5, 5), dtype=bool)
    allowed[0, 2] = allowed[2, 0] = False
    apart = Constraints.of(allowed, [])
    test = Scripted({})
    orient(Skeleton(5, edges, {}, 0), test, constraints=apart)
    assert questions(test, (0, 2)) == {(), (1,), (3,), (4,)}
    test = Scripted({(0, 2, (3,)): 0.5, (0, 2, (1,)): 0.5})
    orient(Skeleton(5, edges, {}, 0), test, constraints=apart)
    assert questions(test, (0, 2)) == {(), (1,)}  # the first that separates decides
    test = Scripted({})
    orient(Skeleton(5, edges, {}, 0), test, constraints=apart, max_conditioning_apart=2)
    assert max(map(len, questions(test, (0, 2)))) == 2


@pytest.mark.parametrize("weakest", [(0, 1), (1, 2), (0, 2)])
def test_of_arrows_in_a_circle_by_knowledge_the_weakest_goes(weakest):
    # Each of the three may have one direction only: 0 -> 1 -> 2 -> 0.
    edges = ((0, 1), (0, 2), (1, 2))
    test = Scripted({(*pair, ()): 0.04 if pair == weakest else 0.01 for pair in edges})
    known = allowing(3, (0, 1), (1, 2), (2, 0))
    orientation = orient(Skeleton(3, edges, {}, 0), test, constraints=known)
    assert orientation.discarded == (weakest,)
    lawful = {(0, 1), (1, 2), (2, 0)}
    assert set(orientation.directed_edges) == {
        arrow for arrow in lawful if tuple(sorted(arrow)) != weakest
    }


class Strengths(IndependenceTest):
    """Gives p-values and statistics by pair."""

    def __init__(self, values):
        super().__init__()
        self.values = values

    def outcome(self, x, y, given):
        p_value, statistic = self.values[x, y]
        return CIOutcome(statistic, 1.0, p_value, "by pair", 10)


@pytest.mark.parametrize(
    "values",
    [
        {(0, 1): (0.0, 900.0), (0, 2): (0.0, 800.0), (1, 2): (0.0, 700.0)},  # the statistic decides
        {(0, 1): (0.9, 1.0), (0, 2): (1.0, 1.0), (1, 2): (np.nan, 9e9)},  # no p-value is weakest
        {(0, 1): (0.0, 5.0), (0, 2): (0.0, 5.0), (1, 2): (0.0, 5.0)},  # then the numbers
    ],
)
def test_what_the_weakest_is(values):
    known = allowing(3, (0, 1), (1, 2), (2, 0))
    skeleton = Skeleton(3, ((0, 1), (0, 2), (1, 2)), {}, 0)
    assert orient(skeleton, Strengths(values), constraints=known).discarded == ((1, 2),)


def test_required_arrows_are_never_the_weakest():
    # 0 -> 1 -> 2 is required; 2 -> 0 is all that knowledge leaves of the third, and cannot be.
    allowed = np.ones((3, 3), dtype=bool)
    required = ((0, 1), (1, 2))
    allowed[0, 2] = False
    known = Constraints(allowed, required)
    values = {(0, 1): (1.0, 0.0), (0, 2): (0.0, 99.0), (1, 2): (1.0, 0.0)}
    skeleton = Skeleton(3, ((0, 1), (0, 2), (1, 2)), {}, 0)
    orientation = orient(skeleton, Strengths(values), constraints=known)
    assert orientation.directed_edges == required
    assert orientation.discarded == ((0, 2),)


def test_triples_that_knowledge_decides_are_not_tested():
    edges = ((0, 1), (1, 2))
    for known in (
        allowing(3, (0, 1), (2, 1)),  # both arrows point to 1
        allowing(3, (1, 0)),  # one points away from it
        allowing(3, (1, 2)),
    ):
        test = Scripted({})
        orient(Skeleton(3, edges, {}, 0), test, constraints=known)
        assert not questions(test, (0, 2))
    test = Scripted({})
    orient(Skeleton(3, edges, {}, 0), test, constraints=allowing(3, (0, 1)))
    assert questions(test, (0, 2)) == {(), (1,)}


def test_strength_is_how_clearly_sets_separate_and_agree():
    # 0 - 1 - 2 - 3 again. Of three sets that separate 0 and 2 at p = .9 one holds 1: strength .3.
    # The only one that separates 1 and 3 lacks 2, at p = .5: that is stronger.
    answers = {(0, 2, given): 0.9 for given in ((), (1,), (3,))} | {(1, 3, ()): 0.5}
    skeleton = Skeleton(4, ((0, 1), (1, 2), (2, 3)), {}, 0)
    orientation = orient(skeleton, Scripted(answers))
    assert {(1, 2), (3, 2)} <= set(orientation.directed_edges)
    assert orientation.conflicts == ((0, 1, 2),)
    # At p = .2 it is weaker.
    orientation = orient(skeleton, Scripted(answers | {(1, 3, ()): 0.2}))
    assert {(0, 1), (2, 1)} <= set(orientation.directed_edges)
    assert orientation.conflicts == ((1, 2, 3),)


def test_an_arrow_of_which_little_is_known_is_a_line():
    graph = Graph(list("abcde"), [("a", "b"), ("c", "b"), ("b", "d")], [("d", "e")])
    margins = {("a", "b"): 2.99, ("c", "b"): 3.0, ("d", "b"): 0.0}
    found = without_undetermined(graph, margins)
    assert found == Graph(list("abcde"), [("c", "b"), ("b", "d")], [("d", "e"), ("a", "b")])
    assert without_undetermined(graph, {("c", "b"): 3.0}) is graph


def test_knowledge_directs_lines_of_the_class():
    chain = Graph(list("abc"), [("a", "b"), ("b", "c")])
    assert known_class(chain, Constraints.none(3)) == chain.skeleton()
    # c may not come before b: the line b - c is an arrow, and a - b stays open.
    assert known_class(chain, allowing(3, (1, 2))) == Graph(list("abc"), [("b", "c")], [("a", "b")])
    turned = Graph(list("abc"), [("b", "a"), ("c", "b")])
    assert known_class(turned, allowing(3, (2, 1))) == turned
