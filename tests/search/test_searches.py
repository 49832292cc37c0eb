"""PC, HITON-PC and FSMB-PC on an oracle: exact skeletons, true separating sets, counted tests."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import combinations

import numpy as np
import pytest

from bnsieve.decide import Answer, CIOutcome, DSeparationOracle, IndependenceTest
from bnsieve.graph import Graph
from bnsieve.search import fsmb_pc, hiton_pc, pc_skeleton

SEARCHES = {
    "pc-stable": pc_skeleton,
    "pc-original": partial(pc_skeleton, variant="original"),
    "hiton-pc": hiton_pc,
    "fsmb-pc": fsmb_pc,
}
MAX_PARENTS = 3

every_search = pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)


@cache
def random_oracle(seed):
    """Answer for a random DAG of 5 to 30 nodes with at most three parents each.

    The oracle is shared by the algorithms: answers once found are remembered.
    """
    rng = np.random.default_rng(seed)
    n_nodes = int(rng.integers(5, 31))
    order = [f"v{i}" for i in rng.permutation(n_nodes)]
    density = rng.uniform(1, 2.2) / (n_nodes - 1)
    arrows = []
    for i, child in enumerate(order):
        parents = [parent for parent in order[:i] if rng.random() < density]
        arrows += [(parent, child) for parent in parents[-MAX_PARENTS:]]
    return DSeparationOracle(Graph(sorted(order), directed=arrows))


def true_edges(graph):
    joined = graph.skeleton().undirected_index.tolist()
    return {(min(pair), max(pair)) for pair in joined}


# Two blocks on the common path, the others where there is time.
BLOCKS = [0, 1, *(pytest.param(block, marks=pytest.mark.slow) for block in range(2, 10))]


@every_search
@pytest.mark.parametrize("block", BLOCKS)
def test_oracle_gives_the_exact_skeleton_on_200_random_dags(search, block):
    # Each algorithm's theory: right answers, and sets as large as the largest set of parents.
    for seed in range(20 * block, 20 * block + 20):
        oracle = random_oracle(seed)
        graph = oracle.graph
        skeleton = search(oracle, graph.n_nodes, max_conditioning=MAX_PARENTS)
        assert set(skeleton.edges) == true_edges(graph), f"seed {seed}"
        unjoined = set(combinations(range(graph.n_nodes), 2)) - set(skeleton.edges)
        assert set(skeleton.separating_sets) == unjoined
        for (x, y), given in skeleton.separating_sets.items():
            names = graph.nodes
            assert graph.d_separated(names[x], names[y], [names[v] for v in given])


@every_search
@pytest.mark.parametrize("seed", range(5))
def test_order_of_work_and_threads_have_no_say(search, seed):
    graph = random_oracle(seed).graph
    in_order = DSeparationOracle(graph)
    expected = search(in_order, graph.n_nodes)

    def backwards(function, items):
        return list(map(function, reversed(list(items))))[::-1]

    for run in (backwards, ThreadPoolExecutor(3).map):
        oracle = DSeparationOracle(graph)
        assert search(oracle, graph.n_nodes, run=run) == expected
        assert oracle.n_tests == expected.n_tests
        assert set(oracle.results) == set(in_order.results)


@pytest.mark.parametrize("seed", range(5))
def test_stable_pc_asks_no_less_than_the_original(seed):
    graph = random_oracle(seed).graph
    n_tests = {
        variant: pc_skeleton(DSeparationOracle(graph), graph.n_nodes, variant=variant).n_tests
        for variant in ("stable", "original")
    }
    assert n_tests["stable"] >= n_tests["original"]


@pytest.mark.parametrize("search", [hiton_pc, fsmb_pc])
def test_one_end_alone_may_keep_a_descendant(search):
    # t -> a <- h, a -> x <- h. Only a and h together separate t from x, and h, independent of t,
    # is no candidate of t: t keeps x. It is x that lets t go.
    graph = Graph(list("ahtx"), directed=[tuple(arrow) for arrow in ("ta", "ha", "ax", "hx")])
    both = search(DSeparationOracle(graph), 4)
    either = search(DSeparationOracle(graph), 4, join="either")
    assert set(both.edges) == true_edges(graph)
    assert set(either.edges) == true_edges(graph) | {(2, 3)}
    assert both.separating_sets == {(1, 2): (), (2, 3): (0, 1)}
    assert either.separating_sets == {(1, 2): ()}


@every_search
def test_number_of_tests_by_hand(search):
    # a -> b -> c. Given nothing: ab, ac, bc. Then ab|c, ac|b (separates), bc|a.
    chain = DSeparationOracle(Graph(list("abc"), directed=[("a", "b"), ("b", "c")]))
    skeleton = search(chain, 3)
    assert skeleton.edges == ((0, 1), (1, 2))
    assert skeleton.separating_sets == {(0, 2): (1,)}
    # a -> b <- c. ac is independent given nothing; what is left is ab|c and bc|a.
    collider = DSeparationOracle(Graph(list("abc"), directed=[("a", "b"), ("c", "b")]))
    skeleton = search(collider, 3)
    assert skeleton.edges == ((0, 1), (1, 2))
    assert skeleton.separating_sets == {(0, 2): ()}
    assert chain.n_tests == 6
    assert collider.n_tests == 5


class Scripted(IndependenceTest):
    """Gives the answers written down, and says dependent otherwise."""

    def __init__(self, answers):
        super().__init__()
        self.answers = answers

    def outcome(self, x, y, given):
        answer = self.answers.get((x, y, given), Answer.DEPENDENT)
        p_value = {Answer.DEPENDENT: 0.0, Answer.INDEPENDENT: 1.0}.get(answer, float("nan"))
        return CIOutcome(1.0, 1.0, p_value, "scripted", 10)


@every_search
def test_a_set_that_cannot_tell_neither_separates_nor_confirms(search):
    # Given 1 nothing can be said of 0 and 2, given 3 they are independent.
    script = {(0, 2, (1,)): Answer.CANNOT_TELL, (0, 2, (3,)): Answer.INDEPENDENT}
    skeleton = search(Scripted(script), 4)
    assert skeleton.separating_sets == {(0, 2): (3,)}
    assert (0, 2) not in skeleton.edges
    # All sets but the empty one cannot tell: the edge stays.
    sets = [(1,), (3,), (1, 3)]
    skeleton = search(Scripted({(0, 2, s): Answer.CANNOT_TELL for s in sets}), 4)
    assert (0, 2) in skeleton.edges


@every_search
def test_a_pair_of_which_nothing_can_be_said_is_not_joined(search):
    skeleton = search(Scripted({(0, 1, ()): Answer.CANNOT_TELL}), 3)
    assert skeleton.edges == ((0, 2), (1, 2))
    assert skeleton.separating_sets == {}


@every_search
def test_sets_are_never_larger_than_allowed(search):
    graph = random_oracle(3).graph
    for max_conditioning in (0, 1, 2):
        oracle = DSeparationOracle(graph)
        skeleton = search(oracle, graph.n_nodes, max_conditioning=max_conditioning)
        assert max(len(given) for _, _, given in oracle.results) == max_conditioning
        assert set(skeleton.edges) >= true_edges(graph)


@every_search
def test_no_limit_is_all_that_there_is(search):
    # Four parents that only all together block: one more than the local searches' default.
    graph = Graph(list("abcdxy"), directed=[(m, "y") for m in "abcd"] + [("x", m) for m in "abcd"])
    skeleton = search(DSeparationOracle(graph), 6, max_conditioning=None)
    assert set(skeleton.edges) == true_edges(graph)
    assert skeleton.separating_sets[4, 5] == (0, 1, 2, 3)


@every_search
@pytest.mark.parametrize("n_variables", [0, 1])
def test_nothing_to_join(search, n_variables):
    skeleton = search(Scripted({}), n_variables)
    assert (skeleton.edges, skeleton.n_tests) == ((), 0)
