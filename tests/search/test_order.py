"""The search over orders: exact on small problems, reproducible, never a cycle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from bnsieve import _native
from bnsieve.decide import ParentSets
from bnsieve.engine import threads
from bnsieve.search.order import search_orders


def random_sets(n_variables, seed):
    """Scores that reward some sets at random; the empty set is always there."""
    rng = np.random.default_rng(seed)
    sets = []
    for v in range(n_variables):
        candidates = tuple(u for u in range(n_variables) if u != v)
        masks = np.unique(np.append(rng.integers(1 << len(candidates), size=12), 0))
        scores = np.where(masks > 0, rng.normal(5, 5, size=len(masks)), 0.0)
        order = np.argsort(-scores)
        sets.append(ParentSets(candidates, masks[order].astype(np.uint32), scores[order]))
    return sets


def search(sets, run=map, seed=0, n_rounds=100):
    return search_orders(sets, n_starts=3, n_rounds=n_rounds, seed=seed, run=run)


@settings(max_examples=25)
@given(st.integers(1, 6), st.integers(0, 10**6))
def test_finds_the_best_of_all_orders(n_variables, seed):
    sets = random_sets(n_variables, seed)
    listed = [[(one.members(i), score) for i, score in enumerate(one.scores)] for one in sets]
    assert search(sets).score == pytest.approx(reference.best_network_score(listed))


@given(st.integers(1, 20), st.integers(0, 10**6))
@settings(max_examples=25)
def test_parents_come_first_and_the_score_is_theirs(n_variables, seed):
    sets = random_sets(n_variables, seed)
    found = search(sets, n_rounds=20)
    place = {v: i for i, v in enumerate(found.order)}
    assert sorted(place) == list(range(n_variables))
    total = 0.0
    for v, parents in enumerate(found.parents):
        assert all(place[u] < place[v] for u in parents)
        total += next(
            score for i, score in enumerate(sets[v].scores) if sets[v].members(i) == parents
        )
    assert found.score == pytest.approx(total)


@given(st.integers(2, 20), st.integers(0, 10**6))
@settings(max_examples=25)
def test_a_search_that_starts_from_a_network_ends_no_lower(n_variables, seed):
    sets = random_sets(n_variables, seed)
    first = search(sets, n_rounds=20)
    again = search_orders(sets, n_starts=1, n_rounds=0, seed=1, run=map, start=first.order)
    assert again.score >= first.score - 1e-9


def test_threads_do_not_change_the_result():
    sets = random_sets(15, 3)
    with threads(2) as run:
        assert search(sets, run) == search(sets)


def test_refuses_sets_that_kernels_cannot_index():
    offsets, none = np.array([0, 0]), np.array([], np.int32)
    arguments = [offsets, none, np.array([0, 1]), np.array([1], np.uint32), np.array([0.0])]
    with pytest.raises(ValueError, match="more members"):
        _native.search_orders(*arguments, np.array([0], np.int32), 1, 0)
    arguments[3] = np.array([0], np.uint32)
    with pytest.raises(ValueError, match="permutation"):
        _native.search_orders(*arguments, np.array([1], np.int32), 1, 0)


@settings(max_examples=40)
@given(st.integers(2, 6), st.integers(0, 10**6))
def test_required_parents_are_always_taken(n_variables, seed):
    """The best of all orders among those that have the required parents first."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n_variables).tolist()
    forward = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    required = [arrow for arrow in forward if rng.random() < 0.3]
    sets = []
    for v, one in enumerate(random_sets(n_variables, seed)):
        needed = sum(1 << one.candidates.index(a) for a, b in required if b == v)
        # Sets without the required parents would score far better.
        sets.append(ParentSets(one.candidates, one.masks | np.uint32(needed), one.scores))
    found = search_orders(sets, n_starts=2, n_rounds=50, seed=seed, run=map, required=required)
    place = {v: i for i, v in enumerate(found.order)}
    for v, parents in enumerate(found.parents):
        assert {a for a, b in required if b == v} <= set(parents)
        assert all(place[u] < place[v] for u in parents)
    listed = [[(one.members(i), score) for i, score in enumerate(one.scores)] for one in sets]
    unlawful = [([], -1e6)]
    best = reference.best_network_score([[*one, *unlawful] for one in listed])
    assert found.score == pytest.approx(best)
