"""The paper's method: its pair rule on the oracle, its estimator on data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnsieve
from bnsieve.decide import DSeparationOracle
from bnsieve.knowledge import Knowledge
from bnsieve.learners import TsetlinPC, paper_epochs
from bnsieve.search import pair_rule, shrink_candidates
from bnsieve.sieve import before_the_drop
from strategies import dags


@given(dags(max_nodes=8))
def test_pair_rule_is_exact_when_the_true_neighbours_are_known(dag):
    numbers = {name: i for i, name in enumerate(dag.nodes)}
    neighbours = [sorted(numbers[v] for v in dag.adjacent(name)) for name in dag.nodes]
    found = pair_rule(DSeparationOracle(dag), neighbours)
    true = {tuple(sorted((numbers[a], numbers[b]))) for a, b in dag.directed_edges}
    assert set(found.edges) == true


@given(dags(max_nodes=7), st.data())
def test_pair_rule_keeps_no_pair_that_its_candidates_separate(dag, data):
    """With any candidates: what is joined was asked for, and what was separated is separated."""
    n = len(dag.nodes)
    chosen = st.lists(st.integers(0, n - 1), max_size=3, unique=True)
    neighbours = [[v for v in data.draw(chosen) if v != i] for i in range(n)]
    found = pair_rule(DSeparationOracle(dag), neighbours)
    asked = {tuple(sorted((t, x))) for t in range(n) for x in neighbours[t]}
    assert set(found.edges) | set(found.separating_sets) == asked
    for (x, y), given_variables in found.separating_sets.items():
        names = [dag.nodes[v] for v in given_variables]
        assert dag.d_separated(dag.nodes[x], dag.nodes[y], names)


@given(dags(max_nodes=7), st.data())
def test_shrinking_keeps_true_neighbours_and_separates_only_what_is_separated(dag, data):
    """Candidates in any order, true neighbours among them; no set separates a true neighbour."""
    numbers = {name: i for i, name in enumerate(dag.nodes)}
    n = len(dag.nodes)
    ranked = []
    for name in dag.nodes:
        true = {numbers[v] for v in dag.adjacent(name)}
        more = data.draw(st.sets(st.integers(0, n - 1), max_size=3))
        ranked.append(data.draw(st.permutations(sorted((true | more) - {numbers[name]}))))
    found = shrink_candidates(DSeparationOracle(dag), ranked, max_conditioning=None)
    true = {tuple(sorted((numbers[a], numbers[b]))) for a, b in dag.directed_edges}
    assert true <= set(found.edges)
    assert not set(found.edges) & set(found.separating_sets)
    asked = {tuple(sorted((t, x))) for t in range(n) for x in ranked[t]}
    assert set(found.edges) | set(found.separating_sets) == asked
    for (x, y), given_variables in found.separating_sets.items():
        names = [dag.nodes[v] for v in given_variables]
        assert dag.d_separated(dag.nodes[x], dag.nodes[y], names)


def test_shrinking_tests_the_weakest_first_given_the_strongest():
    """Of a chain a - b - c, both ends know all: b goes last, and separates the ends."""
    dag = bnsieve.Graph(["a", "b", "c"], [("a", "b"), ("b", "c")])
    asked = []

    class Watched(DSeparationOracle):
        def test(self, x, y, given=()):
            asked.append((x, y, tuple(given)))
            return super().test(x, y, given)

    found = shrink_candidates(Watched(dag), [[1, 2], [], []])
    # All alone; then c, the weakest, given b, which separates it; then b, with none left to give.
    assert asked == [(0, 1, ()), (0, 2, ()), (0, 2, (1,))]
    assert found.edges == ((0, 1),)
    assert found.separating_sets == {(0, 2): (1,)}


@pytest.mark.parametrize(
    ("scores", "at_least", "kept"),
    [
        # From 9 to 3 is a drop of two thirds; all others are smaller.
        ([3, 10, 2, 9, 2, 2], 2, (1, 3)),
        ([3, 10, 2, 9, 2, 2], 3, (1, 3, 0)),
        # The largest difference is not the largest relative drop, which is from 4 to 1.
        ([100, 60, 40, 4, 1, 30, 20, 10, 6], 2, (0, 1, 2, 5, 6, 7, 8, 3)),
        # Five or fewer are all kept; what no clause names never is.
        ([9, 1, 0, 8], 1, (0, 3, 1)),
        ([0, 0], 2, ()),
    ],
)
def test_the_cut_is_at_the_largest_relative_drop(scores, at_least, kept):
    assert before_the_drop(np.array(scores), at_least) == kept


def test_hyper_parameters_by_size_are_the_papers():
    assert [paper_epochs(n) for n in (27, 29, 30, 37, 50, 51, 186)] == [2, 2, 5, 5, 5, 10, 10]


@pytest.fixture(scope="module")
def alarm():
    truth = bnsieve.load_network("alarm")
    return truth, truth.sample(5000, random_state=0)


def test_finds_most_of_alarm_with_few_tests(alarm):
    """The paper reports F1 0.87 +- 0.02 with 271 tests; PC needs thousands."""
    truth, data = alarm
    learner = TsetlinPC(random_state=0).fit(data)
    result = bnsieve.metrics.compare(truth, learner.graph_)
    assert result.f1 > 0.84
    assert learner.fit_result_.n_tests < 300
    assert all(len(chosen) <= 2 for chosen in learner.candidates_.values())
    assert list(learner.timings_) == [
        "reading",
        "table",
        "sieve",
        "search",
        "orientation",
        "families",
    ]


def test_the_relative_cut_finds_most_of_alarm(alarm):
    truth, data = alarm
    learner = TsetlinPC(cut="relative", alpha=0.01, threshold=10, random_state=0).fit(data)
    found = learner.candidates_
    assert len({len(chosen) for chosen in found.values()}) > 1
    assert all(len(chosen) >= 2 for chosen in found.values())
    assert bnsieve.metrics.compare(truth, learner.graph_).f1 > 0.75
    joined = {frozenset(edge) for edge in learner.graph_.skeleton().undirected_edges}
    assert joined <= {frozenset((a, b)) for a, chosen in found.items() for b in chosen}


def test_the_relative_cut_honours_knowledge(alarm):
    _, data = alarm
    known = Knowledge(required=[("HR", "PAP")], forbidden=[("HR", "CO"), ("CO", "HR")])
    learner = TsetlinPC(cut="relative", knowledge=known, random_state=0).fit(data.iloc[:1000])
    assert ("HR", "PAP") in learner.graph_.directed_edges
    assert "CO" not in learner.graph_.adjacent("HR")


def test_an_unknown_cut_is_refused(alarm):
    _, data = alarm
    with pytest.raises(ValueError, match=r"cut.*one of fixed, relative"):
        TsetlinPC(cut="sharp").fit(data.iloc[:100])


def test_result_depends_on_neither_column_order_nor_threads(alarm):
    _, data = alarm
    rows = data.iloc[:1000]
    plain = TsetlinPC(random_state=1).fit(rows)
    shuffled = rows[np.random.default_rng(0).permutation(rows.columns)]
    other = TsetlinPC(random_state=1, n_jobs=2).fit(shuffled)
    assert plain.graph_ == other.graph_
    assert plain.candidates_ == other.candidates_
    assert plain.fit_result_.n_tests == other.fit_result_.n_tests


def test_constant_columns_and_missing_cells_are_no_obstacle(alarm):
    _, data = alarm
    rows = data.iloc[:800].astype(object)
    rows.loc[rows.index[:80], "HR"] = None
    rows["same"] = "yes"
    learner = TsetlinPC(random_state=1).fit(rows)
    assert learner.constant_features_ == ("same",)
    assert "same" in learner.graph_.nodes
    assert learner.graph_.adjacent("HR")
