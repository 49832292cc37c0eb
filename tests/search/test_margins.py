"""Score gains of edges, against what leaving them out really costs; the cost of a parent."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from bnsieve.counts import Covariance
from bnsieve.decide import CovarianceScorer, ParentSets, Score
from bnsieve.knowledge import Constraints
from bnsieve.search.margins import density_cost, edge_margins, sparse_cost
from bnsieve.search.order import ScoredDag

ROWS = 2_000.0
N = 60


def star(falls):
    """Variable 0 has one child for each entry, which scores so much higher with it than without."""
    sets = [ParentSets((), np.zeros(1, np.uint32), np.zeros(1))]
    for fall in falls:
        masks, scores = np.array([1, 0], np.uint32), np.array([fall, 0.0])
        sets.append(ParentSets((0,), masks, scores))
    parents = ((), *((0,) for _ in falls))
    return sets, ScoredDag(parents, sum(falls), tuple(range(len(sets))))


def test_a_single_edge_must_outweigh_all_pairs():
    """Ten variables, 45 pairs: the first edge costs log 46, and is not worth it with 3.5 nats."""
    sets, network = star([1.5] + [0.1] * 8)
    assert sparse_cost(sets, network, least=2.0) == pytest.approx(math.log(46))


def test_edges_that_pay_make_the_next_cheaper():
    # Worth with what they cost: 9 and 8 nats pay at once; then log(44 / 3) = 2.7 is asked, and the
    # two of 2.9 pay as well; then log(42 / 5) = 2.1, and that of 2.2; then log(41 / 6).
    sets, network = star([7.0, 6.0, 0.9, 0.9, 0.2, 0.0, 0.0, 0.0, 0.0])
    assert sparse_cost(sets, network, least=2.0) == 2.0
    assert sparse_cost(sets, network, least=1.9) == pytest.approx(math.log(42 / 5))


def test_parents_that_matter_only_jointly_share_their_gain():
    """An exclusive or: without one parent the other goes too."""
    both = ParentSets((0, 1), np.array([3, 0], np.uint32), np.array([20.0, 0.0]))
    empty = ParentSets((), np.zeros(1, np.uint32), np.zeros(1))
    network = ScoredDag(((), (), (0, 1)), 20.0, (0, 1, 2))
    assert sparse_cost([empty, empty, both], network, least=0.5) == 0.5
    assert edge_margins([empty, empty, both], network) == {(0, 2): 20.0, (1, 2): 20.0}


def test_a_near_duplicate_makes_an_edge_weak_and_a_descendant_does_not():
    # Variable 1 could take the place of 0 as a parent of 2; variable 3, a child of 2, could not.
    target = ParentSets(
        (0, 1, 3), np.array([4, 1, 2, 0], np.uint32), np.array([40.0, 30.0, 29.0, 0.0])
    )
    child = ParentSets((2,), np.array([1, 0], np.uint32), np.array([50.0, 0.0]))
    empty = ParentSets((), np.zeros(1, np.uint32), np.zeros(1))
    network = ScoredDag(((), (), (0,), (2,)), 80.0, (0, 1, 2, 3))
    margins = edge_margins([empty, empty, target, child], network)
    assert margins == {(0, 2): 1.0, (2, 3): 50.0}


def test_a_required_parent_has_no_margin_but_infinity():
    required = ParentSets((0,), np.array([1], np.uint32), np.array([-3.0]))
    empty = ParentSets((), np.zeros(1, np.uint32), np.zeros(1))
    network = ScoredDag(((), (0,)), -3.0, (0, 1))
    assert edge_margins([empty, required], network) == {(0, 1): math.inf}
    assert sparse_cost([empty, required], network, least=0.1) == pytest.approx(math.log(2))


def weak(falls):
    """A network in which so many variables have one parent, each worth so much beyond its cost."""
    sets = [ParentSets((), np.zeros(1, np.uint32), np.zeros(1)) for _ in range(N - len(falls))]
    masks = np.array([1, 0], np.uint32)
    sets += [ParentSets((0,), masks, np.array([fall, 0.0])) for fall in falls]
    parents = tuple(() if not one.candidates else (0,) for one in sets)
    covariance = Covariance(np.eye(N), np.arange(N + 1), ROWS)
    scorer = CovarianceScorer(covariance, Score("bic"), Constraints.none(N))
    return scorer.chance_density, sets, ScoredDag(parents, sum(falls), tuple(range(N)))


def test_strong_edges_leave_the_cost_as_it_is():
    cost = float(np.log(N))
    assert density_cost(*weak([200.0] * 40), cost) == pytest.approx(cost, abs=0.1)


def test_many_weak_edges_lower_it_to_where_chance_is_as_frequent():
    cost = float(np.log(N))
    lower = density_cost(*weak([0.25 * k for k in range(1, 39)]), cost)
    assert 0 < lower < cost - 0.5
    # By the normal distribution of a correlation: pairs worth between two costs, three tries each.
    step = 0.01
    told = np.array([lower, lower + step]) + 0.5 * np.log(ROWS)
    between = -np.diff(2 * norm.sf(np.sqrt(2 * told)))[0]
    chance = 3 * N * (N - 1) / 2 * between / step
    assert chance == pytest.approx(38.5 / 10, rel=0.05)


def test_it_falls_with_the_number_of_weak_edges():
    costs = [density_cost(*weak([1.0] * k), float(np.log(N))) for k in (0, 10, 20, 40)]
    assert costs == sorted(costs, reverse=True) and costs[-1] < costs[0]


def test_curves_leave_the_cost_as_it_is():
    """Of a numeric variable with several functions of its rank, chance is not known."""
    covariance = Covariance(np.eye(3), np.array([0, 2, 3]), ROWS)
    known = Constraints.none(2)
    for numeric, is_known in (((0,), False), ((1,), True)):
        scorer = CovarianceScorer(covariance, Score("bic"), known, numeric=numeric)
        assert (scorer.chance_density(np.ones(1)) is not None) == is_known
