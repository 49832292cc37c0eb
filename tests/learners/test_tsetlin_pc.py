"""The paper's method: its pair rule on the oracle, its estimator on data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnsieve
from bnsieve.decide.independence import DSeparationOracle
from bnsieve.learners import TsetlinPC, paper_epochs
from bnsieve.search import pair_rule
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
    assert learner.n_tests_ < 300
    assert all(len(chosen) <= 2 for chosen in learner.candidates_.values())
    assert list(learner.timings_) == ["table", "sieve", "search", "orientation", "families"]


def test_result_depends_on_neither_column_order_nor_threads(alarm):
    _, data = alarm
    rows = data.iloc[:1000]
    plain = TsetlinPC(random_state=1).fit(rows)
    shuffled = rows[np.random.default_rng(0).permutation(rows.columns)]
    other = TsetlinPC(random_state=1, n_jobs=2).fit(shuffled)
    assert plain.graph_ == other.graph_
    assert plain.candidates_ == other.candidates_
    assert plain.n_tests_ == other.n_tests_


def test_constant_columns_and_missing_cells_are_no_obstacle(alarm):
    _, data = alarm
    rows = data.iloc[:800].astype(object)
    rows.loc[rows.index[:80], "HR"] = None
    rows["same"] = "yes"
    learner = TsetlinPC(random_state=1).fit(rows)
    assert learner.constant_features_ == ("same",)
    assert "same" in learner.graph_.nodes
    assert learner.graph_.adjacent("HR")
