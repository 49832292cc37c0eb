"""Orientation: exact classes with the oracle, valid classes whatever the tests say."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnsieve.decide import Answer, IndependenceTest, TestResult
from bnsieve.decide.independence import DSeparationOracle
from bnsieve.graph import Graph
from bnsieve.search import Skeleton, orient, pc_skeleton

RULES = ["first", "majority", "conservative"]


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
        for rule in RULES:
            orientation = orient(skeleton, oracle, rule=rule)
            learned = Graph.from_index_edges(graph.nodes, orientation.arrows)
            assert learned.to_cpdag() == graph.to_cpdag(), f"seed {seed}, {rule}"
            assert orientation.conflicts == ()


class Erratic(IndependenceTest):
    """Answers at random, but the same question always alike."""

    def __init__(self, seed):
        super().__init__()
        self.seed = seed

    def _perform(self, x, y, given):
        rng = np.random.default_rng([self.seed, x, y, *given])
        answer = [Answer.DEPENDENT, Answer.INDEPENDENT, Answer.CANNOT_TELL][rng.integers(3)]
        p_value = np.nan if answer is Answer.CANNOT_TELL else rng.random()
        return TestResult(x, y, given, answer, p_value, 1.0, 1.0, 10, "erratic")


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 9), st.floats(0, 1), st.sampled_from(RULES))
def test_any_skeleton_and_any_answers_give_a_dag_of_that_skeleton(seed, n, density, rule):
    rng = np.random.default_rng(seed)
    test = Erratic(seed)
    pairs = list(combinations(range(n), 2))
    edges = tuple(pair for pair in pairs if rng.random() < density)
    skeleton = Skeleton(n, edges, {}, 0)
    orientation = orient(skeleton, test, rule=rule)
    graph = Graph.from_index_edges([f"v{i}" for i in range(n)], orientation.arrows)  # no cycle
    assert sorted(tuple(sorted(arrow)) for arrow in orientation.arrows) == sorted(edges)
    assert graph.to_cpdag().is_cpdag
    assert all(a < b and (a, b) not in edges for a, _, b in orientation.conflicts)


class Scripted(IndependenceTest):
    """Gives the p-values written down, and 0 otherwise."""

    def __init__(self, p_values):
        super().__init__()
        self.p_values = p_values

    def _perform(self, x, y, given):
        p_value = self.p_values.get((x, y, given), 0.0)
        answer = Answer.INDEPENDENT if p_value >= 0.05 else Answer.DEPENDENT
        return TestResult(x, y, given, answer, p_value, 1.0, 1.0, 10, "scripted")


@pytest.mark.parametrize(("first", "second", "believed"), [(0.9, 0.3, 1), (0.3, 0.9, 2)])
def test_of_two_colliders_that_contradict_each_other_the_stronger_is_believed(
    first, second, believed
):
    # 0 - 1 - 2 - 3 with 0 -> 1 <- 2 and 1 -> 2 <- 3: the middle edge cannot point both ways.
    test = Scripted({(0, 2, ()): first, (1, 3, ()): second, (0, 3, ()): 1.0})
    skeleton = Skeleton(4, ((0, 1), (1, 2), (2, 3)), {(0, 2): (), (1, 3): (), (0, 3): ()}, 3)
    orientation = orient(skeleton, test, rule="first")
    graph = Graph.from_index_edges(list("abcd"), orientation.arrows)
    centre = "abcd"[believed]
    assert [collider for _, collider, _ in graph.v_structures()] == [centre]
    assert orientation.conflicts == ((1, 2, 3) if believed == 1 else (0, 1, 2),)


def test_a_circle_without_colliders_gives_way_where_the_evidence_is_weakest():
    # 0 - 1 - 2 - 3 - 0: every DAG of a circle of four has a collider. The tests deny all four;
    # 2 is denied most weakly (its ends are 1 and 3, separated by 0 and 2 at p = 0.06).
    sets = {(0, 2): (1, 3), (1, 3): (0, 2)}
    test = Scripted({(0, 2, (1, 3)): 0.9, (1, 3, (0, 2)): 0.06})
    skeleton = Skeleton(4, ((0, 1), (0, 3), (1, 2), (2, 3)), sets, 2)
    orientation = orient(skeleton, test, rule="first")
    assert len(orientation.conflicts) == 1
    assert orientation.conflicts[0] in {(1, 0, 3), (1, 2, 3)}


def test_majority_and_conservative_by_hand():
    # Unshielded 0 - 1 - 2; 3 and 4 are further neighbours of 0. Of the sets that separate 0 and 2,
    # () and (3,) lack 1, and (1,) has it.
    edges = ((0, 1), (0, 3), (0, 4), (1, 2))
    answers = {(0, 2, ()): 0.5, (0, 2, (3,)): 0.5, (0, 2, (1,)): 0.5}
    skeleton = Skeleton(5, edges, {(0, 2): (1,)}, 0)

    def collider(rule):
        orientation = orient(skeleton, Scripted(answers), rule=rule)
        return {(0, 1), (2, 1)} <= set(orientation.arrows)

    assert not collider("first")
    assert collider("majority")
    assert not collider("conservative")


def test_a_pair_that_was_never_tested_is_tested_now():
    # The search found no separating set of 0 and 2, because it never asked.
    oracle = DSeparationOracle(Graph(list("abc"), directed=[("a", "b"), ("c", "b")]))
    orientation = orient(Skeleton(3, ((0, 1), (1, 2)), {}, 0), oracle, rule="first")
    assert orientation.arrows == ((0, 1), (2, 1))
    assert oracle.n_tests == 1


def test_unknown_rule():
    with pytest.raises(ValueError, match="rule must be 'first', 'majority' or 'conservative'"):
        orient(Skeleton(2, (), {}, 0), Erratic(0), rule="best")
