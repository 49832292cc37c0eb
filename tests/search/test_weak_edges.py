"""What an edge should cost, by how many weak ones there are."""

import numpy as np
import pytest
from scipy.stats import norm

from bnsieve.counts import Covariance
from bnsieve.decide import ParentSets
from bnsieve.search.order import ScoredDag
from bnsieve.search.weak_edges import cost_by_density

ROWS = 2_000.0
N = 60


def found(falls):
    """A network in which so many variables have one parent, each worth so much beyond its cost."""
    sets = [ParentSets((), np.zeros(1, np.uint32), np.zeros(1)) for _ in range(N - len(falls))]
    masks = np.array([1, 0], np.uint32)
    sets += [ParentSets((0,), masks, np.array([fall, 0.0])) for fall in falls]
    parents = tuple(() if not one.candidates else (0,) for one in sets)
    covariance = Covariance(np.eye(N), np.arange(N + 1), ROWS)
    return covariance, sets, ScoredDag(parents, sum(falls), tuple(range(N)))


def test_strong_edges_leave_the_cost_as_it_is():
    cost = float(np.log(N))
    assert cost_by_density(*found([200.0] * 40), cost) == pytest.approx(cost, abs=0.1)


def test_many_weak_edges_lower_it_to_where_chance_is_as_frequent():
    cost = float(np.log(N))
    lower = cost_by_density(*found([0.25 * k for k in range(1, 39)]), cost)
    assert 0 < lower < cost - 0.5
    # By the normal distribution of a correlation: pairs worth between two costs, three tries each.
    step = 0.01
    told = np.array([lower, lower + step]) + 0.5 * np.log(ROWS)
    between = -np.diff(2 * norm.sf(np.sqrt(2 * told)))[0]
    chance = 3 * N * (N - 1) / 2 * between / step
    assert chance == pytest.approx(38.5 / 10, rel=0.05)


def test_it_falls_with_the_number_of_weak_edges():
    costs = [cost_by_density(*found([1.0] * k), float(np.log(N))) for k in (0, 10, 20, 40)]
    assert costs == sorted(costs, reverse=True) and costs[-1] < costs[0]
