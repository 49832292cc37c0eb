"""What edges are worth, against what leaving them out really costs."""

import math

import numpy as np
import pytest

from bnsieve.decide import ParentSets
from bnsieve.search.edge_worth import cost_of_a_parent, edge_margins
from bnsieve.search.order import ScoredDag


def star(falls):
    """Variable 0 has one child for each entry, which scores so much higher with it than without."""
    sets = [ParentSets((), np.zeros(1, np.uint32), np.zeros(1))]
    for fall in falls:
        masks, scores = np.array([1, 0], np.uint32), np.array([fall, 0.0])
        sets.append(ParentSets((0,), masks, scores))
    parents = ((), *((0,) for _ in falls))
    return sets, ScoredDag(parents, sum(falls), tuple(range(len(sets))))


def test_a_lonely_edge_must_be_worth_all_pairs():
    """Ten variables, 45 pairs: the first edge costs log 46, and is not worth it with 3.5 nats."""
    sets, network = star([1.5] + [0.1] * 8)
    assert cost_of_a_parent(sets, network, least=2.0) == pytest.approx(math.log(46))


def test_edges_that_pay_make_the_next_cheaper():
    # Worth with what they cost: 9 and 8 nats pay at once; then log(44 / 3) = 2.7 is asked, and the
    # two of 2.9 pay as well; then log(42 / 5) = 2.1, and that of 2.2; then log(41 / 6).
    sets, network = star([7.0, 6.0, 0.9, 0.9, 0.2, 0.0, 0.0, 0.0, 0.0])
    assert cost_of_a_parent(sets, network, least=2.0) == 2.0
    assert cost_of_a_parent(sets, network, least=1.9) == pytest.approx(math.log(42 / 5))


def test_parents_that_only_count_together_share_what_they_are_worth():
    """An exclusive or: without one parent the other goes too."""
    both = ParentSets((0, 1), np.array([3, 0], np.uint32), np.array([20.0, 0.0]))
    empty = ParentSets((), np.zeros(1, np.uint32), np.zeros(1))
    network = ScoredDag(((), (), (0, 1)), 20.0, (0, 1, 2))
    assert cost_of_a_parent([empty, empty, both], network, least=0.5) == 0.5
    assert edge_margins([empty, empty, both], network) == {(0, 2): 20.0, (1, 2): 20.0}


def test_a_near_copy_makes_an_edge_doubtful_and_a_descendant_does_not():
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
    assert cost_of_a_parent([empty, required], network, least=0.1) == pytest.approx(math.log(2))
