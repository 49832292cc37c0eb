"""The one rule for random states, wherever one is taken."""

import numpy as np
import pytest

import bnsieve as bn
from bnsieve.engine import seed_of


def test_an_int_is_the_seed():
    assert seed_of(7) == seed_of(np.int64(7)) == 7


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_generators_give_one_seed_after_the_other(make):
    one, two = make(3), make(3)
    first = [seed_of(one) for _ in range(3)]
    assert first == [seed_of(two) for _ in range(3)]
    assert len(set(first)) == 3


def test_nothing_is_another_seed_every_time():
    assert len({seed_of(None) for _ in range(5)}) == 5


def test_what_is_no_random_state_is_refused():
    with pytest.raises(TypeError, match="got 'a'"):
        seed_of("a")
    with pytest.raises(ValueError, match="below zero"):
        seed_of(-1)


@pytest.mark.parametrize("make", [lambda: 5, lambda: np.random.default_rng(5)])
def test_all_that_draw_take_it(make):
    network = bn.load_network("asia")
    data = network.sample(400, random_state=make())
    assert data.equals(network.sample(400, random_state=make()))
    for learner in (bn.TsetlinSieve, bn.TsetlinPC):
        one, two = (learner(random_state=make()).fit(data) for _ in range(2))
        assert np.array_equal(
            one.fit_result_.sieve.machines.importance, two.fit_result_.sieve.machines.importance
        )
    one, two = (one.bootstrap(2, random_state=make()).to_frame() for _ in range(2))
    assert one.equals(two)
    machines = [
        bn.WeightedTsetlinClassifier(random_state=make()).fit(data[["smoke"]], data["lung"])
        for _ in range(2)
    ]
    assert machines[0].rules_ == machines[1].rules_
