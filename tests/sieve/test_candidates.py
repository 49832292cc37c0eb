"""Candidates from a ranking: the strongest, symmetric, within the budget."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bnsieve.sieve import beyond_chance, coverage, strongest_candidates, visible_to_all


def test_the_strongest_come_first_and_are_candidates_at_both_ends():
    ranking = np.array([[0, 8, 7, 9], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], float)
    assert strongest_candidates(ranking, 1, 9) == ((3,), (), (), (0,))
    assert strongest_candidates(ranking, 2, 9) == ((3, 1), (0,), (), (0,))


def test_own_choice_comes_before_the_choice_of_others():
    ranking = np.zeros((4, 4))
    ranking[[0, 1, 3], [1, 2, 1]] = 1
    assert strongest_candidates(ranking, 1, 2) == ((1,), (2, 0), (1,), (1,))


@given(st.integers(1, 8), st.integers(1, 5), st.integers(1, 6), st.integers(0, 10**6))
def test_budget_holds_and_no_variable_is_its_own_candidate(n, size, budget, seed):
    ranking = np.maximum(np.random.default_rng(seed).normal(size=(n, n)), 0.0)
    np.fill_diagonal(ranking, 0.0)
    found = strongest_candidates(ranking, size, budget)
    for target, chosen in enumerate(found):
        assert len(set(chosen)) == len(chosen) <= budget
        assert target not in chosen


def test_visible_variables_are_the_most_associated_that_may_be_joined():
    association = np.array([[0.0, 3, 1, 2], [3, 0, -1, 5], [1, -1, 0, 4], [2, 5, 4, 0]])
    adjacency_allowed = np.ones((4, 4), dtype=bool)
    adjacency_allowed[0, 1] = adjacency_allowed[1, 0] = False
    beyond = association > 0
    visible = visible_to_all(association, beyond, adjacency_allowed, 2)
    assert [one.tolist() for one in visible] == [[2, 3], [2, 3], [0, 3], [1, 2]]
    assert visible_to_all(association, beyond, adjacency_allowed, 9)[0].tolist() == [2, 3]


def test_fewer_are_visible_where_chance_could_give_their_association():
    rng = np.random.default_rng(0)
    n = 300
    association = rng.chisquare(4, (n, n)) - 4
    association[0, 1:101] = 1000.0
    beyond = beyond_chance(association, np.full(n, 3))
    assert beyond[0, 1:101].all()
    # Chance gives each variable one pair or less on average.
    assert beyond[1:].sum() <= n
    visible = visible_to_all(association, beyond, np.ones((n, n), dtype=bool), 256)
    assert set(range(1, 101)) <= set(visible[0].tolist())
    assert [len(one) for one in visible[1:]] == [32] * (n - 1)
    assert len(visible_to_all(association, beyond, np.ones((n, n), dtype=bool), 40)[0]) == 40


def test_coverage_asks_either_end():
    candidates = ((1,), (), (0,), ())
    assert coverage(candidates, [(0, 1), (0, 2), (1, 2), (2, 3)]) == 0.5
    assert coverage(candidates, []) == 1.0
