"""Additive models: parents that matter beside the others, in data of known make."""

import numpy as np
import pytest

from bnsieve.decide import AdditiveModels

LOG_ALPHA = float(np.log(1e-4))


def choose(columns, target, parents, **options):
    models = AdditiveModels(columns)
    return models.choose_parents(target, parents, log_alpha=LOG_ALPHA, **options)


def bumps(v):
    """Two bumps that no polynomial of few degrees of the rank follows."""
    return v + 5 * v**2 * np.exp(-(v**2) / 20)


@pytest.fixture
def chain():
    """A cause with a bumpy effect, and a noisy copy of the cause."""
    rng = np.random.default_rng(0)
    cause = rng.normal(0, 4, 2_000)
    copy = cause + rng.normal(0, 1, 2_000)
    effect = 0.5 * bumps(cause) + rng.normal(0, 0.5, 2_000)
    return [effect, cause, copy]


def test_a_copy_of_the_cause_goes(chain):
    found = choose(chain, 0, (1, 2), removable=(1, 2))
    assert found.parents == (1,)
    assert found.gains == {}


def test_the_cause_is_added_and_the_copy_goes(chain):
    found = choose(chain, 0, (2,), removable=(2,), addable=(1, 2))
    assert found.parents == (1,)
    assert found.gains[1] > 100


def test_what_may_not_go_stays(chain):
    assert choose(chain, 0, (1, 2), removable=(1,)).parents == (1, 2)


def test_none_is_added_beyond_the_limit(chain):
    found = choose(chain, 0, (2,), removable=(), addable=(1,), max_parents=1)
    assert found.parents == (2,)


def test_a_cause_of_the_spread_stays():
    rng = np.random.default_rng(1)
    cause, other = rng.normal(size=(2, 2_000))
    effect = rng.normal(size=2_000) * np.exp(0.5 * cause)
    assert choose([effect, cause, other], 0, (1, 2), removable=(1, 2)).parents == (1,)


def test_effects_may_add_up_in_ranks():
    rng = np.random.default_rng(2)
    cause, other = rng.normal(size=(2, 2_000))
    copy = np.exp(cause + other)
    effect = np.exp(2 * (cause + 0.5 * rng.normal(size=2_000)))
    found = choose([effect, np.exp(cause), copy], 0, (1, 2), removable=(1, 2))
    assert found.parents == (1,)


def test_a_category_can_be_a_parent():
    rng = np.random.default_rng(3)
    kind, noise = rng.integers(0, 4, 1_000), rng.integers(0, 4, 1_000)
    effect = np.array([0.0, 1.0, 0.0, 2.0])[kind] + rng.normal(size=1_000)
    assert choose([effect, kind, noise], 0, (1, 2), removable=(1, 2)).parents == (1,)


def test_chance_is_rare():
    n_false = 0
    for seed in range(40):
        columns = list(np.random.default_rng(seed).normal(size=(11, 300)))
        n_false += len(choose(columns, 0, (), removable=(), addable=range(1, 11)).parents)
    assert n_false <= 2  # 400 tries at one in ten thousand, the best of three curves each


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_units_do_not_matter(chain, scale):
    far = [chain[0] * scale, chain[1] / scale, chain[2] + 1e6 * scale]
    assert choose(far, 0, (1, 2), removable=(1, 2)).parents == (1,)


def test_constants_and_few_values_do_no_harm():
    rng = np.random.default_rng(4)
    cause = rng.integers(0, 2, 200).astype(float)
    columns = [cause + rng.normal(size=200), cause, np.ones(200), np.zeros(200, dtype=int)]
    found = choose(columns, 0, (1, 2, 3), removable=(1, 2, 3), addable=(1, 2, 3))
    assert found.parents == (1,)


def test_a_constant_target_has_no_parents():
    rng = np.random.default_rng(5)
    found = choose([np.ones(200), rng.normal(size=200)], 0, (1,), removable=(1,), addable=(1,))
    assert found.parents == ()


def test_a_function_of_its_parent_keeps_it():
    rng = np.random.default_rng(6)
    cause, other = rng.normal(size=(2, 500))
    assert choose([2 * cause, cause, other], 0, (1, 2), removable=(1, 2)).parents == (1,)
