"""Scores of parent sets from a covariance, against determinants."""

from itertools import combinations

import numpy as np
import pytest

from bnsieve.counts import Covariance
from bnsieve.decide import scores
from bnsieve.decide.scores import SetSearch, score_covariance_additions, score_covariance_family

SIZES = (2, 1, 3, 1, 2)


def score_covariance_sets(covariance, target, candidates, parent_cost, **search):
    return scores.score_covariance_sets(
        covariance, target, candidates, parent_cost, SetSearch(**search)
    )


@pytest.fixture
def covariance() -> Covariance:
    rows = np.random.default_rng(0).normal(size=(40, sum(SIZES)))
    rows[:, 3:5] += rows[:, :2]
    rows[:, 7] += rows[:, 2] - rows[:, 4]
    first = np.concatenate([[0], np.cumsum(SIZES)]).astype(np.int64)
    return Covariance(np.cov(rows.T), first, 40.0)


def by_determinants(covariance: Covariance, target: int, parents, cost: float) -> float:
    def half_log_det(variables) -> float:
        if not variables:
            return 0.0
        first = covariance.first
        columns = np.concatenate([np.arange(first[v], first[v + 1]) for v in variables])
        return 0.5 * float(np.linalg.slogdet(covariance.matrix[np.ix_(columns, columns)])[1])

    left = half_log_det([*parents, target]) - half_log_det(list(parents))
    n_products = SIZES[target] * sum(SIZES[v] for v in parents)
    gain = covariance.n_rows * (half_log_det([target]) - left)
    return gain - 0.5 * np.log(covariance.n_rows) * n_products - cost * len(parents)


@pytest.mark.parametrize("target", range(5))
def test_sets_score_as_their_determinants_say(covariance, target):
    others = [v for v in range(5) if v != target]
    sets = score_covariance_sets(
        covariance, target, others, parent_cost=1.5, complete_size=4, max_size=4, width=9
    )
    every = {
        frozenset(one): by_determinants(covariance, target, one, 1.5)
        for size in range(5)
        for one in combinations(others, size)
    }
    # All sets of which no subset scores as high.
    wanted = {
        one: score
        for one, score in every.items()
        if all(every[other] < score for other in every if other < one)
    }
    found = {frozenset(sets.members(i)): score for i, score in enumerate(sets.scores)}
    assert set(found) == set(wanted)
    for one, score in wanted.items():
        assert found[one] == pytest.approx(score, abs=1e-8)


def test_growing_finds_what_scoring_all_finds_here(covariance):
    all_sets = score_covariance_sets(
        covariance, 3, (0, 1, 2, 4), parent_cost=0.1, complete_size=4, max_size=4, width=1
    )
    grown = score_covariance_sets(
        covariance, 3, (0, 1, 2, 4), parent_cost=0.1, complete_size=1, max_size=4, width=9
    )
    assert grown.members(0) == all_sets.members(0)
    assert grown.scores[0] == pytest.approx(all_sets.scores[0])


def test_additions_are_differences_of_scores(covariance):
    found = score_covariance_additions(covariance, 3, (1, 4), 0.7)
    before = by_determinants(covariance, 3, (1, 4), 0.7)
    for v in (0, 2):
        gain = by_determinants(covariance, 3, (1, 4, v), 0.7) - before
        assert found[v] == pytest.approx(gain, abs=1e-8)
    assert found[[1, 3, 4]].tolist() == [0, 0, 0]


def test_equivalent_graphs_score_alike(covariance):
    """0 -> 2 -> 3, turned round, and with the middle as the source, are one class."""
    chains = [
        {0: (), 2: (0,), 3: (2,)},
        {3: (), 2: (3,), 0: (2,)},
        {2: (), 0: (2,), 3: (2,)},
    ]
    totals = [
        sum(score_covariance_family(covariance, v, parents, 2.0) for v, parents in chain.items())
        for chain in chains
    ]
    assert np.ptp(totals) < 1e-8


def test_required_parents_are_in_every_set(covariance):
    sets = score_covariance_sets(
        covariance,
        0,
        (1, 2, 3),
        parent_cost=0.0,
        complete_size=2,
        max_size=3,
        width=5,
        required=[3],
        centre=[1, 2],
    )
    assert all(3 in sets.members(i) for i in range(len(sets.masks)))


def test_a_wrong_variable_is_refused(covariance):
    with pytest.raises(ValueError, match="different variables"):
        score_covariance_family(covariance, 1, [1])
